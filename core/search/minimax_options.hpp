// What the minimax searches share: their dials, what they answer, and how they count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../game.hpp"
#include "../oracle.hpp"

namespace halma {

enum class MinimaxKind : std::uint8_t {
  alphabeta,   // two players, no chance
  expectimax,  // two players, with or without chance
  maxn,        // any number of players, each for himself
  paranoid,    // any number of players, all others against the one at the root
};

/// In which order moves are tried; it changes the work, never the value.
enum class Ordering : std::uint8_t {
  listed,    // as legal() lists them
  score,     // by the judgement of the position each leads to (he2016's priority queue)
  adaptive,  // what the table and earlier cut-offs recommend first, then by judgement
};

/// What is skipped because it cannot change the value at the root.
enum class Pruning : std::uint8_t {
  none,
  windows,  // alpha-beta; at chance, Star1
  probes,   // the same, and Star2 at chance
};

struct MinimaxOptions {
  MinimaxKind kind = MinimaxKind::alphabeta;
  std::vector<float> weights;  // of the family's features; empty: the family's own
  Pruning pruning = Pruning::windows;
  Ordering ordering = Ordering::adaptive;
  int table_bits = 16;     // alpha-beta: the table has 2^bits pairs of entries; 0: no table
  bool deepen = true;      // search to depth 1, 2, ...; otherwise at once to the depth asked
  bool quiescence = true;  // alpha-beta: beyond the depth asked, go on while captures are due
  // A position that stood before, on the way down or in the game so far, is a draw.
  bool repetition = false;
  double scale = 1.0;  // expectimax: of a lead, before it becomes a chance of winning
  // Positions of which this knows the value are not searched; null: none. Alpha-beta asks
  // everywhere, expectimax at the moves of the root, the others never.
  std::shared_ptr<const Oracle> oracle;
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
  bool proven = false;  // best play comes to this, as certain as the rules
};

struct MinimaxResult {
  double value = 0;     // for the player to move
  bool proven = false;  // best play comes to this, as certain as the rules
  Move best = kNoMove;
  std::vector<Move> line;  // best play by both, the best move first; ends at chance
  int depth = 0;           // the last depth searched completely
  // Nodes are positions below the root, counted each time one is looked at; leaves are
  // those of them where the game is over or stopped, or a judgement is taken.
  // Judgements are calls of the evaluation, those for ordering moves included. The
  // counts are those of all depths together.
  std::uint64_t nodes = 0, leaves = 0, judgements = 0;
  std::vector<MinimaxMove> moves;  // with all_moves, in the order of legal()
  bool met_chance = false;         // the search knows no chance but met it: all else is void
};

inline constexpr int kDeepest = 128;
/// A win n plies away is worth kWin - n where values have no bounds.
inline constexpr double kWin = 1e9;
/// Whatever lies beyond is a win or a loss and no judgement.
inline constexpr double kDecided = kWin - 1e6;

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
    nodes = leaves = judgements = 0;
    stopped_ = met_chance_ = false;
  }

  /// Counts one more node, unless the budget is spent.
  bool take() {
    if (stopped_ || nodes >= nodes_limit_) return !(stopped_ = true);
    if (timed_ && (nodes & 255) == 0 && Clock::now() >= deadline_) return !(stopped_ = true);
    ++nodes;
    return true;
  }
  bool stopped() const { return stopped_; }

  /// Stops a search that knows no chance where chance has to speak.
  void stop_at_chance() { stopped_ = met_chance_ = true; }
  bool met_chance() const { return met_chance_; }

  std::uint64_t nodes = 0, leaves = 0, judgements = 0;

  void report(MinimaxResult& result) const {
    result.nodes = nodes;
    result.leaves = leaves;
    result.judgements = judgements;
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
    float features[kMaxFeatures];
    game.features(state, player, features);
    for (std::size_t i = 0; i < weights.size(); ++i)
      score += static_cast<double>(weights[i]) * static_cast<double>(features[i]);
  }
  return score;
}

/// The keys of the game so far and of the way down, to recognise repetitions.
class Trail {
 public:
  void start(std::span<const std::uint64_t> history) { keys_.assign(history.begin(), history.end()); }

  /// Whether `key` stands at or after `from`.
  bool has(std::uint64_t key, std::size_t from) const {
    return std::find(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.end(), key) != keys_.end();
  }
  void push(std::uint64_t key) { keys_.push_back(key); }
  void pop() { keys_.pop_back(); }
  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<std::uint64_t> keys_;
};

/// Moves with a number each, handed out from the largest number down, ties in order.
class RankedMoves {
 public:
  MoveList moves;
  double rank[kMaxMoves];

  int size() const { return moves.size(); }

  /// Brings the best of the moves from i on to place i; the others keep their order.
  void settle(int i) {
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
