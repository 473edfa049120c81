// Monte-Carlo tree search over any game: any number of players, with or without chance.
//
// A simulation selects a path down the tree to a position that was not seen before, has it
// evaluated and backs its values up. Selecting counts visits at once (a virtual loss),
// backing up adds values; so several simulations may be pending in one tree when a network
// evaluates them together. SearchDriver (driver.hpp) is what runs simulations.
#pragma once

#include <optional>

#include "certainty.hpp"
#include "evaluators.hpp"
#include "expansion.hpp"
#include "leaf.hpp"
#include "nodes.hpp"
#include "root.hpp"
#include "rules/registry.hpp"

namespace halma {

/// What evaluators of leaves give: values alone, values and priors, or values and priors of
/// planes, which show the game before the leaf.
enum class LeafEvaluation : std::uint8_t { values, priors, planes };

template <Game G>
class Mcts {
 public:
  using State = typename G::State;
  using Index = typename Tree<G>::Index;
  using Node = typename Tree<G>::Node;
  using Leaf = halma::Leaf<G>;

  /// The game must outlive the search.
  Mcts(const G& game, const SearchOptions& options, std::uint64_t seed, LeafEvaluation leaves)
      : game_(&game),
        options_(options),
        traits_(&traits(options.rule)),
        rule_(make_rule(options.rule)),
        random_(seed),
        // Priors must be kept, so with them a position becomes a node at once.
        defer_(leaves == LeafEvaluation::values && game.players() == 2),
        new_nodes_(game, !traits_->lists_all_moves, leaves != LeafEvaluation::values),
        history_(game, options.limits, leaves == LeafEvaluation::planes) {}

  const Tree<G>& tree() const { return tree_; }
  const SearchOptions& options() const { return options_; }
  const RuleTraits& rule() const { return *traits_; }
  const LeafHistory<G>& history() const { return history_; }
  Random& random() { return random_; }
  /// Simulations of this root, those kept from an earlier tree included.
  std::uint64_t simulations() const { return simulations_; }
  bool has_root() const { return !tree_.nodes.empty(); }
  void clear() { tree_.clear(); }

  /// Takes over the game up to the next root; to be called before start() or start_below().
  void read_history(const Record& record) { history_.read(record); }

  /// Starts a tree at a decision state. `priors` has one number per legal move, null for equal
  /// ones; `values` one per player; `moves` are the legal moves, where they are listed already.
  void start(const State& state, const float* priors = nullptr, const float* values = nullptr,
             const MoveList* moves = nullptr) {
    tree_.clear();
    const Index root = make_node(state, priors, moves);
    const int mover = tree_.nodes[root].mover;
    if (!traits_->expands_all)
      first_visit(root, values ? values[mover] : 1.0f / static_cast<float>(sides(*game_)));
    expansion_.clear();
    simulations_ = 0;
    enter_root(state);
  }

  /// Starts with the part of the tree below the root that the moves and outcomes `taken` lead to.
  /// Returns false, with nothing changed, if that is no decision node. `spare` is a tree to work
  /// with; its memory is kept, as is that of this search.
  bool start_below(const State& state, std::span<const std::uint32_t> taken, Tree<G>& spare) {
    if (!has_root()) return false;
    Index at = 0;
    for (const std::uint32_t what : taken)
      if (!tree_.follow(at, what)) return false;
    if (tree_.nodes[at].kind != Tree<G>::kDecision) return false;
    spare.clear();
    tree_.copy_below(at, spare);
    tree_ = spare;
    simulations_ = tree_.nodes[0].visits - 1;
    enter_root(state);
    return true;
  }

  /// To be called before the first simulation of a root: noise, and what the rule prepares for
  /// a number of simulations in all.
  void begin(std::uint64_t simulations, bool dirichlet = true) {
    if (dirichlet && options_.dirichlet_weight > 0 && traits_->dirichlet)
      add_dirichlet_noise(tree_, options_, random_);
    prepare_rule(simulations);
  }
  void prepare_rule(std::uint64_t simulations) {
    std::visit([&](auto& rule) { rule.begin(tree_, options_, simulations, random_); }, rule_);
  }

