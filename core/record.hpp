// A played game: states, moves, and the rules that depend on history.
#pragma once

#include <algorithm>

#include "any.hpp"

namespace halma {

/// Why a record is over: by the rules of the game, or by one of the Limits.
enum class End : std::uint8_t { none, rules, plies, repetition, no_progress, cycle, stalled };

/// The most pieces of each player that have arrived at once, and the plies since one more did.
/// Every piece can arrive only once in this count, so a limit on these plies ends every game.
struct Progress {
  int clock = 0;
  std::uint8_t most[kMaxPlayers] = {};

  /// Takes note of the pieces that have arrived, given by arrived(player), after a ply.
  template <class Arrived>
  void add_ply(int players, Arrived&& arrived) {
    ++clock;
    for (int player = 0; player < players; ++player) {
      const int now = arrived(player);
      if (now <= most[player]) continue;
      most[player] = static_cast<std::uint8_t>(now);
      clock = 0;
    }
  }
};

/// One played game, chance outcomes included, so that it can be replayed.
class Record {
 public:
  struct Event {
    bool chance;
    std::uint32_t value;  // a Move or an Outcome
    bool operator==(const Event&) const = default;
  };

  /// The game must outlive the record.
  Record(const AnyGame& game, const Limits& limits, const Bytes* start)
      : game_(&game), limits_(limits), size_(game.state_size()) {
    states_.assign(start, start + size_);
    clocks_.push_back(0);
    keys_.push_back(decision_key(state()));
    if (limits_.progress_plies > 0) {
      Progress first;
      first.add_ply(game.players(), [&](int player) { return game.arrived(start, player); });
      first.clock = 0;
      progress_.push_back(first);
    }
  }

  const Bytes* state() const { return states_.data() + states_.size() - size_; }
  const Bytes* state(int i) const { return states_.data() + i * size_; }
  int length() const { return static_cast<int>(events_.size()); }
  const std::vector<Event>& events() const { return events_; }
  /// Keys of all states so far, the current one last; 0 at chance.
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  const Limits& limits() const { return limits_; }
  const AnyGame& game() const { return *game_; }

  int plies() const { return plies_; }

  /// The same record of an equal game, which must outlive it.
  Record of_game(const AnyGame& game) const {
    Record same = *this;
    same.game_ = &game;
    return same;
  }

  /// Whether this game began as that one did and has all its events.
  bool continues(const Record& earlier) const {
    return size_ == earlier.size_ && events_.size() >= earlier.events_.size() &&
           std::equal(earlier.events_.begin(), earlier.events_.end(), events_.begin()) &&
           std::equal(earlier.state(0), earlier.state(0) + size_, state(0));
  }

  /// Plies since the last irreversible move.
  int halfmove_clock() const { return clocks_.back(); }

  /// Kept only where limits().progress_plies is set.
  Progress progress() const { return progress_.empty() ? Progress{} : progress_.back(); }

  /// Earlier occurrences of the current position.
  int repetitions() const {
    const std::uint64_t now = keys_.back();
    if (now == 0) return 0;
    return static_cast<int>(std::count(keys_.begin(), keys_.end() - 1, now));
  }

  Context context() const {
    return {repetitions(), no_progress_share(halfmove_clock(), limits_.no_progress)};
  }

  End end() const {
    if (!game_->at_chance(state()) && game_->terminal(state())) return End::rules;
    if (limits_.repetitions > 0 && repetitions() + 1 >= limits_.repetitions) return End::repetition;
    if (limits_.no_progress > 0 && halfmove_clock() >= limits_.no_progress) return End::no_progress;
    if (limits_.plies > 0 && plies() >= limits_.plies) return End::plies;
    if (limits_.cycle_window > 0 && cycles()) return End::cycle;
    if (limits_.progress_plies > 0 && progress().clock >= limits_.progress_plies) return End::stalled;
    return End::none;
  }

  /// Plays a legal move or resolves chance with a possible outcome; not validated here.
  void play(Move move) {
    const bool progress = game_->irreversible(state(), move);
    add({false, move}, progress ? 0 : halfmove_clock() + 1, [&](Bytes* next) { game_->play(next, move); });
  }
  void resolve(Outcome outcome) {
    add({true, outcome}, halfmove_clock(), [&](Bytes* next) { game_->resolve(next, outcome); });
  }

  /// Undoes the last event; the record must not be at its start.
  void undo() {
    states_.resize(states_.size() - size_);
    plies_ -= !events_.back().chance;
    events_.pop_back();
    clocks_.pop_back();
    keys_.pop_back();
    if (!progress_.empty()) progress_.pop_back();
  }

  /// The planes of the current state: shape().size() floats. Earlier states are
  /// decision states only.
  void encode(float* out) const {
    std::vector<Bytes> recent(state(), state() + size_);
    int number = 1;
    for (int i = length() - 1; i >= 0 && number < game_->history(); --i) {
      if (game_->at_chance(state(i))) continue;
      recent.insert(recent.end(), state(i), state(i) + size_);
      ++number;
    }
    game_->encode(recent.data(), number, context(), out);
  }

 private:
  /// Strong exception guarantee: a game written in Python may throw.
  template <class Change>
  void add(const Event& event, int clock, Change&& change) {
    std::vector<Bytes> next(state(), state() + size_);
    change(next.data());
    const std::uint64_t key = decision_key(next.data());
    if (!progress_.empty()) {
      Progress now = progress_.back();
      if (!event.chance)
        now.add_ply(game_->players(), [&](int player) { return game_->arrived(next.data(), player); });
      progress_.push_back(now);
    }
    states_.insert(states_.end(), next.begin(), next.end());
    events_.push_back(event);
    plies_ += !event.chance;
    clocks_.push_back(clock);
    keys_.push_back(key);
  }

  // Positions at chance do not count as occurrences: no player decides there. Their
  // key is 0; a decision whose key happens to be 0 is not counted either.
  std::uint64_t decision_key(const Bytes* s) const { return game_->at_chance(s) ? 0 : game_->key(s); }

  bool cycles() const {
    std::vector<int> landings;
    int seen = 0;
    for (auto event = events_.rbegin(); event != events_.rend() && seen < limits_.cycle_window; ++event) {
      if (event->chance) continue;
      ++seen;
      const int cell = game_->landing(event->value);
      if (std::find(landings.begin(), landings.end(), cell) == landings.end()) landings.push_back(cell);
    }
    return seen == limits_.cycle_window && static_cast<int>(landings.size()) < limits_.cycle_landings;
  }

  const AnyGame* game_;
  Limits limits_;
  std::size_t size_;
  std::vector<Bytes> states_;
  std::vector<Event> events_;
  int plies_ = 0;
  std::vector<int> clocks_;
  std::vector<std::uint64_t> keys_;
  std::vector<Progress> progress_;  // of every state; empty without the limit
};

}  // namespace halma
