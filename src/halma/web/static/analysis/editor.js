/** The position editor: pieces are put on cells, other fields chosen; the server says what is wrong. */

import { get, post } from "../api.js";
import { colourName, drawPiece } from "../board/pieces.js";
import { button, field, h, put, s, select } from "../dom.js";

export class PositionEditor {
  /**
   * @param {{view: BoardView, use: (position: string) => void, close: () => void}} page `view` shows
   *   the board, `use` takes the finished position
   */
  constructor(page) {
    this.page = page;
    this.text = h("input", { "aria-label": "Position as text", class: "mono grow", spellcheck: "false" });
    this.message = h("p", { class: "bad", role: "alert" });
    this.tools = h("div", {});
    this.accept = button("Use this position", () => this.page.use(this.position), { class: "primary" });
    this.element = h(
      "div",
      {},
      h("h2", {}, "Position editor"),
      this.tools,
      field("Position as text", this.text),
      this.message,
      h(
        "div",
        { class: "row" },
        this.accept,
        button("Empty board", () => this.#clear()),
        button("Close the editor", () => this.page.close()),
      ),
    );
    this.text.addEventListener("change", () => this.#read(this.text.value));
  }

  /** Start from a position. */
  async open(board) {
    this.variant = board.variant;
    this.scene = board.scene;
    this.editor = await get("editor", { variant: board.variant, position: board.position });
    this.cells = [...this.editor.cells];
    this.fields = this.editor.fields.map((each) => each.value);
    this.tool = this.editor.pieces[0]?.glyph;
    this.position = board.position;
    this.text.value = board.position;
    this.#say("");
    this.#draw();
  }

  /** A cell was chosen: put the piece there, or take the same one away. */
  put(cell) {
    if (this.tool === undefined || cell >= this.cells.length) return;
    this.cells[cell] = this.cells[cell] === this.tool ? this.editor.empty : this.tool;
    this.#check();
  }

  #clear() {
    this.cells = this.cells.map(() => this.editor.empty);
    this.#check();
  }

  #draw() {
    const holes = this.scene.board === "holes";
    const tool = (glyph, name, picture) =>
      button(
        picture,
        () => {
          this.tool = glyph;
          this.#draw();
        },
        { "aria-label": name, title: name, "aria-pressed": String(this.tool === glyph) },
      );
    put(
      this.tools,
      h(
        "div",
        { class: "palette", role: "group", "aria-label": "Pieces" },
        this.editor.pieces.map((piece) =>
          tool(
            piece.glyph,
            pieceName(piece),
            s("svg", { viewBox: "-48 -48 96 100", "aria-hidden": "true" }, drawPiece(piece, holes)),
          ),
        ),
        tool(
          this.editor.empty,
          "Take pieces away",
          s(
            "svg",
            { viewBox: "-48 -48 96 100", "aria-hidden": "true" },
            s("path", { class: "eraser", d: "M-24-24L24 24M24-24L-24 24" }),
          ),
        ),
      ),
      h(
        "div",
        { class: "row" },
        this.editor.fields.map((each, at) =>
          field(
            each.name,
            each.choices.length
              ? select(
                  each.choices.map((choice) => [choice]),
                  this.fields[at],
                  (value) => this.#set(at, value),
                )
              : this.#input(at),
          ),
        ),
      ),
    );
  }

  #input(at) {
    const element = h("input", { value: this.fields[at], onchange: () => this.#set(at, element.value) });
    return element;
  }

  #set(at, value) {
    this.fields[at] = value;
    this.#check();
  }

  /** Show the pieces as they are put, and ask whether that is a position. */
  async #check() {
    const known = new Map(this.editor.pieces.map((piece) => [piece.glyph, piece]));
    const pieces = this.cells.flatMap((glyph, cell) =>
      known.has(glyph) ? [{ ...known.get(glyph), cell }] : [],
    );
    this.page.view.board.show({ ...this.scene, pieces, trail: [], marks: [] });
    try {
      const { position } = await post("editor", {
        variant: this.variant,
        cells: this.cells,
        fields: this.fields,
      });
      this.position = position;
      this.text.value = position;
      this.#say("");
    } catch (error) {
      this.#say(error.message);
    }
  }

  /** Read a position that was typed. */
  async #read(text) {
    try {
      const board = await post("board", { variant: this.variant, start: text, moves: [] });
      await this.open(board);
      this.page.view.board.show({ ...board.scene, trail: [], marks: [] });
    } catch (error) {
      this.#say(error.message);
    }
  }

  #say(sentence) {
    put(this.message, sentence);
    this.accept.disabled = Boolean(sentence);
  }
}

function pieceName(piece) {
  if (piece.colour === "hidden") return "face down";
  return `${colourName(piece.colour)}${piece.label ? ` ${piece.label}` : ""}${piece.crowned ? " king" : ""}`;
}
