// What the minimax searches share: options, results, budgets, lines and move ordering.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../interrupt.hpp"
#include "history.hpp"
#include "options.hpp"
#include "sparse_network.hpp"

namespace halma {

enum class MinimaxKind : std::uint8_t {
  alphabeta,   // two players, no chance
  expectimax,  // two players, with or without chance
  maxn,        // any number of players, each maximises its own score
  paranoid,    // any number of players, all others against the one at the root
};
template <>
struct EnumNames<MinimaxKind> {
  static constexpr std::array names{"alphabeta", "expectimax", "maxn", "paranoid"};
};

/// In which order moves are tried; it changes the work, never the value.
enum class Ordering : std::uint8_t {
  listed,    // as legal() lists them
  score,     // by the evaluation of the position each leads to (he2016's priority queue)
  adaptive,  // the transposition table's move, killers, then by history
};
template <>
struct EnumNames<Ordering> {
  static constexpr std::array names{"listed", "score", "adaptive"};
};

/// What is skipped because it cannot change the value at the root.
enum class Pruning : std::uint8_t {
  none,
  windows,  // alpha-beta; at chance, Star1
  probes,   // the same, and Star2 at chance
};
template <>
struct EnumNames<Pruning> {
  static constexpr std::array names{"none", "windows", "probes"};
};

struct MinimaxOptions {
  MinimaxKind kind = MinimaxKind::alphabeta;
  Pruning pruning = Pruning::probes;
  Ordering ordering = Ordering::adaptive;
  int table_bits = 16;
  bool deepen = true;
  bool quiescence = true;
  bool selective = false;
  LineLimits limits = LineLimits::game;
  double scale = 0;            // 0: the family's own
  std::vector<float> weights;  // of the family's features; empty: the family's own
  // Of alpha-beta and expectimax: evaluates leaves instead of the features; null: none.
  std::shared_ptr<const SparseNetwork> network;
  // Positions whose value it knows are not searched; null: none. Alpha-beta probes
  // everywhere, expectimax at the moves of the root, the others never.
  std::shared_ptr<const Oracle> oracle;
};

/// The options with the family's own weights and scale where none are set. A network's leads are logarithms
/// of odds.
template <Game G>
MinimaxOptions with_own_weights(const G& game, MinimaxOptions options) {
  if constexpr (HasFeatures<G>) {
    if (options.weights.empty()) options.weights = game.default_weights();
    if (options.scale == 0) options.scale = game.default_scale();
  }
  if (options.network) options.scale = 1;
  return options;
}

template <>
struct DeclaredOptions<MinimaxOptions> {
  using O = MinimaxOptions;
  static constexpr std::tuple list{
      DeclaredOption<O, MinimaxKind>{"kind", &O::kind,
                                     "The search: alphabeta, expectimax, maxn or paranoid."},
      DeclaredOption<O, Pruning>{
          "pruning", &O::pruning,
          "What is skipped: nothing, alpha-beta windows (Star1 at chance), or windows and "
          "probes (Star2)."},
      DeclaredOption<O, Ordering>{
          "ordering", &O::ordering,
          "Order of moves: as listed, by evaluation, or by transposition table, killers and "
          "history."},
      DeclaredOption<O, int>{"table_bits", &O::table_bits,
                             "Alpha-beta and expectimax: the transposition table has 2^bits pairs of "
                             "entries; 0: no table.",
                             0, 26},
      DeclaredOption<O, bool>{"deepen", &O::deepen, "Iterative deepening."},
      DeclaredOption<O, bool>{"quiescence", &O::quiescence,
                              "Alpha-beta and expectimax: search captures beyond the depth until a "
                              "position is quiet."},
      DeclaredOption<O, bool>{"selective", &O::selective,
                              "Alpha-beta: search moves late in the order less deeply, unless they turn out "
                              "well, and leave out moves that do not advance where pieces race; expectimax: "
                              "search moves that lead to chance as a pass below the root. "
                              "Both use deeper entries of the table; off: plain minimax's value."},
      DeclaredOption<O, LineLimits>{
          "limits", &O::limits,
          "Where lines end beside the rules: where the game record would end, also at the "
          "first repetition, or by the rules alone."},
      DeclaredOption<O, double>{
          "scale", &O::scale,
          "Scale of a lead before the sigmoid that makes it a chance of winning; 0: the "
          "game's own.",
          0, 1e5},
  };
};

/// A search ends with the first of these; 0: no such limit.
struct MinimaxLimits {
  int depth = 0;  // in moves; chance is not counted
  std::uint64_t nodes = 0;
  double seconds = 0;
  bool all_moves = false;  // wanted: the exact value of every move of the root
};

struct MinimaxMove {
  Move move;
  double value;         // for the player to move at the root
  bool proven = false;  // the value is certain by the rules
};

struct MinimaxResult {
  double value = 0;     // for the player to move
  bool proven = false;  // the value is certain by the rules
  Move best = kNoMove;
  std::vector<Move> line;  // best play by both, the best move first; ends at chance
  int depth = 0;           // the last depth searched completely
  // The value of each depth searched completely, that of the last one last: with deepening of 1, 2, ...
  std::vector<double> depth_values;
  // Nodes are positions below the root, counted each time one is visited; leaves are those
  // where the game is over or stopped, or that are evaluated. Evaluations include those for
  // ordering moves. The counts are those of all depths together.
  std::uint64_t nodes = 0, leaves = 0, evaluations = 0;
  std::vector<MinimaxMove> moves;  // with all_moves, in the order of legal()
  bool met_chance = false;         // the search cannot handle chance but met it: all else is void
};

inline constexpr int kDeepest = 128;
/// The value of a win n plies away is kWin - n where values have no bounds.
inline constexpr double kWin = 1e9;
/// Values beyond are wins and losses, not evaluations.
inline constexpr double kDecided = kWin - 1e6;
/// Where values are chances of winning, what that of a win loses with every ply, towards a draw.
inline constexpr double kPatience = 1e-6;
/// Evaluations lie between this and 1 less this there, so that none is worth a win.
inline constexpr double kMargin = 1e-3;
static_assert(kMargin > kPatience * kDeepest);

/// The best play found so far from each position on the way down.
class Lines {
 public:
  const std::vector<Move>& whole() const { return from_[0]; }
  void clear(int ply) { from_[ply].clear(); }
  /// Play from `ply` is this move and then what was kept one ply deeper.
  void keep(int ply, Move move) {
    from_[ply].assign(1, move);
    from_[ply].insert(from_[ply].end(), from_[ply + 1].begin(), from_[ply + 1].end());
  }

