// Bindings of exact values and of what searches probe them from.
#include <nanobind/stl/optional.h>

#include "../solve/retrograde_table.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

using IndexArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::optional<nb::tuple> probe(const Oracle& oracle, const AnyGame& game, const nb::bytes& state) {
  if (!oracle.fits(game)) throw std::invalid_argument("this oracle belongs to another game");
  const std::optional<ExactValue> found = oracle.probe(state_bytes(game, state));
  if (!found) return std::nullopt;
  return nb::make_tuple(found->value, found->distance);
}

nb::ndarray<nb::numpy, double> values(const RetrogradeTable& table, const IndexArray& indices) {
  const std::size_t number = indices.shape(0);
  std::vector<double> out(number);
  for (std::size_t i = 0; i < number; ++i) {
    if (indices(i) < 0 || static_cast<std::uint64_t>(indices(i)) >= table.size())
      throw std::out_of_range("there is no position of that number");
    out[i] = table.value(static_cast<std::uint64_t>(indices(i)));
  }
  return owned_array(std::move(out), {number});
}

}  // namespace

void bind_oracle(nb::module_& module) {
  module.attr("VALUE_TOLERANCE") = kValueTolerance;
  module.def(
      "better",
      [](double value, int distance, double other_value, int other_distance) {
        return ExactValue{value, distance}.better_than({other_value, other_distance});
      },
      nb::arg("value"), nb::arg("distance"), nb::arg("other_value"), nb::arg("other_distance"),
      "Whether a player prefers an exact value to another: the higher value; of equal ones the shorter\n"
      "distance if ahead, the longer if behind.");

  nb::class_<Oracle>(module, "Oracle", "Exact values of some positions of a game for two players.")
      .def("fits", &Oracle::fits, nb::arg("game"), "Whether it was made for this game.")
      .def("probe", &probe, nb::arg("game"), nb::arg("state"),
           nb::sig("def probe(self, game: AnyGame, state: bytes) -> tuple[float, int] | None"),
           "Value for the mover, and distance; None where it is not held or the game is over.");

  nb::class_<RetrogradeTable, Oracle>(module, "RetrogradeTable",
                                      "A finished retrograde analysis; arrays as Retrograde gives them.")
      .def(
          "__init__",
          [](RetrogradeTable* self, const AnyGame& game, const ByteArray& values,
             const std::optional<ByteArray>& distances) {
            const std::uint64_t size = game.index_size();
            if (size == 0 || values.size() != (size + 3) / 4 || (distances && distances->size() != size))
              throw std::invalid_argument("the table does not have one entry for each position of this game");
            new (self) RetrogradeTable(game, values.data(), distances ? distances->data() : nullptr);
          },
          nb::arg("game"), nb::arg("values"), nb::arg("distances").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("values", &values, nb::arg("indices"),
           nb::sig("def values(self, indices: numpy.typing.NDArray[numpy.int64]) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "Values of positions by index, for the player to move; NaN where illegal.");
}

}  // namespace halma::python
