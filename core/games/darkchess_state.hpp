// Pieces, squares and positions of Chinese dark chess.
//
// A cell is (file, rank); cells are numbered file by file. Internally a cell is a bit of a
// 32-bit board, its *square* file * 8 + rank, on the small board too, so that the four
// directions are shifts by 1 and 8 everywhere. Squares off the board are neither empty
// nor occupied.
//
// The rank of a face-up piece is a number from 0 (pawn) to 6 (king), stored as three bit
// planes. "Can capture" is then a comparison of numbers for all cells at once, and for
// two directions at once where two boards share a 64-bit word.
#pragma once

#include <array>
#include <cstdint>

namespace halma::dark {

// Kinds from the highest rank to the lowest.
enum Kind { kKing, kGuard, kMinister, kRook, kKnight, kCannon, kPawn };
inline constexpr int kKinds = 7;
/// A type is a kind of a colour: kind for red, 7 + kind for black.
inline constexpr int kTypes = 2 * kKinds;
/// Number of pieces of each kind a side has.
using Set = std::array<int, kKinds>;

enum Colour : std::uint8_t { kRed, kBlack, kUndecided };

struct State {
  std::uint32_t ranks[3];   // bit planes of the ranks of face-up pieces
  std::uint32_t colour[2];  // face-up pieces, red and black
  std::uint32_t hidden;     // cells with a face-down piece
  // The face-down pieces: a bit per piece of the set, red's in the low half, and the
  // low bits of a type first, so that equal multisets are equal words.
  std::uint32_t pool;
  std::uint8_t turn;     // Colour to move; at chance: to move after the outcome
  std::uint8_t mover;    // the player of that colour
  std::uint8_t turning;  // square being turned up, or kNone
  std::uint8_t spare;
};

inline constexpr int kNone = 32;                         // no square
inline constexpr std::uint64_t kTwice = 0x100000001ULL;  // times this: both halves of a word

constexpr std::uint32_t bit(int i) { return std::uint32_t{1} << i; }

/// Before colours are decided nothing is face-up, so either colour will do.
inline int own_colour(const State& s) { return s.turn & 1; }
/// Whether a colour has any piece left, face-up or face-down.
inline bool alive(const State& s, int colour) {
  return (s.colour[colour] | (s.pool >> (16 * colour) & 0xFFFF)) != 0;
}
inline int kind_at(const State& s, int square) {
  return 6 - static_cast<int>((s.ranks[0] >> square & 1) | (s.ranks[1] >> square & 1) << 1 |
                              (s.ranks[2] >> square & 1) << 2);
}

inline void put(State& s, int square, int type) {
  const auto rank = static_cast<std::uint32_t>(6 - type % kKinds);
  for (int i = 0; i < 3; ++i) s.ranks[i] |= (rank >> i & 1) << square;
  s.colour[type / kKinds] |= bit(square);
}

inline void hand_over(State& s) {
  s.mover ^= 1;
  s.turn ^= s.turn < kUndecided;
}

/// Moves an own piece; an opponent's piece on the target is captured.
inline void shift_piece(State& s, int from, int to) {
  const std::uint32_t both = bit(from) | bit(to);
  for (std::uint32_t& plane : s.ranks) plane = (plane & ~both) | (plane >> from & 1) << to;
  const int own = own_colour(s);
  s.colour[own] ^= both;
  s.colour[own ^ 1] &= ~both;
}

}  // namespace halma::dark