 private:
  std::vector<Move> from_[kDeepest + 1];  // [ply]
};

/// Counts nodes and says when to stop.
class Budget {
 public:
  void start(const MinimaxLimits& limits) {
    nodes_limit_ = limits.nodes ? limits.nodes : UINT64_MAX;
    timed_ = limits.seconds > 0;
    if (timed_)
      deadline_ = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    nodes = leaves = evaluations = 0;
    stopped_ = met_chance_ = false;
  }

  /// Counts one more node, unless the budget is spent.
  bool take() {
    if (stopped_ || nodes >= nodes_limit_) return !(stopped_ = true);
    if ((nodes & 255) == 0) {
      if ((timed_ && Clock::now() >= deadline_) || stop_requested()) return !(stopped_ = true);
      poll_interrupt();
    }
    ++nodes;
    return true;
  }
  bool stopped() const { return stopped_; }

  /// Stops a search that cannot handle chance at a chance state.
  void stop_at_chance() { stopped_ = met_chance_ = true; }
  bool met_chance() const { return met_chance_; }

  std::uint64_t nodes = 0, leaves = 0, evaluations = 0;

  void report(MinimaxResult& result) const {
    result.nodes = nodes;
    result.leaves = leaves;
    result.evaluations = evaluations;
    result.met_chance = met_chance_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t nodes_limit_ = UINT64_MAX;
  Clock::time_point deadline_;
  bool timed_ = false, stopped_ = false, met_chance_ = false;
};

/// A player's linear score in double precision, added up in the order of the features.
template <Game G>
double exact_score(const G& game, const typename G::State& state, int player,
                   std::span<const float> weights) {
  double score = 0;
  if constexpr (HasFeatures<G>) {
    float features[kMaxFeatures] = {};
    game.features(state, player, features);
    for (std::size_t i = 0; i < weights.size(); ++i)
      score += static_cast<double>(weights[i]) * static_cast<double>(features[i]);
  }
  return score;
}

/// The game so far and the line being searched, to see where the game record would end.
class LineHistory {
 public:
  /// Reads a record whose current state is the root.
  void start(const Record& record, LineLimits mode) {
    history_.read(record);
    keys_ = history_.keys;
    landings_.assign(history_.landings.rbegin(), history_.landings.rend());
    by_game_ = mode != LineLimits::rules;
    repetitions_needed_ = mode == LineLimits::rules ? 0
                          : mode == LineLimits::first_repetition
                              ? 1
                              : std::max(history_.limits.repetitions - 1, 0);
    certain_ = mode == LineLimits::game;
  }

