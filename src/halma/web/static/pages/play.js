/** Play: choose a variant and who plays, or go on with a game. */

import { getOnce, post } from "../api.js";
import { BoardView, drawStill } from "../board/view.js";
import { button, h, put, s } from "../dom.js";
import { drawGames } from "../gamelist.js";
import { panel, withBoard } from "../layout.js";
import { attempt } from "../messages.js";
import { address, go, note } from "../router.js";
import { showRules } from "../rules.js";
import { drawSeats, levelsNote } from "../seats.js";
import { FIRST, describeVariant, variantFields } from "../variants.js";

export async function show(outlet, { query }) {
  let variant = null;
  let agents = query.agents?.split(" ") ?? [];
  const preview = new BoardView({ label: "The board of the variant" });
  const pictures = h("div", { class: "picker", role: "group", "aria-label": "Games" });
  const setup = h("div", {});
  const recent = panel();
  put(
    outlet,
    withBoard(preview.element, [panel(h("h1", {}, "Play"), pictures, setup), recent], "lobby"),
  );

  async function choose(name) {
    const found = await attempt(() => describeVariant(name));
    if (!found) return;
    variant = found;
    if (agents.length !== variant.players) {
      agents = variant.seats.map((_, player) => (player ? "best:level=3" : "human"));
    }
    await draw();
    preview.board.turnTo(0);
    await preview.show(await sample(variant.board));
  }

  async function draw() {
    note(address("/play", { variant: variant.name, agents: agents.join(" ") }));
    for (const each of pictures.children)
      each.setAttribute("aria-pressed", each.dataset.family === variant.title);
    const chooser = await variantFields(variant, choose);
    put(
      setup,
      chooser,
      drawSeats(variant, agents, (changed) => {
        agents = changed;
        note(address("/play", { variant: variant.name, agents: agents.join(" ") }));
      }),
      h("p", { class: "soft small" }, levelsNote(variant)),
      h(
        "div",
        { class: "row" },
        button("Start", begin, { class: "primary" }),
        button("Change seats", () => {
          agents = [...agents.slice(1), agents[0]];
          draw();
        }),
        button("Rules", () => showRules(variant.name)),
      ),
    );
  }

  async function begin(event) {
    event.target.disabled = true;
    const game = await attempt(() => post("games", { variant: variant.name, agents }));
    event.target.disabled = false;
    if (game) go(`/play/${game.id}`);
  }

  await choose(query.variant ?? FIRST);
  drawPictures(pictures, choose, () => variant?.title);
  await drawRecent(recent);
}

/** Draw a button with a picture for every family; it chooses the family's real game. */
async function drawPictures(element, choose, chosen) {
  const found = await attempt(() => getOnce("variants"));
  if (!found) return;
  put(
    element,
    found.families.map((family) => {
      const name = family.real;
      const picture = s("svg", { class: "board", "aria-hidden": "true" });
      describeVariant(name)
        .then((variant) => sample(variant.board))
        .then(({ scene }) => drawStill(picture, scene));
      return h(
        "button",
        {
          type: "button",
          "data-family": family.title,
          "aria-pressed": String(family.title === chosen()),
          onclick: () => choose(name),
        },
        picture,
        h("span", {}, family.title),
      );
    }),
  );
}

/** Return a position to look at: where a set-up is drawn by chance, one of them. */
async function sample(board) {
  let shown = board;
  for (let event = 0; shown.chance && event < 3; event += 1) {
    const outcome = shown.outcomes[Math.floor(shown.outcomes.length / 3)].outcome;
    const next = await post("board", {
      variant: board.variant,
      start: null,
      moves: [...shown.moves, outcome],
    }).catch(() => null);
    if (!next) break;
    shown = next;
  }
  return shown;
}

function drawRecent(element) {
  const games = h("div", {});
  put(element, h("h2", {}, "Games on this server"), games);
  return drawGames(games, {
    link: ({ id, agents }) => (agents.includes("human") ? `/play/${id}` : `/watch/game/${id}`),
    empty: "None yet: start one.",
  });
}
