// Monte-Carlo tree search over any game: any number of players, with or without chance.
//
// A simulation goes down the tree to a position that was not seen before, has it
// evaluated and carries the values back up. Going down counts visits at once (a virtual
// loss), coming up adds values; so several simulations may be under way in one tree
// when a network evaluates them together.
#pragma once

#include <chrono>
#include <optional>

#include "certainty.hpp"
#include "evaluators.hpp"
#include "selection.hpp"

namespace halma {

/// How leaves are judged: by values alone, by values and priors, or by a network, which
/// brings both and wants to see where a leaf has come from.
enum class Judge : std::uint8_t { values, priors, network };

/// One root move after a search.
struct RootMove {
  Move move;
  std::uint32_t visits;
  double value;  // for the player to move, in [0, 1]; NaN when never tried
  float prior;
  Proof proof;
  bool exact;              // the value is certain, be it proven or an oracle's
  std::vector<Move> line;  // the most visited continuation, without chance outcomes
};

template <Game G>
class Mcts {
 public:
  using State = typename G::State;
  using Index = typename Tree<G>::Index;
  using Node = typename Tree<G>::Node;

  /// A simulation that has gone down: its path and, once known, its values.
  struct Leaf {
    struct Step {
      Index node, edge;
    };
    std::vector<Step> path;
    State state;                      // where it has come to
    std::vector<State> decisions;     // states in which somebody chose, root first; if kept
    std::vector<std::uint64_t> keys;  // of those; with loop-cutting, or if planes show repetitions
    int quiet = 0;                    // plies of the path since its last progress, if planes show that
    bool progressed = false;          // whether the path made progress, likewise
    bool decided = false;             // values are known; otherwise the state must be evaluated
    float values[kMaxPlayers];
  };

  /// The game must outlive the search.
  Mcts(const G& game, SearchOptions options, std::uint64_t seed, Judge judge)
      : game_(&game),
        options_(options),
        random_(seed),
        // Priors must be kept, so with them a position becomes a node at once.
        defer_(judge == Judge::values && game.players() == 2),
        // Noise and Gumbel tell untried moves apart, so they need all edges.
        open_late_(judge == Judge::values && options.rule != Rule::gumbel),
        keep_states_(judge == Judge::network && game.history() > 1),
        keep_context_(judge == Judge::network && uses_context(game)) {}

  const Tree<G>& tree() const { return tree_; }
  const SearchOptions& options() const { return options_; }
  Random& random() { return random_; }
  std::uint64_t simulations() const { return simulations_; }

  /// Starts anew from a decision state. `history` holds the keys of the game so far,
  /// for loop-cutting; `priors` one number per legal move, or nothing for equal ones.
  void set_root(const State& state, std::vector<std::uint64_t> history = {}, const float* priors = nullptr,
                const float* values = nullptr, const MoveList* moves = nullptr) {
    tree_.clear();
    history_ = std::move(history);
    simulations_ = 0;
    root_state_ = state;
    const Index root = make_node(state, priors, moves);
    open_all(root, state);
    look_up_moves();
    start_root(root, values);
  }

  bool has_root() const { return !tree_.nodes.empty(); }

  /// Whether nothing is left to find out: the root is over or proven, or all its moves are
  /// known.
  bool settled() const {
    const Node& root = tree_.nodes[0];
    return root.kind != Tree<G>::kDecision || (options_.solver && node_proof(tree_, root) != Proof::none) ||
           (options_.oracle && all_known(tree_, root));
  }

  /// Runs simulations with an evaluator of the core until `simulations` of this root
  /// have been made in all, `seconds` are over (0: no limit), or the root is settled.
  template <Evaluator<G> E>
  void run(const E& evaluator, std::uint64_t simulations, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    if (options_.rule == Rule::gumbel) plan_halving(simulations);
    while (simulations_ < simulations && !settled()) {
      // Looking at the clock costs as much as a simulation of a small game.
      if (seconds > 0 && simulations_ % 64 == 0 && Clock::now() >= deadline) break;
      descend(leaf_);
      if (!leaf_.decided) evaluator.evaluate(*game_, leaf_.state, leaf_.values, random_);
      finish(leaf_, leaf_.values);
    }
  }

