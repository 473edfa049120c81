#include "bind.hpp"

namespace halma::python {

void bind_draughts(nb::module_&) {}

}  // namespace halma::python
