// In which order the positions of a chance game can be solved.
//
// A block is a run of indices. Blocks of one stage do not depend on each other, only on
// blocks of earlier stages and on themselves, so a stage can be shared out to threads.
#pragma once

#include <map>
#include <utility>

#include "../games/darkchess.hpp"
#include "../games/einstein.hpp"

namespace halma {

struct Block {
  std::uint64_t first, last;  // indices from first up to but not including last
};
using Stage = std::vector<Block>;

/// What the solver asks of a family:
///   kCyclic        whether play can return to a position; if not, a position's successors
///                  within its block have smaller indices
///   stages()       all blocks that have decisions, in order
///   denominator()  a number that makes every value whole when multiplied with it
/// and optionally
///   rolled()       the index of the first outcome of a chance state, where all outcomes
///                  are equally likely decisions with consecutive indices
template <class G>
struct Layers;

/// Pieces only go forward and captured ones are gone. Boards with fewer pieces come first,
/// then those where red's pieces have less way to go. For given places of red a block holds
/// all places of blue in lexicographic order: blue's moves lower a cell's number and so the
/// index, red's moves lead to an earlier stage.
template <>
struct Layers<Einstein> {
  static constexpr bool kCyclic = false;

  static std::vector<Stage> stages(const Einstein& game) {
    const int pieces = game.pieces(), cells = game.width() * game.height();
    std::map<std::pair<int, int>, Stage> found;  // by pieces standing and red's way to go
    std::uint64_t first = 0;
    for (unsigned group = 0; group < 1u << (2 * pieces); ++group) {
      const int red = std::popcount(group >> pieces), standing = std::popcount(group);
      const std::uint64_t boards = arrangements(cells, standing);
      if (red > 0 && standing > red) {
        const std::uint64_t each = arrangements(cells - red, standing - red);
        for (std::uint64_t rank = 0; rank < boards / each; ++rank) {
          int places[Einstein::kMaxPieces];
          unrank_arrangement(rank, {places, static_cast<std::size_t>(red)}, cells);
          int to_go = 0;
          for (int i = 0; i < red; ++i) to_go += way(game, places[i]);
          const std::uint64_t start = first + rank * each;
          found[{standing, to_go}].push_back({start * 2 * pieces, (start + each) * 2 * pieces});
        }
      }
      first += boards;
    }
    std::vector<Stage> stages;
    for (auto& [key, stage] : found) stages.push_back(std::move(stage));
    return stages;
  }

  /// Every roll divides by the number of pieces. A game has no more rolls than moves, and no
  /// piece but the last to move can have arrived, so there are at most as many as all pieces
  /// can step without arriving, and one more.
  static double denominator(const Einstein& game) {
    int rolls = 1;
    for (const int cell : game.start_cells()) rolls += 2 * (way(game, cell) - 1);
    return std::pow(game.pieces(), rolls);
  }

  static std::uint64_t rolled(const Einstein& game, Einstein::State state) {
    state.die = 1;
    return game.index(state);
  }
  static int rolls(const Einstein& game, const Einstein::State& state) {
    return state.phase == Einstein::kPlaying ? game.pieces() : 0;
  }

 private:
  /// Steps from a cell to red's goal without diagonals.
  static int way(const Einstein& game, int cell) {
    return game.width() + game.height() - 2 - cell % game.width() - cell / game.width();
  }
};

/// Captures and flips cannot be taken back. Boards with fewer pieces come first, then those
/// with fewer face-down; a block is all boards of one material, face-up and face-down.
template <>
struct Layers<DarkChess> {
  static constexpr bool kCyclic = true;

  static std::vector<Stage> stages(const DarkChess& game) {
    std::map<std::pair<int, int>, Stage> found;
    for (const dark::Boards::Group& group : game.boards().groups())
      found[{group.pieces, group.hidden}].push_back({2 * group.first, 2 * group.last});
    std::vector<Stage> stages;
    for (auto& [key, stage] : found) stages.push_back(std::move(stage));
    // The start, before colours are decided.
    stages.push_back({{game.index_size() - 1, game.index_size()}});
    return stages;
  }

  /// Without face-down pieces every value is 0, 1/2 or 1. Turning up one of n pieces averages
  /// over n equally likely ones, and moves only choose, so 2 n! will do; n is 8 at the start.
  static double denominator(const DarkChess&) { return 2 * 40320; }
};

template <class G>
concept RollsInARow = requires(const G& g, const typename G::State& s) {
  { Layers<G>::rolled(g, s) } -> std::same_as<std::uint64_t>;
  { Layers<G>::rolls(g, s) } -> std::same_as<int>;
};

}  // namespace halma
