/** Watch a training run: its curves, games of its iterations, what its network thinks. Live. */

import { get, post } from "../api.js";
import { BoardView } from "../board/view.js";
import { legend, lineChart } from "../charts.js";
import { button, h, put, select } from "../dom.js";
import { attempt } from "../messages.js";
import { address } from "../router.js";

const REFRESH = 3000;
/** Milliseconds between the moves of a sample game. */
const PACE = 900;

export async function show(outlet, { query }) {
  const page = new RunPage(outlet, query.name ?? "");
  await page.open();
  return () => page.close();
}

class RunPage {
  constructor(outlet, id) {
    this.id = id;
    this.metrics = [];
    this.timers = [];
    this.title = h("h1", {});
    this.state = h("p", { class: "soft" });
    this.curves = h("div", { class: "cards" });
    this.chooser = h("div", { class: "row" });
    this.view = new BoardView({ label: "A sample game" });
    this.about = h("p", { class: "soft small" });
    put(
      outlet,
      this.title,
      this.state,
      h(
        "div",
        { class: "with-board watched" },
        h(
          "div",
          { class: "panel" },
          h("h2", {}, "Sample games"),
          this.chooser,
          this.view.element,
          this.about,
        ),
        h("div", {}, this.curves),
      ),
    );
  }

  async open() {
    await this.#refresh();
    this.timers.push(setInterval(() => this.#refresh(), REFRESH));
  }

  close() {
    this.closed = true;
    this.timers.forEach(clearInterval);
  }

  async #refresh() {
    const run = await get("run", { name: this.id, after: this.metrics.length }).catch((error) => {
      // A run that has just begun has nothing to show yet.
      if (!this.run && error.status === 404) throw error;
      if (!this.run) put(this.state, error.message);
      return null;
    });
    if (!run || this.closed) return;
    const fresh = run.metrics.length > 0 || !this.run;
    const last = this.run?.games.at(-1);
    this.run = run;
    this.metrics.push(...run.metrics);
    put(this.title, run.name, h("span", { class: "soft small" }, ` ${run.game}`));
    put(
      this.state,
      `${this.metrics.length} of ${run.iterations} iterations`,
      run.metrics.length || !run.epochs.length ? null : `, ${run.epochs.length} epochs of the warm start`,
      run.training ? [" ", h("span", { class: "proven" }, "running")] : "",
    );
    if (fresh) this.#drawCurves();
    const newest = run.games.at(-1);
    if (newest === last && this.games) return;
    // Somebody who looks at an earlier iteration is not taken away from it.
    if (this.iteration === undefined || this.iteration === last) await this.#chooseIteration(newest);
    else this.#drawChooser();
  }

  #drawCurves() {
    put(
      this.curves,
      this.run.panels.map((panel) => {
        // Not every iteration is evaluated: what is between is drawn through.
        const rows = (key) => this.metrics.filter((row) => Number.isFinite(row[key]));
        const series = Object.entries(panel.curves)
          .map(([key, name]) => ({ name, points: rows(key).map((row) => [row.iteration, row[key]]) }))
          .filter((each) => each.points.length);
        if (!series.length) return null;
        if (panel.band) {
          const [low, high] = panel.band;
          series[0].band = rows(low).map((row) => [row.iteration, row[low], row[high]]);
        }
        return h(
          "div",
          { class: "panel" },
          h("h3", {}, panel.title),
          lineChart(series, {
            label: `${panel.title} by iteration`,
            share: panel.percent,
            low: panel.from_zero ? 0 : undefined,
            high: panel.percent ? 1 : undefined,
            level: panel.level ?? undefined,
          }),
          legend(series),
          panel.about ? h("p", { class: "soft small" }, panel.about) : null,
        );
      }),
    );
  }

  async #chooseIteration(iteration) {
    if (iteration === undefined)
      return put(this.chooser, h("span", { class: "soft" }, "No games are stored yet."));
    this.iteration = iteration;
    const found = await attempt(() => get("run/games", { name: this.id, iteration, most: 8 }));
    // Another one may have been chosen meanwhile.
    if (!found || this.closed || this.iteration !== iteration) return undefined;
    this.games = found.games;
    this.#drawChooser();
    // Not awaited: the game goes on while the curves are refreshed.
    if (found.games.length) this.#showGame(0);
    return undefined;
  }

  #drawChooser() {
    const iterations = this.run.games.map((each) => [String(each), `iteration ${each}`]).reverse();
    put(
      this.chooser,
      select(iterations, String(this.iteration), (value) => this.#chooseIteration(Number(value)), {
        "aria-label": "Iteration",
      }),
      (this.games ?? []).map((_, at) => button(`Game ${at + 1}`, () => this.#showGame(at))),
    );
  }

  /** Play a sample game move by move, with the policy of the newest network as heat. */
  async #showGame(at) {
    const game = this.games[at];
    const turn = (this.turn = (this.turn ?? 0) + 1);
    put(
      this.about,
      `Game ${at + 1}, ${game.moves.length} moves${game.end ? `, over ${game.end}` : ""}. `,
      h(
        "a",
        {
          href: address("/analyse", {
            variant: game.variant,
            start: game.start,
            moves: game.moves.join(" "),
            at: 0,
          }),
        },
        "Analyse it",
      ),
      this.run.network ? " The darker a cell, the more the best network likes moves from and to it." : null,
    );
    const line = { variant: game.variant, start: game.start };
    for (let length = 0; length <= game.moves.length; length += 1) {
      const board = await post("board", { ...line, moves: game.moves.slice(0, length) }).catch(() => null);
      if (!board || this.closed || turn !== this.turn) return;
      this.view.board.decorate();
      await this.view.show(board, { animated: length > 0, cells: board.scene.trail });
      if (this.run.network && !board.chance && !board.over)
        await this.#showPolicy({ ...line, moves: game.moves.slice(0, length) });
      await new Promise((resolve) => setTimeout(resolve, PACE));
      if (this.closed || turn !== this.turn) return;
    }
  }

  async #showPolicy(line) {
    const policy = await post("policy", { ...line, agent: `net:${this.id},sims=1` }).catch(() => null);
    if (policy && !this.closed) this.view.board.decorate({ heat: policy.heat });
  }
}
