/** Pointer and keyboard of a board: clicks, drags, arrow keys. Every cell is a button. */

import { put, s, set } from "../dom.js";
import { cellAt, neighbour } from "./geometry.js";

/** Pixels after which a press becomes a drag. */
const DRAG = 5;

export class BoardInput {
  constructor(board) {
    this.board = board;
    this.cells = [];
    this.drag = null;
    /** the cell that the Tab key reaches */
    this.focused = 0;
    set(board.layers.cells, {
      onkeydown: (event) => this.#key(event),
      onfocusin: (event) => this.#focus(Number(event.target.dataset.cell)),
    });
    set(board.element, {
      onpointerdown: (event) => this.#press(event),
      onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#release(event),
      onpointercancel: () => this.#drop(),
    });
  }

  /** Make a button of every cell. */
  lay(scene, place) {
    this.focused = Math.min(this.focused, scene.cells.length - 1);
    this.cells = scene.cells.map((cell, number) => {
      const { x, y } = place.centres[number];
      const shape = place.holes
        ? s("circle", { class: "hit", cx: x, cy: y, r: 48 })
        : s("rect", { class: "hit", x: x - 50, y: y - 50, width: 100, height: 100 });
      // Assistive technology clicks without a pointer.
      const onclick = (event) => event.detail === 0 && this.board.choose(number);
      return s("g", { class: "cell", "data-cell": number, role: "button", tabindex: -1, onclick }, shape);
    });
    this.named = [];
    this.cells[this.focused]?.setAttribute("tabindex", 0);
    put(this.board.layers.cells, this.cells);
  }

  /** Name every cell and what it is for. */
  describe() {
    const { targets, stops, origin, origins } = this.board.selection;
    this.cells.forEach((element, cell) => {
      const use = targets.has(cell)
        ? ", target"
        : stops.has(cell)
          ? ", on the way"
          : origins.has(cell)
            ? ", can move"
            : "";
      const able = targets.has(cell) || stops.has(cell) || origins.has(cell);
      const label = this.board.describe(cell) + use;
      const pressed = origins.has(cell) ? String(cell === origin) : null;
      const known = this.named[cell];
      if (known?.label === label && known.pressed === pressed && known.able === able) return;
      this.named[cell] = { label, pressed, able };
      set(element, { "aria-label": label, "aria-pressed": pressed, class: able ? "cell able" : "cell" });
    });
  }

  #focus(cell) {
    if (Number.isNaN(cell) || cell === this.focused) return;
    this.cells[this.focused]?.setAttribute("tabindex", -1);
    this.cells[cell].setAttribute("tabindex", 0);
    this.focused = cell;
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { board } = this;
    if (event.key.startsWith("Arrow")) {
      const next = neighbour(board.place.centres, this.focused, event.key);
      if (next >= 0) this.cells[next].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      board.choose(this.focused);
    } else if (event.key === "Escape" && board.selection.origin !== null) {
      board.deselect();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #point(event) {
    const matrix = this.board.element.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x, y };
  }

  #press(event) {
    if (event.button !== 0 || !this.board.place) return;
    const cell = cellAt(this.board.place.centres, this.#point(event));
    if (cell < 0) return this.board.deselect();
    const { selection } = this.board;
    const fresh = selection.origins.has(cell) && !selection.targets.has(cell) && selection.origin !== cell;
    this.drag = { cell, x: event.clientX, y: event.clientY, moved: false, chosen: fresh };
    if (fresh && !this.board.oncell) this.board.choose(cell);
    else this.drag.chosen = false;
    this.#focus(cell);
    if (this.board.selection.origin === cell) this.board.element.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const { drag, board } = this;
    if (!drag || board.selection.origin !== drag.cell) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG) return;
    const piece = board.pieces.get(drag.cell);
    if (!piece) return;
    if (!drag.moved) {
      drag.moved = true;
      board.layers.drag.append(piece.element);
      board.element.classList.add("dragging");
    }
    const { x, y } = this.#point(event);
    piece.element.style.transform = `translate(${x}px, ${y}px) scale(1.12)`;
  }

  #release(event) {
    const { drag, board } = this;
    this.drag = null;
    if (!drag) return;
    board.element.classList.remove("dragging");
    const cell = cellAt(board.place.centres, this.#point(event));
    if (drag.moved) {
      const { targets, stops } = board.selection;
      const useful = targets.has(cell) || stops.has(cell);
      if (useful) {
        board.drop(drag.cell, cell);
        board.choose(cell);
        return;
      }
      board.show(board.scene);
      if (cell !== drag.cell) board.deselect();
    } else if (!drag.chosen && cell === drag.cell) {
      board.choose(cell);
    }
  }

  #drop() {
    if (this.drag?.moved) this.board.show(this.board.scene);
    this.drag = null;
    this.board.element.classList.remove("dragging");
  }
}
