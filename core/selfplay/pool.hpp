// Self-play of many games at once. Slots are split into groups; while one group's leaves are
// with the network, another group's trees run. Nothing here depends on how many threads
// there are: each slot works for itself, and rows and finished games stand in the order of
// slots.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <mutex>

#include "../huge_pages.hpp"
#include "../prefetch.hpp"
#include "../thread_pool.hpp"
#include "slot.hpp"

namespace halma {

/// Arrays to be filled, a row for each leaf. Planes are floats, or bytes where the game has byte planes.
struct LeafBatch {
  void* planes;
  bool bytes;
  /// If not null, `legal_width` numbers a row: how many legal moves there are, then their actions.
  /// The network's policy is then expected for those moves alone.
  std::uint16_t* legal = nullptr;
  std::size_t legal_width = 0;
};

/// A network's output: its policy, and values (leaves x players, the mover first, from 0 to 1).
/// The policy are logits (leaves x actions), or floats that are the probabilities of legal moves
/// (leaves x policy_width). Logits and values are floats or halves.
struct NetworkOutput {
  const void* policy;
  bool half_policy;
  const void* values;
  bool half_values;
  std::size_t policy_width;
  bool of_legal_moves = false;
};

/// Sums over all games so far.
struct PoolTotals {
  std::uint64_t leaves = 0, games = 0, plies = 0;
  std::uint64_t cached = 0;          // leaves whose evaluation was kept; not among `leaves`
  std::uint64_t resigned = 0;        // games that ended so
  std::uint64_t resigned_not = 0;    // games that would have been, but were played on
  std::uint64_t resigned_wrong = 0;  // of those, where one who would have resigned got something
};

/// A slot in which an agent is to move.
struct AgentTurn {
  int slot, opponent;
  std::uint64_t number;  // of the game
};

class AnyPool {
 public:
  virtual ~AnyPool() = default;
  virtual int slots() const = 0;
  virtual int groups() const = 0;
  /// The most rows a group can fill.
  virtual int capacity(int group) const = 0;
  /// Leaves whose evaluation is pending.
  virtual int pending(int group) const = 0;
  /// Runs a group to its next leaves, writes their rows and returns how many there are.
  virtual int collect(int group, LeafBatch batch) = 0;
  /// Evaluates the leaves of the group's last collect().
  virtual void submit(int group, const NetworkOutput& output) = 0;
  /// Both at once: backs up, then collects, each tree while it is in the cache.
  virtual int step(int group, const NetworkOutput& output, LeafBatch batch) = 0;
  /// Whose network evaluates each pending leaf: 0 is the learner's, i + 1 that of opponent i.
  virtual void read_networks(int group, std::uint8_t* rows) const = 0;
  /// The slots of a group that wait for an agent's move.
  virtual std::vector<AgentTurn> agent_turns(int group) const = 0;
  /// The game in such a slot.
  virtual Record agents_record(int slot) const = 0;
  /// Plays a legal move in such a slot.
  virtual void play_agents_move(int slot, Move move) = 0;
  /// Games finished since it was last asked, by their numbers.
  virtual Samples take_finished() = 0;
  /// How many wait to be taken.
  virtual int finished() const = 0;
  /// Slots that play or may begin a game.
  virtual int active(int group) const = 0;
  /// Games are numbered below this; slots that would go beyond stand still.
  virtual std::uint64_t end() const = 0;
  virtual void set_end(std::uint64_t end) = 0;
  /// Lets slots that have come to the end play these games too, in this order.
  virtual void add_games(const std::vector<std::uint64_t>& numbers) = 0;
  /// Forgets evaluations that were kept: a network has changed.
  virtual void forget_evaluations() = 0;
  virtual PoolTotals totals() const = 0;
  virtual std::size_t bytes() const = 0;
};

template <Game G>
class Pool : public AnyPool {
 public:
  /// `any` is the same game as `game`; both must outlive the pool. Games are numbered from
  /// `first` to below `end`, and slot i plays first + i, first + i + slots, and so on.
  Pool(const G& game, const AnyGame& any, const SelfPlayOptions& options, const Limits& limits, int slots,
       int groups, int threads, std::uint64_t seed, std::uint64_t first, std::uint64_t end)
      : context_{&game, &any, options, limits, seed, static_cast<std::uint64_t>(slots), end},
        scratch_(static_cast<std::size_t>(threads)),
        threads_(threads),
        rows_(static_cast<std::size_t>(slots)),
        leaves_(static_cast<std::size_t>(slots)),
        cached_(static_cast<std::size_t>(slots)),
        finishers_(static_cast<std::size_t>(slots)) {
    slots_.reserve(static_cast<std::size_t>(slots));
    for (int i = 0; i < slots; ++i) slots_.emplace_back(context_, first + static_cast<std::uint64_t>(i));
    for (int g = 0; g < groups; ++g)
      groups_.push_back({static_cast<int>(std::int64_t{slots} * g / groups),
                         static_cast<int>(std::int64_t{slots} * (g + 1) / groups), 0});
    for (Scratch& one : scratch_) one.planes.resize(game.shape().size());
  }

