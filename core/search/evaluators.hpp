// Evaluators that live in the core: they turn a decision state into one value per
// player, in [0, 1], and leave priors uniform. Networks come in through batches.
#pragma once

#include <cmath>

#include "../kernels.hpp"
#include "options.hpp"

namespace halma {

template <class E, class G>
concept Evaluator =
    requires(const E& e, const G& g, const typename G::State& s, float* values, Random& random) {
      { e.evaluate(g, s, values, random) } -> std::same_as<void>;
    };

/// Scores of a finished or stopped game, scaled to [0, 1].
template <Game G>
void scaled_result(const G& game, const typename G::State& state, float* values) {
  game.result(state, values);
  for (int player = 0; player < game.players(); ++player) values[player] /= game.max_score();
}

/// Knows nothing: everybody's chances are equal.
struct UniformEvaluator {
  template <Game G>
  void evaluate(const G& game, const typename G::State&, float* values, Random&) const {
    std::fill_n(values, game.players(), 1.0f / static_cast<float>(game.players()));
  }
};

/// One random game to the end.
struct RolloutEvaluator {
  int ply_limit, quiet_limit;

  template <Game G>
  void evaluate(const G& game, const typename G::State& start, float* values, Random& random) const {
    auto state = start;
    int quiet = 0;
    for (int ply = 0; ply_limit == 0 || ply < ply_limit; ++ply) {
      if (quiet_limit > 0 && quiet == quiet_limit) break;
      const Ply played = random_ply(game, state, random);
      if (played == Ply::over) break;
      quiet = played == Ply::irreversible ? 0 : quiet + 1;
    }
    scaled_result(game, state, values);
  }
};

/// A player's linear score.
template <Game G>
  requires HasFeatures<G>
float linear_score(const G& game, const typename G::State& state, int player,
                   std::span<const float> weights) {
  float features[kMaxFeatures];
  game.features(state, player, features);
  float score = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) score += weights[i] * features[i];
  return score;
}

/// Softmax of the players' linear scores: with two players, a sigmoid of the lead.
struct LinearEvaluator {
  std::vector<float> weights;
  float scale = 1.0f;  // of the scores, before the softmax

  template <Game G>
  void evaluate(const G& game, const typename G::State& state, float* values, Random&) const {
    if constexpr (HasFeatures<G>) {
      float most = -1e30f, sum = 0;
      for (int player = 0; player < game.players(); ++player) {
        values[player] = scale * linear_score(game, state, player, weights);
        most = std::max(most, values[player]);
      }
      for (int player = 0; player < game.players(); ++player)
        sum += values[player] = std::exp(values[player] - most);
      for (int player = 0; player < game.players(); ++player) values[player] /= sum;
    } else {
      std::fill_n(values, game.players(), 1.0f / static_cast<float>(game.players()));
    }
  }
};

}  // namespace halma
