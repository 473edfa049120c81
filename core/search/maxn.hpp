// Minimax for any number of players without chance: max^n, where every player maximises its
// own score, and paranoid, where all others play against the player at the root. Partners of a team
// are one side: they evaluate alike, and in paranoid search partners of the player at the root play
// for it.
//
// A side's evaluation is its linear score, of a team the mean, less the average of the other sides'; at
// the end of the game it is its share of the scores above the average, times kWin less the plies it took.
// Depth counts the moves of all players. In max^n a player who is indifferent takes the first move listed,
// which matters to the others, so that moves are never reordered and nothing is pruned. Paranoid values can
// be pruned by windows.
#pragma once

#include <array>
#include <limits>

#include "minimax_options.hpp"

namespace halma {

template <Game G>
class MaxN {
 public:
  using State = typename G::State;
  using Values = std::array<double, kMaxPlayers>;

  MaxN(const G& game, const MinimaxOptions& options)
      : game_(&game), options_(with_own_weights(game, options)) {}

  /// `root` is the current state of the record, a decision.
  MinimaxResult search(const State& root, const Record& record, const MinimaxLimits& limits) {
    budget_.start(limits);
    line_.start(record, options_.limits);
    me_ = game_->mover(root);
    MinimaxResult result;
    MoveList moves;
    game_->legal(root, moves);
    result.value = evaluate(root)[me_];
    result.best = moves[0];
    result.line = {moves[0]};
    const int deepest = limits.depth ? limits.depth : kDeepest - 1;
    const bool deepen = options_.deepen && (limits.nodes || limits.seconds > 0);
    for (int depth = deepen ? 1 : deepest; depth <= deepest; ++depth) {
      std::vector<MinimaxMove> values;
      cut_by_depth_ = false;
      double best = -kInfinite;
      line_.push(line_.needs_keys() ? game_->key(root) : 0);
      for (const Move move : moves) {
        State child = root;
        const int clock = enter(child, move, line_.clock());
        const double alpha = limits.all_moves ? -kInfinite : best;
        const double value = options_.kind == MinimaxKind::maxn
                                 ? each_for_itself(child, depth - 1, 1, clock)[me_]
                                 : all_against_me(child, depth - 1, alpha, kInfinite, 1, clock);
        line_.pop_landing();
        if (budget_.stopped()) break;
        values.push_back({move, value});
        if (value > best) {
          best = value;
          lines_.keep(0, move);
        }
      }
      line_.pop();
      if (budget_.stopped()) break;
      result.value = best;
      result.depth = depth;
      result.depth_values.push_back(best);
      result.line = lines_.whole();
      result.best = result.line[0];
      if (limits.all_moves) result.moves = std::move(values);
      if (!cut_by_depth_) break;  // the whole game has been looked at
    }
    budget_.report(result);
    return result;
  }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  Values each_for_itself(const State& state, int depth, int ply, int clock) {
    lines_.clear(ply);
    if (!budget_.take()) return {};
    if (game_->at_chance(state)) return budget_.stop_at_chance(), Values{};
    const std::uint64_t key = line_.needs_keys() ? game_->key(state) : 0;
    if (line_.ends(key, clock, ply)) return end_line(state, ply);
    MoveList moves;
    if (is_leaf(state, depth, moves)) return leaf(state, ply);
    line_.push(key);
    const int mover = game_->mover(state);
    Values best{};
    best[mover] = -kInfinite;
    for (const Move move : moves) {
      State child = state;
      const int next_clock = enter(child, move, clock);
      const Values values = each_for_itself(child, depth - 1, ply + 1, next_clock);
      line_.pop_landing();
      if (budget_.stopped()) break;
      if (values[mover] > best[mover]) {
        best = values;
        lines_.keep(ply, move);
      }
    }
    line_.pop();
    return best;
  }

  /// Always the value for the player at the root.
  double all_against_me(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    lines_.clear(ply);
    if (!budget_.take()) return 0;
    if (game_->at_chance(state)) return budget_.stop_at_chance(), 0;
    const std::uint64_t key = line_.needs_keys() ? game_->key(state) : 0;
    if (line_.ends(key, clock, ply)) return end_line(state, ply)[me_];
    MoveList moves;
    if (is_leaf(state, depth, moves)) return leaf(state, ply)[me_];
    line_.push(key);
    const bool mine = side_of(*game_, game_->mover(state)) == side_of(*game_, me_);
    double best = mine ? -kInfinite : kInfinite;
    for (const Move move : moves) {
      State child = state;
      const int next_clock = enter(child, move, clock);
      const double value = all_against_me(child, depth - 1, alpha, beta, ply + 1, next_clock);
      line_.pop_landing();
      if (budget_.stopped()) break;
      if (mine ? value > best : value < best) {
        best = value;
        lines_.keep(ply, move);
      }
      if (options_.pruning == Pruning::none) continue;
      if (mine)
        alpha = std::max(alpha, best);
      else
        beta = std::min(beta, best);
      if (alpha >= beta) break;
    }
    line_.pop();
    return best;
  }

  /// Plays a move of the line and returns the halfmove clock after it.
  int enter(State& state, Move move, int clock) {
    if (line_.tracks_clock()) clock = game_->irreversible(state, move) ? 0 : clock + 1;
    line_.push_landing(game_->landing(move));
    game_->play(state, move);
    return clock;
  }

  Values end_line(const State& state, int ply) {
    ++budget_.leaves;
    return outcome(state, ply);
  }

  /// Fills in the moves of a position that is searched further.
  bool is_leaf(const State& state, int depth, MoveList& moves) const {
    if (depth > 0) game_->legal(state, moves);
    return moves.empty();
  }

  /// A position without moves, be it for want of depth or of moves.
  Values leaf(const State& state, int ply) {
    ++budget_.leaves;
    if (game_->terminal(state)) return outcome(state, ply);
    cut_by_depth_ = true;
    return evaluate(state);
  }

  Values evaluate(const State& state) {
    ++budget_.evaluations;
    Values scores{};
    for (int player = 0; player < game_->players(); ++player)
      scores[player] = exact_score(*game_, state, player, options_.weights);
    return above_others(scores);
  }

  Values outcome(const State& state, int ply) const {
    float scores[kMaxPlayers];
    game_->result(state, scores);
    Values shares{};
    for (int player = 0; player < game_->players(); ++player)
      shares[player] = static_cast<double>(scores[player]) / game_->max_score();
    Values values = above_others(shares);
    for (double& value : values) value *= kWin - ply;
    return values;
  }

  /// Each side's number less the average of the other sides'.
  Values above_others(const Values& numbers) const {
    Values by_side;
    const int number = side_means(*game_, numbers.data(), by_side.data());
    double sum = 0;
    for (int side = 0; side < number; ++side) sum += by_side[side];
    Values above{};
    for (int player = 0; player < game_->players(); ++player) {
      const double own = by_side[side_of(*game_, player)];
      above[player] = own - (sum - own) / std::max(number - 1, 1);
    }
    return above;
  }

  const G* game_;
  MinimaxOptions options_;
  Budget budget_;
  int me_ = 0;                 // the player at the root
  bool cut_by_depth_ = false;  // some position was evaluated
  Lines lines_;
  LineHistory line_;
};

}  // namespace halma
