/** What is drawn over the pieces: the last move, legal targets, arrows, heat and marks. */

import { s } from "../dom.js";
import { UNIT, towards } from "./geometry.js";

/** Return the highlight beneath the pieces of the last move: its cells, and its way over holes. */
export function drawTrail(path, place) {
  const cells = [...new Set([path[0], path.at(-1)])].filter((cell) => cell !== undefined);
  const parts = cells.map((cell) => {
    const { x, y } = place.centres[cell];
    return place.holes
      ? s("circle", { class: "last-ring", cx: x, cy: y, r: 46 })
      : s("rect", { class: "last-square", x: x - 50, y: y - 50, width: UNIT, height: UNIT });
  });
  if (path.length > 1 && (place.holes || path.length > 2)) {
    const points = path.map((cell) => `${place.centres[cell].x},${place.centres[cell].y}`);
    parts.unshift(s("polyline", { class: "last-way", points: points.join(" ") }));
  }
  return parts;
}

/** Return dots on empty targets and rings around occupied ones. */
export function drawTargets(selection, occupied, place) {
  const mark = (kind) => (cell) => {
    const { x, y } = place.centres[cell];
    return occupied.has(cell)
      ? s("circle", { class: `${kind} taken`, cx: x, cy: y, r: 45 })
      : s("circle", { class: kind, cx: x, cy: y, r: kind === "stop" ? 9 : 15 });
  };
  return [...[...selection.stops].map(mark("stop")), ...[...selection.targets].map(mark("target"))];
}

/** Return a ring around a cell. */
export function drawRing(cell, place, kind) {
  const { x, y } = place.centres[cell];
  return s("circle", { class: kind, cx: x, cy: y, r: 45 });
}

/**
 * Return an arrow along cells.
 * @param {{cells: number[], kind: string, width?: number, text?: string}} arrow
 */
export function drawArrow(arrow, place) {
  const points = arrow.cells.map((cell) => place.centres[cell]);
  const width = arrow.width ?? 12;
  const group = s("g", { class: `arrow ${arrow.kind}` });
  if (points.length === 1) {
    group.append(
      s("circle", { class: "around", cx: points[0].x, cy: points[0].y, r: 42, "stroke-width": width * 0.7 }),
    );
  } else {
    const tip = towards(points.at(-1), points.at(-2), 14);
    const base = towards(tip, points.at(-2), 2.2 * width);
    const start = towards(points[0], points[1], 30);
    const shaft = [start, ...points.slice(1, -1), base].map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`);
    const [ax, ay] = [(tip.y - base.y) * 0.62, (base.x - tip.x) * 0.62];
    const head = `${tip.x},${tip.y} ${base.x + ax},${base.y + ay} ${base.x - ax},${base.y - ay}`;
    group.append(
      s("polyline", { points: shaft.join(" "), "stroke-width": width }),
      ...points.slice(1, -1).map((p) => s("circle", { class: "bend", cx: p.x, cy: p.y, r: width * 0.8 })),
      s("polygon", { points: head }),
    );
  }
  return group;
}

/** Return the badge of a candidate move beyond the tip of its arrow: its chance of winning. */
export function drawBadge({ cells, text, kind }, place) {
  const end = place.centres[cells.at(-1)];
  const start = cells.length > 1 ? place.centres[cells.at(-2)] : { x: end.x, y: end.y - 1 };
  const length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
  const [x, y] = [end.x + (36 * (end.x - start.x)) / length, end.y + (36 * (end.y - start.y)) / length];
  const width = 16 + 13.5 * text.length;
  return s(
    "g",
    { class: `badge ${kind}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
    s("rect", { x: -width / 2, y: -15, width, height: 30, rx: 9 }),
    s("text", { y: 8.5, "font-size": 24 }, text),
  );
}

/** Return the heat of cells, a share each; the opacity is its square root, so that little shows. */
export function drawHeat(heat, place) {
  return heat.map((share, cell) => {
    if (!(share > 0.002)) return null;
    const { x, y } = place.centres[cell];
    return s("circle", {
      class: "heat",
      cx: x,
      cy: y,
      r: 47,
      "fill-opacity": (0.75 * Math.sqrt(Math.min(1, share))).toFixed(3),
    });
  });
}
