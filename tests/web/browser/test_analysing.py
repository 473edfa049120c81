"""Analysis, review, editor, puzzles, import."""

import json
import re

from playwright.sync_api import expect


def rows(page):
    return page.locator(".candidates-table tbody tr")


def test_an_analysis_session(visit):
    visitor = visit("/analyse?variant=rhombus-4x4-3&agent=mcts:sims=100")
    page = visitor.page
    # Candidates in the table, an arrow and a badge on the board, a bar with two segments.
    expect(rows(page).first).to_be_visible()
    expect(page.locator(".arrow.best")).to_be_visible()
    expect(page.locator(".bar div")).to_have_count(2)
    rows(page).first.get_by_role("button").click()
    expect(page.locator(".moves li")).to_have_count(1)
    assert re.search(r"moves=", page.url)
    # Another move from the start is a variation.
    page.get_by_role("button", name="Back", exact=True).click()
    visitor.move(3)
    expect(page.locator(".moves li.variation")).to_have_count(1)
    # The address brings back the position.
    shown = page.locator(".layer-pieces").inner_html()
    page.reload()
    expect(page.locator(".moves [aria-current]")).to_have_count(1)
    assert page.locator(".layer-pieces").inner_html() == shown


def test_a_piece_is_dragged(visit):
    visitor = visit("/analyse?variant=rhombus-4x4-3&search=off")
    visitor.drag()
    expect(visitor.page.locator(".moves li")).to_have_count(1)
    # The editor takes presses in place of moves only while it is open.
    visitor.page.get_by_role("button", name="Edit position").click()
    expect(visitor.page.get_by_role("button", name="Empty board")).to_be_visible()
    visitor.page.get_by_role("button", name="Close the editor").click()
    visitor.drag()
    expect(visitor.page.locator(".moves li")).to_have_count(2)


def test_every_move_that_minimax_has_evaluated_is_drawn(visit):
    """A game with dice has no line beyond a move, the best one included."""
    page = visit("/analyse?variant=ewn-5x5-6&moves=135642+543162+5&agent=expectimax:depth=2").page
    expect(rows(page)).to_have_count(3)
    expect(page.locator(".arrow")).to_have_count(3)
    expect(page.locator(".badge")).to_have_count(3)
    expect(page.locator(".arrow.best")).to_have_count(1)


def test_all_moves_that_keep_a_solved_value_are_drawn(visit):
    page = visit("/analyse?variant=cdc-2x4-PPPP").page
    # All eight flips are equally good, and a solution has no lines.
    expect(page.locator(".arrow.best")).to_have_count(1)
    expect(page.locator(".arrow.good")).to_have_count(7)
    expect(page.locator(".badge")).to_have_count(8)
    expect(page.get_by_role("columnheader", name="Win")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Line")).to_have_count(0)


def test_values_of_a_game_for_points_are_shares_of_points(visit):
    """The first gets 3 points and the second 1: nobody's share is a chance to win."""
    visitor = visit("/analyse?variant=star-37-3p&agent=maxn:depth=1")
    page = visitor.page
    expect(page.get_by_role("columnheader", name="Of 3 points")).to_be_visible()
    expect(page.locator(".value-line")).to_contain_text("of 3 points for player 1")
    value = page.locator(".value-line b").inner_text()
    share = round(float(value.rstrip("%")))
    expect(page.locator(".bar")).to_have_attribute(
        "aria-label", re.compile(rf"player 1 {share} per cent, .* of 3 points$")
    )
    assert page.locator(".bar div").last.inner_text() == str(share)


def test_chance_nodes_have_odds_and_what_if(visit):
    page = visit("/analyse?variant=ewn-3x3-3&moves=123+123").page
    outcomes = page.locator(".candidates tbody tr")
    expect(outcomes).to_have_count(3)
    expect(outcomes.first).to_contain_text("33.3%")
    # The variant is solved, so every value is exact.
    outcomes.nth(1).get_by_role("button").click()
    expect(page.locator(".die")).to_have_attribute("aria-label", "Die: 2")
    expect(page.locator(".proven").first).to_be_visible()


def test_a_set_up_of_many_outcomes_is_drawn_or_typed(visit):
    visitor = visit("/analyse?variant=ewn-5x5-6")
    visitor.expect("400")
    page = visitor.page
    side = page.locator(".side")
    expect(side).to_contain_text("64 of 720 are listed")
    expect(side).to_contain_text("720 outcomes are too many to analyse one by one.")
    expect(side.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".candidates tbody tr")).to_have_count(64)
    # A wrong one stays in its field.
    typed = page.get_by_label("Type an outcome")
    typed.fill("777777")
    page.keyboard.press("Enter")
    page.locator(".toast.error").wait_for()
    expect(typed).to_have_value("777777")
    typed.fill("654321")
    page.keyboard.press("Enter")
    expect(page.locator(".moves li")).to_have_text(["(654321)"])
    page.get_by_role("button", name="Draw one").click()
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_role("button", name="Draw one").click()
    expect(page.locator(".die")).to_be_visible()


