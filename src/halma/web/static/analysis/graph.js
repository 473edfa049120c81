/** The review of a whole game: the evaluation after every move, mistakes marked. */

import { AnalysisChannel } from "../api.js";
import { legend, lineChart } from "../charts.js";
import { paintClass } from "../board/pieces.js";
import { button, h, put, select } from "../dom.js";
import { toast } from "../messages.js";
import { meaningOf } from "./meaning.js";

const PACES = [
  ["0.1", "0.1 s a move"],
  ["0.3", "0.3 s a move"],
  ["1", "1 s a move"],
  ["3", "3 s a move"],
];

export class ReviewPanel {
  /** @param {{line: () => object[], go: (node) => void, request: () => object, seats: () => object[], mostPoints: () => number, marked: () => void}} game */
  constructor(game) {
    this.game = game;
    this.channel = new AnalysisChannel();
    this.seconds = "0.3";
    this.nodes = [];
    this.entries = [];
    this.mistakes = [];
    this.state = h("span", { class: "soft small", role: "status" });
    this.picture = h("div", {});
    this.start = button("Review the game", () => this.run());
    this.element = h(
      "div",
      {},
      h(
        "div",
        { class: "row" },
        this.start,
        select(
          PACES,
          this.seconds,
          (value) => {
            this.seconds = value;
          },
          { "aria-label": "Time of the review" },
        ),
        this.state,
      ),
      this.picture,
    );
  }

  /** Ask for a review of the current line. */
  run() {
    this.nodes = this.game.line();
    this.entries = [];
    this.mistakes = [];
    if (!this.nodes.length) return toast("There are no moves to review yet.");
    for (const node of this.nodes) node.mistake = null;
    put(this.state, "Waiting for the search");
    const moves = this.nodes.map((node) => node.step.text);
    this.channel.ask(
      { type: "review", seconds: Number(this.seconds), ...this.game.request(), moves },
      (answer) => this.#take(answer),
    );
    return undefined;
  }

  close() {
    this.channel.close();
  }

  #take(answer) {
    if (answer.type === "progress") {
      if (answer.entry) this.entries.push(answer.entry);
      put(this.state, `${answer.done} of ${answer.total}`);
    } else if (answer.type === "reviewed") {
      this.entries = answer.entries;
      this.mistakes = answer.mistakes;
      put(this.state, summary(answer.mistakes));
      for (const mistake of answer.mistakes) {
        if (this.nodes[mistake.index]) this.nodes[mistake.index].mistake = mistake;
      }
      this.game.marked();
    } else if (answer.type === "error") {
      put(this.state, h("span", { class: "bad" }, answer.message));
    } else if (answer.type === "queued") {
      put(this.state, `Waiting: ${answer.ahead} ahead`);
    }
    this.draw();
  }

  /** Draw the graph, with a line at the current move. */
  draw() {
    if (!this.entries.length) return put(this.picture);
    const seats = this.game.seats();
    const meaning = meaningOf(this.game.mostPoints());
    const shown = seats.length === 2 ? seats.slice(0, 1) : seats;
    const series = shown.map((seat, player) => ({
      name: seat.name,
      paint: seats.length === 2 ? undefined : paintClass(seat.colour ?? "grey"),
      points: this.entries.map((entry) => [entry.index, entry.values?.[player] ?? NaN]),
    }));
    const value = (index, player) =>
      this.entries.find((entry) => entry.index === index)?.values?.[player] ?? 0.5;
    const dots = this.mistakes.map((mistake) => ({
      x: mistake.index,
      y: value(mistake.index, seats.length === 2 ? 0 : mistake.player),
      kind: mistake.kind,
      title: `${mistake.move}: ${mistake.kind}, better ${mistake.best}`,
    }));
    return put(
      this.picture,
      h(
        "p",
        { class: "soft small" },
        seats.length === 2 ? meaning.one(seats[0].name) : meaning.all,
      ),
      lineChart(series, {
        height: 130,
        low: 0,
        high: 1,
        share: true,
        dots,
        label: `Evaluation of ${this.entries.length} positions, ${this.mistakes.length} mistakes`,
        now: this.game.depth(),
        pick: (index) => this.nodes[index] && this.game.go(index ? this.nodes[index - 1] : null),
      }),
      seats.length === 2 ? null : legend(series),
    );
  }
}

function summary(mistakes) {
  if (!mistakes.length) return "No mistakes found.";
  const count = (kind) => mistakes.filter((mistake) => mistake.kind === kind).length;
  return ["blunder", "mistake", "inaccuracy"]
    .filter(count)
    .map(
      (kind) =>
        `${count(kind)} ${kind === "inaccuracy" ? (count(kind) > 1 ? "inaccuracies" : kind) : kind + (count(kind) > 1 ? "s" : "")}`,
    )
    .join(", ");
}
