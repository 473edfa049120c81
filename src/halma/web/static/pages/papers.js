/** Papers: the scoreboards and figures of repeated papers. */

import { get, getOnce } from "../api.js";
import { h, put } from "../dom.js";
import { showProse } from "../rules.js";

export async function show(outlet, { match }) {
  const id = match[1];
  const papers = ordered((await getOnce("papers")).papers);
  if (!id) {
    put(
      outlet,
      h("h1", {}, "Papers"),
      h(
        "p",
        {},
        papers.length
          ? "What papers report, repeated with this package: claims, measurements, figures."
          : "There are no results here.",
      ),
      h(
        "div",
        { class: "cards" },
        papers.map((paper) => {
          const [name, rest] = namesOf(paper);
          return h(
            "a",
            { class: "panel card", href: `/papers/${paper.id}` },
            h("h2", {}, name),
            rest ? h("span", { class: "soft" }, rest) : null,
          );
        }),
      ),
    );
    return null;
  }
  const paper = await get("paper", { name: id });
  const body = h("div", { class: "prose" });
  showProse(body, paper.html);
  put(outlet, listOf(papers, id), h("article", { class: "panel" }, body));
  return null;
}

/** Return links to all pages; folded on a narrow screen, which they would fill. */
function listOf(papers, id) {
  const tabs = papers.map((paper) =>
    h(
      "a",
      { class: "tab", href: `/papers/${paper.id}`, "aria-current": paper.id === id ? "page" : null },
      namesOf(paper)[0],
    ),
  );
  return h(
    "details",
    { class: "pages", open: matchMedia("(min-width: 981px)").matches },
    h("summary", {}, "All pages"),
    h("nav", { class: "tabs", "aria-label": "Papers" }, tabs),
  );
}

/** Return the pages with those of papers first and those of networks last. */
function ordered(papers) {
  const place = ({ id, title }) => (id.startsWith("models/") ? 2 : title.includes(":") ? 0 : 1);
  return [...papers].sort((a, b) => place(a) - place(b));
}

/** Return the short name of a page, that of its paper or network, and what its title says beyond. */
function namesOf({ id, title }) {
  const [name, rest = ""] = title.split(/: (.*)/);
  if (id.startsWith("models/")) return [`network ${name}`, rest];
  // A second page about a paper has a word of its own after it.
  return rest && !id.endsWith(`/${name}`) ? [`${name}, ${rest}`, ""] : [name, rest];
}
