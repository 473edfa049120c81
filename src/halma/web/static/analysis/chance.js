/** What can be done where chance is next: draw an outcome by its odds, or type one. */

import { button, h } from "../dom.js";

/**
 * Return the controls of a position at chance.
 * @param {{outcomes: object[], outcome_count: number}} board a position of the server
 * @param {{play: (text: string) => void, draw: () => void}} page
 */
export function chanceControls({ outcomes, outcome_count: count }, { play, draw }) {
  const typed = h("input", {
    class: "grow",
    placeholder: "or type one",
    "aria-label": "Type an outcome",
    autocomplete: "off",
    spellcheck: "false",
  });
  const take = (event) => {
    event.preventDefault();
    if (typed.value.trim()) play(typed.value.trim());
  };
  const listed = outcomes.length < count ? ` ${outcomes.length} of ${count} are listed.` : "";
  return [
    h("p", { class: "small" }, `An outcome of chance is next.${listed} Choose one to see what if.`),
    h(
      "form",
      { class: "row", onsubmit: take },
      button("Draw one", draw),
      typed,
      h("button", {}, "Take it"),
    ),
  ];
}
