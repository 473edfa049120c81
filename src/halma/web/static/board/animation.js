/** How pieces get from one scene to the next: they travel, are captured, turn over, appear. */

import { calm } from "../dom.js";

const HOP = 170;
const STEP = 150;
const FADE = 160;

/** Finish an animation; one that was removed from the page counts as finished. */
const finished = (animation) => animation.finished.catch(() => {});

/** Move an element along points, in an arc where they are far apart. */
export function travel(element, points, pace = 1) {
  if (calm() || points.length < 2) return Promise.resolve();
  const frames = [];
  points.forEach((point, index) => {
    const at = `translate(${point.x}px, ${point.y}px)`;
    if (index > 0) {
      const before = points[index - 1];
      const far = Math.hypot(point.x - before.x, point.y - before.y) > 120;
      const [x, y] = [(point.x + before.x) / 2, (point.y + before.y) / 2];
      frames.push({ transform: `translate(${x}px, ${y - (far ? 18 : 0)}px) scale(${far ? 1.14 : 1.03})` });
    }
    frames.push({ transform: `${at} scale(1)` });
  });
  const each = points.length > 2 ? HOP : STEP + 40;
  const options = { duration: pace * each * (points.length - 1), easing: "ease-in-out" };
  return finished(element.animate(frames, options));
}

/** Let a captured piece shrink and fade after a delay. */
export function vanish(element, delay) {
  if (calm()) return Promise.resolve();
  const at = element.style.transform;
  const frames = [
    { transform: `${at} scale(1)`, opacity: 1 },
    { transform: `${at} scale(.35)`, opacity: 0 },
  ];
  return finished(element.animate(frames, { duration: FADE, delay, easing: "ease-in", fill: "forwards" }));
}

/** Let a new piece grow. */
export function appear(element) {
  if (calm()) return;
  const at = element.style.transform;
  element.animate(
    [
      { transform: `${at} scale(.4)`, opacity: 0 },
      { transform: at, opacity: 1 },
    ],
    FADE,
  );
}

/** Turn a piece over: it narrows, `swap` changes what it shows, it widens. */
export async function turnOver(element, swap) {
  const body = () => element.querySelector(".body");
  if (!calm()) {
    await finished(
      body().animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0.02) translateY(-10px)" }], {
        duration: 170,
        easing: "ease-in",
      }),
    );
  }
  swap();
  if (!calm()) {
    await finished(
      body().animate([{ transform: "scaleX(0.02) translateY(-10px)" }, { transform: "scaleX(1)" }], {
        duration: 200,
        easing: "ease-out",
      }),
    );
  }
}

/** Roll a die: show other faces while it turns, and the right one in the end. */
export async function roll(element, show, value, faces) {
  if (calm()) return show(value);
  const spin = element.animate(
    [
      { transform: "translateY(0) rotate(0)" },
      { transform: "translateY(-40%) rotate(220deg) scale(1.1)", offset: 0.45 },
      { transform: "translateY(0) rotate(360deg)" },
    ],
    { duration: 620, easing: "cubic-bezier(.3,.1,.3,1)" },
  );
  for (let turn = 0; turn < 6; turn += 1) {
    show(1 + ((value + turn * 2 + 1) % faces));
    await new Promise((resolve) => setTimeout(resolve, 75));
  }
  show(value);
  await finished(spin);
}

/**
 * Return after which share of a path a captured cell is passed, by the distance to its segments.
 */
export function passedAt(cell, points) {
  let best = points.length - 1;
  let least = Infinity;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1], points[i]];
    const square = (b.x - a.x) ** 2 + (b.y - a.y) ** 2 || 1;
    const share = Math.min(
      1,
      Math.max(0, ((cell.x - a.x) * (b.x - a.x) + (cell.y - a.y) * (b.y - a.y)) / square),
    );
    const distance = Math.hypot(a.x + share * (b.x - a.x) - cell.x, a.y + share * (b.y - a.y) - cell.y);
    if (distance < least) [best, least] = [i, distance];
  }
  return best / (points.length - 1);
}

/** How long `travel` takes along a number of points, in milliseconds. */
export function duration(points, pace = 1) {
  return calm() ? 0 : pace * (points > 2 ? HOP : STEP + 40) * (points - 1);
}
