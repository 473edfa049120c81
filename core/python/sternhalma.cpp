#include "bind.hpp"

namespace halma::python {

void bind_sternhalma(nb::module_&) {}

}  // namespace halma::python
