// Games of a minimax search against itself, as training samples of an evaluator.
#pragma once

#include <limits>
#include <type_traits>

#include "../search/alphabeta.hpp"
#include "../search/expectimax.hpp"
#include "../thread_pool.hpp"
#include "samples.hpp"

namespace halma {

struct SearchSampleOptions {
  MinimaxOptions search;  // alpha-beta or expectimax
  Limits limits;
  std::uint64_t nodes = 1000;  // a move
  // Games start with random plies, as many as are drawn from this range; later moves are random
  // with a small chance.
  int random_plies_min = 0, random_plies_max = 0;
  double random_moves = 0.0;
  std::uint64_t seed = 0;
};

/// The chance of winning that a search found.
template <Game G>
double chance_found(const AlphaBeta<G>& search, const MinimaxResult& found) {
  if (found.proven) return std::abs(found.value) > kDecided ? (found.value > 0 ? 1.0 : 0.0) : 0.5;
  return 1 / (1 + std::exp(-std::clamp(search.scale() * found.value, -20.0, 20.0)));
}
template <Game G>
double chance_found(const Expectimax<G>&, const MinimaxResult& found) {
  return found.value;
}

/// Plays the game of a number; `any` is the same game as `game`. A game ends early where the search
/// proves its value.
template <class Search, Game G>
FinishedGame play_search_game(const G& game, const AnyGame& any, const SearchSampleOptions& options,
                              Search& search, std::uint64_t number) {
  constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
  Random random(options.seed, number);
  std::vector<Bytes> start(any.state_size());
  any.initial(start.data());
  int random_left = options.random_plies_min +
                    static_cast<int>(random.below(options.random_plies_max - options.random_plies_min + 1));
  Record record(any, options.limits, start.data());
  FinishedGame done;
  End end;
  while ((end = record.end()) == End::none) {
    const auto state = load_state(game, record.state());
    if (game.at_chance(state)) {
      record.resolve(sample(game, state, random));
      continue;
    }
    MoveList moves;
    game.legal(state, moves);
    Move move = moves[0];
    if (random_left > 0 || (moves.size() > 1 && random.uniform() < options.random_moves)) {
      if (random_left > 0) --random_left;
      move = moves[static_cast<int>(random.below(moves.size()))];
      done.rows.add(record, Choice::random, move, kNoValue, 0);
    } else if (moves.size() == 1) {
      done.rows.add(record, Choice::fast, move, kNoValue, 0);
    } else {
      const MinimaxResult found = search.search(state, record, {0, options.nodes, 0, false});
      move = found.best;
      const double chance = chance_found(search, found);
      if (found.proven) {
        const int mover = game.mover(state);
        done.summary = {number, record.plies(), End::none, true, -1, false, {}};
        done.summary.scores[mover] = static_cast<float>(chance);
        done.summary.scores[mover ^ 1] = static_cast<float>(1 - chance);
        done.events = record.events();
        return done;
      }
      // A search evaluates quiet positions alone, so only those are to be learned.
      bool quiet = true;
      if constexpr (KnowsQuiet<G>) quiet = game.is_quiet(state);
      done.rows.add(record, quiet ? Choice::full : Choice::fast, move, static_cast<float>(chance),
                    std::min<std::uint64_t>(found.nodes, 1u << 30));
    }
    record.play(move);
  }
  note_end(done, game, record, number, end);
  return done;
}

/// Plays games `first` to before `first + games`. Each has a generator of its own, and searches do not
/// depend on earlier ones, so games do not depend on the number of threads.
template <Game G>
Samples search_samples(const G& game, const AnyGame& any, const SearchSampleOptions& options,
                       std::uint64_t first, std::uint64_t games, int threads) {
  std::vector<FinishedGame> played(games);
  const auto play = [&]<class Search>(std::type_identity<Search>) {
    parallel_for(threads, games, [&] {
      return [&, search = std::make_shared<Search>(game, options.search)](std::uint64_t i) {
        played[i] = play_search_game(game, any, options, *search, first + i);
      };
    });
  };
  if (options.search.kind == MinimaxKind::expectimax)
    play(std::type_identity<Expectimax<G>>{});
  else
    play(std::type_identity<AlphaBeta<G>>{});
  Samples samples;
  for (FinishedGame& one : played) {
    add_game(samples, one, game.players());
    one = FinishedGame{};  // its memory
  }
  return samples;
}

}  // namespace halma
