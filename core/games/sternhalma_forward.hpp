// Successors of Chinese Checkers positions by index, to verify a finished table.
//
// The index is (army to move, other army). A move changes the mover's army, then the other
// is to move: so all successors with the same standing army are in the row of the index
// that belongs to it. Walking along rows keeps them in the nearest cache.
//
// Moves come from legal(), as in play; no code is shared with sternhalma_backward.hpp.
// Indices are computed incrementally, which is faster than unindex() and index(); agrees()
// compares both.
#pragma once

#include "sternhalma.hpp"

namespace halma {

template <int MaxPieces, int MaxPlayers>
class Sternhalma<MaxPieces, MaxPlayers>::Forward {
 public:
  /// A position with the moving army to move.
  struct Before {
    State state;
    std::uint64_t index;  // of its own entry
    std::uint64_t set;    // the moving army's holes, among those free of the standing army
  };

  static std::uint64_t rows(const Sternhalma& game) { return game.index_size() / width(game); }
  static std::uint64_t width(const Sternhalma& game) {
    return binomials()[game.board_.size() - game.army_][game.army_];
  }

  /// The game must outlive this.
  explicit Forward(const Sternhalma& game) : game_(game), width_(width(game)) {
    for (int n = 0; n < 64; ++n)
      for (int k = 0; k <= kLargestArmy + 1; ++k)
        choose_[n][k] = static_cast<std::uint32_t>(binomials()[n][k]);
  }

  void open(std::uint64_t row) {
    first_ = row * width_;
    const State s = game_.unindex(first_);
    standing_ = State{};
    std::uint64_t taken = 0;
    for (int i = 0; i < game_.army_; ++i) {
      game_.put(standing_, 0, i, s.piece[i]);
      taken |= bit(s.piece[i]);
      // In the other side's view, holes are numbered from the other end.
      others_[game_.army_ - 1 - i] = static_cast<std::uint8_t>(last() - s.piece[i]);
      numbers_[i] = i;
    }
    game_.give_turn(standing_, 1);
    for (int hole = 0, number = 0; hole <= last(); ++hole) {
      if (taken >> hole & 1) continue;
      number_[hole] = static_cast<std::uint8_t>(number);
      hole_[number++] = static_cast<std::uint8_t>(hole);
    }
  }

  /// The board of the next place of the open row, with the moving army to move.
  Before next() {
    Before b{standing_, 0, 0};
    std::uint64_t own = 0;
    for (int i = 0; i < game_.army_; ++i) {
      const int hole = hole_[numbers_[i]];
      game_.put(b.state, 1, i, hole);
      b.set |= bit(numbers_[i]);
      own |= bit(last() - hole);
    }
    std::uint64_t place = 0;
    for (int i = 0; i < game_.army_; ++i) {
      const int below = std::popcount(own & (bit(others_[i]) - 1));
      place += choose_[others_[i] - below][i + 1];
    }
    b.index = rank(own) * width_ + place;
    if (game_.finished(b.state, 0) || game_.finished(b.state, 1)) b.state = game_.unindex(b.index);
    // The next set in the order of ranks: the lowest element that can increase does, and
    // all below it are reset.
    int i = 0;
    while (i + 1 < game_.army_ && numbers_[i] + 1 == numbers_[i + 1]) ++i;
    ++numbers_[i];
    while (--i >= 0) numbers_[i] = i;
    return b;
  }

  /// Whether index() and unindex() agree with a position's place.
  bool agrees(const Before& b, std::uint64_t place) const {
    State s = game_.unindex(first_ + place);
    game_.give_turn(s, 1);
    return game_.index(s) == b.index && game_.index(b.state) == b.index;
  }

  /// The place of a set in its row.
  std::uint64_t rank(std::uint64_t set) const {
    std::uint32_t sum = 0;
    for (int k = 1; set; set &= set - 1, ++k) sum += choose_[std::countr_zero(set)][k];
    return sum;
  }

  /// Calls visit(place) with the place each move leads to, in the same row.
  template <class Visit>
  void after(const Before& b, const MoveList& moves, Visit&& visit) const {
    int lifted = -1;
    std::uint64_t rest = 0;                  // all pieces but the moving one
    std::uint32_t ranks[kLargestArmy] = {};  // [j]: their rank sum if the moving one becomes the j-th
    for (const Move move : moves) {
      if (move == kPass) {
        visit(rank(b.set));
        continue;
      }
      if (lifted != static_cast<int>(move & 0xFF)) {
        lifted = static_cast<int>(move & 0xFF);
        rest = b.set ^ bit(number_[lifted]);
        ranks[0] = 0;
        int j = 0;
        for (std::uint64_t left = rest; left; left &= left - 1, ++j) {
          const auto& at = choose_[std::countr_zero(left)];
          ranks[0] += at[j + 2];
          ranks[j + 1] = at[j + 1] - at[j + 2];
        }
        for (int k = 1; k <= j; ++k) ranks[k] += ranks[k - 1];
      }
      const int to = number_[move >> 8];
      const int below = std::popcount(rest & (bit(to) - 1));
      visit(ranks[below] + choose_[to][below + 1]);
    }
  }

 private:
  static std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
  int last() const { return game_.board_.size() - 1; }

  const Sternhalma& game_;
  std::uint64_t width_, first_ = 0;
  State standing_;
  std::uint8_t others_[kLargestArmy];        // the standing army in the other's view, ascending
  int numbers_[kLargestArmy];                // the other army's holes, numbered as below
  std::uint8_t number_[64] = {}, hole_[64];  // holes free of the standing army, numbered; the inverse
  std::uint32_t choose_[64][kLargestArmy + 2];
};

}  // namespace halma
