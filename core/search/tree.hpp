// One search tree as flat arrays. Nothing is stored that can be had again cheaply.
//
// Nodes hold no states: a simulation plays its way down from the root's.
//
// A position becomes a node when it is visited a second time, unless its evaluation
// brought priors that must be kept. In between, its edge remembers all that is needed:
// one visit, one value and, after a chance event, which outcome was drawn.
//
// Where all priors are equal, moves are visited in their order, so
// a node keeps edges only for those it has tried; `opened` counts them, and the list of
// moves is made anew when one more is opened.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "../game.hpp"
#include "../huge_pages.hpp"
#include "../prefetch.hpp"

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
  static constexpr Index kLineEnd = 0xFFFFFFFDu;  // a limit ends the game: never a node
  static constexpr Index kExact = 0xFFFFFFFBu;    // an oracle knows its value: never a node
  // Visited once, when chance drew the outcome in the low bits.
  static constexpr Index kDrawn = 0x80000000u;
  static constexpr Index kFirstMark = kDrawn;

  enum Kind : std::uint8_t { kDecision, kChance, kTerminal };

  struct Node {
    Index first;           // of its edges
    std::uint32_t visits;  // its own evaluation included
    float total;           // of the mover's values over those visits
    float raw;             // the mover's value when it was evaluated
    std::uint16_t number;  // of legal moves, or of outcomes
    std::uint16_t opened;  // how many of them have an edge
    std::uint8_t mover;
    Kind kind;

    Index end() const { return first + opened; }
    bool is_open() const { return opened == number; }
  };

  HugeVector<Node> nodes;

  // Edges, as a structure of arrays; those of a node are neighbours. `what` is a move,
  // or below a chance node an outcome, whose probability stands in `prior`.
  HugeVector<std::uint32_t> what;
  HugeVector<Index> child;
  HugeVector<std::uint32_t> visits;
  HugeVector<float> total;  // of the mover's values; with negamax, the current value
  HugeVector<float> prior;
  HugeVector<Proof> proof;

  void clear() {
    nodes.clear();
    what.clear();
    child.clear();
    visits.clear();
    total.clear();
    prior.clear();
    proof.clear();
    for (std::vector<Index>& blocks : free_) blocks.clear();
  }

  /// Appends `number` untouched edges.
  Index grow(int number) {
    const auto first = static_cast<Index>(what.size());
    const std::size_t size = what.size() + number;
    what.resize(size);
    child.resize(size, kUnvisited);
    visits.resize(size, 0);
    total.resize(size, 0.0f);
    prior.resize(size, 0.0f);
    proof.resize(size, Proof::none);
    return first;
  }

  /// Gives a node one more edge, for `move`. Edges of a node are neighbours, so a full
  /// block moves to one of twice the size, or just large enough for all moves; blocks
  /// left behind are used again.
  Index open_next(Node& node, Move move, float equal_prior) {
    const unsigned opened = node.opened;
    if (opened == 0 || std::has_single_bit(opened)) {
      const unsigned wanted = std::max(2 * opened, 1u);
      const Index block = wanted < node.number ? take_block(std::bit_width(opened)) : grow(node.number);
      for (unsigned i = 0; i < opened; ++i) copy_edge(node.first + i, block + i);
      if (opened > 0) free_[std::bit_width(opened) - 1].push_back(node.first);
      node.first = block;
    }
    const Index edge = node.first + opened;
    what[edge] = move;
    child[edge] = kUnvisited;
    visits[edge] = 0;
    total[edge] = 0.0f;
    prior[edge] = equal_prior;
    proof[edge] = Proof::none;
    ++node.opened;
    return edge;
  }

  void copy_edge(Index from, Index to) {
    what[to] = what[from];
    child[to] = child[from];
    visits[to] = visits[from];
    total[to] = total[from];
    prior[to] = prior[from];
    proof[to] = proof[from];
  }

  /// Asks for what is needed of the edge that is about to be chosen, whichever it will be,
  /// so that it comes out of memory together with the statistics and not after them.
  void prefetch_edges(const Node& node) const {
    constexpr int kPerLine = 64 / sizeof(Index);
    for (int i = 0; i < node.opened; i += kPerLine) {
      __builtin_prefetch(child.data() + node.first + i);
      __builtin_prefetch(what.data() + node.first + i);
    }
  }

  /// Goes from a node to the one that a move or an outcome leads to, if there is one.
  bool follow(Index& at, std::uint32_t taken) const {
    const Node& node = nodes[at];
    for (Index edge = node.first; edge < node.end(); ++edge)
      if (what[edge] == taken && child[edge] < kFirstMark) {
        at = child[edge];
        return true;
      }
    return false;
  }

  /// The most visited way on from an edge, moves only.
  std::vector<Move> main_line(Index edge, int length) const {
    std::vector<Move> line{what[edge]};
    while (static_cast<int>(line.size()) < length && child[edge] < kFirstMark) {
      const Node& node = nodes[child[edge]];
      Index next = node.first;
      for (Index e = node.first; e < node.end(); ++e)
        if (visits[e] > visits[next]) next = e;
      if (node.opened == 0 || visits[next] == 0) break;
      if (node.kind == kChance) break;  // what follows depends on the draw
      line.push_back(what[next]);
      edge = next;
    }
    return line;
  }

  /// Copies a node and all below it, breadth first, so that the root is node 0.
  void copy_below(Index root, Tree<G>& kept) const {
    std::vector<Index> open{root};
    kept.nodes.push_back(nodes[root]);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Node& old = nodes[open[i]];
      // As large as the blocks that open_next() makes, so that it can go on.
      const unsigned block = std::min<unsigned>(std::bit_ceil<unsigned>(old.opened), old.number);
      const Index first = kept.grow(static_cast<int>(block));
      kept.nodes[i].first = first;
      for (int k = 0; k < old.opened; ++k) {
        const Index from = old.first + k, to = first + k;
        kept.what[to] = what[from];
        kept.visits[to] = visits[from];
        kept.total[to] = total[from];
        kept.prior[to] = prior[from];
        kept.proof[to] = proof[from];
        kept.child[to] = child[from];
        if (child[from] < kFirstMark) {
          kept.child[to] = static_cast<Index>(kept.nodes.size());
          open.push_back(child[from]);
          kept.nodes.push_back(nodes[child[from]]);
        }
      }
    }
  }

  /// Asks for the root's edges and, as that is where they grow, for the ends of all arrays.
  void prefetch_ends() const {
    if (nodes.empty()) return;
    prefetch(&nodes.front());
    const auto request = [](const auto& array) {
      prefetch(array.data(), kRootLines * kCacheLine);
      prefetch(array.data() + array.size(), kRootLines * kCacheLine);
    };
    request(what);
    request(child);
    request(visits);
    request(total);
    request(prior);
    prefetch(proof.data() + proof.size());
    prefetch(nodes.data() + nodes.size());
  }

  /// Asks for a node and one of its edges.
  void prefetch_step(Index node, Index edge) const {
    prefetch(nodes.data() + node);
    prefetch(visits.data() + edge);
    prefetch(total.data() + edge);
    prefetch(prior.data() + edge);
    prefetch(child.data() + edge);
  }

  /// Bytes in use.
  std::size_t bytes() const {
    return nodes.size() * sizeof(Node) +
           what.size() * (sizeof(std::uint32_t) * 2 + sizeof(Index) + 2 * sizeof(float) + sizeof(Proof));
  }

  /// Bytes allocated.
  std::size_t capacity_bytes() const {
    const auto of = [](const auto& v) { return HugePages::block_size(v.capacity() * sizeof(v[0])); };
    return of(nodes) + of(what) + of(child) + of(visits) + of(total) + of(prior) + of(proof);
  }

  /// Edges visited at least once.
  std::size_t visited() const {
    std::size_t number = 0;
    for (const Node& node : nodes)
      for (Index edge = node.first; edge < node.end(); ++edge) number += visits[edge] > 0;
    return number;
  }

 private:
  /// Of four-byte edges: enough for most nodes' moves.
  static constexpr std::size_t kRootLines = 2;

  /// A block of 2^size edges.
  Index take_block(int size) {
    if (free_[size].empty()) return grow(1 << size);
    const Index block = free_[size].back();
    free_[size].pop_back();
    return block;
  }

  std::vector<Index> free_[10];  // [size]: blocks of 2^size edges that nobody uses
};

}  // namespace halma