  /// Plans Gumbel's sequential halving for so many simulations; needed before the
  /// first of them when they are driven from outside.
  void plan_halving(std::uint64_t simulations) {
    if (!halving_.empty() && halving_.size() == simulations) return;
    const Node& root = tree_.nodes[0];
    gumbel_.resize(root.number);
    for (float& g : gumbel_)
      g = -std::log(-std::log(static_cast<float>(random_.uniform()) * 0.99999f + 1e-6f));
    halving_ = halving_plan(std::min<int>(options_.considered, root.number), simulations);
  }

  /// Goes down once. Afterwards `leaf.decided` tells whether finish() can follow at
  /// once. Returns false, with nothing changed, when the way led to a position whose
  /// evaluation is still awaited.
  bool descend(Leaf& leaf) {
    leaf.path.clear();
    leaf.decisions.clear();
    leaf.keys.clear();
    leaf.decided = false;
    leaf.quiet = 0;
    leaf.progressed = false;
    leaf.state = root_state_;
    State& state = leaf.state;
    Index at = 0;
    while (true) {
      if (tree_.nodes[at].kind == Tree<G>::kTerminal) {
        ++tree_.nodes[at].visits;
        settle(leaf);
        break;
      }
      const Index edge = choose(at, state);
      const Index to = tree_.child[edge];
      if (to == kAwaited) {
        retreat(leaf);
        return false;
      }
      Node& node = tree_.nodes[at];
      ++node.visits;
      ++tree_.visits[edge];
      leaf.path.push_back({at, edge});
      if (options_.solver && tree_.proof[edge] != Proof::none) {
        // Players avoid what is proven; chance does not, and gets the proven value.
        leaf.values[node.mover] = proof_value(tree_.proof[edge]);
        leaf.values[node.mover ^ 1] = 1.0f - leaf.values[node.mover];
        leaf.decided = true;
        break;
      }
      if (node.kind == Tree<G>::kChance) {
        game_->resolve(state, tree_.what[edge]);
      } else {
        if (keep_states_) leaf.decisions.push_back(state);
        if (options_.cut_loops || keep_context_) leaf.keys.push_back(game_->key(state));
        if (keep_context_) {
          const bool progress = game_->irreversible(state, tree_.what[edge]);
          leaf.progressed = leaf.progressed || progress;
          leaf.quiet = progress ? 0 : leaf.quiet + 1;
        }
        game_->play(state, tree_.what[edge]);
      }
      if (to < Tree<G>::kFirstMark) {
        at = to;
        continue;
      }
      if (to == Tree<G>::kLoop) {
        settle(leaf);
        break;
      }
      if (to == Tree<G>::kKnown) {
        consult(leaf, edge);
        break;
      }
      if (to == Tree<G>::kUnvisited) {
        // First, as what is known does not depend on the way there.
        if (options_.oracle && consult(leaf, edge)) break;
        if (options_.cut_loops && repeats(leaf)) {
          tree_.child[edge] = Tree<G>::kLoop;
          settle(leaf);
          break;
        }
        if (const std::optional<Index> chance = open(leaf, edge)) {
          at = *chance;
          continue;
        }
        break;
      }
      at = become_node(edge, to, node.mover, state);
    }
    ++simulations_;
    return true;
  }

  /// Carries a leaf's values up. `priors` has one number per legal move of the leaf; who
  /// has listed those already passes them on as `moves`.
  void finish(const Leaf& leaf, const float* evaluated, const float* priors = nullptr,
              const MoveList* moves = nullptr) {
    if (!leaf.decided && !defer_) {
      const Index edge = leaf.path.back().edge;
      const Index node = make_node(leaf.state, priors, moves);
      tree_.child[edge] = node;
      start_node(node, evaluated[tree_.nodes[node].mover]);
    }
    float values[kMaxPlayers];
    std::copy_n(evaluated, game_->players(), values);
    for (std::size_t i = leaf.path.size(); i-- > 0;) {
      const auto [at, edge] = leaf.path[i];
      Node& node = tree_.nodes[at];
      const float value = values[node.mover];
      node.total += value;
      if (options_.backup == Backup::mean) {
        tree_.total[edge] += value;
      } else {
        tree_.total[edge] = value;
        const float best = current_value(node);
        values[node.mover] = best;
        values[node.mover ^ 1] = 1.0f - best;
      }
    }
    if (options_.solver) spread_proofs(leaf);
  }