  /// The halfmove clock at the root.
  int clock() const { return history_.halfmove_clock; }
  bool tracks_clock() const {
    return repetitions_needed_ > 0 || (by_game_ && history_.limits.no_progress > 0);
  }
  bool needs_keys() const { return repetitions_needed_ > 0; }
  /// Whether the end of a line is as certain as the rules.
  bool is_certain() const { return certain_; }

  /// Enters a decision: its key is 0 where keys are not needed.
  void push(std::uint64_t key) { keys_.push_back(key); }
  void pop() { keys_.pop_back(); }
  void push_landing(int cell) {
    if (history_.limits.cycle_window > 0) landings_.push_back(cell);
  }
  void pop_landing() {
    if (history_.limits.cycle_window > 0) landings_.pop_back();
  }

  /// Whether the record would end at a position `ply` plies below the root with this key and
  /// halfmove clock, or first_repetition says so.
  bool ends(std::uint64_t key, int clock, int ply) const {
    const Limits& limits = history_.limits;
    if (repetitions_needed_ > 0 && key != 0 && clock > 0) {
      // One key per ply: only those since the last irreversible move can be the same.
      const auto first =
          keys_.end() - std::min<std::ptrdiff_t>(clock, static_cast<std::ptrdiff_t>(keys_.size()));
      if (std::count(first, keys_.end(), key) >= repetitions_needed_) return true;
    }
    if (!by_game_) return false;
    if (limits.no_progress > 0 && clock >= limits.no_progress) return true;
    if (limits.plies > 0 && history_.plies + ply >= limits.plies) return true;
    return limits.cycle_window > 0 && cycles();
  }

  /// Whether a limit on plies could end a line within `depth` more plies: values of such
  /// positions depend on the path, so they do not belong into a transposition table.
  bool limits_within(int depth, int clock, int ply) const {
    const Limits& limits = history_.limits;
    return by_game_ && ((limits.no_progress > 0 && clock + depth >= limits.no_progress) ||
                        (limits.plies > 0 && history_.plies + ply + depth >= limits.plies));
  }

 private:
  bool cycles() const {
    const auto window = static_cast<std::size_t>(history_.limits.cycle_window);
    if (landings_.size() < window) return false;
    std::vector<int> cells;
    for (auto cell = landings_.end() - static_cast<std::ptrdiff_t>(window); cell != landings_.end(); ++cell)
      if (std::find(cells.begin(), cells.end(), *cell) == cells.end()) cells.push_back(*cell);
    return static_cast<int>(cells.size()) < history_.limits.cycle_landings;
  }

  GameHistory history_;
  std::vector<std::uint64_t> keys_;  // of the game since its last irreversible move, then of the line
  std::vector<int> landings_;        // of the last moves, where cycles end a game
  bool by_game_ = true, certain_ = false;
  int repetitions_needed_ = 0;
};

/// Moves with a number each, handed out from the largest number down, ties in order.
class RankedMoves {
 public:
  MoveList moves;
  double rank[kMaxMoves];

  int size() const { return moves.size(); }

  /// Brings the best of the moves from i on to place i; the others keep their order.
  void bring_best(int i) {
    int best = i;
    for (int k = i + 1; k < moves.size(); ++k)
      if (rank[k] > rank[best]) best = k;
    const Move move = moves[best];
    const double value = rank[best];
    for (int k = best; k > i; --k) {
      moves[k] = moves[k - 1];
      rank[k] = rank[k - 1];
    }
    moves[i] = move;
    rank[i] = value;
  }
};

}  // namespace halma
