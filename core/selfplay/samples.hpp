// What self-play leaves behind: games, and a row for every decision in them.
#pragma once

#include <cstdint>
#include <vector>

#include "../huge_pages.hpp"
#include "../record.hpp"
#include "../search/evaluators.hpp"

namespace halma {

/// How the move of a row came about. Only a full search's policy is a target, and an opponent's move
/// where `opponent_targets` asks for it.
enum class Choice : std::uint8_t { full, fast, random, opponent };

/// Rows of decisions, those of a game in order and complete, so that the positions before a
/// row are the rows above it. Policies are ragged: row i has the entries
/// from policy_offsets[i] up to policy_offsets[i + 1].
struct GameRows {
  std::vector<Bytes> states;
  std::vector<Move> moves;  // that were played
  std::vector<Choice> choices;
  std::vector<std::int32_t> plies;  // moves before this one
  std::vector<std::uint8_t> movers;
  std::vector<std::int32_t> repetitions;  // earlier occurrences of the position
  std::vector<float> no_progress;         // share of the limit
  std::vector<float> values;              // the mover's, in [0, 1], as the search found it; NaN without one
  std::vector<std::int32_t> simulations;
  std::vector<std::int64_t> policy_offsets{0};
  std::vector<std::uint16_t> policy_actions;
  std::vector<float> policy_weights;

  std::size_t size() const { return moves.size(); }

  /// Adds the decision that a record has come to, without a policy target.
  void add(const Record& record, Choice choice, Move move, float value, std::uint64_t simulation_count) {
    const Bytes* state = record.state();
    const Context context = record.context();
    states.insert(states.end(), state, state + record.game().state_size());
    moves.push_back(move);
    choices.push_back(choice);
    plies.push_back(record.plies());
    movers.push_back(static_cast<std::uint8_t>(record.game().mover(state)));
    repetitions.push_back(context.repetitions);
    no_progress.push_back(context.no_progress);
    values.push_back(value);
    simulations.push_back(static_cast<std::int32_t>(simulation_count));
    policy_offsets.push_back(static_cast<std::int64_t>(policy_actions.size()));
  }

  /// Adds to the policy target of the row just added.
  void add_target(int action, float weight) {
    policy_actions.push_back(static_cast<std::uint16_t>(action));
    policy_weights.push_back(weight);
    policy_offsets.back() = static_cast<std::int64_t>(policy_actions.size());
  }
};

/// How a game went.
struct Summary {
  std::uint64_t number;
  std::int32_t plies;
  End end;                    // none: resigned
  bool may_resign;            // false: nobody was to resign in this game
  std::int32_t resign_ply;    // when resigning was due; -1: never
  bool resign_wrong;          // played on, one who would have resigned got something
  float scores[kMaxPlayers];  // of each player, from 0 to 1
};

struct FinishedGame {
  Summary summary;
  GameRows rows;
  std::vector<Record::Event> events;
};

/// Notes how a record's game ended; nobody was to resign.
template <Game G>
void note_end(FinishedGame& done, const G& game, const Record& record, std::uint64_t number, End end) {
  done.summary = {number, record.plies(), end, false, -1, false, {}};
  scaled_result(game, load_state(game, record.state()), done.summary.scores);
  done.events = record.events();
}

/// Many games, one after the other, as flat arrays.
struct Samples {
  GameRows rows;
  std::vector<float> outcomes;  // [row][player], the mover first, from 0 to 1
  std::vector<Summary> games;
  std::vector<std::int64_t> row_offsets{0};    // [game + 1]
  std::vector<std::int64_t> event_offsets{0};  // [game + 1]
  std::vector<std::uint8_t> event_chance;
  std::vector<std::uint32_t> event_values;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Adds a game's rows and events to the arrays.
inline void add_game(Samples& to, const FinishedGame& game, int players) {
  const GameRows& rows = game.rows;
  append(to.rows.states, rows.states);
  append(to.rows.moves, rows.moves);
  append(to.rows.choices, rows.choices);
  append(to.rows.plies, rows.plies);
  append(to.rows.movers, rows.movers);
  append(to.rows.repetitions, rows.repetitions);
  append(to.rows.no_progress, rows.no_progress);
  append(to.rows.values, rows.values);
  append(to.rows.simulations, rows.simulations);
  const std::int64_t entries = to.rows.policy_offsets.back();
  for (std::size_t i = 0; i < rows.size(); ++i)
    to.rows.policy_offsets.push_back(entries + rows.policy_offsets[i + 1]);
  append(to.rows.policy_actions, rows.policy_actions);
  append(to.rows.policy_weights, rows.policy_weights);
  for (const std::uint8_t mover : rows.movers)
    for (int i = 0; i < players; ++i) to.outcomes.push_back(game.summary.scores[(mover + i) % players]);
  to.games.push_back(game.summary);
  to.row_offsets.push_back(static_cast<std::int64_t>(to.rows.size()));
  for (const Record::Event& event : game.events) {
    to.event_chance.push_back(event.chance);
    to.event_values.push_back(event.value);
  }
  to.event_offsets.push_back(static_cast<std::int64_t>(to.event_values.size()));
}

template <class T>
std::size_t capacity_bytes(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}
template <class T>
std::size_t capacity_bytes(const HugeVector<T>& vector) {
  return HugePages::block_size(vector.capacity() * sizeof(T));
}

inline std::size_t capacity_bytes(const GameRows& r) {
  return capacity_bytes(r.states) + capacity_bytes(r.moves) + capacity_bytes(r.choices) +
         capacity_bytes(r.plies) + capacity_bytes(r.movers) + capacity_bytes(r.repetitions) +
         capacity_bytes(r.no_progress) + capacity_bytes(r.values) + capacity_bytes(r.simulations) +
         capacity_bytes(r.policy_offsets) + capacity_bytes(r.policy_actions) +
         capacity_bytes(r.policy_weights);
}

inline std::size_t capacity_bytes(const FinishedGame& game) {
  return sizeof(game) + capacity_bytes(game.rows) + capacity_bytes(game.events);
}

}  // namespace halma
