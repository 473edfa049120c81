// One search tree as flat arrays: nodes hold states, edges hold statistics.
//
// A position becomes a node when it is visited a second time, unless its evaluation
// brought priors that must be kept. In between, its edge remembers all that is needed:
// one visit, one value and, after a chance event, which outcome was drawn. Most
// positions of a tree are visited once, so this is most of the memory and much of the
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../game.hpp"

namespace halma {

/// What is proven about a move, for the player who makes it.
enum class Proof : std::uint8_t { none, loss, draw, win };

constexpr Proof opposite(Proof proof) {
  return proof == Proof::loss ? Proof::win : proof == Proof::win ? Proof::loss : proof;
}

template <Game G>
struct Tree {
  using Index = std::uint32_t;

  // Values of Edges::child that are no node.
  static constexpr Index kUnvisited = 0xFFFFFFFFu;
  static constexpr Index kVisited = 0xFFFFFFFEu;  // once; no node yet
  static constexpr Index kLoop = 0xFFFFFFFDu;     // a repetition: never a node
  // Visited once, when chance drew the outcome in the low bits.
  static constexpr Index kDrawn = 0x80000000u;
  static constexpr Index kFirstMark = kDrawn;

  enum Kind : std::uint8_t { kDecision, kChance, kTerminal };

  struct Node {
    typename G::State state;
    Index first;           // of its edges
    std::uint16_t number;  // of edges
    std::uint8_t mover;
    Kind kind;
    std::uint32_t visits;  // its own evaluation included
    float total;           // of the mover's values over those visits
    float raw;             // the mover's value when it was evaluated
  };

  std::vector<Node> nodes;

  // Edges, as a structure of arrays; those of a node are neighbours. `what` is a move,
  // or below a chance node an outcome, whose probability stands in `prior`.
  std::vector<std::uint32_t> what;
  std::vector<Index> child;
  std::vector<std::uint32_t> visits;
  std::vector<float> total;  // of the mover's values; with negamax, the current value
  std::vector<float> prior;
  std::vector<Proof> proof;

  void clear() {
    nodes.clear();
    what.clear();
    child.clear();
    visits.clear();
    total.clear();
    prior.clear();
    proof.clear();
  }

  Index edges() const { return static_cast<Index>(what.size()); }

  /// Appends `number` untouched edges.
  Index grow(int number) {
    const Index first = edges();
    const std::size_t size = what.size() + number;
    what.resize(size);
    child.resize(size, kUnvisited);
    visits.resize(size, 0);
    total.resize(size, 0.0f);
    prior.resize(size, 0.0f);
    proof.resize(size, Proof::none);
    return first;
  }

  /// Bytes in use.
  std::size_t bytes() const {
    return nodes.size() * sizeof(Node) +
           what.size() * (sizeof(std::uint32_t) * 2 + sizeof(Index) + 2 * sizeof(float) + sizeof(Proof));
  }

  /// Edges visited at least once.
  std::size_t visited() const {
    return what.size() - static_cast<std::size_t>(std::count(visits.begin(), visits.end(), 0u));
  }
};

}  // namespace halma
