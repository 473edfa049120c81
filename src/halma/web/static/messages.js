/** Messages that appear at the edge of the page and go away: errors, and what was done. */

import { button, h } from "./dom.js";

/** Show a sentence for a while. */
export function toast(sentence, kind = "info") {
  const close = () => element.remove();
  const element = h(
    "div",
    { class: `toast ${kind}` },
    h("span", {}, sentence),
    button("×", close, { "aria-label": "Close", class: "quiet" }),
  );
  const region = document.getElementById("toasts");
  while (region.childElementCount > 2) region.firstChild.remove();
  region.append(element);
  setTimeout(close, kind === "error" ? 12000 : 4000);
}

/** Run something that may fail and show its error; return its value, or undefined. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    toast(error.message, "error");
    return undefined;
  }
}
