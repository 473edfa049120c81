// Tabular AlphaZero (hsueh2023, algorithm 1): self-play with a lookup table as evaluator, then
// updates of the table by the games of the last few iterations.
//
// Every game has a generator of its own and is played with the table as it stood when the
// iteration began, and updates follow in the order of the games. So the number of threads
// changes nothing but the time it takes.
#pragma once

#include <chrono>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "../search/driver.hpp"
#include "lookup_table.hpp"

namespace halma {

struct TabularOptions {
  SearchOptions search;
  int simulations = 800;
  bool count_root = true;
  int games = 1000;
  int replay_buffer = 2;
  bool symmetry = false;
  float spread = 0.01f;
  std::uint64_t seed = 0;
  Limits limits;  // of the games
};

template <>
struct DeclaredOptions<TabularOptions> {
  using O = TabularOptions;
  static constexpr double kMany = 10'000'000;
  static constexpr std::tuple list{
      DeclaredOption<O, int>{"simulations", &O::simulations, "Simulations of a search.", 1, kMany},
      DeclaredOption<O, bool>{"count_root", &O::count_root,
                              "Whether the evaluation of the root counts as a simulation."},
      DeclaredOption<O, int>{"games", &O::games, "Games of an iteration.", 1, kMany},
      DeclaredOption<O, int>{"replay_buffer", &O::replay_buffer,
                             "Iterations whose games are in the replay buffer.", 1, 1000},
      DeclaredOption<O, bool>{
          "symmetry", &O::symmetry,
          "Train on the symmetric images of positions too, where the game has symmetries."},
      DeclaredOption<O, float>{"spread", &O::spread, "Standard deviation of the initial logits.", 0, 10},
  };
};

/// Training samples of an iteration: positions, each with a policy target and an outcome.
struct TableSamples {
  struct Position {
    std::uint32_t row;
    std::uint32_t first;   // of its policy target
    std::uint32_t number;  // of entries of it
    float outcome;         // for the player to move, 0 to 1
  };
  std::vector<Position> positions;
  std::vector<std::uint16_t> actions;  // policy targets: an action ...
  std::vector<float> weights;          // ... and its weight

  void append(const TableSamples& more) {
    const auto shift = static_cast<std::uint32_t>(actions.size());
    for (Position position : more.positions) {
      position.first += shift;
      positions.push_back(position);
    }
    actions.insert(actions.end(), more.actions.begin(), more.actions.end());
    weights.insert(weights.end(), more.weights.begin(), more.weights.end());
  }
};

/// A lookup table as evaluator: priors of legal moves and both players' values.
template <Game G>
struct TableEvaluator {
  const LookupTable* table;

  void evaluate(const G& game, const typename G::State& state, MoveList& moves, float* priors,
                float* values) const {
    const std::uint64_t row = table->rows().row(game.index(state));
    table->prefetch(row);
    game.legal(state, moves);
    const int mover = game.mover(state);
    values[mover] = table->read(row, game, state, moves, priors);
    values[mover ^ 1] = 1.0f - values[mover];
  }
};

struct IterationTotals {
  std::uint64_t games = 0, plies = 0, draws = 0, first_wins = 0, simulations = 0;
  std::uint64_t positions = 0;  // updates made
  double play_seconds = 0, update_seconds = 0;
  double processor_seconds = 0;  // of all threads, for the games
};

/// The trainer as the border sees it.
class AnyTabular {
 public:
  virtual ~AnyTabular() = default;

  /// One iteration; nothing, and nothing changed, when it was stopped. With `seconds`, as
  /// many games as that many seconds of processor time allow, at least one.
  virtual std::optional<IterationTotals> iterate(float learning_rate, int threads, double seconds) = 0;
  /// The row of a state, if it is a decision that can be reached.
  virtual std::optional<std::uint64_t> row(const Bytes* state) const = 0;

  LookupTable& table() { return *table_; }
  const LookupTable& table() const { return *table_; }

  std::uint64_t iteration = 0;             // finished ones
  std::deque<TableSamples> replay_buffer;  // of the last iterations, oldest first
  std::atomic<bool> stopped = false;       // set from outside to end an iteration early

 protected:
  std::optional<LookupTable> table_;
};

template <Game G>
class Tabular : public AnyTabular {
 public:
  using State = typename G::State;

  /// `any` is the same game as `game`; both must outlive the trainer.
  Tabular(const G& game, const AnyGame& any, const TabularOptions& options, int threads)
      : any_(&any), game_(&game), options_(options) {
    if (game.players() != 2) throw std::invalid_argument("a lookup table needs a game for two players");
    if (game.index_size() == 0) throw std::invalid_argument("this game's positions cannot be enumerated");
    if (game.actions() > 0xFFFF)
      throw std::invalid_argument("this game has too many actions for a lookup table");
    RowNumbers rows(reachable(game).bits);
    table_.emplace(std::move(rows), game.actions(), options.spread, mix64(options.seed ^ kTableStream),
                   threads);
  }

  std::optional<IterationTotals> iterate(float learning_rate, int threads, double seconds) override {
    IterationTotals totals;
    const auto start = Clock::now();
    const double processor_start = processor_seconds();
    std::optional<TableSamples> samples = play_games(threads, seconds, totals);
    if (!samples) return std::nullopt;
    totals.play_seconds = since(start);
    totals.processor_seconds = processor_seconds() - processor_start;

    replay_buffer.push_back(std::move(*samples));
    while (static_cast<int>(replay_buffer.size()) > options_.replay_buffer) replay_buffer.pop_front();
    const auto update_start = Clock::now();
    for (const TableSamples& games : replay_buffer) {
      for (const auto& [row, first, number, outcome] : games.positions)
        table_->update(row, games.actions.data() + first, games.weights.data() + first,
                       static_cast<int>(number), outcome, learning_rate);
      totals.positions += games.positions.size();
    }
    totals.update_seconds = since(update_start);
    ++iteration;
    return totals;
  }

