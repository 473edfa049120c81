"""Calls of every function that Python can reach, with numbers, bytes and arrays of all kinds.

Signatures are read from the functions themselves, so that a new function is called as well. Calls
run in forked processes, which note each before they make it: a crash or a hang is seen, and named.
"""

from __future__ import annotations

import ast
import math
import multiprocessing
import random
import re
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

import halma
from halma import _core
from halma.errors import HalmaError
from halma.search import search_options
from halma.selfplay import selfplay_options

#: Seconds after which a call is interrupted, and after which it must have ended.
INTERRUPT, HANG = 0.05, 20.0
#: Memory that calls may ask for beyond what the process has.
MEMORY = 1 << 30

_POWERS = [2**bits + more for bits in (15, 16, 31, 32, 63, 64) for more in (0, -1)]
_NUMBERS = (1, 2, 63, 65, 255, 1024, 10_000, *_POWERS, 10**30)
_OTHERS = (None, "x", b"", math.nan)
WHOLE = (*_NUMBERS, *(-number for number in _NUMBERS), 0, 10**5000, True, 1.5, *_OTHERS)
REAL = (0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, math.inf, -math.inf, 10**400, 2**70, *_OTHERS)
#: Bytes of a state that are often the edge of something.
_BYTES = (0, 1, 127, 128, 255)
DTYPES = (np.uint8, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32)

#: A variant of each family, small enough to be solved where the family can be.
VARIANTS = (
    "rhombus-3x3-1",
    "star-121-3p",
    "draughts-8x8",
    "ewn-3x3-2",
    "cdc-2x4-PPPP",
    "rhombus-4x4-3:view=ids",
)


@dataclass(frozen=True)
class Function:
    """A function with values of its arguments that it can work with."""

    name: str
    call: Callable[..., Any]
    #: by position, or by name where it has to be
    positional: tuple[Any, ...]
    named: dict[str, Any]

    def attempt(self, rng: random.Random) -> tuple[str, Callable[[], Any]]:
        """Return a call with some arguments replaced, and how it would be written."""
        positional, named = list(self.positional), dict(self.named)
        places: list[Any] = [*range(len(positional)), *named]
        for place in rng.sample(places, min(len(places), rng.choice((0, 1, 1, 1, 2, 3)))):
            arguments: Any = named if isinstance(place, str) else positional
            arguments[place] = _nasty(arguments[place], rng)
        written = [*map(_written, positional), *(f"{k}={_written(v)}" for k, v in named.items())]
        return f"{self.name}({', '.join(written)})", lambda: self.call(*positional, **named)


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {value.shape}>"
    if isinstance(value, int) and abs(value) > 10**40:
        return f"10**{round(math.log10(abs(value)))}"
    try:
        return repr(value)[:100]
    except ValueError:  # a list of very large numbers
        return f"<{type(value).__name__}>"


def _nasty(good: Any, rng: random.Random) -> Any:
    """Return a value in place of one of the same kind."""
    if isinstance(good, bool):
        return rng.choice((not good, None, 2))
    if isinstance(good, int):
        return rng.choice(WHOLE)
    if isinstance(good, float):
        return rng.choice(REAL)
    if isinstance(good, str):
        return rng.choice(("", "x" * 1000, "\0", "é", None, 1))
    if isinstance(good, bytes):
        changed = bytearray(good)
        for _ in range(rng.choice((1, 1, 2, 8, len(good)))):
            changed[rng.randrange(len(good))] = rng.choice((*_BYTES, rng.randrange(256)))
        state = bytes(changed)
        return rng.choice((state, state, state, good[:-1], good * 2, b"", None))
    if isinstance(good, np.ndarray):
        return _nasty_array(good, rng)
    if isinstance(good, list | tuple):
        items = [_nasty(item, rng) if rng.random() < 0.5 else item for item in good]
        return rng.choice((items, [], items * 300, [None], None))
    if isinstance(good, dict):
        changed = {k: _nasty(v, rng) if rng.random() < 0.3 else v for k, v in good.items()}
        return rng.choice((changed, changed, {}))
    return rng.choice((good, None, 0, "x"))


