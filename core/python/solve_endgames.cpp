// Bindings of endgame tables.
#include "../solve/endgames.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "../registry.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

const EndgameMakers& makers_for(const AnyGame& game) {
  const EndgameMakers& makers = family_of(game).endgames;
  if (!makers.solver) throw std::invalid_argument("this game has no endgame tables");
  return makers;
}

std::unique_ptr<AnyEndgames> make(const AnyGame& game, int pieces, Threads threads) {
  return makers_for(game).solver(game, pieces, threads);
}

int checked_slice(const AnyEndgames& endgames, int slice) {
  if (slice < 0 || slice >= endgames.slices()) throw std::out_of_range("there is no such slice");
  return slice;
}

const Bytes* checked_state(const AnyEndgames& endgames, const nb::bytes& state) {
  const auto* bytes = reinterpret_cast<const Bytes*>(state.data());
  if (state.size() != endgames.state_size() || !endgames.is_valid(bytes))
    throw std::invalid_argument("these bytes are not a state of this game");
  return bytes;
}

nb::list materials(const AnyEndgames& endgames) {
  nb::list out;
  for (int i = 0; i < endgames.slices(); ++i) out.append(nb::tuple(nb::cast(endgames.material(i))));
  return out;
}

nb::ndarray<nb::numpy, double> values(const AnyEndgames& endgames, const StateRows& states) {
  const std::size_t number = states.shape(0), size = endgames.state_size();
  const auto* bytes = reinterpret_cast<const Bytes*>(states.data());
  bool valid = states.shape(1) == size;
  for (std::size_t i = 0; valid && i < number; ++i) valid = endgames.is_valid(bytes + i * size);
  if (!valid) throw std::invalid_argument("the rows of this array are not states of this game");
  std::vector<double> out(number);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < number; ++i)
      out[i] = AnyEndgames::value_of(endgames.entry(bytes + i * size).value_or(AnyEndgames::kNone)).value;
  }
  return owned_array(std::move(out), {number});
}

nb::dict counts(const AnyEndgames& endgames, int slice) {
  std::uint64_t wins = 0, losses = 0, draws = 0, illegal = 0;
  int longest = 0;
  for (const std::uint8_t entry : endgames.table(checked_slice(endgames, slice))) {
    if (entry == AnyEndgames::kDraw) {
      ++draws;
    } else if (entry == AnyEndgames::kNone) {
      ++illegal;
    } else if (decided_in(entry).value == 0) {
      ++losses;
    } else {
      ++wins;
      longest = std::max<int>(longest, entry);
    }
  }
  nb::dict out;
  out["wins"] = wins;
  out["losses"] = losses;
  out["draws"] = draws;
  out["illegal"] = illegal;
  out["longest_win"] = longest;
  return out;
}

std::optional<nb::bytes> unindex(const AnyEndgames& endgames, int slice, std::uint64_t index) {
  if (index >= endgames.size(checked_slice(endgames, slice)))
    throw std::out_of_range("there is no such position");
  std::vector<Bytes> state(endgames.state_size());
  if (!endgames.unindex(slice, index, state.data())) return std::nullopt;
  return nb::bytes(reinterpret_cast<const char*>(state.data()), state.size());
}

}  // namespace

void bind_endgames(nb::module_& module) {
  nb::class_<AnyEndgames, Oracle> endgames(
      module, "Endgames",
      "Endgame tables, solved slice by slice.\n\n"
      "A slice is all positions of the same material, seen from the side to move. A table holds\n"
      "a byte a position: plies to the end, odd if won and even if lost; DRAW; or NONE where there\n"
      "is no position.");
  endgames.attr("DRAW") = static_cast<int>(AnyEndgames::kDraw);
  endgames.attr("NONE") = static_cast<int>(AnyEndgames::kNone);
  using E = const AnyEndgames&;
  endgames
      .def(nb::new_(&make), nb::arg("game"), nb::arg("pieces") = 4, nb::arg("threads") = 2,
           nb::keep_alive<0, 2>())
      .def_static(
          "supports", [](const AnyGame& game) { return family_of(game).endgames.solver != nullptr; },
          nb::arg("game"), "Whether this game has endgame tables.")
      .def_static(
          "bytes_needed",
          [](const AnyGame& game, int pieces) { return makers_for(game).bytes_needed(pieces); },
          nb::arg("game"), nb::arg("pieces"),
          "Size of all tables together; the largest slice is held three times while solved.")
      .def_prop_ro("pieces", &AnyEndgames::pieces)
      .def_prop_ro("slices", &materials, nb::sig("def slices(self) -> list[tuple[int, ...]]"),
                   "The material of every slice, in solving order: pieces by kind, the mover's first.")
      .def("step", &AnyEndgames::step, nb::call_guard<nb::gil_scoped_release>(),
           "Solve the next slice and its mirror image; return their size, 0 when all is solved.")
      .def(
          "size", [](E e, int slice) { return e.size(checked_slice(e, slice)); }, nb::arg("slice"),
          "Entries of a slice's table.")
      .def("counts", &counts, nb::arg("slice"), nb::sig("def counts(self, slice: int) -> dict[str, int]"),
           "Wins, losses, draws and illegal entries of a solved slice, and its longest win.")
      .def(
          "table",
          [](nb::handle self, int slice) {
            E e = nb::cast<E>(self);
            const auto entries = e.table(checked_slice(e, slice));
            return nb::ndarray<nb::numpy, const std::uint8_t>(entries.data(), {entries.size()}, self);
          },
          nb::arg("slice"), "A view of a slice's table, empty until it is solved.")
      .def(
          "restore",
          [](AnyEndgames& e, int slice, const ByteArray& table) {
            e.restore(checked_slice(e, slice), {table.data(), table.size()});
          },
          nb::arg("slice"), nb::arg("table"), "Copy a table that was solved before.")
      .def(
          "entry", [](E e, const nb::bytes& state) { return e.entry(checked_state(e, state)); },
          nb::arg("state"), "The table's byte for a position, None if it is in no solved slice.")
      .def("values", &values, nb::arg("states"),
           nb::sig("def values(self, states: numpy.typing.NDArray[numpy.uint8]) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "Values of states, one a row, for their movers; NaN for those in no solved slice.")
      .def(
          "slice_of", [](E e, const nb::bytes& state) { return e.slice_of(checked_state(e, state)); },
          nb::arg("state"), "The slice of a position; -1 if it is in none.")
      .def(
          "index",
          [](E e, const nb::bytes& state) {
            const Bytes* bytes = checked_state(e, state);
            if (e.slice_of(bytes) < 0) throw std::invalid_argument("this position is in no slice");
            return e.index(bytes);
          },
          nb::arg("state"), "A position's number in its slice.")
      .def("unindex", &unindex, nb::arg("slice"), nb::arg("index"),
           "The position of a number, the first player to move, or None.")
      .def(
          "verify",
          [](E e, int slice) {
            if (e.table(checked_slice(e, slice)).empty())
              throw std::invalid_argument("this slice is not solved yet");
            nb::gil_scoped_release release;
            return e.count_inconsistent(slice);
          },
          nb::arg("slice"), "Count entries that do not follow from those of their successors.");
}

}  // namespace halma::python
