"""Every place that reads text from a person or a file, with texts that are nearly right.

Each test has its share of `--hostile-seconds`; `--hostile-seed` gives the same texts again.
"""

import pytest
from hostile.fuzzed_groups import GROUPS
from hostile.fuzzer import fuzz, report
from hostile.sandbox import sandbox


@pytest.mark.parametrize("group", GROUPS)
def test_texts_are_understood_or_refused(group, hostile_seconds, hostile_seed, tally):
    failures = []
    with sandbox() as folder:
        targets = GROUPS[group](folder)
        for target in targets:
            number, found = fuzz(target, hostile_seed, hostile_seconds / len(targets))
            tally("strings", number)
            failures += [report(target, hostile_seed, found)] if found else []
    assert not failures, "\n\n".join(failures)
