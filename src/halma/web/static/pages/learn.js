/** Learn from mistakes: the moments of a game where the evaluation dropped, as small puzzles. */

import { announce } from "../announce.js";
import { AnalysisChannel, get, post } from "../api.js";
import { BoardView } from "../board/view.js";
import { button, h, percent, put } from "../dom.js";
import { drawGames } from "../gamelist.js";
import { panel, withBoard } from "../layout.js";
import { attempt } from "../messages.js";
import { address, note } from "../router.js";
import { describeVariant } from "../variants.js";

/** Seconds of search for every position of the game. */
const SECONDS = 0.3;

export async function show(outlet, { query }) {
  if (!query.moves && !query.game) return showGames(outlet);
  const line = query.game ? await lineOf(query.game) : query;
  const page = new LearnPage(outlet, line);
  await page.open();
  return () => page.close();
}

function showGames(outlet) {
  const games = h("div", {});
  put(
    outlet,
    h("h1", {}, "Learn from mistakes"),
    h(
      "div",
      { class: "panel" },
      h(
        "p",
        {},
        "Choose a finished game. It is searched, and every move that gave away a good part of the chance to win becomes a puzzle. Where the variant is solved, the values are exact.",
      ),
      games,
    ),
  );
  return drawGames(games, {
    link: ({ id }) => address("/learn", { game: id }),
    empty: ["There are none yet: ", h("a", { href: "/play" }, "play one"), "."],
    finished: true,
  });
}

/** Return the moves of a game of this server, and make them the address of the page. */
async function lineOf(id) {
  const game = await get(`games/${id}`);
  const { variant, start, moves } = game.board;
  const line = { variant, start, moves: moves.join(" "), seat: personOf(game) };
  note(address("/learn", line));
  return line;
}

/** The seat whose mistakes a person wants to see; all of them where several people played. */
function personOf(game) {
  const people = game.agents.flatMap((agent, player) => (agent === "human" ? [player] : []));
  return people.length === 1 ? people[0] : null;
}

class LearnPage {
  constructor(outlet, query) {
    this.line = { variant: query.variant, start: query.start ?? null };
    this.moves = query.moves.split(" ").filter(Boolean);
    const seat = query.seat ?? null;
    this.seat = seat === null ? null : Number(seat);
    this.channel = new AnalysisChannel();
    this.view = new BoardView({ onmove: (move) => this.#answer(move) });
    this.state = h("p", { role: "status" }, "The game is searched.");
    this.list = h("div", { class: "tabs" });
    this.task = h("div", {});
    put(
      outlet,
      withBoard(
        this.view.element,
        panel(h("h1", {}, "Learn from mistakes"), this.state, this.list, this.task),
      ),
    );
  }

  async open() {
    this.variant = await describeVariant(this.line.variant);
    await this.view.show(await post("board", { ...this.line, moves: this.moves }));
    this.channel.ask(
      { type: "review", ...this.line, moves: this.moves, agent: "best", seconds: SECONDS },
      (answer) => this.#take(answer),
    );
  }

  close() {
    this.channel.close();
  }

  #take(answer) {
    if (answer.type === "progress")
      put(this.state, `The game is searched: move ${answer.done} of ${answer.total}.`);
    else if (answer.type === "queued")
      put(this.state, answer.ahead ? `Waiting: ${answer.ahead} searches ahead.` : "The game is searched.");
    else if (answer.type === "error") put(this.state, h("span", { class: "bad" }, answer.message));
    else if (answer.type === "reviewed") this.#begin(answer.mistakes);
  }

  #begin(mistakes) {
    this.puzzles = mistakes.filter((mistake) => this.seat === null || mistake.player === this.seat);
    put(
      this.state,
      this.puzzles.length
        ? `${this.puzzles.length} ${this.puzzles.length === 1 ? "moment" : "moments"} to look at again.`
        : "No mistakes were found. Well played.",
    );
    if (this.puzzles.length) this.#pose(0);
  }

  /** Show the position before a mistake and ask for a better move. */
  async #pose(at) {
    this.at = at;
    const puzzle = this.puzzles[at];
    const board = await attempt(() =>
      post("board", { ...this.line, moves: this.moves.slice(0, puzzle.index) }),
    );
    if (!board) return;
    this.board = board;
    this.view.board.decorate();
    await this.view.show(board, { enabled: true });
    this.view.face(board, this.variant.seats[puzzle.player]);
    const played = board.legal.find((move) => move.move === puzzle.move)?.cells ?? [];
    if (played.length) this.view.board.decorate({ arrows: [{ cells: played, kind: "wrong" }] });
    this.#drawList();
    this.#say([
      `${this.variant.seats[puzzle.player].name} played ${puzzle.move}, `,
      h("b", {}, kind(puzzle.kind)),
      ". Find a better move.",
    ]);
  }

  #drawList() {
    put(
      this.list,
      this.puzzles.map((puzzle, at) =>
        button(puzzle.solved ? `${at + 1} ✓` : String(at + 1), () => this.#pose(at), {
          "aria-pressed": String(at === this.at),
          "aria-label": `Puzzle ${at + 1}${puzzle.solved ? ", solved" : ""}`,
        }),
      ),
    );
  }

  async #answer(move) {
    const puzzle = this.puzzles[this.at];
    const right = puzzle.accepted.includes(move.move) || move.move === puzzle.best;
    const kindOfArrow = right ? "best" : "wrong";
    await this.view.show(this.board, { enabled: !right });
    this.view.board.decorate({ arrows: [{ cells: move.cells, kind: kindOfArrow }] });
    if (right) {
      puzzle.solved = true;
      this.#drawList();
    }
    this.#say(
      right
        ? [h("b", { class: "good" }, `${move.move} is right. `), this.#loss(puzzle)]
        : [
            h(
              "b",
              { class: "bad" },
              move.move === puzzle.move
                ? `${move.move} was played in the game. `
                : `${move.move} gives something away too. `,
            ),
            "Try again.",
          ],
    );
  }

  #loss(puzzle) {
    const proven = puzzle.proven ? ", proven" : "";
    return `${puzzle.move} gave away ${percent(puzzle.loss, true)} of the chance to win${proven}.`;
  }

  #say(words) {
    const puzzle = this.puzzles[this.at];
    put(
      this.task,
      h("p", {}, words),
      h(
        "div",
        { class: "row" },
        button("Show the answer", () => this.#reveal()),
        button("Next", () => this.#pose((this.at + 1) % this.puzzles.length), {
          class: puzzle.solved ? "primary" : null,
          disabled: this.puzzles.length < 2,
        }),
        h(
          "a",
          { href: address("/analyse", { ...this.line, moves: this.moves.join(" "), at: puzzle.index }) },
          "Analyse",
        ),
      ),
    );
    announce(this.task.querySelector("p").textContent);
  }

  #reveal() {
    const puzzle = this.puzzles[this.at];
    const cells = this.board.legal.find((move) => move.move === puzzle.best)?.cells ?? [];
    this.view.board.decorate({ arrows: cells.length ? [{ cells, kind: "best" }] : [] });
    this.#say([h("b", {}, puzzle.best), ` is best. ${this.#loss(puzzle)}`]);
  }
}

function kind(name) {
  return name === "inaccuracy" ? "an inaccuracy" : `a ${name}`;
}
