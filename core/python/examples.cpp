// Training examples as Python sees them: arrays of rows in, arrays of a batch out.
#include "../learn/examples.hpp"

#include <nanobind/stl/optional.h>

#include "../learn/replay_games.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

template <class T, int N>
using Input = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N>
using Output = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

void demand(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

int make_examples(const AnyGame& game, const Input<std::uint8_t, 2>& states,
                  const Input<std::int32_t, 1>& plies, const Input<std::int32_t, 1>& repetitions,
                  const Input<float, 1>& no_progress, const Input<std::int64_t, 1>& policy_offsets,
                  const Input<std::uint16_t, 1>& policy_actions, const Input<float, 1>& policy_weights,
                  const Input<std::int64_t, 1>& rows, const Input<std::uint8_t, 1>& mirrors,
                  const Output<float, 4>& planes, const Output<std::int32_t, 2>& actions,
                  const Output<float, 2>& weights) {
  const std::size_t all = states.shape(0), number = rows.shape(0);
  demand(states.shape(1) == game.state_size(), "the rows of this array are not states of this game");
  demand(plies.shape(0) == all && repetitions.shape(0) == all && no_progress.shape(0) == all &&
             policy_offsets.shape(0) == all + 1,
         "the columns of the rows differ in length");
  demand(policy_actions.shape(0) == policy_weights.shape(0), "policies have an action for every weight");
  const PlaneShape shape = game.shape();
  demand(static_cast<int>(planes.shape(1)) == shape.planes &&
             static_cast<int>(planes.shape(2)) == shape.rows &&
             static_cast<int>(planes.shape(3)) == shape.columns,
         "the array of planes has the wrong shape");
  demand(mirrors.shape(0) == number && planes.shape(0) >= number && actions.shape(0) >= number &&
             weights.shape(0) >= number && actions.shape(1) == weights.shape(1),
         "the arrays of a batch are too short");
  for (std::size_t i = 0; i < number; ++i) {
    const std::int64_t row = rows.data()[i];
    demand(row >= 0 && row < static_cast<std::int64_t>(all), "there is no such row");
    demand(plies.data()[row] >= 0 && plies.data()[row] <= row, "a game begins before the first row");
    demand(mirrors.data()[i] < game.symmetries(), "there is no such mirror");
    for (std::int64_t back = 0; back < game.history() && back <= plies.data()[row]; ++back)
      demand(game.is_valid(reinterpret_cast<const Bytes*>(states.data()) + (row - back) * game.state_size()),
             "the rows of this array are not states of this game");
    demand(policy_offsets.data()[row] >= 0 && policy_offsets.data()[row] <= policy_offsets.data()[row + 1] &&
               policy_offsets.data()[row + 1] <= static_cast<std::int64_t>(policy_actions.shape(0)),
           "a policy lies outside of its array");
  }
  const RowsView view{reinterpret_cast<const Bytes*>(states.data()),
                      plies.data(),
                      repetitions.data(),
                      no_progress.data(),
                      policy_offsets.data(),
                      policy_actions.data(),
                      policy_weights.data()};
  const ExamplesView out{planes.data(), actions.data(), weights.data(), static_cast<int>(actions.shape(1))};
  nb::gil_scoped_release release;
  ExampleMaker maker(game);
  int most = 0;
  for (std::size_t i = 0; i < number; ++i)
    most = std::max(most,
                    maker.make(view, rows.data()[i], mirrors.data()[i], out, static_cast<std::int64_t>(i)));
  return most;
}

/// Checks that offsets divide `number` things among the games.
void check_offsets(const Input<std::int64_t, 1>& offsets, std::size_t number) {
  const std::int64_t* at = offsets.data();
  const std::size_t length = offsets.shape(0);
  demand(length > 0 && at[0] == 0 && at[length - 1] == static_cast<std::int64_t>(number) &&
             std::is_sorted(at, at + length),
         "the offsets of the games do not fit the rows and events");
}

std::optional<std::int64_t> find_illegal_game(
    const AnyGame& game, const Input<std::uint8_t, 2>& states, const Input<std::uint32_t, 1>& moves,
    const Input<std::uint8_t, 1>& movers, const Input<std::int32_t, 1>& plies,
    const Input<std::int64_t, 1>& row_offsets, const Input<std::uint8_t, 1>& event_chance,
    const Input<std::uint32_t, 1>& event_values, const Input<std::int64_t, 1>& event_offsets) {
  const std::size_t rows = states.shape(0);
  demand(states.shape(1) == game.state_size(), "the rows of this array are not states of this game");
  demand(moves.shape(0) == rows && movers.shape(0) == rows && plies.shape(0) == rows &&
             event_chance.shape(0) == event_values.shape(0) && row_offsets.shape(0) == event_offsets.shape(0),
         "the columns of the rows differ in length");
  check_offsets(row_offsets, rows);
  check_offsets(event_offsets, event_values.shape(0));
  const GamesView view{static_cast<std::int64_t>(row_offsets.shape(0)) - 1,
                       row_offsets.data(),
                       event_offsets.data(),
                       reinterpret_cast<const Bytes*>(states.data()),
                       moves.data(),
                       movers.data(),
                       plies.data(),
                       event_chance.data(),
                       event_values.data()};
  nb::gil_scoped_release release;
  GameReplay replay(game);
  for (std::int64_t i = 0; i < view.games; ++i)
    if (!replay.follows_rules(view, i)) return i;
  return std::nullopt;
}

nb::ndarray<nb::numpy, std::uint64_t> key_many(const AnyGame& game, const Input<std::uint8_t, 2>& states) {
  const Bytes* bytes = row_bytes(game, states);
  const std::size_t number = states.shape(0);
  std::vector<std::uint64_t> keys(number);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < number; ++i) keys[i] = game.key(bytes + i * game.state_size());
  }
  return owned_array(std::move(keys), {number});
}

}  // namespace

void bind_examples(nb::module_& module) {
  module.def(
      "make_examples", &make_examples, nb::arg("game"), nb::arg("states"), nb::arg("plies"),
      nb::arg("repetitions"), nb::arg("no_progress"), nb::arg("policy_offsets"), nb::arg("policy_actions"),
      nb::arg("policy_weights"), nb::arg("rows"), nb::arg("mirrors"), nb::arg("planes").noconvert(),
      nb::arg("actions").noconvert(), nb::arg("weights").noconvert(),
      "Write some rows of self-play, each as it looks in a mirror, as a batch to learn from: planes, the "
      "actions of legal moves (-1 behind them) and their weights. Return the largest number of legal moves; "
      "where it is above the width of `actions`, moves were left out.");
  module.def("find_illegal_game", &find_illegal_game, nb::arg("game"), nb::arg("states"), nb::arg("moves"),
             nb::arg("movers"), nb::arg("plies"), nb::arg("row_offsets"), nb::arg("event_chance"),
             nb::arg("event_values"), nb::arg("event_offsets"),
             "Replay finished games from their events; return the first one whose events are not legal or "
             "whose rows do not follow from them, None if there is none.");
  module.def("key_many", &key_many, nb::arg("game"), nb::arg("states"), "The keys of states, one per row.");
}

}  // namespace halma::python