  /// Whether nothing is left to search: the root is over or proven, or all its moves are exact.
  bool is_solved() const {
    const Node& root = tree_.nodes[0];
    return root.kind != Tree<G>::kDecision || (options_.solver && node_proof(tree_, root) != Proof::none) ||
           (options_.oracle && all_exact(tree_, root));
  }

  /// Selects a path. Afterwards `leaf.decided` says whether back_up() can follow at once.
  /// Returns false, with nothing changed, when the path led to a pending leaf.
  bool select(Leaf& leaf) {
    leaf.path.clear();
    leaf.decisions.clear();
    leaf.decided = false;
    leaf.plies = leaf.reversible = 0;
    leaf.state = root_state_;
    State& state = leaf.state;
    Index at = 0;
    while (true) {
      if (tree_.nodes[at].kind == Tree<G>::kTerminal) {
        ++tree_.nodes[at].visits;
        decide_by_result(leaf);
        break;
      }
      const Index edge = select_edge(at, state);
      const Index to = tree_.edges[edge].child;
      if (to == kPending) {
        undo_visits(leaf);
        return false;
      }
      Node& node = tree_.nodes[at];
      ++node.visits;
      ++tree_.edges[edge].visits;
      leaf.path.push_back({at, edge - node.first});
      if (options_.solver && tree_.edges[edge].proof != Proof::none) {
        // Players avoid what is proven; chance does not, and gets the proven value.
        leaf.values[node.mover] = proof_value(tree_.edges[edge].proof);
        leaf.values[node.mover ^ 1] = 1.0f - leaf.values[node.mover];
        leaf.decided = true;
        break;
      }
      if (node.kind == Tree<G>::kChance) {
        game_->resolve(state, tree_.edges[edge].what);
      } else {
        if (history_.keeps_states()) leaf.decisions.push_back(state);
        ++leaf.plies;
        if (history_.tracks_clock())
          leaf.reversible = game_->irreversible(state, tree_.edges[edge].what) ? 0 : leaf.reversible + 1;
        game_->play(state, tree_.edges[edge].what);
      }
      if (to < Tree<G>::kFirstMark) {
        at = to;
        continue;
      }
      if (to == Tree<G>::kLineEnd) {
        decide_by_result(leaf);
        break;
      }
      if (to == Tree<G>::kExact) {
        probe_leaf(leaf, edge);
        break;
      }
      if (to == Tree<G>::kUnvisited) {
        // First, as exact values do not depend on the path.
        if (options_.oracle && probe_leaf(leaf, edge)) break;
        if (history_.is_limited() && history_.ends(leaf, tree_)) {
          end_line(leaf, edge);
          break;
        }
        if (const std::optional<Index> chance = expand(leaf, edge)) {
          at = *chance;
          continue;
        }
        break;
      }
      at = expand_deferred(edge, to, node.mover, state);
    }
    ++simulations_;
    return true;
  }

  /// Backs a leaf's values up. `priors` has one number per legal move of the leaf; `moves` are
  /// those, where they are listed already.
  void back_up(const Leaf& leaf, const float* evaluated, const float* priors = nullptr,
               const MoveList* moves = nullptr) {
    if (!leaf.decided && !defer_) {
      const Index edge = tree_.edge_of(leaf.path.back());
      const Index node = make_node(leaf.state, priors, moves);
      tree_.edges[edge].child = node;
      first_visit(node, evaluated[tree_.nodes[node].mover]);
    }
    float values[kMaxPlayers];
    std::copy_n(evaluated, game_->players(), values);
    for (std::size_t i = leaf.path.size(); i-- > 0;) {
      Node& node = tree_.nodes[leaf.path[i].node];
      const Index edge = node.first + leaf.path[i].place;
      const float value = values[node.mover];
      node.total += value;
      if (traits_->backup == Backup::mean) {
        tree_.edges[edge].total += value;
      } else {
        tree_.edges[edge].total = value;
        const float best = negamax_value(node);
        values[node.mover] = best;
        values[node.mover ^ 1] = 1.0f - best;
      }
    }
    if (options_.solver) back_up_proofs(tree_, leaf.path);
  }

