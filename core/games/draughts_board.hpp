// Squares, bitboards and the bits of a move of English draughts on 8 x 8.
//
// Squares are numbered 0 to 31 row by row from black's side (1 to 32 in notation).
// Black (player 0) starts there and moves first, down the board. On bitboards there is
// an unused ghost bit after every second row:
//
//        0   1   2   3
//      4   5   6   7   (8)
//        9  10  11  12
//     13  14  15  16  (17)
//       18  19  20  21
//     22  23  24  25  (26)
//       27  28  29  30
//     31  32  33  34
//
// so that the four neighbours of every square are at +4, +5, -4 and -5, a step off the
// side ends on a ghost, and no file masks are needed. A half-turn of the board maps bit
// b to 34 - b.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "../game.hpp"

namespace halma::draughts {

inline constexpr int kSquares = 32;

using Board = std::uint64_t;

inline constexpr int kBoardBits = 35;                   // ghosts included
inline constexpr Board kSquareBits = 0x7'FBFD'FEFFULL;  // 35 bits less the three ghosts

constexpr int bit_of(int square) { return square + square / 8; }
constexpr int square_of(int bit) { return bit - bit / 9; }
constexpr bool on_board(int bit) { return bit >= 0 && bit < kBoardBits && kSquareBits >> bit & 1; }

// Directions 0 and 1 lead down the board, black's way, 2 and 3 up.
inline constexpr int kSteps[4] = {4, 5, -4, -5};

template <int D>
constexpr Board shift(Board x) {
  if constexpr (D < 2)
    return x << kSteps[D];
  else
    return x >> -kSteps[D];
}

/// A board without its ghosts, bit i is square i; and the inverse.
constexpr std::uint32_t by_square(Board board) {
  return static_cast<std::uint32_t>((board & 0xFF) | (board >> 1 & 0xFF00) | (board >> 2 & 0xFF0000) |
                                    (board >> 3 & 0xFF000000));
}
constexpr Board with_ghosts(std::uint32_t squares) {
  const Board board = squares;
  return (board & 0xFF) | (board & 0xFF00) << 1 | (board & 0xFF0000) << 2 | (board & 0xFF000000) << 3;
}

/// A set of squares seen from the other side.
constexpr std::uint32_t reversed(std::uint32_t squares) {
  squares = (squares >> 1 & 0x55555555) | (squares & 0x55555555) << 1;
  squares = (squares >> 2 & 0x33333333) | (squares & 0x33333333) << 2;
  squares = (squares >> 4 & 0x0F0F0F0F) | (squares & 0x0F0F0F0F) << 4;
  return __builtin_bswap32(squares);
}

// A move is its start (a bit number, 6 bits), its number of jumps (4 bits, 0 for a
// step) and its directions, two bits each, the first lowest.

constexpr int start(Move move) { return move & 63; }
/// Number of pieces a move captures.
constexpr int jumps(Move move) { return move >> 6 & 15; }
constexpr int direction(Move move, int i) { return move >> (10 + 2 * i) & 3; }

constexpr Move make_step(int from, int d) { return static_cast<Move>(from | d << 10); }
constexpr Move add_jump(Move trail, int d) {
  return trail + (1u << 6) + (static_cast<Move>(d) << (10 + 2 * jumps(trail)));
}

/// A move seen from the other side.
inline Move turned(Move move) {
  // A half-turn swaps directions 0 with 2 and 1 with 3.
  const Move flips = 0b10'10'10'10'10'10'10'10'10u & ((1u << 2 * std::max(jumps(move), 1)) - 1);
  return (move ^ flips << 10) + 34 - 2 * start(move);
}

/// The squares a move touches, 0 to 31, first to last.
inline std::vector<int> path(Move move) {
  int bit = start(move);
  std::vector<int> squares{square_of(bit)};
  const int stride = jumps(move) > 0 ? 2 : 1;
  for (int i = 0; i < std::max(jumps(move), 1); ++i) {
    bit += stride * kSteps[direction(move, i)];
    squares.push_back(square_of(bit));
  }
  return squares;
}

}  // namespace halma::draughts
