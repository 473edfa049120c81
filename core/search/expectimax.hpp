// Minimax for two players with chance: players choose, chance averages.
//
// Values are chances of winning in [0, 1], always for the player to move: the evaluation is
// the sigmoid of the lead in linear scores, so that chance nodes have bounds to prune
// with. The value of a win falls by kPatience a ply, so that quicker wins are preferred.
// Depth counts moves; chance takes none, and a position at chance at the end of the depth is
// evaluated as it is.
//
// Star1 gives each outcome the window outside of which the average leaves its own
// whatever the other outcomes bring. Star2 first tries one move after each outcome: a
// player who may choose gets at least that, and the sum may already be enough.
#pragma once

#include "minimax_options.hpp"

namespace halma {

template <Game G>
class Expectimax {
 public:
  using State = typename G::State;
  /// What the value of a win loses with every ply.
  static constexpr double kPatience = 1e-6;
  /// Values beyond, of moves that are proven, are wins.
  static constexpr double kSureWin = 1 - kPatience * kDeepest;

  Expectimax(const G& game, const MinimaxOptions& options) : game_(&game), options_(options) {
    if constexpr (HasFeatures<G>)
      if (options_.weights.empty()) options_.weights = game.default_weights();
  }

  /// `root` is the current state of the record, a decision.
  MinimaxResult search(const State& root, const Record& record, const MinimaxLimits& limits) {
    budget_.start(limits);
    if (options_.oracle)
      if (std::optional<MinimaxResult> exact = probe_moves(*options_.oracle, root)) return *exact;
    line_.start(record, options_.limits);
    root_.moves.clear();
    game_->legal(root, root_.moves);
    const MoveList listed = root_.moves;
    rank(root, root_, 2);
    MinimaxResult result;
    result.value = evaluate(root);
    result.best = root_.moves[0];
    result.line = {result.best};
    const int deepest = limits.depth ? limits.depth : kDeepest - 1;
    // Without a table the shallow searches pay only with a budget of nodes or time.
    const bool deepen = options_.deepen && (limits.nodes || limits.seconds > 0);
    for (int depth = deepen ? 1 : deepest; depth <= deepest; ++depth) {
      cut_by_depth_ = false;
      const double value = search_root(root, depth, limits.all_moves);
      if (budget_.stopped()) break;
      result.value = value;
      result.depth = depth;
      result.line = lines_.whole();
      result.best = result.line[0];
      const auto is_proven = [&](Move move) {
        return std::find(proven_.begin(), proven_.end(), move) != proven_.end();
      };
      result.proven =
          is_proven(result.best) && (static_cast<int>(proven_.size()) == root_.size() || value > kSureWin);
      if (limits.all_moves) {
        result.moves.clear();
        for (const Move move : listed)
          for (int i = 0; i < root_.size(); ++i)
            if (root_.moves[i] == move) result.moves.push_back({move, root_.rank[i], is_proven(move)});
      }
      for (int i = 0; i < root_.size(); ++i) root_.bring_best(i);
      if (!cut_by_depth_) break;  // the whole game has been looked at
    }
    budget_.report(result);
    return result;
  }

 private:
  /// The result where an oracle knows the value of every move.
  std::optional<MinimaxResult> probe_moves(const Oracle& oracle, const State& root) const {
    MinimaxResult result;
    MoveList moves;
    game_->legal(root, moves);
    ExactValue best{-1, 0};
    for (const Move move : moves) {
      State child = root;
      game_->play(child, move);
      std::optional<ExactValue> known = halma::probe(oracle, child);
      if (!known && !game_->at_chance(child) && game_->terminal(child))
        known = ExactValue{outcome(child, 0), 0};
      if (!known) return std::nullopt;
      const ExactValue here =
          known->before(game_->mover(child) == game_->mover(root), game_->irreversible(root, move));
      result.moves.push_back({move, here.value, true});
      if (!here.better_than(best)) continue;
      best = here;
      result.best = move;
    }
    result.value = best.value;
    result.proven = true;
    result.line = {result.best};
    result.depth = 1;
    result.nodes = result.leaves = static_cast<std::uint64_t>(moves.size());
    return result;
  }

