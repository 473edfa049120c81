#include "bind.hpp"

namespace halma::python {

void bind_darkchess(nb::module_&) {}

}  // namespace halma::python
