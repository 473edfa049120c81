// A board of holes as bitboards.
//
// The parity class of a hole is (q mod 2, r mod 2). Each of the four classes fits into one
// 64-bit word, even on the 121-hole star, and within a word the three hop directions are
// shifts by fixed amounts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sternhalma_board.hpp"

namespace halma {

struct SternhalmaOptions {
  bool mirror_hops = false;    // liu2019: over one piece at any distance with equal gaps
  bool occupy = true;          // won when the target is full and holds an own piece;
                               // otherwise only when all own pieces are in it
  bool closed_points = false;  // stopping in another player's points is forbidden
  bool locked_target = false;  // a piece in its target stays there
  bool second_place = false;   // schulte2021: play on for second place, scores 3/1/0
  bool all_places = false;     // play on for all places but the last, a point for each place behind
  bool teams = false;          // opposite players are partners, who finish and score together
  bool ids_view = false;       // liu2019's planes and policy, by piece identity
  bool sideways = true;        // steps within a row are allowed; hops always are
  bool more_features = false;  // the linear evaluation has seven features instead of three
};

struct HoleMap {
  static constexpr int kClasses = 4;
  static constexpr int kMaxPlayers = 6;

  using Words = std::array<std::uint64_t, kClasses>;  // a set of holes, by parity class

  /// A move is from | to << 8, or this.
  static constexpr std::uint32_t kPass = 0xFFFF;

  struct Neighbour {
    std::uint8_t hole, parity, bit;
  };
  /// The largest distance from a long hop's end to its middle: lines have 15 holes at most.
  static constexpr int kLongest = 7;

  /// Whether words are large enough for a board.
  static bool fits(const HoleBoard& board) { return find_stride(board) > 0; }

  HoleMap(const HoleBoard& board, const SternhalmaOptions& rules)
      : options(rules), players(board.players), army(board.pieces) {
    const int stride = find_stride(board);
    shift = {1, stride, stride - 1};
    fill_words(board, stride);
    fill_hops(board);
    if (options.mirror_hops) fill_long_hops(board);
    fill_zones(board);
  }

  bool has(const Words& words, int hole) const { return words[parity[hole]] >> bit[hole] & 1; }

  /// Which piece of an army stands on a hole; the last if none does.
  static int id_of(const std::uint8_t* piece, int number, int hole) {
    int id = 0;
    while (id + 1 < number && piece[id] != hole) ++id;
    return id;
  }

  /// Whether a player's partner has pieces in its target, which is the partner's home.
  template <class State>
  [[gnu::noinline]] bool holds_partner(const State& s, int player) const {
    if (!options.teams) return false;
    const std::uint8_t* partner = s.piece + (player + players / 2) % players * army;
    return std::any_of(partner, partner + army, [&](int hole) { return has(target[player], hole); });
  }

  SternhalmaOptions options;
  int players;
  int army;                               // pieces per player
  std::vector<std::uint8_t> parity, bit;  // [hole]: its class and its bit there
  std::uint8_t hole_at[kClasses][64] = {};
  Words holes{};
  std::vector<std::array<int, HoleBoard::kDirections>> neighbour;     // [hole][direction], or kOff
  std::vector<std::array<Neighbour, HoleBoard::kDirections>> beside;  // [hole]: the same, one by one
  std::vector<Words> steps;                                           // [hole]: those a step may reach
  std::array<int, 3> shift;                                           // [direction]: of a hop
  // [class][direction]: lower ends of hops with both ends on the board, and the bits of
  // the holes they hop over
  std::uint64_t hop_ends[kClasses][3] = {};
  int middle_class[kClasses][3] = {};
  unsigned middle_shift[kClasses][3] = {};
  // The same for long hops, by the distance - 1 from an end to the middle; only with mirror_hops.
  std::uint64_t long_ends[kClasses][3][kLongest] = {};
  int longest = 0;  // distance of a long hop from an end to its middle
  Words target[kMaxPlayers] = {}, open_to[kMaxPlayers] = {};

 private:
  static int class_of(const HoleBoard::Hole& hole) { return (hole.q & 1) | (hole.r & 1) << 1; }
  static int number_of(const HoleBoard::Hole& hole, int stride) { return hole.q / 2 + stride * (hole.r / 2); }

