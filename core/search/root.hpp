// The root of a search: noise before it, and afterwards what it found, as statistics of moves, as a training
// target and as the move to play.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "certainty.hpp"
#include "rules/registry.hpp"

namespace halma {

/// One root move after a search.
struct RootMove {
  Move move;
  std::uint32_t visits;
  double value;  // for the player to move, in [0, 1]; NaN without visits
  float prior;
  Proof proof;
  bool exact;              // the value is certain: proven, or an oracle's
  std::vector<Move> line;  // the most visited continuation, without chance outcomes
};

/// Mixes Dirichlet noise into the priors of the root's moves.
template <Game G>
void add_dirichlet_noise(Tree<G>& tree, const SearchOptions& options, Random& random) {
  const auto& root = tree.nodes[0];
  std::vector<float> noise(root.number);
  float sum = 0;
  for (float& x : noise) sum += x = random.gamma(options.dirichlet_alpha);
  for (int i = 0; i < root.number; ++i) {
    float& prior = tree.edges[root.first + i].prior;
    prior = (1 - options.dirichlet_weight) * prior +
            options.dirichlet_weight * (sum > 0 ? noise[i] / sum : 1.0f / root.number);
  }
}

/// The root's moves in the order of its edges; `state` is the root's.
template <Game G>
std::vector<RootMove> list_root_moves(const G& game, const Tree<G>& tree, const SearchOptions& options,
                                      const typename G::State& state, int line_length) {
  const RuleTraits& rule = traits(options.rule);
  const auto& root = tree.nodes[0];
  std::vector<RootMove> moves;
  for (auto i = root.first; i < root.end(); ++i) {
    const auto& edge = tree.edges[i];
    RootMove move{.move = edge.what,
                  .visits = edge.visits,
                  .value = std::nan(""),
                  .prior = edge.prior,
                  .proof = edge.proof,
                  .exact = is_exact(tree, i),
                  .line = tree.main_line(i, line_length)};
    if (move.visits || (rule.expands_all && root.visits))
      move.value = rule.backup == Backup::mean ? edge_value<Backup::mean>(tree, i)
                                               : edge_value<Backup::negamax>(tree, i);
    if (move.proof != Proof::none) move.value = proof_value(move.proof);
    if (edge.child == Tree<G>::kExact)
      move.value = exact_edge(game, options.oracle.get(), tree, i, state).value;
    moves.push_back(std::move(move));
  }
  return moves;
}

/// A policy that gives nothing to proven losses, and everything to proven wins where there are any.
template <Game G>
std::vector<float> with_proofs(const Tree<G>& tree, const std::vector<float>& policy) {
  const auto& root = tree.nodes[0];
  const auto proof = [&](int i) { return tree.edges[root.first + i].proof; };
  bool won = false, lost = true;
  for (int i = 0; i < root.number; ++i) {
    won = won || proof(i) == Proof::win;
    lost = lost && proof(i) == Proof::loss;
  }
  if (lost) return policy;
  std::vector<float> target = policy;
  float sum = 0;
  for (int i = 0; i < root.number; ++i) {
    if (won) target[i] = proof(i) == Proof::win;
    if (proof(i) == Proof::loss) target[i] = 0;
    sum += target[i];
  }
  if (sum == 0) return policy;
  for (float& weight : target) weight /= sum;
  return target;
}

/// The root move with the highest score; one that is proven lost only if all are.
template <Game G>
int best_unless_lost(const Tree<G>& tree, const std::vector<float>& scores) {
  const auto& root = tree.nodes[0];
  int best = 0;
  float best_score = -1e30f;
  for (int i = 0; i < root.number; ++i) {
    const float score = tree.edges[root.first + i].proof == Proof::loss ? -1e29f : scores[i];
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

/// A policy's weights raised to 1 / temperature, which is not 0; the largest is 1.
inline std::vector<double> tempered(const std::vector<float>& policy, float temperature) {
  const float most = *std::max_element(policy.begin(), policy.end());
  std::vector<double> weights(policy.size());
  for (std::size_t i = 0; i < policy.size(); ++i) weights[i] = std::pow(policy[i] / most, 1.0 / temperature);
  return weights;
}

/// Samples a place of a policy with a temperature, which is not 0.
inline int sample_policy(const std::vector<float>& policy, float temperature, Random& random) {
  const std::vector<double> weights = tempered(policy, temperature);
  double left = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  int last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = static_cast<int>(i);
    if ((left -= weights[i]) < 0) break;
  }
  return last;
}

}  // namespace halma
