// An expansion, for rules that evaluate all moves of a position at once: nodes for every move that
// captures or leads to chance, and so on, down to quiet positions, whose evaluation it waits for.
#pragma once

#include "leaf.hpp"

namespace halma {

/// Whether no capture is pending; so in every state of a game that does not say.
template <Game G>
bool is_quiet(const G& game, const typename G::State& state) {
  if constexpr (KnowsQuiet<G>) return game.is_quiet(state);
  return true;
}

template <Game G>
class Expansion {
 public:
  using Index = typename Tree<G>::Index;
  using Leaf = halma::Leaf<G>;

  /// Forgets what is left of the expansion before.
  void clear() {
    opened_.clear();
    listed_ = taken_ = evaluated_ = 0;
  }

  /// Adds what is below a new node, whose position `leaf` has. `make(state)` appends a node to the tree.
  template <class MakeNode>
  void open(const G& game, Tree<G>& tree, const LeafHistory<G>& history, const Leaf& leaf, Index node,
            MakeNode&& make) {
    opened_.push_back({node, leaf.path.empty() ? typename Leaf::Step{kNone, 0} : leaf.path.back()});
    const int number = tree.nodes[node].opened;
    Leaf child;
    for (int place = 0; place < number; ++place) {
      child = leaf;
      follow(game, tree, history, child, node, static_cast<Index>(place));
      const Index edge = tree.nodes[node].first + static_cast<Index>(place);
      const bool chance = game.at_chance(child.state);
      const bool over = !chance && game.terminal(child.state);
      if (over || (history.is_limited() && history.ends(child, tree))) {
        if (!over) tree.edges[edge].child = Tree<G>::kLineEnd;
        scaled_result(game, child.state, child.values);
        tree.edges[edge].total = child.values[tree.nodes[node].mover];
      } else if (chance || !is_quiet(game, child.state)) {
        const Index below = make(child.state);
        tree.edges[edge].child = below;
        tree.edges[edge].visits = tree.nodes[below].visits = 1;
        open(game, tree, history, child, below, make);
      } else {
        if (listed_ == static_cast<int>(quiet_.size())) quiet_.emplace_back();
        quiet_[listed_++] = child;
      }
    }
  }

  /// Goes down an edge: the path, and what the history needs to know of it.
  static void follow(const G& game, const Tree<G>& tree, const LeafHistory<G>& history, Leaf& leaf,
                     Index node, Index place) {
    const std::uint32_t what = tree.edges[tree.nodes[node].first + place].what;
    leaf.path.push_back({node, place});
    if (tree.nodes[node].kind == Tree<G>::kChance) {
      game.resolve(leaf.state, what);
      return;
    }
    if (history.keeps_states()) leaf.decisions.push_back(leaf.state);
    ++leaf.plies;
    if (history.tracks_clock())
      leaf.reversible = game.irreversible(leaf.state, what) ? 0 : leaf.reversible + 1;
    game.play(leaf.state, what);
  }

  /// Whether quiet positions are left to be evaluated, and how many were not taken for that yet.
  bool is_waiting() const { return evaluated_ < listed_; }
  int not_taken() const { return listed_ - taken_; }
  /// Exchanges the next quiet position with `leaf`.
  void take(Leaf& leaf) { std::swap(leaf, quiet_[taken_++]); }

  /// Keeps the values of a quiet position, by player.
  void evaluate(Tree<G>& tree, const Leaf& leaf, const float* values) {
    tree.edges[tree.edge_of(leaf.path.back())].total = values[tree.nodes[leaf.path.back().node].mover];
    ++evaluated_;
  }

  /// Computes the values of new nodes from those of their edges, the lowest first, and backs that of the
  /// first one up the path that led to it.
  void back_up(Tree<G>& tree, const std::vector<typename Leaf::Step>& path) const {
    for (std::size_t i = opened_.size(); i-- > 0;)
      if (opened_[i].above.node != kNone) back_up_edge(tree, opened_[i].above, opened_[i].node);
    for (std::size_t i = path.size(); i-- > 1;) back_up_edge(tree, path[i - 1], path[i].node);
  }

  /// A node's value for its mover: that of the best move, or the mean over outcomes.
  static float node_value(const Tree<G>& tree, const typename Tree<G>::Node& node) {
    float best = 0.0f, mean = 0.0f;
    for (Index edge = node.first; edge < node.end(); ++edge) {
      best = std::max(best, tree.edges[edge].total);
      mean += tree.edges[edge].prior * tree.edges[edge].total;
    }
    return node.kind == Tree<G>::kChance ? mean : best;
  }

 private:
  /// Gives the edge `above` the value of the node that it leads to.
  static void back_up_edge(Tree<G>& tree, const typename Leaf::Step& above, Index node) {
    const float value = node_value(tree, tree.nodes[node]);
    tree.edges[tree.edge_of(above)].total =
        tree.nodes[above.node].mover == tree.nodes[node].mover ? value : 1.0f - value;
  }

  static constexpr Index kNone = Tree<G>::kUnvisited;
  struct Opened {
    Index node;
    typename Leaf::Step above;  // the edge that leads to it; kNone at the root
  };

  std::vector<Opened> opened_;  // parents first
  std::vector<Leaf> quiet_;     // the first listed_ are of this expansion; the others are spare
  int listed_ = 0, taken_ = 0, evaluated_ = 0;
};

}  // namespace halma
