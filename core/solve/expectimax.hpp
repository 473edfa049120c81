// The solver of games for two players, with or without chance, stage by stage (HasLayers in
// solve_hooks.hpp). A family that states no order is one block of a single stage (Opaque::Layers).
// Where play can return to a position, going on forever is a draw.
#pragma once

#include <atomic>
#include <optional>

#include "../interrupt.hpp"
#include "../thread_pool.hpp"
#include "exact_values.hpp"

namespace halma {

struct SolutionCounts {
  std::uint64_t positions = 0, wins = 0, draws = 0, losses = 0, between = 0;
  int longest_win = 0;
};

/// The solver, whatever the game.
class AnyExpectimax {
 public:
  virtual ~AnyExpectimax() = default;

  /// Solves the next stage and returns its number of positions; 0 after the last.
  virtual std::uint64_t step() = 0;
  virtual int stages() const = 0;
  virtual std::uint64_t decisions() const = 0;  // entries that step() will have visited
  virtual double denominator() const = 0;
  virtual bool exact() const = 0;

  /// The value of a state in a table, for the mover.
  virtual ExactValue look_up(const Bytes* state, ExactTable table) const = 0;
  virtual void look_up_many(const Bytes* states, std::uint64_t number, ExactTable table,
                            double* out) const = 0;
  virtual std::vector<MoveValue> moves(const Bytes* state, ExactTable table) const = 0;
  /// Decisions whose entry does not follow from those of its successors.
  virtual std::uint64_t verify(ExactTable table) const = 0;
  /// One bit per index: what can be reached from the start.
  virtual std::vector<std::uint64_t> reachable() const = 0;
  virtual SolutionCounts count(ExactTable table, const std::uint64_t* reachable) const = 0;

  int stage = 0;
  /// The most reversible moves in a row that any value so far depends on, in cyclic games.
  std::atomic<int> passes = 0;
  std::vector<double> values;
  std::vector<std::uint8_t> distances;
  int threads = 1;

  ExactTable table() const { return {values.data(), distances.data()}; }
  /// Allocates all values, at the first step.
  void allocate(std::uint64_t size) {
    // In parts: setting gigabytes to zero takes seconds. What a checkpoint restored stays.
    constexpr std::uint64_t kPart = 1 << 22;
    values.reserve(size);
    distances.reserve(size);
    for (std::uint64_t done = values.size(); done < size;) {
      poll_interrupt();
      done = std::min(size, done + kPart);
      values.resize(done);
      distances.resize(done);
    }
  }
};

template <HasLayers G>
class ExpectimaxSolver : public AnyExpectimax {
 public:
  using State = typename G::State;

  explicit ExpectimaxSolver(const G& game)
      : game_(game), exact_values_(game), stages_(G::Layers::stages(game)) {}

  int stages() const override { return static_cast<int>(stages_.size()); }
  double denominator() const override { return exact_values_.denominator(); }
  bool exact() const override { return exact_values_.exact(); }
  std::uint64_t decisions() const override {
    std::uint64_t number = 0;
    for (const Stage& stage : stages_)
      for (const Block& block : stage) number += block.last - block.first;
    return number;
  }

  std::uint64_t step() override {
    if (stage == stages()) return 0;
    allocate(game_.index_size());
    const Stage& blocks = stages_[stage];
    each_block(blocks, [this](const Block& block) {
      if constexpr (G::Layers::kCyclic)
        solve_cyclic(block);
      else
        solve_in_order(block);
    });
    std::uint64_t solved = 0;
    for (const Block& block : blocks) solved += block.last - block.first;
    ++stage;
    return solved;
  }

  ExactValue look_up(const Bytes* bytes, ExactTable table) const override {
    const State state = load_state(game_, bytes);
    return exact_values_.of(state, game_.mover(state), table);
  }

