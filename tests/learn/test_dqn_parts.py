"""Deep Q-learning piece by piece: rewards, transitions, replay buffer, targets, steps."""

import numpy as np
import pytest
import torch

import halma
from halma import _core
from halma.agents import agent
from halma.errors import RecipeError
from halma.learn.episodes import Episodes
from halma.learn.q_trainer import QTrainer, legal_values, td_targets
from halma.learn.recipe import checked
from halma.learn.sections.dqn import RewardSettings
from halma.learn.transitions import (
    Positions,
    TransitionBatch,
    TransitionBuffer,
    Transitions,
    encode_positions,
    find_transitions,
    own_rewards,
    seat,
)
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game

REWARD = RewardSettings()
IDS = halma.game("rhombus-4x4-3:liu2019")


def dqn(**changes):
    given = {key.replace("__", "."): value for key, value in changes.items()}
    small = {"game": "rhombus-3x3-1", "network": "hsueh2023:filters=4", "method": "dqn"}
    return checked("small", {**small, **given})


def random_games(game, numbers, move_limit=8, seed="1") -> FinishedGames:
    """Games of random moves on both sides."""

    def no_values(planes):
        raise AssertionError("every move is random")

    episodes = Episodes(game, agent("random"), move_limit, no_values)
    return episodes.play(numbers, [1.0] * len(numbers), seed)


# The schedule of epsilon.


def test_epsilon_falls_linearly_and_stays() -> None:
    settings = dqn(iterations=10, play__games=100, exploration__share=0.5).settings
    assert [settings.epsilon(n) for n in (0, 250, 500, 999)] == pytest.approx([1, 0.55, 0.1, 0.1])
    assert dqn(exploration__share=0.0).settings.epsilon(0) == pytest.approx(0.1)


# Rewards and transitions.


def test_rewards_by_hand() -> None:
    """Player 1 goes two rows forward and one back; then it wins with a step forward."""
    game = halma.game("rhombus-3x3-1")
    record = halma.Record(game)
    # a1 is player 1's home, c3 its target: rows are counted along the diagonal.
    for text in ("a1-b1", "c3-c2", "b1-a1", "c2-c3", "a1-b1", "c3-c2", "b1-c1"):
        record.play(text)
    games = finished_game(record, number=0)
    rows, rewards = own_rewards(game, games, REWARD)
    assert rows.tolist() == [0, 2, 4, 6]
    expected = [
        0.01 * _core.advance(game.core, games.states[row].tobytes(), int(games.moves[row]))
        for row in rows
    ]
    assert rewards.tolist() == pytest.approx(expected)
    assert rewards[0] == pytest.approx(0.01) and rewards[1] == pytest.approx(-0.01)


@pytest.mark.parametrize(("number", "last"), [(0, 10.0), (1, -3.0)])
def test_the_last_move_has_the_reward_of_the_result(number: int, last: float) -> None:
    game = halma.game("rhombus-3x3-1")
    games = next(
        found
        for k in range(number, 200, 2)
        if (found := random_games(game, [k], 50)).scores[0].tolist() == [1.0, 0.0]
    )
    settings = RewardSettings(advance=0.0, loss=-3.0)
    _, rewards = own_rewards(game, games, settings)
    assert rewards[-1] == last and not rewards[:-1].any()


def naive_transitions(game, games):
    """Replay every game and write down what the network saw, move by move."""
    found = []
    for i in range(len(games)):
        record, mine, decisions, pending = halma.Record(game), seat(int(games.numbers[i])), [], None
        for chance, value in games.events(i):
            if chance:
                record.core.resolve(value)
                continue
            state = record.core.state()
            decisions.append(state)
            if game.core.mover(state) == mine:
                planes = record.encode()
                if pending is not None:
                    found.append((*pending, planes, False))
                reward = 0.01 * game.advance(state, value) if game.has_advance else 0.0
                pending = (planes, game.core.action(state, value), reward)
            record.core.play(value)
        if pending is not None and record.core.end != _core.End.NONE:
            score = record.result[mine]
            planes, action, reward = pending
            found.append((planes, action, reward + 10 * (score == 1), None, True))
    return found


