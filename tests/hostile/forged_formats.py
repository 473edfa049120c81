"""A small valid file of every format, how it is forged, and everything that reads it.

A reader may raise a `HalmaError`; what it returns otherwise is checked here.
"""

import json
import random
import sqlite3
from functools import partial

import numpy as np
from hostile import forger
from hostile.forged_reading import Format

import halma
from halma.arena import GameStore, make_plan, play_matches
from halma.arena.saved import saved_game, saved_games
from halma.errors import HalmaError
from halma.games.saved import SavedGame, read_json_lines
from halma.lab.he2016.pruning import EXPERIMENTS as PRUNING
from halma.lab.workspace import Workspace
from halma.learn import load, train
from halma.learn.grading import grade_agents
from halma.learn.metrics import EPOCHS, read_epochs, read_metrics
from halma.learn.recipe import checked
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.reports.page import write_report
from halma.learn.run import read_meta
from halma.networks import lookup_table
from halma.selfplay.records import saved_games as games_of_selfplay
from halma.solve import solve
from halma.solve.engines import engine_for
from halma.solve.solver import open_table
from halma.solve.tables import save_arrays, table_path
from halma.solve.truth import examine
from halma.tensors import open_tensors

EXPECTIMAX = halma.game("ewn-2x2-1")
RETROGRADE = halma.game("rhombus-3x3-1")
ENDGAMES = halma.game("draughts-8x8")

TABULAR = {
    **{"game": "ewn-2x2-1", "iterations": 2, "search.simulations": 4, "selfplay.games": 4},
    **{"truth.games": 10, "checkpoints.seconds": 0.0, "checkpoints.keep": 2, "truth.plies": 2},
}
NETWORK = {
    **{"method": "alphazero", "game": "rhombus-3x3-1", "network": "hsueh2023:filters=4"},
    **{"iterations": 1, "search.simulations": 4, "search.max_considered_actions": 4},
    **{"selfplay.games": 4, "selfplay.parallel_games": 4, "selfplay.max_plies": 8},
    **{"learning.batch_size": 4, "learning.warmup_steps": 0, "evaluation.every": 0},
}
#: A run that ends with its warm start.
WARM_START = {
    **NETWORK,
    **{"iterations": 0, "warm_start.games": 4, "warm_start.epochs": 2},
    **{"warm_start.agent": "greedy", "warm_start.random_starts": 0.5},
    **{"warm_start.random_openings": 0.5},
}


def all_formats(folder):
    """Make a valid file of every format in a folder; return what forges and reads each."""
    return {
        **_run_formats(folder / "tabular"),
        **_network_formats(folder / "network"),
        **_warm_start_formats(folder / "warm start"),
        **_table_formats(folder),
        **_game_formats(folder),
        "measurements": _measurements(folder / "lab"),
    }


def _run_formats(run):
    recipe = load("hsueh2023/ewn-3x3-3", TABULAR)
    train(recipe, run)
    position = halma.Record(EXPECTIMAX)
    position.roll(random.Random(0))

    def look_up(path):
        lookup_table._open.cache_clear()
        table = lookup_table.open_lookup_table(path, EXPECTIMAX)
        policy = table.policy(position.position)
        assert abs(policy.sum() - 1) < 1e-6 and 0 <= table.value(position.position) <= 1

    def resume(path):
        """Continue for no iteration, or for one where the last checkpoint is another one's."""
        out = path.parent if path.parent.name == "tabular" else path.parent.parent
        train(load(str(out / "recipe.toml")), out)

    def report(path):
        write_report(run, out=run.parent / "report.html")

    def finish(path):
        """Go back to the first iteration and train the second again."""
        data, other = path.read_bytes(), path.with_name("iteration-000001.safetensors")
        kept = other.read_bytes()
        try:
            other.unlink()
            load_tabular(path, data)
        finally:
            other.write_bytes(kept)

    def load_tabular(path, data):
        from halma.learn.reports.events import Reporter
        from halma.learn.run import RunDirectory
        from halma.learn.tabular import TabularAlphaZero

        with RunDirectory(run, recipe) as directory:
            session = TabularAlphaZero(recipe, directory, Reporter([]))
            checkpoint = session.checkpoints.newest(print, session.structure, session.arrays)
            session.iteration = checkpoint.description["iteration"]
            session.prepare(checkpoint)
            session.iterate(session.iteration + 1)

    checkpoint = run / "checkpoints" / "iteration-000002.safetensors"
    return {
        "lookup table": Format(checkpoint, forger.forge_tensors, [look_up], [finish]),
        "metrics": Format(
            run / "metrics.jsonl",
            forger.forge_json_lines,
            [lambda path: read_metrics(run), lambda path: read_metrics(run, "tabular")],
            [resume, report],
        ),
        "meta": Format(
            run / "meta.json", forger.forge_json, [lambda path: read_meta(run)], [resume, report]
        ),
        "recipe": Format(
            run / "recipe.toml", forger.forge_toml, [lambda path: load(str(path))], [report]
        ),
    }


