// Where moves of Chinese Checkers lead in the index, for checking a finished table.
//
// The index numbers (army to move, other army). A move changes the mover's army, and then
// the other is to move: so all that can follow while one army stands lies together, in the
// row of the index that belongs to the standing army. Walking along rows keeps what a check
// reads most in the nearest cache.
//
// Everything comes from the rules as they are played: unindex(), index() and legal(). Only
// the place of a successor within its row is computed here, as index() would take longer;
// whoever walks sees at every position that rank() gives the place the position came from.
#pragma once

#include "sternhalma.hpp"

namespace halma {

template <int MaxPieces, int MaxPlayers>
class Sternhalma<MaxPieces, MaxPlayers>::Forward {
 public:
  /// A position before a move of the army that does not stand.
  struct Before {
    State state;
    std::uint64_t index;  // where its own entry is
    std::uint64_t set;    // what rank() takes
  };

  static std::uint64_t rows(const Sternhalma& game) { return game.index_size() / width(game); }
  static std::uint64_t width(const Sternhalma& game) {
    return binomials()[game.board_.size() - game.army_][game.army_];
  }

  /// The game must outlive this.
  explicit Forward(const Sternhalma& game) : game_(game), width_(width(game)) {
    for (int n = 0; n < 64; ++n)
      for (int k = 0; k <= kLargestArmy; ++k) choose_[n][k] = static_cast<std::uint32_t>(binomials()[n][k]);
  }

  void open(std::uint64_t row) {
    first_ = row * width_;
    const State s = game_.unindex(first_);
    std::uint64_t standing = 0;
    for (int i = 0; i < game_.army_; ++i) standing |= std::uint64_t{1} << s.piece[i];
    for (int hole = 0, number = 0; hole < game_.board_.size(); ++hole) {
      number_[hole] = static_cast<std::uint8_t>(number);
      number += ~standing >> hole & 1;
    }
  }

  /// The board of a place of the open row, but with the other army to move.
  Before before(std::uint64_t place) const {
    Before b{game_.unindex(first_ + place), 0, 0};
    for (int i = 0; i < game_.army_; ++i) b.set |= bit(b.state.piece[game_.army_ + i]);
    game_.give_turn(b.state, 1);
    b.index = game_.index(b.state);
    // Who has won is another question when the other side asks it.
    if (b.state.first) b.state = game_.unindex(b.index);
    return b;
  }

  /// The set of the position after a move, which is a place of the same row.
  std::uint64_t after(const Before& b, Move move) const {
    return move == kPass ? b.set : b.set ^ bit(move & 0xFF) ^ bit(move >> 8);
  }
  std::uint64_t rank(std::uint64_t set) const {
    std::uint32_t sum = 0;
    for (int k = 1; set; set &= set - 1, ++k) sum += choose_[std::countr_zero(set)][k];
    return sum;
  }

 private:
  std::uint64_t bit(int hole) const { return std::uint64_t{1} << number_[hole]; }

  const Sternhalma& game_;
  std::uint64_t width_, first_ = 0;
  std::uint8_t number_[HoleBoard::kOff] = {};  // holes free of the standing army, numbered
  std::uint32_t choose_[64][kLargestArmy + 1];
};

}  // namespace halma
