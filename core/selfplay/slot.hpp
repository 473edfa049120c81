// A slot of a self-play pool: one game at a time. A slot runs until it needs positions evaluated
// and waits until they are; what it does depends on its game's number and on those evaluations,
// and on nothing else.
#pragma once

#include <limits>

#include "../search/driver.hpp"
#include "options.hpp"
#include "samples.hpp"

namespace halma {

/// What all slots of a pool share.
template <Game G>
struct PoolContext {
  const G* game;
  const AnyGame* any;  // the same
  SelfPlayOptions options;
  Limits limits;
  std::uint64_t seed;
  std::uint64_t stride;  // between the numbers of a slot's games
  std::uint64_t end;     // games are numbered below this
};

template <Game G>
class alignas(64) Slot {
 public:
  using State = typename G::State;
  using Scratch = SearchScratch<G>;

  /// The part of a slot that every simulation needs: what belongs to the game is at the end.
  static constexpr std::size_t kHotBytes = sizeof(SearchDriver<G>) - sizeof(std::optional<Record>);

  /// The pool context must outlive the slot, which plays the games first, first + stride, ...
  Slot(const PoolContext<G>& pool, std::uint64_t first)
      : pool_(&pool),
        number_(first),
        driver_(*pool.game, *pool.any, pool.options.search, LeafEvaluation::planes, 0,
                pool.options.max_pending, pool.options.reuse, kept_evaluations(pool.options)) {}

  /// Positions that wait for evaluation.
  int pending() const { return driver_.pending(); }
  /// Whether a game is under way or may begin.
  bool active() const { return phase_ != Phase::between || may_begin(); }
  /// Plays this game next; for a slot that is not active.
  void give(std::uint64_t number) {
    number_ = number;
    given_ = true;
  }
  std::vector<FinishedGame>& finished() { return finished_; }
  const SearchDriver<G>& driver() const { return driver_; }
  void forget_evaluations() { driver_.forget_evaluations(); }
  int take_cached() { return driver_.take_cached(); }
  std::uint64_t number() const { return number_; }
  /// Who is to move: 0 is the learner, i + 1 the opponent i. Pending leaves are of its search.
  int who() const { return seats_.who(game().mover(root_)); }
  /// Whether the slot waits for an agent's move.
  bool is_agents_turn() const {
    return phase_ == Phase::decision && who() > 0 && options().opponents[who() - 1] == OpponentKind::agent;
  }
  /// Plays an agent's move.
  void play_agents_move(Move move) {
    rows_.add(record(), Choice::opponent, move, std::numeric_limits<float>::quiet_NaN(), 0);
    add_opponents_target(move);
    play(move);
  }

  /// Goes on until something must be evaluated. Searches that are complete are followed by
  /// their moves, games that are over by the next.
  void run(Scratch& scratch) {
    // Games that end without a single search must not occupy a thread for good.
    for (int begun = 0;;) {
      switch (phase_) {
        case Phase::between:
          if (!may_begin() || begun++ == kMostBegun) return;
          begin_game();
          break;
        case Phase::opening:
          play_random();
          break;
        case Phase::decision:
          if (is_agents_turn()) return;
          begin_search(scratch);
          break;
        case Phase::searching:
          if (driver_.select_leaves() > 0) return;
          play_found();
          break;
      }
    }
  }

  template <class Cell>
  void encode(int which, Scratch& scratch, Cell* out) const {
    driver_.encode(which, scratch, out);
  }

  int list_legal(int which, std::uint16_t* out) { return driver_.list_legal(which, out); }

  template <class Logit, class Value>
  void back_up(int which, const Logit* logits, const Value* values) {
    driver_.back_up(which, logits, values);
  }
  template <class Value>
  void back_up_priors(int which, const float* priors, const Value* values) {
    driver_.back_up_priors(which, priors, values);
  }

  /// Bytes allocated by this slot.
  std::size_t bytes() const { return sizeof(*this) + driver_.bytes() + capacity_bytes(rows_); }

 private:
  enum class Phase : std::uint8_t {
    between,    // games
    opening,    // the next move is random
    decision,   // a position that is to be searched
    searching,  // a search was begun
  };
  static constexpr int kMostBegun = 2;

  /// Those of a search, which the next one finds; its root is one more.
  static std::size_t kept_evaluations(const SelfPlayOptions& options) {
    return options.cache_evaluations ? static_cast<std::size_t>(options.simulations) + 1 : 0;
  }

  bool may_begin() const { return given_ || number_ < pool_->end; }
  const G& game() const { return *pool_->game; }
  const SelfPlayOptions& options() const { return pool_->options; }
  const Record& record() const { return driver_.record(); }
  Random& random() { return driver_.search().random(); }

  void begin_game() {
    random() = Random(pool_->seed, number_);
    seats_ = seats_of(options(), number_, game().players());
    std::vector<Bytes> start(pool_->any->state_size());
    const bool random_start =
        options().random_starts > 0 && random().uniform() < static_cast<double>(options().random_starts);
    if (!options().starts.empty())
      start = options().starts[number_ % options().starts.size()];
    else if (random_start)
      pool_->any->random_start(random(), start.data());
    else
      pool_->any->initial(start.data());
    driver_.start(pool_->limits, start.data());
    // Which slot plays which game depends on the threads; what is evaluated must not.
    driver_.forget_evaluations();
    rows_ = GameRows{};
    may_resign_ = random().uniform() >= options().no_resign_share;
    std::fill_n(below_threshold_, kMaxPlayers, 0);
    resign_ply_ = -1;
    const int choices = options().random_plies_max - options().random_plies_min + 1;
    random_left_ = options().random_plies_min + static_cast<int>(random().below(choices));
    if (random_start) random_left_ = 0;
    next_decision();
  }

