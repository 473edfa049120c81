/** What a search says of a position: a table of moves or outcomes, and what of it is on the board. */

import { button, h, percent, put } from "../dom.js";

const SHOWN_ON_BOARD = 4;
/** Moves whose value is that close to the best one's are good too. */
const CLOSE = 0.03;

/** The class of a candidate: the best move, one about as good, or another. */
export function kindOf(candidate, best) {
  if (candidate === best) return "best";
  return candidate.value !== null && best.value !== null && best.value - candidate.value <= CLOSE
    ? "good"
    : "other";
}

/** The value of a candidate as people read it. */
export function valueText(candidate) {
  if (candidate.proof && candidate.proof !== "exact") return candidate.proof;
  return percent(candidate.value, Boolean(candidate.proof));
}

/** Draw the table of candidate moves; `column` is the heading of their values. */
export function drawCandidates(element, update, { column, play, look }) {
  const { moves } = update;
  const has = (key) => moves.some((move) => move[key] !== null && move[key] !== undefined);
  // A solution knows the value of every move, and no line beyond it.
  const hasLines = moves.some((move) => move.line.length > 1);
  const head = h(
    "tr",
    {},
    h("th", {}, "Move"),
    h("th", {}, column),
    has("visits") ? h("th", {}, "Visits") : null,
    has("prior") ? h("th", {}, "Prior") : null,
    hasLines ? h("th", { class: "line" }, "Line") : null,
  );
  const rows = moves.map((move) =>
    h(
      "tr",
      { onmouseenter: () => look(move), onmouseleave: () => look(null) },
      h(
        "td",
        {},
        button(move.move, () => play(move.move), { onfocus: () => look(move), onblur: () => look(null) }),
      ),
      h("td", {}, valueText(move), move.proof ? [" ", h("span", { class: "proven" }, "proven")] : null),
      has("visits") ? h("td", {}, move.visits?.toLocaleString("en") ?? "") : null,
      has("prior") ? h("td", {}, `${(100 * (move.prior ?? 0)).toFixed(1)}%`) : null,
      hasLines ? h("td", { class: "line" }, move.line.slice(1, 7).join(" ")) : null,
    ),
  );
  put(element, h("table", { class: "candidates-table" }, h("thead", {}, head), h("tbody", {}, rows)));
}

/**
 * Draw the table of outcomes of a chance node; choosing one asks what if. Without a `column`, the
 * heading of their values, there are only odds.
 */
export function drawOutcomes(element, outcomes, { column = null, play }) {
  const heads = ["Outcome", "Odds", ...(column ? [column, "Best move"] : [])];
  const found = (each) => [
    h(
      "td",
      {},
      percent(each.value, each.proven),
      each.proven ? [" ", h("span", { class: "proven" }, "proven")] : null,
    ),
    h("td", {}, each.best ?? ""),
  ];
  const rows = outcomes.map((each) =>
    h(
      "tr",
      {},
      h(
        "td",
        {},
        button(each.outcome, () => play(each.outcome)),
      ),
      h("td", {}, odds(each.probability)),
      column ? found(each) : null,
    ),
  );
  const head = heads.map((text) => h("th", {}, text));
  put(element, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}

/** A probability in per cent, with three digits at most. */
function odds(probability) {
  return `${Number((100 * probability).toPrecision(3))}%`;
}

/** Return the overlay of a board for an update: arrows and badges of candidates, the best line. */
export function overlayOf(update, lineCells, highlighted = null) {
  const [best] = update.moves;
  if (!best) return {};
  if (highlighted) {
    return {
      arrows: [{ cells: highlighted.cells, kind: kindOf(highlighted, best), width: 15 }],
      badges: [badge(highlighted, best)],
    };
  }
  const shown = movesOnBoard(update.moves, best);
  const total = shown.reduce((sum, move) => sum + (move.visits ?? 0), 0);
  const arrows = shown
    .map((move) => ({
      cells: move.cells,
      kind: kindOf(move, best),
      width: move === best ? 15 : 6 + 8 * (total ? move.visits / total : 0.3),
    }))
    .reverse();
  const further = lineCells.slice(1).map((cells) => ({ cells, kind: "later", width: 9 }));
  return { arrows: [...further, ...arrows], badges: badges(shown, best) };
}

/** The first few moves that were evaluated, and all that are proven to be as good as the best one. */
function movesOnBoard(moves, best) {
  // A tree search gives moves that it has not tried no visits; other searches count none.
  const evaluated = (move) => move.value !== null && (move.visits !== 0 || move.proof);
  const keepsValue = (move) => best.proof && move.proof && move.value === best.value;
  return moves.filter(
    (move, place) =>
      move.cells.length && evaluated(move) && (place < SHOWN_ON_BOARD || keepsValue(move)),
  );
}

/** Return one badge for every last cell: that of the best move there. */
function badges(moves, best) {
  const seen = new Set();
  return moves
    .filter((move) => !seen.has(move.cells.at(-1)) && seen.add(move.cells.at(-1)))
    .map((move) => badge(move, best));
}

function badge(move, best) {
  const text =
    move.proof && move.proof !== "exact"
      ? move.proof
      : `${Math.round(100 * (move.value ?? move.policy ?? 0))}`;
  return { cells: move.cells, text, kind: kindOf(move, best) };
}