  double search_root(const State& root, int depth, bool all_moves) {
    double best = -1;
    proven_.clear();
    line_.push(line_.needs_keys() ? game_->key(root) : 0);
    for (int i = 0; i < root_.size(); ++i) {
      estimated_ = false;
      const double alpha = all_moves ? 0 : std::max(best, 0.0);
      const double value = descend(root, root_.moves[i], depth, alpha, 1, 0, line_.clock());
      if (budget_.stopped()) break;
      if (!estimated_) proven_.push_back(root_.moves[i]);
      root_.rank[i] = value;
      if (value > best) {
        best = value;
        lines_.keep(0, root_.moves[i]);
      }
    }
    line_.pop();
    return best;
  }

  /// The value of a move for the player who makes it.
  double descend(const State& state, Move move, int depth, double alpha, double beta, int ply, int clock) {
    State child = state;
    if (line_.tracks_clock()) clock = game_->irreversible(state, move) ? 0 : clock + 1;
    line_.push_landing(game_->landing(move));
    game_->play(child, move);
    lines_.clear(ply + 1);
    const bool same_player = game_->mover(child) == game_->mover(state);
    const double value = same_player ? visit(child, depth - 1, alpha, beta, ply + 1, clock)
                                     : 1 - visit(child, depth - 1, 1 - beta, 1 - alpha, ply + 1, clock);
    line_.pop_landing();
    return value;
  }

  double visit(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    if (!budget_.take()) return 0;
    if (game_->at_chance(state)) {
      if (line_.ends(0, clock, ply)) return end_line(state, ply);
      if (depth > 0) return average(state, depth, alpha, beta, ply, clock);
      return leaf(state);
    }
    if (game_->terminal(state)) {
      ++budget_.leaves;
      return outcome(state, ply);
    }
    const std::uint64_t key = line_.needs_keys() ? game_->key(state) : 0;
    if (line_.ends(key, clock, ply)) return end_line(state, ply);
    if (depth <= 0) return leaf(state);
    RankedMoves ranked;
    game_->legal(state, ranked.moves);
    rank(state, ranked, depth);
    line_.push(key);
    double best = -1;
    for (int i = 0; i < ranked.size(); ++i) {
      const double value = descend(state, ranked.moves[i], depth, alpha, beta, ply, clock);
      if (budget_.stopped()) break;
      if (value > best) {
        best = value;
        lines_.keep(ply, ranked.moves[i]);
      }
      if (options_.pruning == Pruning::none) continue;
      alpha = std::max(alpha, best);
      if (best >= beta) break;
    }
    line_.pop();
    return best;
  }

  /// A chance node, for the player who moves after it. Depth is not zero.
  double average(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    // Some 12 KiB: outcomes are few but may be many.
    OutcomeList outcomes;
    game_->outcomes(state, outcomes);
    const int number = outcomes.size();
    if (options_.pruning == Pruning::none) {
      double sum = 0;
      for (int i = 0; i < number && !budget_.stopped(); ++i)
        sum += outcomes[i].probability * resolved(state, outcomes[i], depth, 0, 1, ply, clock);
      lines_.clear(ply);
      return sum;
    }
    // What the outcomes not yet searched bring at least; at most they bring 1.
    double probed[kMaxOutcomes];
    double least = 0;
    std::fill_n(probed, number, 0.0);
    if (options_.pruning == Pruning::probes && depth > 1) {
      double left = 1;
      for (int i = 0; i < number; ++i) {
        const double p = outcomes[i].probability;
        left -= p;
        // Less than this and even certain wins in the rest would not reach beta.
        probed[i] = probe(state, outcomes[i], depth, ply, clock, (beta - least - left) / p);
        if (budget_.stopped()) return 0;
        least += p * probed[i];
        if (least >= beta) {
          lines_.clear(ply);
          return least;
        }
      }
    }
    double sum = 0, left = 1;
    for (int i = 0; i < number; ++i) {
      const double p = outcomes[i].probability;
      left -= p;
      least -= p * probed[i];
      const double low = (alpha - sum - std::max(left, 0.0)) / p;
      const double high = (beta - sum - least) / p;
      // Already known, up to rounding, whatever this outcome brings.
      if (low >= 1) return sum + p + std::max(left, 0.0);
      if (high <= 0) return sum + least;
      const double value =
          resolved(state, outcomes[i], depth, std::max(low, 0.0), std::min(high, 1.0), ply, clock);
      if (budget_.stopped()) return 0;
      sum += p * value;
      lines_.clear(ply);
      if (i + 1 == number) break;
      if (value >= high) return sum + least;
      if (value <= low) return sum + std::max(left, 0.0);
    }
    return sum;
  }

