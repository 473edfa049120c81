// Exact values and their order: what solvers compute, tables keep and searches probe.
//
// The value of a position is what its player to move gets under best play of two players.
// Beside it stands a distance, so that a player who is ahead makes progress: for a certain win
// or loss the plies to the end (distance to win, DTW), whatever chance does; for any other value
// but a draw's the plies to the next irreversible move; 0 for a draw. Of equal values the player
// who is ahead prefers the shorter distance, the one behind the longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace halma {

/// Win, draw or loss for the player to move, as two bits of a packed table.
enum class Wdl : std::uint8_t { draw = 0, win = 1, loss = 2, illegal = 3 };

/// Entry i of a table that holds four values a byte, low bits first.
inline Wdl packed_wdl(const std::uint8_t* table, std::uint64_t i) {
  return static_cast<Wdl>(table[i >> 2] >> (2 * (i & 3)) & 3);
}

/// Distances are kept in bytes; this one stands for all longer ones too.
inline constexpr int kMaxDistance = 255;
/// Values in [0, 1] that differ by less are rounded forms of the same number.
inline constexpr double kValueTolerance = 1e-12;

struct ExactValue {
  double value;  // for the player to move: 1 a win, 1/2 a draw, 0 a loss, or an average of those
  int distance;
  bool operator==(const ExactValue&) const = default;

  bool certain() const;
  /// The value of a move that leads here, for its player.
  ExactValue before(bool same_player, bool irreversible) const;
  bool better_than(const ExactValue& other) const;
};

/// The arithmetic of exact values whose wins count `win`: 1 as probes give them, a denominator
/// as the tables of games with chance keep them.
struct ValueScale {
  double win = 1;
  double tolerance = kValueTolerance;  // 0 where values are whole numbers

  ExactValue draw() const { return {win / 2, 0}; }
  bool certain(double value) const { return value == 0 || value == win; }

  /// The same value for the other player.
  ExactValue flipped(const ExactValue& v) const { return {win - v.value, v.distance}; }

  /// The value of a move that leads to `after`, which is its player's value there.
  ExactValue before(const ExactValue& after, bool irreversible) const {
    if (2 * after.value == win) return {after.value, 0};
    if (irreversible && !certain(after.value)) return {after.value, 1};
    return {after.value, std::min(after.distance + 1, kMaxDistance)};
  }

  /// Whether a player prefers a to b.
  bool better(const ExactValue& a, const ExactValue& b) const {
    if (a.value - b.value > tolerance) return true;
    if (b.value - a.value > tolerance) return false;
    const double lead = 2 * a.value - win;
    if (lead > 2 * tolerance) return a.distance < b.distance;
    if (lead < -2 * tolerance) return a.distance > b.distance;
    return false;
  }
};

inline bool ExactValue::certain() const { return ValueScale().certain(value); }
inline ExactValue ExactValue::before(bool same_player, bool irreversible) const {
  return ValueScale().before(same_player ? *this : ValueScale().flipped(*this), irreversible);
}
inline bool ExactValue::better_than(const ExactValue& other) const {
  return ValueScale().better(*this, other);
}

/// The value of a position that is decided in a number of plies: the loser is to move at even
/// distances, the winner at odd ones.
inline ExactValue decided_in(int plies) { return {static_cast<double>(plies % 2), plies}; }

/// The value of a table's entry; NaN where it is illegal.
inline ExactValue exact_value(Wdl wdl, int distance) {
  constexpr double kValues[] = {0.5, 1.0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  return {kValues[static_cast<int>(wdl)], wdl == Wdl::win || wdl == Wdl::loss ? distance : 0};
}

}  // namespace halma
