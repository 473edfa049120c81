// What evaluations of Chinese dark chess see of a position: the features of linear ones, and the inputs
// of networks that are evaluated in the core.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "darkchess_moves.hpp"

namespace halma::dark {

/// Face-up pieces of both colours by kind.
struct Kinds {
  std::uint32_t pieces[kKinds];
  std::uint32_t of(const State& s, int colour, int kind) const { return pieces[kind] & s.colour[colour]; }
};
inline Kinds kinds_of(const State& s) {
  Kinds kinds;
  for (int kind = 0; kind < kKinds; ++kind) {
    const int rank = 6 - kind;
    std::uint32_t pieces = ~std::uint32_t{0};
    for (int i = 0; i < 3; ++i) pieces &= rank >> i & 1 ? s.ranks[i] : ~s.ranks[i];
    kinds.pieces[kind] = pieces;
  }
  return kinds;
}

/// Whether a step of a piece can capture; cannons capture by jumps alone.
inline bool takes(int kind, int other) {
  if (kind == kCannon || (kind == kKing && other == kPawn)) return false;
  return other >= kind || (kind == kPawn && other == kKing);
}
/// The opponent's pieces that a colour's pieces of a kind can capture by a step.
inline std::uint32_t prey_of(const State& s, const Kinds& up, int colour, int kind) {
  std::uint32_t prey = 0;
  for (int other = 0; other < kKinds; ++other)
    if (takes(kind, other)) prey |= up.pieces[other];
  return prey & s.colour[colour ^ 1];
}
/// The opponent's pieces that can capture a colour's pieces of a kind by a step.
inline std::uint32_t hunters_of(const State& s, const Kinds& up, int colour, int kind) {
  std::uint32_t hunters = 0;
  for (int other = 0; other < kKinds; ++other)
    if (takes(other, kind)) hunters |= up.pieces[other];
  return hunters & s.colour[colour ^ 1];
}

inline std::uint32_t neighbours(std::uint32_t squares) {
  return (squares & 0x7F7F7F7F) << 1 | (squares & 0xFEFEFEFE) >> 1 | squares << 8 | squares >> 8;
}
/// The squares with pieces that cannons can jump to.
inline std::uint32_t jumped_by_cannons(std::uint32_t cannons, std::uint32_t occupied) {
  std::uint32_t found = 0;
  for (; cannons; cannons &= cannons - 1) found |= jumps(std::countr_zero(cannons), occupied);
  return found;
}

class Evaluation {
 public:
  Evaluation() = default;
  /// `board` is all squares there are; `ranges` the bits of the pool by type.
  Evaluation(std::uint32_t board, const Set& set, const std::uint32_t (&ranges)[kTypes])
      : board_(board), set_(set) {
    std::copy_n(ranges, kTypes, range_);
  }

  // Material, face-down pieces included: kings, guards, ministers, rooks, knights,
  // cannons, pawns. Then pursuit: for every face-up piece that could walk up to one it can
  // capture, a tenth for each step by which the walk is shorter than eleven.
  std::vector<float> weights() const { return {6.0f, 5.0f, 4.0f, 3.0f, 2.0f, 3.0f, 1.0f, 0.25f}; }
  float scale() const { return 0.25f; }
  void features(const State& s, int player, float* out) const {
    std::fill_n(out, kKinds + 1, 0.0f);
    if (s.turn == kUndecided) return;
    const int colour = player == s.mover ? s.turn : s.turn ^ 1;
    const Kinds up = kinds_of(s);
    for (int kind = 0; kind < kKinds; ++kind) {
      const std::uint32_t pieces = up.of(s, colour, kind);
      out[kind] =
          static_cast<float>(std::popcount(pieces) + std::popcount(s.pool & range_[colour * kKinds + kind]));
      if (kind != kCannon)
        walk(s, prey_of(s, up, colour, kind), pieces, [&](std::uint32_t reached, int steps) {
          out[kKinds] += 0.1f * static_cast<float>(std::max(11 - steps, 0) * std::popcount(reached));
        });
    }
  }

