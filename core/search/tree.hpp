// One search tree as flat arrays. Nothing is stored that can be had again cheaply.
//
// Nodes hold no states: a simulation plays its way down from the root's.
//
// A position becomes a node when it is visited a second time, unless its evaluation
// brought priors that must be kept. In between, its edge remembers all that is needed:
// one visit, one value and, after a chance event, which outcome was drawn.
//
// Few moves of most nodes are ever visited, so a node keeps edges only for those it has tried,
// unless the selection rule needs all; `opened` counts them. The next one to be opened is the
// first of those with the largest prior: no other move without visits can have a better score.
// Where priors come from an evaluation, they are kept with their moves (`listed`), 8 bytes
// a move instead of the 21 of an edge. Where all priors are equal, moves are opened in their
// order, and the list of moves is made anew when one more is opened.
#pragma once

#include <algorithm>
#include <array>
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
    float next_prior;      // the largest prior of moves without an edge
    // Of its moves in listed_moves and listed_priors, if its edges are not in the order of moves.
    Index listed = kUnvisited;
    std::uint16_t number;  // of legal moves, or of outcomes
    std::uint16_t opened;  // how many of them have an edge
    std::uint8_t mover;
    Kind kind;

    Index end() const { return first + opened; }
    bool is_open() const { return opened == number; }
  };

  /// A move, or below a chance node an outcome, whose probability is its prior. What a
  /// simulation needs of an edge is on one or two cache lines: it finds most of a tree out of cache.
  struct Edge {
    std::uint32_t what;
    Index child = kUnvisited;
    std::uint32_t visits = 0;
    float total = 0.0f;  // of the mover's values; with negamax, the current value
    float prior = 0.0f;
    Proof proof = Proof::none;
  };

  HugeVector<Node> nodes;
  HugeVector<Edge> edges;  // those of a node are neighbours

  // All moves of nodes that have edges only for some, in the order of legal().
  HugeVector<Move> listed_moves;
  HugeVector<float> listed_priors;  // kOpened: has an edge
  static constexpr float kOpened = -1.0f;

  /// The edge of a step of a path.
  template <class Step>
  Index edge_of(const Step& step) const {
    return nodes[step.node].first + step.place;
  }

  void clear() {
    nodes.clear();
    edges.clear();
    listed_moves.clear();
    listed_priors.clear();
    free_.fill(kUnvisited);
  }

  /// Appends `number` untouched edges.
  Index grow(int number) {
    const auto first = static_cast<Index>(edges.size());
    edges.resize(edges.size() + number);
    return first;
  }

  /// Whether a node's moves are listed: it may lack edges, and has them in the order of priors.
  bool keeps_moves(const Node& node) const { return node.listed != kUnvisited; }

  /// Keeps the moves of a node that has no edge yet.
  void list(Node& node, const Move* moves, const float* priors) {
    node.listed = static_cast<Index>(listed_moves.size());
    listed_moves.insert(listed_moves.end(), moves, moves + node.number);
    listed_priors.insert(listed_priors.end(), priors, priors + node.number);
    node.next_prior = largest(priors, node.number);
  }

  /// Gives a node whose moves are listed one more edge, for the first with the largest prior.
  Index open_listed(Node& node) {
    float* priors = listed_priors.data() + node.listed;
    const float prior = node.next_prior;
    const auto which = std::find(priors, priors + node.number, prior) - priors;
    priors[which] = kOpened;
    node.next_prior = largest(priors, node.number);
    return open_next(node, listed_moves[node.listed + which], prior);
  }

  /// Gives a node whose moves are listed all its edges, in the order of moves.
  void open_all_listed(Node& node) {
    const Index first = grow(node.number);
    for (Index i = 0; i < node.number; ++i) {
      const Move move = listed_moves[node.listed + i];
      const float prior = listed_priors[node.listed + i];
      if (prior == kOpened)
        edges[first + i] = *std::find_if(edges.begin() + node.first, edges.begin() + node.end(),
                                         [move](const Edge& edge) { return edge.what == move; });
      else
        edges[first + i] = {.what = move, .prior = prior};
    }
    node.first = first;
    node.opened = node.number;
    node.listed = kUnvisited;
  }

  /// Gives a node one more edge, for `move`. Edges of a node are neighbours, so a full
  /// block moves to one of twice the size, or just large enough for all moves; blocks
  /// left behind are used again.
  Index open_next(Node& node, Move move, float prior) {
    const unsigned opened = node.opened;
    if (opened == 0 || std::has_single_bit(opened)) {
      const unsigned wanted = std::max(2 * opened, 1u);
      const Index block = wanted < node.number ? take_block(std::bit_width(opened)) : grow(node.number);
      std::copy_n(edges.begin() + node.first, opened, edges.begin() + block);
      if (opened > 0) give_block(std::bit_width(opened) - 1, node.first);
      node.first = block;
    }
    const Index edge = node.first + opened;
    edges[edge] = {.what = move, .prior = prior};
    ++node.opened;
    return edge;
  }

  /// Goes from a node to the one that a move or an outcome leads to, if there is one.
  bool follow(Index& at, std::uint32_t taken) const {
    const Node& node = nodes[at];
    for (Index edge = node.first; edge < node.end(); ++edge)
      if (edges[edge].what == taken && edges[edge].child < kFirstMark) {
        at = edges[edge].child;
        return true;
      }
    return false;
  }

  /// The most visited way on from an edge, moves only; of equally many visits, the first edge.
  std::vector<Move> main_line(Index edge, int length) const {
    std::vector<Move> line{edges[edge].what};
    while (static_cast<int>(line.size()) < length && edges[edge].child < kFirstMark) {
      const Node& node = nodes[edges[edge].child];
      Index next = node.first;
      for (Index e = node.first; e < node.end(); ++e)
        if (edges[e].visits > edges[next].visits) next = e;
      if (node.opened == 0 || edges[next].visits == 0) break;
      if (node.kind == kChance) break;  // what follows depends on the draw
      line.push_back(edges[next].what);
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
      if (keeps_moves(old))
        kept.list(kept.nodes[i], listed_moves.data() + old.listed, listed_priors.data() + old.listed);
      for (int k = 0; k < old.opened; ++k) {
        Edge& edge = kept.edges[first + k] = edges[old.first + k];
        if (edge.child >= kFirstMark) continue;
        open.push_back(edge.child);
        kept.nodes.push_back(nodes[edge.child]);
        edge.child = static_cast<Index>(kept.nodes.size() - 1);
      }
    }
  }

  // Memory is asked for before it is needed; pools do so, which run many trees in turn.

  /// The root with its edges and, as that is where they grow, the ends of all arrays.
  void prefetch_ends() const {
    if (nodes.empty()) return;
    prefetch(&nodes.front());
    prefetch(nodes.data() + nodes.size());
    prefetch(edges.data(), kRootLines * kCacheLine);
    prefetch(edges.data() + edges.size(), kCacheLine);
    prefetch(listed_moves.data() + listed_moves.size(), kListLines * kCacheLine);
    prefetch(listed_priors.data() + listed_priors.size(), kListLines * kCacheLine);
  }
  void prefetch_node(Index node) const { prefetch(nodes.data() + node); }
  /// Needs the node.
  void prefetch_edge(Index node, Index place) const { prefetch(edges.data() + nodes[node].first + place); }

  /// Bytes in use.
  std::size_t bytes() const {
    return nodes.size() * sizeof(Node) + edges.size() * sizeof(Edge) +
           listed_moves.size() * (sizeof(Move) + sizeof(float));
  }

  /// Bytes allocated.
  std::size_t capacity_bytes() const {
    const auto of = [](const auto& v) { return HugePages::block_size(v.capacity() * sizeof(v[0])); };
    return of(nodes) + of(edges) + of(listed_moves) + of(listed_priors);
  }

  /// Edges visited at least once.
  std::size_t visited() const {
    std::size_t number = 0;
    for (const Node& node : nodes)
      for (Index edge = node.first; edge < node.end(); ++edge) number += edges[edge].visits > 0;
    return number;
  }

 private:
  /// The largest of some priors. As positive floats are ordered like their bits and kOpened
  /// is negative either way, integers are compared: those the compiler vectorises.
  static float largest(const float* priors, int number) {
    std::int32_t most = std::bit_cast<std::int32_t>(kOpened);
    for (int i = 0; i < number; ++i) most = std::max(most, std::bit_cast<std::int32_t>(priors[i]));
    return std::bit_cast<float>(most);
  }

  /// Enough for most roots, and for the moves of most nodes.
  static constexpr std::size_t kRootLines = 14, kListLines = 3;

  /// A block of 2^size edges. Free ones of a size are a list, linked by the child of their first edge.
  Index take_block(int size) {
    const Index block = free_[size];
    if (block == kUnvisited) return grow(1 << size);
    free_[size] = edges[block].child;
    return block;
  }
  void give_block(int size, Index block) {
    edges[block].child = free_[size];
    free_[size] = block;
  }

  static constexpr int kBlockSizes = 10;
  std::array<Index, kBlockSizes> free_ = filled(kUnvisited);  // [size]: the first free block of 2^size edges

  static constexpr std::array<Index, kBlockSizes> filled(Index with) {
    std::array<Index, kBlockSizes> all;
    all.fill(with);
    return all;
  }
};

}  // namespace halma
