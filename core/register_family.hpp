// Compiles everything for a family of games and registers it (registry.hpp). Included by
// the one source file of each family, so that a change of a game rebuilds one file.
//
// What is compiled follows from the hooks the family offers (hooks.hpp, solve_hooks.hpp).
#pragma once

#include "learn/match_optimal.hpp"
#include "learn/tabular.hpp"
#include "registry.hpp"
#include "search/alone.hpp"
#include "search/any_minimax.hpp"
#include "search/any_search.hpp"
#include "search/greedy.hpp"
#include "selfplay/greedy_samples.hpp"
#include "selfplay/pool.hpp"
#include "selfplay/search_samples.hpp"
#include "solve/endgames.hpp"
#include "solve/expectimax.hpp"
#include "solve/retrograde.hpp"

namespace halma {

/// A search, pool or trainer that keeps the Opaque it runs on.
template <template <class> class Engine>
class OnOpaque : private Opaque, public Engine<Opaque> {
 public:
  template <class... Args>
  explicit OnOpaque(const AnyGame& game, Args&&... args)
      : Opaque(game), Engine<Opaque>(static_cast<const Opaque&>(*this), std::forward<Args>(args)...) {}
};

/// Makes an Engine<G>, whose first argument is the game with its type.
template <template <class> class Engine, class G, class... Args>
auto make_engine(const AnyGame& game, Args&&... args) {
  if constexpr (std::is_same_v<G, Opaque>)
    return std::make_unique<OnOpaque<Engine>>(game, std::forward<Args>(args)...);
  else
    return std::make_unique<Engine<G>>(concrete<G>(game), std::forward<Args>(args)...);
}

template <Races G>
RacingKernels racing_kernels() {
  RacingKernels racing;
  racing.advance = [](const AnyGame& game, const Bytes* state, Move move) {
    return concrete<G>(game).advance(Erased<G>::load(state), move);
  };
  racing.trailing = [](const AnyGame& game, const Bytes* state, Move move) {
    return concrete<G>(game).trailing(Erased<G>::load(state), move);
  };
  racing.furthest = [](const AnyGame& game, const Bytes* state, MoveList& best) {
    furthest(concrete<G>(game), Erased<G>::load(state), best);
  };
  racing.games = [](const AnyGame& game, std::uint64_t games, std::uint64_t seed,
                    const GreedyOptions& options,
                    int threads) { return greedy_games(concrete<G>(game), games, seed, options, threads); };
  racing.game = [](const AnyGame& game, std::uint64_t number, std::uint64_t seed,
                   const GreedyOptions& options) {
    std::vector<Record::Event> events;
    play_greedily(concrete<G>(game), options, Random(seed, number),
                  [&](bool chance, std::uint32_t value) { events.push_back({chance, value}); });
    return events;
  };
  racing.samples = [](const AnyGame& game, const GreedySampleOptions& options, std::uint64_t first,
                      std::uint64_t games, int threads) {
    return greedy_samples(concrete<G>(game), game, options, first, games, threads);
  };
  if constexpr (GivesTurn<G>)
    racing.lookahead = [](const AnyGame& game, const Bytes* state, int depth, MoveList& best) {
      lookahead_moves(concrete<G>(game), Erased<G>::load(state), depth, best);
    };
  return racing;
}

template <HasInputs G>
InputKernels input_kernels() {
  return {
      .count = [](const AnyGame& game) { return concrete<G>(game).input_count(); },
      .most = [](const AnyGame& game) { return concrete<G>(game).max_inputs(); },
      .list =
          [](const AnyGame& game, const Bytes* state, std::uint16_t* out) {
            std::uint64_t bits[G::kInputWords];
            concrete<G>(game).inputs(Erased<G>::load(state), bits);
            int number = 0;
            for (int w = 0; w < G::kInputWords; ++w)
              for (; bits[w]; bits[w] &= bits[w] - 1)
                out[number++] = static_cast<std::uint16_t>(64 * w + std::countr_zero(bits[w]));
            return number;
          },
      .values =
          [](const AnyGame& game, const SparseNetwork& network, const Bytes* states, std::size_t number) {
            SparseEvaluator<G> evaluator(concrete<G>(game), network);
            std::vector<double> values(number);
            for (std::size_t i = 0; i < number; ++i)
              values[i] = evaluator.value(Erased<G>::load(states + i * game.state_size()));
            return values;
          },
      .samples =
          [](const AnyGame& game, const SearchSampleOptions& options, std::uint64_t first,
             std::uint64_t games,
             int threads) { return search_samples(concrete<G>(game), game, options, first, games, threads); },
  };
}

template <HasLayers G>
ExpectimaxMakers expectimax_makers() {
  return {
      .solver = [](const AnyGame& game) -> std::unique_ptr<AnyExpectimax> {
        return make_engine<ExpectimaxSolver, G>(game);
      },
      .match_optimal =
          [](const AnyGame& game, const LookupTable& table, ExactTable truth, const Limits& limits,
             std::uint64_t games, std::uint64_t seed, int threads) {
            if constexpr (std::is_same_v<G, Opaque>)
              return match_optimal(game, Opaque(game), table, truth, limits, games, seed, threads);
            else
              return match_optimal(game, concrete<G>(game), table, truth, limits, games, seed, threads);
          },
  };
}

template <TakesBack G>
RetrogradeMakers retrograde_makers() {
  return {
      .solver = [](const AnyGame& game, int threads) -> std::unique_ptr<AnyRetrograde> {
        return std::make_unique<Retrograde<G>>(concrete<G>(game), threads);
      },
      .bytes_needed = [](const AnyGame& game) { return Retrograde<G>::bytes_needed(concrete<G>(game)); },
      .rows = [](const AnyGame& game) { return G::Forward::rows(concrete<G>(game)); },
      .count_inconsistent =
          [](const AnyGame& game, const std::uint8_t* values, std::span<const std::uint8_t> distances,
             std::uint64_t first_row, std::uint64_t rows, int threads) {
            return Checker<G>(concrete<G>(game), values, distances)
                .count_inconsistent(first_row, rows, threads);
          },
  };
}

template <HasSlices G>
EndgameMakers endgame_makers() {
  return {
      .solver = [](const AnyGame& game, int pieces, int threads) -> std::unique_ptr<AnyEndgames> {
        return std::make_unique<Endgames<G>>(concrete<G>(game), pieces, threads);
      },
      .bytes_needed = [](int pieces) { return Endgames<G>::bytes_needed(pieces); },
  };
}

/// Everything for G, which is Opaque or a family behind Erased<G>.
template <Game G>
Family compile_family() {
  Family family;
  family.search = [](const AnyGame& game, const SearchSetup& setup) -> std::unique_ptr<AnySearch> {
    return make_engine<ErasedSearch, G>(game, game, setup);
  };
  family.minimax = [](const AnyGame& game, const MinimaxOptions& options) -> std::unique_ptr<AnyMinimax> {
    return make_engine<ErasedMinimax, G>(game, options);
  };
  family.pool = [](const AnyGame& game, const PoolPlan& plan) -> std::unique_ptr<AnyPool> {
    return make_engine<Pool, G>(game, game, plan.options, plan.limits, plan.slots, plan.groups, plan.threads,
                                plan.seed, plan.first, plan.end);
  };
  if constexpr (kIndexed<G>)
    family.tabular = [](const AnyGame& game, const TabularOptions& options,
                        int threads) -> std::unique_ptr<AnyTabular> {
      return make_engine<Tabular, G>(game, game, options, threads);
    };

  if constexpr (Reopens<G> && HasFeatures<G>)
    family.moves_alone = [](const AnyGame& game, const Bytes* state, int player, int width, int limit) {
      return moves_alone(concrete<G>(game), Erased<G>::load(state), player, width, limit);
    };
  if constexpr (Races<G>) family.racing = racing_kernels<G>();
  if constexpr (HasInputs<G>) family.inputs = input_kernels<G>();
  if constexpr (kIndexed<G> && HasLayers<G>) family.expectimax = expectimax_makers<G>();
  if constexpr (kIndexed<G> && TakesBack<G>) family.retrograde = retrograde_makers<G>();
  if constexpr (HasSlices<G>) family.endgames = endgame_makers<G>();

  family.hooks = {
      .compiled = !std::is_same_v<G, Opaque>,
      .count = CountsMoves<G>,
      .random_ply = PlaysRandomly<G>,
      .features = HasFeatures<G>,
      .inputs = HasInputs<G>,
      .is_quiet = KnowsQuiet<G>,
      .captures = ListsCaptures<G>,
      .advance = Races<G>,
      .furthest = FindsFurthest<G>,
      .give_turn = GivesTurn<G>,
      .reopen = Reopens<G>,
      .arrived = CountsArrived<G>,
      .layers = !std::is_same_v<G, Opaque> && family.expectimax.solver != nullptr,
      .backward = family.retrograde.solver != nullptr,
      .slices = family.endgames.solver != nullptr,
  };
  return family;
}

/// Registers all that can be compiled for the family G.
template <Game G>
void register_family() {
  registered_families()[typeid(Erased<G>)] = compile_family<G>();
}

/// Registers what every other game runs through.
inline void register_opaque() { registered_families()[typeid(AnyGame)] = compile_family<Opaque>(); }

}  // namespace halma
