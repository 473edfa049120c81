// Minimax for two players with chance: players choose, chance averages.
//
// Values are chances of winning in [0, 1], always for the player to move: the evaluation is
// the sigmoid of the lead in linear scores, or of a network's output, so that chance nodes have
// bounds to prune with. A value moves towards a draw by kPatience with every ply it is backed up, so
// that quicker wins are preferred; a win stays above every evaluation, which keeps kMargin away from
// 0 and 1.
// Depth counts moves; chance takes none, and a position at chance at the end of the depth is
// evaluated as it is, or by the mean over its outcomes.
//
// Star1 gives each outcome the window outside of which the average leaves its own
// whatever the other outcomes bring. Star2 first tries one move after each outcome: a
// player who may choose gets at least that, and the sum may already be enough.
//
// The transposition table holds decisions and positions at chance. Beyond the depth, captures are
// tried where a game lists them and nobody has to capture. With `selective`, where some moves lead
// to chance and others do not, those that do are searched as a pass below the root: their outcomes
// are too many to look at, and tactics of what is known matter more there.
#pragma once

#include "minimax_options.hpp"
#include "transposition.hpp"

namespace halma {

template <Game G>
class Expectimax {
 public:
  using State = typename G::State;
  /// Values beyond, of moves that are proven, are wins.
  static constexpr double kSureWin = 1 - kPatience * kDeepest;

  Expectimax(const G& game, const MinimaxOptions& options)
      : game_(&game),
        options_(with_own_weights(game, options)),
        pruning_(options.pruning != Pruning::none),
        table_(pruning_ ? options.table_bits : 0),
        network_(make_evaluator(game, options.network.get())) {}

  /// A lead times this is the logarithm of the odds to win; 0 where nothing is evaluated.
  double scale() const { return options_.scale; }

  /// `root` is the current state of the record, a decision.
  MinimaxResult search(const State& root, const Record& record, const MinimaxLimits& limits) {
    budget_.start(limits);
    if (options_.oracle)
      if (std::optional<MinimaxResult> exact = probe_moves(*options_.oracle, root)) return *exact;
    line_.start(record, options_.limits);
    table_.start_search();
    root_.moves.clear();
    game_->legal(root, root_.moves);
    const MoveList listed = root_.moves;
    rank(root, root_, kNoMove, 2);
    MinimaxResult result;
    result.value = evaluate(root);
    result.best = root_.moves[0];
    result.line = {result.best};
    const int deepest = limits.depth ? limits.depth : kDeepest - 1;
    // The shallow searches pay only with a budget of nodes or time.
    const bool deepen = options_.deepen && (limits.nodes || limits.seconds > 0);
    for (int depth = deepen ? 1 : deepest; depth <= deepest; ++depth) {
      cut_by_depth_ = false;
      const double value = search_root(root, depth, limits.all_moves);
      if (budget_.stopped()) {
        // The best move of the depth before was searched first: what has beaten it is better.
        if (value >= 0 && depth > 1 && !limits.all_moves) {
          result.value = value;
          result.line = lines_.whole();
          result.best = result.line[0];
        }
        break;
      }
      result.value = value;
      result.depth = depth;
      result.depth_values.push_back(value);
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
  /// What a value keeps of its distance to a draw when it is backed up by a ply.
  static constexpr double kKept = 1 - kPatience;
  /// Bounds of averages are exact up to rounding.
  static constexpr double kRounding = 1e-12;
  /// With `selective`, moves of the root that lead to chance are searched kReduced plies less
  /// deeply, from depth kFirstReduced on.
  static constexpr int kFirstReduced = 4, kReduced = 2;

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
      if (!known && !game_->at_chance(child) && game_->terminal(child)) known = ExactValue{outcome(child), 0};
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
      const Move move = root_.moves[i];
      const double alpha = all_moves ? 0 : std::max(best, 0.0);
      const bool reduce =
          kMayPass && options_.selective && depth >= kFirstReduced && leads_to_chance(root, move);
      const double value = descend(root, move, depth - (reduce ? kReduced : 0), alpha, 1, 0, line_.clock());
      if (budget_.stopped()) break;
      if (!estimated_) proven_.push_back(move);
      root_.rank[i] = value;
      if (value > best) {
        best = value;
        lines_.keep(0, move);
      }
    }
    line_.pop();
    return best;
  }

  /// The position after a move; kNoMove passes.
  State after(const State& state, Move move) const {
    State child = state;
    if constexpr (kMayPass) {
      if (move == kNoMove) {
        game_->give_turn(child, game_->mover(state) ^ 1);
        return child;
      }
    }
    game_->play(child, move);
    return child;
  }

