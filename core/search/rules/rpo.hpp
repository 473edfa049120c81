// Regularised policy optimisation (Grill et al. 2020): the policy that maximises expected
// value less lambda times its divergence from the prior,
//
//   pi(a) = lambda * P(a) / (alpha - Q(a)),   lambda = c * sqrt(N) / (moves + N),
//
// with alpha such that pi sums to 1. Moves are sampled from it in the tree, it is the
// training target, and its likeliest move is played (the paper's variant ALL).
#pragma once

#include "rule.hpp"

namespace halma {

struct Rpo : RuleDefaults<Backup::mean> {
  static constexpr const char* kName = "rpo";
  static constexpr const char* kAbout = "Regularised policy optimisation (Grill et al. 2020)";
  static constexpr float kDefaultC = 1.25f;
  static constexpr bool kUsesPriors = true;
  static constexpr bool kDirichlet = true;
  static constexpr bool kListsAllMoves = true;

  template <Game G>
  std::uint32_t select(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                       Random& random) const {
    float policy[kMaxMoves];
    regularised_policy(tree, node, options, policy);
    float sum = 0;
    for (int i = 0; i < node.number; ++i) {
      if (is_proven(tree, node.first + i, options)) policy[i] = 0;
      sum += policy[i];
    }
    float left = static_cast<float>(random.uniform()) * sum;
    int last = 0;
    for (int i = 0; i < node.number; ++i) {
      if (policy[i] == 0) continue;
      last = i;
      if ((left -= policy[i]) < 0) break;
    }
    return node.first + last;
  }

  template <Game G>
  void policy(const Tree<G>& tree, const SearchOptions& options, float* out) const {
    regularised_policy(tree, tree.nodes[0], options, out);
  }

  template <Game G>
  void root_scores(const Tree<G>& tree, const SearchOptions& options, float* out) const {
    regularised_policy(tree, tree.nodes[0], options, out);
  }

 private:
  /// Writes node.number floats that sum to 1.
  template <Game G>
  static void regularised_policy(const Tree<G>& tree, const typename Tree<G>::Node& node,
                                 const SearchOptions& options, float* out) {
    const int number = node.number;
    const auto* edges = tree.edges.data() + node.first;
    const auto visits = static_cast<float>(node.visits - 1);
    if (visits == 0) {
      for (int i = 0; i < number; ++i) out[i] = edges[i].prior;
      return;
    }
    const float lambda =
        exploration<Rpo>(options) * std::sqrt(visits) / (static_cast<float>(number) + visits);
    // An infinite urgency would leave no weight to the other moves; a win is urgent enough.
    const float fpu = std::min(fpu_value<G>(node, options.fpu), 1.0f);
    float value[kMaxMoves], low = -1e30f, high = -1e30f;
    for (int i = 0; i < number; ++i) {
      const std::uint32_t edge = node.first + i;
      value[i] = tree.edges[edge].visits ? edge_value<kBackup>(tree, edge) : fpu;
      low = std::max(low, value[i] + lambda * edges[i].prior);
      high = std::max(high, value[i] + lambda);
    }
    // The sum falls in alpha: it is at least 1 at `low` and at most 1 at `high`.
    const auto sum_at = [&](float alpha) {
      float sum = 0;
      for (int i = 0; i < number; ++i) sum += lambda * edges[i].prior / (alpha - value[i]);
      return sum;
    };
    for (int round = 0; round < 24; ++round) {
      const float middle = 0.5f * (low + high);
      (sum_at(middle) > 1.0f ? low : high) = middle;
    }
    float sum = 0;
    for (int i = 0; i < number; ++i) sum += out[i] = lambda * edges[i].prior / (high - value[i]);
    for (int i = 0; i < number; ++i) out[i] /= sum;
  }
};

}  // namespace halma
