// Bindings of AnyGame: states are bytes, moves and outcomes are integers.
#include <nanobind/stl/tuple.h>

#include "bind.hpp"

namespace halma::python {
namespace {

/// Far beyond what can be counted; a level takes some kilobytes of the stack.
constexpr int kMaxPerft = 64;
using PerftDepth = Ranged<int, "a depth of perft", 0, kMaxPerft>;
using Samples = Ranged<int, "a number of states", 0, 10'000'000>;
using SampledPlies = Ranged<int, "a number of plies", 1, 1'000'000'000>;
/// What describe() gives lies far within this.
constexpr int kLargestField = 1 << 16;

/// Checks that a move is legal, or one that move() gives for some action.
Move known_move(const AnyGame& game, const Bytes* state, Move move) {
  try {
    return checked_move(game, state, move);
  } catch (const std::invalid_argument&) {
    for (int action = 0; action < game.actions() && move != kNoMove; ++action)
      if (game.move(state, action) == move) return move;
    throw;
  }
}

std::vector<Move> legal(const AnyGame& game, const nb::bytes& state) {
  const Bytes* bytes = state_bytes(game, state);
  MoveList moves;
  if (!game.at_chance(bytes)) game.legal(bytes, moves);
  return {moves.begin(), moves.end()};
}

nb::list outcomes(const AnyGame& game, const nb::bytes& state) {
  OutcomeList list;
  game.outcomes(state_bytes(game, state), list);
  nb::list pairs;
  for (const Chance& chance : list) pairs.append(nb::make_tuple(chance.outcome, chance.probability));
  return pairs;
}

std::vector<float> result(const AnyGame& game, const nb::bytes& state) {
  float scores[kMaxPlayers] = {};
  game.result(state_bytes(game, state), scores);
  return {scores, scores + game.players()};
}

nb::bytes compose(const AnyGame& game, const std::vector<int>& fields) {
  if (std::any_of(fields.begin(), fields.end(),
                  [](int f) { return f < -kLargestField || f > kLargestField; }))
    throw std::invalid_argument("a number of this position is far too large");
  std::string error;
  nb::bytes state = new_state(game, [&](Bytes* bytes) { error = game.compose(fields, bytes); });
  if (!error.empty()) throw std::invalid_argument(error);
  return state;
}

nb::ndarray<nb::numpy, float> encode(const AnyGame& game, const std::vector<nb::bytes>& recent,
                                     int repetitions, float no_progress) {
  std::vector<Bytes> packed;
  for (const nb::bytes& state : recent) {
    const Bytes* bytes = state_bytes(game, state);
    packed.insert(packed.end(), bytes, bytes + game.state_size());
  }
  if (recent.empty()) throw std::invalid_argument("there is no state to encode");
  const PlaneShape shape = game.shape();
  std::vector<float> planes(shape.size());
  game.encode(packed.data(), static_cast<int>(recent.size()), Context{repetitions, no_progress},
              planes.data());
  return owned_array(std::move(planes),
                     {static_cast<std::size_t>(shape.planes), static_cast<std::size_t>(shape.rows),
                      static_cast<std::size_t>(shape.columns)});
}

nb::dict playouts(const AnyGame& game, const nb::bytes& state, std::uint64_t games, Seed seed,
                  Limit ply_limit, Limit quiet_limit) {
  const Bytes* bytes = state_bytes(game, state);
  PlayoutTotals totals;
  {
    nb::gil_scoped_release release;
    totals = game.playouts(bytes, games, seed, ply_limit, quiet_limit);
  }
  nb::dict out;
  out["games"] = totals.games;
  out["plies"] = totals.plies;
  out["stopped"] = totals.stopped;
  out["shortest"] = games ? totals.shortest : 0;
  out["longest"] = totals.longest;
  out["scores"] = std::vector<double>(totals.scores, totals.scores + game.players());
  return out;
}

nb::ndarray<nb::numpy, std::uint8_t> sample_states(const AnyGame& game, const nb::bytes& state,
                                                   Samples number, Seed seed, SampledPlies ply_limit) {
  const Bytes* bytes = state_bytes(game, state);
  std::vector<Bytes> sampled;
  {
    nb::gil_scoped_release release;
    sampled = game.sample_states(bytes, number, seed, ply_limit);
  }
  const auto* first = reinterpret_cast<const std::uint8_t*>(sampled.data());
  std::vector<std::uint8_t> copy(first, first + sampled.size());
  const std::size_t count = copy.size() / game.state_size();
  return owned_array(std::move(copy), {count, game.state_size()});
}

nb::tuple legal_many(const AnyGame& game, const StateRows& states) {
  const Bytes* bytes = row_bytes(game, states);
  const int number = static_cast<int>(states.shape(0));
  std::vector<std::int64_t> offsets;
  std::vector<Move> moves;
  {
    nb::gil_scoped_release release;
    game.legal_many(bytes, number, offsets, moves);
  }
  const std::size_t total = moves.size(), entries = offsets.size();
  return nb::make_tuple(owned_array(std::move(offsets), {entries}), owned_array(std::move(moves), {total}));
}

nb::tuple reachable(const AnyGame& game) {
  // One bit per index: 2^36 of them are 8 GiB.
  if (game.index_size() == 0 || game.index_size() > std::uint64_t{1} << 36)
    throw std::invalid_argument("this variant has too many positions to enumerate");
  Reachable found;
  {
    nb::gil_scoped_release release;
    found = game.reachable();
  }
  return nb::make_tuple(found.decisions, found.terminals);
}

}  // namespace

void bind_game(nb::module_& module) {
  module.attr("NO_MOVE") = kNoMove;
  module.attr("MAX_MOVES") = kMaxMoves;
  module.attr("MAX_OUTCOMES") = kMaxOutcomes;
  module.attr("MAX_PLAYERS") = kMaxPlayers;
  module.attr("MAX_PERFT") = kMaxPerft;

  nb::class_<Limits>(module, "Limits", "When a record ends although the rules would go on; 0: no such limit.")
      .def(
          "__init__",
          [](Limits* self, Limit plies, Limit repetitions, Limit no_progress, Limit cycle_window,
             Limit cycle_landings, Limit progress_plies) {
            new (self) Limits{plies, repetitions, no_progress, cycle_window, cycle_landings, progress_plies};
          },
          nb::kw_only(), nb::arg("plies") = 0, nb::arg("repetitions") = 0, nb::arg("no_progress") = 0,
          nb::arg("cycle_window") = 0, nb::arg("cycle_landings") = 0, nb::arg("progress_plies") = 0)
      .def_ro("plies", &Limits::plies)
      .def_ro("repetitions", &Limits::repetitions)
      .def_ro("no_progress", &Limits::no_progress)
      .def_ro("cycle_window", &Limits::cycle_window)
      .def_ro("cycle_landings", &Limits::cycle_landings)
      .def_ro("progress_plies", &Limits::progress_plies)
      .def("__getstate__",
           [](const Limits& limits) {
             return std::make_tuple(limits.plies, limits.repetitions, limits.no_progress, limits.cycle_window,
                                    limits.cycle_landings, limits.progress_plies);
           })
      .def("__setstate__",
           [](Limits& self, const std::tuple<Limit, Limit, Limit, Limit, Limit, Limit>& state) {
             std::apply([&](auto... values) { new (&self) Limits{values...}; }, state);
           });

  using G = const AnyGame&;
  using B = const nb::bytes&;
  nb::class_<AnyGame>(module, "AnyGame", "The rules of one variant; states are bytes, moves integers.")
      .def_prop_ro("state_size", &AnyGame::state_size)
      .def_prop_ro("players", &AnyGame::players)
      .def_prop_ro(
          "teams",
          [](G g) {
            std::vector<int> teams;
            for (int player = 0; player < g.players(); ++player) teams.push_back(g.team(player));
            return teams;
          },
          "Per player: its team, or its own number where every player is on its own.")
      .def_prop_ro("max_score", &AnyGame::max_score)
      .def_prop_ro("actions", &AnyGame::actions)
      .def_prop_ro("history", &AnyGame::history)
      .def_prop_ro("version", &AnyGame::version)
      .def_prop_ro("index_size", &AnyGame::index_size)
      .def_prop_ro("uses_context", &AnyGame::uses_context, "Whether planes look at the game's past.")
      .def_prop_ro("byte_planes", &AnyGame::byte_planes, "Whether planes fit into bytes.")
      .def_prop_ro("max_moves", &AnyGame::max_moves, "A bound on the number of legal moves of a position.")
      .def_prop_ro(
          "shape", [](G g) { return nb::make_tuple(g.shape().planes, g.shape().rows, g.shape().columns); },
          nb::sig("def shape(self) -> tuple[int, int, int]"))
      .def_prop_ro("symmetries", &AnyGame::symmetries,
                   "In how many mirrors the game is the same; number 0 changes nothing.")
      .def(
          "image",
          [](G g, B s, int k) {
            const Bytes* from = state_bytes(g, s);
            check_mirror(g, k);
            return new_state(g, [&](Bytes* b) {
              std::memcpy(b, from, g.state_size());
              g.image(b, k);
            });
          },
          nb::arg("state"), nb::arg("mirror"), "A state as it looks in a mirror.")
      .def(
          "image_move",
          [](G g, B s, Move move, int k) {
            check_mirror(g, k);
            return g.image(checked_move(g, state_bytes(g, s), move), k);
          },
          nb::arg("state"), nb::arg("move"), nb::arg("mirror"), "A legal move as it looks in a mirror.")
      .def("initial", [](G g) { return new_state(g, [&](Bytes* b) { g.initial(b); }); })
      .def(
          "random_start",
          [](G g, Seed seed) {
            if (!g.has_random_start()) throw std::invalid_argument("this game has no random starts");
            Random random(seed);
            return new_state(g, [&](Bytes* b) { g.random_start(random, b); });
          },
          nb::arg("seed"), "A decision with all pieces in random places and nobody having won.")
      .def_prop_ro(
          "piece_counts", [](G g) { return nb::make_tuple(g.piece_counts().fewest, g.piece_counts().most); },
          nb::sig("def piece_counts(self) -> tuple[int, int]"),
          "Fewest and most pieces of random positions; (0, 0) where the game has none.")
      .def(
          "random_position",
          [](G g, Seed seed, int pieces) {
            const PieceCounts counts = g.piece_counts();
            if (counts.most == 0) throw std::invalid_argument("this game has no random positions");
            if (pieces < counts.fewest || pieces > counts.most)
              throw std::invalid_argument("random positions of this game have " +
                                          std::to_string(counts.fewest) + " to " +
                                          std::to_string(counts.most) + " pieces");
            Random random(seed);
            return new_state(g, [&](Bytes* b) { g.random_position(random, pieces, b); });
          },
          nb::arg("seed"), nb::arg("pieces"), "A decision with this many pieces in random places.")
      .def("mover", [](G g, B s) { return g.mover(state_bytes(g, s)); })
      .def("legal", &legal)
      .def("terminal", [](G g, B s) { return g.terminal(state_bytes(g, s)); })
      .def("play",
           [](G g, B s, Move move) {
             const Bytes* from = state_bytes(g, s);
             return new_state(g, [&](Bytes* b) {
               std::memcpy(b, from, g.state_size());
               g.play(b, checked_move(g, from, move));
             });
           })
      .def("irreversible",
           [](G g, B s, Move move) {
             const Bytes* bytes = state_bytes(g, s);
             return g.irreversible(bytes, known_move(g, bytes, move));
           })
      .def("landing", [](G g, B s, Move move) { return g.landing(checked_move(g, state_bytes(g, s), move)); })
      .def("at_chance", [](G g, B s) { return g.at_chance(state_bytes(g, s)); })
      .def("outcomes", &outcomes, nb::sig("def outcomes(self, state: bytes, /) -> list[tuple[int, float]]"))
      .def("resolve",
           [](G g, B s, Outcome outcome) {
             const Bytes* from = state_bytes(g, s);
             return new_state(g, [&](Bytes* b) {
               std::memcpy(b, from, g.state_size());
               g.resolve(b, checked_outcome(g, from, outcome));
             });
           })
      .def("result", &result)
      .def("action",
           [](G g, B s, Move move) {
             const Bytes* bytes = state_bytes(g, s);
             return g.action(bytes, known_move(g, bytes, move));
           })
      .def("move",
           [](G g, B s, int action) {
             if (action < 0 || action >= g.actions())
               throw std::out_of_range("the actions are 0 to " + std::to_string(g.actions() - 1) + ", not " +
                                       std::to_string(action));
             return g.move(state_bytes(g, s), action);
           })
      .def("encode", &encode, nb::arg("recent"), nb::arg("repetitions") = 0, nb::arg("no_progress") = 0.0f)
      .def("key", [](G g, B s) { return g.key(state_bytes(g, s)); })
      .def("index", [](G g, B s) { return checked_index(g, state_bytes(g, s)); })
      .def("unindex",
           [](G g, std::uint64_t index) {
             if (index >= g.index_size())
               throw std::out_of_range("there is no position of the number " + std::to_string(index));
             return new_state(g, [&](Bytes* b) { g.unindex(index, b); });
           })
      .def("describe", [](G g, B s) { return g.describe(state_bytes(g, s)); })
      .def("compose", &compose)
      .def("count",
           [](G g, B s) {
             const Bytes* bytes = state_bytes(g, s);
             return g.at_chance(bytes) ? 0 : g.count(bytes);
           })
      .def("perft",
           [](G g, B s, PerftDepth depth) {
             const Bytes* bytes = state_bytes(g, s);
             nb::gil_scoped_release release;
             return g.perft(bytes, depth);
           })
      .def("playouts", &playouts, nb::arg("state"), nb::arg("games"), nb::arg("seed") = 0,
           nb::arg("ply_limit") = 0, nb::arg("quiet_limit") = 0,
           nb::sig("def playouts(self, state: bytes, games: int, seed: int = 0, ply_limit: int = 0, "
                   "quiet_limit: int = 0) -> dict[str, typing.Any]"))
      .def("sample_states", &sample_states, nb::arg("state"), nb::arg("number"), nb::arg("seed") = 0,
           nb::arg("ply_limit") = 1000)
      .def("legal_many", &legal_many,
           nb::sig("def legal_many(self, states: numpy.typing.NDArray[numpy.uint8], /) -> "
                   "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32]]"))
      .def("reachable", &reachable, nb::sig("def reachable(self) -> tuple[int, int]"));
}

}  // namespace halma::python
