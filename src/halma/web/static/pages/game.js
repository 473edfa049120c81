/** A game: people and agents move, moves are taken back, hints given. Agents alone: a show. */

import { announce } from "../announce.js";
import { get, post } from "../api.js";
import { BoardView, swatch } from "../board/view.js";
import { button, field, h, put, select } from "../dom.js";
import { panel, withBoard } from "../layout.js";
import { attempt, toast } from "../messages.js";
import { drawMoves } from "../movelist.js";
import { address, go } from "../router.js";
import { showRules } from "../rules.js";
import { agentName } from "../seats.js";
import { describeVariant } from "../variants.js";

const RETRY = 1500;
/** Milliseconds between two questions whether another window has changed the game. */
const FOLLOW = 1500;
const OVERTAKEN = "The game was changed in another window just before: this is how it stands now.";
const PAUSES = [
  ["2000", "slow"],
  ["700", "normal"],
  ["150", "fast"],
  ["0", "as fast as possible"],
];
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function show(outlet, { match }) {
  const table = new GameTable(outlet, match[1]);
  await table.open();
  return () => table.close();
}

class GameTable {
  constructor(outlet, id) {
    this.id = id;
    this.game = null;
    this.variant = null;
    /** how many events are shown; null: all, and the game goes on */
    this.at = null;
    this.closed = false;
    this.paused = false;
    this.pause = 700;
    this.running = false;
    /** whether the server is asked to change the game */
    this.changing = false;
    /** why the last search of an agent failed */
    this.failed = null;
    this.view = new BoardView({ onmove: (move) => this.#move(move.move) });
    this.seats = h("div", {});
    this.moves = h("div", { class: "moves", tabindex: 0, role: "region", "aria-label": "Moves" });
    this.state = h("div", {});
    this.controls = h("div", { class: "row" });
    this.typed = h("input", {
      class: "grow",
      placeholder: "or type a move",
      "aria-label": "Type a move",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.form = h(
      "form",
      { class: "row", onsubmit: (event) => this.#type(event) },
      this.typed,
      h("button", {}, "Play"),
    );
    this.title = h("h1", {});
    this.keys = (event) => this.#key(event);
    put(
      outlet,
      withBoard(this.view.element, [
        panel(this.title, this.seats, this.state, this.moves, this.form),
        panel(this.controls),
      ]),
    );
  }

  async open() {
    this.game = await get(`games/${this.id}`);
    this.variant = await describeVariant(this.game.board.variant);
    const person = this.game.agents.indexOf("human");
    await this.view.show(this.game.board);
    if (person >= 0) this.view.face(this.game.board, this.variant.seats[person]);
    this.#draw();
    if (!this.closed) document.addEventListener("keydown", this.keys);
    this.#continue();
    if (!this.alone) this.#follow();
  }

  close() {
    this.closed = true;
    document.removeEventListener("keydown", this.keys);
  }

  get alone() {
    return !this.game.agents.includes("human");
  }

  get #hasMoves() {
    return this.game.events.some((event) => event.kind === "move");
  }

  /** Show what others do: a game may be open in several windows. */
  async #follow() {
    while (!this.closed) {
      await wait(FOLLOW);
      const { version } = this.game;
      const idle = () =>
        !this.closed && !this.changing && this.at === null && this.game.version === version;
      if (document.hidden || !idle()) continue;
      // A server that does not answer is told of when something is asked of it.
      const found = await get(`games/${this.id}/version`).catch(() => ({ version }));
      if (found.version === version || !idle()) continue;
      const game = await get(`games/${this.id}`).catch(() => null);
      if (game && idle()) await this.#take(game);
    }
  }

  /** Take an answer of the server: animate what is new, then go on. */
  async #take(game) {
    const before = this.game;
    this.game = game;
    if (this.closed) return;
    const fresh = game.events.slice(before.events.length);
    const forward = this.at === null && game.events.length > before.events.length;
    this.view.board.decorate();
    this.at = null;
    this.#draw();
    const moved = fresh.filter((event) => event.kind === "move");
    await this.view.show(game.board, {
      animated: forward && moved.length <= 1,
      cells: moved[0]?.cells,
      pace: this.alone && this.pause < 300 ? 0.4 : 1,
    });
    for (const event of fresh) announce(this.#sentence(event));
    if (game.turn === "over") announce(game.outcome);
    else if (game.turn === "human" && !this.alone) announce("Your move.");
    this.#continue();
  }

  #sentence(event) {
    if (event.kind === "chance") return `Chance: ${event.text}.`;
    return `${this.variant.seats[event.player].name}: ${event.text}.`;
  }

  /** Let the person move, or ask for the agents' moves one after the other. */
  async #continue() {
    if (this.closed || this.at !== null || this.failed) return;
    if (this.game.turn === "human") this.view.enable();
    if (this.game.turn !== "agent" || this.running || this.paused) return;
    this.running = true;
    this.#draw();
    if (this.alone && this.game.events.length) await wait(this.pause);
    const go = !this.closed && !this.paused && this.at === null;
    const answer = go ? await this.#change("agent-move") : null;
    this.running = false;
    if (answer) await this.#take(answer);
    else if (!this.closed) this.#draw();
  }

  /**
   * Change the game and return it, or null after an error. A lost server is asked until it answers;
   * a game that has moved on is loaded anew; other errors are shown and leave the game playable.
   */
  async #change(what, body = {}) {
    this.changing = true;
    try {
      return await post(`games/${this.id}/${what}`, { version: this.game.version, ...body });
    } catch (error) {
      if (error.status === 409 && what !== "agent-move") toast(OVERTAKEN, "error");
      if (error.status === 0 || error.status === 409) return await this.#reload(error);
      toast(error.message, "error");
      if (what === "agent-move") this.failed = error.message;
      return null;
    } finally {
      this.changing = false;
    }
  }

