// Bindings of the solver by stages, and of its tables.
#include "../solve/expectimax.hpp"

#include "../registry.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

/// Opaque::Layers puts all positions into one block, whose positions have 30 bits.
constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

bool has_layers(const AnyGame& game) { return family_of(game).hooks.layers; }

/// Whether this is the best way to solve the game.
bool supports(const AnyGame& game) {
  if (game.players() != 2 || game.index_size() == 0) return false;
  return has_layers(game) || (!family_of(game).retrograde.solver && game.index_size() <= kLargestBlock);
}

std::unique_ptr<AnyExpectimax> solver_for(const AnyGame& game, Threads threads) {
  if (game.players() != 2 || game.index_size() == 0)
    throw std::invalid_argument("exact values are for two players and positions that have an index");
  auto solver = expectimax_of(game).solver(game);
  solver->threads = threads;
  return solver;
}

/// A value of eight bytes, a distance of one, a bit for what can be reached; while a game without
/// an order of its own is solved, its moves as well.
std::uint64_t bytes_needed(const AnyGame& game) {
  constexpr std::uint64_t kMovesBytes = 128;  // of a position with some ten moves
  return game.index_size() * (has_layers(game) ? 9 : 9 + kMovesBytes) + game.index_size() / 8;
}

struct Solver {
  const AnyGame* game;
  std::unique_ptr<AnyExpectimax> solver;
};

/// Arrays of a finished solution, kept alive by Python.
struct Lookup final : Oracle {
  const AnyGame* game;
  std::unique_ptr<AnyExpectimax> solver;
  ExactTable table;

  Lookup(const AnyGame& game, std::unique_ptr<AnyExpectimax> solver, ExactTable table)
      : game(&game), solver(std::move(solver)), table(table) {}

  bool fits(const AnyGame& other) const override {
    return typeid(other) == typeid(*game) && other.index_size() == game->index_size();
  }
  std::optional<ExactValue> probe(const Bytes* state) const override {
    if (!game->at_chance(state) && game->terminal(state)) return std::nullopt;
    const ExactValue found = solver->look_up(state, table);
    return ExactValue{found.value / solver->denominator(), found.distance};
  }
};

ExactTable checked_table(const AnyGame& game, const DoubleArray& values, const ByteArray& distances) {
  if (values.shape(0) != game.index_size() || distances.shape(0) != game.index_size())
    throw std::invalid_argument("these arrays do not have an entry for every position");
  return {values.data(), distances.data()};
}

nb::ndarray<nb::numpy, std::uint64_t> index_many(const AnyGame& game, const StateRows& states) {
  const Bytes* bytes = row_bytes(game, states);
  const std::size_t number = states.shape(0), size = game.state_size();
  std::vector<std::uint64_t> indices(number);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < number; ++i) indices[i] = checked_index(game, bytes + i * size);
  }
  return owned_array(std::move(indices), {number});
}

nb::ndarray<nb::numpy, double> look_up_many(const Lookup& self, const StateRows& states) {
  const Bytes* bytes = row_bytes(*self.game, states);
  std::vector<double> values(states.shape(0));
  {
    nb::gil_scoped_release release;
    self.solver->look_up_many(bytes, values.size(), self.table, values.data());
  }
  const std::size_t number = values.size();
  return owned_array(std::move(values), {number});
}

nb::list moves(const Lookup& self, const nb::bytes& state) {
  const Bytes* bytes = state_bytes(*self.game, state);
  nb::list found;
  if (self.game->at_chance(bytes)) return found;
  for (const MoveValue& m : self.solver->moves(bytes, self.table))
    found.append(nb::make_tuple(m.move, m.value.value, m.value.distance));
  return found;
}

nb::dict count(const Lookup& self, const WordArray& reachable) {
  if (reachable.shape(0) != (self.game->index_size() + 63) / 64)
    throw std::invalid_argument("this array does not have a bit for every position");
  const std::uint64_t spare = self.game->index_size() % 64;
  if (spare && reachable(reachable.shape(0) - 1) >> spare)
    throw std::invalid_argument("this array has bits beyond the last position");
  SolutionCounts counts;
  {
    nb::gil_scoped_release release;
    counts = self.solver->count(self.table, reachable.data());
  }
  nb::dict out;
  out["positions"] = counts.positions;
  out["wins"] = counts.wins;
  out["draws"] = counts.draws;
  out["losses"] = counts.losses;
  out["between"] = counts.between;
  out["longest_win"] = counts.longest_win;
  return out;
}

void restore(Solver& self, int stage, const DoubleArray& values, const ByteArray& distances) {
  const ExactTable table = checked_table(*self.game, values, distances);
  if (stage < 0 || stage > self.solver->stages()) throw std::invalid_argument("there is no such stage");
  const std::uint64_t size = self.game->index_size();
  self.solver->values.assign(table.values, table.values + size);
  self.solver->distances.assign(table.distances, table.distances + size);
  self.solver->stage = stage;
}

}  // namespace

