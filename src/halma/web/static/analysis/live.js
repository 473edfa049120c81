/** The live analysis of one position: asks the server, keeps the latest answer, limits drawing. */

import { AnalysisChannel } from "../api.js";

/** Milliseconds between two drawings of what a search has found. */
const PAUSE = 150;

export class LiveAnalysis {
  /** @param {(update: object|null, state: string, failed: boolean) => void} draw */
  constructor(draw) {
    this.draw = draw;
    this.channel = new AnalysisChannel();
    this.update = null;
    this.state = "";
    this.failed = false;
    this.waiting = false;
  }

  /** Analyse a position in place of the one before. */
  start(request) {
    this.update = null;
    this.failed = false;
    this.state = "Waiting for the search";
    this.channel.ask({ type: "analyse", ...request }, (answer) => this.#take(answer));
    this.#plan();
  }

  stop() {
    this.channel.stop();
    this.update = null;
    this.failed = false;
    this.state = "";
    this.#plan();
  }

  close() {
    this.draw = () => {};
    this.channel.close();
  }

  #take(answer) {
    this.failed = answer.type === "error";
    if (answer.type === "update") {
      this.update = answer;
      this.state = effort(answer);
    } else if (answer.type === "queued") {
      this.state = answer.ahead ? `Waiting: ${answer.ahead} ahead` : "Searching";
    } else if (answer.type === "error") {
      this.state = answer.message;
    } else if (answer.type === "done") {
      this.state = `${effort(this.update)}, done`;
    }
    this.#plan();
  }

  /** Draw soon, and not more often than every few frames: searches answer faster than people read. */
  #plan() {
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(
      () =>
        requestAnimationFrame(() => {
          this.waiting = false;
          this.draw(this.update, this.state, this.failed);
        }),
      this.update ? PAUSE : 0,
    );
  }
}

function effort(update) {
  if (!update) return "";
  const number = (value, what) =>
    value === null || value === undefined ? null : `${value.toLocaleString("en")} ${what}`;
  return [
    update.agent,
    number(update.simulations, "simulations"),
    number(update.nodes, "nodes"),
    update.depth ? `depth ${update.depth}` : null,
    update.seconds ? `${update.seconds.toFixed(1)} s` : null,
  ]
    .filter(Boolean)
    .join(", ");
}
