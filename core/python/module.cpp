#include "bind.hpp"

NB_MODULE(_core, module) {
  using namespace halma::python;
  module.doc() = "The inner loops of halma: rules, kernels and records.";
  module.attr("BUILD") = HALMA_BUILD;
  // Variants live as long as the interpreter; that is no leak worth a warning.
  nb::set_leak_warnings(false);
  bind_game(module);
  bind_record(module);
  bind_scripted(module);
  bind_sternhalma(module);
  bind_draughts(module);
  bind_einstein(module);
  bind_darkchess(module);
}