@pytest.mark.parametrize(
    "name", ["rhombus-3x3-1", "rhombus-4x4-3:liu2019", "ewn-3x3-2", "cdc-2x4-PPPP"]
)
def test_transitions_and_a_naive_twin(name: str) -> None:
    game = halma.game(name)
    games = random_games(game, range(12))
    transitions = find_transitions(game, games, REWARD)
    expected = naive_transitions(game, games)
    assert len(transitions) == len(expected) > 20
    buffer = TransitionBuffer(game, 1000)
    buffer.add(transitions)
    batch = TransitionBatch(game, len(expected))
    places = np.arange(len(expected))
    buffer.fill(batch, places, np.zeros(2 * len(expected), np.uint8))
    for i, (planes, action, reward, following, ended) in enumerate(expected):
        assert np.array_equal(batch.planes[i].numpy(), planes)
        assert batch.outcomes[i].tolist() == pytest.approx([reward, float(ended)])
        chosen = batch.targets[i] == 1
        assert batch.actions[i][chosen].tolist() == [action]
        after = len(expected) + i
        if ended:
            following = planes  # without a meaning
        assert np.array_equal(batch.planes[after].numpy(), following)
        assert not batch.targets[after].any()
        assert (batch.actions[after] >= 0).any()


def test_stopped_games_leave_their_last_move_out() -> None:
    games = random_games(IDS, range(4), move_limit=3)
    assert (games.ends == _core.End.PLIES.value).all()
    transitions = find_transitions(IDS, games, REWARD)
    assert len(transitions) == 4 * 2 and not transitions.ended.any()


def test_games_do_not_depend_on_those_beside_them() -> None:
    together = random_games(IDS, range(5))
    for i in range(5):
        alone = random_games(IDS, [i])
        assert np.array_equal(alone.moves, together.part(i, i + 1).moves)


def test_the_best_legal_move_is_played() -> None:
    """With Q-values that are the actions' numbers, every move is the legal one with the highest."""

    def values(planes):
        return np.tile(np.arange(IDS.actions, dtype=np.float32), (len(planes), 1))

    games = Episodes(IDS, agent("random"), 6, values).play(range(6), [0.0] * 6, "2")
    own = games.movers == np.repeat(games.numbers % 2, np.diff(games.row_offsets))
    for state, move in zip(games.states[own], games.moves[own], strict=True):
        actions = {m: IDS.core.action(state.tobytes(), m) for m in IDS.core.legal(state.tobytes())}
        assert actions[int(move)] == max(actions.values())


# The replay buffer.


def numbered(game, first, number) -> Transitions:
    """Transitions whose rewards are their numbers."""
    made = Transitions.empty(game, number)
    made.rewards[:] = np.arange(first, first + number)
    return made


def rewards_in(buffer) -> set[float]:
    rng = np.random.default_rng(0)
    return {float(buffer._kept.rewards[place]) for place in buffer.draw(500, rng)}


@pytest.mark.parametrize("parts", [[3], [3, 3], [5], [4, 4, 4], [12], [1] * 11])
def test_the_buffer_wraps_around(parts: list[int]) -> None:
    buffer, added = TransitionBuffer(IDS, 5), 0
    for part in parts:
        buffer.add(numbered(IDS, added, part))
        added += part
    assert len(buffer) == min(5, added) and buffer.added == added
    assert rewards_in(buffer) == set(range(max(0, added - 5), added))


def test_a_resumed_buffer_is_the_same() -> None:
    whole, again = TransitionBuffer(IDS, 5), TransitionBuffer(IDS, 5)
    for first in range(0, 12, 3):
        whole.add(numbered(IDS, first, 3))
    again.resume(6)
    assert len(again) == 0
    again.add(numbered(IDS, 6, 3))
    assert len(again) == 3 and rewards_in(again) == {6, 7, 8}
    again.add(numbered(IDS, 9, 3))
    assert np.array_equal(whole._kept.rewards, again._kept.rewards)
    assert (len(whole), whole.added) == (len(again), again.added)


# Targets, masks and steps.


def test_targets_by_hand() -> None:
    rewards, ended = torch.tensor([0.02, 10.0, -0.01]), torch.tensor([0.0, 1.0, 0.0])
    best = torch.tensor([2.0, 7.0, -1.0])
    assert td_targets(rewards, ended, best, 0.9).tolist() == pytest.approx([1.82, 10.0, -0.91])


def test_only_legal_actions_count() -> None:
    values = torch.tensor([[5.0, 1.0, 9.0, 3.0]])
    actions = torch.tensor([[1, 3, -1]], dtype=torch.int32)
    assert legal_values(values, actions, -torch.inf).amax(1).tolist() == [3.0]
    assert legal_values(values, actions, 0.0).tolist() == [[1.0, 3.0, 0.0]]


def filled_batch(trainer, game, buffer, places):
    batch = TransitionBatch(game, len(places))
    buffer.fill(batch, np.asarray(places), np.zeros(2 * len(places), np.uint8))
    return batch


