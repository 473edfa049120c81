"""Options, marker and tally of the long tests with kills, forged files and fuzzed text.

`make hostile` runs them. Helpers are imported as `from hostile.forger import ...`, so that the
short tests in other folders share them.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
#: Options of this folder: name, default, help.
OPTIONS = (
    ("--hostile-seconds", 60, "seconds of each fuzzer and each forger"),
    ("--hostile-seed", 1, "seed of kills, forged files and fuzzed text"),
    ("--kills", 1000, "processes to kill at failpoints"),
)
COUNTED = "tally: "


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hostile")
    for name, default, explanation in OPTIONS:
        group.addoption(name, type=int, default=default, help=f"{explanation} ({default})")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as hostile, before markers select tests."""
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("hostile")


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the sums of what the tests counted, in whichever process they ran."""
    sums: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for name, count in report.user_properties:
                    if name.startswith(COUNTED):
                        sums[name.removeprefix(COUNTED)] += count
    if sums:
        terminalreporter.section("tally")
        for name, count in sums.items():
            terminalreporter.line(f"{count:>12,} {name}")


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Callable[[str, int], None]:
    """Count something, such as `tally("forged files", 20)`, for the summary."""

    def add(what: str, count: int = 1) -> None:
        request.node.user_properties.append((COUNTED + what, count))

    return add


def _option(config: pytest.Config, name: str) -> int:
    """Return an option; its default where pytest met this folder only after its command line."""
    defaults = {option: default for option, default, _ in OPTIONS}
    return int(config.getoption(name, defaults[name]))


@pytest.fixture
def hostile_seconds(pytestconfig: pytest.Config) -> int:
    """Seconds that a fuzzer or forger may take."""
    return _option(pytestconfig, "--hostile-seconds")


@pytest.fixture
def hostile_seed(pytestconfig: pytest.Config) -> int:
    """Seed of kills, forged files and fuzzed text."""
    return _option(pytestconfig, "--hostile-seed")


@pytest.fixture
def kills(pytestconfig: pytest.Config) -> int:
    """Processes to kill, over all commands."""
    return _option(pytestconfig, "--kills")
