// Evaluators that live in the core: they turn a decision state into one value per player, in
// [0, 1], and leave priors uniform. Networks evaluate batches from outside (driver.hpp).
#pragma once

#include <cmath>

#include "../kernels.hpp"
#include "../softmax.hpp"

namespace halma {

/// What is left of a game's limits where a leaf is; 0: no such limit.
struct LimitsLeft {
  int plies = 0;
  int reversible_plies = 0;
  int no_progress = 0;  // reversible plies allowed after the next irreversible move
};

template <class E, class G>
concept Evaluator = requires(const E& e, const G& g, const typename G::State& s, const LimitsLeft& left,
                             float* values, Random& random) {
  { e.evaluate(g, s, left, values, random) } -> std::same_as<void>;
};

/// Scores of a finished or stopped game, scaled to [0, 1].
template <Game G>
void scaled_result(const G& game, const typename G::State& state, float* values) {
  game.result(state, values);
  for (int player = 0; player < game.players(); ++player) values[player] /= game.max_score();
}

/// Equal chances for every side.
struct UniformEvaluator {
  template <Game G>
  void evaluate(const G& game, const typename G::State&, const LimitsLeft&, float* values, Random&) const {
    std::fill_n(values, game.players(), 1.0f / static_cast<float>(sides(game)));
  }
};

/// One random game to its end, or to where its limits stop it.
struct RolloutEvaluator {
  static constexpr int kMaxPlies = 1000;  // where the game has no ply limit

  template <Game G>
  void evaluate(const G& game, const typename G::State& start, const LimitsLeft& left, float* values,
                Random& random) const {
    auto state = start;
    const int ply_limit = left.plies > 0 ? left.plies : kMaxPlies;
    int clock = left.reversible_plies;  // counts down
    for (int ply = 0; ply < ply_limit; ++ply) {
      const Ply played = random_ply(game, state, random);
      if (played == Ply::over) break;
      if (played == Ply::irreversible)
        clock = left.no_progress;
      else if (--clock == 0)
        break;
    }
    scaled_result(game, state, values);
  }
};

/// A player's linear score.
template <Game G>
  requires HasFeatures<G>
float linear_score(const G& game, const typename G::State& state, int player,
                   std::span<const float> weights) {
  float features[kMaxFeatures] = {};
  game.features(state, player, features);
  float score = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) score += weights[i] * features[i];
  return score;
}

/// Softmax of the sides' linear scores, a team's being the mean of its players': with two sides, a
/// sigmoid of the lead.
struct LinearEvaluator {
  std::vector<float> weights;
  float scale = 1.0f;  // of the scores, before the softmax

  template <Game G>
  void evaluate(const G& game, const typename G::State& state, const LimitsLeft&, float* values,
                Random&) const {
    if constexpr (HasFeatures<G>) {
      float scores[kMaxPlayers], chances[kMaxPlayers];
      for (int player = 0; player < game.players(); ++player)
        scores[player] = scale * linear_score(game, state, player, weights);
      softmax(chances, side_means(game, scores, chances));
      for (int player = 0; player < game.players(); ++player) values[player] = chances[side_of(game, player)];
    } else {
      std::fill_n(values, game.players(), 1.0f / static_cast<float>(sides(game)));
    }
  }
};

/// A rollout that races: one ply of the furthest moves, then a linear evaluation. Longer ones are
/// weaker: the pieces of a greedy player soon stand badly, and chance hides what a move gains.
struct RaceEvaluator {
  LinearEvaluator linear;

  template <Game G>
  void evaluate(const G& game, const typename G::State& start, const LimitsLeft& left, float* values,
                Random& random) const {
    auto state = start;
    if constexpr (Races<G>) racing_ply(game, state, random);
    while (game.at_chance(state)) game.resolve(state, sample(game, state, random));
    if (game.terminal(state) || left.plies == 1)
      scaled_result(game, state, values);
    else
      linear.evaluate(game, state, left, values, random);
  }
};

}  // namespace halma