  /// Mixes noise into the root's priors.
  void add_noise() {
    const Node& root = tree_.nodes[0];
    std::vector<float> noise(root.number);
    float sum = 0;
    for (float& x : noise) sum += x = random_.gamma(options_.noise_alpha);
    for (int i = 0; i < root.number; ++i) {
      float& prior = tree_.prior[root.first + i];
      prior = (1 - options_.noise_weight) * prior +
              options_.noise_weight * (sum > 0 ? noise[i] / sum : 1.0f / root.number);
    }
  }

  std::vector<RootMove> root_moves(int line_length = 8) const {
    std::vector<RootMove> moves;
    const Node& root = tree_.nodes[0];
    for (Index edge = root.first; edge < root.end(); ++edge) {
      RootMove move{.move = tree_.what[edge],
                    .visits = tree_.visits[edge],
                    .value = std::nan(""),
                    .prior = tree_.prior[edge],
                    .proof = tree_.proof[edge],
                    .exact = is_known(tree_, edge),
                    .line = {}};
      if (move.visits) move.value = edge_value(tree_, edge, options_.backup);
      if (move.proof != Proof::none) move.value = proof_value(move.proof);
      if (tree_.child[edge] == Tree<G>::kKnown)
        move.value = known_edge(*game_, options_.oracle.get(), tree_, edge, root_state_).value;
      move.line = tree_.main_line(edge, line_length);
      moves.push_back(std::move(move));
    }
    return moves;
  }

  /// The policy a search ends with: visit shares, or Gumbel's improved policy.
  std::vector<float> policy() const {
    const Node& root = tree_.nodes[0];
    std::vector<float> out(root.number);
    if (options_.rule == Rule::gumbel) {
      improved_policy(tree_, root, options_, out.data());
      return out;
    }
    float sum = 0;
    for (int i = 0; i < root.number; ++i) sum += out[i] = static_cast<float>(tree_.visits[root.first + i]);
    for (float& x : out) x = sum > 0 ? x / sum : 1.0f / static_cast<float>(root.number);
    return out;
  }

  /// The root move to play: the quickest certain win; where all moves are known, the best;
  /// else the most visited that is not proven lost (ties by value); with Gumbel, the best
  /// of the finalists.
  int best() const {
    const Node& root = tree_.nodes[0];
    if (const auto certain = best_known(*game_, options_.oracle.get(), tree_, root_state_)) return *certain;
    int best = 0;
    std::uint32_t most = 0;
    for (int i = 0; i < root.number; ++i) most = std::max(most, tree_.visits[root.first + i]);
    std::vector<float> scaled(root.number);
    if (options_.rule == Rule::gumbel && !gumbel_.empty())
      completed_values(tree_, root, options_, scaled.data());
    float best_score = -1e30f;
    for (int i = 0; i < root.number; ++i) {
      const Index edge = root.first + i;
      const auto n = static_cast<float>(tree_.visits[edge]);
      float score = n + (n > 0 ? edge_value(tree_, edge, options_.backup) * 0.5f : 0.0f);
      if (options_.rule == Rule::gumbel && !gumbel_.empty())
        score = tree_.visits[edge] == most ? gumbel_[i] + logit(tree_.prior[edge]) + scaled[i] : -1e29f;
      if (tree_.proof[edge] == Proof::loss) score = -1e29f;
      if (score > best_score) {
        best = i;
        best_score = score;
      }
    }
    return best;
  }

  /// Goes on from the position after `move` (and the outcomes that followed), keeping
  /// what was found out about it. Starts anew when nothing was.
  void advance(const State& state, Move move, std::span<const Outcome> outcomes,
               std::vector<std::uint64_t> history) {
    Tree<G> kept;
    if (!keep_below(move, outcomes, kept)) {
      set_root(state, std::move(history));
      return;
    }
    tree_ = std::move(kept);
    restart(state, std::move(history));
  }

