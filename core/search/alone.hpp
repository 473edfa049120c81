// How far a player is from finishing, the others standing still.
#pragma once

#include <unordered_set>

#include "minimax_options.hpp"

namespace halma {

/// The fewest moves found in which a player finishes alone, 0 if he has; -1 if none were
/// found within `limit`. Of the positions after each move the `width` best by the
/// family's own evaluation are kept, so the number is never too small, and hardly ever
/// too large where few moves are left.
template <Game G>
  requires Reopens<G> && HasFeatures<G>
int moves_alone(const G& game, const typename G::State& state, int player, int width, int limit) {
  using State = typename G::State;
  float scores[kMaxPlayers];
  game.result(state, scores);
  if (scores[player] == game.max_score()) return 0;
  const std::vector<float> weights = game.default_weights();
  struct Candidate {
    double score;
    State state;
  };
  std::vector<Candidate> beam{{0, state}}, next;
  game.reopen(beam[0].state, player);
  std::unordered_set<std::uint64_t> seen{game.key(beam[0].state)};
  for (int moves = 1; moves <= limit; ++moves) {
    next.clear();
    for (const Candidate& from : beam) {
      poll_interrupt();
      MoveList list;
      game.legal(from.state, list);
      for (const Move move : list) {
        State child = from.state;
        game.play(child, move);
        game.result(child, scores);
        if (game.terminal(child) && scores[player] == game.max_score()) return moves;
        game.reopen(child, player);
        if (seen.insert(game.key(child)).second)
          next.push_back({exact_score(game, child, player, weights), child});
      }
    }
    const auto better = [](const Candidate& a, const Candidate& b) { return a.score > b.score; };
    std::stable_sort(next.begin(), next.end(), better);
    if (static_cast<int>(next.size()) > width) next.resize(width);
    beam.swap(next);
  }
  return -1;
}

}  // namespace halma
