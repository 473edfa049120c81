// One game and the search of its current position. This is the only code that drives a tree:
// self-play, matches, agents, analysis and the tabular trainer all search through it, so what
// ends a line and what a network sees is the same for all of them.
#pragma once

#include <chrono>
#include <stdexcept>

#include "../half.hpp"
#include "../interrupt.hpp"
#include "evaluation_cache.hpp"
#include "mcts.hpp"

namespace halma {

/// What a thread needs to work on a driver; any thread's will do.
template <Game G>
struct SearchScratch {
  std::vector<typename G::State> recent;
  Tree<G> spare;
};

template <Game G>
class SearchDriver {
 public:
  using State = typename G::State;
  using Leaf = halma::Leaf<G>;
  using Scratch = SearchScratch<G>;

  /// `any` is the same game as `game`; both must outlive the driver. Up to `max_pending` leaves
  /// may wait for evaluation together. With `reuse` a search starts with what the search of an
  /// earlier position of the same game found. Evaluations of planes are kept for at least the last
  /// `cached` positions that were evaluated or found again.
  SearchDriver(const G& game, const AnyGame& any, const SearchOptions& options, LeafEvaluation leaves,
               std::uint64_t seed = 0, int max_pending = 1, bool reuse = false, std::size_t cached = 0)
      : game_(&game),
        any_(&any),
        search_(game, options, seed, leaves),
        leaves_(static_cast<std::size_t>(max_pending)),
        evaluation_(leaves),
        reuse_(reuse && traits(options.rule).reuses_tree) {
    if (cached > 0 && leaves == LeafEvaluation::planes && !traits(options.rule).expands_all)
      cache_.emplace(cached);
  }

  // The game.

  /// Starts a game at a state.
  void start(const Limits& limits, const Bytes* state) {
    record_.emplace(*any_, limits, state);
    forget_tree();
  }

  /// Goes to the current position of a game, that of an equal variant. With `reuse`, the tree is kept if this
  /// driver's game is the beginning of that one.
  void set_record(const Record& record) {
    const bool continues = reuse_ && record_ && record.continues(*record_);
    if (continues) {
      const auto& events = record.events();
      for (std::size_t i = record_->events().size(); i < events.size(); ++i)
        taken_.push_back(events[i].value);
    }
    record_ = record.of_game(*any_);
    if (!continues) forget_tree();
  }

  void play(Move move) {
    record_->play(move);
    taken_.push_back(move);
  }
  void resolve(Outcome outcome) {
    record_->resolve(outcome);
    taken_.push_back(outcome);
  }

  bool has_record() const { return record_.has_value(); }
  const Record& record() const { return *record_; }
  State state() const { return load_state(*game_, record_->state()); }
  const Mcts<G>& search() const { return search_; }
  Mcts<G>& search() { return search_; }

  // The search.

  /// Begins a search of the current position, a decision at which the game is not over, with a
  /// number of simulations in all; those kept from an earlier search count. `network` is the number
  /// of the network that evaluates its leaves, where there are several.
  void begin(std::uint64_t simulations, Scratch& scratch, bool dirichlet = true, int network = 0) {
    root_ = state();
    network_ = network;
    search_.read_history(*record_);
    find_earlier();
    budget_ = simulations;
    dirichlet_ = dirichlet;
    pending_ = 0;
    const bool kept = reuse_ && search_.start_below(root_, taken_, scratch.spare);
    taken_.clear();
    if (!kept && evaluation_ != LeafEvaluation::values && !search_.rule().expands_all) {
      phase_ = Phase::root_pending;
      return;
    }
    if (!kept) search_.start(root_);
    begin_simulations();
  }

  /// Whether begin() was called and the root is evaluated.
  bool is_searching() const { return phase_ == Phase::searching; }
  /// Leaves that wait for evaluation, the root among them.
  int pending() const { return pending_; }

