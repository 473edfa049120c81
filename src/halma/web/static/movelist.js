/** The moves of a game as a list of buttons: the outcomes of chance stand before their moves. */

import { button, h, put } from "./dom.js";

const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/**
 * Draw a list of events `{kind, text, player}`.
 * @param {{at: number, choose: (length: number) => void, kinds?: Map<number, string>}} options
 *   `at` is how many events are shown, `kinds` the mistakes by index
 */
export function drawMoves(element, events, { at, choose, kinds = new Map() }) {
  let ply = 0;
  const items = events.map((event, index) => {
    const chance = event.kind === "chance";
    if (!chance) ply += 1;
    return h(
      "li",
      {},
      chance ? null : h("span", { class: "number" }, `${ply}.`),
      moveButton(event, index, { at, choose, kind: kinds.get(index) }),
    );
  });
  put(element, h("ol", {}, items));
  followCurrent(element);
}

/** A button of one event. */
export function moveButton(event, index, { at, choose, kind }) {
  const chance = event.kind === "chance";
  return button(
    [
      chance ? `(${event.text})` : event.text,
      kind ? h("span", { class: `glyph-${kind}`, title: kind }, GLYPHS[kind]) : null,
    ],
    () => choose(index + 1),
    { class: chance ? "chance" : null, "aria-current": at === index + 1 ? "true" : null },
  );
}

/** Scroll a list so that the current move is visible. */
export function followCurrent(element) {
  const current = element.querySelector("[aria-current]");
  if (current) element.scrollTop = current.offsetTop - element.clientHeight / 2;
}
