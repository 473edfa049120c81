"""liu2019's experiments with networks, whole: tiny runs, their matches and pages."""

import pytest

from halma.lab import Workspace, find_paper, reproduce
from halma.lab.experiment import Paper
from halma.lab.keeping import keep
from halma.lab.liu2019 import settings
from halma.lab.scoreboard import score

NETWORK = {
    "network": "hsueh2023:filters=4",
    "iterations": 2,
    "search.simulations": 2,
    "selfplay.games": 4,
    "selfplay.parallel_games": 4,
    "learning.batch_size": 32,
    "learning.samples_per_new": 0.5,
    "gate.games": 2,
    "evaluation.every": 0,
}
TINY = {
    settings.MAIN: {
        **NETWORK,
        "warm_start.epochs": 2,
        "warm_start.games": 20,
        "warm_start.samples_per_new": 0.5,
        # Untrained networks hardly ever finish a game.
        "learning.draws": "keep",
        "archive.every": 1,
    },
    settings.TABULA_RASA: {**NETWORK, "selfplay.progress_plies": 12},
    settings.DQN: {
        "network": "hsueh2023:filters=4",
        "iterations": 2,
        "play.games": 4,
        "play.parallel_games": 4,
        "play.move_limit": 12,
        "learning.replay_buffer": 200,
        "learning.prefill": 10,
        "learning.steps_per_move": 0.1,
        "evaluation.test_games": 2,
        "evaluation.every": 0,
    },
}
SCALE = settings.QUICK._replace(
    table_games=4,
    sweep_games=2,
    sweep_simulations=(1, 2),
    sweep_cs=(1.0, 3.5),
    c_simulations=(2,),
    version_games=2,
    version_simulations=2,
    start_games=2,
    rival_games=2,
    style_games=2,
)
#: Rows that each page has at least, and what the first of them begins with.
EXPECTED = {
    "table2": (2, "seed 0, 4 games"),
    "fig10": (2, "loss"),
    "fig11": (2, "loss"),
    "passes": (2, "loss"),
    "fig13": (3, "rows that greedy advances"),
    "simulations": (3, "more simulations"),
    "exploration": (3, "c with 2 simulations"),
    "starts": (5, "M_N against M_R, without search"),
    "rival-dqn": (2, "DQN against greedy"),
    "rival-tabula-rasa": (2, "Tabula rasa against greedy"),
    "fig9": (1, "epsilon"),
    "fig12": (1, "mean absolute error"),
    "fig14": (2, "accumulated reward"),
    "fig15": (1, "loss"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The workspace that all experiments share, so that each run is trained once."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture
def workspace(folder, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(settings, "_REDUCED", TINY)
    monkeypatch.setattr(settings, "QUICK", SCALE)
    return Workspace(folder, print, workers=1)


#: Those that train several runs of their own.
_SLOW = ("fig10", "passes", "starts")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in _SLOW else []) for name in EXPECTED],
)
def test_an_experiment_from_its_runs_to_its_page(workspace, name, tmp_path, monkeypatch):
    report = reproduce("liu2019", workspace, name)
    assert "failed" not in report.about
    (section,) = report.sections
    rows, first = EXPECTED[name]
    assert len(section.rows) >= rows and section.rows[0].what.startswith(first)
    for figure in section.figures:
        assert (workspace.pages / figure.file).stat().st_size > 1000
    # The same page again, from what was measured.
    drawn = Workspace(workspace.folder, print, draw_only=True)
    assert reproduce("liu2019", drawn, name).sections == report.sections
    # And from what is kept, without the runs and their networks.
    monkeypatch.setattr(Paper, "kept", property(lambda paper: tmp_path / "kept"))
    assert "left out" not in keep(find_paper("liu2019"), workspace.folder, "abc1234")
    kept = Workspace(tmp_path, print, draw_only=True, kept=tmp_path / "kept")
    again = reproduce("liu2019", kept, name)
    if name == "fig9":  # an epsilon of 0.325, rounded once more, is shown as 0.33
        assert again.data["epsilon"] == [pytest.approx(one) for one in report.data["epsilon"]]
    else:
        assert again.sections == report.sections
    chosen = next(one for one in find_paper("liu2019").experiments if one.name == name)
    assert score(find_paper("liu2019"), chosen, tmp_path / "scores").status == "reduced"
