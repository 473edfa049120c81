// Self-play as Python sees it: arrays in, arrays out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "../registry.hpp"
#include "../selfplay/pool.hpp"
#include "options.hpp"
#include "samples.hpp"

namespace halma::python {
namespace {

using Slots = Ranged<int, "a number of slots", 1, 1'000'000>;
using Groups = Ranged<int, "a number of groups", 1, 1024>;
using Array = nb::ndarray<nb::c_contig, nb::device::cpu>;
using ConstArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Legal = nb::ndarray<std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_plan(const AnyGame& game, const PoolPlan& plan) {
  const SelfPlayOptions& o = plan.options;
  const auto demand = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  check_search(game, o.search);
  const RuleTraits& rule = traits(o.search.rule);
  demand(rule.for_networks(), "this rule makes no use of a network's policy");
  demand(game.actions() <= 65536, "policy targets are for at most 65,536 actions");
  demand(!o.reuse || rule.reuses_tree, "this rule starts a new tree at every move");
  demand(o.random_plies_min <= o.random_plies_max, "'random_plies_min' is above 'random_plies_max'");
  demand(o.random_starts == 0 || game.has_random_start(), "this game has no random starts");
  demand(o.starts.empty() || o.random_starts == 0, "'random_starts' and 'starts' exclude each other");
  for (const auto& start : o.starts) {
    demand(start.size() == game.state_size(), "a start has the wrong size for this game");
    demand(game.is_valid(start.data()), "a start is not a valid state");
    demand(!game.at_chance(start.data()) && !game.terminal(start.data()), "no player is to move at a start");
  }
  for (std::size_t i = 0; i < o.temperatures.size(); ++i) {
    demand(o.temperatures[i].second >= 0, "temperatures are not negative");
    demand(i == 0 || o.temperatures[i - 1].first < o.temperatures[i].first,
           "temperatures are in the order of plies");
  }
  demand(plan.slots >= plan.groups, "each group has at least one slot");
  demand(o.opponents.size() < 255, "there are at most 254 opponents");
  demand(o.opponents.empty() || !o.reuse, "a tree is not reused where opponents take turns");
}

/// Calls what waits for the pool's mutex: its holder may need the interpreter, for a game in Python.
template <class Work>
auto without_gil(Work&& work) {
  nb::gil_scoped_release release;
  return work();
}

/// A pool with its game. After an exception in the middle of its work it is of no use.
struct SelfPlay {
  const AnyGame* game;
  std::unique_ptr<AnyPool> pool;
  std::vector<char> lists_legal;  // [group]: whether its pending rows came with their legal moves
  bool failed = false;

  int checked(int group) const {
    if (failed) throw std::invalid_argument("this pool has failed before: make a new one");
    if (group < 0 || group >= pool->groups()) throw std::out_of_range("there is no such group");
    return group;
  }

  template <class Work>
  auto work(Work&& work) {
    nb::gil_scoped_release release;
    try {
      return work();
    } catch (...) {
      failed = true;
      throw;
    }
  }

  LeafBatch rows(int group, const Array& planes, const std::optional<Legal>& legal) const {
    const PlaneShape shape = game->shape();
    if (planes.ndim() != 4 || static_cast<int>(planes.shape(1)) != shape.planes ||
        static_cast<int>(planes.shape(2)) != shape.rows || static_cast<int>(planes.shape(3)) != shape.columns)
      throw std::invalid_argument("the array of planes has the wrong shape");
    if (static_cast<int>(planes.shape(0)) < pool->capacity(group))
      throw std::invalid_argument("the array of planes has too few rows for this group");
    const bool bytes = planes.dtype() == nb::dtype<std::uint8_t>();
    if (!bytes && planes.dtype() != nb::dtype<float>())
      throw std::invalid_argument("planes are float32, or uint8 for games with byte planes");
    if (bytes && !game->byte_planes()) throw std::invalid_argument("this game has no byte planes");
    LeafBatch batch{planes.data(), bytes};
    if (legal) {
      if (static_cast<int>(legal->shape(0)) < pool->capacity(group) ||
          static_cast<int>(legal->shape(1)) != 1 + game->max_moves())
        throw std::invalid_argument("legal moves are leaves x (1 + most legal moves)");
      batch.legal = legal->data();
      batch.legal_width = legal->shape(1);
    }
    return batch;
  }

