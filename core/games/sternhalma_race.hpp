// How far moves of Chinese Checkers bring their pieces forward, as greedy players want to know. Advance is
// counted in rows, up in the mover's view.
#pragma once

#include <bit>
#include <cstdint>

#include "../game.hpp"
#include "sternhalma_reach.hpp"

namespace halma {

class HoleRace {
 public:
  explicit HoleRace(const HoleBoard& board) {
    for (int player = 0; player < board.players; ++player)
      for (int hole = 0; hole < board.size(); ++hole)
        row_[player][hole] = static_cast<std::int8_t>(board.holes[board.to_view[player][hole]].y);
  }

  int advance(int player, Move move) const {
    return move == HoleMap::kPass ? 0 : row_[player][move & 0xFF] - row_[player][move >> 8];
  }
  int trailing(int player, Move move) const { return move == HoleMap::kPass ? 0 : row_[player][move & 0xFF]; }

  /// The mover's moves that advance most, of those the ones whose piece trails most, in the order of legal().
  template <class State>
  void furthest(const HoleMap& map, const State& s, MoveList& moves) const {
    const auto& row = row_[s.mover];
    int best = -(1 << 20);
    const auto consider = [&](int from, int to) {
      const int rank = (row[from] - row[to]) * kRankScale + row[from];
      if (rank < best) return;
      if (rank > best) moves.clear();
      best = rank;
      moves.push(static_cast<Move>(from | to << 8));
    };
    const HoleReach reach(map, s, s.mover);
    const std::uint8_t* army = s.piece + s.mover * map.army;
    HoleMap::Words to[HoleBoard::kLargestArmy];
    const auto consider_hops = [&](int i) {
      const int c = map.parity[army[i]];
      for (std::uint64_t left = to[i][c]; left; left &= left - 1)
        consider(army[i], map.hole_at[c][std::countr_zero(left)]);
    };
    for (int i = 0; i < map.army; ++i) {
      to[i] = reach.from(army[i]);
      consider_hops(i);
    }
    // A step gains at most one row and a hop two or none, so steps matter only if no
    // hop advances. The best moves are then collected in the order of legal().
    if (best < 2 * kRankScale - kRankScale / 2) {
      best = -(1 << 20);
      for (int i = 0; i < map.army; ++i) {
        for (const HoleMap::Neighbour& step : map.beside[army[i]])
          if (to[i][step.parity] >> step.bit & 1) consider(army[i], step.hole);
        consider_hops(i);
      }
    }
  }

 private:
  // Ranks are advance * kRankScale + row, and the absolute value of a row is below half of kRankScale.
  static constexpr int kRankScale = 64;
  std::int8_t row_[HoleMap::kMaxPlayers][HoleBoard::kOff] = {};  // [player][hole]
};

}  // namespace halma
