// UCT (Kocsis and Szepesvári 2006): Q + c * sqrt(ln(n) / n_move); every move is visited once first.
#pragma once

#include "rule.hpp"

namespace halma {

/// UCT with either backup.
template <Backup B>
struct UctWith : VisitCounts<B> {
  static constexpr float kDefaultC = 1.41421356f;
  static constexpr bool kUsesPriors = false;

  template <Game G>
  std::uint32_t select(const Tree<G>& tree, const typename Tree<G>::Node& node, const SearchOptions& options,
                       Random&) const {
    if (!node.is_open()) return kOpenNext;
    const float c = exploration<UctWith>(options);
    const float log_visits = std::log(static_cast<float>(node.visits));
    std::uint32_t best = node.first;
    float best_score = -1e30f;
    for (std::uint32_t edge = node.first; edge < node.end(); ++edge) {
      if (is_proven(tree, edge, options)) continue;
      if (tree.edges[edge].visits == 0) return edge;
      const auto n = static_cast<float>(tree.edges[edge].visits);
      const float score = edge_value<B>(tree, edge) + c * std::sqrt(log_visits / n);
      if (score > best_score) {
        best = edge;
        best_score = score;
      }
    }
    return best;
  }
};

struct Uct : UctWith<Backup::mean> {
  static constexpr const char* kName = "uct";
  static constexpr const char* kAbout = "UCT: every move once, then Q + c * sqrt(ln(n) / n_move)";
};

}  // namespace halma
