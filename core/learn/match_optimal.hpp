// A lookup table's policy against the optimal player (hsueh2023, section IV).
#pragma once

#include <limits>

#include "../record.hpp"
#include "../solve/exact_values.hpp"
#include "../thread_pool.hpp"
#include "lookup_table.hpp"

namespace halma {

/// Games of the table: [0] in which it moved first, [1] second.
struct MatchTotals {
  std::uint64_t wins[2] = {}, draws[2] = {}, losses[2] = {};
};

/// Plays `games` games, every other one with the table moving first. The table plays its
/// likeliest legal move, the optimal player any of the best.
template <HasLayers G>
MatchTotals match_optimal(const AnyGame& any, const G& game, const LookupTable& table, ExactTable truth,
                          const Limits& limits, std::uint64_t games, std::uint64_t seed, int threads) {
  using State = typename G::State;
  const ExactValues<G> values(game);
  std::vector<Bytes> start(any.state_size());
  any.initial(start.data());

  const auto optimal = [&](const State& state, Random& random) {
    FixedList<Move, kMaxMoves> best;
    // Below every value, also of a table that is not the game's: there is always a best move.
    ExactValue highest{-std::numeric_limits<double>::infinity(), 0};
    values.each_move(state, truth, [&](const MoveValue& m) {
      if (values.scale().better(m.value, highest)) {
        highest = m.value;
        best.clear();
      }
      if (!values.scale().better(highest, m.value)) best.push(m.move);
    });
    return best[static_cast<int>(random.below(best.size()))];
  };

  std::vector<float> scores(games);  // of the table
  parallel_for(threads, games, [&] {
    return [&](std::uint64_t number) {
      Random random(seed, number);
      const int table_player = static_cast<int>(number % 2);
      Record record(any, limits, start.data());
      State state = load_state(game, start.data());
      while (true) {
        poll_interrupt();
        while (game.at_chance(state)) {
          const Outcome outcome = sample(game, state, random);
          game.resolve(state, outcome);
          record.resolve(outcome);
        }
        if (record.end() != End::none) break;
        Move move;
        if (game.mover(state) == table_player) {
          MoveList moves;
          game.legal(state, moves);
          move = table.best(game, state, moves);
        } else {
          move = optimal(state, random);
        }
        game.play(state, move);
        record.play(move);
      }
      float result[kMaxPlayers];
      game.result(state, result);
      scores[number] = result[table_player] / game.max_score();
    };
  });

  MatchTotals totals;
  for (std::uint64_t number = 0; number < games; ++number) {
    auto& counts = scores[number] == 1.0f   ? totals.wins
                   : scores[number] == 0.0f ? totals.losses
                                            : totals.draws;
    ++counts[number % 2];
  }
  return totals;
}

}  // namespace halma
