/** Light or dark: as the system has it, or as the person chose. */

import { put, set } from "./dom.js";

const KEY = "halma-theme";
const NEXT = { "": "light", light: "dark", dark: "" };
const NAMES = { "": "as the system", light: "light", dark: "dark" };
const SIGNS = { "": "◐", light: "☀", dark: "☾" };

/** Make a button switch between the system's colours, light and dark. */
export function themeButton(element) {
  let chosen = localStorage.getItem(KEY) ?? "";
  const apply = () => {
    if (chosen) document.documentElement.dataset.theme = chosen;
    else delete document.documentElement.dataset.theme;
    put(element, SIGNS[chosen]);
    set(element, { "aria-label": `Colours: ${NAMES[chosen]}`, title: `Colours: ${NAMES[chosen]}` });
  };
  element.addEventListener("click", () => {
    chosen = NEXT[chosen];
    localStorage.setItem(KEY, chosen);
    apply();
  });
  apply();
}
