"""What the page offers: variants, their rule sets, options and pages of rules."""

import itertools

import pytest

pytest.importorskip("fastapi")
from web_helpers import serving

import halma
from halma.games import families
from halma.networks.finding import shipped_variants
from halma.networks.sparse_network import shipped_evaluator_variants


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


def describe(client, name):
    answer = client.get("/api/variant", params={"name": name})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_variant_with_a_trained_player_is_listed(client):
    listed = client.get("/api/variants").json()["families"]
    names = [variant["name"] for family in listed for variant in family["variants"]]
    assert len(names) == len(set(names))
    trained = {name.partition(":")[0] for name in shipped_variants() | shipped_evaluator_variants()}
    assert trained <= set(names)
    assert trained - set(halma.variant_names())
    # The well-known ones keep their order, the real game being the last of them.
    known = {family.title: [*family.variants] for family in families()}
    for family in listed:
        here = known[family["title"]]
        assert [each["name"] for each in family["variants"] if each["name"] in here] == here
        assert family["real"] == here[-1]


@pytest.mark.parametrize("name", halma.variant_names())
def test_the_rule_sets_of_a_variant_can_be_played(client, name):
    found = describe(client, name)
    assert found["bare"] == found["name"] == found["short"] == name
    for rules in found["rules"]:
        other = describe(client, rules["variant"])
        assert (other["name"], other["short"]) == (rules["variant"], f"{name}:{rules['name']}")
        assert (other["bare"], other["rules"]) == (name, found["rules"])
        assert other["name"] != name


def test_levels_that_are_rated_below_lower_ones_are_within_the_error(client):
    """The page says so beside the ratings."""
    found = 0
    for each in client.get("/api/ladder").json()["variants"]:
        measured = [level for level in each["levels"] if level["error"] is not None]
        for low, high in itertools.combinations(measured, 2):
            found += high["elo"] < low["elo"]
            assert high["elo"] + high["error"] >= low["elo"] - low["error"]
    assert found


def test_rule_sets_that_a_board_does_not_have_are_not_offered(client):
    offered = {each["name"] for each in describe(client, "rhombus-5x5-3")["rules"]}
    assert "liu2019" in offered and "schulte2021" not in offered
    # schulte2021's are the default there.
    offered = {each["name"] for each in describe(client, "star-37-3p")["rules"]}
    assert "standard" in offered and "schulte2021" not in offered
