// One game at a time, played by a tree search against itself. A slot runs until it needs
// positions judged and stands still until they are; what it does depends on its game's
// number and on those judgements, and on nothing else.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "../search/context.hpp"
#include "half.hpp"
#include "options.hpp"
#include "samples.hpp"

namespace halma {

/// What all slots of a pool share.
template <Game G>
struct Table {
  const G* game;
  const AnyGame* any;  // the same
  PoolOptions options;
  Limits limits;
  std::uint64_t seed;
  std::uint64_t stride;  // between the numbers of a slot's games
  std::uint64_t end;     // games are numbered below this
};

/// What a thread needs to work on a slot; it may be any thread's.
template <Game G>
struct Bench {
  std::vector<typename G::State> recent;
  Tree<G> spare;
  std::vector<float> planes;
};

template <Game G>
class alignas(64) Slot {
 public:
  using State = typename G::State;
  using Leaf = typename Mcts<G>::Leaf;

  /// The table must outlive the slot, which plays the games first, first + stride, ...
  Slot(const Table<G>& table, std::uint64_t first)
      : table_(&table),
        number_(first),
        search_(*table.game, table.options.search, 0, Judge::network),
        leaves_(static_cast<std::size_t>(table.options.leaves)),
        with_context_(uses_context(*table.game)) {}

  /// Positions that wait to be judged.
  int awaited() const { return awaited_; }
  /// Whether a game is being played or may begin.
  bool active() const { return phase_ != Phase::between || number_ < table_->end; }
  std::vector<FinishedGame>& finished() { return finished_; }

  /// Goes on until something must be judged. Searches that are complete are followed by
  /// their moves, games that are over by the next.
  void run(Bench<G>& bench) {
    awaited_ = 0;
    // Games that end without a single search must not keep a thread for good.
    for (int begun = 0;;) {
      switch (phase_) {
        case Phase::between:
          if (number_ >= table_->end || begun++ == kMostBegun) return;
          begin();
          break;
        case Phase::opening:
          play_random();
          break;
        case Phase::entered:
          begin_search(bench);
          break;
        case Phase::unjudged:
          awaited_ = 1;
          return;
        case Phase::searching:
          descend();
          if (awaited_ > 0) return;
          play_found();
          break;
      }
    }
  }

  /// Asks for what judge() and run() will want, step by step as it comes nearer: each step
  /// follows pointers that the one before has fetched.
  void prefetch_leaves() const { prefetch(leaves_.data(), leaves_.size() * sizeof(Leaf)); }
  void prefetch_ends() const {
    for (int i = 0; i < awaited_; ++i) prefetch(leaves_[i].path.data());
    search_.tree().prefetch_ends();
  }
  void prefetch_paths() const {
    if (phase_ == Phase::searching)
      for (int i = 0; i < awaited_; ++i)
        for (const auto [node, edge] : leaves_[i].path) search_.tree().prefetch_step(node, edge);
  }

  /// Writes the planes of an awaited position.
  void encode(int which, Bench<G>& bench, float* out) const {
    const auto history = static_cast<std::size_t>(game().history());
    std::vector<State>& recent = bench.recent;
    recent.clear();
    Context context;
    if (phase_ == Phase::unjudged) {
      recent.push_back(root_);
      context = context_;
    } else {
      const Leaf& leaf = leaves_[which];
      recent.push_back(leaf.state);
      for (std::size_t i = leaf.decisions.size(); i-- > 0 && recent.size() < history;)
        recent.push_back(leaf.decisions[i]);
      if (with_context_)
        context = leaf_context(game(), leaf, before(), record_->halfmove_clock(), table_->limits.no_progress);
    }
    for (std::size_t i = 0; i < earlier_.size() && recent.size() < history; ++i)
      recent.push_back(earlier_[i]);
    game().encode(std::span<const State>(recent), context, out);
  }

  /// Takes a judgement: logits by action, values by player, the mover first.
  template <class Logit, class Value>
  void judge(int which, const Logit* logits, const Value* values) {
    const bool at_root = phase_ == Phase::unjudged;
    const State& state = at_root ? root_ : leaves_[which].state;
    const int players = game().players(), mover = game().mover(state);
    float turned[kMaxPlayers];
    for (int i = 0, player = mover; i < players; ++i, player = player + 1 == players ? 0 : player + 1) {
      turned[player] = to_float(values[i]);
      if (!std::isfinite(turned[player])) throw std::runtime_error("a value of the network is no number");
    }
    MoveList moves;
    float priors[kMaxMoves];
    game().legal(state, moves);
    for (int i = 0; i < moves.size(); ++i) priors[i] = to_float(logits[game().action(state, moves[i])]);
    softmax(priors, moves.size());
    if (!std::isfinite(priors[0])) throw std::runtime_error("a logit of the network is no number");
    if (at_root) {
      search_.set_root(root_, loop_history(), priors, turned);
      if (gumbel()) search_.plan_halving(wanted_);
      phase_ = Phase::searching;
    } else {
      search_.finish(leaves_[which], turned, priors, &moves);
    }
  }

