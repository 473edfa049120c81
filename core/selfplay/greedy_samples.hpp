// Games of a greedy player against itself, as training samples: what a network is trained on before
// it plays games of its own (liu2019, section 3.5).
#pragma once

#include <limits>

#include "../search/greedy.hpp"
#include "samples.hpp"

namespace halma {

struct GreedySampleOptions {
  GreedyPlayer player;
  Limits limits;
  bool policy_targets = false;  // the probabilities of all moves; otherwise the move played
  bool keep_draws = true;       // a draw: all players score the same
  // Shares of games that start from a random placement of all pieces, and with random plies.
  double random_starts = 0.0, random_openings = 0.0;
  int random_plies_min = 0, random_plies_max = 0;
  std::uint64_t seed = 0;
};

/// Plays the game of a number; `any` is the same game as `game`.
template <Races G>
FinishedGame play_greedy_game(const G& game, const AnyGame& any, const GreedySampleOptions& options,
                              std::uint64_t number) {
  constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
  Random random(options.seed, number);
  std::vector<Bytes> start(any.state_size());
  const double kind = random.uniform();
  int random_left = 0;
  if (kind < options.random_starts) {
    any.random_start(random, start.data());
  } else {
    any.initial(start.data());
    if (kind < options.random_starts + options.random_openings)
      random_left = options.random_plies_min +
                    static_cast<int>(random.below(options.random_plies_max - options.random_plies_min + 1));
  }
  Record record(any, options.limits, start.data());
  FinishedGame done;
  End end;
  while ((end = record.end()) == End::none) {
    poll_interrupt(record.length(), 16);  // without limits a game may never end
    const auto state = load_state(game, record.state());
    if (game.at_chance(state)) {
      record.resolve(sample(game, state, random));
      continue;
    }
    Move move;
    if (random_left > 0) {
      --random_left;
      MoveList moves;
      game.legal(state, moves);
      move = moves[static_cast<int>(random.below(moves.size()))];
      done.rows.add(record, Choice::random, move, kNoValue, 0);
    } else {
      WeightedMoves policy;
      greedy_policy(game, state, options.player, policy);
      move = policy.draw(random);
      done.rows.add(record, Choice::full, move, kNoValue, 0);
      if (!options.policy_targets)
        done.rows.add_target(game.action(state, move), 1.0f);
      else
        for (int i = 0; i < policy.moves.size(); ++i)
          done.rows.add_target(game.action(state, policy.moves[i]),
                               static_cast<float>(policy.weights[i]) / static_cast<float>(policy.total));
    }
    record.play(move);
  }
  note_end(done, game, record, number, end);
  return done;
}

/// Plays games `first` to before `first + games`. Each has a generator of its own, so they do not
/// depend on the number of threads. Those that are not kept are left out.
template <Races G>
Samples greedy_samples(const G& game, const AnyGame& any, const GreedySampleOptions& options,
                       std::uint64_t first, std::uint64_t games, int threads) {
  std::vector<FinishedGame> played(games);
  parallel_for(threads, games, [&] {
    return [&](std::uint64_t i) { played[i] = play_greedy_game(game, any, options, first + i); };
  });
  Samples samples;
  for (FinishedGame& one : played) {
    const float* scores = one.summary.scores;
    const bool drawn = std::all_of(scores, scores + game.players(), [&](float s) { return s == scores[0]; });
    if (options.keep_draws || !drawn) add_game(samples, one, game.players());
    one = FinishedGame{};  // its memory
  }
  return samples;
}

}  // namespace halma
