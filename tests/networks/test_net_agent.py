"""The agent that a network guides: whole games, manners, and a naive twin of its search."""

import json
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from tiny_network import tiny_model, tiny_network

import halma
from halma import networks
from halma.agents import Analyst, agent, best_name, check_agent, play_game
from halma.errors import HalmaError, NameSyntaxError, NetworkError, OptionError
from halma.networks import finding
from halma.networks.network_file import NetworkInfo
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.search import TreeSearch, search_options
from halma.search.evaluator import Evaluator

BOARDS = [
    "rhombus-5x5-3",
    "rhombus-7x7-6:rules=liu2019",
    "star-37-3p",
    "draughts-8x8",
    "ewn-3x3-3",
    "cdc-2x4-PPPP",
    "frogs-3-2",
]


def evaluator_of(game, seed=0, scale=0.5):
    return OnnxEvaluator(NetworkInfo.for_game(game, "modern"), tiny_model(game, seed, scale))


def puct_search(game, evaluator):
    return TreeSearch(game, search_options(game, rule="puct"), evaluator=evaluator)


def play(names, variant, seed=0, most_plies=0):
    record = halma.Record(halma.game(variant))
    players = [agent(names[i % len(names)]) for i in range(record.game.players)]
    list(play_game(record, players, seed, most_plies))
    return record


@pytest.mark.parametrize("rule", ["puct", "gumbel"])
@pytest.mark.parametrize("variant", BOARDS)
def test_it_plays_every_family(tmp_path, variant, rule):
    path = tiny_network(halma.game(variant), tmp_path / "x.onnx")
    record = play([f"net:{path},sims=16,rule={rule}", "random"], variant, most_plies=40)
    assert record.plies == 40 or record.is_over


def test_the_same_seed_gives_the_same_game_with_new_or_used_agents(tmp_path):
    path = tiny_network(halma.game("ewn-5x5-6"), tmp_path / "x.onnx")
    for name in (f"net:{path},sims=20,temperature=1", f"net:{path},sims=20,rule=gumbel"):
        fresh = [play([name, "random"], "ewn-5x5-6", seed).texts for seed in (1, 2, 1)]
        assert fresh[0] == fresh[2] != fresh[1]
        used = [agent(name), agent("random")]
        for seed, expected in ((2, fresh[1]), (1, fresh[0])):
            record = halma.Record(halma.game("ewn-5x5-6"))
            list(play_game(record, used, seed))
            assert record.texts == expected


@pytest.mark.parametrize("variant", BOARDS)
def test_what_the_search_is_told_is_what_the_network_says(variant):
    """Priors of the root: a softmax over the legal moves alone, of the record's own planes."""
    game = halma.game(variant)
    record = halma.Record(game)
    rng = random.Random(5)
    evaluator = evaluator_of(game)
    for _ in range(6):
        record.roll(rng)
        position = record.position
        analysis = puct_search(game, evaluator).search(record, 1)
        logits, values = evaluator.evaluate(record.encode()[None])
        legal = {move.text: logits[0, position.action(move)] for move in position.legal_moves}
        total = sum(np.exp(np.float64(logit)) for logit in legal.values())
        for report in analysis.moves:
            expected = np.exp(np.float64(legal[report.move.text])) / total
            assert report.prior == pytest.approx(expected, rel=1e-3, abs=1e-6)
        assert sum(report.prior for report in analysis.moves) == pytest.approx(1, abs=1e-4)
        assert len(analysis.moves) == len(legal)
        assert values.min() >= 0 and values.max() <= 1
        record.play(rng.choice(position.legal_moves))


