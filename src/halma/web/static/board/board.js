/**
 * A board that draws scenes and takes moves. It knows no rules: pieces, cells and legal moves come
 * from the server, and a move is a path of cells.
 */

import { put, s, set } from "../dom.js";
import { appear, duration, passedAt, travel, turnOver, vanish } from "./animation.js";
import { UNIT, layout } from "./geometry.js";
import { BoardInput } from "./input.js";
import { drawArrow, drawBadge, drawHeat, drawRing, drawTargets, drawTrail } from "./overlay.js";
import { colourName, drawPiece } from "./pieces.js";
import { Selection } from "./selection.js";
import { drawNumbers, drawSurface } from "./surface.js";

/** The most movable pieces that are marked with a ring. */
const FEW = 6;
/** Pixels of a cell at most. */
const LARGEST_CELL = 104;

export class Board {
  /**
   * @param {{onmove?: (move) => void, onchoice?: (moves) => void, label?: string}} options
   */
  constructor({ onmove = () => {}, onchoice = null, label = "Board" } = {}) {
    this.onmove = onmove;
    this.onchoice = onchoice ?? ((moves) => onmove(moves[0]));
    /** takes the cells that are chosen in place of moves, while a position is edited */
    this.oncell = null;
    this.scene = null;
    this.turns = 0;
    this.selection = new Selection();
    this.overlay = { arrows: [], badges: [], heat: [], rings: [] };
    this.pieces = new Map();
    /** the cell whose piece a person has dragged to its target */
    this.dropped = null;
    this.layers = {};
    for (const name of ["surface", "under", "numbers", "pieces", "over", "cells", "drag"]) {
      this.layers[name] = s("g", { class: `layer-${name}` });
    }
    set(this.layers.over, { "aria-hidden": "true" });
    set(this.layers.pieces, { "aria-hidden": "true" });
    set(this.layers.numbers, { "aria-hidden": "true" });
    this.element = s(
      "svg",
      { class: "board", role: "group", "aria-label": label, focusable: "false" },
      Object.values(this.layers),
    );
    this.input = new BoardInput(this);
  }

  /** Show a scene at once. */
  show(scene) {
    const fresh = !this.scene || !sameCells(this.scene, scene);
    this.dropped = null;
    this.scene = scene;
    if (fresh) this.#lay();
    this.#placePieces();
    this.refresh();
  }