void bind_expectimax(nb::module_& module) {
  nb::class_<Solver>(module, "Expectimax", "Solves a game for two players stage by stage.")
      .def(
          "__init__",
          [](Solver* self, const AnyGame& game, Threads threads) {
            new (self) Solver{&game, solver_for(game, threads)};
          },
          nb::arg("game"), nb::arg("threads") = 2, nb::keep_alive<1, 2>())
      .def_static("supports", &supports, nb::arg("game"), "Whether this game can be solved this way.")
      .def_static("bytes_needed", &bytes_needed, nb::arg("game"), "Memory of a solution.")
      .def(
          "step",
          [](Solver& self) {
            nb::gil_scoped_release release;
            return self.solver->step();
          },
          "Solve the next stage and return how many positions that were; 0 when finished.")
      .def_prop_ro("stage", [](const Solver& self) { return self.solver->stage; })
      .def_prop_ro("stages", [](const Solver& self) { return self.solver->stages(); })
      .def_prop_ro("finished", [](const Solver& self) { return self.solver->stage == self.solver->stages(); })
      .def_prop_ro(
          "exact", [](const Solver& self) { return self.solver->exact(); },
          "Whether values will be whole numbers, without any rounding.")
      .def_prop_ro(
          "denominator", [](const Solver& self) { return self.solver->denominator(); },
          "What values are multiplied with: the value of a win.")
      .def_prop_ro(
          "passes", [](const Solver& self) { return self.solver->passes.load(); },
          "The most reversible moves in a row that any value depends on, in cyclic games.")
      .def_prop_ro("decisions", [](const Solver& self) { return self.solver->decisions(); })
      .def("restore", &restore, nb::arg("stage"), nb::arg("values"), nb::arg("distances"))
      .def(
          "values",
          [](nb::handle_t<Solver> self) {
            AnyExpectimax& solver = *nb::cast<Solver&>(self).solver;
            return nb::ndarray<nb::numpy, double>(solver.values.data(), {solver.values.size()}, self);
          },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Values times the denominator by index, for the player to move; not a copy.")
      .def(
          "distances",
          [](nb::handle_t<Solver> self) {
            AnyExpectimax& solver = *nb::cast<Solver&>(self).solver;
            return nb::ndarray<nb::numpy, std::uint8_t>(solver.distances.data(), {solver.distances.size()},
                                                        self);
          },
          nb::sig("def distances(self) -> numpy.typing.NDArray[numpy.uint8]"),
          "Distances by index; not a copy.");

  nb::class_<Lookup, Oracle>(module, "ExpectimaxTable",
                             "A game solved by Expectimax, from the arrays of a solution.")
      .def(
          "__init__",
          [](Lookup* self, const AnyGame& game, const DoubleArray& values, const ByteArray& distances,
             Threads threads) {
            auto solver = solver_for(game, threads);
            new (self) Lookup(game, std::move(solver), checked_table(game, values, distances));
          },
          nb::arg("game"), nb::arg("values"), nb::arg("distances"), nb::arg("threads") = 2,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def_prop_ro(
          "denominator", [](const Lookup& self) { return self.solver->denominator(); },
          "Values are in units of one over this.")
      .def_prop_ro(
          "exact", [](const Lookup& self) { return self.solver->exact(); },
          "Whether values are whole numbers, without any rounding.")
      .def(
          "look_up",
          [](const Lookup& self, const nb::bytes& state) {
            const ExactValue found = self.solver->look_up(state_bytes(*self.game, state), self.table);
            return nb::make_tuple(found.value, found.distance);
          },
          nb::sig("def look_up(self, state: bytes, /) -> tuple[float, int]"),
          "Value times the denominator, and distance, for the mover of any state.")
      .def("look_up_many", &look_up_many,
           nb::sig("def look_up_many(self, states: numpy.typing.NDArray[numpy.uint8], /) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "Values between 0 and 1 of many states, for their movers.")
      .def("moves", &moves, nb::sig("def moves(self, state: bytes, /) -> list[tuple[int, float, int]]"),
           "Moves with value times the denominator, and distance, for their player.")
      .def(
          "verify",
          [](const Lookup& self) {
            nb::gil_scoped_release release;
            return self.solver->verify(self.table);
          },
          "Number of entries that do not follow from those of their successors.")
      .def(
          "reachable",
          [](const Lookup& self) {
            std::vector<std::uint64_t> bits;
            {
              nb::gil_scoped_release release;
              bits = self.solver->reachable();
            }
            const std::size_t words = bits.size();
            return owned_array(std::move(bits), {words});
          },
          nb::sig("def reachable(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "One bit per index, low bits first: what can be reached from the start.")
      .def("count", &count, nb::arg("reachable"),
           nb::sig("def count(self, reachable: numpy.typing.NDArray[numpy.uint64]) -> dict[str, int]"));

  module.def("index_many", &index_many, nb::arg("game"), nb::arg("states"),
             nb::sig("def index_many(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8]) -> "
                     "numpy.typing.NDArray[numpy.uint64]"),
             "Dense indices of many decision states.");
}

}  // namespace halma::python