def _nasty_array(good: np.ndarray, rng: random.Random) -> Any:
    numbers = np.random.default_rng(rng.getrandbits(32))
    raw = np.frombuffer(numbers.bytes(good.nbytes), good.dtype).reshape(good.shape)
    return rng.choice(
        (
            raw,
            raw,
            np.zeros_like(good),
            np.full_like(good, np.nan if good.dtype.kind == "f" else 1),
            good[:0],
            good[: len(good) // 2],
            np.nan_to_num(good).astype(np.uint8).astype(rng.choice(DTYPES)),
            np.asfortranarray(good),
            np.repeat(good, 2, axis=0)[::2],
            good[..., None],
            good.reshape(-1),
            good.newbyteorder(">") if hasattr(good, "newbyteorder") else good,
            good.tolist(),
            None,
        )
    )


def objects(variant: str) -> dict[str, Any]:
    """Return objects of the core by the names of their classes, for one variant."""
    game = halma.game(variant)
    core, limits = game.core, game.limits
    rng = random.Random(1)
    record = halma.Record(game)
    record.roll(rng)
    search = _core.Search(core, search_options(game, rule="uct"), "uniform")
    search.set_record(record.core)
    search.run(10)
    network = _core.Search(core, search_options(game), "network")
    network.set_record(record.core)
    network.begin(10)
    minimax = _core.MinimaxOptions()
    minimax.kind = "maxn" if game.players > 2 else "expectimax"
    options = selfplay_options(game, {"rule": "puct"}, simulations=4)
    made: dict[str, Any] = {
        "AnyGame": core,
        "Limits": limits,
        "Record": record.core,
        "Search": search,
        "SearchOptions": search_options(game),
        "SelfPlayOptions": options,
        "MinimaxOptions": minimax,
        "Minimax": _core.Minimax(core, minimax),
        "Pool": _core.Pool(core, options, limits, 4),
        "SternhalmaOptions": _core.SternhalmaOptions(
            mirror_hops=False,
            occupy=True,
            closed_points=False,
            locked_target=False,
            second_place=False,
            all_places=False,
            teams=False,
            ids_view=False,
            sideways=True,
            more_features=False,
        ),
        "searches": [network],
        "state": record.core.state(),
    }
    if _core.Endgames.supports(core):
        made["Endgames"] = made["Oracle"] = _core.Endgames(core, 2)
        made["Endgames"].step()
    if _core.Retrograde.supports(core):
        made["Retrograde"] = _core.Retrograde(core)
        made["Retrograde"].step()
        values, distances = made["Retrograde"].values(), made["Retrograde"].distances()
        made["RetrogradeTable"] = _core.RetrogradeTable(core, values, distances)
    if game.players == 2 and 0 < core.index_size < 1 << 20:
        made |= _solved(core)
    return made


def _solved(core: _core.AnyGame) -> dict[str, Any]:
    solver = _core.Expectimax(core)
    while solver.step():
        pass
    table = _core.ExpectimaxTable(core, solver.values().copy(), solver.distances().copy())
    options = _core.TabularOptions()
    options.games = 2
    trainer = _core.TabularTrainer(core, options)
    return {
        "Expectimax": solver,
        "ExpectimaxTable": table,
        "Oracle": table,
        "TabularOptions": options,
        "TabularTrainer": trainer,
        "values": solver.values().copy(),
        "distances": solver.distances().copy(),
        "reachable": table.reachable(),
    }


def functions(variant: str) -> Iterator[Function]:
    """Yield all functions and methods of the core that can be called for a variant."""
    made = objects(variant)
    for name in dir(_core):
        found = getattr(_core, name)
        if isinstance(found, type):
            yield from _methods(name, found, made)
        elif callable(found) and not name.startswith("_"):
            yield from _filled(name, found, found, made)


def _methods(name: str, cls: type, made: dict[str, Any]) -> Iterator[Function]:
    instance = made.get(name)
    if instance is None and isinstance(made["AnyGame"], cls):
        instance = made["AnyGame"]
    if name != "ScriptedGame":
        yield from _filled(name, cls, cls.__init__, made)
    for method in dir(cls):
        attribute = getattr(cls, method)
        if method.startswith("_"):
            continue
        if isinstance(attribute, property):
            if instance is not None and attribute.fset is not None:
                good = getattr(instance, method)
                setter = _setter(instance, method)
                yield Function(f"{name}.{method} = ", setter, (good,), {})
        elif callable(attribute) and instance is not None:
            yield from _filled(f"{name}.{method}", getattr(instance, method), attribute, made)


def _setter(instance: Any, name: str) -> Callable[[Any], None]:
    return lambda value: setattr(instance, name, value)


def _filled(name: str, call: Any, declared: Any, made: dict[str, Any]) -> Iterator[Function]:
    """Yield a function with good arguments, if there are some for all of its parameters."""
    for signature in getattr(declared, "__nb_signature__", ()):
        # Array types, as in ndarray[dtype=float32, shape=(*, *)], are no Python.
        text = re.sub(r"ndarray\[[^]]*\]", "ndarray", signature[0].replace("\\", "0x"))
        parsed = ast.parse(f"{text}: ...").body[0]
        assert isinstance(parsed, ast.FunctionDef)
        arguments = parsed.args
        given = [*arguments.posonlyargs, *arguments.args]
        try:
            positional = [_good(name, a, made) for a in given if a.arg not in ("self", "cls")]
            named = {a.arg: _good(name, a, made) for a in arguments.kwonlyargs}
        except KeyError:
            continue
        yield Function(name, call, tuple(positional), named)


def _good(name: str, argument: ast.arg, made: dict[str, Any]) -> Any:
    """Return a value for a parameter; `KeyError` if there is none for this variant."""
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    core = made["AnyGame"]
    rows = np.frombuffer(made["state"], np.uint8)[None].repeat(4, axis=0)
    planes = np.zeros((8, *core.shape), np.float32)
    arrays: dict[str, Any] = {
        "states": rows,
        "arg" if name.endswith("_many") else "rows": rows
        if name.endswith("_many")
        else np.zeros(4, np.int64),
        "planes": planes,
        "logits": np.zeros((8, core.actions), np.float32),
        "plies": np.zeros(4, np.int32),
        "repetitions": np.zeros(4, np.int32),
        "no_progress": np.zeros(4, np.float32),
        "policy_offsets": np.zeros(5, np.int64),
        "policy_actions": np.zeros(2, np.uint16),
        "policy_weights": np.zeros(2, np.float32),
        "mirrors": np.zeros(4, np.uint8),
        "firsts": np.zeros(4, np.int64),
        "actions": np.zeros((4, 8), np.int32),
        "weights": np.zeros((4, 8), np.float32),
        "indices": np.zeros(4, np.int64),
        "table": np.zeros(16, np.uint8),
    }
    if "ndarray" in kind.lower():
        if name.startswith(("Pool.", "submit")) and argument.arg == "values":
            return np.zeros((8, core.players), np.float32)
        if name.startswith("Retrograde") and argument.arg in ("values", "distances"):
            size = core.index_size
            return np.zeros((size + 3) // 4 if argument.arg == "values" else size, np.uint8)
        return made[argument.arg] if argument.arg in made else arrays[argument.arg]
    if kind == "int":
        legal = core.legal(made["state"])
        return legal[0] if legal and argument.arg in ("move", "arg1") else 1
    simple = {"float": 0.5, "bool": True, "str": "uniform", "bytes": made["state"]}
    if kind in simple:
        return simple[kind]
    if "Sequence[Search]" in kind or "Sequence[halma._core.Search]" in kind:
        return made["searches"]
    if "Sequence[bytes]" in kind:
        return [made["state"]]
    if "Sequence[int]" in kind:
        return core.describe(made["state"]) if name.endswith("compose") else [0]
    if "Sequence[float]" in kind:
        return []
    if kind.startswith("dict") and "Retrograde" in made:
        return made["Retrograde"].state()
    if "None" in kind:
        return 1 if "int" in kind else None
    return made[kind.rpartition(".")[2]]


def walk(variant: str, calls: int, seed: int) -> list[str]:
    """Make that many calls in another process; return what is wrong with them."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_attempt_calls, args=(variant, calls, seed, sender))
    process.start()
    sender.close()
    wrong: list[str] = []
    last, hung = "nothing", False
    while True:
        if not receiver.poll(HANG):
            hung = True
            process.kill()
            break
        try:
            kind, text = receiver.recv()
        except EOFError:
            break
        if kind == "call":
            last = text
        else:
            wrong.append(f"{last}: {text}")
    process.join()
    if hung:
        wrong.append(f"{last}: did not end within {HANG:g} s")
    elif process.exitcode:
        wrong.append(f"{last}: the process ended with status {process.exitcode}")
    return wrong


class _Interrupted(Exception):
    pass


def _attempt_calls(variant: str, calls: int, seed: int, pipe: Any) -> None:
    def interrupt(number: int, frame: Any) -> None:
        raise _Interrupted

    signal.signal(signal.SIGALRM, interrupt)
    rng = random.Random(f"{variant} {seed}")
    known = list(functions(variant))
    with open("/proc/self/statm", encoding="ascii") as sizes:
        used = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    for _ in range(calls):
        written, call = rng.choice(known).attempt(rng)
        pipe.send(("call", written))
        # The signal may come after the call as well.
        with suppress(_Interrupted):
            try:
                signal.setitimer(signal.ITIMER_REAL, INTERRUPT)
                call()
            except (HalmaError, TypeError, _Interrupted):
                pass
            except Exception as error:
                # What a network said is blamed on its file by the callers of these.
                if "of the network is not" not in str(error):
                    pipe.send(("error", f"{type(error).__name__}: {error}"))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
