// Move generation of Chinese Checkers for one position and player.
//
// A hop changes both lattice coordinates by an even number, so it keeps a hole's parity
// class. All holes a piece can hop to are found by a flood fill of the word of its class:
// six and/shift/or operations a round. A piece never hops over its own origin, which is in
// its own class while the holes it hops over are in another, so the occupancy is the same
// for all pieces. Steps leave the class, so the four words together contain each
// destination exactly once.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "sternhalma_places.hpp"

namespace halma {

/// Constructed once for a position and a player, used for each piece. Both must outlive it.
template <class State>
class HoleReach {
 public:
  /// Barred targets matter only to forward moves.
  HoleReach(const HoleMap& map, const State& s, int player, bool forward = true)
      : map_(map), state_(s), player_(player) {
    for (int c = 0; c < HoleMap::kClasses; ++c) {
      empty_[c] = map_.holes[c] & ~s.occupied[c];
      open_[c] = empty_[c] & map_.open_to[player][c];
      for (int d = 0; d < 3; ++d) {
        beside_[c][d] = turned(s.occupied[map_.middle_class[c][d]], map_.middle_shift[c][d]);
        hop_[c][d] = beside_[c][d] & map_.hop_ends[c][d];
      }
    }
    if (forward && map_.options.occupy) find_barred();
  }

  /// All destinations of the piece on `from`.
  HoleMap::Words from(int from) const {
    const int c = map_.parity[from];
    HoleMap::Words to = map_.steps[from];
    for (int k = 0; k < HoleMap::kClasses; ++k) to[k] &= open_[k];
    to[c] = hops(c, from) & open_[c];
    if (map_.options.locked_target && map_.has(map_.target[player_], from))
      for (int k = 0; k < HoleMap::kClasses; ++k) to[k] &= map_.target[player_][k];
    if (barred_) [[unlikely]]
      for (int player = 0; player < map_.players; ++player)
        if (barred_ >> player & 1 && !map_.has(map_.target[player], from))
          for (int k = 0; k < HoleMap::kClasses; ++k) to[k] &= ~map_.target[player][k];
    return to;
  }

  /// All origins of the piece on `to` one move earlier, ignoring barred targets. Steps and
  /// hops are reversible.
  HoleMap::Words to(int to) const {
    if (!map_.has(map_.open_to[player_], to)) return HoleMap::Words{};
    const int c = map_.parity[to];
    HoleMap::Words from = map_.steps[to];
    for (int k = 0; k < HoleMap::kClasses; ++k) from[k] &= empty_[k];
    from[c] = hops(c, to);
    if (map_.options.locked_target && !map_.has(map_.target[player_], to))
      for (int k = 0; k < HoleMap::kClasses; ++k) from[k] &= ~map_.target[player_][k];
    return from;
  }

