/** League: tournaments of the databases, and the ladder of the levels that come with the package. */

import { get, getOnce } from "../api.js";
import { button, h, percent, put, s } from "../dom.js";
import { attempt } from "../messages.js";
import { address, go } from "../router.js";
import { measuredLevels } from "../seats.js";

const PAGE = 100;

export async function show(outlet, { query }) {
  if (query.match) return showMatch(outlet, query.name, query.match, Number(query.offset ?? 0));
  if (query.name) return showDatabase(outlet, query.name);
  const [found, ladder] = await Promise.all([get("databases"), getOnce("ladder")]);
  put(
    outlet,
    h("h1", {}, "League"),
    h(
      "p",
      { class: "soft" },
      "Tournaments of the databases, and the levels of best. A dot with its 95% interval was measured, one without lies between two measured levels; a level that is not shown was not measured. Where a level is rated below a lower one, their intervals overlap: which of them is stronger was not decided.",
    ),
    h(
      "div",
      { class: "cards" },
      h(
        "div",
        { class: "panel" },
        h("h2", {}, "Tournaments"),
        found.databases.length
          ? null
          : h(
              "p",
              { class: "soft" },
              "There is no database here. ",
              h("code", {}, "halma tournament … --db league.db"),
              " makes one.",
            ),
        h(
          "ul",
          {},
          found.databases.map((each) =>
            h(
              "li",
              {},
              h("a", { href: address("/league", { name: each.id }) }, each.id),
              " ",
              h("span", { class: "soft small" }, `${each.matches} matches, ${each.games} games`),
            ),
          ),
        ),
      ),
      ladder.variants.map((each) =>
        h(
          "div",
          { class: "panel" },
          h("h2", {}, each.variant),
          h(
            "p",
            { class: "soft small" },
            `${each.rated_zero} has Elo 0; measured: ${measuredLevels(each.levels)}.`,
          ),
          ratingChart(
            each.levels.map((level) => ({
              name: `Level ${level.level}`,
              elo: level.elo,
              error: level.error,
            })),
          ),
          h("a", { href: address("/play", { variant: each.variant }) }, "Play"),
        ),
      ),
    ),
  );
  return null;
}

async function showDatabase(outlet, id) {
  const found = await get("database", { name: id });
  put(
    outlet,
    h("h1", {}, "League"),
    h("p", {}, h("a", { href: "/league" }, "All tournaments")),
    found.tables.map((table) =>
      h(
        "div",
        { class: "panel" },
        h("h2", {}, table.game),
        h(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": `Crosstable of ${table.game}` },
          crosstable(table.table),
        ),
        ratingChart(
          table.table.map((row) => ({ name: row.agent, elo: row.elo, interval: row.elo_interval })),
        ),
      ),
    ),
    h(
      "div",
      { class: "panel" },
      h("h2", {}, "Matches"),
      h(
        "ul",
        {},
        found.matches.map((match) =>
          h(
            "li",
            {},
            h("a", { href: address("/league", { name: id, match: match.id }) }, match.agents.join(" – ")),
            " ",
            h("span", { class: "soft small" }, `${match.game}, ${match.games} games, ${match.begun}`),
          ),
        ),
      ),
    ),
  );
  return null;
}

function crosstable(rows) {
  const names = rows.map((row) => row.agent);
  return h(
    "table",
    { class: "crosstable" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["Agent", "Elo", "Games", "Score", ...names.map((_, at) => String(at + 1))].map((each) =>
          h("th", {}, each),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row, at) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, `${at + 1} ${row.agent}`),
          h("td", {}, row.elo === null ? "" : Math.round(row.elo)),
          h("td", {}, row.games),
          h("td", {}, percent(row.points, true)),
          names.map((name, other) => cell(row.against?.[name], at === other)),
        ),
      ),
    ),
  );
}

function cell(against, self) {
  if (self) return h("td", { class: "self" });
  if (!against) return h("td", {});
  const { score, games, wins, draws, losses } = against;
  return h(
    "td",
    { class: score > 0.55 ? "win" : score < 0.45 ? "loss" : null, title: `${games} games` },
    `+${wins} =${draws} −${losses}`,
  );
}

/** Return ratings as dots with their intervals. */
function ratingChart(rows) {
  const rated = rows
    .filter((row) => Number.isFinite(row.elo))
    .map((row) => {
      const [low, high] = row.interval ?? [row.elo - (row.error ?? 0), row.elo + (row.error ?? 0)];
      return { ...row, low, high };
    });
  if (!rated.length) return h("p", { class: "soft small" }, "Not rated yet.");
  const [least, most] = [Math.min(...rated.map((row) => row.low)), Math.max(...rated.map((row) => row.high))];
  const names = rated.map((row) => row.name.slice(0, 26));
  const left = 16 + 6.4 * Math.max(...names.map((name) => name.length));
  const x = (elo) => left + ((420 - left) * (elo - least)) / (most - least || 1);
  const high = 22 * rated.length + 8;
  return s(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 460 ${high}`,
      role: "img",
      "aria-label": rated.map((row) => `${row.name}: ${Math.round(row.elo)}`).join(", "),
    },
    rated.map((row, at) => {
      const y = 22 * at + 15;
      return [
        s("text", { class: "axis", x: left - 10, y: y + 4, "text-anchor": "end" }, names[at]),
        s("line", { class: "grid", x1: left, x2: 420, y1: y, y2: y }),
        s("line", { class: "interval", x1: x(row.low), x2: x(row.high), y1: y, y2: y }),
        s("circle", { class: "rating", cx: x(row.elo), cy: y, r: 5 }),
        s("text", { class: "axis", x: 428, y: y + 4 }, Math.round(row.elo)),
      ];
    }),
  );
}

async function showMatch(outlet, database, number, offset) {
  const found = await get("database/games", { name: database, match: number, offset, limit: PAGE });
  const turn = (to) => go(address("/league", { name: database, match: number, offset: to }));
  put(
    outlet,
    h("h1", {}, "Games of a match"),
    h("p", {}, h("a", { href: address("/league", { name: database }) }, "Back to the tournament")),
    h(
      "div",
      { class: "panel scroll" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Game", "Players", "Plies", "Result", "End"].map((each) => h("th", {}, each)),
          ),
        ),
        h(
          "tbody",
          {},
          found.games.map((game) =>
            h(
              "tr",
              {},
              h(
                "td",
                {},
                button(`Game ${game.number + 1}`, () => openGame(database, game.id)),
              ),
              h("td", {}, game.agents.join(" – ")),
              h("td", {}, game.plies),
              h("td", {}, game.result?.join(" – ") ?? ""),
              h("td", {}, game.end),
            ),
          ),
        ),
      ),
    ),
    h(
      "div",
      { class: "row" },
      button("Earlier", () => turn(Math.max(0, offset - PAGE)), { disabled: offset === 0 }),
      button("Later", () => turn(offset + PAGE), { disabled: offset + PAGE >= found.total }),
    ),
  );
  return null;
}

async function openGame(database, id) {
  const game = await attempt(() => get("database/game", { name: database, game: id }));
  if (game)
    go(address("/analyse", { variant: game.variant, start: game.start, moves: game.moves.join(" "), at: 0 }));
}
