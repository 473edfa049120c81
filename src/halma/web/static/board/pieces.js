/** Drawings of pieces and dice around the origin; a cell has 100 units. */

import { s } from "../dom.js";

const MARBLE = 40;
const DISC = 39;

/** Grooves that tell the colours of pieces apart for people who cannot see the colours. */
const SYMBOLS = {
  red: "M0-11A11 11 0 1 1 0 11A11 11 0 1 1 0-11Z",
  blue: "M-10-10H10V10H-10Z",
  yellow: "M0-13L12.5 9H-12.5Z",
  green: "M0-14L12 0L0 14L-12 0Z",
  white: "M-4-12H4V-4H12V4H4V12H-4V4H-12V-4H-4Z",
  black: "M0-14L4-4.5L13.5-4.5L6 2L9 12L0 6L-9 12L-6 2L-13.5-4.5L-4-4.5Z",
};
const PLAYERS = ["red", "blue", "yellow", "green", "white", "black"];
const CROWN = "M-20-11L-9.5 0L0-18L9.5 0L20-11L15 15H-15Z";
const PIPS = {
  1: [[0, 0]],
  2: [
    [-1, -1],
    [1, 1],
  ],
  3: [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  4: [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  5: [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
  6: [
    [-1, -1],
    [1, -1],
    [-1, 0],
    [1, 0],
    [-1, 1],
    [1, 1],
  ],
};

/** The class that sets `--fill`, `--edge`, `--ink` and `--pale` of a colour's name. */
export function paintClass(colour) {
  return `paint-${colour.replace(" ", "-")}`;
}

/** The name of a colour as people say it: that of `player 2` is blue. */
export function colourName(colour) {
  const player = /^player ([1-6])$/.exec(colour);
  return player ? PLAYERS[player[1] - 1] : colour;
}

/** Draw a piece; on boards of holes it is a marble, elsewhere a disc. */
export function drawPiece(piece, holes) {
  const hidden = piece.colour === "hidden";
  const group = s("g", { class: `piece ${paintClass(piece.colour)}` });
  const body = s("g", { class: "body" });
  if (holes && !hidden) {
    body.append(
      s("ellipse", { class: "shadow", cx: 4, cy: 9, rx: MARBLE, ry: MARBLE * 0.94 }),
      s("circle", { class: "marble", r: MARBLE }),
      s("circle", { class: "shade", r: MARBLE, fill: "url(#marble-shade)" }),
      s("ellipse", { class: "shine", cx: -13, cy: -18, rx: 12, ry: 7.5, transform: "rotate(-32 -13 -18)" }),
    );
  } else {
    body.append(
      s("ellipse", { class: "shadow", cx: 3, cy: 9, rx: DISC, ry: DISC }),
      s("circle", { class: "rim", cy: 5, r: DISC }),
      ...(piece.crowned
        ? [s("circle", { class: "rim", cy: -1, r: DISC }), s("circle", { class: "seam", cy: -1, r: DISC })]
        : []),
      s("circle", { class: "top", cy: piece.crowned ? -6 : 0, r: DISC }),
      s("circle", { class: "shade", cy: piece.crowned ? -6 : 0, r: DISC, fill: "url(#disc-shade)" }),
    );
    if (hidden) body.append(rosette());
    else body.append(s("circle", { class: "groove", cy: piece.crowned ? -6 : 0, r: 31 }));
    if (!hidden && !piece.label && !piece.crowned) body.append(s("circle", { class: "groove", r: 19 }));
  }
  body.append(...face(piece, holes));
  group.append(body);
  return group;
}

function face(piece, holes) {
  const symbol = SYMBOLS[colourName(piece.colour)];
  const parts = [];
  if (holes && symbol && !piece.label) parts.push(s("path", { class: "symbol", d: symbol }));
  if (!holes && symbol && piece.label) {
    parts.push(s("path", { class: "symbol small", d: symbol, transform: "translate(0 24) scale(.42)" }));
  }
  const lift = !holes && piece.label ? -2 : 0;
  if (piece.crowned) {
    const at = piece.label ? "translate(0 -19) scale(.6)" : "translate(0 -6)";
    parts.push(s("path", { class: "crown", d: CROWN, transform: at }));
  }
  if (piece.label) {
    const size = Math.min(40, 66 / piece.label.length);
    const y = (piece.crowned ? 10 : lift) + 0.35 * size;
    parts.push(s("text", { class: "label", y, "font-size": size }, piece.label));
  }
  return parts;
}

function rosette() {
  const points = [...Array(16).keys()].map((corner) => {
    const reach = corner % 2 ? 13 : 22;
    const angle = (Math.PI * corner) / 8;
    return `${(reach * Math.cos(angle)).toFixed(1)},${(reach * Math.sin(angle)).toFixed(1)}`;
  });
  return s(
    "g",
    { class: "rosette" },
    s("circle", { class: "groove", r: 31 }),
    s("polygon", { points: points.join(" ") }),
    s("circle", { class: "top", r: 6 }),
  );
}

/** Draw a die of 100 units; value 0 is one that was not rolled yet. */
export function drawDie(value) {
  const group = s("g", { class: "die-face" }, s("rect", { x: -44, y: -44, width: 88, height: 88, rx: 18 }));
  if (!PIPS[value]) {
    group.append(s("text", { y: 20, "font-size": 56 }, value ? String(value) : "?"));
    return group;
  }
  for (const [x, y] of PIPS[value]) {
    group.append(s("circle", { class: "pip", cx: 24 * x, cy: 24 * y, r: 9 }));
  }
  return group;
}