  void look_up_many(const Bytes* states, std::uint64_t number, ExactTable table, double* out) const override {
    constexpr std::uint64_t kPortion = 4096;
    const auto work = [&](std::uint64_t portion) {
      const std::uint64_t end = std::min(number, (portion + 1) * kPortion);
      for (std::uint64_t i = portion * kPortion; i < end; ++i)
        out[i] = look_up(states + i * packed_size(game_), table).value / exact_values_.denominator();
    };
    parallel_for(threads, (number + kPortion - 1) / kPortion, [&] { return work; });
  }

  std::vector<MoveValue> moves(const Bytes* bytes, ExactTable table) const override {
    std::vector<MoveValue> found;
    exact_values_.each_move(load_state(game_, bytes), table, [&](const MoveValue& m) { found.push_back(m); });
    return found;
  }

  std::uint64_t verify(ExactTable table) const override {
    // Where values are rounded, a sum in another order may differ in its last bits.
    const double tolerance = exact() ? 0 : kValueTolerance;
    std::atomic<std::uint64_t> wrong{0};
    for (const Stage& blocks : stages_)
      each_block(blocks, [&](const Block& block) {
        std::uint64_t found = 0;
        for (std::uint64_t index = block.first; index < block.last; ++index) {
          poll_interrupt(index, 256);
          const State state = game_.unindex(index);
          if (game_.terminal(state)) continue;
          const ExactValue best = exact_values_.best_move(state, table);
          // Written so that NaN counts as wrong.
          const bool right = std::abs(best.value - table.values[index]) <= tolerance;
          found += !right || best.distance != table.distances[index];
        }
        wrong += found;
      });
    return wrong;
  }

  std::vector<std::uint64_t> reachable() const override {
    std::vector<std::uint64_t> bits((game_.index_size() + 63) / 64);
    mark(bits, game_.initial(), [](std::uint64_t) {});
    // Play runs through the stages backward.
    for (auto blocks = stages_.rbegin(); blocks != stages_.rend(); ++blocks)
      each_block(*blocks, [&](const Block& block) { spread(bits, block); });
    return bits;
  }

  SolutionCounts count(ExactTable table, const std::uint64_t* bits) const override {
    const double win = exact_values_.denominator(), tolerance = exact() ? 0 : kValueTolerance;
    SolutionCounts counts;
    for (std::uint64_t index = 0; index < game_.index_size(); ++index) {
      if (!(bits[index / 64] >> (index % 64) & 1)) continue;
      const double value = table.values[index];
      ++counts.positions;
      if (value == win) {
        ++counts.wins;
        counts.longest_win = std::max<int>(counts.longest_win, table.distances[index]);
      } else if (value == 0) {
        ++counts.losses;
      } else if (std::abs(value - win / 2) <= tolerance) {
        ++counts.draws;
      } else {
        ++counts.between;
      }
    }
    return counts;
  }

 private:
  /// Shares the blocks of a stage among threads.
  template <class Work>
  void each_block(const Stage& blocks, Work&& work) const {
    parallel_for(threads, blocks.size(), [&] { return [&](std::uint64_t i) { work(blocks[i]); }; });
  }

  void keep(std::uint64_t index, ExactValue v) {
    values[index] = v.value;
    distances[index] = static_cast<std::uint8_t>(v.distance);
  }

  void solve_in_order(const Block& block) {
    for (std::uint64_t index = block.first; index < block.last; ++index) {
      poll_interrupt(index, 256);
      const State state = game_.unindex(index);
      if (!game_.terminal(state)) keep(index, exact_values_.best_move(state, table()));
    }
  }

  /// Values of two passes that differ by no more are the same. Whole numbers differ by more.
  static constexpr double kConverged = 1e-15;

  /// A position of a cyclic block as a successor of another one.
  struct Inner {
    std::uint32_t at : 30;           // counted from the block's first
    std::uint32_t flips : 1;         // another player is to move there
    std::uint32_t irreversible : 1;  // the move that leads there
  };
  /// An outcome of chance after a move; if it leads out of the block, to a value for the player.
  struct InnerOutcome {
    double probability;
    ExactValue outside;
    bool within;
    Inner inner;
  };
  /// A move to chance that may stay in the block: outcomes up to `last` from the last one's.
  struct InnerChance {
    std::size_t last;
    bool irreversible;
  };

