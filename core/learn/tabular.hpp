// Tabular AlphaZero (hsueh2023, algorithm 1): games of self-play guided by a lookup table,
// then updates of the table by the games of the last few iterations.
//
// Every game has a generator of its own and is played with the table as it stood when the
// iteration began, and updates follow in the order of the games. So the number of threads
// changes nothing but the time it takes.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "../record.hpp"
#include "../search/mcts.hpp"
#include "lookup_table.hpp"

namespace halma {

struct TabularOptions {
  SearchOptions search;
  int simulations = 800;  // per move
  // hsueh2023 counts the evaluation of the root as a simulation.
  bool count_root = true;
  int games = 1000;  // per iteration
  int window = 2;    // iterations whose games are learned from
  Limits limits;     // of the games
  // Learn from the images of a position too, where the game has symmetries.
  bool symmetry = false;
  float spread = 0.01f;  // standard deviation of the logits at first
  std::uint64_t seed = 0;
};

/// What an iteration learns from: positions, each with a policy and an outcome.
struct Lessons {
  struct Position {
    std::uint32_t row;
    std::uint32_t first;   // of its targets
    std::uint32_t number;  // of its targets
    float outcome;         // for the player to move, 0 to 1
  };
  std::vector<Position> positions;
  std::vector<std::uint16_t> actions;  // targets: an action ...
  std::vector<float> shares;           // ... and its share of the policy

  void append(const Lessons& more) {
    const auto shift = static_cast<std::uint32_t>(actions.size());
    for (Position position : more.positions) {
      position.first += shift;
      positions.push_back(position);
    }
    actions.insert(actions.end(), more.actions.begin(), more.actions.end());
    shares.insert(shares.end(), more.shares.begin(), more.shares.end());
  }
};

struct IterationTotals {
  std::uint64_t games = 0, plies = 0, draws = 0, first_wins = 0, simulations = 0;
  std::uint64_t positions = 0;  // updates made
  double play_seconds = 0, update_seconds = 0;
};

/// The trainer as the border sees it.
class AnyTabular {
 public:
  virtual ~AnyTabular() = default;

  /// One iteration; nothing, and nothing changed, when it was stopped. With `seconds`, as
  /// many games as that many seconds of one thread allow, at least one.
  virtual std::optional<IterationTotals> iterate(float learning_rate, int threads, double seconds) = 0;
  /// The row of a state, if it is a decision that can be reached.
  virtual std::optional<std::uint64_t> row(const Bytes* state) const = 0;

  LookupTable& table() { return *table_; }
  const LookupTable& table() const { return *table_; }

  std::uint64_t iteration = 0;        // finished ones
  std::deque<Lessons> recent;         // of the last iterations, oldest first
  std::atomic<bool> stopped = false;  // set from outside to end an iteration early

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
    std::optional<Lessons> lessons = play_games(threads, seconds, totals);
    if (!lessons) return std::nullopt;
    totals.play_seconds = since(start);

