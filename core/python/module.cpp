#include "../interrupt.hpp"
#include "bind.hpp"

// Families of games: bind_NAME() is in NAME.cpp.
#define HALMA_FAMILIES(each) each(sternhalma) each(draughts) each(einstein) each(darkchess)

namespace halma::python {
namespace {

unsigned long main_thread = 0;

/// Runs the handlers of signals that came in, and passes on what they raise: Ctrl-C is heard during
/// long calls too. Python runs handlers on its main thread only.
void check_signals() {
  if (PyThread_get_thread_ident() != main_thread) return;
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void hear_signals() {
  main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  interrupt_hook = &check_signals;
}

}  // namespace
#define HALMA_DECLARE(family) void bind_##family(nb::module_& module);
HALMA_FAMILIES(HALMA_DECLARE)
#undef HALMA_DECLARE
}  // namespace halma::python

NB_MODULE(_core, module) {
  using namespace halma::python;
  module.doc() = "The C++ core of halma: rules, records, searches, self-play and solvers.";
  module.def("build", [] { return HALMA_BUILD; }, "Compiler and flags this module was built with.");
  // Variants live as long as the interpreter, which nanobind would report as leaks.
  nb::set_leak_warnings(false);
  bind_errors();
  hear_signals();
  bind_game(module);
  bind_record(module);
  bind_scripted(module);
  bind_registry(module);
  bind_oracle(module);
  bind_search(module);
  bind_selfplay(module);
  bind_racing(module);
  bind_sparse_network(module);
  bind_minimax(module);
  bind_retrograde(module);
  bind_expectimax(module);
  bind_endgames(module);
  bind_tabular(module);
  bind_examples(module);

#define HALMA_BIND(family) bind_##family(module);
  HALMA_FAMILIES(HALMA_BIND)
#undef HALMA_BIND
}
