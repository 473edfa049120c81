// Bindings of the greedy players.
#include "../registry.hpp"
#include "../selfplay/greedy_samples.hpp"
#include "bind.hpp"
#include "samples.hpp"

namespace halma::python {
namespace {

using RandomPlies = Ranged<int, "a number of random plies", 0, 1'000'000'000>;
using SampleGames = Ranged<std::uint64_t, "a number of games", 0, 100'000>;
using LookaheadDepth = Ranged<int, "a depth", 1, 8>;

const RacingKernels& racing(const AnyGame& game) {
  const RacingKernels& kernels = family_of(game).racing;
  if (!kernels.advance) throw std::invalid_argument("pieces do not race in this game");
  return kernels;
}

GreedyOptions greedy_options(const AnyGame& game, const Limits& limits, int random_plies,
                             const std::vector<int>& stochastic) {
  if (limits.repetitions || limits.no_progress)
    throw std::invalid_argument("greedy games look at the limits of plies and cycles only");
  if (limits.cycle_window > CycleWatch::kLongest)
    throw std::invalid_argument("the window of cycles is too long");
  unsigned seats = 0;
  for (const int seat : stochastic) {
    seats |= 1u << checked_player(game, seat);
  }
  return {random_plies, seats, limits.plies, limits.cycle_window, limits.cycle_landings};
}

nb::dict greedy_games(const AnyGame& game, const Limits& limits, std::uint64_t games, Seed seed,
                      RandomPlies random_plies, const std::vector<int>& stochastic, Threads threads) {
  const RacingKernels& kernels = racing(game);
  const GreedyOptions options = greedy_options(game, limits, random_plies, stochastic);
  GreedyTotals totals;
  {
    nb::gil_scoped_release release;
    totals = kernels.games(game, games, seed, options, threads);
  }
  nb::dict out;
  out["games"] = totals.games;
  out["plies"] = totals.plies;
  out["wins"] = std::vector<std::uint64_t>(totals.wins, totals.wins + game.players());
  out["draws"] = totals.draws;
  out["shortest"] = games ? totals.shortest : 0;
  out["longest"] = totals.longest;
  return out;
}

nb::list greedy_game(const AnyGame& game, const Limits& limits, std::uint64_t number, Seed seed,
                     RandomPlies random_plies, const std::vector<int>& stochastic) {
  nb::list events;
  for (const auto& event :
       racing(game).game(game, number, seed, greedy_options(game, limits, random_plies, stochastic)))
    events.append(nb::make_tuple(event.chance, event.value));
  return events;
}

nb::dict greedy_samples(const AnyGame& game, const Limits& limits, std::uint64_t first, SampleGames games,
                        Seed seed, bool stochastic, bool prefer_trailing, bool policy_targets,
                        bool keep_draws, double random_starts, double random_openings,
                        RandomPlies random_plies_min, RandomPlies random_plies_max, Threads threads) {
  const RacingKernels& kernels = racing(game);
  const auto demand = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  demand(game.actions() <= 65536, "policy targets are for at most 65,536 actions");
  demand(random_starts == 0 || game.has_random_start(), "this game has no random starts");
  demand(random_starts >= 0 && random_openings >= 0 && random_starts + random_openings <= 1 + 1e-9,
         "shares of games are not negative and at most 1 together");
  demand(random_plies_min <= random_plies_max, "'random_plies_min' is above 'random_plies_max'");
  const GreedySampleOptions options{.player = {stochastic, prefer_trailing},
                                    .limits = limits,
                                    .policy_targets = policy_targets,
                                    .keep_draws = keep_draws,
                                    .random_starts = random_starts,
                                    .random_openings = random_openings,
                                    .random_plies_min = random_plies_min,
                                    .random_plies_max = random_plies_max,
                                    .seed = seed};
  Samples samples;
  {
    nb::gil_scoped_release release;
    samples = kernels.samples(game, options, first, games, threads);
  }
  return sample_arrays(game, std::move(samples));
}

std::vector<Move> furthest_moves(const AnyGame& game, const nb::bytes& state) {
  const Bytes* bytes = state_bytes(game, state);
  MoveList best;
  if (!game.at_chance(bytes) && !game.terminal(bytes)) racing(game).furthest(game, bytes, best);
  return {best.begin(), best.end()};
}

/// `moves` holds a legal move for each state; kNoMove advances nothing.
nb::ndarray<nb::numpy, std::int32_t> advances(
    const AnyGame& game, const StateRows& states,
    const nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& moves) {
  const RacingKernels& kernels = racing(game);
  const Bytes* bytes = row_bytes(game, states);
  const std::size_t number = states.shape(0);
  if (moves.shape(0) != number) throw std::invalid_argument("there is not one move for every state");
  std::vector<std::int32_t> found(number);
  for (std::size_t i = 0; i < number; ++i) {
    const Bytes* state = bytes + i * game.state_size();
    if (moves.data()[i] != kNoMove)
      found[i] = kernels.advance(game, state, checked_move(game, state, moves.data()[i]));
  }
  return owned_array(std::move(found), {number});
}

std::vector<Move> lookahead(const AnyGame& game, const nb::bytes& state, LookaheadDepth depth) {
  const RacingKernels& kernels = racing(game);
  if (!kernels.lookahead) throw std::invalid_argument("a player cannot move twice in a row in this game");
  const Bytes* bytes = state_bytes(game, state);
  if (game.at_chance(bytes) || game.terminal(bytes)) throw std::invalid_argument("no player is to move here");
  MoveList best;
  {
    nb::gil_scoped_release release;
    kernels.lookahead(game, bytes, depth, best);
  }
  return {best.begin(), best.end()};
}

}  // namespace

void bind_racing(nb::module_& module) {
  module.def(
      "races", [](const AnyGame& game) { return family_of(game).racing.advance != nullptr; }, nb::arg("game"),
      "Whether a move has an advance in this game.");
  module.def(
      "looks_ahead", [](const AnyGame& game) { return family_of(game).racing.lookahead != nullptr; },
      nb::arg("game"), "Whether several moves in a row of one player make sense in this game.");
  module.def(
      "advance",
      [](const AnyGame& game, const nb::bytes& state, Move move) {
        const Bytes* bytes = state_bytes(game, state);
        return racing(game).advance(game, bytes, checked_move(game, bytes, move));
      },
      nb::arg("game"), nb::arg("state"), nb::arg("move"), "How far a legal move brings its piece forward.");
  module.def(
      "trailing",
      [](const AnyGame& game, const nb::bytes& state, Move move) {
        const Bytes* bytes = state_bytes(game, state);
        return racing(game).trailing(game, bytes, checked_move(game, bytes, move));
      },
      nb::arg("game"), nb::arg("state"), nb::arg("move"), "How far behind the piece of a legal move stands.");
  module.def("furthest", &furthest_moves, nb::arg("game"), nb::arg("state"),
             "The legal moves that advance most; of those, the ones whose piece trails most.");
  module.def("advances", &advances, nb::arg("game"), nb::arg("states"), nb::arg("moves"),
             nb::sig("def advances(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8], moves: "
                     "numpy.typing.NDArray[numpy.uint32]) -> numpy.typing.NDArray[numpy.int32]"),
             "How far each move brings its piece forward; NO_MOVE does not.");
  module.def("greedy_games", &greedy_games, nb::arg("game"), nb::arg("limits"), nb::arg("games"),
             nb::arg("seed"), nb::arg("random_plies"), nb::arg("stochastic"), nb::arg("threads"),
             nb::sig("def greedy_games(game: AnyGame, limits: Limits, games: int, seed: int, "
                     "random_plies: int, stochastic: collections.abc.Sequence[int], threads: int) -> "
                     "dict[str, typing.Any]"),
             "Totals of games between greedy players.");
  module.def("greedy_game", &greedy_game, nb::arg("game"), nb::arg("limits"), nb::arg("number"),
             nb::arg("seed"), nb::arg("random_plies"), nb::arg("stochastic"),
             nb::sig("def greedy_game(game: AnyGame, limits: Limits, number: int, seed: int, "
                     "random_plies: int, stochastic: collections.abc.Sequence[int]) -> "
                     "list[tuple[bool, int]]"),
             "The events of one of those games.");
  module.def(
      "greedy_samples", &greedy_samples, nb::arg("game"), nb::arg("limits"), nb::arg("first"),
      nb::arg("games"), nb::arg("seed"), nb::kw_only(), nb::arg("stochastic"), nb::arg("prefer_trailing"),
      nb::arg("policy_targets"), nb::arg("keep_draws"), nb::arg("random_starts"), nb::arg("random_openings"),
      nb::arg("random_plies_min"), nb::arg("random_plies_max"), nb::arg("threads"),
      nb::sig("def greedy_samples(game: AnyGame, limits: Limits, first: int, games: int, seed: int, *, "
              "stochastic: bool, prefer_trailing: bool, policy_targets: bool, keep_draws: bool, "
              "random_starts: float, random_openings: float, random_plies_min: int, "
              "random_plies_max: int, threads: int) -> dict[str, typing.Any]"),
      "Games of a greedy player against itself as arrays; those not kept are left out.");
  module.def("lookahead", &lookahead, nb::arg("game"), nb::arg("state"), nb::arg("depth"),
             "First moves of the moves in a row that advance most together.");
}

}  // namespace halma::python