  int slots() const override { return static_cast<int>(slots_.size()); }
  int groups() const override { return static_cast<int>(groups_.size()); }
  int capacity(int group) const override { return groups_[group].size() * context_.options.max_pending; }
  int pending(int group) const override { return groups_[group].pending; }

  int collect(int group, LeafBatch batch) override {
    const std::lock_guard lock(mutex_);
    give_games(groups_[group]);
    threads_.for_each(groups_[group].size(),
                      [&](int worker, int i) { run(groups_[group], i, worker, batch); });
    return fill(groups_[group], batch);
  }

  void submit(int group, const NetworkOutput& output) override {
    const std::lock_guard lock(mutex_);
    with_types(output, [&](const auto& policy, const auto* values) {
      threads_.for_each(groups_[group].size(),
                        [&](int, int i) { back_up(groups_[group].first + i, policy, values); });
    });
    groups_[group].pending = 0;
  }

  int step(int group, const NetworkOutput& output, LeafBatch batch) override {
    const std::lock_guard lock(mutex_);
    give_games(groups_[group]);
    with_types(output, [&](const auto& policy, const auto* values) {
      threads_.for_ranges(groups_[group].size(), [&](int worker, int first, int last) {
        for (int i = first; i < last; ++i) {
          prefetch_behind(groups_[group].first + i, groups_[group].first + last);
          back_up(groups_[group].first + i, policy, values);
          run(groups_[group], i, worker, batch);
        }
      });
    });
    return fill(groups_[group], batch);
  }

  void read_networks(int group, std::uint8_t* rows) const override {
    const std::lock_guard lock(mutex_);
    for (int slot = groups_[group].first; slot < groups_[group].last; ++slot)
      if (leaves_[slot])
        std::fill_n(rows + rows_[slot], leaves_[slot], static_cast<std::uint8_t>(slots_[slot].who()));
  }

  std::vector<AgentTurn> agent_turns(int group) const override {
    const std::lock_guard lock(mutex_);
    std::vector<AgentTurn> turns;
    for (int i = groups_[group].first; i < groups_[group].last; ++i)
      if (slots_[i].is_agents_turn()) turns.push_back({i, slots_[i].who() - 1, slots_[i].number()});
    return turns;
  }

  Record agents_record(int slot) const override {
    const std::lock_guard lock(mutex_);
    check_agents_turn(slot);
    return slots_[slot].driver().record();
  }

  void play_agents_move(int slot, Move move) override {
    const std::lock_guard lock(mutex_);
    check_agents_turn(slot);
    MoveList moves;
    context_.game->legal(slots_[slot].driver().state(), moves);
    if (std::find(moves.begin(), moves.end(), move) == moves.end())
      throw std::invalid_argument("this move is not legal");
    slots_[slot].play_agents_move(move);
    put_away(slots_[slot].finished());
  }

  Samples take_finished() override {
    const std::lock_guard lock(mutex_);
    std::sort(finished_.begin(), finished_.end(), [](const FinishedGame& a, const FinishedGame& b) {
      return a.summary.number < b.summary.number;
    });
    Samples samples;
    for (const FinishedGame& game : finished_) add_game(samples, game, context_.game->players());
    finished_.clear();
    return samples;
  }

  int finished() const override {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(finished_.size());
  }

