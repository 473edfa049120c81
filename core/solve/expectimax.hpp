// Exact values of chance games for two players, by stages (expectimax_layers.hpp).
//
// A value is what the player to move gets under best play, times a denominator that makes
// it a whole number. Doubles hold whole numbers exactly, so nothing is lost to rounding as
// long as the denominator is small enough; where it is not, values are plain doubles.
//
// Beside each value stands a distance, so that a player who is ahead makes progress: for a
// certain win or loss the plies to the end, whatever chance does; for any other value but a
// half the plies to the next move that cannot be taken back. Who is ahead wants it short,
// who is behind wants it long. Where play can circle, going on forever is a draw.
#pragma once

#include <atomic>
#include <cmath>

#include "../any.hpp"
#include "crew.hpp"
#include "expectimax_layers.hpp"

namespace halma {

/// What a position is worth to a player: value times denominator, and distance.
struct Worth {
  double value;
  int distance;
  bool operator==(const Worth&) const = default;
};

/// Solved positions as others see them: arrays by index, possibly mapped from a file.
struct WorthTable {
  const double* values;
  const std::uint8_t* distances;
};

struct SolutionCounts {
  std::uint64_t positions = 0, wins = 0, draws = 0, losses = 0, between = 0;
  int longest_win = 0;
};

/// A move and what it is worth to its player.
struct MoveWorth {
  Move move;
  Worth worth;
};

inline constexpr int kLongestDistance = 255;  // and longer

/// The arithmetic of worths for one game: what its states and moves are worth, given a table.
template <Game G>
class Worths {
 public:
  using State = typename G::State;

  explicit Worths(const G& game) : game_(game), whole_(Layers<G>::denominator(game)) {
    // An average is off by a few times 2^-53 of the denominator; up to 2^50 rounding to a
    // whole number repairs it for certain. Halves of halves are not rounded at all.
    int exponent;
    const bool power_of_two = std::frexp(whole_, &exponent) == 0.5;
    exact_ = whole_ <= (power_of_two ? 0x1.0p52 : 0x1.0p50);
    if (!exact_) whole_ = 1.0;
  }

  bool exact() const { return exact_; }
  double denominator() const { return whole_; }
  Worth draw() const { return {whole_ / 2, 0}; }
  bool certain(double value) const { return value == 0 || value == whole_; }

  Worth other_side(Worth worth) const { return {whole_ - worth.value, worth.distance}; }
  /// Whether a player prefers a to b.
  bool better(Worth a, Worth b) const {
    if (a.value != b.value) return a.value > b.value;
    if (2 * a.value > whole_) return a.distance < b.distance;
    if (2 * a.value < whole_) return a.distance > b.distance;
    return false;
  }
  /// A move leads there: the worth to its player, a ply earlier.
  Worth before(Worth after, bool progress) const {
    if (2 * after.value == whole_) return {after.value, 0};
    if (progress && !certain(after.value)) return {after.value, 1};
    return {after.value, std::min(after.distance + 1, kLongestDistance)};
  }

  /// What a state of any kind is worth to a player.
  Worth of(const State& state, int player, WorthTable table) const {
    const Worth worth = to_mover(state, table);
    return game_.mover(state) == player ? worth : other_side(worth);
  }

  /// What each legal move of a decision is worth to its player.
  template <class Visit>
  void each_move(const State& state, WorthTable table, Visit&& visit) const {
    MoveList moves;
    game_.legal(state, moves);
    const int player = game_.mover(state);
    for (const Move move : moves) {
      State next = state;
      game_.play(next, move);
      visit(MoveWorth{move, before(of(next, player, table), game_.irreversible(state, move))});
    }
  }

  Worth best_move(const State& state, WorthTable table) const {
    Worth best{-1, 0};
    each_move(state, table, [&](const MoveWorth& m) {
      if (better(m.worth, best)) best = m.worth;
    });
    return best;
  }

 private:
  Worth to_mover(const State& state, WorthTable table) const {
    if (game_.at_chance(state)) return average(state, table);
    if (game_.terminal(state)) {
      float scores[kMaxPlayers];
      game_.result(state, scores);
      return {scores[game_.mover(state)] * whole_, 0};
    }
    const std::uint64_t index = game_.index(state);
    return {table.values[index], table.distances[index]};
  }

  Worth average(const State& state, WorthTable table) const {
    double sum = 0, lowest = whole_, highest = 0;
    int longest = 0;
    const auto add = [&](double probability, Worth worth) {
      sum += probability * worth.value;
      lowest = std::min(lowest, worth.value);
      highest = std::max(highest, worth.value);
      longest = std::max(longest, worth.distance);
    };
    const auto finish = [&](bool whole) -> Worth {
      if (lowest == highest) return {lowest, certain(lowest) ? longest : 0};
      return {exact_ && whole ? std::nearbyint(sum) : sum, 0};
    };
    if constexpr (RollsInARow<G>) {
      if (const int rolls = Layers<G>::rolls(game_, state)) {
        const std::uint64_t first = Layers<G>::rolled(game_, state);
        for (std::uint64_t i = first; i < first + rolls; ++i) add(1.0, {table.values[i], table.distances[i]});
        sum /= rolls;
        return finish(true);
      }
    }
    OutcomeList outcomes;
    game_.outcomes(state, outcomes);
    for (const Chance& chance : outcomes) {
      State next = state;
      game_.resolve(next, chance.outcome);
      add(chance.probability, of(next, game_.mover(state), table));
    }
    // Where rolls are in a row, all other chance is before the first decision, and the
    // denominator does not reckon with it.
    return finish(!RollsInARow<G>);
  }