def naive_puct(game, evaluator, state, simulations, c=1.0):
    """Visits of the root's moves: PUCT with a dictionary for a tree, for two players."""
    tree = {}

    def evaluate(state, planes):
        logits, values = evaluator.evaluate(planes[None])
        moves = game.core.legal(state)
        p = np.exp([logits[0, game.core.action(state, m)] for m in moves])
        return moves, p / p.sum(), float(values[0, 0])

    def visit(state, way):
        """Return the value for the mover."""
        if game.core.terminal(state):
            return game.core.result(state)[game.core.mover(state)]
        if way not in tree:
            moves, p, value = evaluate(state, game.core.encode([state]))
            tree[way] = (moves, p, np.zeros(len(moves)), np.zeros(len(moves)))
            return value
        moves, p, n, w = tree[way]
        q = np.divide(w, n, out=np.zeros_like(w), where=n > 0)
        scores = q + c * p * np.sqrt(n.sum()) / (1 + n)
        best = max(range(len(moves)), key=lambda i: (scores[i], p[i]))
        value = 1 - visit(game.core.play(state, moves[best]), (*way, best))
        n[best] += 1
        w[best] += value
        return value

    for _ in range(simulations + 1):
        visit(state, ())
    moves, _, n, _ = tree[()]
    return {game.format_move(state, m): int(k) for m, k in zip(moves, n, strict=True)}


class ZeroSum(Evaluator):
    """A network whose two values add up to 1, as the twin assumes."""

    def __init__(self, evaluator):
        self._evaluator = evaluator
        self.shape = evaluator.shape

    def evaluate(self, planes):
        logits, values = self._evaluator.evaluate(planes)
        values = np.stack([values[:, 0], 1 - values[:, 0]], 1)
        return logits, np.ascontiguousarray(values)


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "rhombus-5x5-3:hops=mirror"])
def test_it_searches_like_its_naive_twin(variant):
    game = halma.game(variant)
    evaluator = ZeroSum(evaluator_of(game, seed=3, scale=0.1))
    position = game.start()
    expected = naive_puct(game, evaluator, position.state, 60)
    found = puct_search(game, evaluator).search(position, 60)
    assert sum(visits > 0 for visits in expected.values()) > 2
    assert {report.move.text: report.visits for report in found.moves} == expected
    assert found.simulations == 60