  /// Bytes this slot has room in.
  std::size_t bytes() const {
    const Tree<G>& tree = search_.tree();
    std::size_t sum = sizeof(*this) + capacity_bytes(tree.nodes) + capacity_bytes(tree.what) +
                      capacity_bytes(tree.child) + capacity_bytes(tree.visits) + capacity_bytes(tree.total) +
                      capacity_bytes(tree.prior) + capacity_bytes(tree.proof) + capacity_bytes(rows_);
    for (const Leaf& leaf : leaves_)
      sum += sizeof(leaf) + capacity_bytes(leaf.path) + capacity_bytes(leaf.decisions) +
             capacity_bytes(leaf.keys);
    if (record_) sum += (record_->length() + 1) * (table_->any->state_size() + sizeof(Record::Event) + 12);
    return sum;
  }

 private:
  enum class Phase : std::uint8_t {
    between,    // games
    opening,    // the next move is random
    entered,    // a position that is to be searched
    unjudged,   // its root awaits judgement
    searching,  // the tree has a root
  };
  static constexpr int kMostBegun = 2;

  const G& game() const { return *table_->game; }
  const PoolOptions& options() const { return table_->options; }
  Random& random() { return search_.random(); }
  bool gumbel() const { return options().search.rule == Rule::gumbel; }

  /// Keys of what stood before the root.
  std::span<const std::uint64_t> before() const {
    return std::span(record_->keys()).first(record_->keys().size() - 1);
  }
  std::vector<std::uint64_t> loop_history() const {
    if (!options().search.cut_loops) return {};
    return {before().begin(), before().end()};
  }

  void begin() {
    random() = Random(table_->seed, number_);
    std::vector<Bytes> start(table_->any->state_size());
    table_->any->initial(start.data());
    record_.emplace(*table_->any, table_->limits, start.data());
    earlier_.clear();
    rows_ = GameRows{};
    ply_ = 0;
    last_ = kNoMove;
    may_resign_ = random().uniform() >= options().resign_never_share;
    std::fill_n(hopeless_, kMaxPlayers, 0);
    resign_ply_ = -1;
    const int choices = options().opening_most - options().opening_least + 1;
    opening_left_ = options().opening_least + static_cast<int>(random().below(choices));
    enter();
  }

  /// Lets chance speak, and sees what is to be done where the game has come to.
  void enter() {
    outcomes_.clear();
    while (true) {
      if (const End end = record_->end(); end != End::none) {
        finish(end);
        return;
      }
      root_ = load_state(game(), record_->state());
      if (!game().at_chance(root_)) break;
      outcomes_.push_back(sample(game(), root_, random()));
      record_->resolve(outcomes_.back());
    }
    context_ = record_->context();
    phase_ = opening_left_ > 0 ? Phase::opening : Phase::entered;
  }

  void play_random() {
    --opening_left_;
    MoveList moves;
    game().legal(root_, moves);
    const Move move = moves[static_cast<int>(random().below(moves.size()))];
    add_row(Choice::random, move, std::numeric_limits<float>::quiet_NaN(), 0);
    play(move);
    last_ = kNoMove;  // no tree to go on in
  }

  void begin_search(Bench<G>& bench) {
    full_ = options().full_share >= 1.0f || random().uniform() < options().full_share;
    wanted_ = static_cast<std::uint64_t>(full_ ? options().simulations : options().fast_simulations);
    search_.set_noise(full_ ? options().search.noise_weight : 0.0f);
    const bool kept = options().reuse && last_ != kNoMove &&
                      search_.advance_known(root_, last_, outcomes_, loop_history(), bench.spare);
    phase_ = kept ? Phase::searching : Phase::unjudged;
  }

  void descend() {
    while (awaited_ < options().leaves && search_.simulations() < wanted_ && !search_.settled()) {
      Leaf& leaf = leaves_[awaited_];
      if (!search_.descend(leaf)) return;  // led to a leaf that is awaited already
      if (leaf.decided)
        search_.finish(leaf, leaf.values);
      else
        ++awaited_;
    }
  }

  /// Ends a search with its move.
  void play_found() {
    const auto& root = search_.tree().nodes[0];
    const float value = root.total / static_cast<float>(root.visits);
    const int best = search_.best();
    const std::vector<float> policy = search_.policy();
    const int chosen = choose(best, policy);
    const Move move = search_.tree().what[root.first + chosen];
    const bool resigns = hopeless(value);
    add_row(full_ ? Choice::full : Choice::fast, resigns ? kNoMove : move, value, search_.simulations());
    if (full_) add_target(best, policy);
    if (resigns)
      finish(End::none);
    else
      play(move);
  }