def test_an_analysis_that_fails_is_a_message(visit):
    page = visit("/analyse?variant=rhombus-4x4-3&agent=random").page
    expect(page.locator(".side [role=alert]", has_text="cannot analyse")).to_be_visible()
    # The board is still there to move on, and another search to be chosen.
    page.get_by_label("Search by").select_option("mcts:sims=100")
    expect(rows(page).first).to_be_visible()


def test_a_review_marks_mistakes(visit):
    page = visit("/analyse?variant=ewn-3x3-3&search=off&moves=123+123+1+a1-b1+1+c3-c2+1+b1-c1").page
    page.get_by_label("Time of the review").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("img", name=re.compile("Evaluation of"))).to_be_visible()
    expect(page.locator("[role=status]")).to_contain_text(re.compile("mistake|inaccurac|blunder"))
    expect(page.locator(".chart .dot").first).to_be_visible()


def test_the_editor_says_what_is_wrong(visit):
    visitor = visit("/analyse?variant=ewn-3x3-3&search=off&moves=123+123+1")
    visitor.expect("400")
    page = visitor.page
    page.get_by_role("button", name="Edit position").click()
    page.get_by_role("button", name="red 1", exact=True).click()
    visitor.choose("b2")
    message = page.locator("[role=alert]", has_text="1")
    expect(message).to_be_visible()
    expect(page.get_by_role("button", name="Use this position")).to_be_disabled()
    # Taken away again, it is a position.
    visitor.choose("b2")
    expect(page.get_by_role("button", name="Use this position")).to_be_enabled()
    page.get_by_role("button", name="Use this position").click()
    page.wait_for_url(re.compile("start="))


def test_games_are_imported_and_exported(visit):
    page = visit("/analyse?variant=draughts-8x8&search=off").page
    page.get_by_text("Import and export").click()
    page.get_by_role("textbox", name="Games").fill(
        '[Event "a"]\n[Result "*"]\n\n1. 11-15 22-18 2. 15x22 26x17 *\n'
    )
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".moves li")).to_have_count(4)
    page.get_by_text("Import and export").click()
    for name, start in (("Save PDN", b"["), ("Save SVG", b"<svg"), ("Save PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        with open(download.value.path(), "rb") as file:
            assert file.read(4).startswith(start[:4])


def test_mistakes_become_puzzles(visit):
    visitor = visit("/learn?variant=ewn-3x3-3&moves=123+123+1+a1-b1+1+c3-c2+1+b1-c1")
    page = visitor.page
    expect(page.locator(".side p", has_text="Find a better move.")).to_be_visible()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".arrow.best")).to_be_visible()
    best = page.locator(".side b").first.inner_text()
    origin, target = re.split("[-x]", best)
    visitor.choose(origin)
    visitor.choose(target)
    expect(page.locator(".side")).to_contain_text(f"{best} is right.")


def test_no_long_task_while_the_analysis_runs(visit, browser):
    """Every task of the page is traced from its start on, by its processor time.

    The time on the clock would count what other processes of the machine take as well. Meanwhile
    the page is not looked at, since that would run in the same thread.
    """
    visitor = visit(None)
    page = visitor.page
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline", "__metadata"])
    with page.expect_websocket() as opened:
        visitor.open("/analyse?variant=star-121-2p&agent=mcts:sims=100")
    for _ in range(10):
        opened.value.wait_for_event("framereceived")
    times = main_thread_times(browser.stop_tracing(), page.url)
    expect(rows(page).first).to_be_visible()
    assert len(times) > 100
    assert max(times) <= 50, sorted(times)[-5:]


def main_thread_times(trace, address):
    """Return the processor time of every task of a page's main thread, in milliseconds.

    The browser has pages of its own in other processes.
    """
    events = json.loads(trace)["traceEvents"]
    host = "/".join(address.split("/")[:3])
    (main,) = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "CommitLoad" and event["args"]["data"]["url"].startswith(host)
    }
    return [
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("::RunTask")
        and (event["pid"], event["tid"]) == main
        and "tdur" in event
    ]
