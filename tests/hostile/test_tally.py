"""The frame of this folder: every test is marked, and what it counts stands in the summary."""


def test_hostile_is_marked(request, tally):
    assert request.node.get_closest_marker("hostile")
    tally("tests of the tally")
