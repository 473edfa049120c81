// What is known for certain of some positions of a game, by whoever solved them. Search
// asks an oracle and need not know what is behind it; solving needs not know who asks.
#pragma once

#include <cstddef>
#include <optional>

namespace halma {

class AnyGame;

/// The value of a state under best play of two players.
struct ExactValue {
  double value;  // for the player to move: 1 a win, 1/2 a draw, 0 a loss, or a chance between
  // Plies to the end where that is certain; otherwise plies to the next move that cannot
  // be taken back; 0 for a draw. Who is ahead wants it short, who is behind long.
  int distance;

  bool certain() const { return value == 0 || value == 1; }

  /// What a move that leads here is worth to its player; `progress`: it cannot be taken back.
  ExactValue before(bool same_player, bool progress) const {
    const double worth = same_player ? value : 1 - value;
    return {worth, worth == 0.5 ? 0 : progress && !certain() ? 1 : distance + 1};
  }

  /// Whether a player prefers this.
  bool better_than(const ExactValue& other) const {
    // Values that differ by less are the same; exact ones differ by far more.
    constexpr double kTolerance = 1e-12;
    if (value > other.value + kTolerance) return true;
    if (value < other.value - kTolerance) return false;
    return value > 0.5 + kTolerance   ? distance < other.distance
           : value < 0.5 - kTolerance ? distance > other.distance
                                      : false;
  }
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  /// Whether it was made for this game, or one with the same positions.
  virtual bool fits(const AnyGame& game) const = 0;
  /// What it knows of a state of that game, be it a decision or at chance; nothing where
  /// the game is over. Called from many threads.
  virtual std::optional<ExactValue> probe(const std::byte* state) const = 0;
};

/// The same for a state with its type; bytes of a state are its own.
template <class State>
std::optional<ExactValue> probe(const Oracle& oracle, const State& state) {
  return oracle.probe(reinterpret_cast<const std::byte*>(&state));
}

}  // namespace halma
