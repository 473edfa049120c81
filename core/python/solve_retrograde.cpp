// Bindings of retrograde analysis.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "../registry.hpp"
#include "../solve/retrograde.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

const RetrogradeMakers& makers_for(const AnyGame& game) {
  const RetrogradeMakers& makers = family_of(game).retrograde;
  if (!makers.solver || game.index_size() == 0)
    throw std::invalid_argument("this game cannot be solved by retrograde analysis");
  return makers;
}

std::unique_ptr<AnyRetrograde> make(const AnyGame& game, Threads threads) {
  const RetrogradeMakers& makers = makers_for(game);
  nb::gil_scoped_release release;
  return makers.solver(game, threads);
}

std::uint64_t resolved(const AnyRetrograde& solution) {
  std::uint64_t sum = solution.illegal();
  for (const std::uint64_t number : solution.layers()) sum += number;
  return sum;
}

nb::dict counts(const AnyRetrograde& solution) {
  std::uint64_t by_parity[2] = {};
  for (std::size_t d = 0; d < solution.layers().size(); ++d) by_parity[d % 2] += solution.layers()[d];
  nb::dict out;
  out["wins"] = by_parity[1];
  out["losses"] = by_parity[0];
  out["draws"] = solution.positions() - resolved(solution);
  out["illegal"] = solution.illegal();
  return out;
}

/// A part of the table: `number` positions from `first` on, all of them by default.
std::uint64_t checked_part(const AnyRetrograde& solution, std::uint64_t first,
                           std::optional<std::uint64_t> number) {
  if (first % 4 || first > solution.positions())
    throw std::invalid_argument("a part of the table starts at a multiple of four within it");
  const std::uint64_t left = solution.positions() - first;
  if (number.value_or(left) > left) throw std::invalid_argument("the table is shorter than that");
  return number.value_or(left);
}

nb::ndarray<nb::numpy, std::uint8_t> values(const AnyRetrograde& solution, std::uint64_t first,
                                            std::optional<std::uint64_t> asked) {
  const std::uint64_t number = checked_part(solution, first, asked);
  std::vector<std::uint8_t> out((number + 3) / 4);
  {
    nb::gil_scoped_release release;
    solution.values(first, number, out.data());
  }
  const std::size_t size = out.size();
  return owned_array(std::move(out), {size});
}

nb::ndarray<nb::numpy, std::uint8_t> distances(const AnyRetrograde& solution, std::uint64_t first,
                                               std::optional<std::uint64_t> asked) {
  const std::uint64_t number = checked_part(solution, first, asked);
  std::vector<std::uint8_t> out(number);
  {
    nb::gil_scoped_release release;
    solution.distances(first, number, out.data());
  }
  return owned_array(std::move(out), {number});
}

nb::dict state(nb::handle self) {
  auto& solution = nb::cast<AnyRetrograde&>(self);
  const auto cells = solution.cells();
  const auto frontier = solution.frontier();
  nb::dict out;
  out["cells"] = nb::ndarray<nb::numpy, const std::uint8_t>(cells.data(), {cells.size()}, self);
  out["frontier"] = nb::ndarray<nb::numpy, const std::uint64_t>(frontier.data(), {frontier.size()}, self);
  out["open"] = static_cast<int>(solution.open_cell());
  out["layers"] = solution.layers();
  out["illegal"] = solution.illegal();
  return out;
}

template <class T>
T entry(const nb::dict& state, const char* key) {
  if (!state.contains(key)) throw std::invalid_argument("this state has no '" + std::string(key) + "'");
  return nb::cast<T>(state[key]);
}

void restore(AnyRetrograde& solution, const nb::dict& state) {
  const auto cells = entry<ByteArray>(state, "cells");
  const auto frontier = entry<WordArray>(state, "frontier");
  if (cells.size() != solution.cells().size() || frontier.size() != solution.frontier().size())
    throw std::invalid_argument("this state belongs to another game");
  if (entry<int>(state, "open") != solution.open_cell())
    throw std::invalid_argument("the cells of this state are written otherwise");
  auto layers = entry<std::vector<std::uint64_t>>(state, "layers");
  const auto illegal = entry<std::uint64_t>(state, "illegal");
  std::uint64_t left = solution.positions();
  for (const std::uint64_t number : layers) {
    if (number > left) throw std::invalid_argument("this state has more positions than the game");
    left -= number;
  }
  if (illegal > left) throw std::invalid_argument("this state has more positions than the game");
  if (!solution.accepts(frontier.data()))
    throw std::invalid_argument("the frontier of this state has positions that do not exist");
  nb::gil_scoped_release release;
  std::memmove(solution.cells().data(), cells.data(), cells.size());
  std::memmove(solution.frontier().data(), frontier.data(), frontier.size() * sizeof(std::uint64_t));
  solution.restore(std::move(layers), illegal);
}

