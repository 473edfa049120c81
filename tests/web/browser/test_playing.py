"""Games played by clicking, dragging, typing and with the keyboard."""

import math

import pytest
from playwright.sync_api import expect
from web_visitor import WebServer

#: English draughts has one size; few pieces make a short game.
DRAUGHTS_ENDING = "B:W30,K18:BK5,6,10"


@pytest.mark.parametrize(
    ("variant", "start"),
    [
        ("rhombus-4x4-3", None),
        ("draughts-8x8", DRAUGHTS_ENDING),
        ("ewn-3x3-3", None),
        ("cdc-2x4-PPPP", None),
        ("frogs-2-1", None),
    ],
)
def test_a_whole_game_by_clicking(visit, server, variant, start):
    game = server.start_game(variant, ["human", "random"], start)
    visitor = visit(f"/play/{game}")
    ending = visitor.finish_game()
    assert "won" in ending or "draw" in ending
    played = server.ask(f"games/{game}")
    assert played["turn"] == "over"
    # Every move and outcome of the server stands in the list.
    assert visitor.page.locator(".moves li").count() == len(played["events"])


def test_three_players(visit, server):
    game = server.start_game("star-37-3p", ["human", "greedy", "greedy"])
    visitor = visit(f"/play/{game}")
    assert "won" in visitor.finish_game()
    assert visitor.page.locator(".seat").count() == 3


def test_a_game_is_set_up_in_the_page(visit):
    page = visit("/play?variant=ewn-3x3-3").page
    page.get_by_label("Player of blue").select_option("random")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play/*")
    page.get_by_text("blue: random").wait_for()


def test_it_is_said_that_a_higher_level_may_be_rated_lower(visit):
    page = visit("/play?variant=star-37-3p").page
    expect(page.get_by_text("within the error of the measurement")).to_be_visible()
    page.get_by_label("Variant", exact=True).select_option("rhombus-5x5-3")
    expect(page.get_by_label("Player of player 2, blue")).to_be_visible()
    expect(page.get_by_text("Elo was measured for")).not_to_contain_text("within the error")


def test_the_rules_of_a_variant_are_chosen(visit, server):
    visitor = visit("/play?variant=rhombus-7x7-6")
    page = visitor.page
    page.get_by_label("Rules", exact=True).select_option("liu2019")
    page.wait_for_url("**view%3Dids**")
    expect(page.get_by_label("Rules", exact=True).locator(":checked")).to_have_text("liu2019")
    expect(page.get_by_label("Variant", exact=True)).to_have_value("rhombus-7x7-6")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play/*")
    expect(page.get_by_role("heading")).to_contain_text("rhombus-7x7-6:liu2019")


def test_a_variant_is_named_that_is_not_listed(visit):
    visitor = visit("/play?variant=rhombus-4x4-3")
    visitor.expect("400")
    page = visitor.page
    page.get_by_text("Another size or other rules").click()
    for name in ("rhombus-6x6-7", "rhombus-6x6-3:plies=7"):
        page.get_by_label("Name of a variant").fill(name)
        page.get_by_role("button", name="Use").click()
        if name.endswith("-7"):
            expect(page.locator(".other-variant .bad")).to_contain_text("a home holds 1, 3, 6")
    expect(page.get_by_label("Variant", exact=True)).to_have_value("rhombus-6x6-3")
    expect(page.get_by_label("Rules", exact=True).locator(":checked")).to_have_text("plies=7")
    expect(page.locator(".with-board .cell")).to_have_count(36)


def test_games_are_listed_and_finished_ones_are_learned_from(visit, tmp_path):
    with WebServer(tmp_path) as server:
        for _ in range(9):
            server.start_game("rhombus-4x4-3", ["human", "human"])
        over = server.start_game("rhombus-4x4-3", ["human", "greedy"])
        move = server.ask(f"games/{over}")["board"]["legal"][0]["move"]
        server.ask(f"games/{over}/move", {"move": move})
        server.ask(f"games/{over}/resign", {"player": 0})
        page = visit("/play", at=server).page
        games = page.locator(".games li")
        expect(games).to_have_count(8)
        expect(games.first).to_contain_text("person – greedy")
        expect(games.first).to_contain_text("Player 2 won by resignation. 1 move,")
        expect(games.nth(1)).to_contain_text("player 1 to move. 0 moves,")
        page.get_by_role("button", name="More games").click()
        expect(games).to_have_count(10)
        expect(page.get_by_role("button", name="More games")).to_be_hidden()
        page.get_by_role("link", name="Learn").click()
        expect(games).to_have_count(1)
        games.get_by_role("link").click()
        page.wait_for_url(f"**/learn?**moves={move}**")
        expect(page.get_by_role("status")).not_to_contain_text("is searched")