  // With a rule that expands all moves of a position, expand() stands for select(); evaluate_quiet() follows
  // for each of the positions that it leaves in expansion().

  /// Selects a path to a position that was not expanded, and expands it.
  void expand() {
    Leaf& leaf = expanded_;
    leaf.path.clear();
    leaf.decisions.clear();
    leaf.plies = leaf.reversible = 0;
    leaf.state = root_state_;
    expansion_.clear();
    ++simulations_;
    Index at = 0;
    while (tree_.nodes[at].kind != Tree<G>::kTerminal && tree_.nodes[at].visits > 0) {
      const Index place = select_edge(at, leaf.state) - tree_.nodes[at].first;
      ++tree_.nodes[at].visits;
      Expansion<G>::follow(*game_, tree_, history_, leaf, at, place);
      const Index edge = tree_.edge_of(leaf.path.back());
      ++tree_.edges[edge].visits;
      if (tree_.edges[edge].child == Tree<G>::kLineEnd) return;  // it keeps its value
      if (tree_.edges[edge].child == Tree<G>::kUnvisited) {
        const Index node = make_node(leaf.state, nullptr);
        tree_.edges[edge].child = node;
      }
      at = tree_.edges[edge].child;
    }
    if (tree_.nodes[at].kind == Tree<G>::kTerminal) return;
    tree_.nodes[at].visits = 1;
    expansion_.open(*game_, tree_, history_, leaf, at,
                    [this](const State& state) { return make_node(state, nullptr); });
    if (!expansion_.is_waiting()) expansion_.back_up(tree_, expanded_.path);
  }
  Expansion<G>& expansion() { return expansion_; }
  /// Takes the values of a position that expansion() waits for, by player.
  void evaluate_quiet(const Leaf& leaf, const float* values) {
    expansion_.evaluate(tree_, leaf, values);
    if (!expansion_.is_waiting()) expansion_.back_up(tree_, expanded_.path);
  }

  std::vector<RootMove> root_moves(int line_length = 8) const {
    return list_root_moves(*game_, tree_, options_, root_state_, line_length);
  }

  /// The root's value for the player to move: the mean of all simulations, or that of the best move.
  float root_value() const {
    if (traits_->expands_all) return Expansion<G>::node_value(tree_, tree_.nodes[0]);
    return tree_.nodes[0].total / static_cast<float>(tree_.nodes[0].visits);
  }

  /// The policy that the search ends with, [root move].
  std::vector<float> policy() const {
    std::vector<float> out(tree_.nodes[0].number);
    std::visit([&](const auto& rule) { rule.policy(tree_, options_, out.data()); }, rule_);
    return out;
  }

  /// The policy as a training target; with `solver` it knows proofs.
  std::vector<float> policy_target() const {
    return options_.solver ? with_proofs(tree_, policy()) : policy();
  }

  /// The root move to play: the quickest certain win; where all moves are exact, the best; else
  /// the rule's own choice among moves that are not proven lost.
  int best() const {
    if (const auto exact = best_exact(*game_, options_.oracle.get(), tree_, root_state_)) return *exact;
    std::vector<float> scores(tree_.nodes[0].number);
    std::visit([&](const auto& rule) { rule.root_scores(tree_, options_, scores.data()); }, rule_);
    return best_unless_lost(tree_, scores);
  }

  /// A root move sampled from a policy target with a temperature; 0 gives best(). The target knows
  /// proofs, and sampling goes on among proven moves: self-play that stopped exploring there
  /// learned worse.
  int sample_move(const std::vector<float>& target, float temperature) {
    return temperature <= 0.0f ? best() : sample_policy(target, temperature, random_);
  }

 private:
  static constexpr Index kPending = 0xFFFFFFFCu;  // evaluation under way

  /// Whether edges remember that they lead to the end of the game.
  bool proves() const { return options_.solver || options_.oracle; }

  /// What follows once the root's node and history are there.
  void enter_root(const State& state) {
    root_state_ = state;
    new_nodes_.open_all(tree_, 0, state);
    probe_root_moves();
  }

