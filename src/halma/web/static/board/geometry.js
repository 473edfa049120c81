/**
 * Where the cells of a scene lie, in units of which a cell has 100.
 *
 * Scenes have rows one unit apart; on boards of holes they are moved together, so that all six
 * neighbours of a hole are equally far away. A board can be turned in steps of 90 degrees, one of
 * holes in steps of 60.
 */

export const UNIT = 100;
const ROW = Math.sqrt(3) / 2;

/** Return `{centres, labels, box}` of a scene that was turned `turns` steps. */
export function layout(scene, turns) {
  const holes = scene.board === "holes";
  const angle = (turns * Math.PI) / (holes ? 3 : 2);
  const place = turned(angle, holes ? ROW : 1);
  const centres = scene.cells.map((cell) => place(cell.x, cell.y));
  const board = bounds(centres, holes ? 0.78 : 0.5);
  const labels = scene.labels.map(([x, y, text]) => ({ ...place(x, y), text }));
  for (const label of labels) {
    if (holes) moveOffTheRim(label, centres);
    else clampTo(label, board, 0.022 * Math.max(board.width, board.height) + 10);
  }
  const around = bounds([...corners(board), ...labels], labels.length ? 0.16 : 0.08);
  return { centres, labels, board, box: around, holes };
}

/** Return the index of the cell nearest to `from` in the direction of an arrow key, or -1. */
export function neighbour(centres, from, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = -1;
  let least = Infinity;
  centres.forEach((centre, cell) => {
    const x = centre.x - centres[from].x;
    const y = centre.y - centres[from].y;
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along < 0.3 * UNIT || across > 1.8 * along) return;
    const cost = along + 2 * across;
    if (cost < least) [best, least] = [cell, cost];
  });
  return best;
}

/** Return the cell under a point, or -1. */
export function cellAt(centres, point) {
  const reach = 0.62 * UNIT;
  let best = -1;
  let least = reach;
  centres.forEach((centre, cell) => {
    const distance = Math.hypot(centre.x - point.x, centre.y - point.y);
    if (distance < least) [best, least] = [cell, distance];
  });
  return best;
}

/** Return the point a distance from `start` towards `end`. */
export function towards(start, end, distance) {
  const length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
  const share = Math.min(1, distance / length);
  return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
}

function turned(angle, row) {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)].map((v) => Math.round(v * 1e9) / 1e9);
  return (x, y) => ({
    x: UNIT * (x * cos - y * row * sin),
    y: UNIT * (x * sin + y * row * cos),
  });
}

function bounds(points, margin) {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const pad = margin * UNIT;
  const [x, y] = [Math.min(...xs) - pad, Math.min(...ys) - pad];
  return { x, y, width: Math.max(...xs) + pad - x, height: Math.max(...ys) + pad - y };
}

function corners(box) {
  return [
    { x: box.x, y: box.y },
    { x: box.x + box.width, y: box.y + box.height },
  ];
}

/** Labels of squares stand close to the frame, wherever outside it the game put them. */
function clampTo(label, board, gap) {
  label.x = Math.min(Math.max(label.x, board.x - gap), board.x + board.width + gap);
  label.y = Math.min(Math.max(label.y, board.y - gap), board.y + board.height + gap);
}

/** Move a label beside a hole a little further out, where the rim ends. */
function moveOffTheRim(label, centres) {
  let [x, y] = [0, 0];
  for (const centre of centres) {
    const distance = Math.hypot(label.x - centre.x, label.y - centre.y);
    if (distance < 1.1 * UNIT) {
      x += label.x - centre.x;
      y += label.y - centre.y;
    }
  }
  const length = Math.hypot(x, y);
  if (length < 1) return;
  label.x += (0.06 * UNIT * x) / length;
  label.y += (0.06 * UNIT * y) / length;
}
