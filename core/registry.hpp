// What is compiled for each family of games. A family's own source file calls
// register_family<G>() (register_family.hpp) once; everything else finds its compiled
// searches and solvers here by the type of an AnyGame, without knowing any game. A game
// that nobody registered, one written in Python, runs through Opaque.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <typeindex>
#include <vector>

#include "any.hpp"
#include "record.hpp"

namespace halma {

// Callers of a maker include the header of what it makes.
class AnySearch;
class AnyMinimax;
class AnyPool;
class AnyTabular;
class AnyExpectimax;
class AnyRetrograde;
class AnyEndgames;
class LookupTable;
struct SearchSetup;
struct MinimaxOptions;
struct PoolPlan;
struct TabularOptions;
struct GreedyOptions;
struct GreedyTotals;
struct GreedySampleOptions;
struct Samples;
struct MatchTotals;
struct SearchSampleOptions;
class SparseNetwork;
struct ExactTable;

/// Which optional hooks of the contract (hooks.hpp) a family offers.
struct Hooks {
  bool compiled = false;  // false: the family runs through Opaque
  bool count = false, random_ply = false, features = false, inputs = false, is_quiet = false,
       captures = false;
  bool advance = false, furthest = false, give_turn = false, reopen = false, arrived = false;
  bool layers = false, backward = false, slices = false;
};

/// Greedy players, where pieces race.
struct RacingKernels {
  int (*advance)(const AnyGame&, const Bytes* state, Move) = nullptr;
  int (*trailing)(const AnyGame&, const Bytes* state, Move) = nullptr;
  void (*furthest)(const AnyGame&, const Bytes* state, MoveList&) = nullptr;
  GreedyTotals (*games)(const AnyGame&, std::uint64_t games, std::uint64_t seed, const GreedyOptions&,
                        int threads) = nullptr;
  std::vector<Record::Event> (*game)(const AnyGame&, std::uint64_t number, std::uint64_t seed,
                                     const GreedyOptions&) = nullptr;
  Samples (*samples)(const AnyGame&, const GreedySampleOptions&, std::uint64_t first, std::uint64_t games,
                     int threads) = nullptr;
  /// Null where a turn cannot be given to the same player again.
  void (*lookahead)(const AnyGame&, const Bytes* state, int depth, MoveList&) = nullptr;
};

/// Networks that are evaluated in the core, where a family offers their inputs.
struct InputKernels {
  int (*count)(const AnyGame&) = nullptr;
  int (*most)(const AnyGame&) = nullptr;  // set at once
  /// Writes the numbers of the inputs that are set, and returns how many there are.
  int (*list)(const AnyGame&, const Bytes* state, std::uint16_t* out) = nullptr;
  /// The network's value of each of some decisions, evaluated one after the other.
  std::vector<double> (*values)(const AnyGame&, const SparseNetwork&, const Bytes* states,
                                std::size_t number) = nullptr;
  Samples (*samples)(const AnyGame&, const SearchSampleOptions&, std::uint64_t first, std::uint64_t games,
                     int threads) = nullptr;
};

/// Exact values of games for two players, from G::Layers.
struct ExpectimaxMakers {
  std::unique_ptr<AnyExpectimax> (*solver)(const AnyGame&) = nullptr;
  MatchTotals (*match_optimal)(const AnyGame&, const LookupTable&, ExactTable, const Limits&,
                               std::uint64_t games, std::uint64_t seed, int threads) = nullptr;
};

/// Exact values of deterministic games, from G::Backward and G::Forward.
struct RetrogradeMakers {
  std::unique_ptr<AnyRetrograde> (*solver)(const AnyGame&, int threads) = nullptr;
  std::uint64_t (*bytes_needed)(const AnyGame&) = nullptr;
  /// Rows of a table, the unit of work of count_inconsistent().
  std::uint64_t (*rows)(const AnyGame&) = nullptr;
  std::uint64_t (*count_inconsistent)(const AnyGame&, const std::uint8_t* values,
                                      std::span<const std::uint8_t> distances, std::uint64_t first_row,
                                      std::uint64_t rows, int threads) = nullptr;
};

/// Endgame tables, from G::Slices.
struct EndgameMakers {
  std::unique_ptr<AnyEndgames> (*solver)(const AnyGame&, int pieces, int threads) = nullptr;
  std::uint64_t (*bytes_needed)(int pieces) = nullptr;
};

/// All that is compiled for a family. The game given to a maker must outlive what it makes.
struct Family {
  Hooks hooks;

  std::unique_ptr<AnySearch> (*search)(const AnyGame&, const SearchSetup&) = nullptr;
  std::unique_ptr<AnyMinimax> (*minimax)(const AnyGame&, const MinimaxOptions&) = nullptr;
  std::unique_ptr<AnyPool> (*pool)(const AnyGame&, const PoolPlan&) = nullptr;
  /// Null in families without a dense index; Opaque's then says why there is no trainer.
  std::unique_ptr<AnyTabular> (*tabular)(const AnyGame&, const TabularOptions&, int threads) = nullptr;

  // Null, or null members, where the family does not offer the hooks they need.
  int (*moves_alone)(const AnyGame&, const Bytes* state, int player, int width, int limit) = nullptr;
  RacingKernels racing;
  InputKernels inputs;
  ExpectimaxMakers expectimax;
  RetrogradeMakers retrograde;
  EndgameMakers endgames;
};

/// By the type of the AnyGame: Erased<G> for the family G, AnyGame itself for Opaque.
inline std::map<std::type_index, Family>& registered_families() {
  static std::map<std::type_index, Family> families;
  return families;
}

/// What runs every game that has no entry of its own.
inline const Family& opaque_family() { return registered_families().at(typeid(AnyGame)); }

inline const Family& family_of(const AnyGame& game) {
  const auto& families = registered_families();
  const auto found = families.find(typeid(game));
  return found != families.end() ? found->second : opaque_family();
}

/// The family's own order of solving, or else Opaque's, which needs more time and memory.
inline const ExpectimaxMakers& expectimax_of(const AnyGame& game) {
  const ExpectimaxMakers& own = family_of(game).expectimax;
  return own.solver ? own : opaque_family().expectimax;
}

}  // namespace halma
