// Minimax for two players without chance: negamax with alpha-beta windows, iterative
// deepening, a transposition table, move ordering, and quiescence where a game knows
// what is quiet.
//
// The value is exactly that of a plain minimax to the same depth, whatever is switched
// on: the table answers only for the very depth asked. Exceptions: with repetitions a
// value depends on the path, which the table does not know; and deepening stops early where
// the game is decided.
//
// An oracle, where there is one, is probed first, before repetitions: exact values do not
// depend on the path.
//
// The evaluation is the mover's linear score less the opponent's; the value of a win n plies
// away is kWin - n, that of a draw 0.
#pragma once

#include <limits>

#include "minimax_options.hpp"
#include "transposition.hpp"

namespace halma {

template <Game G>
class AlphaBeta {
 public:
  using State = typename G::State;

  AlphaBeta(const G& game, const MinimaxOptions& options)
      : game_(&game),
        options_(options),
        pruning_(options.pruning != Pruning::none),
        table_(pruning_ ? options.table_bits : 0) {
    if constexpr (HasFeatures<G>)
      if (options_.weights.empty()) options_.weights = game.default_weights();
  }

  /// `root` is the current state of the record, a decision.
  MinimaxResult search(const State& root, const Record& record, const MinimaxLimits& limits) {
    budget_.start(limits);
    line_.start(record, options_.limits);
    table_.start_search();
    std::fill(&killers_[0][0], &killers_[0][0] + kDeepest * 2, kNoMove);
    std::fill(std::begin(cutoffs_), std::end(cutoffs_), 0u);

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
      const double value = search_root(root, depth, limits.all_moves);
      if (budget_.stopped()) break;
      result.value = value + 0.0;  // never minus nothing
      result.proven = is_proven(value, estimated_);
      result.depth = depth;
      result.line = lines_.whole();
      result.best = result.line[0];
      if (limits.all_moves) note_values(listed, result.moves);
      // Good moves first at the next depth; unsearched ranks are upper bounds.
      for (int i = 0; i < root_.size(); ++i) root_.bring_best(i);
      lead_with(result.best);
      if (result.proven) break;
    }
    if (table_.on()) complete_line(root, result);
    budget_.report(result);
    return result;
  }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr int kCutoffSlots = 4096;

  double search_root(const State& root, int depth, bool all_moves) {
    double best = -kInfinite;
    bool any_evaluated = false;
    line_.push(line_.needs_keys() ? game_->key(root) : 0);
    proven_.clear();
    for (int i = 0; i < root_.size(); ++i) {
      estimated_ = false;
      const double alpha = all_moves || !pruning_ ? -kInfinite : best;
      const double value = descend(root, root_.moves[i], depth, alpha, kInfinite, 0, line_.clock());
      if (budget_.stopped()) break;
      root_.rank[i] = value;
      if (is_proven(value, estimated_)) proven_.push_back(root_.moves[i]);
      any_evaluated |= estimated_;
      if (value > best) {
        best = value;
        lines_.keep(0, root_.moves[i]);
      }
    }
    estimated_ = any_evaluated;
    line_.pop();
    return best;
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
        if (entry->depth == depth &&
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
    rank(state, ranked, known, depth, ply);
    line_.push(line_.needs_keys() ? key : 0);
    const double entered = alpha;
    double best = -kInfinite;
    Move best_move = kNoMove;
    for (int i = 0; i < ranked.size(); ++i) {
      if (options_.ordering != Ordering::listed) ranked.bring_best(i);
      const Move move = ranked.moves[i];
      const double value = descend(state, move, std::max(depth, 1), alpha, beta, ply, clock);
      if (budget_.stopped()) break;
      if (value > best) {
        best = value;
        best_move = move;
        lines_.keep(ply, move);
      }
      if (!pruning_) continue;
      alpha = std::max(alpha, best);
      if (best >= beta) {
        note_cutoff(move, depth, ply);
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
    if constexpr (KnowsQuiet<G>) return !options_.quiescence || ply >= kDeepest - 2 || game_->is_quiet(state);
    return true;
  }

  double evaluate(const State& state) {
    ++budget_.evaluations;
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

  void rank(const State& state, RankedMoves& ranked, Move known, int depth, int ply) {
    if (options_.ordering == Ordering::listed) return;
    // Near the leaves sorting by evaluation costs more than it saves.
    if (options_.ordering == Ordering::score || (HasFeatures<G> && depth >= 2)) {
      rank_by_score(state, ranked);
      if (options_.ordering == Ordering::score) return;
    } else {
      for (int i = 0; i < ranked.size(); ++i) {
        const Move move = ranked.moves[i];
        ranked.rank[i] = cutoffs_[slot(move)];
        if (move == killers_[ply][0] || move == killers_[ply][1]) ranked.rank[i] += 1e9;
      }
    }
    for (int i = 0; i < ranked.size(); ++i)
      if (ranked.moves[i] == known) ranked.rank[i] = kInfinite;
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

  static std::size_t slot(Move move) { return (move * 2654435761u) >> 20; }

  void note_cutoff(Move move, int depth, int ply) {
    cutoffs_[slot(move)] += static_cast<std::uint32_t>(std::max(depth, 0) * std::max(depth, 0)) + 1;
    if (killers_[ply][0] == move) return;
    killers_[ply][1] = killers_[ply][0];
    killers_[ply][0] = move;
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
  Move killers_[kDeepest][2];            // [ply]: moves that refuted a sibling
  std::uint32_t cutoffs_[kCutoffSlots];  // how often, and how high up, a move refuted
};

}  // namespace halma