def test_buffers_give_what_evaluate_gives():
    game = halma.game("rhombus-5x5-3")
    evaluator = evaluator_of(game)
    buffer = evaluator.buffer(8)
    assert buffer.planes.shape == (8, *game.shape) and buffer.planes.dtype == np.float32
    buffer.planes[:] = np.random.default_rng(0).random(buffer.planes.shape)
    buffer.start(5)
    for ours, theirs in zip(buffer.finish(), evaluator.evaluate(buffer.planes[:5]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_it_analyses(tmp_path):
    game = halma.game("rhombus-4x4-3")
    someone = agent(f"net:{tiny_network(game, tmp_path / 'x.onnx')},sims=50")
    assert isinstance(someone, Analyst)
    analysis = someone.analyse(halma.Record(game), random.Random(0))
    assert analysis.simulations == 50
    assert sum(report.visits for report in analysis.moves) == 50
    assert 0 <= analysis.value <= 1


def test_a_search_for_a_time_ends_where_every_line_does(tmp_path):
    game = halma.game("rhombus-4x4-3:plies=20")
    record, rng = halma.Record(game), random.Random(3)
    while record.plies < 19:
        record.play(rng.choice(record.position.legal_moves))
    someone = agent(f"net:{tiny_network(game, tmp_path / 'x.onnx')},time=0.05")
    assert someone.choose(record, rng) in record.position.legal_moves


def test_the_command_line_plays_without_torch(tmp_path):
    """Match and analyse with a network, in a process in which torch cannot be imported."""
    game = halma.game("rhombus-4x4-3")
    path = tiny_network(game, tmp_path / "x.onnx")
    block = "import sys; sys.modules['torch'] = None; from halma.cli import main; main()"

    def run(*words):
        command = [sys.executable, "-c", block, *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    done = run("analyse", game.name, "start", "--agent", "net:x.onnx,sims=20", "--json")
    assert json.loads(done.stdout)["agent"] == "net:x.onnx,sims=20", done.stderr
    done = run("play", f"net:{path},sims=4", "random", "--game", game.name, "--json")
    assert done.returncode == 0, done.stderr
    done = run("analyse", "ewn-3x3-3", "12./3.a/.cb r 2", "--agent", "net:x.onnx")
    assert done.returncode == 2
    assert (
        done.stderr.count("\n") == 1 and "it plays 'rhombus-4x4-3', not 'ewn-3x3-3'" in done.stderr
    )


def test_a_network_for_another_number_of_players(tmp_path):
    path = tiny_network(halma.game("star-73-6p"), tmp_path / "six.onnx")
    with pytest.raises(NetworkError) as caught:
        check_agent(agent(f"net:{path}"), halma.game("star-73-3p"))
    told = str(caught.value)
    assert "it plays 'star-73-6p', not 'star-73-3p', and is for 6 players, not 3;" in told
    assert "--set game=star-73-3p trains one that does" in told


def test_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for typed, canonical in (
        ("net:a.onnx", "net:a.onnx"),
        ("net:file=a.onnx,sims=100", "net:a.onnx,sims=100"),
        ("net:a.onnx,time=0.5", "net:a.onnx,time=0.5"),
        ("net:a.onnx,rule=gumbel,sims=9", "net:a.onnx,sims=9,rule=gumbel"),
        ("net:file=a=b.onnx", "net:file=a=b.onnx"),
        ("net", "net"),
        ("net:sims=3,any_rules=on", "net:sims=3,any_rules=on"),
    ):
        assert agent(typed).name == canonical
        assert agent(canonical).name == canonical
    for name, error, words in (
        ("net:version=3", NameSyntaxError, "write net:RUN,version=40"),
        ("net:a.onnx,sims=0", OptionError, "from 1"),
        ("net:a.onnx,rule=gumbel,time=1", OptionError, "takes no 'time'"),
        ("net:a.onnx,rule=uct", OptionError, "one of auto, puct, gumbel"),
        ("net:a.onnx,rule=gumbel,c=2", OptionError, "not by rule=gumbel"),
        ("net:a.onnx,temperature_plies=2", OptionError, "needs a 'temperature'"),
        ("net:nothing-here", NetworkError, "neither a file, nor the directory of a run, nor one"),
    ):
        with pytest.raises(error, match=words):
            agent(name)


def test_the_rule_follows_from_the_limit_of_the_search(tmp_path):
    game = halma.game("ewn-5x5-6")
    path = tiny_network(game, tmp_path / "x.onnx")
    for options, rule in (
        ("sims=9", "gumbel"),
        ("sims=9,max_considered_actions=4", "gumbel"),
        ("time=0.1", "puct"),
        ("sims=9,time=0.1", "puct"),
        ("sims=9,c=2", "puct"),
        ("sims=9,fpu=parent", "puct"),
        ("sims=9,rule=puct", "puct"),
    ):
        assert agent(f"net:{path},{options}").search_settings["rule"] == rule, options
    # A tree that is kept goes on, which Gumbel's cannot; so do the slices of a live analysis.
    growing = replace(agent(f"net:{path},sims=9"), reuse=True)
    assert growing.search_settings["rule"] == "puct"
    with pytest.raises(OptionError, match="'max_considered_actions' is read by rule=gumbel"):
        agent(f"net:{path},fpu=parent,max_considered_actions=4")
    chosen, named = (
        play([f"net:{path},sims=9{rule}", "random"], game.name, 3) for rule in ("", ",rule=gumbel")
    )
    assert chosen.texts == named.texts


def test_networks_that_come_with_halma(tmp_path, monkeypatch):
    game = halma.game("rhombus-4x4-3")
    tiny_network(game, tmp_path / "rhombus-4x4-3.onnx")
    monkeypatch.setattr(finding, "MODELS", tmp_path)
    assert play(["net:rhombus-4x4-3,sims=4", "random"], game.name, most_plies=6).plies == 6
    with pytest.raises(NetworkError, match="Those are rhombus-4x4-3"):
        agent("net:rhombus-4x4-6")


@pytest.fixture
def two_networks(tmp_path, monkeypatch):
    """Two networks of other rules on the same board, as if they came with halma."""
    monkeypatch.setattr(finding, "MODELS", tmp_path)
    for name, variant in (("plain", "rhombus-4x4-3"), ("he", "rhombus-4x4-3:he2016")):
        tiny_network(halma.game(variant), tmp_path / f"{name}.onnx")
    return tmp_path


def test_the_network_of_the_rules_is_chosen(two_networks):
    for variant, name in (("rhombus-4x4-3", "plain"), ("rhombus-4x4-3:win=fill", "he")):
        game = halma.game(variant)
        chosen = agent("net:sims=4")
        assert chosen.evaluator(game).info.game == game.identity
        assert best_name(halma.Record(game), 5).startswith(f"net:{name},sims=")
        assert networks.shipped_for(game) == name
    assert networks.shipped_for(halma.game("rhombus-4x4-3:liu2019")) is None
    # One for the variant's own name comes before others.
    tiny_network(halma.game("rhombus-4x4-3"), two_networks / "rhombus-4x4-3.onnx")
    finding._variants.cache_clear()
    assert networks.shipped_for(halma.game("rhombus-4x4-3")) == "rhombus-4x4-3"
    # A damaged one is left out.
    (two_networks / "he.onnx").write_bytes(b"nothing")
    finding._variants.cache_clear()
    assert networks.shipped_for(halma.game("rhombus-4x4-3:he2016")) is None


def test_other_rules_are_refused(two_networks, tmp_path):
    def said(name, variant):
        with pytest.raises(NetworkError) as error:
            check_agent(agent(name), halma.game(variant))
        return str(error.value)

    path = tiny_network(halma.game("rhombus-4x4-3"), tmp_path / "mine" / "x.onnx")
    assert said("net:plain", "rhombus-4x4-3:win=fill") == (
        "'net:plain' is not used: it plays 'rhombus-4x4-3', not 'rhombus-4x4-3:he2016'; net:he "
        "does, and with any_rules=on it plays all the same, and halma train quick --set "
        "game=rhombus-4x4-3:he2016 trains one that does."
    )
    # Another encoding, another board, another game.
    for variant in ("rhombus-4x4-3:liu2019", "rhombus-5x5-3", "ewn-3x3-3"):
        assert said(f"net:{path}", variant) == (
            f"'{path}' is not used: it plays 'rhombus-4x4-3', not '{variant}'; halma train quick "
            f"--set game={variant} trains one that does."
        )
    assert said("net", "ewn-3x3-3") == (
        "No network for 'ewn-3x3-3' comes with halma: halma train quick --set game=ewn-3x3-3 "
        "trains one, and net:FILE plays it. There are net:he for 'rhombus-4x4-3:he2016', "
        "net:plain for 'rhombus-4x4-3'."
    )
    assert "planes, rows and columns" in said(f"net:{path},any_rules=on", "rhombus-4x4-3:liu2019")
    played = play(
        [f"net:{path},any_rules=on,sims=4", "random"], "rhombus-4x4-3:he2016", most_plies=4
    )
    assert played.plies == 4


def test_solver_and_players(tmp_path):
    game = halma.game("star-37-3p")
    path = tiny_network(game, tmp_path / "x.onnx")
    with pytest.raises(OptionError, match="for two players"):
        play([f"net:{path},sims=4,solver=on"], game.name)
    with pytest.raises(HalmaError, match="no use of a network's policy"):
        TreeSearch(game, search_options(game, rule="uct"), evaluator=evaluator_of(game))
