// Which moves have refuted others in this search: killer moves and history.
#pragma once

#include <algorithm>
#include <cstdint>

#include "minimax_options.hpp"

namespace halma {

class MoveHistory {
 public:
  void clear() {
    std::fill(&killers_[0][0], &killers_[0][0] + kDeepest * 2, kNoMove);
    std::fill(std::begin(cutoffs_), std::end(cutoffs_), std::uint64_t{0});
  }

  /// Takes note of a move that made its siblings irrelevant.
  void note_cutoff(Move move, int depth, int ply) {
    cutoffs_[slot(move)] += static_cast<std::uint64_t>(std::max(depth, 0) * std::max(depth, 0)) + 1;
    if (killers_[ply][0] == move) return;
    killers_[ply][1] = killers_[ply][0];
    killers_[ply][0] = move;
  }

  bool is_killer(Move move, int ply) const { return move == killers_[ply][0] || move == killers_[ply][1]; }

  /// Higher for moves to be tried earlier: killers, then by cutoffs.
  double rank(Move move, int ply) const {
    return static_cast<double>(cutoffs_[slot(move)]) + (is_killer(move, ply) ? kKiller : 0.0);
  }

 private:
  static constexpr int kSlots = 4096;
  static constexpr double kKiller = 1e15;  // beyond all counts of cutoffs

  static std::size_t slot(Move move) { return (move * 2654435761u) >> 20; }

  Move killers_[kDeepest][2];      // [ply]: moves that refuted a sibling
  std::uint64_t cutoffs_[kSlots];  // how often, and how high up, a move refuted
};

}  // namespace halma
