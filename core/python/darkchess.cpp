#include "../games/darkchess.hpp"

#include "../games/darkchess_layers.hpp"
#include "../register_family.hpp"
#include "bind.hpp"

namespace halma::python {

void bind_darkchess(nb::module_& module) {
  register_family<DarkChess>();
  using Bound = Erased<DarkChess>;
  nb::class_<Bound, AnyGame>(module, "DarkChess")
      .def(
          "__init__",
          [](Bound* self, int files, int ranks, const std::vector<int>& counts) {
            DarkChess::Set set{};
            if (counts.size() != set.size()) throw std::invalid_argument("a set has seven kinds of pieces");
            std::copy(counts.begin(), counts.end(), set.begin());
            if (!DarkChess::fits(files, ranks, set))
              throw std::invalid_argument("this is not half a board of pieces from a real set");
            new (self) Bound(DarkChess(files, ranks, set));
          },
          nb::arg("files"), nb::arg("ranks"), nb::arg("counts"));
}

}  // namespace halma::python
