"""Deterministic agents and made-up games for the tests of the arena."""

from dataclasses import dataclass

from halma.agents import AgentSpec, registry
from halma.arena import PlayedGame


@dataclass(frozen=True)
class Pick:
    """Plays the legal move at a fixed index."""

    name: str
    place: int

    def choose(self, record, rng):
        return record.position.legal_moves[self.place]


def register_picks(monkeypatch):
    for name, place in (("pick-first", 0), ("pick-last", -1)):
        kind = AgentSpec(name, lambda name, options, place=place: Pick(name, place))
        monkeypatch.setitem(registry._SPECS, name, kind)


def made_up(number, result, moves=("x",), agents=("a", "b")):
    return PlayedGame(
        number=number,
        agents=tuple(agents),
        start="here",
        opening=0,
        moves=tuple(moves),
        plies=len(moves),
        result=tuple(result),
        end="by the rules",
        seed=f"0/game {number}",
        seconds=0.25,
    )
