#include "bind.hpp"

NB_MODULE(_core, module) {
  using namespace halma::python;
  module.doc() = "The inner loops of halma: rules, kernels and records.";
  module.def("build", [] { return HALMA_BUILD; }, "Compiler and flags this module was built with.");
  // Variants live as long as the interpreter; that is no leak worth a warning.
  nb::set_leak_warnings(false);
  bind_game(module);
  bind_record(module);
  bind_scripted(module);
  bind_oracle(module);
  bind_search(module);
  bind_selfplay(module);
  bind_racing(module);
  bind_minimax(module);
  bind_retrograde(module);
  bind_solve_chance(module);
  bind_tabular(module);
  bind_examples(module);
  bind_sternhalma(module);
  bind_draughts(module);
  bind_draughts_endgames(module);
  bind_einstein(module);
  bind_darkchess(module);
}
