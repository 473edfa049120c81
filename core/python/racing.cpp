// Bindings of the greedy players.
#include "../registry.hpp"
#include "../search/greedy.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

const RacingKernels& racing(const AnyGame& game) {
  const RacingKernels& kernels = family_of(game).racing;
  if (!kernels.advance) throw nb::value_error("pieces do not race in this game");
  return kernels;
}

GreedyOptions greedy_options(const AnyGame& game, const Limits& limits, int random_plies,
                             const std::vector<int>& stochastic) {
  if (random_plies < 0) throw nb::value_error("the number of random plies is negative");
  if (limits.repetitions || limits.no_progress)
    throw nb::value_error("greedy games look at the limits of plies and cycles only");
  if (limits.cycle_window > CycleWatch::kLongest) throw nb::value_error("the window of cycles is too long");
  unsigned seats = 0;
  for (const int seat : stochastic) {
    if (seat < 0 || seat >= game.players()) throw nb::value_error("there is no such seat");
    seats |= 1u << seat;
  }
  return {random_plies, seats, limits.plies, limits.cycle_window, limits.cycle_landings};
}

nb::dict greedy_games(const AnyGame& game, const Limits& limits, std::uint64_t games, std::uint64_t seed,
                      int random_plies, const std::vector<int>& stochastic, int threads) {
  const RacingKernels& kernels = racing(game);
  const GreedyOptions options = greedy_options(game, limits, random_plies, stochastic);
  if (threads < 1 || threads > 256) throw nb::value_error("the number of threads is 1 to 256");
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

nb::list greedy_game(const AnyGame& game, const Limits& limits, std::uint64_t number, std::uint64_t seed,
                     int random_plies, const std::vector<int>& stochastic) {
  nb::list events;
  for (const auto& event :
       racing(game).game(game, number, seed, greedy_options(game, limits, random_plies, stochastic)))
    events.append(nb::make_tuple(event.chance, event.value));
  return events;
}

std::vector<Move> lookahead(const AnyGame& game, const nb::bytes& state, int depth) {
  const RacingKernels& kernels = racing(game);
  if (!kernels.lookahead) throw nb::value_error("a player cannot move twice in a row in this game");
  if (depth < 1 || depth > 8) throw nb::value_error("a depth is 1 to 8");
  const Bytes* bytes = state_bytes(game, state);
  if (game.at_chance(bytes) || game.terminal(bytes)) throw nb::value_error("no player is to move here");
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
        return racing(game).advance(game, state_bytes(game, state), move);
      },
      nb::arg("game"), nb::arg("state"), nb::arg("move"), "How far a legal move brings its piece forward.");
  module.def(
      "trailing",
      [](const AnyGame& game, const nb::bytes& state, Move move) {
        return racing(game).trailing(game, state_bytes(game, state), move);
      },
      nb::arg("game"), nb::arg("state"), nb::arg("move"), "How far behind the piece of a legal move stands.");
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
  module.def("lookahead", &lookahead, nb::arg("game"), nb::arg("state"), nb::arg("depth"),
             "First moves of the moves in a row that advance most together.");
}

}  // namespace halma::python
