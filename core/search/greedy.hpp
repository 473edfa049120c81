// Greedy players, for games in which pieces race: liu2019's two, who play whole games
// among themselves, and he2016's, who looks further ahead.
#pragma once

#include <array>
#include <limits>

#include "../any.hpp"
#include "../thread_pool.hpp"

namespace halma {

/// A greedy player: whether it plays any forward move in proportion to its advance, or only those
/// that advance most; and whether, of moves that advance equally, it keeps to the piece that trails
/// most.
struct GreedyPlayer {
  bool stochastic = false, prefer_trailing = true;
};

/// Moves, with weights in proportion to the probabilities that a player plays them with.
struct WeightedMoves {
  MoveList moves;
  std::array<int, kMaxMoves> weights;
  int total = 0;

  void add(Move move, int weight) {
    weights[moves.size()] = weight;
    moves.push(move);
    total += weight;
  }
  Move draw(Random& random) const {
    int i = 0;
    for (int left = static_cast<int>(random.below(total)); left >= weights[i]; ++i) left -= weights[i];
    return moves[i];
  }
};

/// The moves that a greedy player draws from where there is a legal one.
template <Races G>
void greedy_policy(const G& game, const typename G::State& state, const GreedyPlayer& player,
                   WeightedMoves& policy) {
  MoveList moves;
  if (!player.stochastic && player.prefer_trailing) {
    furthest(game, state, moves);
    for (const Move move : moves) policy.add(move, 1);
    return;
  }
  game.legal(state, moves);
  std::array<int, kMaxMoves> advances;
  int most = std::numeric_limits<int>::min();
  for (int i = 0; i < moves.size(); ++i) most = std::max(most, advances[i] = game.advance(state, moves[i]));
  if (player.stochastic && most > 0) {
    for (int i = 0; i < moves.size(); ++i)
      if (advances[i] > 0) policy.add(moves[i], advances[i]);
  } else if (player.prefer_trailing) {
    greedy_policy(game, state, {false, true}, policy);
  } else {
    for (int i = 0; i < moves.size(); ++i)
      if (advances[i] == most) policy.add(moves[i], 1);
  }
}

/// liu2019's deterministic player: any of the furthest moves.
template <Races G>
Move greedy_move(const G& game, const typename G::State& state, Random& random) {
  MoveList best;
  furthest(game, state, best);
  return best.size() == 1 ? best[0] : best[random.below(best.size())];
}

/// liu2019's stochastic player: a forward move with a probability proportional to its
/// advance; where there is none, what the other would play.
template <Races G>
Move stochastic_move(const G& game, const typename G::State& state, Random& random) {
  MoveList moves;
  game.legal(state, moves);
  int total = 0;
  for (const Move move : moves) total += std::max(0, game.advance(state, move));
  if (total == 0) return greedy_move(game, state, random);
  int left = static_cast<int>(random.below(total));
  for (const Move move : moves) {
    left -= std::max(0, game.advance(state, move));
    if (left < 0) return move;
  }
  return kNoMove;  // not reached: the advances add up to the total
}

struct GreedyOptions {
  int random_plies = 3;     // of each player, before it plays greedily
  unsigned stochastic = 0;  // bit p: player p is the stochastic one
  int ply_limit = 0;        // 0: no limit
  int cycle_window = 0;     // as in Limits
  int cycle_landings = 0;
};

/// liu2019's rule about cycles, kept up to date move by move.
class CycleWatch {
 public:
  static constexpr int kLongest = 64;

  CycleWatch(int window, int landings) : window_(window), landings_(landings) {}

  void add(int cell) {
    if (window_ == 0) return;
    int& oldest = recent_[moves_ % window_];
    if (moves_ >= window_) distinct_ -= --times_[oldest] == 0;
    distinct_ += times_[cell]++ == 0;
    oldest = cell;
    ++moves_;
  }
  bool cycles() const { return window_ > 0 && moves_ >= window_ && distinct_ < landings_; }