  /// `legal`: whether the policy is that of the legal moves which the last rows listed.
  NetworkOutput output(int group, const ConstArray& policy, const ConstArray& values, bool legal) const {
    const auto fits = [&](const ConstArray& array, int width) {
      return array.ndim() == 2 && static_cast<int>(array.shape(0)) >= pool->pending(group) &&
             static_cast<int>(array.shape(1)) == width;
    };
    if (!fits(policy, legal ? game->max_moves() : game->actions()) || !fits(values, game->players()))
      throw std::invalid_argument(legal
                                      ? "probabilities are leaves x most legal moves, values leaves x players"
                                      : "logits are leaves x actions, values leaves x players");
    if (legal && half(policy)) throw std::invalid_argument("probabilities of legal moves are float32");
    return {policy.data(), half(policy), values.data(), half(values), policy.shape(1), legal};
  }

  static bool half(const ConstArray& array) {
    constexpr nb::dlpack::dtype kHalf{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
    if (array.dtype() == kHalf) return true;
    if (array.dtype() != nb::dtype<float>())
      throw std::invalid_argument("network outputs are float32 or float16");
    return false;
  }
};

int collect(SelfPlay& self, int group, const Array& planes, const std::optional<Legal>& legal) {
  const LeafBatch rows = self.rows(self.checked(group), planes, legal);
  if (self.pool->pending(group)) throw std::invalid_argument("this group's leaves are still pending");
  const int number = self.work([&] { return self.pool->collect(group, rows); });
  self.lists_legal[group] = legal.has_value();
  return number;
}

void submit(SelfPlay& self, int group, const ConstArray& policy, const ConstArray& values) {
  self.checked(group);
  const NetworkOutput output = self.output(group, policy, values, self.lists_legal[group]);
  self.work([&] { self.pool->submit(group, output); });
}

int step(SelfPlay& self, int group, const ConstArray& policy, const ConstArray& values, const Array& planes,
         const std::optional<Legal>& legal) {
  const LeafBatch rows = self.rows(self.checked(group), planes, legal);
  const NetworkOutput output = self.output(group, policy, values, self.lists_legal[group]);
  const int number = self.work([&] { return self.pool->step(group, output, rows); });
  self.lists_legal[group] = legal.has_value();
  return number;
}

nb::dict take_finished(SelfPlay& self) {
  return sample_arrays(*self.game, self.work([&] { return self.pool->take_finished(); }));
}

using States = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

/// The planes of some rows of finished games: of row rows[i], whose game begins at firsts[i].
void encode_rows(const AnyGame& game, const States& states, const Ints& repetitions,
                 const Floats& no_progress, const Longs& rows, const Longs& firsts, const Planes& planes) {
  const PlaneShape shape = game.shape();
  const std::size_t size = game.state_size(), wanted = rows.shape(0);
  const auto number = static_cast<std::int64_t>(states.shape(0));
  if (states.shape(1) != size)
    throw std::invalid_argument("the rows of this array are not states of this game");
  if (repetitions.shape(0) != states.shape(0) || no_progress.shape(0) != states.shape(0) ||
      firsts.shape(0) != wanted)
    throw std::invalid_argument("these arrays are not of the same games");
  if (planes.shape(0) < wanted || static_cast<int>(planes.shape(1)) != shape.planes ||
      static_cast<int>(planes.shape(2)) != shape.rows || static_cast<int>(planes.shape(3)) != shape.columns)
    throw std::invalid_argument("the array of planes has the wrong shape");
  for (std::size_t i = 0; i < wanted; ++i)
    if (firsts.data()[i] < 0 || firsts.data()[i] > rows.data()[i] || rows.data()[i] >= number)
      throw std::out_of_range("there is no such row");
  nb::gil_scoped_release release;
  std::vector<Bytes> recent;
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::int64_t row = rows.data()[i];
    const auto back = std::min<std::int64_t>(game.history(), row - firsts.data()[i] + 1);
    recent.clear();
    for (std::int64_t age = 0; age < back; ++age) {
      const auto* state = reinterpret_cast<const Bytes*>(states.data()) + (row - age) * size;
      if (!game.is_valid(state))
        throw std::invalid_argument("the rows of this array are not states of this game");
      recent.insert(recent.end(), state, state + size);
    }
    game.encode(recent.data(), static_cast<int>(back), {repetitions.data()[row], no_progress.data()[row]},
                planes.data() + i * shape.size());
  }
}

using AgentTurnRow = std::tuple<int, int, std::uint64_t>;

std::vector<AgentTurnRow> agent_turns(const SelfPlay& self, int group) {
  self.checked(group);
  std::vector<AgentTurnRow> found;
  for (const AgentTurn& turn : without_gil([&] { return self.pool->agent_turns(group); }))
    found.emplace_back(turn.slot, turn.opponent, turn.number);
  return found;
}

nb::object networks(const SelfPlay& self, int group) {
  std::vector<std::uint8_t> rows(self.pool->pending(self.checked(group)));
  without_gil([&] { self.pool->read_networks(group, rows.data()); });
  return flat(std::move(rows));
}

nb::dict totals(const SelfPlay& self) {
  const PoolTotals t = without_gil([&] { return self.pool->totals(); });
  nb::dict out;
  out["leaves"] = t.leaves;
  out["cached"] = t.cached;
  out["games"] = t.games;
  out["plies"] = t.plies;
  out["resigned"] = t.resigned;
  out["resigned_not"] = t.resigned_not;
  out["resigned_wrong"] = t.resigned_wrong;
  return out;
}

}  // namespace

void bind_selfplay(nb::module_& module) {
  nb::enum_<Choice>(module, "Choice", "How the move of a training row came about.")
      .value("FULL", Choice::full)
      .value("FAST", Choice::fast)
      .value("RANDOM", Choice::random)
      .value("OPPONENT", Choice::opponent);

  nb::enum_<OpponentKind>(module, "OpponentKind", "What an opponent in self-play is.")
      .value("NETWORK", OpponentKind::network)
      .value("AGENT", OpponentKind::agent);

  bind_options<SelfPlayOptions>(module, "SelfPlayOptions", "selfplay_options", "The options of self-play.")
      .def_rw("search", &SelfPlayOptions::search)
      .def_rw("temperatures", &SelfPlayOptions::temperatures,
              "(ply, temperature) pairs in order: from that ply on, moves are sampled with that temperature.")
      .def_prop_rw(
          "starts",
          [](const SelfPlayOptions& o) {
            nb::list states;
            for (const auto& state : o.starts) states.append(nb::bytes(state.data(), state.size()));
            return states;
          },
          [](SelfPlayOptions& o, const std::vector<nb::bytes>& states) {
            o.starts.clear();
            for (const nb::bytes& state : states) {
              const auto* data = reinterpret_cast<const Bytes*>(state.c_str());
              o.starts.emplace_back(data, data + state.size());
            }
          },
          nb::for_getter(nb::sig("def starts(self) -> list[bytes]")),
          "States that games start from, in turn; none: as usual.")
      .def_rw("opponents", &SelfPlayOptions::opponents, "The opponents that the learner meets in turn.");

  module.def(
      "seats_of",
      [](const SelfPlayOptions& options, std::uint64_t number, int players) {
        if (players < 1 || players > kMaxPlayers) throw std::invalid_argument("no game has so many players");
        const Seats seats = seats_of(options, number, players);
        return std::pair(seats.opponent, seats.learner);
      },
      nb::arg("options"), nb::arg("number"), nb::arg("players"),
      "The opponent of a game by its number, -1 for none, and the learner's seat.");

  module.def(
      "encode_rows", &encode_rows, nb::arg("game"), nb::arg("states"), nb::arg("repetitions"),
      nb::arg("no_progress"), nb::arg("rows"), nb::arg("firsts"), nb::arg("planes").noconvert(),
      "Write the planes of some rows of finished games; firsts[i] is where the game of rows[i] begins.");

  constexpr auto kNoEnd = std::numeric_limits<std::uint64_t>::max();
  using P = const SelfPlay&;
  nb::class_<SelfPlay>(module, "Pool", "Many games of self-play whose leaves a network evaluates together.")
      .def(
          "__init__",
          [](SelfPlay* self, const AnyGame& game, const SelfPlayOptions& options, const Limits& limits,
             Slots slots, Groups groups, Threads threads, Seed seed, std::uint64_t first, std::uint64_t end) {
            const PoolPlan plan{options, limits, slots, groups, threads, seed, first, end};
            check_plan(game, plan);
            new (self) SelfPlay{&game, family_of(game).pool(game, plan), std::vector<char>(plan.groups)};
          },
          nb::arg("game"), nb::arg("options"), nb::arg("limits"), nb::arg("slots"), nb::arg("groups") = 2,
          nb::arg("threads") = 1, nb::arg("seed") = 0, nb::arg("first") = 0, nb::arg("end") = kNoEnd,
          nb::keep_alive<1, 2>())
      .def("collect", &collect, nb::arg("group"), nb::arg("planes"), nb::arg("legal").none() = nb::none(),
           nb::sig("def collect(self, group: int, planes: numpy.typing.NDArray[typing.Any], "
                   "legal: numpy.typing.NDArray[numpy.uint16] | None = None) -> int"),
           "Run a group to its next leaves and write their planes; return how many. `legal` (leaves, 1 + "
           "game.max_moves) gets the number of legal moves and their actions.")
      .def("submit", &submit, nb::arg("group"), nb::arg("policy"), nb::arg("values"),
           nb::sig("def submit(self, group: int, policy: numpy.typing.NDArray[typing.Any], "
                   "values: numpy.typing.NDArray[typing.Any]) -> None"),
           "Back up a network's output for a group's leaves: logits (leaves, actions), values (leaves, "
           "players), mover first. If legal moves were written, their probabilities (leaves, "
           "game.max_moves) instead of logits.")
      .def("step", &step, nb::arg("group"), nb::arg("policy"), nb::arg("values"), nb::arg("planes"),
           nb::arg("legal").none() = nb::none(),
           nb::sig("def step(self, group: int, policy: numpy.typing.NDArray[typing.Any], "
                   "values: numpy.typing.NDArray[typing.Any], planes: numpy.typing.NDArray[typing.Any], "
                   "legal: numpy.typing.NDArray[numpy.uint16] | None = None) -> int"),
           "submit() and collect() in one go, which spares half of the way to memory.")
      .def("take_finished", &take_finished, nb::sig("def take_finished(self) -> dict[str, typing.Any]"),
           "Games finished since it was last asked, as arrays.")
      .def("networks", &networks, nb::arg("group"),
           nb::sig("def networks(self, group: int) -> numpy.typing.NDArray[numpy.uint8]"),
           "Whose network evaluates each pending leaf: 0 is the learner's, i + 1 that of opponent i.")
      .def("agent_turns", &agent_turns, nb::arg("group"),
           "Slots of a group that wait for an agent's move: (slot, opponent, number of the game).")
      .def(
          "agents_record",
          [](P p, int slot) {
            p.checked(0);
            return without_gil([&] { return p.pool->agents_record(slot); });
          },
          nb::arg("slot"), nb::keep_alive<0, 1>(), "A copy of the game in which an agent is to move.")
      .def(
          "play_agents_move",
          [](SelfPlay& p, int slot, Move move) {
            p.checked(0);
            without_gil([&] { p.pool->play_agents_move(slot, move); });
          },
          nb::arg("slot"), nb::arg("move"), "Play an agent's move in a slot that waits for one.")
      .def("capacity", [](P p, int group) { return p.pool->capacity(p.checked(group)); })
      .def("pending", [](P p, int group) { return p.pool->pending(p.checked(group)); })
      .def("active",
           [](P p, int group) {
             p.checked(group);
             return without_gil([&] { return p.pool->active(group); });
           })
      .def_prop_ro("finished", [](P p) { return without_gil([&] { return p.pool->finished(); }); })
      .def_prop_ro("slots", [](P p) { return p.pool->slots(); })
      .def_prop_ro("groups", [](P p) { return p.pool->groups(); })
      .def_prop_rw(
          "end", [](P p) { return p.pool->end(); },
          [](SelfPlay& p, std::uint64_t end) { without_gil([&] { p.pool->set_end(end); }); })
      .def(
          "add_games",
          [](SelfPlay& p, const std::vector<std::uint64_t>& numbers) {
            without_gil([&] { p.pool->add_games(numbers); });
          },
          nb::arg("numbers"), "Let slots that have come to the end play the games of these numbers too.")
      .def(
          "forget_evaluations", [](P p) { without_gil([&] { p.pool->forget_evaluations(); }); },
          "Forget evaluations that were kept: a network has changed.")
      .def_prop_ro("totals", &totals, nb::sig("def totals(self) -> dict[str, int]"))
      .def_prop_ro("bytes", [](P p) { return without_gil([&] { return p.pool->bytes(); }); });
}

}  // namespace halma::python