  int active(int group) const override {
    const std::lock_guard lock(mutex_);
    int number = 0;
    for (int i = groups_[group].first; i < groups_[group].last; ++i)
      number += slots_[i].active() || !added_.empty();
    return number;
  }
  std::uint64_t end() const override { return context_.end; }
  void set_end(std::uint64_t end) override {
    const std::lock_guard lock(mutex_);
    context_.end = end;
  }
  void add_games(const std::vector<std::uint64_t>& numbers) override {
    const std::lock_guard lock(mutex_);
    added_.insert(added_.end(), numbers.begin(), numbers.end());
  }
  void forget_evaluations() override {
    const std::lock_guard lock(mutex_);
    for (Slot<G>& slot : slots_) slot.forget_evaluations();
  }
  /// Does not wait for a group that is at work: each asks between its steps.
  PoolTotals totals() const override {
    const std::lock_guard lock(totals_mutex_);
    return totals_;
  }
  std::size_t bytes() const override {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const Slot<G>& slot : slots_) sum += slot.bytes();
    for (const FinishedGame& game : finished_) sum += capacity_bytes(game);
    return sum;
  }

 private:
  struct Scratch {
    SearchScratch<G> search;
    std::vector<float> planes;
  };
  struct Group {
    int first, last;  // slots
    int pending;
    int size() const { return last - first; }
  };

  void check_agents_turn(int slot) const {
    if (slot < 0 || slot >= slots() || !slots_[slot].is_agents_turn())
      throw std::invalid_argument("no agent is to move in this slot");
  }

  /// Gives added games to slots without one. No thread is at work: who gets which does not depend on them.
  void give_games(const Group& group) {
    for (int i = group.first; i < group.last && !added_.empty(); ++i)
      if (!slots_[i].active()) {
        slots_[i].give(added_.front());
        added_.pop_front();
      }
  }

  /// Runs the i-th slot of a group.
  void run(const Group& group, int i, int worker, LeafBatch batch) {
    const int slot = group.first + i;
    slots_[slot].run(scratch_[worker].search);
    leaves_[slot] = slots_[slot].pending();
    cached_[slot] = slots_[slot].take_cached();
    finishers_[slot] = !slots_[slot].finished().empty();
    // Where a slot has one leaf at most, its row is nearly certain, and its tree at hand.
    if (one_leaf() && leaves_[slot]) write_row(slot, 0, worker, batch, i);
  }

  /// Asks for what the slots behind one will want, each in some steps: see Slot. Those from
  /// `last` on are another thread's, which may be at work on them.
  void prefetch_behind(int slot, int last) const {
    if (slot + 5 < last) prefetch(&slots_[slot + 5], Slot<G>::kHotBytes);
    if (slot + 4 < last) slots_[slot + 4].driver().prefetch_leaves();
    if (slot + 3 < last) slots_[slot + 3].driver().prefetch_tree();
    if (slot + 2 < last) slots_[slot + 2].driver().prefetch_path_nodes();
    if (slot + 1 < last) slots_[slot + 1].driver().prefetch_path_edges();
  }

  bool one_leaf() const { return context_.options.max_pending == 1; }

  /// Hands out rows in the order of slots and sees to it that they are filled.
  int fill(Group& group, LeafBatch batch) {
    int row = 0, cached = 0;
    for (int i = group.first; i < group.last; ++i) {
      rows_[i] = row;
      row += leaves_[i];
      cached += cached_[i];
      if (finishers_[i]) put_away(slots_[i].finished());
    }
    group.pending = row;
    {
      const std::lock_guard lock(totals_mutex_);
      totals_.leaves += static_cast<std::uint64_t>(row);
      totals_.cached += static_cast<std::uint64_t>(cached);
    }
    if (one_leaf())
      close_gaps(group, batch, row);
    else
      threads_.for_each(group.size(), [&](int worker, int i) {
        const int slot = group.first + i;
        for (int k = 0; k < leaves_[slot]; ++k) write_row(slot, k, worker, batch, rows_[slot] + k);
      });
    return row;
  }

  /// Rows were written as if each slot had one; those behind a slot without move up.
  void close_gaps(const Group& group, LeafBatch batch, int rows) const {
    if (rows == group.size()) return;
    const auto close = [&](void* data, std::size_t row) {
      auto* bytes = static_cast<unsigned char*>(data);
      for (int i = 0; i < group.size(); ++i) {
        const int slot = group.first + i;
        if (leaves_[slot] && rows_[slot] != i) std::memmove(bytes + rows_[slot] * row, bytes + i * row, row);
      }
    };
    close(batch.planes, plane_size() * (batch.bytes ? 1 : sizeof(float)));
    if (batch.legal) close(batch.legal, batch.legal_width * sizeof(std::uint16_t));
  }

