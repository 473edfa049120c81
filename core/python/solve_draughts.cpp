// Draughts endgames as Python sees them.
#include <nanobind/stl/optional.h>

#include "../solve/draughts_endgames.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using StateRows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int checked_slice(const DraughtsEndgames& endgames, int slice) {
  if (slice < 0 || slice >= endgames.slices()) throw nb::index_error("there is no such slice");
  return slice;
}

Draughts::State checked_state(const nb::bytes& state) {
  if (state.size() != sizeof(Draughts::State))
    throw nb::value_error("these bytes are not a state of draughts");
  return Erased<Draughts>::load(reinterpret_cast<const Bytes*>(state.data()));
}

nb::tuple as_tuple(const DraughtsEndgames::Material& m) {
  return nb::make_tuple(m.own_men, m.own_kings, m.men, m.kings);
}

/// The cells of many positions, one state a row; NOTHING where there is none.
nb::ndarray<nb::numpy, std::uint8_t> probe_many(const DraughtsEndgames& endgames, const StateRows& states) {
  if (states.shape(1) != sizeof(Draughts::State))
    throw nb::value_error("the rows of this array are not states of draughts");
  const std::size_t number = states.shape(0);
  const auto* bytes = reinterpret_cast<const Bytes*>(states.data());
  std::vector<std::uint8_t> cells(number);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < number; ++i)
      cells[i] = endgames.probe(Erased<Draughts>::load(bytes + i * sizeof(Draughts::State)))
                     .value_or(DraughtsEndgames::kNothing);
  }
  return owned_array(std::move(cells), {number});
}

/// Counts of a solved slice, and its longest win.
nb::dict counts(const DraughtsEndgames& endgames, int slice) {
  std::uint64_t wins = 0, losses = 0, draws = 0, illegal = 0;
  int longest = 0;
  for (const std::uint8_t cell : endgames.table(checked_slice(endgames, slice))) {
    if (cell == DraughtsEndgames::kDraw) {
      ++draws;
    } else if (cell == DraughtsEndgames::kNothing) {
      ++illegal;
    } else if (cell % 2 == 0) {
      ++losses;
    } else {
      ++wins;
      longest = std::max<int>(longest, cell);
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

}  // namespace

void bind_draughts_endgames(nb::module_& module) {
  nb::class_<DraughtsEndgames, Oracle> endgames(
      module, "DraughtsEndgames",
      "Draughts with few pieces, solved slice by slice.\n\n"
      "A slice is all positions of the same material: own men, own kings, the other's men and\n"
      "kings, seen from the side to move. A table holds a byte a position: plies to the end, odd\n"
      "if won and even if lost; DRAW; or NOTHING where no position is.");
  endgames.attr("DRAW") = static_cast<int>(DraughtsEndgames::kDraw);
  endgames.attr("NOTHING") = static_cast<int>(DraughtsEndgames::kNothing);
  endgames
      .def(
          "__init__",
          [](DraughtsEndgames* self, int pieces, int threads) {
            if (threads < 1) throw nb::value_error("there must be at least one thread");
            new (self) DraughtsEndgames(pieces, threads);
          },
          nb::arg("pieces") = 4, nb::arg("threads") = 2)
      .def_static("bytes_needed", &DraughtsEndgames::cells_needed, nb::arg("pieces"),
                  "Size of all tables together; the largest slice is held three times while solved.")
      .def_prop_ro("pieces", &DraughtsEndgames::pieces)
      .def_prop_ro(
          "slices",
          [](const DraughtsEndgames& e) {
            nb::list out;
            for (int i = 0; i < e.slices(); ++i) out.append(as_tuple(e.material(i)));
            return out;
          },
          nb::sig("def slices(self) -> list[tuple[int, int, int, int]]"),
          "The material of every slice, in the order in which they are solved.")
      .def("step", &DraughtsEndgames::step, nb::call_guard<nb::gil_scoped_release>(),
           "Solve the next slice and its mirror image; return their size, 0 when all is solved.")
      .def(
          "size", [](const DraughtsEndgames& e, int slice) { return e.size(checked_slice(e, slice)); },
          nb::arg("slice"))
      .def("counts", &counts, nb::arg("slice"), nb::sig("def counts(self, slice: int) -> dict[str, int]"),
           "Wins, losses, draws and illegal entries of a solved slice, and its longest win.")
      .def(
          "table",
          [](nb::handle self, int slice) {
            const auto& e = nb::cast<const DraughtsEndgames&>(self);
            const auto cells = e.table(checked_slice(e, slice));
            return nb::ndarray<nb::numpy, const std::uint8_t>(cells.data(), {cells.size()}, self);
          },
          nb::arg("slice"), "A view of a slice's table, empty until it is solved.")
      .def(
          "restore",
          [](DraughtsEndgames& e, int slice, const ByteArray& table) {
            e.restore(checked_slice(e, slice), {table.data(), table.size()});
          },
          nb::arg("slice"), nb::arg("table"), "Take over a table that was solved before.")
      .def(
          "probe_code",
          [](const DraughtsEndgames& e, const nb::bytes& state) { return e.probe(checked_state(state)); },
          nb::arg("state"), "The table's byte for a position, None if it is in no solved slice.")
      .def("probe_many", &probe_many, nb::arg("states"),
           "The tables' bytes for states, one a row; NOTHING for those in no solved slice.")
      .def(
          "slice_of",
          [](const DraughtsEndgames& e, const nb::bytes& state) { return e.find(checked_state(state)); },
          nb::arg("state"), "The slice of a position; -1 if it is in none.")
      .def_static(
          "index", [](const nb::bytes& state) { return DraughtsEndgames::index(checked_state(state)); },
          nb::arg("state"), "A position's place in the table of its slice.")
      .def(
          "unindex",
          [](const DraughtsEndgames& e, int slice, std::uint64_t index) -> std::optional<nb::bytes> {
            if (index >= e.size(checked_slice(e, slice))) throw nb::index_error("there is no such position");
            const auto state = DraughtsEndgames::unindex(e.material(slice), index);
            if (!state) return std::nullopt;
            return nb::bytes(reinterpret_cast<const char*>(&*state), sizeof(*state));
          },
          nb::arg("slice"), nb::arg("index"), "The position there, black to move, or None.")
      .def(
          "verify",
          [](const DraughtsEndgames& e, int slice) {
            if (e.table(checked_slice(e, slice)).empty())
              throw nb::value_error("this slice is not solved yet");
            nb::gil_scoped_release release;
            return e.count_inconsistent(slice);
          },
          nb::arg("slice"), "Count entries that do not follow from those of their successors.");
}

}  // namespace halma::python