def _network_formats(run):
    import torch

    from halma.learn.alphazero import AlphaZero
    from halma.learn.reports.events import Reporter
    from halma.learn.run import RunDirectory
    from halma.learn.sections.dqn import RewardSettings
    from halma.learn.trainer import Trainer, checkpoint_arrays
    from halma.learn.transitions import find_transitions

    torch.set_num_threads(1)
    recipe = checked("small", NETWORK)
    train(recipe, run, device="cpu")

    def read_games(path):
        files = GameFiles(run, recipe.game)
        games, metrics = files.read(1)
        assert all(value is None or abs(value) < np.inf for value in metrics.values())
        saved = list(games_of_selfplay(games, recipe.game))
        assert len(saved) == len(games) and all(one.json_line() for one in saved)
        games.encode(recipe.game, np.arange(len(games.moves)))
        games.part(0, 1)
        buffer = ReplayBuffer(recipe.game, 20, 1.0, 0)
        buffer.fill(files, 1, print)
        buffer.gather()
        assert 0 <= buffer.duplicates <= 1
        transitions = find_transitions(recipe.game, games, RewardSettings())
        assert len(transitions) <= len(games.moves)

    identity = {"kind": AlphaZero.kind, "game": recipe.game.identity, "iteration": 1}
    valid = open_tensors(run / "checkpoints" / "iteration-000001.safetensors", {})
    kinds = checkpoint_arrays(recipe.game, recipe.settings, valid.names, ["best."])
    kinds = {name: kinds[name] for name in valid.names}

    def read(path):
        open_tensors(path, identity, lambda description: "", lambda file: kinds)

    def restore(path):
        with RunDirectory(run, recipe) as directory:
            session = AlphaZero(recipe, directory, Reporter([]))
            checkpoint = session.checkpoints.newest(print, session.structure, session.arrays)
        trainer = Trainer(recipe.game, recipe.settings, "cpu")
        trainer.restore(checkpoint.arrays(), checkpoint.description["steps"])

    name = "iteration-000001.safetensors"
    return {
        "self-play games": Format(run / "games" / name, forger.forge_tensors, [read_games]),
        "network checkpoint": Format(
            run / "checkpoints" / name, forger.forge_tensors, [read], [restore], every=12
        ),
    }


def _warm_start_formats(run):
    from halma.learn import run as names
    from halma.learn.reports.events import Handler, Note, Reporter
    from halma.learn.trainer import Trainer
    from halma.learn.warm_start import WarmStart as Stage

    recipe = checked("small", WARM_START)
    train(recipe, run, device="cpu")
    lines = (run / EPOCHS).read_bytes()
    trainer = Trainer(recipe.game, recipe.settings, "cpu")

    class Refusal(Handler):
        """Raises what a session would report before it begins again."""

        def handle(self, report):
            if isinstance(report, Note):
                raise HalmaError(report.text)

    def restore(path):
        (run / EPOCHS).write_bytes(lines)
        Stage(
            recipe.game,
            recipe.settings,
            run,
            trainer,
            Reporter([Refusal()]),
            1,
            lambda buffer, epoch: None,
            lambda: False,
            lambda: 0.0,
        ).restore()

    def report(path):
        write_report(run, out=run.parent / "report.html")

    return {
        "warm start": Format(run / names.WARM_START, forger.forge_tensors, [restore], every=12),
        "epochs": Format(
            run / EPOCHS, forger.forge_json_lines, [lambda path: read_epochs(run)], [report]
        ),
    }