  /// The value of a move, or of passing, for the player who makes it.
  double descend(const State& state, Move move, int depth, double alpha, double beta, int ply, int clock) {
    const bool passes = move == kNoMove;
    if (line_.tracks_clock()) clock = passes || game_->irreversible(state, move) ? 0 : clock + 1;
    if (!passes) line_.push_landing(game_->landing(move));
    const State child = after(state, move);
    lines_.clear(ply + 1);
    const double value = backed_up(state, child, alpha, beta, [&](double low, double high) {
      return visit(child, depth - 1, low, high, ply + 1, clock);
    });
    if (!passes) line_.pop_landing();
    return value;
  }

  /// The value of a child for the player at its parent; `search` is called with the child's window.
  template <class Search>
  double backed_up(const State& state, const State& child, double alpha, double beta, Search&& search) const {
    const double low = 0.5 + (alpha - 0.5) / kKept, high = 0.5 + (beta - 0.5) / kKept;
    const double value =
        game_->mover(child) == game_->mover(state) ? search(low, high) : 1 - search(1 - high, 1 - low);
    return 0.5 + (value - 0.5) * kKept;
  }

  double visit(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    if (!budget_.take()) return 0;
    const bool chance = game_->at_chance(state);
    if (!chance && game_->terminal(state)) {
      ++budget_.leaves;
      return outcome(state);
    }
    const bool use_table = table_.on() && depth > 0 && !line_.limits_within(depth, clock, ply);
    const std::uint64_t key = use_table || (!chance && line_.needs_keys()) ? game_->key(state) : 0;
    if (line_.ends(chance ? 0 : key, clock, ply)) {
      ++budget_.leaves;
      estimated_ |= !line_.is_certain();
      return outcome(state);
    }
    if (depth <= 0) return chance ? leaf_at_chance(state) : leaf(state, alpha, beta, ply);
    Move known = kNoMove;
    if (use_table) {
      if (const auto* entry = table_.find(key)) {
        known = entry->move;
        if ((entry->depth == depth || (options_.selective && entry->depth > depth)) &&
            (entry->bound == Bound::exact || (entry->bound == Bound::lower && entry->value >= beta) ||
             (entry->bound == Bound::upper && entry->value <= alpha))) {
          cut_by_depth_ |= entry->estimated;
          estimated_ |= entry->estimated;
          return entry->value;
        }
      }
    }
    const bool estimated_before = estimated_;
    estimated_ = false;
    Move best_move = kNoMove;
    const double value = chance ? average(state, depth, alpha, beta, ply, clock)
                                : best_of(state, depth, alpha, beta, ply, clock, key, known, best_move);
    if (use_table && !budget_.stopped())
      table_.store(key, depth, value,
                   value >= beta - kRounding    ? Bound::lower
                   : value <= alpha + kRounding ? Bound::upper
                                                : Bound::exact,
                   best_move, estimated_);
    estimated_ |= estimated_before;
    return value;
  }

  /// A decision. Depth is not zero. `best_move` is set to the move found best.
  double best_of(const State& state, int depth, double alpha, double beta, int ply, int clock,
                 std::uint64_t key, Move known, Move& best_move) {
    RankedMoves ranked;
    list_moves(state, ranked, known, depth);
    line_.push(line_.needs_keys() ? key : 0);
    double best = -1;
    for (int i = 0; i < ranked.size(); ++i) {
      const double value = descend(state, ranked.moves[i], depth, alpha, beta, ply, clock);
      if (budget_.stopped()) break;
      if (value > best) {
        best = value;
        best_move = ranked.moves[i];
        // A line ends before a pass, which stands for moves whose outcomes are not known.
        if (best_move == kNoMove)
          lines_.clear(ply);
        else
          lines_.keep(ply, best_move);
      }
      if (!pruning_) continue;
      alpha = std::max(alpha, best);
      if (best >= beta) break;
    }
    line_.pop();
    return best;
  }

  /// The moves of a position below the root, in the order in which they are tried.
  void list_moves(const State& state, RankedMoves& ranked, Move known, int depth) {
    game_->legal(state, ranked.moves);
    if constexpr (kMayPass)
      if (options_.selective) replace_by_pass(state, ranked.moves);
    rank(state, ranked, known, depth);
  }

  /// Whether a move leads to chance.
  bool leads_to_chance(const State& state, Move move) const { return game_->at_chance(after(state, move)); }

  /// Puts one pass, kNoMove, in the place of all moves that lead to chance.
  void replace_by_pass(const State& state, MoveList& moves) {
    MoveList kept;
    for (const Move move : moves)
      if (!leads_to_chance(state, move)) kept.push(move);
    if (kept.size() == moves.size()) return;
    kept.push(kNoMove);
    moves = kept;
    // Nothing is proven without a look at the outcomes.
    cut_by_depth_ = estimated_ = true;
  }

