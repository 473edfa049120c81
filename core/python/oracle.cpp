// What solved positions tell a search, as Python sees it.
#include <nanobind/stl/optional.h>

#include "../solve/retrograde_table.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::optional<nb::tuple> probe(const Oracle& oracle, const AnyGame& game, const nb::bytes& state) {
  if (!oracle.fits(game)) throw nb::value_error("this oracle knows another game");
  const std::optional<ExactValue> found = oracle.probe(state_bytes(game, state));
  if (!found) return std::nullopt;
  return nb::make_tuple(found->value, found->distance);
}

}  // namespace

void bind_oracle(nb::module_& module) {
  nb::class_<Oracle>(module, "Oracle", "Knows the exact value of some positions of a game for two.")
      .def("fits", &Oracle::fits, nb::arg("game"), "Whether it was made for this game.")
      .def("probe", &probe, nb::arg("game"), nb::arg("state"),
           nb::sig("def probe(self, game: AnyGame, state: bytes) -> tuple[float, int] | None"),
           "Value for the mover, and distance; None where it does not know or the game is over.");

  nb::class_<RetrogradeTable, Oracle>(module, "RetrogradeTable",
                                      "A finished retrograde analysis; arrays as Retrograde gives them.")
      .def(
          "__init__",
          [](RetrogradeTable* self, const AnyGame& game, const ByteArray& values,
             const std::optional<ByteArray>& distances) {
            const std::uint64_t size = game.index_size();
            if (size == 0 || values.size() != (size + 3) / 4 || (distances && distances->size() != size))
              throw nb::value_error("the table does not have one entry for each position of this game");
            new (self) RetrogradeTable(game, values.data(), distances ? distances->data() : nullptr);
          },
          nb::arg("game"), nb::arg("values"), nb::arg("distances").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());
}

}  // namespace halma::python
