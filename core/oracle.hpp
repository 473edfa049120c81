// Exact values of some positions of a game for two players, from a solved table. Searches probe
// an oracle without knowing the solver behind it.
#pragma once

#include <cstddef>
#include <optional>

#include "exact_value.hpp"

namespace halma {

class AnyGame;

class Oracle {
 public:
  virtual ~Oracle() = default;
  /// Whether it was made for this game, or one with the same positions.
  virtual bool fits(const AnyGame& game) const = 0;
  /// The exact value of a state of that game, a decision or at chance, if the oracle holds it;
  /// nothing where the game is over. Thread-safe.
  virtual std::optional<ExactValue> probe(const std::byte* state) const = 0;
};

/// The same for a state with its type; a state's bytes are its representation.
template <class State>
std::optional<ExactValue> probe(const Oracle& oracle, const State& state) {
  return oracle.probe(reinterpret_cast<const std::byte*>(&state));
}

}  // namespace halma