 private:
  int window_, landings_, moves_ = 0, distinct_ = 0;
  std::array<int, kLongest> recent_;
  std::array<std::uint8_t, 256> times_{};
};

/// Plays one game from the start and tells every event; returns the last state.
template <Races G, class Tell>
typename G::State play_greedily(const G& game, const GreedyOptions& options, Random random, Tell&& tell) {
  auto state = game.initial();
  CycleWatch watch(options.cycle_window, options.cycle_landings);
  const int opening = options.random_plies * game.players();
  for (int ply = 0; options.ply_limit == 0 || ply < options.ply_limit; ++ply) {
    while (game.at_chance(state)) {
      const Outcome outcome = sample(game, state, random);
      game.resolve(state, outcome);
      tell(true, outcome);
    }
    if (game.terminal(state) || watch.cycles()) break;
    Move move;
    if (ply < opening) {
      MoveList moves;
      game.legal(state, moves);
      move = moves[random.below(moves.size())];
    } else if (options.stochastic >> game.mover(state) & 1) {
      move = stochastic_move(game, state, random);
    } else {
      move = greedy_move(game, state, random);
    }
    watch.add(game.landing(move) & 0xFF);
    game.play(state, move);
    tell(false, move);
  }
  return state;
}

struct GreedyTotals {
  std::uint64_t games = 0, plies = 0, draws = 0;  // a draw: nobody has the full score
  std::uint64_t wins[kMaxPlayers] = {};
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max(), longest = 0;

  void add(const GreedyTotals& other) {
    games += other.games;
    plies += other.plies;
    draws += other.draws;
    for (int player = 0; player < kMaxPlayers; ++player) wins[player] += other.wins[player];
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
  }
};

/// Many games, each with a generator of its own, so that the totals do not depend on
/// the number of threads.
template <Races G>
GreedyTotals greedy_games(const G& game, std::uint64_t games, std::uint64_t seed,
                          const GreedyOptions& options, int threads) {
  std::vector<GreedyTotals> parts(threads);
  const auto work = [&](int thread) {
    GreedyTotals totals;  // its own, so that threads do not share a cache line
    for (std::uint64_t number = thread; number < games; number += threads) {
      poll_interrupt();
      std::uint64_t plies = 0;
      const auto last = play_greedily(game, options, Random(seed, number),
                                      [&](bool chance, std::uint32_t) { plies += !chance; });
      float scores[kMaxPlayers];
      game.result(last, scores);
      bool won = false;
      for (int player = 0; player < game.players(); ++player)
        if (scores[player] == game.max_score()) {
          ++totals.wins[player];
          won = true;
        }
      ++totals.games;
      totals.draws += !won;
      totals.plies += plies;
      totals.shortest = std::min(totals.shortest, plies);
      totals.longest = std::max(totals.longest, plies);
    }
    parts[thread] = totals;
  };
  ThreadPool(threads).run(work);
  GreedyTotals totals;
  for (const GreedyTotals& part : parts) totals.add(part);
  return totals;
}

/// The most that `depth` moves in a row of the mover can advance together, the others
/// standing still.
template <Races G>
  requires GivesTurn<G>
int most_advance(const G& game, const typename G::State& state, int depth) {
  if (depth == 0 || game.terminal(state)) return 0;
  MoveList moves;
  if (depth == 1) {
    furthest(game, state, moves);
    return game.advance(state, moves[0]);
  }
  game.legal(state, moves);
  const int player = game.mover(state);
  int most = std::numeric_limits<int>::min();
  for (const Move move : moves) {
    auto next = state;
    game.play(next, move);
    game.give_turn(next, player);
    most = std::max(most, game.advance(state, move) + most_advance(game, next, depth - 1));
  }
  return most;
}

/// he2016's benchmark player: the first moves of the best `depth` moves in a row, those
/// of the piece that trails most. A move that finishes comes before all others: the
/// moves after it would count for nothing.
template <Races G>
  requires GivesTurn<G>
void lookahead_moves(const G& game, const typename G::State& state, int depth, MoveList& best) {
  const int player = game.mover(state);
  float before[kMaxPlayers], after[kMaxPlayers];
  game.result(state, before);
  MoveList moves;
  game.legal(state, moves);
  std::pair<int, int> most{std::numeric_limits<int>::min(), 0};
  for (const Move move : moves) {
    auto next = state;
    game.play(next, move);
    game.result(next, after);
    int total = std::numeric_limits<int>::max();
    if (after[player] <= before[player]) {
      game.give_turn(next, player);
      total = game.advance(state, move) + most_advance(game, next, depth - 1);
    }
    const std::pair<int, int> rank{total, game.trailing(state, move)};
    if (rank < most) continue;
    if (rank > most) best.clear();
    most = rank;
    best.push(move);
  }
}

}  // namespace halma