  /// Selects leaves until as many as allowed are pending, or until the search is complete;
  /// returns how many are pending. It is complete, too, once kMostDecided simulations in a row have
  /// found nothing to evaluate: where every line ends, a search for a time would never return.
  int select_leaves() {
    if (phase_ == Phase::root_pending && !back_up_cached(0)) return pending_ = 1;
    if (search_.rule().expands_all) return take_quiet();
    int decided = 0;
    while (pending_ < static_cast<int>(leaves_.size()) && search_.simulations() < budget_ &&
           !search_.is_solved() && decided < kMostDecided) {
      Leaf& leaf = leaves_[pending_];
      if (!search_.select(leaf)) break;  // led to a leaf that is pending
      if (leaf.decided) {
        search_.back_up(leaf, leaf.values);
        ++decided;
      } else if (!back_up_cached(pending_)) {
        ++pending_;
      }
    }
    return pending_;
  }

  /// Writes the planes of a pending leaf: itself, then the decisions before it.
  template <class Cell>
  void encode(int which, Scratch& scratch, Cell* out) const {
    std::vector<State>& recent = scratch.recent;
    recent.clear();
    each_shown(which, [&](const State& state) { recent.push_back(state); });
    game_->encode(std::span<const State>(recent), context(which), out);
  }

  /// Takes a network's output for a pending leaf: logits by action, values by player, the mover
  /// first, in [0, 1]. All pending leaves must be backed up before the next select_leaves().
  template <class Logit, class Value>
  void back_up(int which, const Logit* logits, const Value* values) {
    const State& state = pending_state(which);
    float by_player[kMaxPlayers];
    read_values(state, values, by_player);
    MoveList moves;
    float priors[kMaxMoves];
    game_->legal(state, moves);
    int actions[kMaxMoves];
    list_actions(*game_, state, moves, actions);
    for (int i = 0; i < moves.size(); ++i) priors[i] = to_float(logits[actions[i]]);
    softmax(priors, moves.size());
    check_priors(priors);
    back_up_pending(which, by_player, priors, moves);
  }

  /// Writes the actions of the legal moves of a pending leaf, keeps the moves for back_up_priors(),
  /// and returns how many there are.
  int list_legal(int which, std::uint16_t* out) {
    const State& state = pending_state(which);
    MoveList moves;
    int actions[kMaxMoves];
    game_->legal(state, moves);
    list_actions(*game_, state, moves, actions);
    std::copy_n(actions, moves.size(), out);
    leaves_[which].moves.assign(moves.begin(), moves.end());
    return moves.size();
  }

  /// As back_up(), with a probability for each of the moves of list_legal(), in their order.
  template <class Value>
  void back_up_priors(int which, const float* priors, const Value* values) {
    float by_player[kMaxPlayers];
    read_values(pending_state(which), values, by_player);
    check_priors(priors);
    MoveList moves;
    for (const Move move : leaves_[which].moves) moves.push(move);
    back_up_pending(which, by_player, priors, moves);
  }

  /// Runs a search to its end with an evaluator of the core: until the root has `simulations`
  /// in all, `seconds` are over (0: no limit), the thread's stop flag is set, or nothing is left to
  /// search. Called again at the same position, it goes on.
  template <Evaluator<G> E>
  void run(const E& evaluator, std::uint64_t simulations, double seconds, Scratch& scratch) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    begin_or_continue(simulations, scratch);
    if (search_.rule().expands_all) {
      const auto is_late = [&] {
        return search_.simulations() > 0 && (stop_requested() || (seconds > 0 && Clock::now() >= deadline));
      };
      while ((search_.expansion().is_waiting() || !is_late()) && select_leaves() > 0) {
        poll_interrupt();
        for (; pending_ > 0; --pending_) {
          Leaf& quiet = leaves_[pending_ - 1];
          evaluator.evaluate(*game_, quiet.state, search_.history().limits_left(quiet), quiet.values,
                             search_.random());
          search_.evaluate_quiet(quiet, quiet.values);
        }
      }
      return;
    }
    Leaf& leaf = leaves_[0];
    while (search_.simulations() < budget_ && !search_.is_solved()) {
      // Looking at the clock costs as much as a simulation of a small game.
      if (search_.simulations() % 64 == 0) {
        if (seconds > 0 && Clock::now() >= deadline) break;
        if (stop_requested() && search_.simulations() > 0) break;
        poll_interrupt();
      }
      search_.select(leaf);
      if (!leaf.decided)
        evaluator.evaluate(*game_, leaf.state, search_.history().limits_left(leaf), leaf.values,
                           search_.random());
      search_.back_up(leaf, leaf.values);
    }
  }

