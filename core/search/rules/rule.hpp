// What selection rules share.
//
// A rule is a class that says how moves are selected inside the tree and at its root, what
// policy a search ends with (which is the training target) and which root move is played.
// It has these members:
//
//   static constexpr const char* kName, *kAbout
//   static constexpr Backup kBackup            how values are backed up
//   static constexpr float kDefaultC           the option `c` where it is not set
//   static constexpr bool kUsesPriors          whether a policy makes a difference to it
//   static constexpr bool kDirichlet           whether Dirichlet noise is mixed into its root priors
//   static constexpr bool kListsAllMoves       whether it needs an edge for every move of a node
//   static constexpr bool kNeedsBudget         whether it must know the number of simulations
//   static constexpr bool kReusesTree          whether a search may go on in an earlier tree
//   static constexpr bool kExpandsAll          whether a simulation evaluates all moves of a position
//                                              (expansion.hpp), and visits count such expansions
//   static constexpr bool kSamplesAtRoot       whether best() is a random draw already, so that
//                                              self-play needs no temperature
//
//   void begin(tree, options, simulations, random)     before the first simulation at a root
//   Index select(tree, node, options, random)          an edge of an inner node, or kOpenNext
//   Index select_root(tree, options, simulation, random)   likewise at the root; optional
//   void policy(tree, options, out)                    root.number weights that sum to 1
//   void root_scores(tree, options, out)               root.number scores; the largest is played
//
// One file per rule; registry.hpp lists them. See docs/adding-a-rule.md.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../random.hpp"
#include "../../softmax.hpp"
#include "../options.hpp"
#include "../tree.hpp"

namespace halma {

/// How values are backed up.
enum class Backup : std::uint8_t {
  mean,     // an edge has the average of all simulations below it
  negamax,  // an edge has the value of the best move below it; two players only
};

/// The value of a visited edge for the player who chooses it.
template <Backup B, Game G>
float edge_value(const Tree<G>& tree, std::uint32_t edge) {
  return B == Backup::negamax ? tree.edges[edge].total
                              : tree.edges[edge].total / static_cast<float>(tree.edges[edge].visits);
}

/// The value of a move without visits.
template <Game G>
float fpu_value(const typename Tree<G>::Node& node, FirstPlayUrgency fpu) {
  switch (fpu) {
    case FirstPlayUrgency::loss:
      return 0.0f;
    case FirstPlayUrgency::draw:
      return 0.5f;
    case FirstPlayUrgency::win:
      return 1.0f;
    case FirstPlayUrgency::infinite:
      return 1e9f;
    case FirstPlayUrgency::parent:
      return node.total / static_cast<float>(node.visits);
  }
  return 0.0f;
}

/// Proven moves need no more visits.
template <Game G>
bool is_proven(const Tree<G>& tree, std::uint32_t edge, const SearchOptions& options) {
  return options.solver && tree.edges[edge].proof != Proof::none;
}

/// Selected instead of an edge: the next move that has no edge yet.
inline constexpr std::uint32_t kOpenNext = 0xFFFFFFFFu;

/// The weight of exploration of a rule.
template <class R>
float exploration(const SearchOptions& options) {
  return options.c.value_or(R::kDefaultC);
}

/// What most rules say of themselves; a rule states what differs.
template <Backup B>
struct RuleDefaults {
  static constexpr Backup kBackup = B;
  static constexpr bool kDirichlet = false;
  static constexpr bool kListsAllMoves = false;
  static constexpr bool kNeedsBudget = false;
  static constexpr bool kReusesTree = true;
  static constexpr bool kExpandsAll = false;
  static constexpr bool kSamplesAtRoot = false;

  template <Game G>
  void begin(const Tree<G>&, const SearchOptions&, std::uint64_t, Random&) {}
};

/// A rule whose policy is the share of visits and whose move is the most visited one, ties
/// by value.
template <Backup B>
struct VisitCounts : RuleDefaults<B> {
  template <Game G>
  void policy(const Tree<G>& tree, const SearchOptions&, float* out) const {
    const auto& root = tree.nodes[0];
    float sum = 0;
    for (int i = 0; i < root.number; ++i)
      sum += out[i] = static_cast<float>(tree.edges[root.first + i].visits);
    for (int i = 0; i < root.number; ++i)
      out[i] = sum > 0 ? out[i] / sum : 1.0f / static_cast<float>(root.number);
  }

  template <Game G>
  void root_scores(const Tree<G>& tree, const SearchOptions&, float* out) const {
    const auto& root = tree.nodes[0];
    for (int i = 0; i < root.number; ++i) {
      const auto edge = root.first + i;
      const auto n = static_cast<float>(tree.edges[edge].visits);
      out[i] = n + (n > 0 ? edge_value<B>(tree, edge) * 0.5f : 0.0f);
    }
  }
};

}  // namespace halma
