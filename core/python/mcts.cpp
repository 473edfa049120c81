// Tree search as Python sees it.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <limits>

#include "../registry.hpp"
#include "../search/batch.hpp"
#include "../thread_pool.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

void check_options(const AnyGame& game, const SearchOptions& options) {
  if (game.players() != 2 && options.backup == Backup::negamax)
    throw nb::value_error("negamax values are for two players");
  if (game.players() != 2 && options.solver) throw nb::value_error("proofs are for two players");
  check_oracle(game, options.oracle.get());
}

/// A search together with nothing but its game, which it keeps alive.
std::unique_ptr<AnyMcts> make(const AnyGame& game, const SearchOptions& options, EvaluatorKind evaluator,
                              const std::vector<float>& weights, float scale, std::uint64_t seed) {
  check_options(game, options);
  if (weights.size() > kMaxFeatures) throw nb::value_error("there are too many weights");
  return family_of(game).mcts(game, options, EvaluatorChoice{evaluator, weights, scale}, seed);
}

nb::dict dump(const TreeDump& tree) {
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

/// A search and the game it is about.
struct Search {
  const AnyGame* game;
  std::unique_ptr<AnyMcts> tree;

  AnyMcts& rooted() const {
    if (!tree->has_root()) throw nb::value_error("this search has no root yet: call set_root() first");
    return *tree;
  }
};

/// Runs independent searches on several threads; what each finds does not depend on how
/// many there are.
void run_many(const std::vector<Search*>& searches, std::uint64_t simulations, double seconds, int threads) {
  checked_threads(threads);
  for (const Search* search : searches) search->rooted();
  std::vector<Search*> sorted = searches;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw nb::value_error("a search can run only once at a time");
  nb::gil_scoped_release release;
  parallel_for(threads, searches.size(),
               [&] { return [&](std::uint64_t i) { searches[i]->tree->run(simulations, seconds); }; });
}

/// A batch with its game and the shape of what goes in and out.
struct BatchSearch {
  const AnyGame* game;
  std::unique_ptr<AnyBatch> batch;
  int awaited = 0;

  int checked(int tree) const {
    if (tree < 0 || tree >= batch->trees()) throw nb::index_error("there is no such tree");
    return tree;
  }
  int judged(int tree) const {
    if (!batch->has_root(checked(tree))) throw nb::value_error("this tree's root has not been judged yet");
    return tree;
  }
};

using Planes = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void set_batch_root(BatchSearch& self, int tree, const nb::bytes& state, std::uint64_t simulations,
                    const std::vector<nb::bytes>& earlier, int quiet, int quiet_limit) {
  const Bytes* bytes = state_bytes(*self.game, state);
  if (self.game->at_chance(bytes) || self.game->terminal(bytes))
    throw nb::value_error("a search starts where a player is to move");
  std::vector<Bytes> packed;
  for (const nb::bytes& one : earlier) {
    const Bytes* first = state_bytes(*self.game, one);
    packed.insert(packed.end(), first, first + self.game->state_size());
  }
  self.batch->set_root(self.checked(tree), bytes, packed.data(), static_cast<int>(earlier.size()),
                       simulations, quiet, quiet_limit);
}

int collect(BatchSearch& self, const Planes& planes, int per_tree) {
  const PlaneShape shape = self.game->shape();
  if (static_cast<int>(planes.shape(1)) != shape.planes || static_cast<int>(planes.shape(2)) != shape.rows ||
      static_cast<int>(planes.shape(3)) != shape.columns)
    throw nb::value_error("the array of planes has the wrong shape");
  if (self.awaited) throw nb::value_error("the leaves of the last collect() are still awaited");
  nb::gil_scoped_release release;
  return self.awaited = self.batch->collect(planes.data(), static_cast<int>(planes.shape(0)), per_tree);
}

void submit(BatchSearch& self, const Rows& priors, const Rows& values) {
  if (static_cast<int>(priors.shape(0)) < self.awaited || static_cast<int>(values.shape(0)) < self.awaited ||
      static_cast<int>(priors.shape(1)) != self.game->actions() ||
      static_cast<int>(values.shape(1)) != self.game->players())
    throw nb::value_error("priors are leaves x actions, values leaves x players");
  nb::gil_scoped_release release;
  self.batch->submit(priors.data(), values.data());
  self.awaited = 0;
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
      .def_rw("oracle", &SearchOptions::oracle, nb::arg("oracle").none(),
              nb::for_getter(nb::sig("def oracle(self) -> Oracle | None")))
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
      .def_ro("exact", &RootMove::exact)
      .def_ro("line", &RootMove::line);

  nb::class_<Search>(module, "Mcts", "A tree search with an evaluator of the core.")
      .def(
          "__init__",
          [](Search* self, const AnyGame& game, const SearchOptions& options, EvaluatorKind evaluator,
             const std::vector<float>& weights, float scale, std::uint64_t seed) {
            new (self) Search{&game, make(game, options, evaluator, weights, scale, seed)};
          },
          nb::arg("game"), nb::arg("options"), nb::arg("evaluator"),
          nb::arg("weights") = std::vector<float>(), nb::arg("scale") = 0.0f, nb::arg("seed") = 0,
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
            AnyMcts& tree = s.rooted();
            nb::gil_scoped_release release;
            tree.run(simulations, seconds);
          },
          nb::arg("simulations") = std::numeric_limits<std::uint64_t>::max(), nb::arg("seconds") = 0.0)
      .def(
          "root_moves", [](const Search& s, int length) { return s.rooted().root_moves(length); },
          nb::arg("line_length") = 8)
      .def("policy", [](const Search& s) { return s.rooted().policy(); })
      .def("best", [](const Search& s) { return s.rooted().best(); })
      .def(
          "dump", [](const Search& s) { return dump(s.rooted().dump()); },
          nb::sig("def dump(self) -> dict[str, list[typing.Any]]"))
      .def_prop_ro("settled", [](const Search& s) { return s.rooted().settled(); })
      .def_prop_ro("simulations", [](const Search& s) { return s.rooted().simulations(); })
      .def_prop_ro("root_value", [](const Search& s) { return s.rooted().root_value(); })
      .def_prop_ro("bytes", [](const Search& s) { return s.rooted().bytes(); })
      .def_prop_ro("visited_edges", [](const Search& s) { return s.rooted().visited_edges(); });

  module.def("run_many", &run_many, nb::arg("searches"), nb::arg("simulations"), nb::arg("seconds") = 0.0,
             nb::arg("threads") = 2, "Run independent searches on several threads.");

  using B = const BatchSearch&;
  nb::class_<BatchSearch>(module, "Batch", "Many trees whose leaves are judged together, from outside.")
      .def(
          "__init__",
          [](BatchSearch* self, const AnyGame& game, const SearchOptions& options, int trees,
             std::uint64_t seed) {
            check_options(game, options);
            if (trees < 1) throw nb::value_error("a batch has at least one tree");
            new (self) BatchSearch{&game, family_of(game).batch(game, options, trees, seed)};
          },
          nb::arg("game"), nb::arg("options"), nb::arg("trees"), nb::arg("seed") = 0, nb::keep_alive<1, 2>())
      .def("set_root", &set_batch_root, nb::arg("tree"), nb::arg("state"), nb::arg("simulations"),
           nb::arg("earlier") = std::vector<nb::bytes>(), nb::arg("quiet") = 0, nb::arg("quiet_limit") = 0,
           "`earlier`: the decisions before, newest first; `quiet`: plies without progress.")
      .def("collect", &collect, nb::arg("planes"), nb::arg("per_tree") = 1,
           "Write the planes of leaves into (capacity, planes, rows, columns); return how many.")
      .def("submit", &submit, nb::arg("priors"), nb::arg("values"),
           "Judge the collected leaves: priors (leaves, actions), values (leaves, players), mover first.")
      .def(
          "root_moves", [](B b, int tree, int length) { return b.batch->root_moves(b.judged(tree), length); },
          nb::arg("tree"), nb::arg("line_length") = 8)
      .def("policy", [](B b, int tree) { return b.batch->policy(b.judged(tree)); })
      .def("best", [](B b, int tree) { return b.batch->best(b.judged(tree)); })
      .def("root_value", [](B b, int tree) { return b.batch->root_value(b.judged(tree)); })
      .def("simulations", [](B b, int tree) { return b.batch->simulations(b.judged(tree)); })
      .def(
          "dump", [](B b, int tree) { return dump(b.batch->dump(b.judged(tree))); },
          nb::sig("def dump(self, tree: int, /) -> dict[str, list[typing.Any]]"));
}

}  // namespace halma::python
