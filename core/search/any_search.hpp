// A search driver behind an interface that knows no game: one virtual call starts many
// simulations, which run on the family's real types.
#pragma once

#include <memory>
#include <stdexcept>

#include "driver.hpp"

namespace halma {

/// Who evaluates leaves: an evaluator of the core, or a network from outside.
enum class EvaluatorKind : std::uint8_t { uniform, rollout, race, linear, network };
template <>
struct EnumNames<EvaluatorKind> {
  static constexpr std::array names{"uniform", "rollout", "race", "linear", "network"};
};

struct EvaluatorChoice {
  EvaluatorKind kind = EvaluatorKind::uniform;
  std::vector<float> weights;  // linear; empty: the family's own
  float scale = 0.0f;          // linear; 0: the family's own
};

/// A node of a tree written out for inspection.
struct NodeDump {
  int kind, mover;  // kind as in Tree::Kind
  std::uint32_t visits;
  float total;
  std::uint32_t first, number;
};
struct TreeDump {
  std::vector<NodeDump> nodes;
  std::vector<std::uint32_t> what, child, visits;
  std::vector<float> total, prior;
  std::vector<Proof> proof;
};

/// Nodes whose moves are listed are shown with all their edges, in the order of moves.
template <Game G>
TreeDump dump_tree(Tree<G> tree) {
  TreeDump out;
  for (auto& node : tree.nodes)
    if (tree.keeps_moves(node)) tree.open_all_listed(node);
  for (const auto& node : tree.nodes)
    out.nodes.push_back({node.kind, node.mover, node.visits, node.total, node.first, node.opened});
  for (const auto& edge : tree.edges) {
    out.what.push_back(edge.what);
    out.child.push_back(edge.child);
    out.visits.push_back(edge.visits);
    out.total.push_back(edge.total);
    out.prior.push_back(edge.prior);
    out.proof.push_back(edge.proof);
  }
  return out;
}

/// Values by player of the simulations that made a move of the root: means over those that went on to a
/// node that knows the player's value, one where the player is to move or where the game is over. A player
/// about whom fewer than half of them tell has NaN.
template <Game G>
class MoveValues {
 public:
  using State = typename G::State;
  using Index = typename Tree<G>::Index;

  MoveValues(const G& game, const Tree<G>& tree) : game_(&game), tree_(&tree) {}

  std::vector<float> after(const State& root, int move) {
    std::vector<float> means;
    const Index edge = tree_->nodes[0].first + move;
    for (player_ = 0; player_ < game_->players(); ++player_) {
      sum_ = visits_ = 0;
      visit(edge, root, false);
      const bool known = visits_ > 0 && 2 * visits_ >= tree_->edges[edge].visits;
      means.push_back(known ? static_cast<float>(sum_ / visits_) : std::nanf(""));
    }
    return means;
  }

 private:
  void visit(Index at, State state, bool chance) {
    const auto& edge = tree_->edges[at];
    if (edge.visits == 0) return;
    if (chance)
      game_->resolve(state, edge.what);
    else
      game_->play(state, edge.what);
    if (edge.child == Tree<G>::kLineEnd) return add_result(state, edge.visits);
    if (edge.child >= Tree<G>::kFirstMark) return;
    const auto& node = tree_->nodes[edge.child];
    if (node.kind == Tree<G>::kTerminal) return add_result(state, edge.visits);
    if (node.mover == player_) {
      sum_ += node.total;
      visits_ += node.visits;
      return;
    }
    for (Index next = node.first; next < node.end(); ++next)
      visit(next, state, node.kind == Tree<G>::kChance);
  }

  void add_result(const State& state, std::uint32_t visits) {
    float values[kMaxPlayers];
    scaled_result(*game_, state, values);
    sum_ += values[player_] * visits;
    visits_ += visits;
  }

  const G* game_;
  const Tree<G>* tree_;
  int player_ = 0;
  double sum_ = 0, visits_ = 0;
};

/// All a search is made of beside its game.
struct SearchSetup {
  SearchOptions options;
  EvaluatorChoice evaluator;
  std::uint64_t seed = 0;
  int max_pending = 1;
  bool reuse = false;
};

class AnySearch {
 public:
  virtual ~AnySearch() = default;
  /// Goes to the current position of a game: a decision at which it is not over.
  virtual void set_record(const Record& record) = 0;
  virtual bool has_record() const = 0;
  /// Searches with an evaluator of the core.
  virtual void run(std::uint64_t simulations, double seconds) = 0;

  // Searches with a network: begin(), then select_leaves(), encode() each, back_up() each, until
  // none is pending.
  virtual void begin(std::uint64_t simulations) = 0;
  virtual int select_leaves() = 0;
  virtual int pending() const = 0;
  virtual void encode(int leaf, float* planes) = 0;
  virtual void back_up(int leaf, const float* logits, const float* values) = 0;

