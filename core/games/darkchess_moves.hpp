// Move generation of Chinese dark chess: all legal moves of a position as a few words.
#pragma once

#include <bit>

#include "../game.hpp"
#include "darkchess_state.hpp"

namespace halma::dark {

inline constexpr int kMaxCannons = 2;  // of a real set

inline Move make_move(int from, int to) { return static_cast<Move>(from | to << 8); }

struct Jumps {
  std::uint8_t file[8][256];  // [own place][occupied places of the line]
  std::uint32_t rank[4][16];  // the same for four places, bits eight apart again
};
inline constexpr Jumps kJumps = [] {
  Jumps table{};
  const auto behind_one = [](int place, int occupied, int length) {
    int found = 0;
    for (const int step : {-1, 1}) {
      int seen = 0;
      for (int i = place + step; i >= 0 && i < length && seen < 2; i += step)
        if (occupied >> i & 1 && ++seen == 2) found |= 1 << i;
    }
    return found;
  };
  for (int place = 0; place < 8; ++place)
    for (int occupied = 0; occupied < 256; ++occupied)
      table.file[place][occupied] = static_cast<std::uint8_t>(behind_one(place, occupied, 8));
  for (int place = 0; place < 4; ++place)
    for (int occupied = 0; occupied < 16; ++occupied)
      for (int i = 0; i < 4; ++i)
        table.rank[place][occupied] |= static_cast<std::uint32_t>(behind_one(place, occupied, 4) >> i & 1)
                                       << (8 * i);
  return table;
}();

/// Pieces behind exactly one other, seen from a square along file and rank.
inline std::uint32_t jumps(int square, std::uint32_t occupied) {
  const int file = square >> 3, rank = square & 7;
  const std::uint32_t along_file = occupied >> (8 * file) & 0xFF;
  // Gathers the bits of one rank, eight apart, into four neighbouring ones.
  const std::uint32_t along_rank = ((occupied >> rank & 0x01010101) * 0x01020408) >> 24 & 0xF;
  return std::uint32_t{kJumps.file[rank][along_file]} << (8 * file) | kJumps.rank[file][along_rank] << rank;
}

/// All legal moves as sets of target squares, two 32-bit sets to a word: to the next
/// rank, the next file, the previous rank, the previous file, pieces to turn up, and
/// what each of two cannons can jump to. Set and target determine the origin.
struct Choices {
  std::uint64_t words[4];
  int from[8];  // per set: what to add to the target, or for a cannon its square

  Move move(int index) const {
    const int set = index >> 5, to = index & 31;
    return make_move(set < 5 ? to + from[set] : from[set], to);
  }
};

/// `board` is all squares there are.
inline Choices choices_of(const State& s, std::uint32_t board) {
  const int colour = own_colour(s);
  const std::uint32_t own = s.colour[colour], enemy = s.colour[colour ^ 1];
  const std::uint32_t occupied = own | enemy | s.hidden;

  const std::uint64_t empty = (board & ~occupied) * kTwice, enemies = enemy * kTwice;
  const std::uint64_t e0 = s.ranks[0] * kTwice, e1 = s.ranks[1] * kTwice, e2 = s.ranks[2] * kTwice;
  const std::uint64_t enemy_pawn = ~(e0 | e1 | e2), enemy_king = e2 & e1;
  // Given the ranks and squares of own pieces, each moved by a step: legal targets.
  const auto targets = [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t a2, std::uint64_t stepped) {
    const std::uint64_t high_enough = (a2 & ~e2) | (~(a2 ^ e2) & ((a1 & ~e1) | (~(a1 ^ e1) & (a0 | ~e0))));
    const std::uint64_t king = a2 & a1, cannon = ~a2 & ~a1 & a0, pawn = ~(a0 | a1 | a2);
    const std::uint64_t takes = (high_enough & ~cannon & ~(king & enemy_pawn)) | (pawn & enemy_king);
    return stepped & (empty | (enemies & takes));
  };
  // Upward: a rank (low half) and a file (high half) further. Bits that cross between
  // the halves, or from one file to another, never belong to stepped own pieces.
  const auto up = [](std::uint64_t x) { return x << 1 | x << 40; };
  const auto down = [](std::uint64_t x) { return x >> 1 | (x >> 8) << 32; };
  const std::uint64_t stepped_up = std::uint64_t{own & 0x7F7F7F7F} << 1 | std::uint64_t{own} << 40;
  const std::uint64_t stepped_down = (own & 0xFEFEFEFE) >> 1 | std::uint64_t{own >> 8} << 32;

  Choices choices{{}, {-1, -8, 1, 8, 0, 0, 0, 0}};
  choices.words[0] = targets(up(s.ranks[0]), up(s.ranks[1]), up(s.ranks[2]), stepped_up);
  choices.words[1] = targets(down(s.ranks[0]), down(s.ranks[1]), down(s.ranks[2]), stepped_down);

  // A colour without pieces has lost, even if it could turn up others.
  std::uint64_t sets[1 + kMaxCannons] = {alive(s, colour) ? s.hidden : 0};
  std::uint32_t cannons = own & ~s.ranks[2] & ~s.ranks[1] & s.ranks[0];
  for (int i = 1; cannons; ++i, cannons &= cannons - 1) {
    const int square = std::countr_zero(cannons);
    sets[i] = jumps(square, occupied) & enemy;
    choices.from[4 + i] = square;
  }
  choices.words[2] = sets[0] | sets[1] << 32;
  choices.words[3] = sets[2];
  return choices;
}

}  // namespace halma::dark
