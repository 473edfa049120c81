/** Watch: agents against each other, and training runs. */

import { get, post } from "../api.js";
import { button, h, put } from "../dom.js";
import { attempt } from "../messages.js";
import { address, go, note } from "../router.js";
import { drawSeats } from "../seats.js";
import { FIRST, describeVariant, variantFields } from "../variants.js";

const REFRESH = 5000;

export async function show(outlet, { query }) {
  const agents = h("div", { class: "panel" });
  const runs = h("div", { class: "panel" });
  put(outlet, h("h1", {}, "Watch"), h("div", { class: "cards" }, agents, runs));
  await drawAgents(agents, query.variant ?? FIRST);
  const draw = () => drawRuns(runs);
  await draw();
  const timer = setInterval(draw, REFRESH);
  return () => clearInterval(timer);
}

async function drawAgents(element, name) {
  const variant = await attempt(() => describeVariant(name));
  if (!variant) return;
  note(address("/watch", { variant: variant.name }));
  let agents = variant.seats.map((_, player) => `best:level=${player % 2 ? 2 : 4}`);
  put(
    element,
    h("h2", {}, "Agents against each other"),
    await variantFields(variant, (chosen) => drawAgents(element, chosen)),
    drawSeats(
      variant,
      agents,
      (changed) => {
        agents = changed;
      },
      false,
    ),
    button(
      "Start",
      async () => {
        const game = await attempt(() => post("games", { variant: variant.name, agents }));
        if (game) go(`/watch/game/${game.id}`);
      },
      { class: "primary" },
    ),
  );
}

async function drawRuns(element) {
  const found = await get("runs").catch(() => null);
  if (!found) return;
  put(
    element,
    h("h2", {}, "Training runs"),
    found.runs.length
      ? null
      : h(
          "p",
          { class: "soft" },
          "There are none here. Start one with ",
          h("code", {}, "halma train quick"),
          ": it appears here while it runs.",
        ),
    h(
      "ul",
      {},
      found.runs.map((run) =>
        h(
          "li",
          {},
          run.error
            ? [run.id, " ", h("span", { class: "bad small" }, run.error)]
            : [
                h("a", { href: address("/watch/run", { name: run.id }) }, run.name),
                " ",
                h(
                  "span",
                  { class: "soft small" },
                  `${run.game}, ${run.method}, ${run.done} of ${run.iterations} iterations `,
                ),
                run.training ? h("span", { class: "proven" }, "running") : null,
              ],
        ),
      ),
    ),
  );
}
