/** A list of the server's games: who played, how far, who is to move or how it ended. */

import { get } from "./api.js";
import { button, h, put } from "./dom.js";
import { attempt } from "./messages.js";
import { agentName } from "./seats.js";

const AT_ONCE = 8;

/**
 * Fill an element with the games that changed last; a button shows more.
 * @param {{link: (game: object) => string, empty: Node[] | string, finished?: boolean}} options
 *   `link` is the address of a game
 */
export async function drawGames(element, { link, empty, finished = null }) {
  let skip = 0;
  const list = h("ul", { class: "games" });
  const more = button("More games", load);
  put(element, list, more);

  async function load() {
    const found = await attempt(() => get("games", { limit: AT_ONCE, skip, finished }));
    if (!found) return;
    list.append(...found.games.map((game) => item(game, link(game))));
    skip = found.next;
    more.hidden = skip === null;
    if (!list.childElementCount && more.hidden) put(element, h("p", { class: "soft" }, empty));
  }

  await load();
}

function item(game, address) {
  const players = game.agents.map((agent) => (agent === "human" ? "person" : agentName(agent)));
  return h(
    "li",
    {},
    h("a", { href: address }, game.short),
    " ",
    h("span", {}, players.join(" – ")),
    h(
      "div",
      { class: "soft small" },
      `${game.turn === "over" ? game.outcome : `${game.mover} to move.`} ${moves(game.moves)}, ${date(game.updated)}`,
    ),
  );
}

function moves(number) {
  return `${number} ${number === 1 ? "move" : "moves"}`;
}

function date(text) {
  return new Date(text).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
