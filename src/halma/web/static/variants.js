/** Choosing a variant: by name, all families in one list. */

import { getOnce } from "./api.js";
import { h, set } from "./dom.js";

/** The variant that pages start with. */
export const FIRST = "rhombus-5x5-3";

/** Return a `<select>` of all variants; one that is not listed (options, presets) is added. */
export async function variantSelect(chosen, onchange, attributes = {}) {
  const { families } = await getOnce("variants");
  const known = new Set();
  const groups = families.map((family) =>
    h(
      "optgroup",
      { label: family.title },
      family.variants.flatMap((variant) => {
        const presets = Object.keys(family.presets ?? {}).map((name) => `${variant.name}:${name}`);
        // Rules of papers are offered for the board that is chosen.
        const names = [variant.name, ...presets.filter((name) => name === chosen)];
        return names.map((name) => {
          known.add(name);
          return h("option", { value: name, selected: name === chosen }, `${name}: ${variant.about}`);
        });
      }),
    ),
  );
  const element = h("select", { onchange: () => onchange(element.value), ...attributes }, groups);
  if (!known.has(chosen)) element.append(h("option", { value: chosen, selected: true }, chosen));
  return set(element, { "aria-label": attributes["aria-label"] ?? "Variant" });
}

/** Ask the server about a variant: seats, levels, agents, start. */
export function describeVariant(name) {
  return getOnce("variant", { name });
}
