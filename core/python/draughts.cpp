#include "../games/draughts.hpp"

#include "../games/draughts_slices.hpp"
#include "../register_family.hpp"
#include "bind.hpp"

namespace halma::python {

void bind_draughts(nb::module_& module) {
  register_family<Draughts>();
  using Bound = Erased<Draughts>;
  nb::class_<Bound, AnyGame>(module, "Draughts")
      .def("__init__", [](Bound* self) { new (self) Bound(Draughts()); })
      .def_static("path", &draughts::path, "The squares a move touches, 0 to 31, first to last.")
      .def_static("jumps", &draughts::jumps, "How many pieces a move captures.");
}

}  // namespace halma::python
