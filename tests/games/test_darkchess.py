"""Chinese dark chess: rules, numbers and notation."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from game_helpers import check_move_text, check_position_text, move_texts, random_game
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import darkchess as naive

import halma
from halma.errors import (
    ChanceError,
    GameOverError,
    IllegalMoveError,
    MoveSyntaxError,
    OptionError,
    PositionError,
    UnknownVariantError,
)

SMALL = ["PPPP", "KPPP", "GGCC", "KGMR", "NCCP", "KGCP"]
VARIANTS = [*(f"cdc-2x4-{pieces}" for pieces in SMALL), "cdc-4x8"]


def naive_start(name: str) -> naive.Naive:
    if name == "cdc-4x8":
        return naive.start(4, 8, naive.REAL_SET)
    return naive.start(2, 4, name[-4:])


# Known numbers.


def test_reachable_positions_of_four_pawns():
    # hsueh2023's table 1 has the same number.
    assert halma.game("cdc-2x4-PPPP").core.reachable()[0] == 194_933


@pytest.mark.parametrize(
    ("pieces", "decisions", "stuck"), [("KPPP", 1_933_965, 288), ("GGCC", 4_031_785, 720)]
)
def test_reachable_positions_and_stuck_movers(pieces, decisions, stuck):
    core = halma.game(f"cdc-2x4-{pieces}").core
    assert core.reachable()[0] == decisions
    states = map(core.unindex, range(core.index_size))
    assert sum(core.terminal(state) for state in states) == stuck


@pytest.mark.parametrize(("pieces", "positions"), [("PPPP", 17), ("KPPP", 33)])
def test_positions_within_the_first_action(pieces, positions):
    # hsueh2023 counts the start and every board one flip later.
    start = halma.game(f"cdc-2x4-{pieces}").start()
    after = {
        flipped.resolve(outcome).key
        for flipped in map(start.play, start.legal_moves)
        for outcome in flipped.outcomes
    }
    assert 1 + len(after) == positions


def test_the_sets_are_those_of_real_pieces():
    allowed = 0
    for letters in combinations_with_replacement("KGMRNCP", 4):
        name = f"cdc-2x4-{''.join(letters)}"
        try:
            assert halma.game(name).name == name
            allowed += 1
        except UnknownVariantError:
            assert any(letters.count(k) > naive.REAL_SET.count(k) for k in letters)
    assert allowed == 147


def test_sets_by_their_capture_relation():
    # Two sets are equivalent if a renaming of kinds preserves numbers, captures and jumps;
    # hsueh2023 (after Chang and Hsu) counts 24 classes.
    def described(kinds, letters):
        takes = tuple(naive.can_take(a, b) for a in kinds for b in kinds)
        return tuple(map(letters.count, kinds)), takes, tuple(kind == "C" for kind in kinds)

    def relation(letters):
        return min(described(kinds, letters) for kinds in permutations(sorted(set(letters))))

    sets = [
        letters
        for letters in combinations_with_replacement("KGMRNCP", 4)
        if all(letters.count(kind) <= naive.REAL_SET.count(kind) for kind in letters)
    ]
    assert len(sets) == 147
    assert len(set(map(relation, sets))) == 24


def test_policy_is_the_papers():
    game = halma.game("cdc-2x4-GGCC")
    assert game.actions == 40
    assert halma.game("cdc-4x8").actions == 352
    state = game.core.initial()
    names = [
        game.format_move(state, game.core.move(state, action)) for action in range(game.actions)
    ]
    assert names[:8] == ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"]
    assert names[8:13] == ["a1-a2", "a1-a3", "a1-a4", "a1-b1", "a2-a1"]
    assert names[-4:] == ["b4-a4", "b4-b1", "b4-b2", "b4-b3"]
    assert len(set(names)) == 40


def test_no_far_moves_without_cannons():
    core = halma.game("cdc-2x4-PPPP").core
    moves = [core.move(core.initial(), action) for action in range(core.actions)]
    assert sum(move == 0xFFFFFFFF for move in moves) == 12
    assert halma.game("cdc-2x4-CPPP").core.move(core.initial(), 9) != 0xFFFFFFFF


# The naive twin.


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_random_games_agree_with_the_naive_twin(name, seed):
    rng = random.Random(seed)
    ours, twin = halma.game(name).start(), naive_start(name)
    for _ in range(400):
        assert ours.text == twin.text
        assert ours.result == naive.result(twin)
        assert ours.mover == twin.player - 1
        if ours.is_chance:
            assert {o.text: o.probability for o in ours.outcomes} == {
                piece: float(share) for piece, share in naive.outcomes(twin).items()
            }
            piece = rng.choice(ours.outcomes).text
            ours, twin = ours.resolve(piece), naive.resolve(twin, piece)
            continue
        legal = move_texts(ours)
        assert set(legal) == naive.legal(twin)
        assert len(legal) == len(set(legal)) == ours.game.core.count(ours.state)
        assert ours.is_terminal == (not legal)
        if not legal:
            break
        # Captures are favoured, so that games reach endgames.
        captures = [text for text in legal if "x" in text]
        move = rng.choice(captures if captures and rng.random() < 0.5 else legal)
        assert ours.game.core.irreversible(ours.state, ours.find(move).value) == ("-" not in move)
        ours, twin = ours.play(move), naive.play(twin, move)


@st.composite
def scattered_boards(draw):
    """Any board of the real game with some pieces gone, some face-down."""
    pieces = list(naive.REAL_SET + naive.REAL_SET.lower())
    random_state = draw(st.randoms(use_true_random=False))
    random_state.shuffle(pieces)
    fates = [draw(st.sampled_from("udg")) for _ in range(32)]
    squares = [
        piece if fate == "u" else "?" if fate == "d" else "."
        for piece, fate in zip(pieces, fates, strict=True)
    ]
    hidden = [piece for piece, fate in zip(pieces, fates, strict=True) if fate == "d"]
    board = "".join(squares)
    files = tuple(board[i : i + 8] for i in range(0, 32, 8))
    colour = draw(st.sampled_from("rb"))
    player = draw(st.sampled_from([1, 2]))
    return naive.Naive(files, colour, naive.in_order("".join(hidden)), player)


@settings(max_examples=300, deadline=None)
@given(scattered_boards())
def test_scattered_boards_agree_with_the_naive_twin(twin):
    try:
        position = halma.game("cdc-4x8").position(twin.text)
    except PositionError:
        shown = "".join(twin.files)
        other = str.isupper if twin.colour == "b" else str.islower
        assert not any(map(str.isalpha, shown)) or not any(map(other, shown + twin.hidden))
        return
    assert position.text == twin.text
    assert set(move_texts(position)) == naive.legal(twin)
    assert position.result == naive.result(twin)


# Rules, one by one.


def position(text: str, pieces: str = "KGCP") -> halma.Position:
    return halma.game(f"cdc-2x4-{pieces}").position(text)


def test_first_flip_decides_colours():
    start = halma.game("cdc-2x4-PPPP").start()
    flipped = start.play("a3")
    assert flipped.is_chance and flipped.mover == 1
    assert [(o.text, o.probability) for o in flipped.outcomes] == [("P", 0.5), ("p", 0.5)]
    assert flipped.resolve("P").text == "??P?/???? b PPPpppp 2"
    assert flipped.resolve("p").text == "??p?/???? r PPPPppp 2"


def test_one_type_left_is_still_turned_up_by_chance():
    flipped = position("P?../.p.. r p 1", "PPPP").play("a2")
    assert [(o.text, o.probability) for o in flipped.outcomes] == [("p", 1.0)]
    assert flipped.resolve("p").text == "Pp../.p.. b - 2"


def test_ranks():
    assert move_texts(position("Kp../.... r - 1")) == ["a1-b1"]  # no king takes a pawn
    assert "a2xa1" in move_texts(position("Kp../.... b - 2"))  # but a pawn the king
    assert "a1xa2" in move_texts(position("Kk../.... r - 1"))  # equal ranks
    assert "a1xa2" not in move_texts(position("Pg../.... r - 1"))
    assert "a1xa2" not in move_texts(position("Pc../.... r - 1"))
    assert "a1xa2" in move_texts(position("Gc../.... r - 1"))


def test_cannons():
    assert "a1xa2" not in move_texts(position("Cp../.... r - 1"))  # never the neighbour
    assert "a1xa3" in move_texts(position("CGk./.... r - 1"))
    assert "a1xa4" in move_texts(position("C?.k/.... r P 1"))  # over a face-down piece
    assert "a1xa4" not in move_texts(position("C..k/.... r - 1"))  # over nothing
    assert "a1xa4" not in move_texts(position("CGPk/.... r - 1"))  # over two
    assert "a1xa3" not in move_texts(position("CG?k/.... r p 1"))  # face-down is safe
    assert {"a1-b1", "a1-a2"} <= set(move_texts(position("C..k/.... r - 1")))


def test_cannon_on_the_large_board_jumps_along_ranks_and_files():
    # The position in hsueh2023's figure 2b lets the c at d5 take a5 or d1.
    game = halma.game("cdc-4x8")
    board = "....R.../......../....P.../K.?.c..."
    assert {"d5xa5", "d5xd1"} <= set(move_texts(game.position(f"{board} b g 2")))


def test_no_pieces_left_loses_even_if_pieces_could_be_turned_up():
    over = position("G?../.... b P 2")
    assert over.is_terminal and over.result == (1.0, 0.0)
    with pytest.raises(GameOverError):
        over.play("a2")


def test_no_legal_action_loses():
    over = position("P.../kP.. b - 1", "KPPP")
    assert over.is_terminal and over.result == (0.0, 1.0)
    assert over.index is None


def test_draw_rules_are_limits_of_the_record():
    record = halma.Record(halma.game("cdc-4x8"), halma.game("cdc-4x8").position(FAR_APART))
    for _ in range(2):
        for move in ("a1-a2", "d8-d7", "a2-a1", "d7-d8"):
            assert not record.is_over
            record.play(move)
    assert record.is_over and record.end == "by repetition"
    assert record.result == (0.5, 0.5)

    walk = [f"a{i}" for i in range(1, 9)] + [f"b{i}" for i in range(8, 0, -1)]
    record = halma.Record(halma.game("cdc-4x8"), halma.game("cdc-4x8").position(FAR_APART))
    for ply in range(40):
        assert not record.is_over
        step = ply // 2
        if ply % 2 == 0:
            record.play(f"{walk[step % 16]}-{walk[(step + 1) % 16]}")
        else:
            record.play("d8-d7" if step % 2 == 0 else "d7-d8")
    assert record.is_over and record.end == "for lack of progress"

    endless = halma.game("cdc-4x8:draw=none")
    record = halma.Record(endless, endless.position(FAR_APART))
    for _ in range(25):
        for move in ("a1-a2", "d8-d7", "a2-a1", "d7-d8"):
            record.play(move)
    assert not record.is_over


FAR_APART = "K......./......../......../.......k r - 1"


# Names.


def test_names_are_written_in_order_of_rank():
    assert halma.game("cdc-2x4-PCGK").name == "cdc-2x4-KGCP"
    assert halma.game("cdc-2x4-PPPK:draw=none").name == "cdc-2x4-KPPP:draw=none"
    assert halma.game("cdc-4x8:draw=standard").name == "cdc-4x8"


@pytest.mark.parametrize("pieces", ["KKKK", "GGGP", "XXXX", "pppp", "CCCP"])
def test_impossible_sets_are_refused(pieces):
    with pytest.raises(UnknownVariantError, match="real set"):
        halma.game(f"cdc-2x4-{pieces}")


@pytest.mark.parametrize("name", ["cdc-2x4", "cdc-2x4-PPP", "cdc-3x4-PPPP", "cdc-8x4", "cdc"])
def test_unknown_names(name):
    with pytest.raises(UnknownVariantError):
        halma.game(name)


def test_unknown_option_value():
    with pytest.raises(OptionError, match="standard, none"):
        halma.game("cdc-4x8:draw=maybe")


# For learning and solvers.


def test_planes():
    game = halma.game("cdc-2x4-KGCP")
    shown = game.position("K?.c/g.?? b CPp 1")
    planes = game.core.encode([shown.state], repetitions=1, no_progress=0.25)
    assert planes.shape == game.shape == (33, 2, 4)
    expected = np.zeros((33, 2, 4), dtype=np.float32)
    expected[1, 1, 0] = 1  # black, to move, has a guard at b1
    expected[5, 0, 3] = 1  # and a cannon at a4
    expected[7, 0, 0] = 1  # red has the king
    expected[14, 0, 1] = expected[14, 1, 2] = expected[14, 1, 3] = 1
    expected[15 + 6] = 1  # a black pawn face-down
    expected[22 + 5] = expected[22 + 6] = 1  # a red cannon and pawn
    expected[29] = 1
    expected[32] = 0.25
    assert np.array_equal(planes, expected)


def test_planes_of_the_start_and_of_player_two():
    planes = halma.game("cdc-4x8").start().encode()
    assert planes.shape == (33, 4, 8)
    assert planes[:14].sum() == 0 and (planes[14] == 1).all()
    assert [plane[0, 0] for plane in planes[15:29]] == [1, 2, 2, 2, 2, 2, 5] * 2
    assert planes[29:].sum() == 0
    later = halma.game("cdc-4x8").start().play("a1").resolve("K")
    assert (later.encode()[31] == 1).all()
    assert later.encode()[7, 0, 0] == 1  # the first player's king, seen by the second


def test_second_repetition_plane():
    core = halma.game("cdc-4x8").core
    planes = core.encode([core.initial()], repetitions=2)
    assert (planes[29:31] == 1).all()


@pytest.mark.parametrize("pieces", ["PPPP", "KPPP", "KGMR"])
def test_the_start_has_the_last_index(pieces):
    core = halma.game(f"cdc-2x4-{pieces}").core
    assert core.index(core.initial()) == core.index_size - 1


def test_index_ignores_the_seat_and_nothing_else():
    as_first, as_second = position("K?../..g. r p 1"), position("K?../..g. r p 2")
    assert as_first.state != as_second.state
    assert as_first.index == as_second.index
    assert as_first.key == as_second.key
    game = halma.game("cdc-2x4-KGCP")
    by_index: dict[int, str] = {}
    by_key: dict[int, str] = {}
    for seed in range(60):
        for p in random_game(game.name, seed):
            if p.is_chance or p.is_terminal:
                continue
            without_seat = p.text[:-2]
            assert by_index.setdefault(p.index, without_seat) == without_seat
            assert by_key.setdefault(p.key, without_seat) == without_seat
            red_first = game.core.unindex(p.index)
            assert game.format_position(red_first)[:-2] == without_seat
    assert len(set(by_index.values())) == len(by_index)


def test_every_indexed_position_can_be_written_and_read():
    game = halma.game("cdc-2x4-GGCC")
    rng = random.Random(2)
    for _ in range(3000):
        p = halma.Position(game, game.core.unindex(rng.randrange(game.core.index_size)))
        assert game.position(p.text) == p


def test_large_game_has_no_index():
    assert halma.game("cdc-4x8").core.index_size == 0
    assert halma.game("cdc-4x8").start().index is None
    with pytest.raises(ValueError, match="too many"):
        halma.game("cdc-4x8").core.reachable()


# Random plies.


def test_random_flips_follow_the_face_down_pieces():
    game = halma.game("cdc-4x8")
    states = (game.core.sample_states(game.core.initial(), 2, seed, 2)[1] for seed in range(16_000))
    shown = Counter(
        next(filter(str.isalpha, game.format_position(state.tobytes()))) for state in states
    )
    for piece in set(naive.REAL_SET + naive.REAL_SET.lower()):
        mean = 16_000 * naive.REAL_SET.count(piece.upper()) / 32
        assert abs(shown[piece] - mean) < 5 * mean**0.5


def test_playouts_obey_the_no_progress_limit():
    game = halma.game("cdc-2x4-PPPP")
    totals = game.core.playouts(game.core.initial(), 2000, 7, 0, 40)
    assert totals["games"] == 2000
    assert sum(totals["scores"]) == pytest.approx(2000)
    assert 0 < totals["stopped"] < 2000
    assert totals == game.core.playouts(game.core.initial(), 2000, 7, 0, 40)


def test_playouts_can_start_at_chance():
    flipped = halma.game("cdc-2x4-KPPP").start().play("b2")
    totals = flipped.game.core.playouts(flipped.state, 100, 1, 0, 40)
    assert totals["plies"] > 100


# Text.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 parts"),
        ("????/???? - KGCPkgcp", "3 parts"),
        ("????/???/? - KGCPkgcp 1", "2 files of 4 cells"),
        ("?????/??? - KGCPkgcp 1", "2 files of 4 cells"),
        ("????/???X - KGCPkgcp 1", "'X' is neither"),
        ("????/???? x KGCPkgcp 1", "colour to move"),
        ("????/???? rb KGCPkgcp 1", "colour to move"),
        ("????/???? - KGCPkgcp 3", "'1' or '2'"),
        ("????/???? - KGCPkgc! 1", "'!' is not a piece"),
        ("????/???? - KGCPkgc 1", "face-down cells are 8, but the face-down pieces 7"),
        ("????/???? - KGCPkkgc 1", "too many black kings: the set has 1"),
        ("KK../.... r - 1", "too many red kings: the set has 1"),
        ("K?../.... r K 1", "too many red kings: the set has 1"),
        ("M.../.... r - 1", "too many red ministers: the set has none"),
        ("????/???? - KGCPkgcp 2", "Player 1 turns up the first piece"),
        ("*???/???? - KGCPkgcp 1", "Player 1 turns up the first piece"),
        ("????/???? r KGCPkgcp 1", "not decided before"),
        ("K???/???? - GCPkgcp 1", "decided as soon as"),
        ("K.../.... r - 1", "already won"),
        ("K*../.... b P 1", "game is over"),
        ("k**./.... r Kg 1", "one piece can be turned up"),
    ],
)
def test_impossible_positions(text, message):
    with pytest.raises(PositionError, match=message):
        halma.game("cdc-2x4-KGCP").position(text)


def test_impossible_moves():
    start = halma.game("cdc-2x4-KGCP").start()
    with pytest.raises(MoveSyntaxError):
        start.play("a1-z9")
    with pytest.raises(MoveSyntaxError):
        start.play("e1")
    with pytest.raises(IllegalMoveError):
        start.play("a1-a2")
    with pytest.raises(ChanceError):
        start.play("a1").play("a2")
    with pytest.raises(ChanceError):
        start.play("a1").resolve("M")
    with pytest.raises(ChanceError):
        start.resolve("K")


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet="KGCPkgcp?*./ rb-12", max_size=40),
        st.builds(
            "{}/{} {} {} {}".format,
            st.text(alphabet="KGCPkgcp?*.", min_size=4, max_size=4),
            st.text(alphabet="KGCPkgcp?*.", min_size=4, max_size=4),
            st.sampled_from("rb-"),
            st.one_of(st.just("-"), st.text(alphabet="KGCPkgcp", max_size=8)),
            st.sampled_from("12"),
        ),
    )
)
def test_position_parser_raises_nothing_else(text):
    check_position_text(halma.game("cdc-2x4-KGCP"), text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=20), st.from_regex(r"[a-e][0-9]([-x][a-e][0-9])?")))
def test_move_parser_raises_nothing_else(text):
    check_move_text(position("CGk./?..p r P 1"), text)


# Pictures.


def test_scene_is_landscape_with_the_face_down_pieces_beside():
    game = halma.game("cdc-4x8")
    shown = game.start().play("b3").resolve("k")
    scene = game.scene(shown.state)
    assert (scene.cells[10].x, scene.cells[10].y, scene.cells[10].name) == (2, 1, "b3")
    assert [(p.colour, p.label) for p in scene.pieces if p.cell == 10] == [("black", "k")]
    assert sum(p.colour == "hidden" for p in scene.pieces) == 31
    assert ("red", "P", 5) in scene.reserve and not any(r[1] == "k" for r in scene.reserve)
    assert scene.caption == "red (second player) moves"


def test_scenes_of_a_move_a_flip_and_the_end():
    p = position("CGk./?..p r P 1")
    capture, flip = p.find("a1xa3").value, p.find("b1").value
    assert p.game.scene(p.state, capture).trail == (0, 2)
    assert p.game.scene(p.state, capture).marks == ()
    assert p.game.scene(p.state, flip).marks == (4,)
    assert p.game.scene(p.state, flip).trail == ()
    turning = p.play("b1")
    assert p.game.scene(turning.state).marks == (4,)
    assert p.game.scene(turning.state).caption == "first player turns up b1"
    over = position("G?../.... b P 2")
    assert over.game.scene(over.state).caption == "red (first player) has won"
    start = p.game.start()
    assert p.game.scene(start.state).caption == "first player moves, colours undecided"


def test_the_first_flip_decides_who_has_which_colour():
    position = halma.game("cdc-2x4-PPPP").start()
    assert position.game.colours_of(position.state) == ()
    for outcome, colours in (("P", ("red", "black")), ("p", ("black", "red"))):
        turned = position.play("a1").resolve(outcome)
        while not turned.is_terminal:
            assert turned.game.colours_of(turned.state) == colours
            assert (
                f"({position.game.player_names[turned.mover]})"
                in turned.game.scene(turned.state).caption
            )
            assert turned.game.scene(turned.state).caption.startswith(colours[turned.mover])
            turned = turned.play(turned.legal_moves[0])
            if turned.is_chance:
                turned = turned.resolve(turned.outcomes[0])
