// Tree search as Python sees it.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <limits>

#include "../registry.hpp"
#include "../search/any_search.hpp"
#include "../thread_pool.hpp"
#include "options.hpp"

namespace halma::python {
namespace {

using Pending = Ranged<int, "a number of pending leaves", 1, 65536>;
using LineLength = Ranged<int, "the length of a line", 0, 1000>;

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

/// A stop flag that Python holds; a thread has it as its own within a `with` block.
struct StopFlag {
  std::shared_ptr<std::atomic<bool>> flag = std::make_shared<std::atomic<bool>>(false);
};

/// A search and the game it is about.
struct Search {
  const AnyGame* game;
  std::unique_ptr<AnySearch> driver;

  AnySearch& ready() const {
    if (!driver->has_record())
      throw std::invalid_argument("this search has no record: call set_record() first");
    return *driver;
  }
  AnySearch& begun() const {
    if (!driver->is_searching()) throw std::invalid_argument("this search has not begun");
    return *driver;
  }
};

void make(Search* self, const AnyGame& game, const SearchOptions& options, const std::string& evaluator,
          const std::vector<float>& weights, float scale, Seed seed, Pending max_pending, bool reuse) {
  check_search(game, options);
  if (weights.size() > kMaxFeatures) throw std::invalid_argument("there are too many weights");
  const SearchSetup setup{
      options, {enum_from<EvaluatorKind>(evaluator, "evaluator"), weights, scale}, seed, max_pending, reuse};
  if (setup.evaluator.kind == EvaluatorKind::network && !traits(options.rule).for_networks())
    throw std::invalid_argument("this rule makes no use of a network's policy");
  new (self) Search{&game, family_of(game).search(game, setup)};
}

void set_record(Search& self, const Record& record) {
  check_record(*self.game, record, true);
  self.driver->set_record(record);
}

std::vector<float> values_after(const Search& self, int move) {
  const AnySearch& driver = self.begun();
  if (move < 0 || move >= static_cast<int>(driver.policy().size()))
    throw std::invalid_argument("the root has no such move");
  return driver.values_after(move);
}

/// Each search once: they are worked on at the same time.
void check_distinct(const std::vector<Search*>& searches) {
  if (std::find(searches.begin(), searches.end(), nullptr) != searches.end())
    throw std::invalid_argument("None is not a search");
  std::vector<Search*> sorted = searches;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw std::invalid_argument("a search can run only once at a time");
}

/// Runs independent searches on several threads; results do not depend on how many there are.
void run_many(const std::vector<Search*>& searches, std::uint64_t simulations, double seconds,
              Threads threads) {
  check_distinct(searches);
  for (const Search* search : searches) search->ready();
  nb::gil_scoped_release release;
  parallel_for(threads, searches.size(),
               [&] { return [&](std::uint64_t i) { searches[i]->driver->run(simulations, seconds); }; });
}

using Planes = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int collect(const std::vector<Search*>& searches, const Planes& planes) {
  check_distinct(searches);
  std::size_t rows = 0;
  for (const Search* search : searches) {
    const PlaneShape shape = search->game->shape();
    if (static_cast<int>(planes.shape(1)) != shape.planes ||
        static_cast<int>(planes.shape(2)) != shape.rows || static_cast<int>(planes.shape(3)) != shape.columns)
      throw std::invalid_argument("the array of planes has the wrong shape");
    if (search->driver->pending())
      throw std::invalid_argument("the leaves of the last collect() are still pending");
  }
  nb::gil_scoped_release release;
  for (const Search* search : searches) {
    const int pending = search->driver->select_leaves();
    if (rows + pending > planes.shape(0)) throw std::invalid_argument("the array of planes has too few rows");
    for (int leaf = 0; leaf < pending; ++leaf)
      search->driver->encode(leaf, planes.data() + rows++ * search->game->shape().size());
  }
  return static_cast<int>(rows);
}

void submit(const std::vector<Search*>& searches, const Rows& logits, const Rows& values) {
  check_distinct(searches);
  std::size_t rows = 0;
  for (const Search* search : searches) {
    rows += search->driver->pending();
    if (static_cast<int>(logits.shape(1)) != search->game->actions() ||
        static_cast<int>(values.shape(1)) != search->game->players())
      throw std::invalid_argument("logits are leaves x actions, values leaves x players");
  }
  if (logits.shape(0) < rows || values.shape(0) < rows)
    throw std::invalid_argument("there are fewer rows than pending leaves");
  nb::gil_scoped_release release;
  std::size_t row = 0;
  for (const Search* search : searches) {
    const int pending = search->driver->pending();
    for (int leaf = 0; leaf < pending; ++leaf, ++row)
      search->driver->back_up(leaf, logits.data() + row * logits.shape(1),
                              values.data() + row * values.shape(1));
  }
}

}  // namespace

void check_search(const AnyGame& game, const SearchOptions& options) {
  if (game.players() != 2 && traits(options.rule).backup == Backup::negamax)
    throw std::invalid_argument("negamax backups are for two players");
  if (game.players() != 2 && options.solver) throw std::invalid_argument("proofs are for two players");
  if (traits(options.rule).expands_all && (options.solver || options.oracle))
    throw std::invalid_argument("this rule keeps no proofs: it takes neither 'solver' nor exact values");
  check_oracle(game, options.oracle.get());
}

void bind_search(nb::module_& module) {
  nb::class_<OptionInfo>(module, "OptionInfo", "The declaration of an option.")
      .def_ro("name", &OptionInfo::name)
      .def_ro("type", &OptionInfo::type, "int, float, bool or choice")
      .def_prop_ro("default", [](const OptionInfo& info) { return info.fallback; })
      .def_ro("low", &OptionInfo::low)
      .def_ro("high", &OptionInfo::high)
      .def_ro("choices", &OptionInfo::choices)
      .def_ro("about", &OptionInfo::about)
      .def_ro("rules", &OptionInfo::rules, "Selection rules that read it; none: all.");

  nb::class_<RuleTraits>(module, "RuleTraits", "What is fixed about a selection rule.")
      .def_ro("name", &RuleTraits::name)
      .def_ro("about", &RuleTraits::about)
      .def_ro("default_c", &RuleTraits::default_c)
      .def_prop_ro("two_players", [](const RuleTraits& r) { return r.backup == Backup::negamax; })
      .def_ro("uses_priors", &RuleTraits::uses_priors)
      .def_ro("expands_all", &RuleTraits::expands_all)
      .def_prop_ro("for_networks", &RuleTraits::for_networks)
      .def_ro("dirichlet", &RuleTraits::dirichlet)
      .def_ro("needs_budget", &RuleTraits::needs_budget)
      .def_ro("reuses_tree", &RuleTraits::reuses_tree);
  module.def(
      "rules", [] { return std::vector<RuleTraits>(kRules.begin(), kRules.end()); },
      "The selection rules of tree search.");

  nb::enum_<Proof>(module, "Proof")
      .value("NONE", Proof::none)
      .value("LOSS", Proof::loss)
      .value("DRAW", Proof::draw)
      .value("WIN", Proof::win);

  bind_options<SearchOptions>(module, "SearchOptions", "search_options", "The options of tree search.")
      .def_rw("oracle", &SearchOptions::oracle, nb::arg("oracle").none(),
              nb::for_getter(nb::sig("def oracle(self) -> Oracle | None")));

  nb::class_<RootMove>(module, "RootMove", "One move of the root after a search.")
      .def_ro("move", &RootMove::move)
      .def_ro("visits", &RootMove::visits)
      .def_ro("value", &RootMove::value)
      .def_ro("prior", &RootMove::prior)
      .def_ro("proof", &RootMove::proof)
      .def_ro("exact", &RootMove::exact)
      .def_ro("line", &RootMove::line);

  nb::class_<Search>(module, "Search", "A game record and the search tree of its current position.")
      .def("__init__", &make, nb::arg("game"), nb::arg("options"), nb::arg("evaluator"), nb::kw_only(),
           nb::arg("weights") = std::vector<float>(), nb::arg("scale") = 0.0f, nb::arg("seed") = 0,
           nb::arg("max_pending") = 1, nb::arg("reuse") = false, nb::keep_alive<1, 2>(),
           "`evaluator`: uniform, rollout, linear (with weights and scale) or network.")
      .def("set_record", &set_record, nb::arg("record"),
           "Go to the current position of a game. With `reuse` the tree is kept if this is the same "
           "game, later.")
      .def(
          "run",
          [](Search& s, std::uint64_t simulations, double seconds) {
            AnySearch& driver = s.ready();
            nb::gil_scoped_release release;
            driver.run(simulations, seconds);
          },
          nb::arg("simulations") = std::numeric_limits<std::uint64_t>::max(), nb::arg("seconds") = 0.0,
          "Search with an evaluator of the core, until the tree has `simulations` in all.")
      .def(
          "begin", [](Search& s, std::uint64_t simulations) { s.ready().begin(simulations); },
          nb::arg("simulations"), "Begin a search with a network; collect() and submit() carry it out.")
      .def(
          "root_moves", [](const Search& s, LineLength length) { return s.begun().root_moves(length); },
          nb::arg("line_length") = 8)
      .def("values_after", &values_after, nb::arg("move"),
           "Means by player of the simulations that made a move, by its place in root_moves(), and went on "
           "to a turn of the player or to the end; NaN where those are fewer than half. For rules that back "
           "up means.")
      .def("policy", [](const Search& s) { return s.begun().policy(); })
      .def("policy_target", [](const Search& s) { return s.begun().policy_target(); })
      .def("best", [](const Search& s) { return s.begun().best(); })
      .def(
          "dump", [](const Search& s) { return dump(s.begun().dump()); },
          nb::sig("def dump(self) -> dict[str, list[typing.Any]]"))
      .def_prop_ro("pending", [](const Search& s) { return s.driver->pending(); })
      .def_prop_ro("solved", [](const Search& s) { return s.begun().is_solved(); })
      .def_prop_ro("simulations", [](const Search& s) { return s.begun().simulations(); })
      .def_prop_ro("root_value", [](const Search& s) { return s.begun().root_value(); })
      .def_prop_ro("bytes", [](const Search& s) { return s.begun().bytes(); })
      .def_prop_ro("visited_edges", [](const Search& s) { return s.begun().visited_edges(); });

  module.def("run_many", &run_many, nb::arg("searches"), nb::arg("simulations"), nb::arg("seconds") = 0.0,
             nb::arg("threads") = 2, "Run independent searches on several threads.");
  module.def("collect", &collect, nb::arg("searches"), nb::arg("planes").noconvert(),
             "Run searches to their next leaves and write the planes of those into (rows, planes, rows, "
             "columns), in the order of the searches; return how many. 0: all searches are complete.");
  module.def("submit", &submit, nb::arg("searches"), nb::arg("logits"), nb::arg("values"),
             "Back up a network's output for the leaves of the last collect(): logits (leaves, actions), "
             "values (leaves, players), the mover first.");

  nb::class_<StopFlag>(module, "StopFlag",
                       "Ends the searches of a `with` block early, with what they have found, when "
                       "another thread sets it.")
      .def(nb::init<>())
      .def("set", [](const StopFlag& self) { *self.flag = true; })
      .def_prop_ro("is_set", [](const StopFlag& self) { return self.flag->load(); })
      .def("__enter__", [](const StopFlag& self) { stop_flag = self.flag; })
      .def(
          "__exit__", [](const StopFlag&, nb::args) { stop_flag.reset(); },
          nb::sig("def __exit__(self, *args: object) -> None"));
  module.def("stop_requested", &stop_requested, "Whether the stop flag of this thread is set.");
}

}  // namespace halma::python
