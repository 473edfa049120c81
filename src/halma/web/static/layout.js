/** The layout of pages with a board. */

import { h } from "./dom.js";

/** A box with a frame. */
export function panel(...children) {
  return h("div", { class: "panel" }, ...children);
}

/** A board, and what stands beside it or, on a narrow screen, below. `kind` changes the board's size. */
export function withBoard(board, side, kind = "") {
  return h("div", { class: `with-board ${kind}`.trim() }, board, h("div", { class: "side" }, side));
}
