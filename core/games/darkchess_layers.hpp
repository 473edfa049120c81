// The order in which positions of Chinese dark chess are solved.
//
// Captures and flips are irreversible. Boards with fewer pieces come first, then those with
// fewer face-down; a block is all boards of one material, face-up and face-down.
#pragma once

#include <map>
#include <utility>

#include "../solve_hooks.hpp"
#include "darkchess.hpp"

namespace halma::dark {

class DarkChess::Layers {
 public:
  static constexpr bool kCyclic = true;

  static std::vector<Stage> stages(const DarkChess& game) {
    std::map<std::pair<int, int>, Stage> found;
    for (const Boards::Group& group : game.boards().groups())
      found[{group.pieces, group.hidden}].push_back({2 * group.first, 2 * group.last});
    std::vector<Stage> stages;
    for (auto& [key, stage] : found) stages.push_back(std::move(stage));
    // The start, before colours are decided.
    stages.push_back({{game.index_size() - 1, game.index_size()}});
    return stages;
  }

  /// Without face-down pieces every value is 0, 1/2 or 1. Turning up one of n pieces averages
  /// over n equally likely ones, and moves only choose, so 2 n! suffices; n is 8 at the start.
  static double denominator(const DarkChess&) { return 2 * 40320; }
};

}  // namespace halma::dark
