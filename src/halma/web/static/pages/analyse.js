/** Analyse: a game tree on a board, a search that runs beside it, a review, an editor. */

import { announce } from "../announce.js";
import { PositionEditor } from "../analysis/editor.js";
import { EvaluationPanel } from "../analysis/evaluation.js";
import { exchangePanel } from "../analysis/exchange.js";
import { ReviewPanel } from "../analysis/graph.js";
import { GameTree } from "../analysis/tree.js";
import { drawTree } from "../analysis/treelist.js";
import { post } from "../api.js";
import { BoardView } from "../board/view.js";
import { button, field, h, put, select } from "../dom.js";
import { panel, withBoard } from "../layout.js";
import { attempt, toast } from "../messages.js";
import { address, go, note } from "../router.js";
import { showRules } from "../rules.js";
import { players } from "../seats.js";
import { FIRST, describeVariant, variantFields } from "../variants.js";

const SECONDS = [
  ["2", "2 s"],
  ["10", "10 s"],
  ["30", "30 s"],
  ["60", "60 s"],
];

/** Trees of this visit, so that the back button finds variations again. */
const trees = new Map();

export async function show(outlet, { query, alive }) {
  const page = new AnalysisPage(outlet, query, alive);
  await page.open(query);
  return () => page.close();
}

class AnalysisPage {
  constructor(outlet, query, alive) {
    this.alive = alive;
    this.agent = query.agent ?? "best";
    this.seconds = query.seconds ?? "10";
    this.running = query.search !== "off";
    this.editing = false;
    this.view = new BoardView({
      onmove: (move) => this.#play(move.move),
    });
    this.evaluation = new EvaluationPanel({
      view: this.view,
      play: (text) => this.#play(text),
      draw: () => this.#drawOutcome(),
      ask: (moves) => this.#ask(moves),
    });
    this.editor = new PositionEditor({
      view: this.view,
      use: (position) =>
        go(address("/analyse", { variant: this.tree.variant, start: position, agent: this.agent })),
      close: () => this.#edit(false),
    });
    this.review = new ReviewPanel({
      line: () => this.tree.line,
      depth: () => this.tree.current.path.length,
      go: (node) => this.#visit(node ?? this.tree.root),
      request: () => ({ variant: this.tree.variant, start: this.tree.start, agent: this.agent }),
      seats: () => this.variant.seats,
      mostPoints: () => this.tree.current.board.max_score,
      marked: () => this.#drawMoves(),
    });
    this.#build(outlet);
    this.keys = (event) => this.#key(event);
  }

  #build(outlet) {
    this.moves = h("div", { class: "moves", tabindex: 0, role: "region", "aria-label": "Moves" });
    this.settings = h("div", { class: "row" });
    this.steps = h(
      "div",
      { class: "row" },
      button("|◀", () => this.#visit(this.tree.root), { "aria-label": "First position" }),
      button("◀", () => this.#step(-1), { "aria-label": "Back" }),
      button("▶", () => this.#step(1), { "aria-label": "Forward" }),
      button("▶|", () => this.#visit(this.tree.line.at(-1) ?? this.tree.root), {
        "aria-label": "Last position",
      }),
      button("Main line", () => this.#change(() => this.tree.promote(this.tree.current))),
      button("Delete", () => this.#change(() => this.tree.remove(this.tree.current)), {
        "aria-label": "Delete this move and what follows",
      }),
    );
    this.analysis = panel(this.evaluation.element);
    this.editingPanel = h("div", { class: "panel", hidden: true }, this.editor.element);
    put(
      outlet,
      h("h1", { class: "unseen" }, "Analyse"),
      withBoard(
        [this.evaluation.bar, this.view.element],
        [
          this.editingPanel,
          this.analysis,
          panel(this.steps, this.moves, this.review.element),
          panel(this.settings),
          panel(exchangePanel({ game: () => this.#game(), load: (game) => this.#load(game) })),
        ],
        "with-bar",
      ),
    );
  }

  async open(query) {
    this.variant = await describeVariant(query.variant ?? FIRST);
    const key = `${this.variant.name}|${query.start ?? ""}`;
    const moves = query.moves?.split(" ").filter(Boolean) ?? [];
    this.tree = trees.get(key) ?? new GameTree(this.variant.name, query.start);
    trees.set(key, this.tree);
    const { steps } = moves.length ? await this.#ask(moves) : { steps: [] };
    const last = this.tree.extend(steps.map(stepOf));
    const at = query.at === undefined ? moves.length : Number(query.at);
    await this.#visit(last.path[at - 1] ?? (at ? last : this.tree.root), false);
    // Its buttons need a position, and so do the keys.
    await this.#drawSettings();
    if (this.alive()) document.addEventListener("keydown", this.keys);
  }

  close() {
    document.removeEventListener("keydown", this.keys);
    this.evaluation.close();
    this.review.close();
  }

  #ask(moves) {
    return post("line", { variant: this.tree.variant, start: this.tree.start, moves });
  }

  /** Show a node of the tree and analyse it. */
  async #visit(node, keep = false) {
    const { tree } = this;
    const before = tree.current;
    node.board ??= await attempt(() =>
      post("board", { variant: tree.variant, start: tree.start, moves: node.moves }),
    );
    if (!node.board || !this.alive()) return;
    tree.current = node;
    this.view.board.decorate();
    this.#noteAddress(keep);
    this.#drawMoves();
    this.#analyse();
    const forward = node.parent === before && node !== before;
    if (forward) announce(node.step.text);
    await this.view.show(node.board, { animated: forward, cells: node.step?.cells, enabled: !this.editing });
  }

  /** Play a move or an outcome of chance: a variation, unless the tree has it already. */
  async #play(text) {
    const from = this.tree.current;
    const known = from.child(text);
    if (known) return this.#visit(known, true);
    const line = await attempt(() => this.#ask([...from.moves, text]));
    if (!line) return this.view.show(from.board, { enabled: true });
    return this.#visit(this.tree.extend([stepOf(line.steps.at(-1))], from), true);
  }

  /** Draw what chance does next, by the odds. */
  async #drawOutcome() {
    const { variant, start, current } = this.tree;
    const drawn = await attempt(() => post("draw", { variant, start, moves: current.moves }));
    if (drawn && this.alive() && this.tree.current === current) this.#play(drawn.outcome);
  }

  #step(direction) {
    const { current } = this.tree;
    const next = direction > 0 ? current.children[0] : current.parent;
    if (next) this.#visit(next);
  }