  /// The successors of a cyclic block's positions, listed once. Moves that leave it lead to
  /// known values, of which the best is kept.
  struct InnerMoves {
    std::vector<ExactValue> leaving;
    std::vector<char> terminal;
    std::vector<Inner> staying;
    std::vector<std::size_t> staying_last;  // by position
    std::vector<InnerOutcome> outcomes;
    std::vector<InnerChance> chances;
    std::vector<std::size_t> chances_last;  // by position
  };

  std::optional<Inner> within(const Block& block, const State& state, int player, bool irreversible) const {
    if (game_.terminal(state)) return std::nullopt;
    const std::uint64_t index = game_.index(state);
    if (index < block.first || index >= block.last) return std::nullopt;
    return Inner{static_cast<std::uint32_t>(index - block.first), game_.mover(state) != player, irreversible};
  }

  InnerMoves list_moves(const Block& block) const {
    const ValueScale& scale = exact_values_.scale();
    const std::size_t size = block.last - block.first;
    InnerMoves found;
    found.leaving.assign(size, ExactValue{-1, 0});
    found.terminal.assign(size, 0);
    found.staying_last.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      poll_interrupt(i, 64);
      const State state = game_.unindex(block.first + i);
      MoveList moves;
      if (game_.terminal(state))
        found.terminal[i] = 1;
      else
        game_.legal(state, moves);
      const int player = game_.mover(state);
      for (const Move move : moves) {
        State next = state;
        game_.play(next, move);
        const bool irreversible = game_.irreversible(state, move);
        if (!game_.at_chance(next)) {
          if (const auto inner = within(block, next, player, irreversible)) {
            found.staying.push_back(*inner);
            continue;
          }
        } else if constexpr (kChanceWithin<G>) {
          if (list_outcomes(block, next, player, 1.0, found)) {
            found.chances.push_back({found.outcomes.size(), irreversible});
            continue;
          }
        }
        const ExactValue value = scale.before(exact_values_.of(next, player, table()), irreversible);
        if (scale.better(value, found.leaving[i])) found.leaving[i] = value;
      }
      found.staying_last.push_back(found.staying.size());
      found.chances_last.push_back(found.chances.size());
    }
    return found;
  }

  /// Lists the outcomes of chance, and of further chance after it, with their probabilities;
  /// lists nothing and returns false if all of them leave the block.
  bool list_outcomes(const Block& block, const State& chance, int player, double probability,
                     InnerMoves& found) const {
    const std::size_t before = found.outcomes.size();
    bool stays = false;
    OutcomeList outcomes;
    game_.outcomes(chance, outcomes);
    for (const Chance& outcome : outcomes) {
      State next = chance;
      game_.resolve(next, outcome.outcome);
      const double p = probability * outcome.probability;
      if (game_.at_chance(next)) {
        if (list_outcomes(block, next, player, p, found))
          stays = true;
        else
          found.outcomes.push_back({p, exact_values_.of(next, player, table()), false, {}});
      } else if (const auto inner = within(block, next, player, false)) {
        found.outcomes.push_back({p, {}, true, *inner});
        stays = true;
      } else {
        found.outcomes.push_back({p, exact_values_.of(next, player, table()), false, {}});
      }
    }
    if (!stays) found.outcomes.resize(before);
    return stays;
  }

