// The order in which positions of EinStein würfelt nicht! are solved.
//
// Pieces only go forward and captured ones are gone. Boards with fewer pieces come first,
// then those where red's pieces have fewer steps to go. For given places of red a block holds
// all places of blue in lexicographic order: blue's moves lower a cell's number and so the
// index, red's moves lead to an earlier stage.
#pragma once

#include <cmath>
#include <map>
#include <utility>

#include "../solve_hooks.hpp"
#include "einstein.hpp"

namespace halma {

class Einstein::Layers {
 public:
  static constexpr bool kCyclic = false;

  static std::vector<Stage> stages(const Einstein& game) {
    const int pieces = game.pieces(), cells = game.width() * game.height();
    std::map<std::pair<int, int>, Stage> found;  // by pieces left and red's steps to go
    std::uint64_t first = 0;
    for (unsigned group = 0; group < 1u << (2 * pieces); ++group) {
      const int red = std::popcount(group >> pieces), standing = std::popcount(group);
      const std::uint64_t boards = arrangements(cells, standing);
      if (red > 0 && standing > red) {
        const std::uint64_t each = arrangements(cells - red, standing - red);
        for (std::uint64_t rank = 0; rank < boards / each; ++rank) {
          int places[Einstein::kMaxPieces];
          unrank_arrangement(rank, {places, static_cast<std::size_t>(red)}, cells);
          int steps = 0;
          for (int i = 0; i < red; ++i) steps += steps_left(game, places[i]);
          const std::uint64_t start = first + rank * each;
          found[{standing, steps}].push_back({start * 2 * pieces, (start + each) * 2 * pieces});
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
    for (const int cell : game.start_cells()) rolls += 2 * (steps_left(game, cell) - 1);
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
  /// Orthogonal steps from a cell to red's goal.
  static int steps_left(const Einstein& game, int cell) {
    return game.width() + game.height() - 2 - cell % game.width() - cell / game.width();
  }
};

}  // namespace halma
