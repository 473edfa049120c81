// New nodes of a search tree: which edges a node begins with, and how it gets the others (tree.hpp).
#pragma once

#include "../kernels.hpp"
#include "tree.hpp"

namespace halma {

template <Game G>
class NodeMaker {
 public:
  using State = typename G::State;
  using Index = typename Tree<G>::Index;
  using Node = typename Tree<G>::Node;

  /// `open_late`: nodes get edges for the moves they try; otherwise for all. The game must outlive this.
  NodeMaker(const G& game, bool open_late, bool has_priors)
      : game_(&game), open_late_(open_late), has_priors_(has_priors) {}

  /// Appends a node. `priors` has one number per legal move, null for equal ones; `known` are the legal
  /// moves, where they are listed already.
  Index make(Tree<G>& tree, const State& state, const float* priors, const MoveList* known = nullptr) const {
    const auto index = static_cast<Index>(tree.nodes.size());
    Node node{};
    node.mover = static_cast<std::uint8_t>(game_->mover(state));
    if (game_->at_chance(state)) {
      OutcomeList outcomes;
      game_->outcomes(state, outcomes);
      node.kind = Tree<G>::kChance;
      node.number = node.opened = static_cast<std::uint16_t>(outcomes.size());
      node.first = tree.grow(outcomes.size());
      for (int i = 0; i < outcomes.size(); ++i) {
        tree.edges[node.first + i].what = outcomes[i].outcome;
        tree.edges[node.first + i].prior = static_cast<float>(outcomes[i].probability);
      }
    } else if (open_late_ && !has_priors_) {
      node.number = static_cast<std::uint16_t>(count_moves(*game_, state));
      node.kind = node.number ? Tree<G>::kDecision : Tree<G>::kTerminal;
      node.next_prior = 1.0f / static_cast<float>(node.number);
    } else {
      MoveList listed;
      if (!known) game_->legal(state, listed);
      const MoveList& moves = known ? *known : listed;
      node.kind = moves.empty() ? Tree<G>::kTerminal : Tree<G>::kDecision;
      node.number = static_cast<std::uint16_t>(moves.size());
      if (open_late_ && priors) {
        tree.list(node, moves.begin(), priors);
      } else {
        node.opened = node.number;
        node.first = tree.grow(moves.size());
        for (int i = 0; i < moves.size(); ++i) {
          tree.edges[node.first + i].what = moves[i];
          tree.edges[node.first + i].prior = priors ? priors[i] : 1.0f / static_cast<float>(moves.size());
        }
      }
    }
    tree.nodes.push_back(node);
    return index;
  }

  /// Gives a node the edge of the next move, and returns it.
  Index open_next(Tree<G>& tree, Index at, const State& state) const {
    if (has_priors_) return tree.open_listed(tree.nodes[at]);
    MoveList moves;
    game_->legal(state, moves);
    Node& node = tree.nodes[at];
    return tree.open_next(node, moves[node.opened], node.next_prior);
  }

  /// Gives a node the edges it still lacks, in the order of moves.
  void open_all(Tree<G>& tree, Index index, const State& state) const {
    Node node = tree.nodes[index];
    if (tree.keeps_moves(node)) return tree.open_all_listed(tree.nodes[index]);
    if (node.is_open()) return;
    MoveList moves;
    game_->legal(state, moves);
    const Index first = tree.grow(node.number);
    for (int i = 0; i < node.number; ++i) {
      if (i < node.opened) {
        tree.edges[first + i] = tree.edges[node.first + i];
      } else {
        tree.edges[first + i].what = moves[i];
        tree.edges[first + i].prior = 1.0f / static_cast<float>(node.number);
      }
    }
    node.first = first;
    node.opened = node.number;
    tree.nodes[index] = node;
  }

 private:
  const G* game_;
  bool open_late_, has_priors_;
};

}  // namespace halma