  // What there is, and who is how far from whom. A piece of the set is a place of 16 a side: the first n
  // places of a kind stand for n of its pieces. The mover's side first: all pieces; those face-down;
  // pieces whose walk to the nearest one they can capture takes 1, ..., 5, or more steps; pieces to which
  // the nearest one that can capture them has 1, ..., 4 steps; pieces that a cannon can capture; last, half
  // the number of face-down cells.
  static constexpr int kInputWords = 7;
  int input_count() const { return 64 * kInputWords; }
  /// Face-down pieces have no walk; every other group has a bit a piece at most, the last one 16.
  int max_inputs() const { return 4 * std::popcount(board_) + 16; }
  void inputs(const State& s, std::uint64_t* words) const {
    std::fill_n(words, kInputWords, std::uint64_t{0});
    const Kinds up = kinds_of(s);
    const std::uint32_t occupied = s.colour[kRed] | s.colour[kBlack] | s.hidden;
    for (int side = 0; side < 2; ++side) {
      const int colour = own_colour(s) ^ side;
      const std::uint32_t jumped = jumped_by_cannons(up.of(s, colour ^ 1, kCannon), occupied);
      const auto add = [&](int group, int kind, int number) {
        const int input = 16 * group + std::countr_zero(range_[kind]);
        words[input / 64] |= ((std::uint64_t{1} << number) - 1) << input % 64;
      };
      for (int kind = 0; kind < kKinds; ++kind) {
        if (set_[kind] == 0) continue;
        const std::uint32_t pieces = up.of(s, colour, kind);
        const int face_down = std::popcount(s.pool & range_[colour * kKinds + kind]);
        add(side, kind, std::popcount(pieces) + face_down);
        add(2 + side, kind, face_down);
        if (pieces == 0) continue;
        if (kind != kCannon)
          count_steps(s, prey_of(s, up, colour, kind), pieces, kPreySteps,
                      [&](int steps, int number) { add(4 + kPreySteps * side + steps - 1, kind, number); });
        count_steps(s, hunters_of(s, up, colour, kind), pieces, kHunterSteps + 1, [&](int steps, int number) {
          if (steps <= kHunterSteps) add(16 + kHunterSteps * side + steps - 1, kind, number);
        });
        add(24 + side, kind, std::popcount(pieces & jumped));
      }
    }
    const int half = std::popcount(s.hidden) / 2;
    words[6] |= ((std::uint64_t{1} << half) - 1) << 32;
  }

 private:
  /// Calls back with those of `pieces` that are a number of steps over empty cells from `goals`, for
  /// each number of steps at which there are some.
  template <class Found>
  void walk(const State& s, std::uint32_t goals, std::uint32_t pieces, Found&& found) const {
    const std::uint32_t empty = board_ & ~(s.colour[kRed] | s.colour[kBlack] | s.hidden);
    std::uint32_t seen = goals, front = goals;
    for (int steps = 1; front != 0 && pieces != 0; ++steps) {
      const std::uint32_t next = neighbours(front) & ~seen;
      if (const std::uint32_t reached = next & pieces) {
        found(reached, steps);
        pieces &= ~reached;
      }
      seen |= next;
      front = next & empty;
    }
  }
  /// Calls back with numbers of steps, more than `most` counted as such, and numbers of pieces.
  template <class Found>
  void count_steps(const State& s, std::uint32_t goals, std::uint32_t pieces, int most, Found&& found) const {
    int further = 0;
    walk(s, goals, pieces, [&](std::uint32_t reached, int steps) {
      if (steps < most)
        found(steps, std::popcount(reached));
      else
        further += std::popcount(reached);
    });
    if (further) found(most, further);
  }
  static constexpr int kPreySteps = 6, kHunterSteps = 4;

  std::uint32_t board_ = 0;
  Set set_{};
  std::uint32_t range_[kTypes] = {};
};

}  // namespace halma::dark