  /// The same with an evaluator that gives priors too: evaluate(game, state, moves, priors, values)
  /// lists the legal moves and writes a prior for each and a value for each player.
  template <class E>
  void run_with_priors(const E& evaluator, std::uint64_t simulations, Scratch& scratch) {
    begin_or_continue(simulations, scratch);
    MoveList moves;
    float priors[kMaxMoves], values[kMaxPlayers];
    while (select_leaves() > 0) {
      const bool at_root = phase_ == Phase::root_pending;
      moves.clear();
      evaluator.evaluate(*game_, at_root ? root_ : leaves_[0].state, moves, priors, values);
      back_up_pending(0, values, priors, moves);
    }
  }

  /// Forgets all evaluations: the networks have changed.
  void forget_evaluations() {
    if (cache_) cache_->clear();
  }
  /// How many leaves were backed up by a kept evaluation since it was last asked.
  int take_cached() { return std::exchange(found_, 0); }

  // For pools, which run many drivers in turn: memory is asked for step by step as it comes
  // nearer, since each step follows pointers that the one before has fetched.

  void prefetch_leaves() const { prefetch(leaves_.data(), leaves_.size() * sizeof(Leaf)); }
  void prefetch_tree() const {
    for (int i = 0; i < pending_; ++i) {
      prefetch(leaves_[i].path.data());
      prefetch(leaves_[i].moves.data(), leaves_[i].moves.size() * sizeof(Move));
    }
    search_.tree().prefetch_ends();
  }
  void prefetch_path_nodes() const {
    if (phase_ != Phase::searching) return;
    for (int i = 0; i < pending_; ++i)
      for (const auto& step : leaves_[i].path) search_.tree().prefetch_node(step.node);
  }
  void prefetch_path_edges() const {
    if (phase_ != Phase::searching) return;
    for (int i = 0; i < pending_; ++i)
      for (const auto& step : leaves_[i].path) search_.tree().prefetch_edge(step.node, step.place);
  }

  /// Bytes allocated by the tree, the leaves and the record.
  std::size_t bytes() const {
    std::size_t sum = search_.tree().capacity_bytes();
    for (const Leaf& leaf : leaves_)
      sum += sizeof(leaf) + leaf.path.capacity() * sizeof(leaf.path[0]) +
             leaf.decisions.capacity() * sizeof(State) + leaf.moves.capacity() * sizeof(Move);
    if (cache_) sum += cache_->bytes();
    if (record_) sum += (record_->length() + 1) * (any_->state_size() + sizeof(Record::Event) + 12);
    return sum;
  }

 private:
  enum class Phase : std::uint8_t {
    idle,          // no search was begun
    root_pending,  // the root waits for its evaluation
    searching,     // the tree has a root
  };

  static constexpr int kMostDecided = 100'000, kMostExpanded = 10'000;

  void forget_tree() {
    search_.clear();
    taken_.clear();
    phase_ = Phase::idle;
  }

  void begin_simulations() {
    phase_ = Phase::searching;
    search_.begin(budget_, dirichlet_);
  }

  void begin_or_continue(std::uint64_t simulations, Scratch& scratch) {
    if (phase_ != Phase::searching || !taken_.empty()) {
      begin(simulations, scratch);
    } else if (simulations != budget_) {
      budget_ = simulations;
      if (search_.rule().needs_budget) search_.prepare_rule(simulations);
    }
  }

  const State& pending_state(int which) const {
    return phase_ == Phase::root_pending ? root_ : leaves_[which].state;
  }

  /// Converts a network's values, the mover's first, to values by player.
  template <class Value>
  void read_values(const State& state, const Value* values, float* by_player) const {
    const int players = game_->players();
    int player = game_->mover(state);
    for (int i = 0; i < players; ++i, player = player + 1 == players ? 0 : player + 1) {
      by_player[player] = to_float(values[i]);
      if (!(by_player[player] >= 0.0f && by_player[player] <= 1.0f))  // or not a number
        throw std::runtime_error("a value of the network is not between 0 and 1");
    }
  }

