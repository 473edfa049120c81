// PUCT: Q + c * P * sqrt(sum of N) / (1 + N), liu2019's equation 3.
#pragma once

#include <bit>

#include "rule.hpp"

namespace halma {

struct Puct : VisitCounts<Backup::mean> {
  static constexpr const char* kName = "puct";
  static constexpr const char* kAbout = "PUCT: Q + c * P * sqrt(sum of N) / (1 + N)";
  static constexpr float kDefaultC = 1.0f;
  static constexpr bool kUsesPriors = true;
  static constexpr bool kDirichlet = true;

  /// Ties go to the larger prior, then to the first.
  template <Game G>
  std::uint32_t select(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                       Random&) const {
    const float scale = exploration<Puct>(options) * std::sqrt(static_cast<float>(node.visits - 1));
    const float fpu = fpu_value<G>(node, options.fpu);
    // All scores first, without a branch, so that the compiler vectorises them. The total of
    // a move without visits is 0; its first-play urgency is added by its bits.
    float scores[kMaxMoves];
    const auto* edges = tree.edges.data() + node.first;
    const int opened = node.opened;
    const auto fpu_bits = std::bit_cast<std::uint32_t>(fpu);
    for (int i = 0; i < opened; ++i) {
      const auto n = static_cast<std::int32_t>(edges[i].visits);
      const float value = edges[i].total / static_cast<float>(std::max(n, 1));
      const auto bonus = std::bit_cast<float>(fpu_bits & -static_cast<std::uint32_t>(n == 0));
      scores[i] = value + bonus + scale * edges[i].prior / (1.0f + static_cast<float>(n));
    }
    std::uint32_t best = node.first;
    float best_score = -1e30f, best_prior = -1.0f;
    for (int i = 0; i < opened; ++i) {
      if (scores[i] < best_score || is_proven(tree, node.first + i, options)) continue;
      if (scores[i] > best_score || edges[i].prior > best_prior) {
        best = node.first + i;
        best_score = scores[i];
        best_prior = edges[i].prior;
      }
    }
    if (node.is_open()) return best;
    // Of the moves without an edge, which have no visits, the next to be opened is the best.
    const float next = fpu + scale * node.next_prior;
    return next > best_score || (next == best_score && node.next_prior > best_prior) ? kOpenNext : best;
  }
};

}  // namespace halma
