// Loops that need only the contract: perft, random and racing plies, playouts, sampling of states,
// enumeration of reachable states.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "hooks.hpp"
#include "interrupt.hpp"

namespace halma {

/// Samples an outcome by its probability.
template <Game G>
Outcome sample(const G& game, const typename G::State& state, Random& random) {
  OutcomeList outcomes;
  game.outcomes(state, outcomes);
  double left = random.uniform();
  for (int i = 0; i + 1 < outcomes.size(); ++i) {
    left -= outcomes[i].probability;
    if (left < 0) return outcomes[i].outcome;
  }
  return outcomes[outcomes.size() - 1].outcome;
}

template <Game G>
int count_moves(const G& game, const typename G::State& state) {
  if constexpr (CountsMoves<G>) {
    return game.count(state);
  } else {
    MoveList moves;
    game.legal(state, moves);
    return moves.size();
  }
}

/// Number of leaves of the game tree `depth` moves deep. Chance outcomes are expanded
/// but do not count as moves. At the last ply moves are counted, not played. Flattened: left to itself, the
/// compiler stops inlining the rules when more is compiled beside this, which cost a sixth of the speed.
template <Game G>
[[gnu::flatten]] std::uint64_t perft(const G& game, const typename G::State& state, int depth) {
  if (depth == 0) return 1;
  if (game.at_chance(state)) {
    OutcomeList outcomes;
    game.outcomes(state, outcomes);
    std::uint64_t leaves = 0;
    for (const Chance& chance : outcomes) {
      auto next = state;
      game.resolve(next, chance.outcome);
      leaves += perft(game, next, depth);
    }
    return leaves;
  }
  if (depth == 1) return count_moves(game, state);
  if (depth > 3) poll_interrupt();
  MoveList moves;
  game.legal(state, moves);
  std::uint64_t leaves = 0;
  for (const Move move : moves) {
    auto next = state;
    game.play(next, move);
    leaves += perft(game, next, depth - 1);
  }
  return leaves;
}

/// Resolves chance, then plays one uniformly random move.
template <Game G>
Ply random_ply(const G& game, typename G::State& state, Random& random) {
  if constexpr (PlaysRandomly<G>) {
    return game.random_ply(state, random);
  } else {
    while (game.at_chance(state)) game.resolve(state, sample(game, state, random));
    MoveList moves;
    game.legal(state, moves);
    if (moves.empty()) return Ply::over;
    const Move move = moves[random.below(moves.size())];
    const bool progress = game.irreversible(state, move);
    game.play(state, move);
    return progress ? Ply::irreversible : Ply::reversible;
  }
}

/// The legal moves that advance most; of those the ones whose piece trails most.
template <Races G>
void furthest(const G& game, const typename G::State& state, MoveList& best) {
  if constexpr (FindsFurthest<G>) {
    game.furthest(state, best);
  } else {
    MoveList moves;
    game.legal(state, moves);
    std::pair<int, int> most{std::numeric_limits<int>::min(), 0};
    for (const Move move : moves) {
      const std::pair<int, int> rank{game.advance(state, move), game.trailing(state, move)};
      if (rank < most) continue;
      if (rank > most) best.clear();
      most = rank;
      best.push(move);
    }
  }
}

/// Resolves chance, then plays one of the moves that advance most, each as likely as any other.
template <Races G>
Ply racing_ply(const G& game, typename G::State& state, Random& random) {
  while (game.at_chance(state)) game.resolve(state, sample(game, state, random));
  if (game.terminal(state)) return Ply::over;
  MoveList moves;
  furthest(game, state, moves);
  const Move move = moves[random.below(moves.size())];
  const bool progress = game.irreversible(state, move);
  game.play(state, move);
  return progress ? Ply::irreversible : Ply::reversible;
}

struct PlayoutTotals {
  std::uint64_t games = 0, plies = 0, stopped = 0;  // stopped: ended by a limit, not by the rules
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max(), longest = 0;
  double scores[kMaxPlayers] = {};  // summed over games
};

/// Random games from `start`, each with its own generator, stopped after `ply_limit`
/// plies or when the halfmove clock reaches `quiet_limit` (0: no such limit). Repetition
/// is ignored: it is rare in random games.
template <Game G>
PlayoutTotals playouts(const G& game, const typename G::State& start, std::uint64_t games, std::uint64_t seed,
                       int ply_limit, int quiet_limit) {
  PlayoutTotals totals;
  totals.games = games;
  const std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t most = ply_limit > 0 ? ply_limit : no_limit;
  const std::uint64_t most_quiet = quiet_limit > 0 ? quiet_limit : no_limit;
  for (std::uint64_t number = 0; number < games; ++number) {
    poll_interrupt(number, 16);
    Random random(seed, number);
    auto state = start;
    std::uint64_t plies = 0, quiet = 0;
    while (true) {
      if (plies == most || quiet == most_quiet) {
        totals.stopped += !game.at_chance(state) && game.terminal(state) ? 0 : 1;
        break;
      }
      const Ply ply = random_ply(game, state, random);
      if (ply == Ply::over) break;
      poll_interrupt(++plies, 4096);
      quiet = ply == Ply::irreversible ? 0 : quiet + 1;
    }
    float scores[kMaxPlayers];
    game.result(state, scores);
    for (int player = 0; player < game.players(); ++player) totals.scores[player] += scores[player];
    totals.plies += plies;
    totals.shortest = std::min(totals.shortest, plies);
    totals.longest = std::max(totals.longest, plies);
  }
  return totals;
}

/// Decision states of random games from `start`, for benchmarks and tests.
template <Game G>
std::vector<typename G::State> sample_states(const G& game, const typename G::State& start, int number,
                                             std::uint64_t seed, int ply_limit) {
  std::vector<typename G::State> states;
  for (std::uint64_t stream = 0; static_cast<int>(states.size()) < number; ++stream) {
    poll_interrupt(stream, 16);
    Random random(seed, stream);
    auto state = start;
    // Without this, a terminal start would loop forever.
    if (!game.at_chance(state) && game.terminal(state)) break;
    for (int ply = 0; ply < ply_limit; ++ply) {
      while (game.at_chance(state)) game.resolve(state, sample(game, state, random));
      if (game.terminal(state)) break;
      states.push_back(state);
      poll_interrupt(states.size(), 4096);
      if (static_cast<int>(states.size()) == number) break;
      random_ply(game, state, random);
    }
  }
  return states;
}

struct Reachable {
  std::uint64_t decisions = 0;      // distinct decision states, by index
  std::uint64_t terminals = 0;      // moves and outcomes that lead to a terminal state
  std::vector<std::uint64_t> bits;  // one per index, low bits first: set for decision states
};

/// Enumerates the decision states reachable from the start of an enumerable variant.
template <Game G>
Reachable reachable(const G& game) {
  Reachable found;
  std::vector<std::uint64_t>& seen = found.bits;
  seen.resize((game.index_size() + 63) / 64);
  std::vector<typename G::State> open;

  const auto visit = [&](const auto& self, const typename G::State& state) -> void {
    if (game.at_chance(state)) {
      OutcomeList outcomes;
      game.outcomes(state, outcomes);
      for (const Chance& chance : outcomes) {
        auto next = state;
        game.resolve(next, chance.outcome);
        self(self, next);
      }
    } else if (game.terminal(state)) {
      ++found.terminals;
    } else {
      const std::uint64_t index = game.index(state);
      std::uint64_t& word = seen[index / 64];
      const std::uint64_t bit = std::uint64_t{1} << (index % 64);
      if (word & bit) return;
      word |= bit;
      ++found.decisions;
      open.push_back(state);
    }
  };

  visit(visit, game.initial());
  for (std::uint64_t step = 0; !open.empty(); ++step) {
    poll_interrupt(step, 64);
    const auto state = open.back();
    open.pop_back();
    MoveList moves;
    game.legal(state, moves);
    for (const Move move : moves) {
      auto next = state;
      game.play(next, move);
      visit(visit, next);
    }
  }
  return found;
}

}  // namespace halma
