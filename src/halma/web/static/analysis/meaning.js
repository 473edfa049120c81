/**
 * What the values of a search are: chances to win, or where the first gets more than one point
 * (some games of three players), shares of as many points as one player can get.
 */

/** Return the words for values of a game whose players get at most `most` points. */
export function meaningOf(most) {
  const points = `${most} points`;
  return most === 1
    ? { column: "Win", of: "", one: (name) => `Chance of ${name} to win`, all: "Chances to win" }
    : {
        column: `Of ${points}`,
        of: `of ${points}`,
        one: (name) => `Share of ${points} for ${name}`,
        all: `Shares of ${points}`,
      };
}
