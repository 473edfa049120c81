// Tree search behind an interface that knows no game: one virtual call starts many
// simulations, which run on the family's real types.
#pragma once

#include <memory>
#include <stdexcept>

#include "../any.hpp"
#include "mcts.hpp"

namespace halma {

enum class EvaluatorKind : std::uint8_t { uniform, rollout, linear };

/// Which evaluator of the core a search uses.
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

template <Game G>
TreeDump dump_tree(const Tree<G>& tree) {
  TreeDump out;
  for (const auto& node : tree.nodes)
    out.nodes.push_back({node.kind, node.mover, node.visits, node.total, node.first, node.opened});
  out.what.assign(tree.what.begin(), tree.what.end());
  out.child.assign(tree.child.begin(), tree.child.end());
  out.visits.assign(tree.visits.begin(), tree.visits.end());
  out.total.assign(tree.total.begin(), tree.total.end());
  out.prior.assign(tree.prior.begin(), tree.prior.end());
  out.proof.assign(tree.proof.begin(), tree.proof.end());
  return out;
}

class AnyMcts {
 public:
  virtual ~AnyMcts() = default;
  virtual void set_root(const Bytes* state, std::vector<std::uint64_t> history) = 0;
  virtual void run(std::uint64_t simulations, double seconds) = 0;
  virtual void advance(const Bytes* state, Move move, std::span<const Outcome> outcomes,
                       std::vector<std::uint64_t> history) = 0;
  virtual std::vector<RootMove> root_moves(int line_length) const = 0;
  virtual std::vector<float> policy() const = 0;
  virtual int best() const = 0;
  virtual bool has_root() const = 0;  // everything below asks for one
  virtual bool settled() const = 0;
  virtual std::uint64_t simulations() const = 0;
  virtual float root_value() const = 0;  // for the player to move
  virtual std::size_t bytes() const = 0;
  virtual std::size_t visited_edges() const = 0;
  virtual TreeDump dump() const = 0;
};

template <Game G>
class ErasedMcts : public AnyMcts {
 public:
  /// The game must outlive the search.
  ErasedMcts(const G& game, const SearchOptions& options, EvaluatorChoice evaluator, std::uint64_t seed)
      : game_(&game), evaluator_(std::move(evaluator)), search_(game, options, seed, Judge::values) {
    if (evaluator_.kind != EvaluatorKind::linear) return;
    if constexpr (HasFeatures<G>) {
      const std::vector<float> own = game.default_weights();
      if (evaluator_.weights.empty()) evaluator_.weights = own;
      if (evaluator_.scale == 0) evaluator_.scale = game.default_scale();
      if (evaluator_.weights.size() != own.size())
        throw std::invalid_argument("this game has " + std::to_string(own.size()) + " features to weigh");
    } else {
      throw std::invalid_argument("this game has no features to judge a position by");
    }
  }

  void set_root(const Bytes* state, std::vector<std::uint64_t> history) override {
    search_.set_root(load_state(*game_, state), std::move(history));
  }
  void run(std::uint64_t simulations, double seconds) override {
    const SearchOptions& options = search_.options();
    switch (evaluator_.kind) {
      case EvaluatorKind::uniform:
        search_.run(UniformEvaluator{}, simulations, seconds);
        break;
      case EvaluatorKind::rollout:
        search_.run(RolloutEvaluator{options.rollout_plies, options.rollout_quiet}, simulations, seconds);
        break;
      case EvaluatorKind::linear:
        search_.run(LinearEvaluator{evaluator_.weights, evaluator_.scale}, simulations, seconds);
        break;
    }
  }
  void advance(const Bytes* state, Move move, std::span<const Outcome> outcomes,
               std::vector<std::uint64_t> history) override {
    search_.advance(load_state(*game_, state), move, outcomes, std::move(history));
  }
  std::vector<RootMove> root_moves(int line_length) const override { return search_.root_moves(line_length); }
  std::vector<float> policy() const override { return search_.policy(); }
  int best() const override { return search_.best(); }
  bool has_root() const override { return search_.has_root(); }
  bool settled() const override { return search_.settled(); }
  std::uint64_t simulations() const override { return search_.simulations(); }
  float root_value() const override {
    const auto& root = search_.tree().nodes[0];
    return root.total / static_cast<float>(root.visits);
  }
  std::size_t bytes() const override { return search_.tree().bytes(); }
  std::size_t visited_edges() const override { return search_.tree().visited(); }
  TreeDump dump() const override { return dump_tree(search_.tree()); }

 private:
  const G* game_;
  EvaluatorChoice evaluator_;
  Mcts<G> search_;
};

}  // namespace halma
