// Minimax for two players without chance: principal variation search with aspiration windows,
// iterative deepening, a transposition table, killer moves and history, and quiescence where a game
// knows what is quiet.
//
// Without `selective` the value is exactly that of a plain minimax to the same depth, whatever is
// switched on: the table answers only for the very depth asked. Exceptions: with repetitions a
// value depends on the path, which the table does not know; and deepening stops early where
// the game is decided. With `selective` late moves are reduced, deeper entries of the table are used,
// and where pieces race, most moves that do not advance are left out below the root.
//
// An oracle, where there is one, is probed first, before repetitions: exact values do not
// depend on the path.
//
// The evaluation is the mover's linear score less the opponent's, or a network's; the value of a win
// n plies away is kWin - n, that of a draw 0.
#pragma once

#include <limits>
#include <optional>

#include "minimax_options.hpp"
#include "move_history.hpp"
#include "transposition.hpp"

namespace halma {

template <Game G>
class AlphaBeta {
 public:
  using State = typename G::State;

  AlphaBeta(const G& game, const MinimaxOptions& options)
      : game_(&game),
        options_(with_own_weights(game, options)),
        pruning_(options.pruning != Pruning::none),
        table_(pruning_ ? options.table_bits : 0),
        network_(make_evaluator(game, options.network.get())) {
    for (int depth = 1; depth < kDeepest; ++depth)
      for (int i = 1; i < kReducedMoves; ++i)
        reductions_[depth][i] = static_cast<std::int8_t>(0.5 + 0.4 * std::log(depth) * std::log(i + 1));
  }

  /// A value times this is the logarithm of the odds to win; 0 where nothing is evaluated.
  double scale() const { return options_.scale; }

  /// `root` is the current state of the record, a decision.
  MinimaxResult search(const State& root, const Record& record, const MinimaxLimits& limits) {
    budget_.start(limits);
    line_.start(record, options_.limits);
    table_.start_search();
    history_.clear();

    root_.moves.clear();
    game_->legal(root, root_.moves);
    const MoveList listed = root_.moves;
    MinimaxResult result;
    result.value = evaluate(root);
    const int deepest = limits.depth ? limits.depth : kDeepest - 1;
    if (options_.ordering != Ordering::listed)
      rank_by_score(root, root_);
    else
      std::fill_n(root_.rank, root_.size(), 0.0);
    for (int i = 0; i < root_.size(); ++i) root_.bring_best(i);
    result.best = root_.moves[0];
    result.line = {result.best};
    for (int depth = options_.deepen ? 1 : deepest; depth <= deepest; ++depth) {
      const bool around =
          depth >= kFirstNarrow && pruning_ && !limits.all_moves && std::abs(result.value) < kDecided;
      const double value = around ? search_around(root, depth, result.value)
                                  : search_root(root, depth, -kInfinite, kInfinite, limits.all_moves);
      if (budget_.stopped()) {
        // The best move of the depth before was searched first: what has beaten it is better.
        if (value > -kInfinite && !limits.all_moves) {
          result.value = value + 0.0;
          result.line = lines_.whole();
          result.best = result.line[0];
        }
        break;
      }
      result.value = value + 0.0;  // never minus nothing
      result.proven = is_proven(value, estimated_);
      result.depth = depth;
      result.depth_values.push_back(result.value);
      result.line = lines_.whole();
      result.best = result.line[0];
      if (limits.all_moves) note_values(listed, result.moves);
      lead_with(result.best);
      if (result.proven) break;
    }
    if (table_.on()) complete_line(root, result);
    budget_.report(result);
    return result;
  }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  // Reductions: of the fourth move on, where three plies or more are left.
  static constexpr int kFirstReduced = 3, kLeastReduced = 3, kReducedMoves = 64;
  // Aspiration windows: from this depth on, half as wide as this, in log odds.
  static constexpr int kFirstNarrow = 4;
  static constexpr double kReach = 0.25;

  /// Searches with a narrow window around the value of the depth before, and again where the value
  /// lies outside. Minus infinity if the budget is spent before a move is within.
  double search_around(const State& root, int depth, double expected) {
    const double reach = kReach / (options_.scale > 0 ? options_.scale : 1.0);
    double alpha = expected - reach, beta = expected + reach;
    while (true) {
      const double value = search_root(root, depth, alpha, beta, false);
      if (budget_.stopped()) return value > alpha ? value : -kInfinite;
      if (value <= alpha && alpha > -kInfinite)
        alpha = -kInfinite;
      else if (value >= beta && beta < kInfinite)
        beta = kInfinite;
      else
        return value;
    }
  }

  double search_root(const State& root, int depth, double alpha, double beta, bool all_moves) {
    double best = -kInfinite;
    bool any_evaluated = false;
    line_.push(line_.needs_keys() ? game_->key(root) : 0);
    proven_.clear();
    for (int i = 0; i < root_.size(); ++i) {
      estimated_ = false;
      const double from = all_moves || !pruning_ ? -kInfinite : std::max(alpha, best);
      const double value = scout(root, root_.moves[i], depth, i > 0, 0, from, beta, 0, line_.clock());
      if (budget_.stopped()) break;
      root_.rank[i] = value;
      if (is_proven(value, estimated_)) proven_.push_back(root_.moves[i]);
      any_evaluated |= estimated_;
      if (value > best) {
        best = value;
        lines_.keep(0, root_.moves[i]);
      }
      if (best >= beta) break;
    }
    estimated_ = any_evaluated;
    line_.pop();
    return best;
  }

