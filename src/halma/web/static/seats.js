/** Choosing who plays: a person, the strongest player at a level, or another agent. */

import { h, select } from "./dom.js";
import { swatch } from "./board/view.js";

/** The name of an agent as people read it. */
export function agentName(agent, variant = null) {
  if (agent === "human") return "You";
  const level = /^best:level=(\d+)$/.exec(agent);
  if (!level) return agent;
  const known = variant?.levels?.find((each) => each.level === Number(level[1]));
  return `Level ${level[1]}${elo(known)}`;
}

/** The Elo of a level; one without an error was not measured, but lies between two that were. */
function elo(level) {
  if (level?.elo === null || level?.elo === undefined) return "";
  return `, Elo ${level.error === null ? "≈ " : ""}${Math.round(level.elo)}`;
}

/** Say which levels of a variant have been measured, and against whom. */
export function levelsNote({ levels, rated_zero: zero, solved }) {
  const perfect = solved ? " This variant is solved: the highest level plays perfectly." : "";
  const measured = measuredLevels(levels);
  if (!measured)
    return `Levels of this variant have not been rated; each searches more than the one below.${perfect}`;
  const between = levels.some((level) => level.elo !== null && level.error === null);
  const without = levels.some((level) => level.elo === null);
  return [
    `Elo was measured for ${measured}, with ${zero} at 0.`,
    between ? " ≈ stands between two measured levels." : "",
    without ? " Levels without Elo were not measured; each searches more than the one below." : "",
    isRising(levels) ? "" : " A level rated below a lower one is within the error of the measurement.",
    perfect,
  ].join("");
}

/** Whether no level is rated below a lower one. */
function isRising(levels) {
  const rated = levels.map((level) => level.elo).filter((each) => each !== null);
  return rated.every((each, at) => at === 0 || each >= rated[at - 1]);
}

/** Return which levels have been measured, in words; nothing where none was. */
export function measuredLevels(levels) {
  const measured = levels.filter((level) => level.error !== null).map((level) => level.level);
  if (!measured.length) return "";
  return measured.length === levels.length ? "all levels" : `levels ${list(measured)}`;
}

function list(numbers) {
  return numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

/** Return `[value, text]` of everybody who can take a seat in a variant. */
export function players(variant, human = true) {
  const levels = variant.levels.map((level) => [level.agent, `Level ${level.level}${elo(level)}`]);
  const others = variant.agents.filter((agent) => agent !== "best").map((agent) => [agent, agent]);
  return [...(human ? [["human", "You"]] : []), ...levels, ...others];
}

/** Draw a row with a select for every seat; `change(agents)` is called with all of them. */
export function drawSeats(variant, agents, change, human = true) {
  const chosen = [...agents];
  const holes = variant.board.scene.board === "holes";
  return h(
    "div",
    {},
    variant.seats.map((seat, player) => {
      const label = seat.name + (seat.colour && seat.colour !== seat.name ? `, ${seat.colour}` : "");
      const choices = players(variant, human);
      if (!choices.some(([value]) => value === chosen[player]))
        choices.push([chosen[player], chosen[player]]);
      return h(
        "div",
        { class: "seat-row" },
        swatch(seat.colour ?? "grey", holes),
        h("span", {}, label, player === 0 ? h("span", { class: "soft small" }, " moves first") : null),
        select(
          choices,
          chosen[player],
          (value) => {
            chosen[player] = value;
            change(chosen);
          },
          { "aria-label": `Player of ${label}` },
        ),
      );
    }),
  );
}
