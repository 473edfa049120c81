// Many trees, one batch: the boundary to networks. collect() runs every tree down to
// positions that need judging and writes their planes side by side; whoever judges
// them answers with submit(). A tree may have several leaves under way.
#pragma once

#include "any_mcts.hpp"
#include "context.hpp"

namespace halma {

class AnyBatch {
 public:
  virtual ~AnyBatch() = default;
  virtual int trees() const = 0;
  /// `earlier` holds states of the game so far, newest first, one after the other; they
  /// serve encodings that look back, and their keys loop-cutting and repetitions. `quiet` is
  /// the number of plies without progress, `quiet_limit` how many of those end a game.
  virtual void set_root(int tree, const Bytes* state, const Bytes* earlier, int number,
                        std::uint64_t simulations, int quiet, int quiet_limit) = 0;
  /// Writes the planes of up to `capacity` leaves, at most `per_tree` of each tree, and
  /// returns their number; 0 once every tree has made its simulations.
  virtual int collect(float* planes, int capacity, int per_tree) = 0;
  /// Priors (leaves x actions, any positive numbers) and values (leaves x players, the
  /// mover first and then in turn, in [0, 1]) of the leaves of the last collect().
  virtual void submit(const float* priors, const float* values) = 0;
  /// Whether the root has been judged; everything below asks for that.
  virtual bool has_root(int tree) const = 0;
  virtual std::vector<RootMove> root_moves(int tree, int line_length) const = 0;
  virtual std::vector<float> policy(int tree) const = 0;
  virtual int best(int tree) const = 0;
  virtual float root_value(int tree) const = 0;
  virtual std::uint64_t simulations(int tree) const = 0;
  virtual TreeDump dump(int tree) const = 0;
};

template <Game G>
class Batch : public AnyBatch {
 public:
  using State = typename G::State;

  /// The game must outlive the batch. Tree i draws from the stream (seed, i).
  Batch(const G& game, const SearchOptions& options, int trees, std::uint64_t seed) : game_(&game) {
    for (int i = 0; i < trees; ++i)
      slots_.push_back({Mcts<G>(game, options, mix64(seed) + static_cast<std::uint64_t>(i), Judge::network),
                        {},
                        {},
                        {},
                        0,
                        0,
                        0,
                        {},
                        0,
                        false});
  }

  int trees() const override { return static_cast<int>(slots_.size()); }

  void set_root(int tree, const Bytes* state, const Bytes* earlier, int number, std::uint64_t simulations,
                int quiet, int quiet_limit) override {
    Slot& slot = slots_[tree];
    slot.root = load_state(*game_, state);
    slot.earlier.clear();
    slot.keys.clear();
    for (int i = 0; i < number; ++i) {
      slot.earlier.push_back(load_state(*game_, earlier + i * bytes_per_state()));
      slot.keys.push_back(game_->key(slot.earlier.back()));
    }
    slot.quiet = quiet;
    slot.quiet_limit = quiet_limit;
    slot.wanted = simulations;
    slot.unjudged = true;
  }

  int collect(float* planes, int capacity, int per_tree) override {
    awaited_.clear();
    for (std::size_t i = 0; i < slots_.size() && static_cast<int>(awaited_.size()) < capacity; ++i) {
      Slot& slot = slots_[i];
      slot.used = 0;
      if (slot.unjudged) {
        typename Mcts<G>::Leaf root;
        root.state = slot.root;
        await(i, -1, root, planes);
        continue;
      }
      if (!slot.search.has_root()) continue;
      while (slot.used < per_tree && static_cast<int>(awaited_.size()) < capacity &&
             slot.search.simulations() < slot.wanted && !slot.search.settled()) {
        if (static_cast<int>(slot.leaves.size()) <= slot.used) slot.leaves.emplace_back();
        auto& leaf = slot.leaves[slot.used];
        if (!slot.search.descend(leaf)) break;  // led to a leaf that is awaited already
        if (leaf.decided) {
          slot.search.finish(leaf, leaf.values);
          continue;
        }
        await(i, slot.used++, leaf, planes);
      }
    }
    return static_cast<int>(awaited_.size());
  }