  virtual bool is_searching() const = 0;  // everything below needs a search that was begun
  virtual std::vector<RootMove> root_moves(int line_length) const = 0;
  virtual std::vector<float> policy() const = 0;
  virtual std::vector<float> policy_target() const = 0;
  virtual int best() const = 0;
  virtual bool is_solved() const = 0;
  virtual std::uint64_t simulations() const = 0;
  virtual float root_value() const = 0;  // for the player to move
  /// By player, after a move of the root; see MoveValues.
  virtual std::vector<float> values_after(int move) const = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::size_t visited_edges() const = 0;
  virtual TreeDump dump() const = 0;
};

template <Game G>
class ErasedSearch : public AnySearch {
 public:
  /// `any` is the same game as `game`; both must outlive the search.
  ErasedSearch(const G& game, const AnyGame& any, SearchSetup setup)
      : game_(&game),
        evaluator_(std::move(setup.evaluator)),
        driver_(game, any, setup.options,
                evaluator_.kind == EvaluatorKind::network ? LeafEvaluation::planes : LeafEvaluation::values,
                setup.seed, setup.max_pending, setup.reuse) {
    if (evaluator_.kind == EvaluatorKind::race && !Races<G>)
      throw std::invalid_argument("this game does not say how far moves advance, as rollouts that race need");
    if (evaluator_.kind != EvaluatorKind::linear && evaluator_.kind != EvaluatorKind::race) return;
    if constexpr (HasFeatures<G>) {
      const std::vector<float> own = game.default_weights();
      if (evaluator_.weights.empty()) evaluator_.weights = own;
      if (evaluator_.scale == 0) evaluator_.scale = game.default_scale();
      if (evaluator_.weights.size() != own.size())
        throw std::invalid_argument("this game has " + std::to_string(own.size()) +
                                    " features, so it takes as many weights");
    } else {
      throw std::invalid_argument("this game has no features for a linear evaluator");
    }
  }

  void set_record(const Record& record) override { driver_.set_record(record); }
  bool has_record() const override { return driver_.has_record(); }
  void run(std::uint64_t simulations, double seconds) override {
    root_ = driver_.state();
    switch (evaluator_.kind) {
      case EvaluatorKind::uniform:
        driver_.run(UniformEvaluator{}, simulations, seconds, scratch_);
        break;
      case EvaluatorKind::rollout:
        driver_.run(RolloutEvaluator{}, simulations, seconds, scratch_);
        break;
      case EvaluatorKind::race:
        driver_.run(RaceEvaluator{{evaluator_.weights, evaluator_.scale}}, simulations, seconds, scratch_);
        break;
      case EvaluatorKind::linear:
        driver_.run(LinearEvaluator{evaluator_.weights, evaluator_.scale}, simulations, seconds, scratch_);
        break;
      case EvaluatorKind::network:
        throw std::invalid_argument("a network evaluates from outside");
    }
  }

  void begin(std::uint64_t simulations) override {
    root_ = driver_.state();
    driver_.begin(simulations, scratch_);
  }
  int select_leaves() override { return driver_.select_leaves(); }
  int pending() const override { return driver_.pending(); }
  void encode(int leaf, float* planes) override { driver_.encode(leaf, scratch_, planes); }
  void back_up(int leaf, const float* logits, const float* values) override {
    driver_.back_up(leaf, logits, values);
  }

  bool is_searching() const override { return driver_.is_searching(); }
  std::vector<RootMove> root_moves(int line_length) const override {
    return driver_.search().root_moves(line_length);
  }
  std::vector<float> policy() const override { return driver_.search().policy(); }
  std::vector<float> policy_target() const override { return driver_.search().policy_target(); }
  int best() const override { return driver_.search().best(); }
  bool is_solved() const override { return driver_.search().is_solved(); }
  std::uint64_t simulations() const override { return driver_.search().simulations(); }
  float root_value() const override { return driver_.search().root_value(); }
  std::vector<float> values_after(int move) const override {
    return MoveValues<G>(*game_, driver_.search().tree()).after(root_, move);
  }
  std::size_t bytes() const override { return driver_.search().tree().bytes(); }
  std::size_t visited_edges() const override { return driver_.search().tree().visited(); }
  TreeDump dump() const override { return dump_tree(driver_.search().tree()); }

 private:
  const G* game_;
  EvaluatorChoice evaluator_;
  SearchDriver<G> driver_;
  SearchScratch<G> scratch_;
  typename G::State root_{};  // of the tree
};

}  // namespace halma