  /// The value of a move. One that is not the first is expected to be no better than alpha: it is
  /// searched with an empty window, and `reduction` plies less; then again if it is better.
  double scout(const State& state, Move move, int depth, bool later, int reduction, double alpha, double beta,
               int ply, int clock) {
    if (!later || alpha == -kInfinite) return descend(state, move, depth, alpha, beta, ply, clock);
    const double above = std::nextafter(alpha, kInfinite);
    double value = descend(state, move, depth - reduction, alpha, above, ply, clock);
    const auto again = [&](double limit) {
      if (value > alpha && !budget_.stopped()) value = descend(state, move, depth, alpha, limit, ply, clock);
    };
    if (reduction > 0) again(above);
    if (value < beta && above < beta) again(beta);
    return value;
  }

  /// The value of a move for the player who makes it. `clock` is the halfmove clock.
  double descend(const State& state, Move move, int depth, double alpha, double beta, int ply, int clock) {
    State child = state;
    if (line_.tracks_clock()) clock = game_->irreversible(state, move) ? 0 : clock + 1;
    line_.push_landing(game_->landing(move));
    game_->play(child, move);
    const bool same_player = game_->mover(child) == game_->mover(state);
    const double value = same_player ? visit(child, depth - 1, alpha, beta, ply + 1, clock)
                                     : -visit(child, depth - 1, -beta, -alpha, ply + 1, clock);
    line_.pop_landing();
    return value;
  }

  double visit(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    lines_.clear(ply);
    if (!budget_.take()) return 0;
    if (game_->at_chance(state)) return budget_.stop_at_chance(), 0;
    if (options_.oracle) {
      if (const std::optional<ExactValue> exact = probe(*options_.oracle, state)) {
        ++budget_.leaves;
        return score_of(*exact, ply);
      }
    }
    const bool use_table = table_.on() && depth > 0 && !line_.limits_within(depth, clock, ply);
    const std::uint64_t key = line_.needs_keys() || use_table ? game_->key(state) : 0;
    if (line_.ends(key, clock, ply) && !game_->terminal(state)) {
      ++budget_.leaves;
      estimated_ = estimated_ || !line_.is_certain();
      return outcome(state, ply);
    }
    if (depth <= 0 && rests(state, ply)) {
      ++budget_.leaves;
      if (game_->terminal(state)) return outcome(state, ply);
      estimated_ = true;
      return evaluate(state);
    }
    Move known = kNoMove;
    if (use_table) {
      if (const auto* entry = table_.find(key)) {
        known = entry->move;
        const double value = from_table(entry->value, ply);
        if ((entry->depth == depth || (options_.selective && entry->depth > depth)) &&
            (entry->bound == Bound::exact || (entry->bound == Bound::lower && value >= beta) ||
             (entry->bound == Bound::upper && value <= alpha))) {
          estimated_ = true;  // the table does not know whether it was
          return value;
        }
      }
    }
    RankedMoves ranked;
    game_->legal(state, ranked.moves);
    if (ranked.moves.empty()) {
      ++budget_.leaves;
      return outcome(state, ply);
    }
    rank(state, ranked, known, ply);
    const bool may_reduce = options_.selective && pruning_ && depth >= kLeastReduced && is_quiet(state);
    line_.push(line_.needs_keys() ? key : 0);
    const double entered = alpha;
    double best = -kInfinite;
    Move best_move = kNoMove;
    for (int i = 0; i < ranked.size(); ++i) {
      if (options_.ordering != Ordering::listed) ranked.bring_best(i);
      const Move move = ranked.moves[i];
      if (i > 0 && best > -kDecided && is_left_out(state, move, ply)) {
        estimated_ = true;
        continue;
      }
      const bool late = may_reduce && i >= kFirstReduced && !history_.is_killer(move, ply);
      const int reduction = late ? reduced_by(depth, i) : 0;
      const double value = scout(state, move, std::max(depth, 1), i > 0, reduction,
                                 pruning_ ? alpha : -kInfinite, beta, ply, clock);
      if (budget_.stopped()) break;
      if (value > best) {
        best = value;
        best_move = move;
        if (value > alpha) lines_.keep(ply, move);
      }
      if (!pruning_) continue;
      alpha = std::max(alpha, best);
      if (best >= beta) {
        history_.note_cutoff(move, depth, ply);
        break;
      }
    }
    line_.pop();
    if (budget_.stopped()) return 0;
    if (use_table)
      table_.store(key, depth, to_table(best, ply),
                   best >= beta      ? Bound::lower
                   : best <= entered ? Bound::upper
                                     : Bound::exact,
                   best_move);
    return best;
  }

