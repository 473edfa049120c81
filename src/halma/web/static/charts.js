/** Line charts as SVG. */

import { h, s } from "./dom.js";

const WIDTH = 460;
const MARGIN = { left: 40, right: 8, top: 8, bottom: 22 };

/**
 * Return a chart.
 * @param {{name: string, points: [number, number][], paint?: string,
 *          band?: [number, number, number][]}[]} series `band` is an interval at some x: x, low, high
 * @param {{height?: number, low?: number, high?: number, label: string, now?: number, level?: number,
 *          dots?: {x: number, y: number, kind: string, title: string}[],
 *          pick?: (x: number) => void, share?: boolean}} options `pick` is called with the x of a
 *   click, `share` writes the y axis in per cent, `level` is a value to compare with
 */
export function lineChart(
  series,
  { height = 150, low, high, label, now, level, dots = [], pick, share = false },
) {
  const points = series.flatMap((each) => each.points).filter(([, y]) => Number.isFinite(y));
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right] = [Math.min(...xs, 0), Math.max(...xs, 1)];
  const [bottom, top] = nice(low ?? Math.min(...ys), high ?? Math.max(...ys));
  const x = (value) =>
    MARGIN.left + ((value - left) / (right - left || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value) =>
    height - MARGIN.bottom - ((value - bottom) / (top - bottom || 1)) * (height - MARGIN.top - MARGIN.bottom);
  const chart = s(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label },
    [0, 0.5, 1].map((part) => {
      const value = bottom + part * (top - bottom);
      return [
        s("line", { class: "grid", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value), y2: y(value) }),
        s(
          "text",
          { class: "axis", x: MARGIN.left - 5, y: y(value) + 4, "text-anchor": "end" },
          share ? `${Math.round(100 * value)}%` : short(value),
        ),
      ];
    }),
    [left, right].map((value, at) =>
      s(
        "text",
        { class: "axis", x: x(value), y: height - 6, "text-anchor": at ? "end" : "start" },
        short(value),
      ),
    ),
    level === undefined
      ? null
      : s("line", { class: "level", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(level), y2: y(level) }),
    series.map(
      (each) => each.band?.length && s("path", { class: "band", d: area(each.band, x, y) }),
    ),
    now === undefined
      ? null
      : s("line", { class: "now", x1: x(now), x2: x(now), y1: MARGIN.top, y2: height - MARGIN.bottom }),
    series.map((each, at) => {
      const d = path(each.points, x, y);
      return [
        s("path", { class: "halo", d }),
        s("path", { class: `series ${each.paint ?? `series-${at % 4}`}`, d }),
      ];
    }),
    dots.map((dot) =>
      s("circle", { class: `dot ${dot.kind}`, cx: x(dot.x), cy: y(dot.y), r: 5 }, s("title", {}, dot.title)),
    ),
  );
  if (pick) {
    chart.addEventListener("click", (event) => {
      const matrix = chart.getScreenCTM().inverse();
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix).x;
      const share = (at - MARGIN.left) / (WIDTH - MARGIN.left - MARGIN.right);
      pick(Math.round(left + Math.min(1, Math.max(0, share)) * (right - left)));
    });
  }
  return chart;
}

/** Return a legend of series. */
export function legend(series) {
  return h(
    "div",
    { class: "legend" },
    series.map((each, at) => h("span", { class: each.paint ?? `key-${at % 4}` }, h("i", {}), each.name)),
  );
}

function path(points, x, y) {
  let pen = "M";
  return points
    .map(([px, py]) => {
      if (!Number.isFinite(py)) {
        pen = "M";
        return "";
      }
      const at = `${x(px).toFixed(1)} ${y(py).toFixed(1)}`;
      // A point alone is a line of no length, which round ends make visible.
      const command = pen === "M" ? `M${at}L${at}` : `L${at}`;
      pen = "L";
      return command;
    })
    .join("");
}

/** Return the area between the low and the high ends of intervals. */
function area(band, x, y) {
  const point = (at, value) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  const there = band.map(([at, , high]) => point(at, high));
  const back = band.map(([at, low]) => point(at, low)).reverse();
  return `M${[...there, ...back].join("L")}Z`;
}

function nice(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function short(value) {
  return Math.abs(value) >= 10000 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
