// pluska2022's search: a simulation expands a position. All its moves are evaluated at once, captures are
// followed to quiet positions (expansion.hpp), and a position has the value of its best move. A child is
// selected by value + c * sqrt(ln(n) / n_child), where n counts expansions; one without any comes first. The
// move with the best value is played.
#pragma once

#include "uct.hpp"

namespace halma {

struct ExpansionRule : UctWith<Backup::negamax> {
  static constexpr const char* kName = "expansion";
  static constexpr const char* kAbout =
      "pluska2022: all moves of a position at once, through captures; two players";
  static constexpr bool kListsAllMoves = true;
  static constexpr bool kReusesTree = false;
  static constexpr bool kExpandsAll = true;

  template <Game G>
  void root_scores(const Tree<G>& tree, const SearchOptions&, float* out) const {
    const auto& root = tree.nodes[0];
    for (int i = 0; i < root.number; ++i) out[i] = tree.edges[root.first + i].total;
  }
};

}  // namespace halma
