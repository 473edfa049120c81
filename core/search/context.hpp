// What planes may show of the past of a leaf: the game up to the root, then the path.
#pragma once

#include "mcts.hpp"

namespace halma {

/// `before` holds the keys of what stood before the root (0 where chance spoke), `quiet`
/// the root's plies without progress, `limit` how many of those end a game.
template <Game G>
Context leaf_context(const G& game, const typename Mcts<G>::Leaf& leaf, std::span<const std::uint64_t> before,
                     int quiet, int limit) {
  const std::uint64_t key = game.key(leaf.state);
  Context context;
  // What stood before progress cannot stand again.
  if (key != 0) {
    context.repetitions = static_cast<int>(std::count(leaf.keys.begin(), leaf.keys.end(), key));
    if (!leaf.progressed)
      context.repetitions += static_cast<int>(std::count(before.begin(), before.end(), key));
  }
  context.no_progress = no_progress_share(leaf.quiet + (leaf.progressed ? 0 : quiet), limit);
  return context;
}

}  // namespace halma