  /// The rules end a game before its limits do; else the edge is marked.
  void end_line(Leaf& leaf, Index edge) {
    const bool over = !game_->at_chance(leaf.state) && game_->terminal(leaf.state);
    decide_by_result(leaf);
    tree_.edges[edge].child = Tree<G>::kLineEnd;
    if (proves() && (over || options_.limits == LineLimits::game))
      tree_.edges[edge].proof = proof_of(leaf.values[tree_.nodes[leaf.path.back().node].mover]);
  }

  /// Asks the rules and the oracle about every move of the root, so that a search that ends
  /// with the first proven win has seen the quickest of the exact ones.
  void probe_root_moves() {
    if (!options_.oracle) return;
    const Node root = tree_.nodes[0];
    for (Index edge = root.first; edge < root.end(); ++edge) {
      if (tree_.edges[edge].child != Tree<G>::kUnvisited) continue;
      Leaf leaf;
      leaf.path.push_back({0, edge - root.first});
      leaf.state = root_state_;
      game_->play(leaf.state, tree_.edges[edge].what);
      if (probe_leaf(leaf, edge) || game_->at_chance(leaf.state) || !game_->terminal(leaf.state)) continue;
      decide_by_result(leaf);
      tree_.edges[edge].proof = proof_of(leaf.values[root.mover]);
    }
  }

  /// If the oracle knows the leaf, decides it and marks the edge that led there. Kept out
  /// of line: the loop it would stand in runs faster without it.
  [[gnu::noinline]] bool probe_leaf(Leaf& leaf, Index edge) {
    const std::optional<ExactValue> exact = probe(*options_.oracle, leaf.state);
    if (!exact) return false;
    const int mover = game_->mover(leaf.state), above = tree_.nodes[leaf.path.back().node].mover;
    leaf.values[mover] = static_cast<float>(exact->value);
    leaf.values[mover ^ 1] = 1.0f - leaf.values[mover];
    leaf.decided = true;
    tree_.edges[edge].child = Tree<G>::kExact;
    tree_.edges[edge].proof = proof_of(mover == above ? exact->value : 1 - exact->value);
    return true;
  }

  /// The game is over, or stopped, where the leaf is.
  void decide_by_result(Leaf& leaf) const {
    scaled_result(*game_, leaf.state, leaf.values);
    leaf.decided = true;
  }

  Index make_node(const State& state, const float* priors, const MoveList* moves = nullptr) {
    return new_nodes_.make(tree_, state, priors, moves);
  }

  /// Counts a node's first visit.
  void first_visit(Index index, float value) {
    Node& node = tree_.nodes[index];
    node.visits = 1;
    node.total = node.raw = value;
  }

  /// A first visit. Either fills the leaf, or returns a chance node to go on from.
  std::optional<Index> expand(Leaf& leaf, Index edge) {
    Index mark = defer_ ? Tree<G>::kVisited : kPending;
    bool drawn = false;
    if (game_->at_chance(leaf.state)) {
      State after = leaf.state;
      Outcome outcome = 0;
      // Where a position may recur, outcomes need edges that can say so.
      const bool defer = defer_ && (!history_.ends_by_repetition() || leaf.reversible == 0);
      if (defer) {
        outcome = sample(*game_, leaf.state, random_);
        game_->resolve(after, outcome);
      }
      // An edge can remember one outcome; a second draw in a row needs a node.
      if (!defer || game_->at_chance(after)) {
        const Index chance = make_node(leaf.state, nullptr);
        tree_.edges[edge].child = chance;
        return chance;
      }
      mark = Tree<G>::kDrawn | outcome;
      drawn = true;
      leaf.state = after;
    }
    if (game_->terminal(leaf.state)) {
      decide_by_result(leaf);
      if (!defer_) {
        mark = make_node(leaf.state, nullptr);
        tree_.nodes[mark].visits = 1;
      }
      if (proves() && !drawn)
        tree_.edges[edge].proof = proof_of(leaf.values[tree_.nodes[leaf.path.back().node].mover]);
    }
    tree_.edges[edge].child = mark;
    return std::nullopt;
  }