  std::optional<std::uint64_t> row(const Bytes* bytes) const override {
    return row_of(load_state(*game_, bytes));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kTableStream = 0x7AB1E;

  struct Played {
    TableSamples samples;
    std::uint64_t plies = 0, simulations = 0;
    float first_score = 0.5f;  // of the player who began
  };

  /// What a thread works with, game after game.
  struct Scratch {
    SearchDriver<G> driver;
    SearchScratch<G> search;
  };

  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  /// Processor time of all threads of this process: other programs do not lengthen it.
  static double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

  std::optional<std::uint64_t> row_of(const State& state) const {
    if (game_->at_chance(state) || game_->terminal(state)) return std::nullopt;
    const std::uint64_t index = game_->index(state);
    if (!table_->rows().holds(index)) return std::nullopt;
    return table_->rows().row(index);
  }

  /// All games of an iteration, in their order; nothing when stopped.
  std::optional<TableSamples> play_games(int threads, double seconds, IterationTotals& totals) {
    stopped = false;
    TableSamples samples;
    const double start = processor_seconds();
    const std::uint64_t seed = mix64(options_.seed + 0x9E3779B97F4A7C15ULL * (iteration + 1));
    std::uint64_t number = seconds > 0 ? static_cast<std::uint64_t>(threads) : options_.games;
    while (true) {
      std::vector<Played> games(number);
      const std::uint64_t first = totals.games;
      parallel_for(threads, number, [&] {
        auto scratch = std::make_shared<Scratch>(
            Scratch{SearchDriver<G>(*game_, *any_, options_.search, LeafEvaluation::priors), {}});
        return [&, scratch](std::uint64_t job) {
          if (!stopped.load(std::memory_order_relaxed))
            games[job] = play(*scratch, Random(seed, first + job));
        };
      });
      if (stopped) return std::nullopt;
      for (const Played& game : games) {
        ++totals.games;
        totals.plies += game.plies;
        totals.simulations += game.simulations;
        totals.draws += game.first_score == 0.5f;
        totals.first_wins += game.first_score == 1.0f;
        samples.append(game.samples);
      }
      const double spent = processor_seconds() - start;
      if (seconds <= 0 || spent >= seconds) return samples;
      // Portions of about a fiftieth of the time, so that little is played beyond it.
      if (spent < seconds / 50) number *= 2;
    }
  }

  Played play(Scratch& scratch, const Random& random) const {
    Played game;
    SearchDriver<G>& driver = scratch.driver;
    Mcts<G>& search = driver.search();
    // The search draws from the same generator: a game is one stream of random numbers.
    search.random() = random;
    driver.start(options_.limits, start_bytes().data());
    std::vector<int> movers;  // [position of the samples]
    const TableEvaluator<G> evaluator{&*table_};
    const std::uint64_t simulations = options_.simulations - options_.count_root;
    while (driver.record().end() == End::none) {
      const State state = driver.state();
      if (game_->at_chance(state)) {
        driver.resolve(sample(*game_, state, search.random()));
        continue;
      }
      driver.run_with_priors(evaluator, simulations, scratch.search);
      game.simulations += search.simulations() + options_.count_root;

      const std::vector<float> target = search.policy_target();
      add_samples(state, search.tree(), target, game.samples);
      movers.resize(game.samples.positions.size(), game_->mover(state));
      const int chosen = search.sample_move(target, search.rule().samples_at_root ? 0.0f : 1.0f);
      driver.play(search.tree().edges[search.tree().nodes[0].first + chosen].what);
    }
    game.plies = driver.record().plies();
    float scores[kMaxPlayers];
    scaled_result(*game_, driver.state(), scores);
    game.first_score = scores[0];
    for (std::size_t i = 0; i < movers.size(); ++i) game.samples.positions[i].outcome = scores[movers[i]];
    return game;
  }

  std::vector<Bytes> start_bytes() const {
    std::vector<Bytes> bytes(any_->state_size());
    any_->initial(bytes.data());
    return bytes;
  }

  /// Adds a position, and its symmetric images, with its policy target.
  void add_samples(const State& state, const Tree<G>& tree, const std::vector<float>& target,
                   TableSamples& samples) const {
    const auto move_at = [&](std::size_t i) { return tree.edges[tree.nodes[0].first + i].what; };
    add_sample(state, move_at, target, samples);
    if constexpr (HasSymmetries<G>) {
      if (!options_.symmetry) return;
      for (int k = 1; k < game_->symmetries(); ++k)
        add_sample(
            game_->image(state, k), [&](std::size_t i) { return game_->image(move_at(i), k); }, target,
            samples);
    }
  }

  template <class MoveAt>
  void add_sample(const State& state, MoveAt&& move_at, const std::vector<float>& target,
                  TableSamples& samples) const {
    // An image need not be reachable: set-ups are not always symmetric themselves.
    const std::optional<std::uint64_t> row = row_of(state);
    if (!row) return;
    const auto first = static_cast<std::uint32_t>(samples.actions.size());
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] == 0) continue;
      samples.actions.push_back(static_cast<std::uint16_t>(game_->action(state, move_at(i))));
      samples.weights.push_back(target[i]);
    }
    const auto number = static_cast<std::uint32_t>(samples.actions.size()) - first;
    samples.positions.push_back({static_cast<std::uint32_t>(*row), first, number, 0.0f});
  }

  const AnyGame* any_;
  const G* game_;
  TabularOptions options_;
};

}  // namespace halma
