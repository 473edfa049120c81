// The linear evaluation of Chinese Checkers: he2016's three features and four more.
//
// Each of the three is a sum over a player's pieces: A, squared distance to the far corner of the target; B,
// squared distance to the line between the corners; C, rows the piece could advance in one move. With
// `more_features` four follow: the sum of the squares of those rows, the variances of a player's holes within
// and across rows, and the most rows that a piece could advance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <vector>

#include "sternhalma_reach.hpp"

namespace halma {

class HoleEvaluation {
 public:
  HoleEvaluation(const HoleBoard& board, const SternhalmaOptions& options)
      : more_features_(options.more_features),
        players_(board.players),
        army_(board.pieces),
        large_star_(board.seats == 6 && army_ == HoleBoard::kLargestArmy) {
    // In each player's view the far corner of its target is at the top.
    const auto top =
        std::min_element(board.holes.begin(), board.holes.end(),
                         [](const HoleBoard::Hole& a, const HoleBoard::Hole& b) { return a.y < b.y; });
    for (int player = 0; player < players_; ++player)
      for (int hole = 0; hole < board.size(); ++hole) {
        const HoleBoard::Hole& seen = board.holes[board.to_view[player][hole]];
        const int dq = seen.q - top->q, dr = seen.r - top->r;
        const int steps = (std::abs(dq) + std::abs(dr) + std::abs(dq + dr)) / 2;
        standing_[player].push_back({steps, seen.x2 - top->x2, seen.y});
      }
  }

  /// The weights are the paper's, tuned at depth 2; those of the 121-hole star win there for any number of
  /// players (docs/minimax.md), and lose on smaller boards.
  std::vector<float> weights() const {
    std::vector<float> weights = {-0.911f, -0.140f, 0.388f};
    if (large_star_) weights = {-0.549f, -0.439f, 0.713f};
    if (more_features_) weights.resize(7);
    return weights;
  }
  /// Fitted to games on eight boards (docs/minimax.md): with more pieces there is further to go, and
  /// the leads of equally one-sided positions are larger.
  float scale() const {
    const float decisive = large_star_ ? 7.5f / static_cast<float>(players_) : 1.5f;
    return decisive / static_cast<float>(army_ * army_);
  }

  template <class State>
  void features(const HoleMap& map, const State& s, int player, float* out) const {
    const HoleReach reach(map, s, player);
    int corner = 0, middle = 0, advance = 0, advance_squares = 0, furthest = 0;
    for (int i = 0; i < army_; ++i) {
      const int from = s.piece[player * army_ + i];
      const Standing& here = standing_[player][from];
      corner += here.corner * here.corner;
      middle += here.middle2 * here.middle2;
      int best = here.row;
      const HoleMap::Words to = reach.from(from);
      for (int c = 0; c < HoleMap::kClasses; ++c)
        for (std::uint64_t left = to[c]; left; left &= left - 1)
          best = std::min(best, standing_[player][map.hole_at[c][std::countr_zero(left)]].row);
      advance += here.row - best;
      advance_squares += (here.row - best) * (here.row - best);
      furthest = std::max(furthest, here.row - best);
    }
    out[0] = static_cast<float>(corner);
    out[1] = static_cast<float>(middle) / 4.0f;  // middle2 is in half holes
    out[2] = static_cast<float>(advance);
    if (!more_features_) return;
    out[3] = static_cast<float>(advance_squares);
    // In holes, as the squares of B are; columns are in half holes.
    out[4] = variance(s, player, [&](int hole) { return standing_[player][hole].middle2; }) / 4.0f;
    out[5] = variance(s, player, [&](int hole) { return standing_[player][hole].row; });
    out[6] = static_cast<float>(furthest);
  }

 private:
  struct Standing {
    int corner;   // steps to the far corner of the target
    int middle2;  // half holes to the right of the line through both corners
    int row;      // in the player's view, from the top
  };

  /// The variance of a number over the holes of a player's pieces.
  template <class State, class Number>
  float variance(const State& s, int player, Number&& number) const {
    int sum = 0, squares = 0;
    for (int i = 0; i < army_; ++i) {
      const int value = number(s.piece[player * army_ + i]);
      sum += value;
      squares += value * value;
    }
    const auto pieces = static_cast<float>(army_);
    return (static_cast<float>(squares) - static_cast<float>(sum * sum) / pieces) / pieces;
  }

  bool more_features_;
  int players_, army_;
  bool large_star_;
  std::vector<Standing> standing_[HoleMap::kMaxPlayers];  // [player][hole]
};

}  // namespace halma