  std::size_t plane_size() const { return static_cast<std::size_t>(context_.game->shape().size()); }

  /// Writes a leaf's planes, and its legal moves if they are wanted.
  void write_row(int slot, int leaf, int worker, LeafBatch batch, int row) {
    encode(slot, leaf, worker, batch, row);
    if (!batch.legal) return;
    std::uint16_t* legal = batch.legal + row * batch.legal_width;
    legal[0] = static_cast<std::uint16_t>(slots_[slot].list_legal(leaf, legal + 1));
  }

  void encode(int slot, int leaf, int worker, LeafBatch batch, int row) {
    Scratch& scratch = scratch_[worker];
    const std::size_t size = plane_size(), at = row * size;
    if (!batch.bytes) {
      slots_[slot].encode(leaf, scratch.search, static_cast<float*>(batch.planes) + at);
      return;
    }
    std::uint8_t* bytes = static_cast<std::uint8_t*>(batch.planes) + at;
    if constexpr (EncodesBytes<G>) {
      slots_[slot].encode(leaf, scratch.search, bytes);
    } else {
      slots_[slot].encode(leaf, scratch.search, scratch.planes.data());
      to_bytes(scratch.planes.data(), size, bytes);
    }
  }

  /// By way of int: the one conversion every processor has for whole vectors.
  static void to_bytes(const float* floats, std::size_t size, std::uint8_t* bytes) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(static_cast<int>(floats[i]));
  }

  /// A policy's rows: logits of all actions, or probabilities of legal moves.
  template <class Number, bool kLegal>
  struct Policy {
    const Number* data;
    std::size_t width;
  };

  template <class Number, bool kLegal, class Value>
  void back_up(int slot, const Policy<Number, kLegal>& policy, const Value* values) {
    const std::size_t players = context_.game->players();
    for (int k = 0; k < leaves_[slot]; ++k) {
      const std::size_t row = rows_[slot] + k;
      if constexpr (kLegal)
        slots_[slot].back_up_priors(k, policy.data + row * policy.width, values + row * players);
      else
        slots_[slot].back_up(k, policy.data + row * policy.width, values + row * players);
    }
    leaves_[slot] = 0;
  }

  template <class Use>
  static void with_types(const NetworkOutput& output, Use&& use) {
    const auto with_policy = [&](const auto& policy) {
      if (output.half_values)
        use(policy, static_cast<const Half*>(output.values));
      else
        use(policy, static_cast<const float*>(output.values));
    };
    if (output.of_legal_moves)
      with_policy(Policy<float, true>{static_cast<const float*>(output.policy), output.policy_width});
    else if (output.half_policy)
      with_policy(Policy<Half, false>{static_cast<const Half*>(output.policy), output.policy_width});
    else
      with_policy(Policy<float, false>{static_cast<const float*>(output.policy), output.policy_width});
  }

  void put_away(std::vector<FinishedGame>& games) {
    const std::lock_guard lock(totals_mutex_);
    for (FinishedGame& game : games) {
      const Summary& s = game.summary;
      ++totals_.games;
      totals_.plies += static_cast<std::uint64_t>(s.plies);
      totals_.resigned += s.end == End::none;
      totals_.resigned_not += s.end != End::none && s.resign_ply >= 0;
      totals_.resigned_wrong += s.resign_wrong;
      finished_.push_back(std::move(game));
    }
    games.clear();
  }

  PoolContext<G> context_;
  HugeVector<Slot<G>> slots_;
  std::vector<Group> groups_;
  std::vector<Scratch> scratch_;  // [worker]
  ThreadPool threads_;
  // Beside the slots, so that handing out rows does not walk through all of them.
  std::vector<int> rows_;                // [slot]: its first row
  std::vector<int> leaves_;              // [slot]: pending leaves
  std::vector<int> cached_;              // [slot]: leaves of its last run whose evaluation was kept
  std::vector<std::uint8_t> finishers_;  // [slot]: whether it has finished a game
  std::vector<FinishedGame> finished_;
  std::deque<std::uint64_t> added_;  // games that no slot has begun
  PoolTotals totals_;
  mutable std::mutex totals_mutex_;
  mutable std::mutex mutex_;  // groups may be asked from different threads; they take turns
};

}  // namespace halma
