// Values of states and moves of a solved game for two players, given its table.
//
// A value is what the player to move gets under best play, times a denominator that makes
// it a whole number. Doubles hold whole numbers exactly, so nothing is lost to rounding as
// long as the denominator is small enough; where it is not, values are plain doubles.
// exact_value.hpp explains the distances beside them.
#pragma once

#include <cmath>
#include <stdexcept>

#include "../any.hpp"
#include "../exact_value.hpp"

namespace halma {

/// A solved game's arrays by index, possibly memory-mapped: values times the denominator, and
/// distances.
struct ExactTable {
  const double* values;
  const std::uint8_t* distances;
};

/// A move and its value for its player.
struct MoveValue {
  Move move;
  ExactValue value;
};

/// The average of values, each with its probability.
class AverageValue {
 public:
  explicit AverageValue(const ValueScale& scale) : scale_(scale), lowest_(scale.win) {}

  void add(double probability, const ExactValue& v) {
    sum_ += probability * v.value;
    lowest_ = std::min(lowest_, v.value);
    highest_ = std::max(highest_, v.value);
    longest_ = std::max(longest_, v.distance);
  }
  double sum() const { return sum_; }
  /// The result, if `average` is the average. Only where all values are equal is it certain.
  ExactValue finish(double average) const {
    if (lowest_ == highest_) return {lowest_, scale_.certain(lowest_) ? longest_ : 0};
    return {average, 0};
  }

 private:
  const ValueScale& scale_;
  double sum_ = 0, lowest_, highest_ = 0;
  int longest_ = 0;
};

/// Values of a game's states and moves, given a table.
template <HasLayers G>
class ExactValues {
 public:
  using State = typename G::State;
  using Layers = typename G::Layers;

  explicit ExactValues(const G& game) : game_(game), scale_{Layers::denominator(game), 0} {
    // An average is off by a few times 2^-53 of the denominator; up to 2^50 rounding to a
    // whole number repairs it for certain. Halves of halves are not rounded at all.
    int exponent;
    const bool power_of_two = std::frexp(scale_.win, &exponent) == 0.5;
    exact_ = scale_.win <= (power_of_two ? 0x1.0p52 : 0x1.0p50);
    if (!exact_) scale_.win = 1.0;
  }

  bool exact() const { return exact_; }
  double denominator() const { return scale_.win; }
  const ValueScale& scale() const { return scale_; }

  /// The value of a state of any kind for a player.
  ExactValue of(const State& state, int player, ExactTable table) const {
    const ExactValue value = to_mover(state, table);
    return game_.mover(state) == player ? value : scale_.flipped(value);
  }

  /// Calls back with each legal move of a decision and its value.
  template <class Visit>
  void each_move(const State& state, ExactTable table, Visit&& visit) const {
    MoveList moves;
    game_.legal(state, moves);
    const int player = game_.mover(state);
    for (const Move move : moves) {
      State next = state;
      game_.play(next, move);
      visit(MoveValue{move, scale_.before(of(next, player, table), game_.irreversible(state, move))});
    }
  }

  ExactValue best_move(const State& state, ExactTable table) const {
    ExactValue best{-1, 0};
    each_move(state, table, [&](const MoveValue& m) {
      if (scale_.better(m.value, best)) best = m.value;
    });
    return best;
  }

 private:
  ExactValue to_mover(const State& state, ExactTable table) const {
    if (game_.at_chance(state)) return average(state, table);
    if (game_.terminal(state)) {
      float scores[kMaxPlayers];
      game_.result(state, scores);
      if constexpr (std::is_same_v<G, Opaque>)
        if (std::abs(scores[0] + scores[1] - game_.max_score()) > 1e-6)
          throw std::invalid_argument("scores of two players must add up to max_score to be solved");
      return {scores[game_.mover(state)] / game_.max_score() * scale_.win, 0};
    }
    const std::uint64_t index = game_.index(state);
    return {table.values[index], table.distances[index]};
  }

  ExactValue average(const State& state, ExactTable table) const {
    AverageValue average(scale_);
    if constexpr (RollsInARow<G>) {
      if (const int rolls = Layers::rolls(game_, state)) {
        const std::uint64_t first = Layers::rolled(game_, state);
        for (std::uint64_t i = first; i < first + rolls; ++i)
          average.add(1.0, {table.values[i], table.distances[i]});
        const double mean = average.sum() / rolls;
        return average.finish(exact_ ? std::nearbyint(mean) : mean);
      }
    }
    OutcomeList outcomes;
    game_.outcomes(state, outcomes);
    for (const Chance& chance : outcomes) {
      State next = state;
      game_.resolve(next, chance.outcome);
      average.add(chance.probability, of(next, game_.mover(state), table));
    }
    // Where rolls are in a row, all other chance is before the first decision, and the
    // denominator does not account for it.
    return average.finish(exact_ && !RollsInARow<G> ? std::nearbyint(average.sum()) : average.sum());
  }

  const G& game_;
  ValueScale scale_;
  bool exact_;
};

}  // namespace halma
