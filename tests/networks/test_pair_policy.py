"""The policy head of pairs of cells, and the cells of moves."""

import random

import numpy as np
import pytest

import halma
from halma.errors import OptionError
from halma.games import Record
from halma.networks.network_file import NetworkInfo

torch = pytest.importorskip("torch")

from halma.networks.architectures.build import build  # noqa: E402


@pytest.mark.parametrize("variant", ["rhombus-7x7-6", "rhombus-4x4-3", "star-37-3p", "star-121-2p"])
def test_moves_lead_from_a_piece_to_an_empty_cell(variant):
    game, rng = halma.game(variant), random.Random(3)
    cells = game.core.action_cells
    assert len(cells) == game.actions
    record, seen = Record(game), set()
    for _ in range(60):
        if record.is_over:
            record = Record(game)
        planes, position = record.encode().reshape(game.shape[0], -1), record.position
        for move in position.legal_moves:
            action = game.core.action(position.state, move.value)
            source, target = cells[action]
            assert planes[0, source] == 1, move
            assert not planes[: game.players, target].any(), move
            assert (source, target) not in seen or seen.issuperset({(source, target, action)})
            seen |= {(source, target), (source, target, action)}
        record.play(rng.choice(position.legal_moves))


def test_scores_are_products_of_two_cells():
    game = halma.game("rhombus-4x4-3")
    network = build(NetworkInfo.for_game(game, "modern:size=s,policy=pairs"), seed=1).eval()
    head = network.policy
    torch.nn.init.normal_(head.targets.weight)
    torch.nn.init.normal_(head.bias)
    x = torch.randn(2, 32, *game.shape[1:])
    with torch.no_grad():
        found = head(x).numpy()
        sources, targets = (layer(x).flatten(2).numpy() for layer in (head.sources, head.targets))
    for action, (source, target) in enumerate(game.core.action_cells):
        if source >= 0:
            product = np.einsum("nd,nd->n", sources[:, :, source], targets[:, :, target])
            expected = product + head.bias[action].item()
            np.testing.assert_allclose(found[:, action], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("variant", ["ewn-5x5-6", "rhombus-7x7-6:liu2019"])
def test_games_whose_moves_are_not_pairs(variant):
    with pytest.raises(OptionError, match="not pairs of cells"):
        NetworkInfo.for_game(halma.game(variant), "modern:policy=pairs")