def _table_formats(folder):
    formats = {}

    def read_table(path, game):
        solution = open_table(path, game)
        record = halma.Record(game)
        record.roll(random.Random(0))
        if solution.kind != "endgame tables":
            assert 0 <= solution.value(record.position) <= 1
            assert solution.best_moves(record.position)
            values = solution.values_at(np.arange(game.core.index_size))
            assert np.isnan(values).any() or ((values >= 0).all() and (values <= 1).all())
            solution.start_value()

    def verify(path, game):
        solution = open_table(path, game)
        solution.verify()
        if solution.kind != "endgame tables":
            examine(solution, sample=3)
            grade_agents(solution, ["random"], games=2, sample=3)

    for game, pieces in ((EXPECTIMAX, None), (RETROGRADE, None), (ENDGAMES, 2)):
        solve(game, folder, pieces=pieces)
        path = table_path(game, folder, pieces)
        kind = open_table(path, game).kind
        read = partial(read_table, game=game)
        formats[kind] = Format(path, forger.forge_table, [read], [partial(verify, game=game)])
        formats[f"checkpoint of {kind}"] = _partial(folder / "partial", game, pieces)
    return formats


def _partial(folder, game, pieces):
    """Return a solver's checkpoint, read by going on from it."""
    engine = engine_for(game, 1, pieces)
    engine.step()
    engine.step()
    arrays, about = engine.checkpoint()
    path = table_path(game, folder, pieces).with_suffix(".partial")
    copies = {name: array.copy() for name, array in arrays.items()}
    save_arrays(path, game, "checkpoint", {**about, "seconds": 1.0}, copies)

    def go_on(path):
        notes = []
        solve(game, folder, threads=1, pieces=pieces, note=notes.append)
        if "is not used" in notes[0]:
            raise HalmaError(notes[0])

    return Format(path, forger.forge_table, [go_on], every=4)


def _game_formats(folder):
    store, lines = folder / "games.db", folder / "games.jsonl"
    plan = make_plan("ewn-2x2-1", ["greedy", "random"])
    with GameStore(store) as db:
        play_matches([plan], 4, store=db)
        saved = list(saved_games(db))
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    lines.write_text("".join(one.json_line() for one in saved))

    def read_store(path):
        with GameStore(path, read_only=True) as db:
            for match in db.matches():
                assert all(score >= 0 for _, game in db.games(match.id) for score in game.result)
            assert all(one.json_line() for one in saved_games(db) if isinstance(one, SavedGame))
            for number in (1, 4):
                saved_game(db, number)
        assert sorted(path.parent.glob("games.db-*")) == []

    def go_on(path):
        with GameStore(path) as db:
            play_matches([plan], 5, store=db)

    def read_lines(path):
        for one in read_json_lines(path.read_bytes().decode(errors="replace")):
            assert isinstance(one, HalmaError) or json.loads(one.json_line())["moves"] is not None

    scratch = folder / "scratch.db"
    forge = partial(forger.forge_store, scratch=scratch)
    return {
        "store of games": Format(store, forge, [read_store], [go_on]),
        "saved games": Format(lines, forger.forge_json_lines, [read_lines]),
    }


def _measurements(folder):
    def note(text):
        """Print nothing."""

    workspace = Workspace(folder, note, draw_only=True)
    path = workspace.pages / "measured.json"
    for job in PRUNING[0].jobs(workspace):
        workspace.measurements[job.name] = {"seconds": 0.5, "leaves": 5}

    def draw(path):
        PRUNING[0].page(Workspace(folder, note, draw_only=True))

    return Format(path, forger.forge_json, [draw])