  async #reload(error) {
    while (!this.closed) {
      if (error.status === 0) {
        put(this.state, h("p", { class: "soft" }, `${error.message} This page keeps trying.`));
        await wait(RETRY);
      }
      try {
        return await get(`games/${this.id}`);
      } catch (again) {
        if (again.status !== 0) {
          toast(again.message, "error");
          return null;
        }
      }
    }
    return null;
  }

  async #move(text) {
    this.view.board.enable([]);
    const game = await this.#change("move", { move: text });
    if (game) return this.#take(game);
    this.view.board.show(this.game.board.scene);
    return this.#continue();
  }

  #type(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (!text || this.game.turn !== "human") return;
    this.typed.value = "";
    this.#move(text);
  }

  async #ask(what, body = {}) {
    this.failed = null;
    const game = await this.#change(what, body);
    if (game) await this.#take(game);
  }

  async #hint() {
    // It is for the position of the game, not for an earlier one.
    if (this.at !== null) await this.#look(Infinity);
    const { version } = this.game;
    const hint = await attempt(() => post(`games/${this.id}/hint`));
    if (!hint || this.closed || this.at !== null || this.game.version !== version) return;
    this.view.board.decorate({ arrows: [{ cells: hint.cells, kind: "hint" }] });
    const value =
      hint.value === null || hint.value === undefined
        ? ""
        : `, ${Math.round(100 * hint.value)}% for the mover`;
    this.#say(`Hint: ${hint.move}${value}`);
    announce(`Hint: ${hint.move}`);
  }

  /** The arrow keys go through the moves, unless something else on the page takes them. */
  #key(event) {
    if (event.target.closest("input, select, .board") || event.altKey || event.ctrlKey) return;
    const { length } = this.game.events;
    const at = (this.at ?? length) + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? NaN);
    if (!(at >= 0 && at <= length) || this.running) return;
    event.preventDefault();
    this.#look(at);
  }

  /** Show the position after a number of events; the last is the game itself. */
  async #look(length) {
    const last = length >= this.game.events.length;
    const at = last ? null : length;
    this.at = at;
    const { variant, start, moves } = this.game.board;
    const shown = last
      ? this.game.board
      : await attempt(() => post("board", { variant, start, moves: moves.slice(0, length) }));
    if (!shown || this.closed || this.at !== at) return;
    this.view.board.decorate();
    await this.view.show(shown);
    this.#draw();
    this.#continue();
  }

  #say(sentence) {
    put(this.state, h("p", { class: "soft" }, sentence));
  }

  #draw() {
    const { game, variant } = this;
    const holes = game.board.scene.board === "holes";
    const over = game.turn === "over";
    // It names the player to move, whom a game that ended otherwise than by its rules still has.
    this.view.caption.hidden = over && this.at === null;
    put(this.title, variant.title, h("span", { class: "soft small" }, ` ${variant.short}`));
    put(
      this.seats,
      variant.seats.map((seat, player) => {
        const turn = !over && game.board.mover === player;
        const score = game.result ? points(game.result[player]) : "";
        return h(
          "div",
          { class: turn ? "seat turn" : "seat" },
          swatch(game.board.seats[player].colour ?? "grey", holes),
          h("span", { class: "grow" }, `${seat.name}: ${agentName(game.agents[player], variant)}`),
          h(
            "span",
            { class: turn && this.running ? "soft thinking" : "soft" },
            turn ? h("span", { class: "unseen" }, "to move") : score,
          ),
        );
      }),
    );
    drawMoves(this.moves, game.events, {
      at: this.at ?? game.events.length,
      choose: (length) => this.#look(length),
    });
    if (over) put(this.state, h("p", { class: "result" }, game.outcome));
    else if (this.failed)
      put(
        this.state,
        h(
          "p",
          { class: "bad" },
          `${this.failed} `,
          button("Try again", () => this.#retry()),
        ),
      );
    else if (this.at !== null)
      put(
        this.state,
        h(
          "p",
          {},
          button("Back to the game", () => this.#look(Infinity)),
        ),
      );
    else put(this.state);
    this.form.hidden = this.alone || over;
    this.#drawControls(over);
  }

  #retry() {
    this.failed = null;
    this.#draw();
    this.#continue();
  }

  #drawControls(over) {
    const { board, agents } = this.game;
    const line = { variant: board.variant, start: board.start, moves: board.moves.join(" ") };
    const show = this.alone
      ? this.#showControls(over)
      : [
          button("Take back", () => this.#ask("takeback"), { disabled: !this.#hasMoves }),
          button("Hint", () => this.#hint(), { disabled: this.game.turn !== "human" }),
          button("Resign", () => this.#resign(), { disabled: over }),
        ];
    put(
      this.controls,
      show,
      button("Rotate", () => this.view.board.rotate()),
      button("Rules", () => showRules(board.variant)),
      h("a", { href: address("/analyse", line) }, "Analyse"),
      over && this.#hasMoves ? h("a", { href: address("/learn", line) }, "Learn from mistakes") : null,
      h("a", { href: `/api/games/${this.id}/export?format=jsonl`, download: true }, "Save"),
      button("New game", () => go(address("/play", { variant: board.variant, agents: agents.join(" ") })), {
        class: over ? "primary" : null,
      }),
    );
  }

  #showControls(over) {
    const still = this.paused || this.at !== null;
    return [
      button(still ? "Go on" : "Pause", () => this.#pause(!still), { disabled: over }),
      field(
        "Speed",
        select(PAUSES, String(this.pause), (value) => {
          this.pause = Number(value);
        }),
      ),
    ];
  }

  /** Pause a show, or go on with it from its last position. */
  #pause(paused) {
    this.paused = paused;
    if (this.at !== null) {
      this.#look(Infinity);
      return;
    }
    this.#draw();
    this.#continue();
  }

  #resign() {
    const mover = this.game.board.mover;
    const person = this.game.agents[mover] === "human" ? mover : this.game.agents.indexOf("human");
    if (confirm(`Resign as ${this.variant.seats[person].name}?`)) this.#ask("resign", { player: person });
  }
}

/** A score as people read it; a share of a game that was stopped may be a third. */
function points(score) {
  return String(Number(score.toFixed(2)));
}