  const G& game_;
  double whole_;
  bool exact_;
};

/// The solver as the border sees it.
class AnyExpectimax {
 public:
  virtual ~AnyExpectimax() = default;

  /// Solves the next stage; how many positions that were. Nothing is left after the last.
  virtual std::uint64_t step() = 0;
  virtual int stages() const = 0;
  virtual std::uint64_t decisions() const = 0;  // entries that step() will have visited
  virtual double denominator() const = 0;
  virtual bool exact() const = 0;

  /// What a table with these values says of a state: for the mover.
  virtual Worth look_up(const Bytes* state, WorthTable table) const = 0;
  virtual void look_up_many(const Bytes* states, std::uint64_t number, WorthTable table,
                            double* out) const = 0;
  virtual std::vector<MoveWorth> moves(const Bytes* state, WorthTable table) const = 0;
  /// Decisions whose entry does not follow from those of its successors.
  virtual std::uint64_t verify(WorthTable table) const = 0;
  /// One bit per index: what can be reached from the start.
  virtual std::vector<std::uint64_t> reachable() const = 0;
  virtual SolutionCounts count(WorthTable table, const std::uint64_t* reachable) const = 0;

  int stage = 0;
  /// The most quiet moves in a row that any value so far depends on, where play can circle.
  std::atomic<int> passes = 0;
  std::vector<double> values;
  std::vector<std::uint8_t> distances;
  int threads = 1;

  WorthTable table() const { return {values.data(), distances.data()}; }
  /// Room for all values; not before somebody wants to solve.
  void allocate(std::uint64_t size) {
    values.resize(size);
    distances.resize(size);
  }
};

template <Game G>
class ExpectimaxSolver final : public AnyExpectimax {
 public:
  using State = typename G::State;

  explicit ExpectimaxSolver(const G& game) : game_(game), worths_(game), stages_(Layers<G>::stages(game)) {}