  /// The second visit of a deferred position: it gets its node, which inherits the
  /// first visit from the edge. `above` is the player who chose the edge.
  Index expand_deferred(Index edge, Index mark, int above, const State& state) {
    const Index index = make_node(state, nullptr);
    tree_.edges[edge].child = index;
    const Node& node = tree_.nodes[index];
    // Two players share one point, so the edge's value tells the other's too. The edge
    // has been counted for the second time already, but its total is of the first.
    const float first = node.mover == above ? tree_.edges[edge].total : 1.0f - tree_.edges[edge].total;
    first_visit(index, first);
    if (node.kind == Tree<G>::kTerminal && proves()) {
      float values[kMaxPlayers];
      scaled_result(*game_, state, values);
      tree_.edges[edge].proof = proof_of(values[above]);
    }
    if (node.kind == Tree<G>::kChance) {
      for (Index outcome = node.first; outcome < node.end(); ++outcome)
        if (tree_.edges[outcome].what == (mark & ~Tree<G>::kDrawn)) {
          tree_.edges[outcome].visits = 1;
          tree_.edges[outcome].total = first;
          tree_.edges[outcome].child = Tree<G>::kVisited;
        }
    }
    return index;
  }

  Index select_edge(Index at, const State& state) {
    const Node& node = tree_.nodes[at];
    if (node.kind == Tree<G>::kChance) {
      double left = random_.uniform();
      Index edge = node.first;
      for (; edge + 1 < node.end(); ++edge) {
        left -= tree_.edges[edge].prior;
        if (left < 0) break;
      }
      return edge;
    }
    const Index selected = select_move(at);
    return selected == kOpenNext ? new_nodes_.open_next(tree_, at, state) : selected;
  }

  /// A move of a decision node, or kOpenNext.
  Index select_move(Index at) {
    if (at == 0 && options_.wide_root > 0)
      if (const auto move = neglected_root_move()) return *move;
    return std::visit(
        [&](const auto& rule) {
          if constexpr (requires { rule.select_root(tree_, options_, simulations_, random_); })
            if (at == 0) return rule.select_root(tree_, options_, simulations_, random_);
          return rule.select(tree_, tree_.nodes[at], options_, random_);
        },
        rule_);
  }

  /// The first move of the root with the fewest visits, if they are fewer than `wide_root` asks for.
  std::optional<Index> neglected_root_move() const {
    const Node& root = tree_.nodes[0];
    if (!root.is_open()) return kOpenNext;
    std::optional<Index> found;
    float fewest = options_.wide_root * static_cast<float>(root.visits) / static_cast<float>(root.number);
    for (Index edge = root.first; edge < root.end(); ++edge) {
      const auto visits = static_cast<float>(tree_.edges[edge].visits);
      if (visits >= fewest || is_proven(tree_, edge, options_)) continue;
      fewest = visits;
      found = edge;
    }
    return found;
  }

  /// Takes back the visits of a path that led to a pending leaf.
  void undo_visits(const Leaf& leaf) {
    for (const auto& step : leaf.path) {
      --tree_.nodes[step.node].visits;
      --tree_.edges[tree_.edge_of(step)].visits;
    }
  }

  /// A node's value for its mover, from its edges.
  float negamax_value(const Node& node) const {
    float best = 0.0f, sum = 0.0f, visits = 0.0f;
    for (Index edge = node.first; edge < node.end(); ++edge) {
      if (tree_.edges[edge].visits == 0) continue;
      const auto n = static_cast<float>(tree_.edges[edge].visits);
      best = std::max(best, tree_.edges[edge].total);
      sum += n * tree_.edges[edge].total;
      visits += n;
    }
    return node.kind == Tree<G>::kChance ? sum / visits : best;
  }

  const G* game_;
  SearchOptions options_;
  const RuleTraits* traits_;
  AnyRule rule_;
  Random random_;
  bool defer_;  // positions become nodes at their second visit
  NodeMaker<G> new_nodes_;
  Tree<G> tree_;
  State root_state_;
  LeafHistory<G> history_;
  std::uint64_t simulations_ = 0;
  Expansion<G> expansion_;  // of the position that expanded_ has
  Leaf expanded_;
};

}  // namespace halma
