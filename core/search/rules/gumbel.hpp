// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving among sampled moves at the
// root; inside, visits follow the improved policy, softmax(logits + completed values).
#pragma once

#include <vector>

#include "rule.hpp"

namespace halma {

inline float logit(float prior) { return std::log(std::max(prior, 1e-30f)); }

/// Sequential halving: for each simulation, the visits a root move must have to be
/// considered. Every phase visits all remaining moves equally often and drops the worse
/// half; the phases share the simulations.
inline std::vector<std::uint32_t> halving_plan(int considered, std::uint64_t simulations) {
  std::vector<std::uint32_t> plan;
  const int phases = std::max(1, static_cast<int>(std::ceil(std::log2(std::max(considered, 1)))));
  std::uint32_t reached = 0;
  for (int left = considered; plan.size() < simulations; left = std::max(left / 2, std::min(considered, 2))) {
    const std::uint64_t rounds =
        std::max<std::uint64_t>(1, simulations / (static_cast<std::uint64_t>(phases) * left));
    for (std::uint64_t round = 0; round < rounds; ++round, ++reached) plan.insert(plan.end(), left, reached);
  }
  plan.resize(simulations);
  return plan;
}

class Gumbel {
 public:
  static constexpr const char* kName = "gumbel";
  static constexpr const char* kAbout = "Gumbel AlphaZero: sequential halving at the root, improved policy";
  static constexpr Backup kBackup = Backup::mean;
  static constexpr float kDefaultC = 1.0f;
  static constexpr bool kUsesPriors = true;
  static constexpr bool kDirichlet = false;
  static constexpr bool kListsAllMoves = true;
  static constexpr bool kNeedsBudget = true;
  static constexpr bool kReusesTree = false;
  static constexpr bool kExpandsAll = false;
  static constexpr bool kSamplesAtRoot = true;

  template <Game G>
  void begin(const Tree<G>& tree, const SearchOptions& options, std::uint64_t simulations, Random& random) {
    const auto& root = tree.nodes[0];
    noise_.assign(root.number, 0.0f);
    if (options.gumbel_scale > 0)
      for (float& g : noise_)
        g = -options.gumbel_scale *
            std::log(-std::log(static_cast<float>(random.uniform()) * 0.99999f + 1e-6f));
    plan_ = halving_plan(std::min<int>(options.max_considered_actions, root.number), simulations);
  }

  /// Keeps visits in proportion to the improved policy.
  template <Game G>
  std::uint32_t select(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                       Random&) const {
    float policy[kMaxMoves];
    improved_policy(tree, node, options, policy);
    int best = 0;
    float best_score = -1e30f;
    for (int i = 0; i < node.number; ++i) {
      if (is_proven(tree, node.first + i, options)) continue;
      const float score =
          policy[i] - static_cast<float>(tree.edges[node.first + i].visits) / static_cast<float>(node.visits);
      if (score > best_score) {
        best = i;
        best_score = score;
      }
    }
    return node.first + best;
  }

  /// Of the moves with as many visits as the plan says, the one with the largest sum of
  /// noise, logit and completed value.
  template <Game G>
  std::uint32_t select_root(const Tree<G>& tree, const SearchOptions& options, std::uint64_t simulation,
                            Random& random) const {
    const auto& root = tree.nodes[0];
    const std::uint32_t wanted =
        plan_.empty() ? 0 : plan_[std::min<std::size_t>(simulation, plan_.size() - 1)];
    float scaled[kMaxMoves];
    completed_values(tree, root, options, scaled);
    int best = -1;
    float best_score = -1e30f;
    for (int i = 0; i < root.number; ++i) {
      const std::uint32_t edge = root.first + i;
      if (is_proven(tree, edge, options)) continue;
      const float score = noise_[i] + logit(tree.edges[edge].prior) + (wanted ? scaled[i] : 0.0f);
      if (tree.edges[edge].visits == wanted && score > best_score) {
        best = i;
        best_score = score;
      }
    }
    // Proofs may have taken away every move of the plan.
    return best < 0 ? select(tree, root, options, random) : root.first + best;
  }

  template <Game G>
  void policy(const Tree<G>& tree, const SearchOptions& options, float* out) const {
    improved_policy(tree, tree.nodes[0], options, out);
  }

  /// Of the most visited moves, by noise, logit and completed value.
  template <Game G>
  void root_scores(const Tree<G>& tree, const SearchOptions& options, float* out) const {
    const auto& root = tree.nodes[0];
    std::uint32_t most = 0;
    for (std::uint32_t edge = root.first; edge < root.end(); ++edge)
      most = std::max(most, tree.edges[edge].visits);
    completed_values(tree, root, options, out);
    for (int i = 0; i < root.number; ++i) {
      const std::uint32_t edge = root.first + i;
      out[i] = tree.edges[edge].visits == most ? noise_[i] + logit(tree.edges[edge].prior) + out[i] : -1e29f;
    }
  }

 private:
  /// Completed values, scaled so that they can be added to logits: visited moves have their
  /// value; the others a mix of the node's own evaluation and the visited values weighted by
  /// their priors. Writes node.number floats.
  template <Game G>
  static void completed_values(const Tree<G>& tree, const typename Tree<G>::Node& node,
                               const SearchOptions& options, float* out) {
    float visits = 0, most = 0, seen_prior = 0, weighted = 0;
    for (std::uint32_t edge = node.first; edge < node.end(); ++edge) {
      const auto n = static_cast<float>(tree.edges[edge].visits);
      visits += n;
      most = std::max(most, n);
      if (n == 0) continue;
      seen_prior += tree.edges[edge].prior;
      weighted += tree.edges[edge].prior * edge_value<kBackup>(tree, edge);
    }
    const float mixed =
        seen_prior > 0 ? (node.raw + visits * (weighted / seen_prior)) / (visits + 1.0f) : node.raw;
    const float scale = (options.maxvisit_init + most) * options.value_scale;
    for (int i = 0; i < node.number; ++i) {
      const std::uint32_t edge = node.first + i;
      out[i] = scale * (tree.edges[edge].visits ? edge_value<kBackup>(tree, edge) : mixed);
    }
  }

  /// softmax(logits + completed values): node.number floats.
  template <Game G>
  static void improved_policy(const Tree<G>& tree, const typename Tree<G>::Node& node,
                              const SearchOptions& options, float* out) {
    completed_values(tree, node, options, out);
    for (int i = 0; i < node.number; ++i) out[i] += logit(tree.edges[node.first + i].prior);
    softmax(out, node.number);
  }

  std::vector<std::uint32_t> plan_;  // [simulation]: visits a root move must have to be considered
  std::vector<float> noise_;         // [root move]
};

}  // namespace halma
