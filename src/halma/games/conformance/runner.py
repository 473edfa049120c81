"""Running the conformance check: random games first, then each requirement on their positions."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from halma.errors import ArgumentError, error_text
from halma.games.conformance import kernels, learning, play, presentation
from halma.games.conformance.requirement import MAX_EVENTS, Requirement, Sample
from halma.games.game import Game, Position

#: all requirements, in the order of the report
REQUIREMENTS = [
    value
    for part in (play, learning, presentation, kernels)
    for value in vars(part).values()
    if isinstance(value, Requirement)
]

#: failures kept for one requirement
MAX_FAILURES = 5
#: chance events in a row after which a game counts as endless
MAX_CHANCE_RUN = 50
#: positions of a kind that are examined
MAX_POSITIONS = 120


@dataclass(frozen=True)
class RequirementResult:
    """One requirement: how often it was tested and how it failed.

    `tested` is 0 where there was nothing to test it on, such as outcomes in a game
    without chance.
    """

    name: str
    requirement: str
    tested: int
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no failure was found."""
        return not self.failures


@dataclass(frozen=True)
class ConformanceReport:
    """The results of a conformance check, one for each requirement."""

    game: str
    games: int
    seed: int
    requirements: tuple[RequirementResult, ...]

    @property
    def ok(self) -> bool:
        """Whether every requirement holds."""
        return not self.failed()

    def __getitem__(self, name: str) -> RequirementResult:
        return next(result for result in self.requirements if result.name == name)

    def failed(self) -> list[str]:
        """Return the names of the requirements that do not hold."""
        return [result.name for result in self.requirements if not result.ok]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        results = [{**asdict(result), "ok": result.ok} for result in self.requirements]
        return {**asdict(self), "ok": self.ok, "requirements": results}

    def __str__(self) -> str:
        lines = []
        for result in self.requirements:
            status = "ok    " if result.ok else "FAILED"
            lines.append(f"{status} {result.name:<12} {result.requirement}")
            lines.extend(f"       {failure}" for failure in result.failures)
        return "\n".join(lines)


def check(game: Game, games: int = 20, seed: int = 0) -> ConformanceReport:
    """Play random games and test every requirement of the contract on their positions.

    A failed requirement, or an exception, does not stop the check.
    """
    if games < 1:
        raise ArgumentError(f"A check plays one game at least, not {games}.")
    if not 0 <= seed < 2**64:
        raise ArgumentError(f"A seed is a whole number from 0 to 2**64 - 1, not {seed}.")
    sample = Sample(game, seed)
    results = [_play_games(sample, games), *(_test(each, sample) for each in REQUIREMENTS)]
    return ConformanceReport(game.name, games, seed, tuple(results))


def _test(requirement: Requirement, sample: Sample) -> RequirementResult:
    scope = requirement.scope
    kinds = ("decision", "terminal", "chance") if scope == "any" else (scope,)
    targets: list[list[Position]] = [[position] for position in sample.positions(*kinds)]
    if scope == "game" or (scope == "kernel" and sample.playable):
        targets = [[]]
    failures: list[str] = []
    tested = 0
    for target in targets:
        tested += 1
        sample.violations.clear()
        try:
            requirement.test(sample, *target)
        except Exception as error:
            sample.fail(f"This was raised: {error_text(error)}.")
        failures += [violation + _where(sample, *target) for violation in sample.violations]
        if len(failures) >= MAX_FAILURES:
            break
    kept = tuple(failures[:MAX_FAILURES])
    return RequirementResult(requirement.name, requirement.text, tested, kept)


def _where(sample: Sample, target: Position | None = None) -> str:
    at = "" if target is None else f"At {sample.name(target.state)} "
    return f" {at}(seed {sample.seed}){'.' if at else ''}"


# Random games: they make the sample, and their end is the first requirement.


def _play_games(sample: Sample, games: int) -> RequirementResult:
    failures: list[str] = []
    seen: set[bytes] = set()
    for number in range(games):
        walk: list[tuple[bytes, int | None]] = []
        sample.walks.append(walk)
        try:
            _walk(sample, sample.rng(f"game {number}"), walk, seen)
        except Exception as error:
            sample.playable = False
            at = _where(sample, Position(sample.game, walk[-1][0])) if walk else ""
            failures.append(f"Game {number} stopped with {error_text(error)}.{at}")
            if len(failures) == MAX_FAILURES:
                break
    for states in sample.states.values():
        # The start is always kept; the others are sampled, so that not all are openings.
        if len(states) > MAX_POSITIONS:
            states[1:] = sample.rng("positions").sample(states[1:], MAX_POSITIONS - 1)
    text = "Random games can be played to their end."
    return RequirementResult("games", text, games, tuple(failures))


def _walk(
    sample: Sample, rng: random.Random, walk: list[tuple[bytes, int | None]], seen: set[bytes]
) -> None:
    """Play one random game and append its states to `walk`."""
    core = sample.game.core
    state = core.initial()
    chance_run = 0
    for _ in range(MAX_EVENTS):
        walk.append((state, None))
        if core.at_chance(state):
            kind, chance_run = "chance", chance_run + 1
            apply, choices = core.resolve, [value for value, _ in core.outcomes(state)]
        else:
            apply, choices = core.play, core.legal(state)
            kind, chance_run = "decision" if choices else "terminal", 0
        if chance_run > MAX_CHANCE_RUN:
            raise RuntimeError(f"more than {MAX_CHANCE_RUN} chance events in a row")
        if state not in seen:
            seen.add(state)
            sample.states[kind].append(state)
        if kind == "terminal":
            return
        choice = rng.choice(choices)
        if kind == "decision":
            walk[-1] = (state, choice)
        state = apply(state, choice)
