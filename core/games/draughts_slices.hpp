// Positions of draughts with few pieces, sorted and numbered for endgame tables.
//
// Positions are seen from the side to move, which is turned to be black, so that half of them
// stand for all. A slice is all positions of the same material: own men, own kings, the other's
// men and kings. Captures and crownings lead to slices with fewer pieces or fewer men; all other
// moves lead to the same material seen from the other side, the mirror image of the slice.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "draughts.hpp"

namespace halma::draughts {

class Draughts::Slices {
 public:
  static constexpr int kMaxPieces = 6;
  static constexpr int kCodes = (kMaxPieces + 1) * (kMaxPieces + 1) * (kMaxPieces + 1) * (kMaxPieces + 1);

  struct Material {
    int own_men, own_kings, men, kings;  // the side to move first, then the other
    Material mirrored() const { return {men, kings, own_men, own_kings}; }
    std::vector<int> counts() const { return {own_men, own_kings, men, kings}; }
  };

  /// All materials of two to `most` pieces in the order in which they can be solved, a slice
  /// next to its mirror image.
  static std::vector<Material> materials(int most) {
    if (most < 2 || most > kMaxPieces)
      throw std::length_error("endgames have two to " + std::to_string(kMaxPieces) + " pieces");
    std::vector<Material> list;
    for (int pieces = 2; pieces <= most; ++pieces)
      for (int all_men = 0; all_men <= pieces; ++all_men)
        for (int own = 1; own < pieces; ++own)
          for (int own_men = 0; own_men <= std::min(own, all_men); ++own_men) {
            const Material m{own_men, own - own_men, all_men - own_men, pieces - own - all_men + own_men};
            const Material other = m.mirrored();
            if (m.kings < 0 || code(m) < code(other)) continue;
            list.push_back(m);
            if (code(m) != code(other)) list.push_back(other);
          }
    return list;
  }

  /// A number below kCodes for each material.
  static int code(const Material& m) {
    constexpr int kBase = kMaxPieces + 1;
    return ((m.own_men * kBase + m.own_kings) * kBase + m.men) * kBase + m.kings;
  }

  static int pieces(const State& s) { return std::popcount(s.pieces[0] | s.pieces[1]); }
  /// Whether the side to move has no pieces left, which is in no slice.
  static bool lost(const State& s) { return s.pieces[s.mover] == 0; }

  /// The material of a position with at most kMaxPieces pieces; nothing if all are of one colour
  /// or a man stands where it would have been crowned.
  static std::optional<Material> material(const State& s) {
    const Seen seen = view(s);
    const Material m = material_of(seen);
    const bool belongs = m.own_men + m.own_kings > 0 && m.men + m.kings > 0 && seen.own_men >> 28 == 0 &&
                         (seen.men & 0xF) == 0;
    return belongs ? std::optional(m) : std::nullopt;
  }

  /// Numbers of a slice, not all of which are positions.
  static std::uint64_t size(const Material& m) {
    return choose(28, m.own_men) * choose(28, m.men) * choose(32 - m.own_men - m.men, m.own_kings) *
           choose(32 - m.own_men - m.men - m.own_kings, m.kings);
  }

  /// A position's number in the table of its slice: own men, the other's men, own kings
  /// among the squares left, the other's kings among the squares left then.
  static std::uint64_t index(const State& s) {
    const Seen seen = view(s);
    const Material m = material_of(seen);
    std::uint32_t taken = seen.own_men | seen.men;
    std::uint64_t index = rank(seen.own_men, 0);
    index = index * choose(28, m.men) + rank(seen.men >> 4, 0);
    index = index * choose(32 - m.own_men - m.men, m.own_kings) + rank(seen.own_kings, taken);
    taken |= seen.own_kings;
    return index * choose(32 - m.own_men - m.men - m.own_kings, m.kings) + rank(seen.kings, taken);
  }

  /// The inverse, black to move; nothing if two men would stand on one square.
  static std::optional<State> unindex(const Material& m, std::uint64_t index) {
    const std::uint64_t kings = choose(32 - m.own_men - m.men - m.own_kings, m.kings);
    const std::uint64_t own_kings = choose(32 - m.own_men - m.men, m.own_kings);
    const std::uint64_t men = choose(28, m.men);
    Seen seen;
    seen.own_men = unrank(index / kings / own_kings / men, m.own_men, 0);
    seen.men = unrank(index / kings / own_kings % men, m.men, 0) << 4;
    if (seen.own_men & seen.men) return std::nullopt;
    seen.own_kings = unrank(index / kings % own_kings, m.own_kings, seen.own_men | seen.men);
    seen.kings = unrank(index % kings, m.kings, seen.own_men | seen.men | seen.own_kings);
    return State{{with_ghosts(seen.own_men | seen.own_kings), with_ghosts(seen.men | seen.kings)},
                 with_ghosts(seen.own_kings | seen.kings),
                 0};
  }

  /// Whether a move changes the material and so leads to a slice solved before.
  static bool converts(const State& before, const State& after) {
    return pieces(before) != pieces(after) || std::popcount(before.kings) != std::popcount(after.kings);
  }

 private:
  /// Squares as the side to move sees them, which is always going down; bit i is square i.
  struct Seen {
    std::uint32_t own_men, own_kings, men, kings;
  };

  static Seen view(const State& s) {
    const std::uint64_t us = s.mover;
    const Seen seen{by_square(s.pieces[us] & ~s.kings), by_square(s.pieces[us] & s.kings),
                    by_square(s.pieces[us ^ 1] & ~s.kings), by_square(s.pieces[us ^ 1] & s.kings)};
    if (us == 0) return seen;
    return {reversed(seen.own_men), reversed(seen.own_kings), reversed(seen.men), reversed(seen.kings)};
  }
  static Material material_of(const Seen& seen) {
    return {std::popcount(seen.own_men), std::popcount(seen.own_kings), std::popcount(seen.men),
            std::popcount(seen.kings)};
  }

  static std::uint64_t choose(int n, int k) { return kChoose[n][k]; }
  using Choose = std::array<std::array<std::uint32_t, kMaxPieces + 1>, 33>;
  static constexpr Choose kChoose = [] {
    Choose table{};
    for (int n = 0; n <= 32; ++n) {
      table[n][0] = 1;
      for (int k = 1; k <= std::min(n, kMaxPieces); ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
    }
    return table;
  }();

  /// Rank of a set of squares among the sets of its size that avoid `taken`.
  static std::uint64_t rank(std::uint32_t squares, std::uint32_t taken) {
    std::uint64_t sum = 0;
    for (int k = 1; squares; squares &= squares - 1, ++k) {
      const int square = std::countr_zero(squares);
      sum += choose(square - std::popcount(taken & ((std::uint32_t{1} << square) - 1)), k);
    }
    return sum;
  }
  static std::uint32_t unrank(std::uint64_t rank, int number, std::uint32_t taken) {
    std::uint32_t free[32], squares = 0;
    int frees = 0;
    for (std::uint32_t left = ~taken; left; left &= left - 1) free[frees++] = left & -left;
    for (int k = number; k > 0; --k) {
      do --frees;
      while (choose(frees, k) > rank);
      squares |= free[frees];
      rank -= choose(frees, k);
    }
    return squares;
  }
};

}  // namespace halma::draughts
