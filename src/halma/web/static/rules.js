/** The rules of a variant, in a dialog. */

import { getOnce } from "./api.js";
import { button, h, put } from "./dom.js";
import { attempt } from "./messages.js";

/** Show the rules of a variant over the page. */
export async function showRules(variant) {
  const rules = await attempt(() => getOnce("rules", { variant }));
  if (!rules) return;
  const body = h("div", { class: "prose" });
  body.append(parsed(rules.html));
  body.querySelector("h1")?.remove(); // the dialog has it
  const dialog = h(
    "dialog",
    { "aria-label": rules.title },
    h(
      "div",
      { class: "row" },
      h("h2", { class: "grow" }, rules.title),
      button("Close", () => dialog.close()),
    ),
    body,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Parse HTML that the server rendered from its own Markdown. Nothing in it runs: scripts of a
 * template's content do not, and the content security policy allows none.
 */
export function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const table of template.content.querySelectorAll("table, pre")) table.setAttribute("tabindex", 0);
  return template.content;
}

/** Fill an element with rendered prose. */
export function showProse(element, html) {
  put(element);
  element.append(parsed(html));
}