  /// Resolves chance, and ends the game where it is over.
  void next_decision() {
    while (true) {
      if (const End end = record().end(); end != End::none) {
        finish_game(end);
        return;
      }
      root_ = driver_.state();
      if (!game().at_chance(root_)) break;
      driver_.resolve(sample(game(), root_, random()));
    }
    phase_ = random_left_ > 0 ? Phase::opening : Phase::decision;
  }

  void play_random() {
    --random_left_;
    MoveList moves;
    game().legal(root_, moves);
    const Move move = moves[static_cast<int>(random().below(moves.size()))];
    rows_.add(record(), Choice::random, move, std::numeric_limits<float>::quiet_NaN(), 0);
    play(move);
  }

  void begin_search(Scratch& scratch) {
    full_ = options().full_share >= 1.0f || random().uniform() < options().full_share;
    const int simulations = full_ ? options().simulations : options().fast_simulations;
    driver_.begin(static_cast<std::uint64_t>(simulations), scratch, full_, who());
    phase_ = Phase::searching;
  }

  /// Ends a search with its move.
  void play_found() {
    Mcts<G>& search = driver_.search();
    const float value = search.root_value();
    const std::vector<float> target = search.policy_target();
    const int chosen = search.sample_move(target, temperature());
    const Move move = search.tree().edges[search.tree().nodes[0].first + chosen].what;
    const bool resigns = resign(value);
    const bool learns = who() == 0;
    const Choice choice = !learns ? Choice::opponent : full_ ? Choice::full : Choice::fast;
    rows_.add(record(), choice, resigns ? kNoMove : move, value, search.simulations());
    if (full_ && learns) add_target(options().temperature_in_targets ? sampled_from(target, chosen) : target);
    if (!learns && !resigns) add_opponents_target(move);
    if (resigns)
      finish_game(End::none);
    else
      play(move);
  }

  float temperature() const {
    float temperature = 0.0f;
    for (const auto& [from, t] : options().temperatures)
      if (record().plies() >= from) temperature = t;
    return temperature;
  }

  /// The probabilities that a move was sampled with from a policy.
  std::vector<float> sampled_from(const std::vector<float>& policy, int chosen) const {
    std::vector<float> probabilities(policy.size(), 0.0f);
    if (temperature() <= 0.0f) {
      probabilities[chosen] = 1.0f;
      return probabilities;
    }
    const std::vector<double> weights = tempered(policy, temperature());
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) probabilities[i] = static_cast<float>(weights[i] / sum);
    return probabilities;
  }

  /// Adds the policy target of the row just added; zeros are left out.
  void add_target(const std::vector<float>& target) {
    const Tree<G>& tree = driver_.search().tree();
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] <= 0) continue;
      const Move move = tree.edges[tree.nodes[0].first + i].what;
      rows_.add_target(game().action(root_, move), target[i]);
    }
  }

  /// Makes the move of the row just added, an opponent's, its policy target where that is asked for.
  void add_opponents_target(Move move) {
    if (options().opponent_targets) rows_.add_target(game().action(root_, move), 1.0f);
  }

  /// Counts low values of the mover; whether the game is resigned now.
  bool resign(float value) {
    const int players = game().players();
    if (options().resign_threshold <= 0 || players < 2) return false;
    int& count = below_threshold_[game().mover(root_)];
    count = value < options().resign_threshold ? count + 1 : 0;
    if (resign_ply_ >= 0) return false;
    int resigned = 0;
    for (int player = 0; player < players; ++player) {
      resigner_[player] = below_threshold_[player] >= options().resign_consecutive;
      resigned += resigner_[player];
    }
    if (resigned < players - 1) return false;
    resign_ply_ = record().plies();
    return may_resign_;
  }

  void play(Move move) {
    driver_.play(move);
    next_decision();
  }

  /// Puts the game away. No end at all means it was resigned.
  void finish_game(End end) {
    FinishedGame done;
    Summary& summary = done.summary;
    summary = {number_, record().plies(), end, may_resign_, resign_ply_, false, {}};
    const int players = game().players();
    if (end == End::none) {
      for (int player = 0; player < players; ++player)
        summary.scores[player] = resigner_[player] ? 0.0f : 1.0f;
    } else {
      scaled_result(game(), driver_.state(), summary.scores);
      if (resign_ply_ >= 0)
        for (int player = 0; player < players; ++player)
          summary.resign_wrong |= resigner_[player] && summary.scores[player] > 0;
    }
    done.rows = std::move(rows_);
    done.events = record().events();
    finished_.push_back(std::move(done));
    // A slot that was given a number had come to the end of its own.
    number_ = given_ ? std::numeric_limits<std::uint64_t>::max() : number_ + pool_->stride;
    given_ = false;
    phase_ = Phase::between;
  }

  const PoolContext<G>* pool_;
  std::uint64_t number_;  // of the game, or of the next
  bool given_ = false;    // whether that number was given
  Phase phase_ = Phase::between;
  bool full_ = true;        // this search
  SearchDriver<G> driver_;  // its generator is the slot's
  State root_{};
  Seats seats_;
  int random_left_ = 0;

  bool may_resign_ = true;
  int below_threshold_[kMaxPlayers] = {};  // decisions in a row with a value below the threshold
  bool resigner_[kMaxPlayers] = {};        // at resign_ply_
  int resign_ply_ = -1;

  GameRows rows_;
  std::vector<FinishedGame> finished_;
};

}  // namespace halma
