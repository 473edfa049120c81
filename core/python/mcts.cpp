// Tree search as Python sees it.
#include <limits>

#include "../search/registry.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

/// A search together with nothing but its game, which it keeps alive.
std::unique_ptr<AnyMcts> make(const AnyGame& game, const SearchOptions& options, EvaluatorKind evaluator,
                              const std::vector<float>& weights, float scale, std::uint64_t seed) {
  if (game.players() != 2 && options.backup == Backup::negamax)
    throw nb::value_error("negamax values are for two players");
  if (game.players() != 2 && options.solver) throw nb::value_error("proofs are for two players");
  if (weights.size() > kMaxFeatures) throw nb::value_error("there are too many weights");
  return searches_for(game).mcts(game, options, EvaluatorChoice{evaluator, weights, scale}, seed);
}

nb::dict dump(const AnyMcts& search) {
  const TreeDump tree = search.dump();
  nb::list nodes;
  for (const NodeDump& node : tree.nodes)
    nodes.append(nb::make_tuple(node.kind, node.mover, node.visits, node.total, node.first, node.number));
  nb::dict out;
  out["nodes"] = nodes;
  out["what"] = tree.what;
  out["child"] = tree.child;
  out["visits"] = tree.visits;
  out["total"] = tree.total;
  out["prior"] = tree.prior;
  std::vector<int> proof;
  for (const Proof p : tree.proof) proof.push_back(static_cast<int>(p));
  out["proof"] = proof;
  return out;
}

}  // namespace

void bind_mcts(nb::module_& module) {
  nb::enum_<Rule>(module, "Rule")
      .value("UCT", Rule::uct)
      .value("PUCT", Rule::puct)
      .value("GUMBEL", Rule::gumbel);
  nb::enum_<Untried>(module, "Untried")
      .value("LOSS", Untried::loss)
      .value("DRAW", Untried::draw)
      .value("WIN", Untried::win)
      .value("INFINITE", Untried::infinite)
      .value("PARENT", Untried::parent);
  nb::enum_<Backup>(module, "Backup").value("MEAN", Backup::mean).value("NEGAMAX", Backup::negamax);
  nb::enum_<Proof>(module, "Proof")
      .value("NONE", Proof::none)
      .value("LOSS", Proof::loss)
      .value("DRAW", Proof::draw)
      .value("WIN", Proof::win);
  nb::enum_<EvaluatorKind>(module, "EvaluatorKind")
      .value("UNIFORM", EvaluatorKind::uniform)
      .value("ROLLOUT", EvaluatorKind::rollout)
      .value("LINEAR", EvaluatorKind::linear);

  nb::class_<SearchOptions>(module, "SearchOptions",
                            "Every dial of the tree search; see core/search/options.hpp.")
      .def(nb::init<>())
      .def_rw("rule", &SearchOptions::rule)
      .def_rw("c", &SearchOptions::c)
      .def_rw("untried", &SearchOptions::untried)
      .def_rw("backup", &SearchOptions::backup)
      .def_rw("noise_weight", &SearchOptions::noise_weight)
      .def_rw("noise_alpha", &SearchOptions::noise_alpha)
      .def_rw("solver", &SearchOptions::solver)
      .def_rw("cut_loops", &SearchOptions::cut_loops)
      .def_rw("considered", &SearchOptions::considered)
      .def_rw("visit_offset", &SearchOptions::visit_offset)
      .def_rw("value_scale", &SearchOptions::value_scale)
      .def_rw("rollout_plies", &SearchOptions::rollout_plies)
      .def_rw("rollout_quiet", &SearchOptions::rollout_quiet);

  nb::class_<RootMove>(module, "RootMove", "One move of the root after a search.")
      .def_ro("move", &RootMove::move)
      .def_ro("visits", &RootMove::visits)
      .def_ro("value", &RootMove::value)
      .def_ro("prior", &RootMove::prior)
      .def_ro("proof", &RootMove::proof)
      .def_ro("line", &RootMove::line);

  struct Search {
    const AnyGame* game;
    std::unique_ptr<AnyMcts> tree;
  };
  nb::class_<Search>(module, "Mcts", "A tree search with an evaluator of the core.")
      .def(
          "__init__",
          [](Search* self, const AnyGame& game, const SearchOptions& options, EvaluatorKind evaluator,
             const std::vector<float>& weights, float scale, std::uint64_t seed) {
            new (self) Search{&game, make(game, options, evaluator, weights, scale, seed)};
          },
          nb::arg("game"), nb::arg("options"), nb::arg("evaluator"),
          nb::arg("weights") = std::vector<float>(), nb::arg("scale") = 1.0f, nb::arg("seed") = 0,
          nb::keep_alive<1, 2>())
      .def(
          "set_root",
          [](Search& s, const nb::bytes& state, std::vector<std::uint64_t> history) {
            const Bytes* bytes = state_bytes(*s.game, state);
            if (s.game->at_chance(bytes) || s.game->terminal(bytes))
              throw nb::value_error("a search starts where a player is to move");
            s.tree->set_root(bytes, std::move(history));
          },
          nb::arg("state"), nb::arg("history") = std::vector<std::uint64_t>())
      .def(
          "advance",
          [](Search& s, const nb::bytes& state, Move move, const std::vector<Outcome>& outcomes,
             std::vector<std::uint64_t> history) {
            const Bytes* bytes = state_bytes(*s.game, state);
            if (s.game->at_chance(bytes) || s.game->terminal(bytes))
              throw nb::value_error("a search starts where a player is to move");
            s.tree->advance(bytes, move, outcomes, std::move(history));
          },
          nb::arg("state"), nb::arg("move"), nb::arg("outcomes") = std::vector<Outcome>(),
          nb::arg("history") = std::vector<std::uint64_t>())
      .def(
          "run",
          [](Search& s, std::uint64_t simulations, double seconds) {
            nb::gil_scoped_release release;
            s.tree->run(simulations, seconds);
          },
          nb::arg("simulations") = std::numeric_limits<std::uint64_t>::max(), nb::arg("seconds") = 0.0)
      .def(
          "root_moves", [](const Search& s, int length) { return s.tree->root_moves(length); },
          nb::arg("line_length") = 8)
      .def("policy", [](const Search& s) { return s.tree->policy(); })
      .def("best", [](const Search& s) { return s.tree->best(); })
      .def("dump", [](const Search& s) { return dump(*s.tree); })
      .def_prop_ro("settled", [](const Search& s) { return s.tree->settled(); })
      .def_prop_ro("simulations", [](const Search& s) { return s.tree->simulations(); })
      .def_prop_ro("root_value", [](const Search& s) { return s.tree->root_value(); })
      .def_prop_ro("bytes", [](const Search& s) { return s.tree->bytes(); })
      .def_prop_ro("visited_edges", [](const Search& s) { return s.tree->visited_edges(); });
}

}  // namespace halma::python
