/**
 * Which move a person means by choosing cells one after the other.
 *
 * Moves are paths of cells. After the first cell, one with a move, a person chooses the last one,
 * or any on the way. Where several ways lead to the last cell, one more choice tells them apart.
 */
export class Selection {
  /** @param {{text: string, path: number[]}[]} moves */
  constructor(moves = []) {
    this.moves = moves.filter((move) => move.path.length > 0);
    this.clear();
  }

  /** Forget what was chosen. */
  clear() {
    this.origin = null;
    /** moves that are still meant */
    this.candidates = [];
    /** cells up to which the ways have been told apart, the origin included */
    this.depth = 1;
    this.arrived = false;
  }

  /** Cells from which something can be moved. */
  get origins() {
    return new Set(this.moves.map((move) => move.path[0]));
  }

  /** Cells that can be chosen next. */
  get targets() {
    if (this.origin === null) return new Set();
    if (this.arrived) return new Set(this.candidates.map((move) => move.path[this.depth]));
    return new Set(this.candidates.map((move) => move.path.at(-1)));
  }

  /** Cells on the way, which can be chosen as well. */
  get stops() {
    const stops = new Set(this.candidates.flatMap((move) => move.path.slice(this.depth, -1)));
    for (const target of this.targets) stops.delete(target);
    return this.arrived ? new Set() : stops;
  }

  /** Choose a cell; return the moves that are meant, if nothing can tell them apart any more. */
  choose(cell) {
    if (this.origin !== null) {
      const found = this.#advance(cell);
      if (found) return found;
    }
    return this.#begin(cell);
  }

  #begin(cell) {
    const again = cell === this.origin;
    this.clear();
    if (again || !this.origins.has(cell)) return [];
    this.origin = cell;
    this.candidates = this.moves.filter((move) => move.path[0] === cell);
    return this.candidates.every((move) => move.path.length === 1) ? this.#finish() : [];
  }

  /** Follow the choice of a cell after the first; null if no move of the candidates has it. */
  #advance(cell) {
    const goes = (move) => move.path.indexOf(cell, this.depth) >= 0;
    const ending = this.candidates.filter((move) => move.path.length > 1 && move.path.at(-1) === cell);
    if (this.arrived) {
      const chosen = this.candidates.filter((move) => move.path[this.depth] === cell);
      if (!chosen.length) return null;
      this.candidates = chosen;
      return this.#tellApart();
    }
    if (ending.length) {
      this.candidates = ending;
      this.arrived = true;
      return this.#tellApart();
    }
    const passing = this.candidates.filter(goes);
    if (!passing.length) return null;
    this.candidates = passing;
    this.depth = Math.min(...passing.map((move) => move.path.indexOf(cell, this.depth))) + 1;
    return [];
  }

  /** Skip the cells that all candidates share; finish if they are one way. */
  #tellApart() {
    const [first, ...others] = this.candidates;
    const differs = (at) => others.some((move) => move.path[at] !== first.path[at]);
    while (this.depth < first.path.length && !differs(this.depth)) this.depth += 1;
    return others.length && this.depth < first.path.length ? [] : this.#finish();
  }

  #finish() {
    const meant = this.candidates;
    this.clear();
    return meant;
  }
}