  /// The same for searches whose roots are judged from outside: returns false, with
  /// nothing changed, when nothing was found out. `spare` is a tree to work with; what
  /// it has room for is kept, as is what this search has room for.
  bool advance_known(const State& state, Move move, std::span<const Outcome> outcomes,
                     std::vector<std::uint64_t> history, Tree<G>& spare) {
    spare.clear();
    if (!keep_below(move, outcomes, spare)) return false;
    tree_ = spare;
    restart(state, std::move(history));
    return true;
  }

  /// Root noise from the next root on; 0: none.
  void set_noise(float weight) { options_.noise_weight = weight; }

 private:
  static constexpr Index kAwaited = 0xFFFFFFFCu;  // evaluation under way

  /// Copies what lies below a move and the outcomes after it, if that is a decision.
  bool keep_below(Move move, std::span<const Outcome> outcomes, Tree<G>& kept) const {
    Index at = 0;
    bool known = has_root() && tree_.follow(at, move);
    for (const Outcome outcome : outcomes) known = known && tree_.follow(at, outcome);
    if (!known || tree_.nodes[at].kind != Tree<G>::kDecision) return false;
    tree_.copy_below(at, kept);
    return true;
  }

  /// Begins a search in a tree that was kept.
  void restart(const State& state, std::vector<std::uint64_t> history) {
    root_state_ = state;
    open_all(0, state);
    look_up_moves();
    history_ = std::move(history);
    halving_.clear();
    gumbel_.clear();
    simulations_ = tree_.nodes[0].visits - 1;
    if (options_.noise_weight > 0) add_noise();
  }

  /// Whether edges remember that they lead to the end of the game.
  bool proves() const { return options_.solver || options_.oracle; }

  /// Asks the rules and the oracle about every move of the root, so that a search that ends with the first
  /// win proven has seen the quickest of those known.
  void look_up_moves() {
    if (!options_.oracle) return;
    const Node root = tree_.nodes[0];
    for (Index edge = root.first; edge < root.end(); ++edge) {
      if (tree_.child[edge] != Tree<G>::kUnvisited) continue;
      Leaf leaf;
      leaf.path.push_back({0, edge});
      leaf.state = root_state_;
      game_->play(leaf.state, tree_.what[edge]);
      if (consult(leaf, edge) || game_->at_chance(leaf.state) || !game_->terminal(leaf.state)) continue;
      settle(leaf);
      tree_.proof[edge] = proof_of(leaf.values[root.mover]);
    }
  }

  /// If the oracle knows the leaf, decides it and marks the edge that led there. Kept out
  /// of line: the loop it would stand in runs faster without it.
  [[gnu::noinline]] bool consult(Leaf& leaf, Index edge) {
    const std::optional<ExactValue> known = probe(*options_.oracle, leaf.state);
    if (!known) return false;
    const int mover = game_->mover(leaf.state), above = tree_.nodes[leaf.path.back().node].mover;
    leaf.values[mover] = static_cast<float>(known->value);
    leaf.values[mover ^ 1] = 1.0f - leaf.values[mover];
    leaf.decided = true;
    tree_.child[edge] = Tree<G>::kKnown;
    tree_.proof[edge] = proof_of(mover == above ? known->value : 1 - known->value);
    return true;
  }

  /// The game is over, or stopped, where the leaf is.
  void settle(Leaf& leaf) const {
    scaled_result(*game_, leaf.state, leaf.values);
    leaf.decided = true;
  }

  Index make_node(const State& state, const float* priors, const MoveList* known = nullptr) {
    const auto index = static_cast<Index>(tree_.nodes.size());
    Node node{};
    node.mover = static_cast<std::uint8_t>(game_->mover(state));
    if (game_->at_chance(state)) {
      OutcomeList outcomes;
      game_->outcomes(state, outcomes);
      node.kind = Tree<G>::kChance;
      node.number = node.opened = static_cast<std::uint16_t>(outcomes.size());
      node.first = tree_.grow(outcomes.size());
      for (int i = 0; i < outcomes.size(); ++i) {
        tree_.what[node.first + i] = outcomes[i].outcome;
        tree_.prior[node.first + i] = static_cast<float>(outcomes[i].probability);
      }
    } else if (open_late_) {
      node.number = static_cast<std::uint16_t>(count_moves(*game_, state));
      node.kind = node.number ? Tree<G>::kDecision : Tree<G>::kTerminal;
    } else {
      MoveList listed;
      if (!known) game_->legal(state, listed);
      const MoveList& moves = known ? *known : listed;
      node.kind = moves.empty() ? Tree<G>::kTerminal : Tree<G>::kDecision;
      node.number = node.opened = static_cast<std::uint16_t>(moves.size());
      node.first = tree_.grow(moves.size());
      for (int i = 0; i < moves.size(); ++i) {
        tree_.what[node.first + i] = moves[i];
        tree_.prior[node.first + i] = priors ? priors[i] : 1.0f / static_cast<float>(moves.size());
      }
    }
    tree_.nodes.push_back(node);
    return index;
  }