def test_the_loss_of_a_batch_by_hand() -> None:
    game = halma.game("rhombus-3x3-1")
    settings = dqn(learning__discount=0.8).settings
    trainer = QTrainer(game, settings, "cpu")
    games = random_games(game, range(10), 30)
    buffer = TransitionBuffer(game, 1000)
    buffer.add(find_transitions(game, games, REWARD))
    number = len(buffer)
    batch = filled_batch(trainer, game, buffer, range(number))
    trainer.network.eval()
    with torch.no_grad():
        before, after = (trainer.network(part)[0].numpy() for part in batch.planes.split(number))
        loss, (reported, error) = trainer._step.losses(*batch.tensors)
    errors = []
    for i in range(number):
        action = int(batch.actions[i][batch.targets[i] == 1])
        legal = batch.actions[number + i]
        best = max(after[i][int(a)] for a in legal if a >= 0)
        reward, ended = batch.outcomes[i].tolist()
        errors.append(before[i][action] - (reward + (0.0 if ended else 0.8 * best)))
    huber = [e * e / 2 if abs(e) <= 1 else abs(e) - 0.5 for e in errors]
    assert float(loss) == pytest.approx(np.mean(huber), abs=1e-5)
    assert float(reported) == float(loss)
    assert float(error) == pytest.approx(np.mean(np.abs(errors)), abs=1e-5)


def test_only_the_chosen_output_has_a_gradient() -> None:
    game = halma.game("rhombus-3x3-1")
    trainer = QTrainer(game, dqn().settings, "cpu")
    buffer = TransitionBuffer(game, 100)
    buffer.add(find_transitions(game, random_games(game, range(2)), REWARD))
    batch = filled_batch(trainer, game, buffer, [0])
    trainer.network.eval()
    trainer._step.losses(*batch.tensors)[0].backward()
    chosen = int(batch.actions[0][batch.targets[0] == 1])
    gradient = trainer.network.policy.bias.grad
    assert gradient.nonzero().flatten().tolist() == [chosen]
    assert trainer.network.value.bias.grad is None
    assert all(weight.grad is None for weight in trainer._step.target.parameters())


def test_the_target_network_follows_after_its_period() -> None:
    game = halma.game("rhombus-3x3-1")
    trainer = QTrainer(game, dqn(learning__target_period=4, learning__rate=0.01).settings, "cpu")
    buffer = TransitionBuffer(game, 100)
    buffer.add(find_transitions(game, random_games(game, range(4)), REWARD))

    def differs() -> bool:
        pairs = zip(trainer.network.parameters(), trainer._step.target.parameters(), strict=True)
        return any(not torch.equal(ours, theirs) for ours, theirs in pairs)

    assert not differs()
    trainer.learn(buffer, 3, (0,))
    assert differs()
    trainer.learn(buffer, 1, (1,))
    assert not differs()


def test_symmetric_positions_keep_their_move() -> None:
    """In a mirror, the action of a move is that of the mirrored move."""
    games = random_games(IDS, range(2))
    transitions = find_transitions(IDS, games, REWARD)
    batch = TransitionBatch(IDS, len(transitions))
    buffer = TransitionBuffer(IDS, 100)
    buffer.add(transitions)
    places = np.arange(len(transitions))
    buffer.fill(batch, places, np.ones(2 * len(places), np.uint8))
    own = np.flatnonzero(games.movers == np.repeat(games.numbers % 2, np.diff(games.row_offsets)))
    for i in range(3):
        state, move = games.states[own[i]].tobytes(), int(games.moves[own[i]])
        image = IDS.core.image(state, 1)
        mirrored = IDS.core.action(image, IDS.core.image_move(state, move, 1))
        assert batch.actions[i][batch.targets[i] == 1].tolist() == [mirrored]


def test_batches_grow_with_the_number_of_legal_moves() -> None:
    from halma.learn.batches import Batch

    batch = Batch(IDS, 1, 2)
    state = np.frombuffer(IDS.core.initial(), np.uint8)
    history = np.tile(state, (1, IDS.core.history, 1))
    zero = np.zeros(1, np.int32)
    positions = Positions(history, zero, zero, zero.astype(np.float32))
    encode_positions(batch, positions, np.zeros(1, np.uint8))
    legal = len(IDS.core.legal(IDS.core.initial()))
    assert int((batch.actions >= 0).sum()) == legal > 2


# Settings.


def test_settings_that_do_not_fit() -> None:
    with pytest.raises(RecipeError, match="for two players"):
        dqn(game="star-37-3p")
    with pytest.raises(RecipeError, match="first step would never be made"):
        dqn(learning__replay_buffer=100, learning__prefill=101)
    with pytest.raises(RecipeError, match="'network' cannot be 'liu2019'"):
        dqn(game="cdc-2x4-PPPP", network="liu2019")
    assert dqn().settings.opponent == "greedy"
    assert dqn(game="cdc-2x4-PPPP").settings.opponent != "greedy"
