// Finished games as arrays, replayed by the rules: arrays come from files, and a state that no
// game reaches is undefined behaviour to everything that looks at states.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "../any.hpp"

namespace halma {

/// Games as self-play leaves them. Game i has the rows from row_offsets[i] to row_offsets[i + 1]
/// and likewise its events: moves and outcomes of chance in order.
struct GamesView {
  std::int64_t games;
  const std::int64_t *row_offsets, *event_offsets;
  const Bytes* states;
  const Move* moves;  // kNoMove in the last row of a game that a player resigned
  const std::uint8_t* movers;
  const std::int32_t* plies;
  const std::uint8_t* event_chance;
  const std::uint32_t* event_values;
};

class GameReplay {
 public:
  /// The game must outlive it.
  explicit GameReplay(const AnyGame& game) : game_(&game), state_(game.state_size()) {}

  /// Whether the rows of a game are what its events lead to, and its events are legal.
  bool follows_rules(const GamesView& view, std::int64_t number) {
    if (!begin(view, number)) return false;
    const std::int64_t first = view.row_offsets[number], end = view.row_offsets[number + 1];
    std::int64_t row = first;
    for (std::int64_t i = view.event_offsets[number]; i < view.event_offsets[number + 1]; ++i) {
      const std::uint32_t value = view.event_values[i];
      const bool chance = game_->at_chance(state_.data());
      if (chance != static_cast<bool>(view.event_chance[i])) return false;
      if (chance) {
        if (!may_come(value)) return false;
        game_->resolve(state_.data(), value);
      } else {
        if (row == end || !is_row(view, row, row - first) || view.moves[row] != value || !is_legal(value))
          return false;
        game_->play(state_.data(), value);
        ++row;
      }
    }
    if (row + 1 == end && view.moves[row] == kNoMove)
      return !game_->at_chance(state_.data()) && is_row(view, row, row - first);
    return row == end;
  }

 private:
  /// Sets the state to the start of a game: where it does not begin with chance, that is its first
  /// row, since games may start from any decision. Returns whether it is one.
  bool begin(const GamesView& view, std::int64_t number) {
    game_->initial(state_.data());
    const std::int64_t row = view.row_offsets[number], event = view.event_offsets[number];
    const bool has_row = row < view.row_offsets[number + 1];
    const bool begins_at_chance = event < view.event_offsets[number + 1] && view.event_chance[event];
    if (!has_row || begins_at_chance) return true;
    const Bytes* start = view.states + static_cast<std::size_t>(row) * state_.size();
    if (!game_->is_valid(start) || game_->at_chance(start) || game_->terminal(start)) return false;
    std::copy(start, start + state_.size(), state_.begin());
    return true;
  }

  bool is_row(const GamesView& view, std::int64_t row, std::int64_t ply) const {
    return std::memcmp(view.states + static_cast<std::size_t>(row) * state_.size(), state_.data(),
                       state_.size()) == 0 &&
           view.movers[row] == game_->mover(state_.data()) && view.plies[row] == ply;
  }
  bool is_legal(Move move) {
    moves_.clear();
    game_->legal(state_.data(), moves_);
    return std::find(moves_.begin(), moves_.end(), move) != moves_.end();
  }
  bool may_come(Outcome outcome) {
    outcomes_.clear();
    game_->outcomes(state_.data(), outcomes_);
    return std::any_of(outcomes_.begin(), outcomes_.end(),
                       [&](const Chance& one) { return one.outcome == outcome; });
  }

  const AnyGame* game_;
  std::vector<Bytes> state_;
  MoveList moves_;
  OutcomeList outcomes_;
};

}  // namespace halma