  /// Gives a node the edges it still lacks: the root has all of them.
  void open_all(Index index, const State& state) {
    Node node = tree_.nodes[index];
    if (node.is_open()) return;
    MoveList moves;
    game_->legal(state, moves);
    const Index first = tree_.grow(node.number);
    for (int i = 0; i < node.number; ++i) {
      if (i < node.opened) {
        tree_.copy_edge(node.first + i, first + i);
      } else {
        tree_.what[first + i] = moves[i];
        tree_.prior[first + i] = 1.0f / static_cast<float>(node.number);
      }
    }
    node.first = first;
    node.opened = node.number;
    tree_.nodes[index] = node;
  }

  /// Writes down a node's first visit.
  void start_node(Index index, float value) {
    Node& node = tree_.nodes[index];
    node.visits = 1;
    node.total = node.raw = value;
  }

  void start_root(Index root, const float* values) {
    start_node(root, values ? values[tree_.nodes[root].mover] : 1.0f / static_cast<float>(game_->players()));
    halving_.clear();
    gumbel_.clear();
    if (options_.noise_weight > 0) add_noise();
  }

  /// A first visit. Either fills the leaf, or returns a chance node to go on from.
  std::optional<Index> open(Leaf& leaf, Index edge) {
    Index mark = defer_ ? Tree<G>::kVisited : kAwaited;
    bool drawn = false;
    if (game_->at_chance(leaf.state)) {
      State after = leaf.state;
      Outcome outcome = 0;
      if (defer_) {
        outcome = sample(*game_, leaf.state, random_);
        game_->resolve(after, outcome);
      }
      // An edge can remember one outcome; a second draw in a row needs a node.
      if (!defer_ || game_->at_chance(after)) {
        const Index chance = make_node(leaf.state, nullptr);
        tree_.child[edge] = chance;
        return chance;
      }
      mark = Tree<G>::kDrawn | outcome;
      drawn = true;
      leaf.state = after;
    }
    if (game_->terminal(leaf.state)) {
      settle(leaf);
      if (!defer_) {
        mark = make_node(leaf.state, nullptr);
        tree_.nodes[mark].visits = 1;
      }
      if (proves() && !drawn)
        tree_.proof[edge] = proof_of(leaf.values[tree_.nodes[leaf.path.back().node].mover]);
    }
    tree_.child[edge] = mark;
    return std::nullopt;
  }

  /// The second visit of a deferred position: it gets its node, which inherits the
  /// first visit from the edge. `above` is the player who chose the edge.
  Index become_node(Index edge, Index mark, int above, const State& state) {
    const Index index = make_node(state, nullptr);
    tree_.child[edge] = index;
    const Node& node = tree_.nodes[index];
    // Two players share one point, so the edge's value tells the other's too. The edge
    // has been counted for the second time already, but its total is of the first.
    const float first = node.mover == above ? tree_.total[edge] : 1.0f - tree_.total[edge];
    start_node(index, first);
    if (node.kind == Tree<G>::kTerminal && proves()) {
      float values[kMaxPlayers];
      scaled_result(*game_, state, values);
      tree_.proof[edge] = proof_of(values[above]);
    }
    if (node.kind == Tree<G>::kChance) {
      for (Index outcome = node.first; outcome < node.end(); ++outcome)
        if (tree_.what[outcome] == (mark & ~Tree<G>::kDrawn)) {
          tree_.visits[outcome] = 1;
          tree_.total[outcome] = first;
          tree_.child[outcome] = Tree<G>::kVisited;
        }
    }
    return index;
  }