  void submit(const float* priors, const float* values) override {
    const int players = game_->players(), actions = game_->actions();
    for (std::size_t k = 0; k < awaited_.size(); ++k) {
      const Awaited& awaited = awaited_[k];
      Slot& slot = slots_[awaited.slot];
      const State& state = awaited.leaf < 0 ? slot.root : slot.leaves[awaited.leaf].state;
      float turned[kMaxPlayers], gathered[kMaxMoves];
      const int mover = game_->mover(state);
      for (int i = 0; i < players; ++i) turned[(mover + i) % players] = values[k * players + i];
      gather(state, priors + k * actions, gathered);
      if (awaited.leaf < 0) {
        slot.search.set_root(slot.root, slot.keys, gathered, turned);
        if (slot.search.options().rule == Rule::gumbel) slot.search.plan_halving(slot.wanted);
        slot.unjudged = false;
      } else {
        slot.search.finish(slot.leaves[awaited.leaf], turned, gathered);
      }
    }
    awaited_.clear();
  }

  bool has_root(int tree) const override { return slots_[tree].search.has_root() && !slots_[tree].unjudged; }
  std::vector<RootMove> root_moves(int tree, int line_length) const override {
    return slots_[tree].search.root_moves(line_length);
  }
  std::vector<float> policy(int tree) const override { return slots_[tree].search.policy(); }
  int best(int tree) const override { return slots_[tree].search.best(); }
  float root_value(int tree) const override {
    const auto& root = slots_[tree].search.tree().nodes[0];
    return root.total / static_cast<float>(root.visits);
  }
  std::uint64_t simulations(int tree) const override { return slots_[tree].search.simulations(); }
  TreeDump dump(int tree) const override { return dump_tree(slots_[tree].search.tree()); }

 private:
  struct Slot {
    Mcts<G> search;
    std::vector<typename Mcts<G>::Leaf> leaves;  // the first `used` are under way
    std::vector<State> earlier;                  // newest first
    std::vector<std::uint64_t> keys;             // of those
    int quiet, quiet_limit;                      // plies without progress: had, and allowed
    int used;
    State root;
    std::uint64_t wanted;  // simulations
    bool unjudged;         // the root itself is to be judged first
  };
  struct Awaited {
    std::size_t slot;
    int leaf;  // -1: the root
  };

  std::size_t bytes_per_state() const {
    if constexpr (std::is_same_v<G, Opaque>)
      return game_->state_size();
    else
      return sizeof(State);
  }

  /// Writes a leaf's planes: itself, then the decisions on the way to it, then the game.
  void await(std::size_t index, int number, const typename Mcts<G>::Leaf& leaf, float* planes) {
    const Slot& slot = slots_[index];
    std::vector<State> recent{leaf.state};
    const auto history = static_cast<std::size_t>(game_->history());
    for (std::size_t i = leaf.decisions.size(); i-- > 0 && recent.size() < history;)
      recent.push_back(leaf.decisions[i]);
    for (std::size_t i = 0; i < slot.earlier.size() && recent.size() < history; ++i)
      recent.push_back(slot.earlier[i]);
    Context context;
    if (uses_context(*game_)) context = leaf_context(*game_, leaf, slot.keys, slot.quiet, slot.quiet_limit);
    game_->encode(std::span<const State>(recent), context, planes + awaited_.size() * game_->shape().size());
    awaited_.push_back({index, number});
  }

  /// Priors of the legal moves, made to add up to 1; equal ones where all are 0.
  void gather(const State& state, const float* priors, float* out) const {
    MoveList moves;
    game_->legal(state, moves);
    float sum = 0;
    for (int i = 0; i < moves.size(); ++i)
      sum += out[i] = std::max(0.0f, priors[game_->action(state, moves[i])]);
    for (int i = 0; i < moves.size(); ++i)
      out[i] = sum > 0 ? out[i] / sum : 1.0f / static_cast<float>(moves.size());
  }

  const G* game_;
  std::vector<Slot> slots_;
  std::vector<Awaited> awaited_;
};

}  // namespace halma