  /// Bits of a class are numbered q/2 + stride * r/2 from its smallest. Finds the least
  /// stride that gives the holes of each class distinct bits below 64, or 0.
  static int find_stride(const HoleBoard& board) {
    for (int stride = 2; stride <= 9; ++stride) {
      bool good = true;
      for (int c = 0; c < kClasses && good; ++c) {
        std::vector<int> numbers;
        for (const HoleBoard::Hole& hole : board.holes)
          if (class_of(hole) == c) numbers.push_back(number_of(hole, stride));
        std::sort(numbers.begin(), numbers.end());
        good = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end() &&
               (numbers.empty() || numbers.back() - numbers.front() < 64);
      }
      if (good) return stride;
    }
    return 0;
  }

  Words words_of(const std::vector<int>& some) const {
    Words words{};
    for (const int hole : some) words[parity[hole]] |= std::uint64_t{1} << bit[hole];
    return words;
  }

  void fill_words(const HoleBoard& board, int stride) {
    const int n = board.size();
    parity.resize(n);
    bit.resize(n);
    neighbour.resize(n);
    int base[kClasses];
    std::fill_n(base, kClasses, 1 << 20);
    for (int h = 0; h < n; ++h) {
      parity[h] = static_cast<std::uint8_t>(class_of(board.holes[h]));
      base[parity[h]] = std::min(base[parity[h]], number_of(board.holes[h], stride));
    }
    for (int h = 0; h < n; ++h) {
      bit[h] = static_cast<std::uint8_t>(number_of(board.holes[h], stride) - base[parity[h]]);
      hole_at[parity[h]][bit[h]] = static_cast<std::uint8_t>(h);
      holes[parity[h]] |= std::uint64_t{1} << bit[h];
      for (int d = 0; d < HoleBoard::kDirections; ++d) neighbour[h][d] = board.neighbour(h, d);
    }
    steps.resize(n);
    beside.resize(n);
    for (int h = 0; h < n; ++h)
      for (int d = 0; d < HoleBoard::kDirections; ++d) {
        const int to = neighbour[h][d];
        if (to != HoleBoard::kOff && (options.sideways || board.holes[to].y != board.holes[h].y))
          steps[h][parity[to]] |= std::uint64_t{1} << bit[to];
        // Off the board becomes the hole itself, where no move ends.
        const int seen = to == HoleBoard::kOff ? h : to;
        beside[h][d] = {static_cast<std::uint8_t>(seen), parity[seen], bit[seen]};
      }
  }

  void fill_hops(const HoleBoard& board) {
    for (int h = 0; h < board.size(); ++h)
      for (int d = 0; d < 3; ++d) {
        const int middle = neighbour[h][d];
        const int end = middle == HoleBoard::kOff ? middle : neighbour[middle][d];
        if (end == HoleBoard::kOff) continue;
        const int c = parity[h];
        hop_ends[c][d] |= std::uint64_t{1} << bit[h];
        middle_class[c][d] = parity[middle];
        // The same for every hole of the class, because bits are linear in (q, r).
        middle_shift[c][d] = static_cast<unsigned>(bit[middle] - bit[h]) & 63;
      }
  }

  void fill_long_hops(const HoleBoard& board) {
    for (int h = 0; h < board.size(); ++h)
      for (int d = 0; d < 3; ++d) {
        int length = 0;  // holes beyond h in this direction
        for (int next = neighbour[h][d]; next != HoleBoard::kOff; next = neighbour[next][d]) ++length;
        for (int gap = 1; gap <= length / 2; ++gap)
          long_ends[parity[h]][d][gap - 1] |= std::uint64_t{1} << bit[h];
        longest = std::max(longest, length / 2);
      }
  }

  void fill_zones(const HoleBoard& board) {
    for (int player = 0; player < players; ++player) {
      target[player] = words_of(board.target[player]);
      std::vector<int> open;
      const int own = board.seat_point[player];
      for (int h = 0; h < board.size(); ++h) {
        const int point = board.holes[h].point;
        if (!options.closed_points || point < 0 || point % 3 == own % 3) open.push_back(h);
      }
      open_to[player] = words_of(open);
    }
  }
};

}  // namespace halma