    recent.push_back(std::move(*lessons));
    while (static_cast<int>(recent.size()) > options_.window) recent.pop_front();
    const auto update_start = Clock::now();
    for (const Lessons& games : recent) {
      for (const auto& [row, first, number, outcome] : games.positions)
        table_->update(row, games.actions.data() + first, games.shares.data() + first,
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
    Lessons lessons;
    std::uint64_t plies = 0, simulations = 0;
    float first_score = 0.5f;  // of the player who began
  };

  /// What a thread works with, game after game.
  struct Desk {
    Mcts<G> search;
    typename Mcts<G>::Leaf leaf;
    MoveList root_moves, leaf_moves;
    float priors[kMaxMoves], values[kMaxPlayers];
  };

  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::optional<std::uint64_t> row_of(const State& state) const {
    if (game_->at_chance(state) || game_->terminal(state)) return std::nullopt;
    const std::uint64_t index = game_->index(state);
    if (!table_->rows().holds(index)) return std::nullopt;
    return table_->rows().row(index);
  }

  /// All games of an iteration, in their order; nothing when stopped.
  std::optional<Lessons> play_games(int threads, double seconds, IterationTotals& totals) {
    stopped = false;
    Lessons lessons;
    const auto start = Clock::now();
    const std::uint64_t seed = mix64(options_.seed + 0x9E3779B97F4A7C15ULL * (iteration + 1));
    std::uint64_t number = seconds > 0 ? static_cast<std::uint64_t>(threads) : options_.games;
    while (true) {
      std::vector<Played> games(number);
      const std::uint64_t first = totals.games;
      parallel_for(threads, number, [&] {
        auto desk = std::make_shared<Desk>(Mcts<G>(*game_, options_.search, 0, Judge::priors));
        return [&, desk](std::uint64_t job) {
          if (!stopped.load(std::memory_order_relaxed)) games[job] = play(*desk, Random(seed, first + job));
        };
      });
      if (stopped) return std::nullopt;
      for (const Played& game : games) {
        ++totals.games;
        totals.plies += game.plies;
        totals.simulations += game.simulations;
        totals.draws += game.first_score == 0.5f;
        totals.first_wins += game.first_score == 1.0f;
        lessons.append(game.lessons);
      }
      const double spent = since(start) * threads;
      if (seconds <= 0 || spent >= seconds) return lessons;
      // Portions of about a fiftieth of the time, so that little is played beyond it.
      if (spent < seconds / 50) number *= 2;
    }
  }

  Played play(Desk& desk, Random random) const {
    Played game;
    Mcts<G>& search = desk.search;
    // The search draws from the same generator: a game is one stream of random numbers.
    search.random() = random;
    Record record(*any_, options_.limits, start_bytes().data());
    std::vector<int> movers;  // [position of the lessons]
    State state = load_state(*game_, record.state());
    while (true) {
      while (game_->at_chance(state)) {
        const Outcome outcome = sample(*game_, state, search.random());
        game_->resolve(state, outcome);
        record.resolve(outcome);
      }
      if (record.end() != End::none) break;
      search_from(state, desk);
      game.simulations += search.simulations() + options_.count_root;

      const std::vector<float> policy = target(search);
      write_down(state, desk.root_moves, policy, game.lessons);
      movers.resize(game.lessons.positions.size(), game_->mover(state));
      const Move move = choose(search, desk.root_moves, policy);
      game_->play(state, move);
      record.play(move);
      ++game.plies;
    }
    float scores[kMaxPlayers];
    scaled_result(*game_, state, scores);
    game.first_score = scores[0];
    for (std::size_t i = 0; i < movers.size(); ++i) game.lessons.positions[i].outcome = scores[movers[i]];
    return game;
  }

  std::vector<Bytes> start_bytes() const {
    std::vector<Bytes> bytes(any_->state_size());
    any_->initial(bytes.data());
    return bytes;
  }

  /// Lists the moves of a decision and asks the table for their priors and for both
  /// players' values.
  void evaluate(const State& state, MoveList& moves, Desk& desk) const {
    const std::uint64_t row = table_->rows().row(game_->index(state));
    table_->prefetch(row);
    moves.clear();
    game_->legal(state, moves);
    const int mover = game_->mover(state);
    desk.values[mover] = table_->read(row, *game_, state, moves, desk.priors);
    desk.values[mover ^ 1] = 1.0f - desk.values[mover];
  }

  void search_from(const State& state, Desk& desk) const {
    Mcts<G>& search = desk.search;
    const std::uint64_t simulations = options_.simulations - options_.count_root;
    evaluate(state, desk.root_moves, desk);
    search.set_root(state, {}, desk.priors, desk.values, &desk.root_moves);
    if (options_.search.rule == Rule::gumbel) search.plan_halving(simulations);
    while (search.simulations() < simulations && !search.settled()) {
      search.descend(desk.leaf);
      if (desk.leaf.decided) {
        search.finish(desk.leaf, desk.leaf.values);
      } else {
        evaluate(desk.leaf.state, desk.leaf_moves, desk);
        search.finish(desk.leaf, desk.values, desk.priors, &desk.leaf_moves);
      }
    }
  }

  /// What the policy learns: the search's own, but nothing that is proven lost, and
  /// nothing but proven wins where there are some.
  std::vector<float> target(const Mcts<G>& search) const {
    std::vector<float> policy = search.policy();
    if (!options_.search.solver) return policy;
    const auto& tree = search.tree();
    const auto& root = tree.nodes[0];
    const auto proof = [&](int i) { return tree.proof[root.first + i]; };
    bool won = false, lost = true;
    for (int i = 0; i < root.number; ++i) {
      won = won || proof(i) == Proof::win;
      lost = lost && proof(i) == Proof::loss;
    }
    if (lost) return policy;
    float sum = 0;
    for (int i = 0; i < root.number; ++i) {
      if (won) policy[i] = proof(i) == Proof::win;
      if (proof(i) == Proof::loss) policy[i] = 0;
      sum += policy[i];
    }
    if (sum == 0) return search.policy();
    for (float& share : policy) share /= sum;
    return policy;
  }

  /// Writes down a position, and its images, with the policy to learn.
  void write_down(const State& state, const MoveList& moves, const std::vector<float>& policy,
                  Lessons& lessons) const {
    add_lesson(state, [&](int i) { return moves[i]; }, policy, lessons);
    if constexpr (HasSymmetries<G>) {
      if (!options_.symmetry) return;
      for (int k = 1; k < game_->symmetries(); ++k)
        add_lesson(game_->image(state, k), [&](int i) { return game_->image(moves[i], k); }, policy, lessons);
    }
  }

  template <class MoveAt>
  void add_lesson(const State& state, MoveAt&& move_at, const std::vector<float>& policy,
                  Lessons& lessons) const {
    // An image need not be reachable: set-ups are not always symmetric themselves.
    const std::optional<std::uint64_t> row = row_of(state);
    if (!row) return;
    const auto first = static_cast<std::uint32_t>(lessons.actions.size());
    for (std::size_t i = 0; i < policy.size(); ++i) {
      if (policy[i] == 0) continue;
      lessons.actions.push_back(
          static_cast<std::uint16_t>(game_->action(state, move_at(static_cast<int>(i)))));
      lessons.shares.push_back(policy[i]);
    }
    const auto number = static_cast<std::uint32_t>(lessons.actions.size()) - first;
    lessons.positions.push_back({static_cast<std::uint32_t>(*row), first, number, 0.0f});
  }

  /// The move to play: drawn by the policy, or Gumbel's, which has been drawn already.
  Move choose(Mcts<G>& search, const MoveList& moves, const std::vector<float>& policy) const {
    if (options_.search.rule == Rule::gumbel) return moves[search.best()];
    double left = search.random().uniform();
    int last = 0;
    for (int i = 0; i < moves.size(); ++i) {
      if (policy[i] == 0) continue;
      last = i;
      left -= policy[i];
      if (left < 0) break;
    }
    return moves[last];
  }

  const AnyGame* any_;
  const G* game_;
  TabularOptions options_;
};

}  // namespace halma
