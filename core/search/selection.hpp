// Choosing an edge on the way down: small functions of a node's statistics.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "options.hpp"
#include "tree.hpp"

namespace halma {

/// The mean (or, with negamax, the current) value of a visited edge.
template <Game G>
float edge_value(const Tree<G>& tree, std::uint32_t edge, Backup backup) {
  return backup == Backup::negamax ? tree.total[edge]
                                   : tree.total[edge] / static_cast<float>(tree.visits[edge]);
}

/// What an untried move of this node counts as.
template <Game G>
float untried_value(const typename Tree<G>::Node& node, Untried untried) {
  switch (untried) {
    case Untried::loss:
      return 0.0f;
    case Untried::draw:
      return 0.5f;
    case Untried::win:
      return 1.0f;
    case Untried::infinite:
      return 1e9f;
    case Untried::parent:
      return node.total / static_cast<float>(node.visits);
  }
  return 0.0f;
}

/// Proven moves need no more visits.
template <Game G>
bool is_done(const Tree<G>& tree, std::uint32_t edge, const SearchOptions& options) {
  return options.solver && tree.proof[edge] != Proof::none;
}

/// What the rules choose when they choose a move that has no edge yet.
inline constexpr std::uint32_t kOpenNext = 0xFFFFFFFFu;

/// PUCT; ties go to the larger prior, then to the first.
template <Game G>
std::uint32_t select_puct(const Tree<G>& tree, const typename Tree<G>::Node& node,
                          const SearchOptions& options) {
  const float scale = options.c * std::sqrt(static_cast<float>(node.visits - 1));
  const float untried = untried_value<G>(node, options.untried);
  // All scores first, without a branch, so that they are worked out several at a time. The
  // total of an untried move is 0; what it counts as is added by its bits.
  float scores[kMaxMoves];
  const std::uint32_t* visits = tree.visits.data() + node.first;
  const float* total = tree.total.data() + node.first;
  const float* prior = tree.prior.data() + node.first;
  const int opened = node.opened;
  const int most = options.backup == Backup::mean ? std::numeric_limits<int>::max() : 1;
  const auto untried_bits = std::bit_cast<std::uint32_t>(untried);
  for (int i = 0; i < opened; ++i) {
    const auto n = static_cast<std::int32_t>(visits[i]);
    const float value = total[i] / static_cast<float>(std::min(std::max(n, 1), most));
    const auto bonus = std::bit_cast<float>(untried_bits & -static_cast<std::uint32_t>(n == 0));
    scores[i] = value + bonus + scale * prior[i] / (1.0f + static_cast<float>(n));
  }
  std::uint32_t best = node.first;
  float best_score = -1e30f, best_prior = -1.0f;
  for (int i = 0; i < opened; ++i) {
    if (scores[i] < best_score || is_done(tree, node.first + i, options)) continue;
    if (scores[i] > best_score || prior[i] > best_prior) {
      best = node.first + i;
      best_score = scores[i];
      best_prior = prior[i];
    }
  }
  // Moves without an edge have never been tried and have equal priors.
  if (!node.is_open() && untried + scale / static_cast<float>(node.number) > best_score) return kOpenNext;
  return best;
}

/// UCT; untried moves come first, in their order.
template <Game G>
std::uint32_t select_uct(const Tree<G>& tree, const typename Tree<G>::Node& node,
                         const SearchOptions& options) {
  if (!node.is_open()) return kOpenNext;
  const float log_visits = std::log(static_cast<float>(node.visits));
  std::uint32_t best = node.first;
  float best_score = -1e30f;
  for (std::uint32_t edge = node.first; edge < node.end(); ++edge) {
    if (is_done(tree, edge, options)) continue;
    if (tree.visits[edge] == 0) return edge;
    const auto n = static_cast<float>(tree.visits[edge]);
    const float score = edge_value(tree, edge, options.backup) + options.c * std::sqrt(log_visits / n);
    if (score > best_score) {
      best = edge;
      best_score = score;
    }
  }
  return best;
}

/// Softmax weights of `number` logits, in place.
inline void softmax(float* logits, int number) {
  float most = -1e30f, sum = 0.0f;
  for (int i = 0; i < number; ++i) most = std::max(most, logits[i]);
  for (int i = 0; i < number; ++i) sum += logits[i] = std::exp(logits[i] - most);
  for (int i = 0; i < number; ++i) logits[i] /= sum;
}

/// Gumbel AlphaZero's completed values, scaled so that they can be added to logits:
/// visited moves keep their value, the others get a mix of the node's own evaluation
/// and the visited values weighted by their priors. Writes node.number floats.
template <Game G>
void completed_values(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                      float* out) {
  float visits = 0, most = 0, seen_prior = 0, weighted = 0;
  for (std::uint32_t edge = node.first; edge < node.end(); ++edge) {
    const auto n = static_cast<float>(tree.visits[edge]);
    visits += n;
    most = std::max(most, n);
    if (n == 0) continue;
    seen_prior += tree.prior[edge];
    weighted += tree.prior[edge] * edge_value(tree, edge, options.backup);
  }
  const float mixed =
      seen_prior > 0 ? (node.raw + visits * (weighted / seen_prior)) / (visits + 1.0f) : node.raw;
  const float scale = (options.visit_offset + most) * options.value_scale;
  for (int i = 0; i < node.number; ++i) {
    const std::uint32_t edge = node.first + i;
    out[i] = scale * (tree.visits[edge] ? edge_value(tree, edge, options.backup) : mixed);
  }
}

inline float logit(float prior) { return std::log(std::max(prior, 1e-30f)); }

/// The improved policy: softmax of logits plus completed values. node.number floats.
template <Game G>
void improved_policy(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                     float* out) {
  completed_values(tree, node, options, out);
  for (int i = 0; i < node.number; ++i) out[i] += logit(tree.prior[node.first + i]);
  softmax(out, node.number);
}

/// Gumbel below the root: keep visits in proportion to the improved policy.
template <Game G>
std::uint32_t select_improved(const Tree<G>& tree, const typename Tree<G>::Node& node,
                              const SearchOptions& options) {
  float policy[kMaxMoves];
  improved_policy(tree, node, options, policy);
  int best = 0;
  float best_score = -1e30f;
  for (int i = 0; i < node.number; ++i) {
    if (is_done(tree, node.first + i, options)) continue;
    const float score =
        policy[i] - static_cast<float>(tree.visits[node.first + i]) / static_cast<float>(node.visits);
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return node.first + best;
}

/// Sequential halving: how many visits a root move must have to be considered, for
/// each simulation. Of `considered` moves every phase visits all that are left equally
/// often and drops the worse half; the phases share the simulations.
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

}  // namespace halma
