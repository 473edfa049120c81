// pluska2022's rule: UCT's exploration, and an edge has the value of the best move below it.
#pragma once

#include "uct.hpp"

namespace halma {

struct Pluska : UctWith<Backup::negamax> {
  static constexpr const char* kName = "pluska";
  static constexpr const char* kAbout = "UCT with negamax backups (pluska2022); two players";
};

}  // namespace halma