  /// Ply by ply: pass n has the values of a game that is drawn after n more moves within the
  /// block. Without chance within the block they converge after a few passes; with it, they
  /// approach their limits until they differ by less than doubles can tell.
  void solve_cyclic(const Block& block) {
    const ValueScale& scale = exact_values_.scale();
    const std::size_t size = block.last - block.first;
    const InnerMoves moves = list_moves(block);
    std::vector<ExactValue> now(size, scale.draw()), next(size, scale.draw());
    const auto seen = [&](const Inner& inner) {
      return inner.flips ? scale.flipped(now[inner.at]) : now[inner.at];
    };
    int valued = 0;  // the last pass that changed a value, not only a distance
    bool converged = false;
    // Distances settle within kMaxDistance passes after values, unless rounding sways them.
    for (int pass = 1; !converged && pass < valued + 2 * kMaxDistance; ++pass) {
      converged = true;
      std::size_t staying = 0, chance = 0, outcome = 0;
      for (std::size_t i = 0; i < size; ++i) {
        poll_interrupt(i, 4096);
        if (moves.terminal[i]) continue;
        ExactValue best = moves.leaving[i];
        const auto consider = [&](const ExactValue& after, bool irreversible) {
          const ExactValue value = scale.before(after, irreversible);
          if (scale.better(value, best)) best = value;
        };
        for (; staying < moves.staying_last[i]; ++staying)
          consider(seen(moves.staying[staying]), moves.staying[staying].irreversible);
        if constexpr (kChanceWithin<G>) {
          for (; chance < moves.chances_last[i]; ++chance) {
            AverageValue average(scale);
            for (; outcome < moves.chances[chance].last; ++outcome) {
              const InnerOutcome& o = moves.outcomes[outcome];
              average.add(o.probability, o.within ? seen(o.inner) : o.outside);
            }
            consider(average.finish(average.sum()), moves.chances[chance].irreversible);
          }
        }
        next[i] = best;
        converged = converged && best == now[i];
        if (std::abs(best.value - now[i].value) > kConverged) valued = pass;
      }
      now.swap(next);
    }
    for (std::size_t i = 0; i < size; ++i)
      if (!moves.terminal[i]) keep(block.first + i, now[i]);
    for (int most = passes; valued > most && !passes.compare_exchange_weak(most, valued);) {
    }
  }

  /// Sets the bit of a decision, or of all decisions chance can lead to, and calls back with
  /// the index of those that were not set before.
  template <class Visit>
  void mark(std::vector<std::uint64_t>& bits, const State& state, Visit&& visit) const {
    if (game_.at_chance(state)) {
      OutcomeList outcomes;
      game_.outcomes(state, outcomes);
      for (const Chance& chance : outcomes) {
        State next = state;
        game_.resolve(next, chance.outcome);
        mark(bits, next, visit);
      }
    } else if (!game_.terminal(state)) {
      const std::uint64_t index = game_.index(state), bit = std::uint64_t{1} << (index % 64);
      std::atomic_ref<std::uint64_t> word(bits[index / 64]);
      if (word.load(std::memory_order_relaxed) & bit) return;
      if (!(word.fetch_or(bit, std::memory_order_relaxed) & bit)) visit(index);
    }
  }

  /// Marks everything that can be reached from marked positions of a block.
  void spread(std::vector<std::uint64_t>& bits, const Block& block) const {
    std::vector<std::uint64_t> open;
    std::vector<bool> seen(block.last - block.first);
    // Backward: unless the game is cyclic, every position comes after its predecessors.
    for (std::uint64_t index = block.last; index-- > block.first;) {
      std::atomic_ref<std::uint64_t> word(bits[index / 64]);
      if (seen[index - block.first] || !(word.load(std::memory_order_relaxed) >> (index % 64) & 1)) continue;
      seen[index - block.first] = true;
      open.push_back(index);
      while (!open.empty()) {
        poll_interrupt(open.back(), 256);
        const State state = game_.unindex(open.back());
        open.pop_back();
        MoveList moves;
        game_.legal(state, moves);
        for (const Move move : moves) {
          State next = state;
          game_.play(next, move);
          mark(bits, next, [&](std::uint64_t found) {
            if (found < block.first || found >= block.last) return;
            seen[found - block.first] = true;
            open.push_back(found);
          });
        }
      }
    }
  }

  const G& game_;
  ExactValues<G> exact_values_;
  std::vector<Stage> stages_;
};

}  // namespace halma