def test_a_piece_is_dragged(visit, server):
    visitor = visit(f"/play/{server.start_game('rhombus-4x4-3', ['human', 'human'])}")
    page = visitor.page
    origin = visitor.cells("can move").first
    origin.wait_for()
    box = origin.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    target = visitor.cells("target").first.bounding_box()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=4)
    page.mouse.up()
    expect(page.locator(".moves li")).to_have_count(1)


def test_the_keyboard_is_enough(visit, server):
    visitor = visit(f"/play/{server.start_game('rhombus-4x4-3', ['human', 'human'])}")
    page = visitor.page
    visitor.cells("can move").first.wait_for()
    page.locator('.cell[tabindex="0"]').focus()
    name = "document.activeElement.getAttribute('aria-label')"

    def walk_to(use):
        seen = set()
        for key in ("ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight") * 20:
            label = page.evaluate(name)
            if label.endswith(use):
                return
            page.keyboard.press(key if label not in seen else "ArrowRight")
            seen.add(label)
        raise AssertionError(f"no cell '{use}' was reached")

    walk_to("can move")
    page.keyboard.press("Enter")
    target = visitor.cells("target").first.get_attribute("data-cell")
    page.locator(f'.cell[data-cell="{target}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".moves li").wait_for()
    # The move is spoken.
    expect(page.locator("#spoken")).to_contain_text("player 1")


def test_moves_are_typed_taken_back_hinted_and_resigned(visit, server):
    visitor = visit(f"/play/{server.start_game('rhombus-4x4-3', ['human', 'random'])}")
    page = visitor.page
    visitor.expect("400")
    visitor.cells("can move").first.wait_for()
    page.get_by_label("Type a move").fill("z9-z8")
    page.keyboard.press("Enter")
    page.locator(".toast.error").wait_for()
    page.get_by_role("button", name="Hint").click()
    page.locator(".arrow.hint").wait_for()
    hint = page.locator("text=Hint:").first.inner_text().split()[1].rstrip(",")
    page.get_by_label("Type a move").fill(hint)
    page.keyboard.press("Enter")
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Resign").click()
    assert "Player 2 won by resignation." in page.locator(".result").inner_text()


def test_a_player_of_three_resigns(visit, server):
    visitor = visit(f"/play/{server.start_game('star-121-3p', ['human', 'greedy', 'greedy'])}")
    page = visitor.page
    expect(page.locator(".strip .caption")).to_contain_text("player 1 (red) moves")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".result")).to_have_text("Player 1 resigned.")
    assert [each.split()[-1] for each in page.locator(".seat").all_inner_texts()] == [
        "0",
        "0.5",
        "0.5",
    ]
    expect(page.locator(".strip .caption")).to_be_hidden()
    # Without a move there is nothing to learn from.
    expect(page.get_by_role("link", name="Analyse").last).to_be_visible()
    expect(page.get_by_role("link", name="Learn from mistakes")).to_have_count(0)


def test_the_seats_have_the_colours_that_play_decides(visit, server):
    visitor = visit(f"/play/{server.start_game('cdc-2x4-PPPP', ['human', 'human'])}")
    page = visitor.page
    expect(page.locator(".seat .paint-grey")).to_have_count(2)
    visitor.move()
    expect(page.locator(".strip .caption")).to_contain_text("(second player) moves")
    colour = page.locator(".caption").inner_text().split()[0]
    expect(page.locator(f".seat.turn .paint-{colour}")).to_be_visible()
    expect(page.locator(".seat .paint-red, .seat .paint-black")).to_have_count(2)


def test_numbers_of_squares_are_free_of_pieces_and_highlights(visit, server):
    game = server.start_game("draughts-8x8", ["human", "human"])
    server.ask(f"games/{game}/move", {"move": "11-15"})
    page = visit(f"/play/{game}").page
    page.locator(".last-square").first.wait_for()
    numbers, centre = page.locator(".square-number"), {}
    expect(numbers).to_have_count(32)
    for piece in page.locator(".layer-pieces .piece .top").all():
        box = piece.bounding_box()
        radius = box["width"] / 2
        centre[(box["x"] + radius, box["y"] + radius)] = radius
    for text in numbers.all():
        box = text.bounding_box()
        # Digits stand on their line; a fifth of the box is below it.
        corner = box["x"] + box["width"], box["y"] + 0.8 * box["height"]
        assert all(math.dist(corner, at) > radius for at, radius in centre.items())
    later = page.evaluate(
        "() => document.querySelector('.last-square').compareDocumentPosition("
        "document.querySelector('.square-number'))"
    )
    assert later & 4  # the number follows the highlight


