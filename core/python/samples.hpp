// Finished games as arrays of Python.
#pragma once

#include <cstring>

#include "../selfplay/samples.hpp"
#include "bind.hpp"

namespace halma::python {

template <class T, class Read>
nb::object column(const std::vector<Summary>& games, Read&& read) {
  std::vector<T> values;
  for (const Summary& game : games) values.push_back(read(game));
  return nb::cast(owned_array(std::move(values), {games.size()}));
}

template <class T>
nb::object flat(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return nb::cast(owned_array(std::move(values), {size}));
}

template <class T, class From>
nb::object flat_as(const std::vector<From>& values) {
  return flat(std::vector<T>(reinterpret_cast<const T*>(values.data()),
                             reinterpret_cast<const T*>(values.data() + values.size())));
}

/// The arrays of halma.selfplay.FinishedGames, by name.
inline nb::dict sample_arrays(const AnyGame& game, Samples&& s) {
  const std::size_t rows = s.rows.size(), games = s.games.size();
  const auto players = static_cast<std::size_t>(game.players());
  std::vector<float> scores;
  for (const Summary& one : s.games) scores.insert(scores.end(), one.scores, one.scores + players);
  std::vector<std::uint8_t> states(s.rows.states.size());
  if (!states.empty()) std::memcpy(states.data(), s.rows.states.data(), states.size());
  nb::dict out;
  out["states"] = owned_array(std::move(states), {rows, game.state_size()});
  out["moves"] = flat(std::move(s.rows.moves));
  out["choices"] = flat_as<std::uint8_t>(s.rows.choices);
  out["plies"] = flat(std::move(s.rows.plies));
  out["movers"] = flat(std::move(s.rows.movers));
  out["repetitions"] = flat(std::move(s.rows.repetitions));
  out["no_progress"] = flat(std::move(s.rows.no_progress));
  out["values"] = flat(std::move(s.rows.values));
  out["simulations"] = flat(std::move(s.rows.simulations));
  out["policy_offsets"] = flat(std::move(s.rows.policy_offsets));
  out["policy_actions"] = flat(std::move(s.rows.policy_actions));
  out["policy_weights"] = flat(std::move(s.rows.policy_weights));
  out["outcomes"] = owned_array(std::move(s.outcomes), {rows, players});
  out["numbers"] = column<std::uint64_t>(s.games, [](const Summary& g) { return g.number; });
  out["lengths"] = column<std::int32_t>(s.games, [](const Summary& g) { return g.plies; });
  out["ends"] =
      column<std::uint8_t>(s.games, [](const Summary& g) { return static_cast<std::uint8_t>(g.end); });
  out["may_resign"] = column<std::uint8_t>(s.games, [](const Summary& g) { return g.may_resign; });
  out["resign_plies"] = column<std::int32_t>(s.games, [](const Summary& g) { return g.resign_ply; });
  out["resign_wrong"] = column<std::uint8_t>(s.games, [](const Summary& g) { return g.resign_wrong; });
  out["scores"] = owned_array(std::move(scores), {games, players});
  out["row_offsets"] = flat(std::move(s.row_offsets));
  out["event_offsets"] = flat(std::move(s.event_offsets));
  out["event_chance"] = flat(std::move(s.event_chance));
  out["event_values"] = flat(std::move(s.event_values));
  return out;
}

}  // namespace halma::python
