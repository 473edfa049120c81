// What solvers need of a family: nested classes, declared in the family and defined in a header beside it.
//
//   class Layers                        an order of solving a game with chance: HasLayers
//   class Backward and class Forward    unmoves, and successors by index, for retrograde
//                                       analysis: TakesBack
//   class Slices                        positions with few pieces, for endgame tables: HasSlices
#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "game.hpp"

namespace halma {

/// A run of indices: from first up to but not including last.
struct Block {
  std::uint64_t first, last;
};
/// Blocks that do not depend on each other, only on blocks of earlier stages and on themselves,
/// so that threads can share them.
using Stage = std::vector<Block>;

/// The order in which the positions of a game with chance can be solved (solve/expectimax.hpp).
template <class G>
concept HasLayers = Game<G> && requires(const G& game) {
  // Whether play can return to a position; if not, a position's successors within its block have
  // smaller indices.
  { G::Layers::kCyclic } -> std::convertible_to<bool>;
  // All blocks that hold decisions, in order.
  { G::Layers::stages(game) } -> std::same_as<std::vector<Stage>>;
  // Every value times this is a whole number.
  { G::Layers::denominator(game) } -> std::same_as<double>;
};

/// Layers in which chance may lead back into the same block.
template <class G>
inline constexpr bool kChanceWithin = [] {
  if constexpr (requires { G::Layers::kChanceWithin; })
    return G::Layers::kChanceWithin;
  else
    return false;
}();

/// Layers of a game whose chance has equally likely outcomes with consecutive indices.
template <class G>
concept RollsInARow = HasLayers<G> && requires(const G& game, const typename G::State& chance) {
  // The number of outcomes of a chance state; 0 where they are not in a row.
  { G::Layers::rolls(game, chance) } -> std::same_as<int>;
  // The index of the first of them.
  { G::Layers::rolled(game, chance) } -> std::same_as<std::uint64_t>;
};

/// Unmoves of a deterministic game for two, for retrograde analysis
/// (solve/retrograde.hpp; docs/methods/retrograde.md explains rows and blocks). A move changes the
/// mover's own pieces only. A block is all positions in which the player to move stands in given
/// places; a row keeps a block, or two that mirror each other.
template <class G>
concept TakesBack = Game<G> &&
                    requires(const G& game, const typename G::Backward& tables,
                             typename G::Backward::Block& block, std::uint32_t place) {
                      { G::Backward::rows(game) } -> std::same_as<std::uint64_t>;
                      { G::Backward::width(game) } -> std::same_as<std::uint64_t>;  // places in a row
                      { tables.max_moves() } -> std::same_as<int>;
                      { tables.block(std::uint64_t{}) } -> std::same_as<std::uint32_t>;  // the block of a row
                      { tables.weight(std::uint64_t{}) } -> std::same_as<int>;  // how many blocks it keeps
                      { block.open(place) } -> std::same_as<void>;              // sets the block
                      // Moves of the army in `place`, or kMustPass, kIllegal, or 0 where the game is over.
                      { block.standing(place) } -> std::same_as<int>;
                      // Where the same position stands when the other player is to move.
                      { block.turned(place) } -> std::same_as<typename G::Backward::Spot>;
                      { block.turned_and_mirrored(place) } -> std::same_as<typename G::Backward::Spot>;
                      // Places from which a move leads to this one.
                      block.predecessors(place, [](std::uint32_t) {});
                    } &&
                    // Moves played forward, to check a finished table independently of Backward: rows of the
                    // index, whose positions have their successors in the same row.
                    requires(const G& game, typename G::Forward& walk,
                             const typename G::Forward::Before& before, const MoveList& moves) {
                      { G::Forward::rows(game) } -> std::same_as<std::uint64_t>;
                      { G::Forward::width(game) } -> std::same_as<std::uint64_t>;
                      walk.open(std::uint64_t{});  // starts a row
                      { walk.next() } -> std::same_as<typename G::Forward::Before>;
                      { walk.rank(before.set) } -> std::same_as<std::uint64_t>;
                      // Whether index() and unindex() agree with the walk.
                      { walk.agrees(before, std::uint64_t{}) } -> std::same_as<bool>;
                      // Calls back with the place of each successor.
                      walk.after(before, moves, [](std::uint64_t) {});
                    };

/// Positions with few pieces, sorted into slices by material, for endgame tables
/// (solve/endgames.hpp). A move either changes the material or leads to the mirror image of the
/// slice.
template <class G>
concept HasSlices = Game<G> && requires(const G& game, const typename G::State& s,
                                        const typename G::Slices::Material& m, int pieces, std::uint64_t i) {
  { G::Slices::kMaxPieces } -> std::convertible_to<int>;
  // All materials up to a number of pieces in solving order, each next to its mirror image.
  { G::Slices::materials(pieces) } -> std::same_as<std::vector<typename G::Slices::Material>>;
  { m.mirrored() } -> std::same_as<typename G::Slices::Material>;  // seen from the other side
  { m.counts() } -> std::same_as<std::vector<int>>;                // pieces by kind
  { G::Slices::kCodes } -> std::convertible_to<int>;
  { G::Slices::code(m) } -> std::same_as<int>;  // a number of its own below kCodes
  { G::Slices::pieces(s) } -> std::same_as<int>;
  { G::Slices::lost(s) } -> std::same_as<bool>;  // the player to move has no piece
  { G::Slices::material(s) } -> std::same_as<std::optional<typename G::Slices::Material>>;
  // Positions of a slice have distinct numbers below size(); unindex() is the inverse and
  // gives nothing where there is no position.
  { G::Slices::size(m) } -> std::same_as<std::uint64_t>;
  { G::Slices::index(s) } -> std::same_as<std::uint64_t>;
  { G::Slices::unindex(m, i) } -> std::same_as<std::optional<typename G::State>>;
  { G::Slices::converts(s, s) } -> std::same_as<bool>;  // whether a move changed the material
  // States from which a move that keeps the material leads to s.
  game.take_back_steps(s, [](const typename G::State&) {});
};

}  // namespace halma