def test_a_hint_is_for_the_position_of_the_game(visit, server):
    visitor = visit(f"/play/{server.start_game('rhombus-4x4-3', ['human', 'random'])}")
    page = visitor.page
    visitor.move()
    expect(page.locator(".moves li")).to_have_count(2)
    page.locator(".moves li button").first.click()
    page.get_by_role("button", name="Back to the game").wait_for()
    page.get_by_role("button", name="Hint").click()
    page.locator(".arrow.hint").wait_for()
    expect(page.locator(".moves [aria-current]")).to_have_text(
        page.locator(".moves li button").last.inner_text()
    )
    # The board is that of the game again: the person may move.
    expect(visitor.cells("can move").first).to_be_visible()


def test_a_show_goes_on_after_a_look_back(visit, server):
    page = visit(f"/watch/game/{server.start_game('rhombus-5x5-3', ['random', 'random'])}").page
    expect(page.locator(".moves li").nth(1)).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    page.locator(".moves li button").first.click()
    page.get_by_role("button", name="Back to the game").wait_for()
    before = page.locator(".moves li").count()
    page.get_by_label("Speed").select_option("0")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".moves li").nth(before + 3)).to_be_visible()
    page.get_by_role("button", name="Pause").wait_for()


def test_animations_end_with_the_position_of_the_server(visit, server):
    game = server.start_game("draughts-8x8", ["human", "human"], "B:W18,26,27:BK15")
    visitor = visit(f"/play/{game}", motion="no-preference")
    visitor.choose("15")
    # A king captures three men in one move.
    visitor.cells("target").first.click()
    visitor.page.locator(".moves li").wait_for()
    expect(visitor.page.locator(".layer-pieces .piece")).to_have_count(1)
    assert len(server.ask(f"games/{game}")["board"]["scene"]["pieces"]) == 1


def test_a_second_window_follows_the_game(visit, server):
    game = server.start_game("rhombus-4x4-3", ["human", "random"])
    first, second = visit(f"/play/{game}"), visit(f"/play/{game}")
    second.cells("can move").first.wait_for()
    first.move()
    expect(first.page.locator(".moves li")).to_have_count(2)
    expect(second.page.locator(".moves li")).to_have_count(2)
    second.move()
    expect(first.page.locator(".moves li")).to_have_count(4)


def test_a_move_that_comes_too_late_is_told(visit, server):
    game = server.start_game("rhombus-4x4-3", ["human", "human"])
    visitor = visit(f"/play/{game}")
    page = visitor.page
    visitor.cells("can move").first.wait_for()
    # The page does not notice the other window in time.
    page.route("**/version", lambda route: route.abort())
    visitor.expect("409", "ERR_FAILED")
    legal = server.ask(f"games/{game}")["board"]["legal"]
    server.ask(f"games/{game}/move", {"move": legal[-1]["move"]})
    visitor.move()
    expect(page.locator(".toast.error")).to_contain_text("in another window")
    expect(page.locator(".moves li button")).to_have_text([legal[-1]["move"]])
    expect(visitor.cells("can move").first).to_be_visible()


def test_a_search_that_fails_is_a_message_and_can_be_repeated(visit, server):
    visitor = visit(f"/play/{server.start_game('rhombus-4x4-3', ['human', 'random'])}")
    visitor.expect("503")
    page = visitor.page
    reason = '{"error": "The search has failed."}'
    page.route("**/agent-move", lambda route: route.fulfill(status=503, body=reason))
    visitor.move()
    expect(page.locator(".side .bad")).to_contain_text("The search has failed.")
    page.unroute("**/agent-move")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".moves li")).to_have_count(2)


def test_a_server_that_restarts_continues_the_game(visit, tmp_path):
    with WebServer(tmp_path) as first:
        game = first.start_game("rhombus-4x4-3", ["human", "random"])
        visitor = visit(f"/play/{game}", at=first)
        visitor.expect("ERR_CONNECTION_REFUSED")
        visitor.move()
        expect(visitor.page.locator(".moves li")).to_have_count(2)
        first.stop()
        visitor.move()
        visitor.page.get_by_text("does not answer").first.wait_for()
        with WebServer(tmp_path, first.port):
            expect(visitor.page.locator(".side")).not_to_contain_text("keeps trying")
            visitor.move()
            expect(visitor.page.locator(".moves li")).to_have_count(4)