  /// A chance node, for the player who moves after it. Depth is not zero.
  double average(const State& state, int depth, double alpha, double beta, int ply, int clock) {
    // Some 12 KiB: outcomes are few but may be many.
    OutcomeList outcomes;
    game_->outcomes(state, outcomes);
    const int number = outcomes.size();
    if (!pruning_) {
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
    const auto* entry = table_.on() ? table_.find(game_->key(next)) : nullptr;
    list_moves(next, ranked, entry ? entry->move : kNoMove, depth);
    line_.push(key);
    // The window only asks whether the move is good enough; below it, a value is no
    // lower bound and counts as nothing.
    const double low = std::clamp(wanted, 0.0, 1.0);
    const double value = descend(next, ranked.moves[0], depth, low, 1, ply, clock);
    line_.pop();
    return value > low ? value : 0;
  }

  /// The end of the depth: an evaluation, or captures that are better than it.
  double leaf(const State& state, double alpha, double beta, int ply) {
    ++budget_.leaves;
    cut_by_depth_ = estimated_ = true;
    double best = evaluate(state);
    if constexpr (ListsCaptures<G>) {
      if (!options_.quiescence || ply >= kDeepest - 2) return best;
      MoveList captures;
      game_->captures(state, captures);
      for (const Move move : captures) {
        if (pruning_) {
          if (best >= beta) break;
          alpha = std::max(alpha, best);
        }
        if (!budget_.take()) break;
        const State child = after(state, move);
        best = std::max(best, backed_up(state, child, alpha, beta, [&](double low, double high) {
                          return game_->terminal(child) ? outcome(child) : leaf(child, low, high, ply + 1);
                        }));
      }
    }
    return best;
  }

  double leaf_at_chance(const State& state) {
    ++budget_.leaves;
    cut_by_depth_ = estimated_ = true;
    if constexpr (HasInputs<G> && !kInputsBeforeChance<G>) {
      if (network_) {
        OutcomeList outcomes;
        game_->outcomes(state, outcomes);
        double sum = 0;
        for (const Chance& chance : outcomes) {
          State next = state;
          game_->resolve(next, chance.outcome);
          sum += chance.probability * evaluate(next);
        }
        return sum;
      }
    }
    return evaluate(state);
  }

  double evaluate(const State& state) {
    ++budget_.evaluations;
    if constexpr (HasInputs<G>)
      if (network_) return chance_of(network_->value(state));
    if constexpr (HasFeatures<G>) {
      const int mover = game_->mover(state);
      return chance_of(options_.scale * (exact_score(*game_, state, mover, options_.weights) -
                                         exact_score(*game_, state, mover ^ 1, options_.weights)));
    }
    return 0.5;
  }
  static double chance_of(double log_odds) { return kMargin + (1 - 2 * kMargin) / (1 + std::exp(-log_odds)); }

  double outcome(const State& state) const {
    float scores[kMaxPlayers];
    game_->result(state, scores);
    return static_cast<double>(scores[game_->mover(state)]) / game_->max_score();
  }

  /// Sorts by the evaluation of the position a move leads to; not at the last move, where that
  /// is the search itself. The move that the table knows comes first.
  void rank(const State& state, RankedMoves& ranked, Move known, int depth) {
    if (options_.ordering == Ordering::listed || !pruning_ || depth < 2) return;
    for (int i = 0; i < ranked.size(); ++i) {
      if (ranked.moves[i] == known && known != kNoMove) {
        ranked.rank[i] = 2;
        continue;
      }
      const State child = after(state, ranked.moves[i]);
      const bool over = !game_->at_chance(child) && game_->terminal(child);
      const double value = over ? outcome(child) : evaluate(child);
      ranked.rank[i] = game_->mover(child) == game_->mover(state) ? value : 1 - value;
    }
    for (int i = 0; i < ranked.size(); ++i) ranked.bring_best(i);
  }

  static constexpr bool kMayPass = GivesTurn<G>;

  const G* game_;
  MinimaxOptions options_;
  bool pruning_;
  TranspositionTable table_;
  Budget budget_;
  LineHistory line_;
  RankedMoves root_;
  bool cut_by_depth_ = false;  // some position was evaluated
  bool estimated_ = false;     // the value of a move of the root depends on an evaluation
  std::vector<Move> proven_;   // moves of the root without, at the depth searched last
  Lines lines_;
  MaybeEvaluator<G> network_;
};

}  // namespace halma