  int stages() const override { return static_cast<int>(stages_.size()); }
  double denominator() const override { return worths_.denominator(); }
  bool exact() const override { return worths_.exact(); }
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
      if constexpr (Layers<G>::kCyclic)
        solve_cyclic(block);
      else
        solve_in_order(block);
    });
    std::uint64_t solved = 0;
    for (const Block& block : blocks) solved += block.last - block.first;
    ++stage;
    return solved;
  }

  Worth look_up(const Bytes* bytes, WorthTable table) const override {
    const State state = load_state(game_, bytes);
    return worths_.of(state, game_.mover(state), table);
  }

  void look_up_many(const Bytes* states, std::uint64_t number, WorthTable table, double* out) const override {
    constexpr std::uint64_t kPortion = 4096;
    const auto work = [&](std::uint64_t portion) {
      const std::uint64_t end = std::min(number, (portion + 1) * kPortion);
      for (std::uint64_t i = portion * kPortion; i < end; ++i)
        out[i] = look_up(states + i * sizeof(State), table).value / worths_.denominator();
    };
    share_work(threads, (number + kPortion - 1) / kPortion, [&] { return work; });
  }

  std::vector<MoveWorth> moves(const Bytes* bytes, WorthTable table) const override {
    std::vector<MoveWorth> found;
    worths_.each_move(load_state(game_, bytes), table, [&](const MoveWorth& m) { found.push_back(m); });
    return found;
  }

  std::uint64_t verify(WorthTable table) const override {
    // Where values are rounded, a sum in another order may differ in its last bits.
    const double tolerance = exact() ? 0 : 1e-12;
    std::atomic<std::uint64_t> wrong{0};
    for (const Stage& blocks : stages_)
      each_block(blocks, [&](const Block& block) {
        std::uint64_t found = 0;
        for (std::uint64_t index = block.first; index < block.last; ++index) {
          const State state = game_.unindex(index);
          if (game_.terminal(state)) continue;
          const Worth best = worths_.best_move(state, table);
          // Written so that what is no number is wrong too.
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
    // Play runs through the stages backwards, and so do we.
    for (auto blocks = stages_.rbegin(); blocks != stages_.rend(); ++blocks)
      each_block(*blocks, [&](const Block& block) { spread(bits, block); });
    return bits;
  }

  SolutionCounts count(WorthTable table, const std::uint64_t* bits) const override {
    const double whole = worths_.denominator(), tolerance = exact() ? 0 : 1e-12;
    SolutionCounts counts;
    for (std::uint64_t index = 0; index < game_.index_size(); ++index) {
      if (!(bits[index / 64] >> (index % 64) & 1)) continue;
      const double value = table.values[index];
      ++counts.positions;
      if (value == whole) {
        ++counts.wins;
        counts.longest_win = std::max<int>(counts.longest_win, table.distances[index]);
      } else if (value == 0) {
        ++counts.losses;
      } else if (std::abs(value - whole / 2) <= tolerance) {
        ++counts.draws;
      } else {
        ++counts.between;
      }
    }
    return counts;
  }

 private:
  /// Shares the blocks of a stage out to threads.
  template <class Work>
  void each_block(const Stage& blocks, Work&& work) const {
    share_work(threads, blocks.size(), [&] { return [&](std::uint64_t i) { work(blocks[i]); }; });
  }

  void keep(std::uint64_t index, Worth worth) {
    values[index] = worth.value;
    distances[index] = static_cast<std::uint8_t>(worth.distance);
  }

  void solve_in_order(const Block& block) {
    for (std::uint64_t index = block.first; index < block.last; ++index) {
      const State state = game_.unindex(index);
      if (!game_.terminal(state)) keep(index, worths_.best_move(state, table()));
    }
  }

  /// Moves that stay in the block are written down once; all others are judged at once, as
  /// where they lead to is known. Then ply by ply: pass n has the values of a game that is
  /// drawn after n more moves within the block. They settle after a few passes.
  void solve_cyclic(const Block& block) {
    const std::size_t size = block.last - block.first;
    std::vector<Worth> leaving(size, Worth{-1, 0});  // the best move out of the block
    std::vector<std::uint32_t> staying, offsets{0};
    std::vector<char> decided(size, 0);  // terminal states have nothing to decide
    offsets.reserve(size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      const State state = game_.unindex(block.first + i);
      if (game_.terminal(state)) {
        decided[i] = 1;
        offsets.push_back(static_cast<std::uint32_t>(staying.size()));
        continue;
      }
      MoveList moves;
      game_.legal(state, moves);
      const int player = game_.mover(state);
      for (const Move move : moves) {
        State next = state;
        game_.play(next, move);
        if (!game_.at_chance(next) && !game_.terminal(next)) {
          const std::uint64_t index = game_.index(next);
          if (index >= block.first && index < block.last) {
            staying.push_back(static_cast<std::uint32_t>(index - block.first));
            continue;
          }
        }
        const Worth worth =
            worths_.before(worths_.of(next, player, table()), game_.irreversible(state, move));
        if (worths_.better(worth, leaving[i])) leaving[i] = worth;
      }
      offsets.push_back(static_cast<std::uint32_t>(staying.size()));
    }

    std::vector<Worth> now(size, worths_.draw()), next(size, worths_.draw());
    int valued = 0;  // the last pass that changed a value, not only a distance
    bool settled = false;
    for (int pass = 1; !settled; ++pass) {
      settled = true;
      for (std::size_t i = 0; i < size; ++i) {
        if (decided[i]) continue;
        Worth best = leaving[i];
        for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
          const Worth worth = worths_.before(worths_.other_side(now[staying[k]]), false);
          if (worths_.better(worth, best)) best = worth;
        }
        next[i] = best;
        settled = settled && best == now[i];
        if (best.value != now[i].value) valued = pass;
      }
      now.swap(next);
    }
    for (std::size_t i = 0; i < size; ++i)
      if (!decided[i]) keep(block.first + i, now[i]);
    for (int known = passes; valued > known && !passes.compare_exchange_weak(known, valued);) {
    }
  }

  /// Sets the bit of a decision, or of all that chance can make of a state, and tells of
  /// those that were not set before.
  template <class Tell>
  void mark(std::vector<std::uint64_t>& bits, const State& state, Tell&& tell) const {
    if (game_.at_chance(state)) {
      OutcomeList outcomes;
      game_.outcomes(state, outcomes);
      for (const Chance& chance : outcomes) {
        State next = state;
        game_.resolve(next, chance.outcome);
        mark(bits, next, tell);
      }
    } else if (!game_.terminal(state)) {
      const std::uint64_t index = game_.index(state), bit = std::uint64_t{1} << (index % 64);
      std::atomic_ref<std::uint64_t> word(bits[index / 64]);
      if (word.load(std::memory_order_relaxed) & bit) return;
      if (!(word.fetch_or(bit, std::memory_order_relaxed) & bit)) tell(index);
    }
  }

  /// Marks everything that can be reached from marked positions of a block.
  void spread(std::vector<std::uint64_t>& bits, const Block& block) const {
    std::vector<std::uint64_t> open;
    std::vector<bool> seen(block.last - block.first);
    // Backwards: where play does not circle, every position is met after those before it.
    for (std::uint64_t index = block.last; index-- > block.first;) {
      std::atomic_ref<std::uint64_t> word(bits[index / 64]);
      if (seen[index - block.first] || !(word.load(std::memory_order_relaxed) >> (index % 64) & 1)) continue;
      seen[index - block.first] = true;
      open.push_back(index);
      while (!open.empty()) {
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
  Worths<G> worths_;
  std::vector<Stage> stages_;
};

}  // namespace halma