  /// The holes of a legal move, first to last, with the fewest hops.
  std::vector<int> path(int from, int to) const {
    const int c = map_.parity[from];
    if (c != map_.parity[to]) return {from, to};
    std::vector<int> previous(map_.parity.size(), -1), open{from};
    previous[from] = from;
    for (std::size_t i = 0; i < open.size() && previous[to] < 0; ++i) {
      const std::uint64_t next = one_hop(c, std::uint64_t{1} << map_.bit[open[i]], from);
      for (std::uint64_t left = next; left; left &= left - 1) {
        const int hole = map_.hole_at[c][std::countr_zero(left)];
        if (previous[hole] >= 0) continue;
        previous[hole] = open[i];
        open.push_back(hole);
      }
    }
    std::vector<int> path{to};
    while (path.back() != from) path.push_back(previous[path.back()]);
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  /// Empty holes one hop away from any of `from`, all in class c; `origin` is the hole of
  /// the moving piece.
  std::uint64_t one_hop(int c, std::uint64_t from, int origin) const {
    if (map_.options.mirror_hops) return LongHops<HoleMap::kLongest>(*this, c, origin).one_hop(from);
    std::uint64_t next = 0;
    for (int d = 0; d < 3; ++d) {
      next |= (from & hop_[c][d]) << map_.shift[d];
      next |= (from >> map_.shift[d]) & hop_[c][d];
    }
    return next & empty_[c];
  }

  /// Rotates right; without std::rotr's handling of signs it is one instruction.
  static std::uint64_t turned(std::uint64_t word, unsigned by) { return word >> by | word << (-by & 63); }

  std::uint64_t hops(int c, int origin) const {
    if (!map_.options.mirror_hops)
      return flood(origin, [&](std::uint64_t front) { return one_hop(c, front, origin); });
    const auto flood_long = [&](const auto& hops) {
      return flood(origin, [&](std::uint64_t front) { return hops.one_hop(front); });
    };
    // On boards of up to seven rows a shorter loop, which the compiler unrolls.
    return map_.longest <= 3 ? flood_long(LongHops<3>(*this, c, origin))
                             : flood_long(LongHops<HoleMap::kLongest>(*this, c, origin));
  }

  template <class OneHop>
  std::uint64_t flood(int origin, OneHop&& one_hop) const {
    std::uint64_t reached = 0;
    for (std::uint64_t front = std::uint64_t{1} << map_.bit[origin]; front;) {
      front = one_hop(front) & ~reached;
      reached |= front;
    }
    return reached;
  }

  /// Long hops of one piece: over the first piece on a line to the hole as far behind it, all others
  /// between empty. The origin of the moving piece counts as empty.
  template <int Longest>
  struct LongHops {
    std::uint64_t empty;
    const std::array<int, 3>& shift;
    std::uint64_t over[3][Longest];  // [direction][distance to the middle - 1]: lower ends of hops

    LongHops(const HoleReach& reach, int c, int origin) : empty(reach.empty_[c]), shift(reach.map_.shift) {
      const std::uint64_t own = reach.state_.occupied[c] & ~(std::uint64_t{1} << reach.map_.bit[origin]);
      for (int d = 0; d < 3; ++d) {
        const std::uint64_t odd = reach.beside_[c][d];
        // Which holes have a piece i holes further on: of the own class every other time.
        std::uint64_t piece[2 * Longest];
        for (int i = 1; i < 2 * Longest; ++i) piece[i] = (i % 2 ? odd : own) >> (i / 2 * shift[d]);
        std::uint64_t clear = ~std::uint64_t{0};
        for (int k = 1; k <= Longest; ++k) {
          std::uint64_t good = clear & piece[k] & reach.map_.long_ends[c][d][k - 1];
          for (int i = k + 1; i < 2 * k; ++i) good &= ~piece[i];
          over[d][k - 1] = good;
          clear &= ~piece[k];
        }
      }
    }

    std::uint64_t one_hop(std::uint64_t from) const {
      std::uint64_t next = 0;
      for (int d = 0; d < 3; ++d)
        for (int k = 1; k <= Longest; ++k) {
          next |= (from & over[d][k - 1]) << (k * shift[d]);
          next |= from >> (k * shift[d]) & over[d][k - 1];
        }
      return next & empty;
    }
  };

  /// A player may not make another one finish: a target that lacks one piece and holds one of
  /// its owner's is barred to pieces from outside. A partner's piece does not fill a target.
  void find_barred() {
    for (int player = 0; player < map_.players; ++player) {
      if (player == player_ || state_.in_target[player] == 0) continue;
      int lacking = 0;
      for (int c = 0; c < HoleMap::kClasses; ++c)
        lacking += std::popcount(map_.target[player][c] & ~state_.occupied[c]);
      if (lacking == 1 && may_finish(map_, state_, player, player_)) [[unlikely]]
        barred_ |= 1 << player;
    }
  }

  const HoleMap& map_;
  const State& state_;
  int player_;
  HoleMap::Words empty_, open_;
  std::uint64_t beside_[HoleMap::kClasses][3];  // [class][direction]: holes with a piece beside them
  // [class][direction]: lower ends of hops over an occupied middle, both ends on board
  std::uint64_t hop_[HoleMap::kClasses][3];
  int barred_ = 0;  // mask of players whose targets are barred
};

}  // namespace halma