  #change(work) {
    work();
    this.#visit(this.tree.current);
  }

  #key(event) {
    if (
      event.target.closest("input, textarea, select, [role=button], .board") ||
      event.altKey ||
      event.ctrlKey
    )
      return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.#step(steps[event.key]);
  }

  #noteAddress(keep) {
    const { tree } = this;
    const line = tree.line;
    note(
      address("/analyse", {
        variant: tree.variant,
        start: tree.start,
        moves: line.map((node) => node.step.text).join(" "),
        at: tree.current.path.length === line.length ? null : tree.current.path.length,
        agent: this.agent === "best" ? null : this.agent,
        search: this.running ? null : "off",
      }),
      keep,
    );
  }

  /** Start the search of the current position, or show that there is nothing to search. */
  #analyse() {
    const { variant, start, current } = this.tree;
    const search = this.running && !this.editing;
    const request = {
      variant,
      start,
      moves: current.moves,
      agent: this.agent,
      seconds: Number(this.seconds),
    };
    this.evaluation.show(current.board, search ? request : null);
  }

  #drawMoves() {
    drawTree(this.moves, this.tree, (node) => this.#visit(node));
    this.review.draw();
  }

  async #drawSettings() {
    const chooser = await variantFields(this.variant, (name) =>
      go(address("/analyse", { variant: name })),
    );
    const agents = [["best", "best: the strongest player"], ...players(this.variant, false)];
    if (!agents.some(([name]) => name === this.agent)) agents.push([this.agent]);
    put(
      this.settings,
      chooser,
      field(
        "Search by",
        select(agents, this.agent, (value) => this.#set({ agent: value })),
      ),
      field(
        "For",
        select(SECONDS, this.seconds, (value) => this.#set({ seconds: value })),
      ),
      h(
        "div",
        { class: "row" },
        button(this.running ? "Stop" : "Search", () => this.#set({ running: !this.running })),
        button("Edit position", () => this.#edit(!this.editing), { "aria-pressed": String(this.editing) }),
        button("Rotate", () => this.view.board.rotate()),
        button("Play from here", () => this.#continueAsGame()),
        button("Rules", () => showRules(this.variant.name)),
      ),
    );
  }

  #set(change) {
    Object.assign(this, change);
    this.#noteAddress(false);
    this.#drawSettings();
    this.#analyse();
  }

  async #edit(on) {
    this.editing = on;
    this.editingPanel.hidden = !on;
    this.analysis.hidden = on;
    this.view.board.decorate();
    this.view.board.enable([]);
    this.view.board.oncell = on ? (cell) => this.editor.put(cell) : null;
    await this.#drawSettings();
    if (on) await attempt(() => this.editor.open(this.tree.current.board));
    else this.view.show(this.tree.current.board, { enabled: true });
    this.#analyse();
  }

  async #continueAsGame() {
    const agents = this.variant.seats.map((_, player) =>
      player === this.tree.current.board.mover ? "human" : "best:level=5",
    );
    const { variant, start } = this.tree;
    const game = await attempt(() =>
      post("games", { variant, start, moves: this.tree.current.moves, agents }),
    );
    if (game) go(`/play/${game.id}`);
  }

  #game() {
    const { tree } = this;
    const { parent, step } = tree.current;
    const before =
      parent?.board && !step.chance
        ? { position: parent.board.position, move: step.text }
        : { position: tree.current.board.position };
    return {
      variant: tree.variant,
      start: tree.start,
      moves: tree.line.map((node) => node.step.text),
      picture: { variant: tree.variant, ...before },
    };
  }

  #load(game) {
    toast(`${game.moves.length} moves of ${game.variant} were read.`);
    go(address("/analyse", { variant: game.variant, start: game.start, moves: game.moves.join(" "), at: 0 }));
  }
}

function stepOf(step) {
  return { text: step.text, player: step.player, chance: step.kind === "chance", cells: step.cells };
}
