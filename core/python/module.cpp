#include "bind.hpp"

NB_MODULE(_core, module) {
  using namespace halma::python;
  module.doc() = "The C++ core of halma: rules, records, searches, self-play and solvers.";
  module.def("build", [] { return HALMA_BUILD; }, "Compiler and flags this module was built with.");
  // Variants live as long as the interpreter, which nanobind would report as leaks.
  nb::set_leak_warnings(false);
  bind_game(module);
  bind_record(module);
  bind_scripted(module);
  bind_registry(module);
  bind_oracle(module);
  bind_mcts(module);
  bind_selfplay(module);
  bind_racing(module);
  bind_minimax(module);
  bind_retrograde(module);
  bind_expectimax(module);
  bind_endgames(module);
  bind_tabular(module);
  bind_examples(module);

  // Games.
  bind_sternhalma(module);
  bind_draughts(module);
  bind_einstein(module);
  bind_darkchess(module);
}
