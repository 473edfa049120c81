"""Every verb on every odd terminal, as text and as JSON."""

import pytest
from cli.quick_commands import QUICK
from cli.terminals import TERMINALS, check, prepared_server


@pytest.fixture(scope="module")
def terminal(tmp_path_factory):
    with prepared_server(tmp_path_factory.mktemp("terminals")) as run:
        yield run


@pytest.mark.parametrize("verb", QUICK)
def test_every_verb_on_every_terminal(terminal, verb, tally):
    for name in TERMINALS:
        check(terminal, verb, name)
    tally("commands on odd terminals", 2 * len(TERMINALS))
