/** The evaluation bar: one segment a player, as large as the chance of winning. */

import { h, put, set } from "../dom.js";
import { paintClass } from "../board/pieces.js";

/** Colours of players who have none of their own, or not yet. */
const NEUTRAL = ["white", "grey"];

/** Return a bar that `showValues` fills. */
export function makeBar() {
  return h("div", { class: "bar", role: "img", "aria-label": "Evaluation: unknown" });
}

/** Show one value a player; the first player has the lowest segment. */
export function showValues(bar, values, seats) {
  const known = values?.some((value) => value !== null)
    ? values.map((value) => Math.max(0, value ?? 0))
    : seats.map(() => 1);
  const total = known.reduce((sum, value) => sum + value, 0) || 1;
  const order = [...seats.keys()].reverse();
  if (bar.childElementCount !== seats.length) {
    put(
      bar,
      order.map(() => h("div", {})),
    );
  }
  order.forEach((player, place) => {
    const share = known[player] / total;
    // In some games play decides who has which colour.
    const paint = paintClass(seats[player].colour ?? NEUTRAL[player % 2]);
    bar.children[place].className = `${paint} ${place ? "low" : "high"}`;
    bar.children[place].style.flexGrow = Math.max(0.001, share);
    put(bar.children[place], values && share > 0.08 ? Math.round(100 * share) : "");
  });
  const words = seats.map(
    (seat, player) => `${seat.name} ${Math.round((100 * known[player]) / total)} per cent`,
  );
  set(bar, { "aria-label": values ? `Evaluation: ${words.join(", ")}` : "Evaluation: unknown" });
}
