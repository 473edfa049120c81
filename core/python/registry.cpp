// Bindings of what is compiled for a game.
#include "../registry.hpp"

#include "bind.hpp"

namespace halma::python {
namespace {

nb::dict capabilities(const AnyGame& game) {
  const Hooks& hooks = family_of(game).hooks;
  const bool indexed = game.index_size() > 0;
  nb::dict out;
  out["compiled"] = hooks.compiled;
  out["count"] = hooks.count;
  out["random_ply"] = hooks.random_ply;
  out["features"] = hooks.features;
  out["inputs"] = hooks.inputs;
  out["is_quiet"] = hooks.is_quiet;
  out["captures"] = hooks.captures;
  out["advance"] = hooks.advance;
  out["furthest"] = hooks.furthest;
  out["give_turn"] = hooks.give_turn;
  out["reopen"] = hooks.reopen;
  out["random_start"] = game.has_random_start();
  out["random_position"] = game.piece_counts().most > 0;
  out["arrived"] = hooks.arrived;
  bool partners = false;
  for (int player = 0; player < game.players(); ++player) partners |= game.team(player) != player;
  out["team"] = partners;
  out["symmetries"] = game.symmetries() > 1;
  out["byte_planes"] = game.byte_planes();
  out["index"] = indexed;
  out["layers"] = hooks.layers && indexed;
  out["backward"] = hooks.backward && indexed;
  out["slices"] = hooks.slices;
  return out;
}

}  // namespace

void bind_registry(nb::module_& module) {
  module.def("capabilities", &capabilities, nb::arg("game"),
             nb::sig("def capabilities(game: AnyGame) -> dict[str, bool]"),
             "Which optional hooks of the contract a game offers; see core/hooks.hpp.");
}

}  // namespace halma::python
