#include "../games/einstein.hpp"

#include "../games/einstein_layers.hpp"
#include "../register_family.hpp"
#include "bind.hpp"

namespace halma::python {

void bind_einstein(nb::module_& module) {
  register_family<Einstein>();
  using Bound = Erased<Einstein>;
  nb::class_<Bound, AnyGame>(module, "Einstein")
      .def(
          "__init__",
          [](Bound* self, int width, int height, int pieces) {
            if (!Einstein::fits(width, height, pieces))
              throw std::invalid_argument("the two set-ups do not fit on this board");
            new (self) Bound(Einstein(width, height, pieces));
          },
          nb::arg("width"), nb::arg("height"), nb::arg("pieces"));
}

}  // namespace halma::python
