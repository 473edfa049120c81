/** What a board is made of: squares or holes, labels, and the gradients of pieces. */

import { s } from "../dom.js";
import { UNIT } from "./geometry.js";

/** Return the static part of a drawing, beneath the pieces. */
export function drawSurface(scene, place) {
  const draw = place.holes ? drawHoles : drawSquares;
  // Names of rows and columns are read at any size of the board, so they scale less than cells.
  const size = Math.min(36, Math.max(14, 0.027 * Math.max(place.box.width, place.box.height)));
  return s(
    "g",
    { class: `surface ${scene.board}`, "aria-hidden": "true" },
    gradients(),
    draw(scene, place),
    place.labels.map((label) =>
      s("text", { class: "edge-label", x: label.x, y: label.y + 0.35 * size, "font-size": size }, label.text),
    ),
  );
}

function gradients() {
  const stop = (offset, colour, opacity) =>
    s("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  return s(
    "defs",
    {},
    s(
      "radialGradient",
      { id: "marble-shade", cx: 0.5, cy: 0.5, r: 0.5, fx: 0.34, fy: 0.28 },
      stop(0, "#fff", 0.62),
      stop(0.32, "#fff", 0.14),
      stop(0.62, "#fff", 0),
      stop(0.82, "#000", 0.14),
      stop(1, "#000", 0.46),
    ),
    s(
      "linearGradient",
      { id: "disc-shade", x1: 0.2, y1: 0, x2: 0.7, y2: 1 },
      stop(0, "#fff", 0.26),
      stop(0.5, "#fff", 0),
      stop(1, "#000", 0.16),
    ),
    s(
      "radialGradient",
      { id: "hole-shade", cx: 0.5, cy: 0.42, r: 0.55 },
      stop(0, "#000", 0.38),
      stop(0.7, "#000", 0.2),
      stop(1, "#000", 0),
    ),
    s(
      "linearGradient",
      { id: "wood-light", x1: 0, y1: 0, x2: 0.25, y2: 1 },
      stop(0, "#fff", 0.22),
      stop(0.5, "#fff", 0),
      stop(1, "#000", 0.1),
    ),
  );
}

function drawSquares(scene, place) {
  const { x, y, width, height } = place.board;
  const chequered = scene.cells.some((cell) => cell.tint === "dark" || cell.tint === "light");
  const rim = 7;
  return [
    s("rect", {
      class: "frame",
      x: x - rim,
      y: y - rim,
      width: width + 2 * rim,
      height: height + 2 * rim,
      rx: 10,
    }),
    scene.cells.map((cell, number) => {
      const centre = place.centres[number];
      const corner = { x: centre.x - UNIT / 2, y: centre.y - UNIT / 2 };
      return s("rect", {
        class: `square ${tintClass(cell)}${chequered ? "" : " grid"}`,
        ...corner,
        width: UNIT,
        height: UNIT,
      });
    }),
  ];
}

/** Return the numbers of dark squares, so far in the corner that pieces leave them free. */
export function drawNumbers(scene, place) {
  return scene.cells.map((cell, number) => {
    if (cell.tint !== "dark" || !cell.name) return null;
    const { x, y } = place.centres[number];
    const corner = { x: x - UNIT / 2 + 3, y: y - UNIT / 2 + 15 };
    return s("text", { class: "square-number", ...corner, "font-size": 16 }, cell.name);
  });
}

/**
 * Thick round strokes along the lines between holes merge into one smooth area, so that the same
 * path draws the board, the homes and the thin lines.
 */
function drawHoles(scene, place) {
  const everything = lines(scene, place, scene.cells.keys());
  const tints = [...new Set(scene.cells.map((cell) => cell.tint))].filter((t) => t.startsWith("home"));
  const pen = (kind, d) => s("path", { class: kind, d });
  return [
    pen("wood-shadow", everything),
    pen("wood-edge", everything),
    pen("wood", everything),
    tints.map((tint) => {
      const home = [...scene.cells.keys()].filter((number) => scene.cells[number].tint === tint);
      return pen(`home ${tintClass({ tint })}`, lines(scene, place, home));
    }),
    pen("line", everything),
    place.centres.map((centre) => [
      s("circle", { class: "hole", cx: centre.x, cy: centre.y, r: 22 }),
      s("circle", { class: "hole-depth", cx: centre.x, cy: centre.y, r: 22, fill: "url(#hole-shade)" }),
    ]),
  ];
}

function tintClass(cell) {
  return cell.tint.startsWith("home ") ? `home-cell paint-player-${cell.tint.slice(5)}` : cell.tint;
}

/** Return the path of all lines between neighbours among these holes. */
function lines(scene, place, numbers) {
  const at = new Map(
    [...numbers].map((number) => {
      const cell = scene.cells[number];
      return [`${Math.round(2 * cell.x)},${Math.round(cell.y)}`, place.centres[number]];
    }),
  );
  const joined = new Set();
  const parts = [];
  const point = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  for (const [dx, dy] of [
    [2, 0],
    [1, 1],
    [-1, 1],
  ]) {
    for (const start of at.keys()) {
      const step = (key, sign) => {
        const [x, y] = key.split(",").map(Number);
        return `${x + sign * dx},${y + sign * dy}`;
      };
      if (at.has(step(start, -1))) continue;
      let end = start;
      while (at.has(step(end, 1))) {
        end = step(end, 1);
        joined.add(start).add(end);
      }
      if (end !== start) parts.push(`M${point(at.get(start))}L${point(at.get(end))}`);
    }
  }
  for (const [key, centre] of at) {
    if (!joined.has(key)) parts.push(`M${point(centre)}L${point(centre)}`);
  }
  return parts.join("");
}
