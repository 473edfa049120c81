"""Exact values of a small deterministic game for two, by plain retrograde analysis."""

from __future__ import annotations

from collections import defaultdict, deque


def solve(core) -> tuple[dict[int, str], dict[int, int]]:
    """Return value and distance by index, for the mover: won, lost, or illegal.

    Positions in neither dictionary are drawn. Illegal are those whose mover has already won.
    """
    value: dict[int, str] = {}
    distance: dict[int, int] = {}
    before: dict[int, list[int]] = defaultdict(list)
    choices: dict[int, int] = {}
    for index in range(core.index_size):
        state = core.unindex(index)
        if core.terminal(state):
            value[index] = "illegal" if core.result(state)[0] == 1 else "lost"
            distance[index] = 0
            continue
        moves = core.legal(state)
        choices[index] = len(moves)
        for move in moves:
            before[core.index(core.play(state, move))].append(index)
    queue = deque(index for index, v in value.items() if v == "lost")
    while queue:
        index = queue.popleft()
        for earlier in before[index]:
            if earlier in value:
                continue
            choices[earlier] -= 1
            if value[index] == "lost" or choices[earlier] == 0:
                value[earlier] = "won" if value[index] == "lost" else "lost"
                distance[earlier] = distance[index] + 1
                queue.append(earlier)
    return value, distance
