"""All pages: phones, the back button, accessibility, size."""

import json
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PAGES = (
    "/play?variant=star-37-3p",
    "/analyse?variant=ewn-3x3-3&moves=123+123+1",
    "/watch",
    "/league",
    "/learn",
    "/learn?variant=ewn-3x3-3&moves=123+123+1+a1-b1+1+c3-c2+1+b1-c1",
    "/papers",
    "/papers/results/solved",
)


def settle(page):
    """Wait until a page has what it asked for."""
    expect(page.locator("h1")).to_have_count(1)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("path", PAGES)
def test_no_serious_finding_of_axe(visit, path):
    visitor = visit(path)
    for theme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=theme)
        settle(visitor.page)
        found = visitor.serious_findings()
        assert found == [], json.dumps(found, indent=1)


def test_the_bar_is_legible_before_and_after_colours_are_decided(visit):
    for moves, paints in (("", ("grey", "white")), ("a1+P", ("black", "red"))):
        page = visit(f"/analyse?variant=cdc-2x4-PPPP&moves={moves}").page
        for paint in paints:
            expect(page.locator(f".bar .paint-{paint}")).not_to_be_empty()
        found = Axe().run(page, context=".bar").response["violations"]
        assert [each["id"] for each in found] == []


def test_a_game_has_no_serious_finding(visit, server):
    game = server.start_game("star-37-3p", ["human", "human", "human"])
    visitor = visit(f"/play/{game}")
    settle(visitor.page)
    assert visitor.serious_findings() == []
    # Nor has one that is over.
    version = server.ask(f"games/{game}")["version"]
    server.ask(f"games/{game}/resign", {"version": version, "player": 0})
    visitor.page.reload()
    visitor.page.locator(".result").wait_for()
    settle(visitor.page)
    assert visitor.serious_findings() == []


def test_pages_of_papers_have_one_heading_and_a_list_that_leaves_them_room(visit):
    """`settle` counts the headings; a phone's list of pages opens when it is asked for."""
    page = visit("/papers/results/solved", **PHONE).page
    settle(page)
    expect(page.get_by_role("link", name="Strength")).to_be_hidden()
    page.get_by_text("All pages").click()
    page.get_by_role("link", name="Strength").click()
    expect(page.get_by_role("heading", name="Strength", exact=True)).to_be_visible()


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_a_phone(visit, path):
    page = visit(path, **PHONE).page
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_moves_by_touch_on_a_phone(visit, server):
    game = server.start_game("cdc-2x4-PPPP", ["human", "random"])
    visitor = visit(f"/play/{game}", **PHONE)
    visitor.cells("can move").first.tap()
    expect(visitor.page.locator(".moves li").nth(3)).to_be_visible()
    board = visitor.page.locator(".board").bounding_box()
    assert board["x"] >= 0 and board["x"] + board["width"] <= 360


def test_the_back_button(visit):
    visitor = visit("/play?variant=rhombus-4x4-3")
    page = visitor.page
    page.get_by_role("link", name="League").click()
    expect(page.get_by_role("heading", name="League")).to_be_visible()
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator(".board")).to_be_visible()
    visitor.move()
    expect(page.locator(".moves li")).to_have_count(1)
    page.go_back()
    expect(page.locator(".moves [aria-current]")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="League")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Play")).to_be_visible()
    assert "rhombus-4x4-3" in page.url


def test_the_first_page_is_small(visit):
    visitor = visit(None)
    answers = []
    visitor.page.on("response", lambda answer: answers.append(answer))
    visitor.open("/")
    settle(visitor.page)
    assert 20_000 < sum(len(answer.body()) for answer in answers) < 300_000


def test_what_does_not_exist_is_said_in_a_sentence(visit):
    visitor = visit("/play/nothing")
    visitor.expect("404")
    expect(visitor.page.get_by_role("alert").filter(has_text="no")).to_be_visible()


def test_agents_play_each_other(visit, server):
    game = server.start_game("ewn-3x3-3", ["random", "greedy"])
    page = visit(f"/watch/game/{game}").page
    page.get_by_label("Speed").select_option("0")
    expect(page.locator(".result")).to_contain_text("won")


def test_a_game_of_a_tournament_is_opened(visit, server):
    match = ["tournament", "greedy", "random", "lookahead", "--game", "rhombus-4x4-3"]
    subprocess.run(
        [sys.executable, "-m", "halma.cli", *match, "--games", "2", "--db", "league.db"],
        cwd=server.folder,
        check=True,
        capture_output=True,
    )
    visitor = visit("/league?name=league.db")
    page = visitor.page
    expect(page.locator(".crosstable tbody tr")).to_have_count(3)
    assert visitor.serious_findings() == []
    page.get_by_role("link", name="greedy – random").click()
    page.get_by_role("button", name="Game 1").click()
    page.wait_for_url("**/analyse?**")
    expect(page.locator(".moves li").first).to_be_visible()