std::uint64_t verify(const AnyGame& game, const ByteArray& values, const std::optional<ByteArray>& distances,
                     Threads threads, std::uint64_t first_row, std::optional<std::uint64_t> asked) {
  const RetrogradeMakers& makers = makers_for(game);
  const std::uint64_t all = makers.rows(game);
  if (first_row > all || asked.value_or(0) > all - first_row)
    throw std::invalid_argument("the table has fewer rows than that");
  const std::uint64_t rows = asked.value_or(all - first_row);
  if (values.size() != (game.index_size() + 3) / 4 || (distances && distances->size() != game.index_size()))
    throw std::invalid_argument("the table does not have one entry for each position of this game");
  std::span<const std::uint8_t> plies;
  if (distances) plies = {distances->data(), distances->size()};
  nb::gil_scoped_release release;
  return makers.count_inconsistent(game, values.data(), plies, first_row, rows, threads);
}

}  // namespace

void bind_retrograde(nb::module_& module) {
  nb::class_<AnyRetrograde>(module, "Retrograde",
                            "Exact values of a deterministic game for two, from the end backward.\n\n"
                            "Positions are those of the game's index, as the player to move sees them.")
      .def(nb::new_(&make), nb::arg("game"), nb::arg("threads") = 2, nb::keep_alive<0, 2>())
      .def_static(
          "supports",
          [](const AnyGame& game) { return game.index_size() > 0 && family_of(game).retrograde.solver; },
          nb::arg("game"))
      .def_static(
          "bytes_needed", [](const AnyGame& game) { return makers_for(game).bytes_needed(game); },
          nb::arg("game"), "Memory the analysis takes; parts of the finished table come on top.")
      .def("step", &AnyRetrograde::step, nb::call_guard<nb::gil_scoped_release>(),
           "Resolve one more layer; return how many positions it holds, 0 when all is known.")
      .def_prop_ro("positions", &AnyRetrograde::positions)
      .def_prop_ro(
          "layers", [](const AnyRetrograde& s) { return s.layers(); },
          "Positions by plies to the end, so far: lost ones at even distances, won ones at odd.")
      .def_prop_ro(
          "depth", [](const AnyRetrograde& s) { return s.layers().size(); }, "Layers done.")
      .def_prop_ro("resolved", &resolved, "Positions whose value is known, illegal ones included.")
      .def_prop_ro("finished", &AnyRetrograde::finished)
      .def("counts", &counts, nb::sig("def counts(self) -> dict[str, int]"))
      .def(
          "probe",
          [](const AnyRetrograde& s, std::uint64_t index) {
            if (index >= s.positions()) throw std::out_of_range("there is no such position");
            const ExactValue found = s.probe(index);
            return nb::make_tuple(found.value, found.distance);
          },
          nb::arg("index"), nb::sig("def probe(self, index: int) -> tuple[float, int]"),
          "Value for the player to move, NaN where a position is illegal, and distance.")
      .def("values", &values, nb::arg("first") = 0, nb::arg("number") = nb::none(),
           "Four positions a byte, low bits first: 0 drawn, 1 won, 2 lost, 3 illegal.")
      .def("distances", &distances, nb::arg("first") = 0, nb::arg("number") = nb::none(),
           "Plies to the end, winning as soon and losing as late as possible; 0 if drawn or illegal.")
      .def("state", &state, nb::sig("def state(self) -> dict[str, typing.Any]"),
           "All there is to know between layers, for restore(); arrays are views, not copies.")
      .def("restore", &restore, nb::arg("state"),
           nb::sig("def restore(self, state: dict[str, typing.Any]) -> None"))
      .def_static(
          "rows", [](const AnyGame& game) { return makers_for(game).rows(game); }, nb::arg("game"),
          "Into how many parts of equal size verify() divides the work.")
      .def_static("verify", &verify, nb::arg("game"), nb::arg("values"),
                  nb::arg("distances").none() = nb::none(), nb::arg("threads") = 2, nb::arg("first_row") = 0,
                  nb::arg("rows") = nb::none(),
                  "Count entries that do not follow from those of their successors, of all that\n"
                  "have successors in some rows of the table, by default in all: then every entry\n"
                  "is looked at.");
}

}  // namespace halma::python