  /// Whether a position at the end of the depth may be evaluated as it stands.
  bool rests(const State& state, int ply) const {
    return !options_.quiescence || ply >= kDeepest - 2 || is_quiet(state);
  }
  bool is_quiet(const State& state) const {
    if constexpr (KnowsQuiet<G>) return game_->is_quiet(state);
    return true;
  }
  /// Where pieces race, a selective search leaves moves out that do not advance, unless one is the
  /// first in the order, a killer, or everything before it loses.
  bool is_left_out(const State& state, Move move, int ply) const {
    if constexpr (Races<G>)
      return options_.selective && pruning_ && game_->advance(state, move) <= 0 &&
             !history_.is_killer(move, ply);
    return false;
  }
  /// By how many plies the search of the i-th move is shorter; one ply is left.
  int reduced_by(int depth, int i) const {
    return std::min<int>(reductions_[std::min(depth, kDeepest - 1)][std::min(i, kReducedMoves - 1)],
                         depth - 2);
  }

  double evaluate(const State& state) {
    ++budget_.evaluations;
    if constexpr (HasInputs<G>)
      if (network_) return network_->value(state);
    if constexpr (HasFeatures<G>) {
      const int mover = game_->mover(state);
      return exact_score(*game_, state, mover, options_.weights) -
             exact_score(*game_, state, mover ^ 1, options_.weights);
    }
    return 0;
  }

  double outcome(const State& state, int ply) const {
    float scores[kMaxPlayers];
    game_->result(state, scores);
    const int mover = game_->mover(state);
    if (scores[mover] == scores[mover ^ 1]) return 0;
    return scores[mover] > scores[mover ^ 1] ? kWin - ply : ply - kWin;
  }

  /// What an oracle knows, as seen from the root.
  static double score_of(const ExactValue& known, int ply) {
    if (!known.certain()) return 0;
    const double win = kWin - ply - known.distance;
    return known.value == 1 ? win : -win;
  }

  /// A win that is a win for any evaluation, or a value no evaluation entered.
  static bool is_proven(double value, bool evaluated) { return std::abs(value) > kDecided || !evaluated; }

  // Wins are counted from the root; in the table, from the position itself.
  static double to_table(double value, int ply) {
    return value > kDecided ? value + ply : value < -kDecided ? value - ply : value;
  }
  static double from_table(double value, int ply) {
    return value > kDecided ? value - ply : value < -kDecided ? value + ply : value;
  }

  void rank(const State& state, RankedMoves& ranked, Move known, int ply) {
    if (options_.ordering == Ordering::listed) return;
    if (options_.ordering == Ordering::score) return rank_by_score(state, ranked);
    for (int i = 0; i < ranked.size(); ++i)
      ranked.rank[i] = ranked.moves[i] == known ? kInfinite : history_.rank(ranked.moves[i], ply);
  }

  /// By the evaluation of the position a move leads to; what wins at once comes first.
  void rank_by_score(const State& state, RankedMoves& ranked) {
    for (int i = 0; i < ranked.size(); ++i) {
      State child = state;
      game_->play(child, ranked.moves[i]);
      const bool over = !game_->at_chance(child) && game_->terminal(child);
      const double value = over ? outcome(child, 0) : evaluate(child);
      ranked.rank[i] = game_->mover(child) == game_->mover(state) ? value : -value;
    }
  }

  void lead_with(Move best) {
    int at = 0;
    while (root_.moves[at] != best) ++at;
    root_.rank[at] = kInfinite;
    root_.bring_best(0);
  }

  void note_values(const MoveList& listed, std::vector<MinimaxMove>& values) const {
    values.clear();
    for (const Move move : listed)
      for (int i = 0; i < root_.size(); ++i)
        if (root_.moves[i] == move) values.push_back({move, root_.rank[i], is_proven_move(move)});
  }

  bool is_proven_move(Move move) const {
    return std::find(proven_.begin(), proven_.end(), move) != proven_.end();
  }

  /// Where the table cut the line short, the table knows how it goes on.
  void complete_line(const State& root, MinimaxResult& result) const {
    State state = root;
    for (const Move move : result.line) game_->play(state, move);
    while (static_cast<int>(result.line.size()) < result.depth && !game_->terminal(state)) {
      const auto* entry = table_.find(game_->key(state));
      const int left = result.depth - static_cast<int>(result.line.size());
      if (!entry || entry->bound != Bound::exact || entry->depth != left) return;
      result.line.push_back(entry->move);
      game_->play(state, entry->move);
    }
  }

  const G* game_;
  MinimaxOptions options_;
  bool pruning_;
  TranspositionTable table_;
  Budget budget_;
  LineHistory line_;
  RankedMoves root_;
  std::vector<Move> proven_;  // moves of the root, at the depth searched last
  bool estimated_ = false;    // the value depends on an evaluation
  Lines lines_;
  MoveHistory history_;
  MaybeEvaluator<G> network_;
  std::int8_t reductions_[kDeepest][kReducedMoves] = {};  // [depth][place of a move], in plies
};

}  // namespace halma
