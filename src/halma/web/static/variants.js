/** Choosing a variant: its board, its rules, or any other by its name. */

import { getOnce } from "./api.js";
import { field, h, put, select } from "./dom.js";

/** The variant that pages start with. */
export const FIRST = "rhombus-5x5-3";

/**
 * Return the fields that choose a variant; `onchange` gets the name of another one.
 * @param variant the chosen one, as `describeVariant` returns it
 */
export async function variantFields(variant, onchange) {
  const { families } = await getOnce("variants");
  return h(
    "div",
    {},
    field("Variant", boardSelect(families, variant, onchange)),
    variant.rules.length || variant.name !== variant.bare
      ? field("Rules", rulesSelect(variant, onchange))
      : null,
    otherVariant(variant, onchange),
  );
}

/** A `<select>` of the listed variants; one that is not listed is added. */
function boardSelect(families, { bare }, onchange) {
  const listed = families.flatMap((family) => family.variants);
  const groups = families.map((family) =>
    h(
      "optgroup",
      { label: family.title },
      family.variants.map(({ name, about }) =>
        h("option", { value: name, selected: name === bare }, `${name}: ${about}`),
      ),
    ),
  );
  const own = listed.some(({ name }) => name === bare) ? null : h("option", { value: bare, selected: true }, bare);
  const change = (event) => onchange(event.target.value);
  return h("select", { "aria-label": "Variant", onchange: change }, groups, own);
}

/** A `<select>` of the rule sets of a board; rules that are none of them are added. */
function rulesSelect({ name, bare, rules }, onchange) {
  const choices = [[bare, "default rules"], ...rules.map((each) => [each.variant, each.name])];
  if (!choices.some(([value]) => value === name)) choices.push([name, name.slice(bare.length + 1)]);
  return select(choices, name, onchange, { "aria-label": "Rules" });
}

/** A line to type the name of any variant, with what it is made of. */
function otherVariant({ name, pattern, options }, onchange) {
  const typed = h("input", {
    class: "grow",
    value: name,
    "aria-label": "Name of a variant",
    autocomplete: "off",
    spellcheck: "false",
  });
  const problem = h("p", { class: "bad", role: "alert" });
  const use = async (event) => {
    event.preventDefault();
    put(problem);
    try {
      onchange((await describeVariant(typed.value.trim())).name);
    } catch (error) {
      put(problem, error.message);
    }
  };
  return h(
    "details",
    { class: "other-variant" },
    h("summary", {}, "Another size or other rules"),
    h("form", { class: "row", onsubmit: use }, typed, h("button", {}, "Use")),
    problem,
    h("p", { class: "soft small" }, `Names: ${pattern}.`, options.length ? " Options follow a colon: name:key=value,key=value." : ""),
    h(
      "ul",
      { class: "soft small" },
      options.map(({ key, choices, low, high, default: usual, help }) =>
        h("li", {}, h("b", {}, `${key}=${(choices ?? [`${low} to ${high}`]).join("|")}`), `: ${help} (${usual})`),
      ),
    ),
  );
}

/** Ask the server about a variant: seats, levels, agents, start, rule sets. */
export function describeVariant(name) {
  return getOnce("variant", { name });
}
