/** The evaluation bar: one segment a player, in proportion to the chances to win or to the points. */

import { h, put, set } from "../dom.js";
import { paintClass } from "../board/pieces.js";

/** Colours of players who have none of their own, or not yet. */
const NEUTRAL = ["white", "grey"];

/** Return a bar that `showValues` fills. */
export function makeBar() {
  return h("div", { class: "bar", role: "img", "aria-label": "Evaluation: unknown" });
}

/**
 * Show one value a player; the first player has the lowest segment. Values are written as they are:
 * those of partners, and shares of points, do not add up to 1. `of` says what they are shares of.
 */
export function showValues(bar, values, seats, of = "") {
  const known = values?.some((value) => value !== null) ?? false;
  const sizes = seats.map((_, player) => (known ? Math.max(0, values[player] ?? 0) : 1));
  const total = sizes.reduce((sum, size) => sum + size, 0) || 1;
  const order = [...seats.keys()].reverse();
  if (bar.childElementCount !== seats.length) {
    put(
      bar,
      order.map(() => h("div", {})),
    );
  }
  order.forEach((player, place) => {
    const share = sizes[player] / total;
    // In some games play decides who has which colour.
    const paint = paintClass(seats[player].colour ?? NEUTRAL[player % 2]);
    bar.children[place].className = `${paint} ${place ? "low" : "high"}`;
    bar.children[place].style.flexGrow = Math.max(0.001, share);
    put(bar.children[place], known && share > 0.08 ? Math.round(100 * values[player]) : "");
  });
  const words = seats.map((seat, player) => `${seat.name} ${Math.round(100 * sizes[player])} per cent`);
  set(bar, {
    "aria-label": known ? `Evaluation: ${words.join(", ")} ${of}`.trim() : "Evaluation: unknown",
  });
}