  Index choose(Index at, const State& state) {
    const Node& node = tree_.nodes[at];
    if (node.kind == Tree<G>::kChance) {
      double left = random_.uniform();
      Index edge = node.first;
      for (; edge + 1 < node.end(); ++edge) {
        left -= tree_.prior[edge];
        if (left < 0) break;
      }
      return edge;
    }
    tree_.prefetch_ways(node);
    Index chosen = node.first;
    switch (options_.rule) {
      case Rule::uct:
        chosen = select_uct(tree_, node, options_);
        break;
      case Rule::puct:
        chosen = select_puct(tree_, node, options_);
        break;
      case Rule::gumbel:
        return at == 0 ? select_halving(node) : select_improved(tree_, node, options_);
    }
    return chosen == kOpenNext ? open_next(at, state) : chosen;
  }

  Index open_next(Index at, const State& state) {
    MoveList moves;
    game_->legal(state, moves);
    Node& node = tree_.nodes[at];
    return tree_.open_next(node, moves[node.opened], 1.0f / static_cast<float>(node.number));
  }

  /// Gumbel at the root: of the moves drawn, those with as many visits as the plan
  /// says compete by noise, prior and value.
  Index select_halving(const Node& root) {
    const std::uint32_t wanted =
        halving_.empty() ? 0 : halving_[std::min<std::size_t>(simulations_, halving_.size() - 1)];
    float scaled[kMaxMoves];
    completed_values(tree_, root, options_, scaled);
    int best = -1;
    float best_score = -1e30f;
    for (int i = 0; i < root.number; ++i) {
      const Index edge = root.first + i;
      if (is_done(tree_, edge, options_)) continue;
      const float score = gumbel_[i] + logit(tree_.prior[edge]) + (wanted ? scaled[i] : 0.0f);
      if (tree_.visits[edge] == wanted && score > best_score) {
        best = i;
        best_score = score;
      }
    }
    // Proofs may have taken away every move the plan had in mind.
    return best < 0 ? select_improved(tree_, root, options_) : root.first + best;
  }

  /// Takes back the visits of a way that led nowhere.
  void retreat(const Leaf& leaf) {
    for (const auto& [at, edge] : leaf.path) {
      --tree_.nodes[at].visits;
      --tree_.visits[edge];
    }
  }

  bool repeats(const Leaf& leaf) const {
    if (game_->at_chance(leaf.state)) return false;
    const std::uint64_t key = game_->key(leaf.state);
    return std::find(leaf.keys.begin(), leaf.keys.end(), key) != leaf.keys.end() ||
           std::find(history_.begin(), history_.end(), key) != history_.end();
  }

  /// Negamax: a node's value for its mover, from its edges.
  float current_value(const Node& node) const {
    float best = 0.0f, sum = 0.0f, visits = 0.0f;
    for (Index edge = node.first; edge < node.end(); ++edge) {
      if (tree_.visits[edge] == 0) continue;
      const auto n = static_cast<float>(tree_.visits[edge]);
      best = std::max(best, tree_.total[edge]);
      sum += n * tree_.total[edge];
      visits += n;
    }
    return node.kind == Tree<G>::kChance ? sum / visits : best;
  }

  /// Carries proofs up a finished path as far as they reach.
  void spread_proofs(const Leaf& leaf) {
    for (std::size_t i = leaf.path.size(); i-- > 1;) {
      const Node& node = tree_.nodes[leaf.path[i].node];
      const Proof proof = node_proof(tree_, node);
      if (proof == Proof::none) return;
      const auto [above, edge] = leaf.path[i - 1];
      tree_.proof[edge] = tree_.nodes[above].mover == node.mover ? proof : opposite(proof);
    }
  }

  const G* game_;
  SearchOptions options_;
  Random random_;
  bool defer_;         // positions become nodes at their second visit
  bool open_late_;     // nodes get edges for the moves they try
  bool keep_states_;   // encodings look back
  bool keep_context_;  // encodings show repetition and progress
  Tree<G> tree_;
  State root_state_;
  std::vector<std::uint64_t> history_;
  std::uint64_t simulations_ = 0;
  Leaf leaf_;
  std::vector<std::uint32_t> halving_;  // visits a root move must have to be considered, per simulation
  std::vector<float> gumbel_;           // [root move]
};

}  // namespace halma