  /** Show the next scene with the way there: a piece travels, others are taken, turned or appear. */
  async animate(scene, path = [], pace = 1) {
    if (!this.scene || !sameCells(this.scene, scene)) return this.show(scene);
    this.selection.clear();
    const after = new Map(scene.pieces.map((piece) => [piece.cell, piece]));
    const dragged = path.length > 1 && this.dropped === path[0];
    this.dropped = null;
    const points = (dragged ? path.slice(-1) : path).map((cell) => this.place.centres[cell]);
    const mover = path.length > 1 ? this.pieces.get(path[0]) : null;
    const work = [];
    const total = duration(points.length, pace);
    if (mover) {
      this.layers.pieces.append(mover.element);
      work.push(travel(mover.element, points, pace));
    }
    for (const [cell, { element, piece }] of this.pieces) {
      if (mover && cell === path[0]) continue;
      const next = after.get(cell);
      const taken = mover && cell === path.at(-1);
      if (!next || taken) {
        const when = mover && !dragged ? passedAt(this.place.centres[cell], points) : 0;
        work.push(vanish(element, Math.max(0, when * total - 60)));
      } else if (piece.colour === "hidden" && next.colour !== "hidden") {
        work.push(turnOver(element, () => this.#redraw(element, next)));
      }
    }
    await Promise.all(work);
    const before = new Set(this.pieces.keys());
    this.scene = scene;
    this.#placePieces();
    for (const [cell, { element }] of this.pieces) {
      if (!before.has(cell) && cell !== path.at(-1)) appear(element);
    }
    this.refresh();
  }

  /** Let the person move: one of these, or none. */
  enable(moves) {
    this.selection = new Selection(moves);
    this.refresh();
  }

  /** Turn the board a step; squares by 180 degrees. */
  rotate(steps = null) {
    this.turnTo((this.turns + (steps ?? (this.scene?.board === "holes" ? 1 : 2))) % 12);
  }

  /** Turn the board to a number of steps from its own orientation. */
  turnTo(turns) {
    this.turns = turns;
    if (!this.scene) return;
    this.#lay();
    this.#placePieces();
    this.refresh();
  }

  /** Draw arrows, badges, heat and rings over the board; what is not given is removed. */
  decorate({ arrows = [], badges = [], heat = [], rings = [] } = {}) {
    this.overlay = { arrows, badges, heat, rings };
    if (this.scene) this.#highlight();
  }

  /** Choose a cell, as a click does; return whether it meant something. */
  choose(cell) {
    if (this.oncell) {
      this.oncell(cell);
      return true;
    }
    const before = this.selection.origin;
    const meant = this.selection.choose(cell);
    this.refresh();
    if (meant.length === 1) this.onmove(meant[0]);
    else if (meant.length > 1) this.onchoice(meant);
    return meant.length > 0 || this.selection.origin !== null || before !== null;
  }

  /** Leave a dragged piece on its target until the next scene is shown. */
  drop(from, to) {
    const { x, y } = this.place.centres[to];
    this.pieces.get(from).element.style.transform = `translate(${x}px, ${y}px)`;
    this.dropped = from;
  }

  /** Forget the chosen cell. */
  deselect() {
    this.selection.clear();
    this.refresh();
  }

  /** Draw highlights and the names of cells again. */
  refresh() {
    if (!this.scene) return;
    this.#highlight();
    this.input.describe();
  }

  #highlight() {
    const { place, scene, selection, overlay } = this;
    const occupied = new Set(scene.pieces.map((piece) => piece.cell));
    const origins = selection.origins;
    put(
      this.layers.under,
      drawTrail(scene.trail, place),
      scene.marks.map((cell) => drawRing(cell, place, "mark")),
      drawHeat(overlay.heat, place),
    );
    put(
      this.layers.over,
      origins.size <= FEW && selection.origin === null && !overlay.arrows.length
        ? [...origins].filter((cell) => occupied.has(cell)).map((cell) => drawRing(cell, place, "movable"))
        : [],
      selection.origin === null ? [] : drawRing(selection.origin, place, "chosen"),
      drawTargets(selection, occupied, place),
      overlay.rings.map(({ cell, kind }) => drawRing(cell, place, kind)),
      overlay.arrows.map((arrow) => drawArrow(arrow, place)),
      overlay.badges.map((badge) => drawBadge(badge, place)),
    );
  }

  /** What a cell holds, for screen readers: `c3, red 5`. */
  describe(cell) {
    const piece = this.pieces.get(cell)?.piece;
    const name = this.scene.cells[cell].name || "cell";
    if (!piece) return `${name}, empty`;
    if (piece.colour === "hidden") return `${name}, face down`;
    const label = piece.label ? ` ${piece.label}` : "";
    return `${name}, ${colourName(piece.colour)}${label}${piece.crowned ? " king" : ""}`;
  }

  #lay() {
    this.place = layout(this.scene, this.turns);
    const { x, y, width, height } = this.place.box;
    set(this.element, { viewBox: `${x} ${y} ${width} ${height}` });
    // Small boards do not fill large screens.
    this.element.style.maxWidth = `${(LARGEST_CELL * width) / UNIT}px`;
    put(this.layers.surface, drawSurface(this.scene, this.place));
    put(this.layers.numbers, drawNumbers(this.scene, this.place));
    this.input.lay(this.scene, this.place);
  }

  #placePieces() {
    this.pieces.clear();
    const elements = this.scene.pieces.map((piece) => {
      const element = drawPiece(piece, this.place.holes);
      const { x, y } = this.place.centres[piece.cell];
      element.style.transform = `translate(${x}px, ${y}px)`;
      this.pieces.set(piece.cell, { element, piece });
      return element;
    });
    put(this.layers.pieces, elements);
    put(this.layers.drag);
  }

  #redraw(element, piece) {
    const drawn = drawPiece(piece, this.place.holes);
    set(element, { class: drawn.getAttribute("class") });
    put(element, ...drawn.childNodes);
  }
}

function sameCells(scene, other) {
  return scene.cells === other.cells || JSON.stringify(scene.cells) === JSON.stringify(other.cells);
}
