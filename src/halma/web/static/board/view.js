/** A board with what belongs below it: die, caption, face-down pieces, choices, moves in words. */

import { button, h, put, s, set } from "../dom.js";
import { roll } from "./animation.js";
import { Board } from "./board.js";
import { layout } from "./geometry.js";
import { colourName, drawDie, drawPiece, paintClass } from "./pieces.js";
import { drawSurface } from "./surface.js";

export class BoardView {
  /** @param options as of `Board`; `onmove` gets the move `{move, cells}` of the server */
  constructor(options = {}) {
    this.onmove = options.onmove ?? (() => {});
    this.board = new Board({
      ...options,
      onmove: (move) => this.#play(move),
      onchoice: (moves) => this.#ask(moves),
    });
    this.dice = s("svg", { class: "die", viewBox: "-50 -50 100 100", role: "img", hidden: true });
    this.caption = h("div", { class: "caption" });
    this.reserve = h("div", { class: "reserve" });
    this.choices = h("div", { class: "chips" });
    this.strip = h("div", { class: "strip" }, this.dice, this.caption, this.choices, this.reserve);
    this.element = h("div", { class: "board-side" }, this.board.element, this.strip);
    /** the position that is shown, as the server describes it */
    this.shown = null;
  }

  /**
   * Show a position of the server.
   * @param position a `Board` of the server
   * @param {{cells?: number[], animated?: boolean, pace?: number, enabled?: boolean}} how `cells`
   *   is the way of the move that led there
   */
  async show(position, { cells = null, animated = false, pace = 1, enabled = false } = {}) {
    const before = this.shown;
    this.shown = position;
    this.board.enable([]);
    put(this.choices);
    if (animated && before) await this.board.animate(position.scene, cells ?? [], pace);
    else this.board.show(position.scene);
    if (this.shown !== position) return;
    put(this.caption, position.scene.caption);
    this.#showReserve(position.scene.reserve);
    await this.#showDie(position.scene.die, animated && before ? before.scene.die : undefined);
    if (enabled && this.shown === position) this.enable();
  }

  /** Let the person move, in the position that is shown. */
  enable() {
    const moves = this.shown.legal.map((move) => ({ ...move, path: move.cells }));
    this.board.enable(moves);
    const others = moves.filter((move) => !move.path.length);
    put(
      this.choices,
      others.map((move) => button(move.move, () => this.#play(move))),
    );
  }

  /** Turn the board so that the pieces lie in front which a seat of the variant has. */
  face(position, seat) {
    const colour = colourName(seat?.colour ?? "");
    const own = position.scene.pieces.filter((piece) => colourName(piece.colour) === colour);
    if (!own.length) return;
    const steps = position.scene.board === "holes" ? [0, 1, 2, 3, 4, 5] : [0, 2];
    const height = (turns) => {
      const { centres } = layout(position.scene, turns);
      const mean = (cells) => cells.reduce((sum, cell) => sum + centres[cell].y, 0) / cells.length;
      return mean(own.map((piece) => piece.cell)) - mean([...centres.keys()]);
    };
    const [best] = steps.map((turns) => [turns, height(turns)]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    if (best[1] > height(0) + 20) this.board.turnTo(best[0]);
  }

  #play(move) {
    put(this.choices);
    this.onmove(move);
  }

  /** Several moves look alike on the board: let the person choose by their names. */
  #ask(moves) {
    put(
      this.choices,
      "Which move?",
      moves.map((move) => button(move.move, () => this.#play(move))),
    );
    this.choices.querySelector("button").focus();
  }

  async #showDie(die, before) {
    set(this.dice, { hidden: !die });
    this.dice.toggleAttribute("hidden", !die);
    if (!die) return;
    set(this.dice, {
      class: `die ${paintClass(die.colour)}`,
      "aria-label": die.value ? `Die: ${die.value}` : "Die, not rolled",
    });
    const show = (value) => put(this.dice, drawDie(value));
    if (before !== undefined && die.value) await roll(this.dice, show, die.value, 6);
    else show(die.value);
  }

  #showReserve(reserve) {
    put(
      this.reserve,
      reserve.map(([colour, label, number]) =>
        h(
          "span",
          { class: "chip", title: `${number} of ${colour} ${label} face down` },
          s("svg", { viewBox: "-45 -45 90 95", "aria-hidden": "true" }, drawPiece({ colour, label }, false)),
          `×${number}`,
        ),
      ),
    );
  }
}

/** Draw a scene that nobody plays on into an SVG element. */
export function drawStill(element, scene) {
  const place = layout({ ...scene, labels: [] }, 0);
  const { x, y, width, height } = place.box;
  set(element, { viewBox: `${x} ${y} ${width} ${height}` });
  put(
    element,
    drawSurface(scene, place),
    scene.pieces.map((piece) => {
      const drawn = drawPiece(piece, place.holes);
      const { x: left, y: top } = place.centres[piece.cell];
      return set(drawn, { transform: `translate(${left} ${top})` });
    }),
  );
}

/** A small picture of a colour's piece, for lists of players. */
export function swatch(colour, holes = false) {
  return s(
    "svg",
    { class: "swatch", viewBox: "-45 -45 90 95", "aria-hidden": "true" },
    drawPiece({ colour, label: "" }, holes),
  );
}
