"""Long calls of the core run the handlers of signals, and end if those raise."""

import random
import signal
import threading

import pytest

import halma
from halma.agents import agent
from halma.solve.engines import engine_for

pytestmark = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)


class Struck(Exception):
    """A signal came in."""


@pytest.fixture
def strike():
    """A signal a tenth of a second from now."""

    def handle(number, frame):
        raise Struck

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def choose(name):
    return agent(name).choose(halma.Record(halma.game("draughts-8x8")), random.Random(1))


def solve_steps(variant, pieces=None):
    engine = engine_for(halma.game(variant), 2, pieces)
    while not engine.finished:
        engine.step()


#: Each takes hours, or minutes where there is nothing longer.
LONG = {
    "perft": lambda: halma.game("draughts-8x8").start().perft(20),
    "playouts": lambda: halma.game("ewn-5x5-6").core.playouts(
        halma.game("ewn-5x5-6").start().state, 10**12
    ),
    "mcts": lambda: choose("mcts:sims=100000000"),
    "minimax": lambda: choose("minimax:depth=40"),
    "expectimax by stages": lambda: solve_steps("ewn-3x3-4"),
    "cycles": lambda: solve_steps("cdc-2x4-KGCP"),
    "retrograde": lambda: solve_steps("rhombus-5x5-6"),
    "endgames": lambda: solve_steps("draughts-8x8", 6),
}


@pytest.mark.parametrize("name", LONG)
def test_a_signal_ends_long_work(name, strike):
    with pytest.raises(Struck):
        LONG[name]()


def test_a_handler_that_returns_changes_nothing():
    heard = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        assert halma.game("draughts-8x8").start().perft(10) == 18_391_564
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard
