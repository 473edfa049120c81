// Tabular AlphaZero as Python sees it.
#include <nanobind/stl/optional.h>

#include <cstring>

#include "../learn/match_optimal.hpp"
#include "../learn/tabular.hpp"
#include "../registry.hpp"
#include "options.hpp"

namespace halma::python {
namespace {

using MatchGames = Ranged<std::uint64_t, "a number of games", 0, 100'000'000>;

struct Trainer {
  const AnyGame* game;
  TabularOptions options;
  std::unique_ptr<AnyTabular> tabular;
};

void make(Trainer* self, const AnyGame& game, const TabularOptions& options, Threads threads) {
  check_search(game, options.search);
  if (options.simulations < 1 + options.count_root)
    throw std::invalid_argument("a search needs a simulation beside the root's");
  std::unique_ptr<AnyTabular> tabular;
  {
    nb::gil_scoped_release release;
    const Family& family = family_of(game);
    tabular = (family.tabular ? family : opaque_family()).tabular(game, options, threads);
  }
  new (self) Trainer{&game, options, std::move(tabular)};
}

nb::object iterate(Trainer& self, double learning_rate, Threads threads, double seconds) {
  std::optional<IterationTotals> totals;
  {
    nb::gil_scoped_release release;
    totals = self.tabular->iterate(static_cast<float>(learning_rate), threads, seconds);
  }
  if (!totals) return nb::none();
  nb::dict out;
  out["games"] = totals->games;
  out["plies"] = totals->plies;
  out["draws"] = totals->draws;
  out["first_wins"] = totals->first_wins;
  out["simulations"] = totals->simulations;
  out["positions"] = totals->positions;
  out["play_seconds"] = totals->play_seconds;
  out["update_seconds"] = totals->update_seconds;
  out["processor_seconds"] = totals->processor_seconds;
  return out;
}

/// The replay buffer as bytes: for each iteration two counts and three arrays.
nb::bytes replay_buffer(const Trainer& self) {
  std::string out;
  const auto add = [&](const void* data, std::size_t bytes) {
    out.append(static_cast<const char*>(data), bytes);
  };
  for (const TableSamples& samples : self.tabular->replay_buffer) {
    const std::uint64_t counts[2] = {samples.positions.size(), samples.actions.size()};
    add(counts, sizeof counts);
    add(samples.positions.data(), counts[0] * sizeof(TableSamples::Position));
    add(samples.actions.data(), counts[1] * sizeof(std::uint16_t));
    add(samples.weights.data(), counts[1] * sizeof(float));
  }
  return nb::bytes(out.data(), out.size());
}

void restore(Trainer& self, std::uint64_t iteration, const nb::bytes& bytes) {
  const LookupTable& table = self.tabular->table();
  const char* at = bytes.c_str();
  std::size_t left = bytes.size();
  const auto wrong = std::invalid_argument("these bytes are not a replay buffer of this trainer");
  const auto take = [&]<class T>(std::vector<T>& items, std::uint64_t number) {
    if (number > left / sizeof(T)) throw wrong;
    items.resize(number);
    std::memcpy(items.data(), at, number * sizeof(T));
    at += number * sizeof(T);
    left -= number * sizeof(T);
  };
  std::deque<TableSamples> buffer;
  while (left > 0) {
    std::vector<std::uint64_t> counts;
    TableSamples samples;
    take(counts, 2);
    take(samples.positions, counts[0]);
    take(samples.actions, counts[1]);
    take(samples.weights, counts[1]);
    for (const TableSamples::Position& position : samples.positions)
      if (position.row >= table.rows().size() || position.first > counts[1] ||
          position.number > counts[1] - position.first || !(position.outcome >= 0 && position.outcome <= 1))
        throw wrong;
    for (const std::uint16_t action : samples.actions)
      if (action >= table.actions()) throw wrong;
    for (const float weight : samples.weights)
      if (!(weight >= 0 && weight <= 1)) throw wrong;
    buffer.push_back(std::move(samples));
  }
  self.tabular->replay_buffer = std::move(buffer);
  self.tabular->iteration = iteration;
}

std::uint64_t updated(const Trainer& self, std::uint32_t at_least) {
  std::uint64_t number = 0;
  for (const std::uint32_t updates : self.tabular->table().updates()) number += updates >= at_least;
  return number;
}

nb::dict match(const Trainer& self, const DoubleArray& values, const ByteArray& distances, MatchGames games,
               Seed seed, Threads threads) {
  if (values.shape(0) != self.game->index_size() || distances.shape(0) != self.game->index_size())
    throw std::invalid_argument("these arrays do not have an entry for every position");
  MatchTotals totals;
  {
    nb::gil_scoped_release release;
    totals = expectimax_of(*self.game)
                 .match_optimal(*self.game, self.tabular->table(), {values.data(), distances.data()},
                                self.options.limits, games, seed, threads);
  }
  nb::dict out;
  for (const int side : {0, 1}) {
    nb::dict counts;
    counts["wins"] = totals.wins[side];
    counts["draws"] = totals.draws[side];
    counts["losses"] = totals.losses[side];
    out[side == 0 ? "first" : "second"] = counts;
  }
  return out;
}

}  // namespace

void bind_tabular(nb::module_& module) {
  bind_options<TabularOptions>(module, "TabularOptions", "tabular_options",
                               "The options of tabular training.")
      .def_rw("search", &TabularOptions::search)
      .def_rw("limits", &TabularOptions::limits)
      .def_rw("seed", &TabularOptions::seed);
  nb::class_<Trainer>(module, "TabularTrainer", "AlphaZero with a lookup table in place of a network.")
      .def("__init__", &make, nb::arg("game"), nb::arg("options"), nb::arg("threads") = 2,
           nb::keep_alive<1, 2>())
      .def("iterate", &iterate, nb::arg("learning_rate"), nb::arg("threads") = 1, nb::arg("seconds") = 0.0,
           nb::sig("def iterate(self, learning_rate: float, threads: int = 1, seconds: float = 0.0) -> "
                   "dict[str, float] | None"),
           "Play an iteration's games and train on the replay buffer; None, and nothing changed, when "
           "stopped.")
      .def(
          "stop", [](Trainer& self) { self.tabular->stopped = true; },
          "End an iteration that runs in another thread.")
      .def_prop_ro("rows", [](const Trainer& self) { return self.tabular->table().rows().size(); })
      .def_prop_ro("actions", [](const Trainer& self) { return self.tabular->table().actions(); })
      .def_prop_ro("iteration", [](const Trainer& self) { return self.tabular->iteration; })
      .def(
          "table",
          [](nb::handle_t<Trainer> self) {
            LookupTable& table = nb::cast<Trainer&>(self).tabular->table();
            return nb::ndarray<nb::numpy, float>(table.entries().data(), {table.rows().size(), table.width()},
                                                 self);
          },
          nb::sig("def table(self) -> numpy.typing.NDArray[numpy.float32]"),
          "The logits, not a copy: [row, 0] of the value, [row, 1 + action] of the policy.")
      .def(
          "updates",
          [](nb::handle_t<Trainer> self) {
            LookupTable& table = nb::cast<Trainer&>(self).tabular->table();
            return nb::ndarray<nb::numpy, std::uint32_t>(table.updates().data(), {table.rows().size()}, self);
          },
          nb::sig("def updates(self) -> numpy.typing.NDArray[numpy.uint32]"),
          "How often each row was updated; not a copy.")
      .def("updated", &updated, nb::arg("at_least"), "Number of rows updated at least that often.")
      .def(
          "row",
          [](const Trainer& self, const nb::bytes& state) {
            return self.tabular->row(state_bytes(*self.game, state));
          },
          nb::arg("state"), "The row of a state, if it is a decision that can be reached.")
      .def(
          "indices",
          [](const Trainer& self) {
            std::vector<std::uint64_t> indices = self.tabular->table().rows().indices();
            const std::size_t number = indices.size();
            return owned_array(std::move(indices), {number});
          },
          nb::sig("def indices(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "The game's own index of each row.")
      .def("replay_buffer", &replay_buffer, "The samples of the replay buffer, as bytes.")
      .def("restore", &restore, nb::arg("iteration"), nb::arg("replay_buffer"),
           "Go on after a number of iterations with the samples of a replay buffer.")
      .def("match", &match, nb::arg("values"), nb::arg("distances"), nb::arg("games") = 10000,
           nb::arg("seed") = 0, nb::arg("threads") = 1,
           nb::sig("def match(self, values: numpy.typing.NDArray[numpy.float64], distances: "
                   "numpy.typing.NDArray[numpy.uint8], games: int = 10000, seed: int = 0, "
                   "threads: int = 1) -> dict[str, dict[str, int]]"),
           "Games of the table's likeliest moves against the optimal player, every other one "
           "moving first; counted for the table.");
}

}  // namespace halma::python