  /// The temperature's draw among root moves. What is proven lost is not drawn; where all
  /// is proven there is nothing to draw.
  int choose(int best, const std::vector<float>& policy) {
    float temperature = 0.0f;
    for (const auto& [from, t] : options().temperatures)
      if (ply_ >= from) temperature = t;
    if (temperature <= 0.0f || search_.settled()) return best;
    const Tree<G>& tree = search_.tree();
    const float most = *std::max_element(policy.begin(), policy.end());
    std::vector<double> weights(policy.size());
    double sum = 0;
    for (std::size_t i = 0; i < policy.size(); ++i) {
      const bool lost = tree.proof[tree.nodes[0].first + i] == Proof::loss;
      sum += weights[i] = lost ? 0.0 : std::pow(policy[i] / most, 1.0 / temperature);
    }
    if (!(sum > 0)) return best;
    double left = random().uniform() * sum;
    int last = best;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      last = static_cast<int>(i);
      if ((left -= weights[i]) < 0) break;
    }
    return last;
  }

  void add_row(Choice choice, Move move, float value, std::uint64_t simulations) {
    const Bytes* state = record_->state();
    rows_.states.insert(rows_.states.end(), state, state + table_->any->state_size());
    rows_.moves.push_back(move);
    rows_.choices.push_back(choice);
    rows_.plies.push_back(ply_);
    rows_.movers.push_back(static_cast<std::uint8_t>(game().mover(root_)));
    rows_.repetitions.push_back(context_.repetitions);
    rows_.no_progress.push_back(context_.no_progress);
    rows_.values.push_back(value);
    rows_.simulations.push_back(static_cast<std::int32_t>(simulations));
    rows_.policy_offsets.push_back(static_cast<std::int64_t>(rows_.policy_actions.size()));
  }

  /// The search's policy as target of the row just added. A proven win is all there is to
  /// learn where there is one. Shares of nothing are left out.
  void add_target(int best, const std::vector<float>& policy) {
    const Tree<G>& tree = search_.tree();
    const auto first = tree.nodes[0].first;
    const bool won = tree.proof[first + best] == Proof::win;
    for (std::size_t i = 0; i < policy.size(); ++i) {
      const float share = won ? static_cast<float>(static_cast<int>(i) == best) : policy[i];
      if (share <= 0) continue;
      rows_.policy_actions.push_back(static_cast<std::uint16_t>(game().action(root_, tree.what[first + i])));
      rows_.policy_shares.push_back(share);
    }
    rows_.policy_offsets.back() = static_cast<std::int64_t>(rows_.policy_actions.size());
  }

  /// Notes how the mover stands; whether the game is given up at this.
  bool hopeless(float value) {
    const int players = game().players();
    if (options().resign_below <= 0 || players < 2) return false;
    int& count = hopeless_[game().mover(root_)];
    count = value < options().resign_below ? count + 1 : 0;
    if (resign_ply_ >= 0) return false;
    int resigned = 0;
    for (int player = 0; player < players; ++player) {
      resigner_[player] = hopeless_[player] >= options().resign_after;
      resigned += resigner_[player];
    }
    if (resigned < players - 1) return false;
    resign_ply_ = ply_;
    return may_resign_;
  }

  void play(Move move) {
    earlier_.insert(earlier_.begin(), root_);
    if (static_cast<int>(earlier_.size()) >= game().history()) earlier_.pop_back();
    record_->play(move);
    last_ = move;
    ++ply_;
    enter();
  }

  /// Puts the game away. No end at all means it was given up.
  void finish(End end) {
    FinishedGame done;
    Summary& summary = done.summary;
    summary = {number_, ply_, end, may_resign_, resign_ply_, false, {}};
    const int players = game().players();
    if (end == End::none) {
      for (int player = 0; player < players; ++player)
        summary.scores[player] = resigner_[player] ? 0.0f : 1.0f;
    } else {
      scaled_result(game(), load_state(game(), record_->state()), summary.scores);
      if (resign_ply_ >= 0)
        for (int player = 0; player < players; ++player)
          summary.resign_wrong |= resigner_[player] && summary.scores[player] > 0;
    }
    done.rows = std::move(rows_);
    done.events = record_->events();
    finished_.push_back(std::move(done));
    number_ += table_->stride;
    phase_ = Phase::between;
  }

  const Table<G>* table_;
  std::uint64_t number_;  // of the game, or of the next
  Phase phase_ = Phase::between;
  bool full_ = true;  // this search
  int awaited_ = 0;
  std::uint64_t wanted_ = 0;  // simulations
  Mcts<G> search_;            // its generator is the slot's
  std::vector<Leaf> leaves_;  // the first awaited_ wait to be judged
  bool with_context_;

  State root_{};
  Context context_;                // of the root
  std::vector<State> earlier_;     // decisions before the root, newest first, as far as planes look back
  std::vector<Outcome> outcomes_;  // between the last move and the root
  Move last_ = kNoMove;            // the move to the root from that of the tree
  std::optional<Record> record_;
  int ply_ = 0;
  int opening_left_ = 0;

  bool may_resign_ = true;
  int hopeless_[kMaxPlayers] = {};   // decisions in a row with a value below the threshold
  bool resigner_[kMaxPlayers] = {};  // at resign_ply_
  int resign_ply_ = -1;

  GameRows rows_;
  std::vector<FinishedGame> finished_;
};

}  // namespace halma
