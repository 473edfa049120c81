// Every dial of self-play beside those of the search itself.
#pragma once

#include <utility>
#include <vector>

#include "../any.hpp"
#include "../search/options.hpp"

namespace halma {

struct PoolOptions {
  SearchOptions search;

  // Simulations of a search. With `reuse` those that were kept from the move before count.
  int simulations = 100;
  // Leaves of one tree that may be under way together.
  int leaves = 1;
  // Whether a search goes on in the tree of the move before; not with Gumbel, whose
  // halving starts from nothing.
  bool reuse = false;

  // Playout-cap randomisation: this share of searches is full; the others make
  // `fast_simulations`, have no root noise, and their policies are no targets.
  float full_share = 1.0f;
  int fast_simulations = 0;

  // From ply .first on, moves are drawn with temperature .second: with weights
  // visits^(1/t), or with Gumbel improved policy^(1/t); 0 plays the best. In order of plies.
  std::vector<std::pair<int, float>> temperatures = {{0, 0.0f}};

  // Each game begins with a number of random moves drawn from this range.
  int opening_least = 0, opening_most = 0;

  // A player whose search finds its value below this at `resign_after` decisions of its own in
  // a row would resign. Once all but one would, the game ends: the one left has the highest
  // score, the others none. 0: nobody resigns.
  float resign_below = 0.0f;
  int resign_after = 1;
  // In this share of games nobody resigns, to see who would have been wrong to.
  float resign_never_share = 0.1f;
};

/// Everything a pool is made of, beside its game.
struct PoolPlan {
  PoolOptions options;
  Limits limits;
  int slots, groups, threads;
  std::uint64_t seed, first, end;
};

}  // namespace halma
