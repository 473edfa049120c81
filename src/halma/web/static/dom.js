/** Elements of HTML and SVG, made in one call. Text is always inserted as text, never parsed. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element. Attributes that are functions become event listeners (`onclick`), `null`
 * and `false` are left out, `true` is an empty attribute.
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element, like `h`. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replace what an element contains. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

/** Change attributes of an element, as in `h`. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

function fill(element, attributes, children) {
  set(element, attributes);
  return put(element, ...children);
}

/** A button; `label` is its text. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

/** A `<select>` of `[value, text]` pairs. */
export function select(choices, value, onchange, attributes = {}) {
  const options = choices.map(([each, text]) =>
    h("option", { value: each, selected: each === value }, text ?? each),
  );
  const element = h("select", { onchange: () => onchange(element.value), ...attributes }, options);
  return element;
}

/** A form field: its label around or before the control. */
export function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

/** Whether the user asked the system for less motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** A share between 0 and 1 as per cent; an estimate is never 0 or 100. */
export function percent(share, proven = false) {
  if (share === null || share === undefined) return "";
  const shown = 100 * share;
  if (proven) return `${Math.round(shown)}%`;
  return `${Math.min(99.9, Math.max(0.1, shown)).toFixed(1)}%`;
}
