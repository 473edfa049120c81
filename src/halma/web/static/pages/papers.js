/** Papers: the scoreboards and figures of repeated papers. */

import { get, getOnce } from "../api.js";
import { h, put } from "../dom.js";
import { showProse } from "../rules.js";

export async function show(outlet, { match }) {
  const id = match[1];
  const papers = ordered((await getOnce("papers")).papers);
  const list = h(
    "nav",
    { class: "tabs", "aria-label": "Papers" },
    papers.map((paper) =>
      h(
        "a",
        { class: "tab", href: `/papers/${paper.id}`, "aria-current": paper.id === id ? "page" : null },
        shortTitle(paper),
      ),
    ),
  );
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
        papers.map((paper) =>
          h(
            "a",
            { class: "panel card", href: `/papers/${paper.id}` },
            h("h2", {}, shortTitle(paper)),
            h("span", { class: "soft" }, paper.title),
          ),
        ),
      ),
    );
    return null;
  }
  const paper = await get("paper", { name: id });
  const body = h("div", { class: "prose" });
  showProse(body, paper.html);
  put(outlet, h("h1", { class: "unseen" }, paper.title), list, h("article", { class: "panel" }, body));
  return null;
}

/** Return the pages with those of papers first and those of networks last. */
function ordered(papers) {
  const place = ({ id, title }) => (id.startsWith("models/") ? 2 : title.includes(":") ? 0 : 1);
  return [...papers].sort((a, b) => place(a) - place(b));
}

/** The short name of a page: that of its paper or network, without the title. */
function shortTitle(paper) {
  const [name, rest] = paper.title.split(":");
  if (paper.id.startsWith("models/")) return `network ${name}`;
  // A second page about a paper has a word of its own after it.
  return paper.id.endsWith(`/${name}`) || !rest ? name : `${name},${rest}`;
}
