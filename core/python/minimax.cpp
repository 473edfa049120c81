// The minimax searches as Python sees them.
#include <nanobind/stl/shared_ptr.h>

#include <limits>

#include "../registry.hpp"
#include "../search/any_minimax.hpp"
#include "options.hpp"

namespace halma::python {
namespace {

/// 0: not limited by depth. Deeper searches would outgrow the arrays; none comes near.
using Depth = Ranged<int, "a depth", 0, 100>;
using BeamWidth = Ranged<int, "a width", 1, 100'000>;
using BeamLength = Ranged<int, "a number of moves", 0, 10'000>;

struct Minimax {
  const AnyGame* game;
  std::unique_ptr<AnyMinimax> search;
};

std::unique_ptr<AnyMinimax> make(const AnyGame& game, const MinimaxOptions& options) {
  const bool pair = options.kind == MinimaxKind::alphabeta || options.kind == MinimaxKind::expectimax;
  if (pair && game.players() != 2) throw std::invalid_argument("this search is for two players");
  check_oracle(game, options.oracle.get());
  if (options.network) {
    const InputKernels& inputs = family_of(game).inputs;
    if (!pair || !inputs.count)
      throw std::invalid_argument(
          "a network in the core is for alpha-beta and expectimax, and games with inputs");
    if (options.network->inputs() != inputs.count(game))
      throw std::invalid_argument("this network belongs to another game");
  }
  auto search = family_of(game).minimax(game, options);
  std::vector<Bytes> state(game.state_size());
  game.initial(state.data());
  const std::size_t known = search->features(state.data(), 0).size();
  if (!options.weights.empty() && options.weights.size() != known)
    throw std::invalid_argument("this game has " + std::to_string(known) +
                                " features, so it takes as many weights");
  return search;
}

MinimaxResult run(Minimax& self, const Record& record, Depth depth, std::uint64_t nodes, double seconds,
                  bool all_moves) {
  check_record(*self.game, record, false);
  if (seconds < 0) throw std::invalid_argument("time cannot be negative");
  if (depth == 0 && nodes == 0 && seconds == 0)
    throw std::invalid_argument("a search needs a limit: a depth, nodes or seconds");
  MinimaxResult result;
  {
    nb::gil_scoped_release release;
    result = self.search->search(record, {depth, nodes, seconds, all_moves});
  }
  if (result.met_chance) throw std::invalid_argument("this search is for games without chance");
  return result;
}

}  // namespace

void bind_minimax(nb::module_& module) {
  bind_options<MinimaxOptions>(module, "MinimaxOptions", "minimax_options",
                               "The options of the minimax searches.")
      .def_rw("weights", &MinimaxOptions::weights)
      .def_rw("network", &MinimaxOptions::network, nb::arg("network").none(),
              nb::for_getter(nb::sig("def network(self) -> SparseNetwork | None")))
      .def_rw("oracle", &MinimaxOptions::oracle, nb::arg("oracle").none(),
              nb::for_getter(nb::sig("def oracle(self) -> Oracle | None")));

  nb::class_<MinimaxResult>(module, "MinimaxResult", "What a minimax search found.")
      .def_ro("value", &MinimaxResult::value)
      .def_ro("proven", &MinimaxResult::proven)
      .def_ro("best", &MinimaxResult::best)
      .def_ro("line", &MinimaxResult::line)
      .def_ro("depth", &MinimaxResult::depth)
      .def_ro("depth_values", &MinimaxResult::depth_values)
      .def_ro("nodes", &MinimaxResult::nodes)
      .def_ro("leaves", &MinimaxResult::leaves)
      .def_ro("evaluations", &MinimaxResult::evaluations)
      .def_prop_ro(
          "moves",
          [](const MinimaxResult& result) {
            nb::list triples;
            for (const MinimaxMove& move : result.moves)
              triples.append(nb::make_tuple(move.move, move.value, move.proven));
            return triples;
          },
          nb::sig("def moves(self) -> list[tuple[int, float, bool]]"),
          "With all_moves: every move, its value, and whether that is proven.");

  module.attr("MINIMAX_WIN") = kWin;
  module.attr("MINIMAX_DECIDED") = kDecided;
  module.attr("EXPECTIMAX_PATIENCE") = kPatience;
  module.attr("EXPECTIMAX_MARGIN") = kMargin;

  nb::class_<Minimax>(module, "Minimax", "A minimax search for one game.")
      .def(
          "__init__",
          [](Minimax* self, const AnyGame& game, const MinimaxOptions& options) {
            new (self) Minimax{&game, make(game, options)};
          },
          nb::arg("game"), nb::arg("options"), nb::keep_alive<1, 2>())
      .def("search", &run, nb::arg("record"), nb::arg("depth") = 0, nb::arg("nodes") = 0,
           nb::arg("seconds") = 0.0, nb::arg("all_moves") = false)
      .def_prop_ro("weights", [](const Minimax& self) { return self.search->weights(); })
      .def_prop_ro(
          "scale", [](const Minimax& self) { return self.search->scale(); },
          "A lead times this is the logarithm of the odds to win; 0 where the family has no features.");

  // Features need no search; any kind that fits every game carries them.
  const auto carrier = [](const AnyGame& game) {
    MinimaxOptions options;
    options.kind = MinimaxKind::maxn;
    return family_of(game).minimax(game, options);
  };
  module.def(
      "default_weights", [carrier](const AnyGame& game) { return carrier(game)->weights(); }, nb::arg("game"),
      "A family's own weights of its features; empty where it has none.");
  module.def(
      "default_scale", [carrier](const AnyGame& game) { return carrier(game)->scale(); }, nb::arg("game"),
      "A lead times this is the logarithm of the odds to win; 0 where the family has no features.");
  module.def(
      "features",
      [carrier](const AnyGame& game, const nb::bytes& state, int player) {
        return carrier(game)->features(state_bytes(game, state), checked_player(game, player));
      },
      nb::arg("game"), nb::arg("state"), nb::arg("player"),
      "A player's features, the inputs of linear evaluations.");
  module.def(
      "moves_alone",
      [](const AnyGame& game, const nb::bytes& state, int player, BeamWidth width, BeamLength limit) {
        const Bytes* bytes = state_bytes(game, state);
        const auto count = family_of(game).moves_alone;
        if (!count) throw std::invalid_argument("in this game nobody can go on alone");
        checked_player(game, player);
        nb::gil_scoped_release release;
        return count(game, bytes, player, width, limit);
      },
      nb::arg("game"), nb::arg("state"), nb::arg("player"), nb::arg("width") = 100, nb::arg("limit") = 100,
      "The fewest moves found in which a player finishes, the others standing still; -1 for none.");
}

}  // namespace halma::python