  /// One logit that is not finite makes all priors so.
  static void check_priors(const float* priors) {
    if (!std::isfinite(priors[0])) throw std::runtime_error("a logit of the network is not finite");
  }

  /// select_leaves() of a rule that expands: the positions of an expansion, as many as may be pending.
  int take_quiet() {
    for (int expanded = 0; !search_.expansion().is_waiting(); ++expanded) {
      // A tree whose lines all end has nothing left to evaluate, whatever the budget.
      if (search_.simulations() >= budget_ || search_.is_solved() || expanded == kMostExpanded) return 0;
      search_.expand();
    }
    for (; pending_ < static_cast<int>(leaves_.size()) && search_.expansion().not_taken() > 0; ++pending_)
      search_.expansion().take(leaves_[pending_]);
    return pending_;
  }

  void back_up_pending(int which, const float* values, const float* priors, const MoveList& moves) {
    if (cache_) cache_->store(leaves_[which].key, values, game_->players(), priors, moves.size());
    back_up_evaluated(which, values, priors, moves);
    --pending_;
  }

  void back_up_evaluated(int which, const float* values, const float* priors, const MoveList& moves) {
    if (search_.rule().expands_all) {
      search_.evaluate_quiet(leaves_[which], values);
    } else if (phase_ == Phase::root_pending) {
      search_.start(root_, priors, values, &moves);
      begin_simulations();
    } else {
      search_.back_up(leaves_[which], values, priors, &moves);
    }
  }

  /// Backs up a leaf, or the root, whose evaluation is known; otherwise finds the key that it will have.
  bool back_up_cached(int which) {
    if (!cache_) return false;
    EvaluationKey key(network_);
    each_shown(which, [&](const State& state) { key.add(state); });
    if (uses_context(*game_)) {
      const Context shown = context(which);
      key.add(shown.repetitions);
      key.add(shown.no_progress);
    }
    leaves_[which].key = key.value();
    const float* numbers = cache_->find(key.value());
    if (!numbers) return false;
    MoveList moves;
    game_->legal(pending_state(which), moves);
    back_up_evaluated(which, numbers, numbers + game_->players(), moves);
    ++found_;
    return true;
  }

  /// Calls `use` with each state that planes of a leaf show, itself first, then the decisions before it.
  template <class Use>
  void each_shown(int which, Use&& use) const {
    const auto history = static_cast<std::size_t>(game_->history());
    std::size_t shown = 1;
    use(pending_state(which));
    if (phase_ != Phase::root_pending) {
      const Leaf& leaf = leaves_[which];
      for (std::size_t i = leaf.decisions.size(); i-- > 0 && shown < history; ++shown) use(leaf.decisions[i]);
    }
    for (std::size_t i = 0; i < earlier_.size() && shown < history; ++i, ++shown) use(earlier_[i]);
  }

  /// What planes of a leaf show of the game before it, beside earlier states.
  Context context(int which) const {
    return phase_ == Phase::root_pending ? record_->context() : search_.history().context(leaves_[which]);
  }

  /// Finds the decisions before the root, newest first, as far as planes look back.
  void find_earlier() {
    earlier_.clear();
    if (evaluation_ != LeafEvaluation::planes) return;
    for (int i = record_->length() - 1; i >= 0 && static_cast<int>(earlier_.size()) + 1 < game_->history();
         --i) {
      const State state = load_state(*game_, record_->state(i));
      if (!game_->at_chance(state)) earlier_.push_back(state);
    }
  }

  const G* game_;
  const AnyGame* any_;
  Mcts<G> search_;
  std::vector<Leaf> leaves_;  // the first pending_ wait for evaluation
  LeafEvaluation evaluation_;
  bool reuse_;
  bool dirichlet_ = true;
  Phase phase_ = Phase::idle;
  int pending_ = 0;
  std::uint64_t budget_ = 0;  // simulations
  State root_{};
  int network_ = 0;
  std::optional<EvaluationCache> cache_;
  int found_ = 0;  // leaves whose evaluation was in the cache, until taken
  std::vector<State> earlier_;
  std::vector<std::uint32_t> taken_;  // moves and outcomes since the tree's root
  std::optional<Record> record_;
};

}  // namespace halma
