/** What the search says of the position that is shown: bar, value, table, arrows on the board. */

import { h, percent, put } from "../dom.js";
import { makeBar, showValues } from "./bar.js";
import { chanceControls } from "./chance.js";
import { drawCandidates, drawOutcomes, overlayOf } from "./candidates.js";
import { LiveAnalysis } from "./live.js";
import { meaningOf } from "./meaning.js";

const CANDIDATES = 12;
/** Milliseconds between two questions where the cells of the best line are. */
const LINE_PAUSE = 600;
/** Moves of the best line that are drawn. */
const LINE_LENGTH = 3;

export class EvaluationPanel {
  /**
   * @param {{view: BoardView, play: (text: string) => void, draw: () => void,
   *   ask: (moves: string[]) => Promise}} page `play` plays a move or an outcome, `draw` an outcome
   *   by its odds, `ask` returns the steps of a line
   */
  constructor({ view, play, draw, ask }) {
    this.view = view;
    this.play = play;
    this.draw = draw;
    this.ask = ask;
    this.live = new LiveAnalysis((update, state, failed) => this.#draw(update, state, failed));
    this.bar = makeBar();
    this.value = h("div", { class: "value-line" });
    this.chance = h("div", {});
    this.table = h("div", {
      class: "candidates",
      tabindex: 0,
      role: "region",
      "aria-label": "Candidate moves",
    });
    this.state = h("p", { class: "soft small" });
    this.element = h("div", {}, this.value, this.chance, this.table, this.state);
    this.lineAsked = 0;
  }

  /** Show a position and search it; without a request, only what needs no search. */
  show(board, request) {
    this.board = board;
    this.seats = board.seats;
    this.meaning = meaningOf(board.max_score);
    this.request = board.over ? null : request;
    this.update = null;
    this.highlighted = null;
    this.lineKey = null;
    this.lineCells = [];
    // Made once a position: what is typed stays while a search draws its results.
    put(this.chance, board.chance ? chanceControls(board, this) : null);
    if (this.request) this.live.start({ ...this.request, candidates: CANDIDATES });
    else this.live.stop();
  }

  close() {
    this.live.close();
  }

  #draw(update, state, failed) {
    if (!this.board) return;
    this.update = update;
    put(this.state, failed ? h("span", { class: "bad", role: "alert" }, state) : state);
    if (this.board.over) this.#drawEnd();
    else if (!update) this.#drawNothing();
    else this.#drawUpdate(update);
  }

  #drawEnd() {
    const { result, end, max_score: most } = this.board;
    const best = Math.max(...result);
    const winners = this.seats.filter((_, player) => result[player] === best);
    const names = winners.map((seat) => seat.name).join(" and ");
    put(this.value, h("b", {}, winners.length === result.length ? "A draw" : `${names} won`), end);
    put(this.table);
    this.#showValues(result.map((score) => score / most));
  }

  #drawNothing() {
    put(this.value, h("span", { class: "soft" }, this.request ? "" : "The search is off."));
    put(this.table);
    if (this.board.chance) drawOutcomes(this.table, this.board.outcomes, { play: this.play });
    this.#showValues(null);
  }

  #showValues(values) {
    showValues(this.bar, values, this.seats, this.meaning.of);
  }

  #drawUpdate(update) {
    this.#showValues(update.values);
    const known = update.value !== null && update.value !== undefined;
    put(
      this.value,
      known ? h("b", {}, percent(update.value, update.proven)) : null,
      known ? h("span", {}, this.meaning.of, ` for ${this.seats[update.mover]?.name ?? "the mover"}`) : null,
      update.proven ? h("span", { class: "proven" }, "proven") : null,
    );
    if (update.outcomes) {
      this.#drawOutcomes(update);
      return;
    }
    // A table that is rebuilt under the focus could not be used with the keyboard.
    const focus = document.activeElement;
    if (!this.table.contains(focus) || focus === this.table) {
      drawCandidates(this.table, update, {
        column: this.meaning.column,
        play: this.play,
        look: (move) => this.#look(move),
      });
    }
    this.#followLine(update);
    this.#decorate();
  }

  #drawOutcomes({ outcomes, outcome_count: count }) {
    if (outcomes.length) {
      drawOutcomes(this.table, outcomes, { column: this.meaning.column, play: this.play });
      return;
    }
    drawOutcomes(this.table, this.board.outcomes, { play: this.play });
    put(this.state, `${count} outcomes are too many to analyse one by one.`);
  }

  #look(move) {
    this.highlighted = move;
    this.#decorate();
  }

  #decorate() {
    if (this.update) this.view.board.decorate(overlayOf(this.update, this.lineCells, this.highlighted));
  }

  /** Ask for the cells of the best line, not too often, so that arrows can show it. */
  async #followLine(update) {
    const line = update.moves[0]?.line.slice(0, LINE_LENGTH) ?? [];
    const key = line.join(" ");
    if (key === this.lineKey || Date.now() - this.lineAsked < LINE_PAUSE) return;
    this.lineKey = key;
    this.lineAsked = Date.now();
    const { request } = this;
    const { steps } = await this.ask([...request.moves, ...line]).catch(() => ({ steps: [] }));
    if (request !== this.request) return;
    this.lineCells = steps.slice(request.moves.length).map((step) => step.cells);
    this.#decorate();
  }
}
