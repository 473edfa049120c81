// What a tree knows for certain: moves that are proven, and moves that an oracle knows.
#pragma once

#include <optional>

#include "../oracle.hpp"
#include "tree.hpp"

namespace halma {

inline float proof_value(Proof proof) {
  return proof == Proof::win ? 1.0f : proof == Proof::draw ? 0.5f : 0.0f;
}

inline Proof proof_of(double value) {
  return value == 1 ? Proof::win : value == 0.5 ? Proof::draw : value == 0 ? Proof::loss : Proof::none;
}

/// What a node's edges prove about it, for its mover.
template <Game G>
Proof node_proof(const Tree<G>& tree, const typename Tree<G>::Node& node) {
  Proof least = node.is_open() ? Proof::win : Proof::none, most = Proof::none;
  for (auto edge = node.first; edge < node.end(); ++edge) {
    const Proof proof = tree.edges[edge].proof;
    if (proof == Proof::win && node.kind == Tree<G>::kDecision) return Proof::win;
    if (proof == Proof::none) least = Proof::none;
    least = std::min(least, proof);
    most = std::max(most, proof);
  }
  if (least == Proof::none) return Proof::none;
  // Whatever chance does must come to the same.
  if (node.kind == Tree<G>::kChance) return least == most ? most : Proof::none;
  return most;
}

/// Backs proofs up a path as far as they reach.
template <Game G, class Path>
void back_up_proofs(Tree<G>& tree, const Path& path) {
  for (std::size_t i = path.size(); i-- > 1;) {
    const auto& node = tree.nodes[path[i].node];
    const Proof proof = node_proof(tree, node);
    if (proof == Proof::none) return;
    const auto above = path[i - 1];
    tree.edges[tree.edge_of(above)].proof =
        tree.nodes[above.node].mover == node.mover ? proof : opposite(proof);
  }
}

/// Whether an edge leads to what is certain.
template <Game G>
bool is_exact(const Tree<G>& tree, typename Tree<G>::Index edge) {
  return tree.edges[edge].proof != Proof::none || tree.edges[edge].child == Tree<G>::kExact;
}

template <Game G>
bool all_exact(const Tree<G>& tree, const typename Tree<G>::Node& node) {
  for (auto edge = node.first; edge < node.end(); ++edge)
    if (!is_exact(tree, edge)) return false;
  return node.is_open();
}

/// The exact value of an edge for its node's mover. Distances are not stored:
/// this walks through all that proves it. `before` is the node's state, and `chance` says
/// that the edge is an outcome there.
template <Game G>
ExactValue exact_edge(const G& game, const Oracle* oracle, const Tree<G>& tree, typename Tree<G>::Index edge,
                      const typename G::State& before, bool chance = false) {
  auto state = before;
  if (chance)
    game.resolve(state, tree.edges[edge].what);
  else
    game.play(state, tree.edges[edge].what);
  const bool same_player = game.mover(state) == game.mover(before);
  const bool progress = !chance && game.irreversible(before, tree.edges[edge].what);
  const double value = proof_value(tree.edges[edge].proof);
  ExactValue known{same_player ? value : 1.0 - value, 0};
  if (tree.edges[edge].child == Tree<G>::kExact) {
    known = *probe(*oracle, state);
  } else if (tree.edges[edge].child < Tree<G>::kFirstMark && known.certain()) {
    const auto& node = tree.nodes[tree.edges[edge].child];
    const Proof wanted = known.value == 1 ? Proof::win : Proof::loss;
    for (auto next = node.first; next < node.end(); ++next) {
      if (tree.edges[next].proof != wanted) continue;
      const ExactValue here = exact_edge(game, oracle, tree, next, state, node.kind == Tree<G>::kChance);
      // Players choose; chance, or who has lost, may take the longest way.
      const bool hurries = node.kind == Tree<G>::kDecision && known.value == 1;
      if (known.distance == 0 || (hurries ? here.distance < known.distance : here.distance > known.distance))
        known.distance = here.distance;
    }
  }
  return chance ? known : known.before(same_player, progress);
}

/// Which of the root's moves is best, if that is certain.
template <Game G>
std::optional<int> best_exact(const G& game, const Oracle* oracle, const Tree<G>& tree,
                              const typename G::State& state) {
  const auto& root = tree.nodes[0];
  const bool all = all_exact(tree, root);
  std::optional<int> best;
  ExactValue best_value{-1, 0};
  for (int i = 0; i < root.opened; ++i) {
    const auto edge = root.first + i;
    if (!(all ? is_exact(tree, edge) : tree.edges[edge].proof == Proof::win)) continue;
    const ExactValue value = exact_edge(game, oracle, tree, edge, state);
    if (!value.better_than(best_value)) continue;
    best = i;
    best_value = value;
  }
  return best;
}

}  // namespace halma