  double resolved(const State& state, const Chance& chance, int depth, double alpha, double beta, int ply,
                  int clock) {
    State next = state;
    game_->resolve(next, chance.outcome);
    return visit(next, depth, alpha, beta, ply, clock);
  }

  /// What the first move after an outcome brings: a lower bound of the outcome's value.
  double probe(const State& state, const Chance& chance, int depth, int ply, int clock, double wanted) {
    State next = state;
    game_->resolve(next, chance.outcome);
    if (game_->at_chance(next) || game_->terminal(next)) return 0;
    const std::uint64_t key = line_.needs_keys() ? game_->key(next) : 0;
    if (line_.ends(key, clock, ply)) return 0;
    RankedMoves ranked;
    game_->legal(next, ranked.moves);
    rank(next, ranked, depth);
    line_.push(key);
    // The window only asks whether the move is good enough; below it, a value is no
    // lower bound and counts as nothing.
    const double low = std::clamp(wanted, 0.0, 1.0);
    const double value = descend(next, ranked.moves[0], depth, low, 1, ply, clock);
    line_.pop();
    return value > low ? value : 0;
  }

  double end_line(const State& state, int ply) {
    ++budget_.leaves;
    estimated_ |= !line_.is_certain();
    return outcome(state, ply);
  }

  double leaf(const State& state) {
    ++budget_.leaves;
    cut_by_depth_ = estimated_ = true;
    return evaluate(state);
  }

  double evaluate(const State& state) {
    ++budget_.evaluations;
    if constexpr (HasFeatures<G>) {
      const int mover = game_->mover(state);
      const double lead = exact_score(*game_, state, mover, options_.weights) -
                          exact_score(*game_, state, mover ^ 1, options_.weights);
      return 1 / (1 + std::exp(-options_.scale * lead));
    }
    return 0.5;
  }

  double outcome(const State& state, int ply) const {
    float scores[kMaxPlayers];
    game_->result(state, scores);
    const double share = static_cast<double>(scores[game_->mover(state)]) / game_->max_score();
    return share + (0.5 - share) * kPatience * ply;
  }

  /// Sorts by the evaluation of the position a move leads to; not at the last move, where that
  /// is the search itself.
  void rank(const State& state, RankedMoves& ranked, int depth) {
    if (options_.ordering == Ordering::listed || options_.pruning == Pruning::none || depth < 2) return;
    for (int i = 0; i < ranked.size(); ++i) {
      State child = state;
      game_->play(child, ranked.moves[i]);
      const bool over = !game_->at_chance(child) && game_->terminal(child);
      const double value = over ? outcome(child, 0) : evaluate(child);
      ranked.rank[i] = game_->mover(child) == game_->mover(state) ? value : 1 - value;
    }
    for (int i = 0; i < ranked.size(); ++i) ranked.bring_best(i);
  }

  const G* game_;
  MinimaxOptions options_;
  Budget budget_;
  LineHistory line_;
  RankedMoves root_;
  bool cut_by_depth_ = false;  // some position was evaluated
  bool estimated_ = false;     // the value of a move of the root depends on an evaluation
  std::vector<Move> proven_;   // moves of the root without, at the depth searched last
  Lines lines_;
};

}  // namespace halma
