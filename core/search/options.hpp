// Every dial of the tree search, with what it does.
#pragma once

#include <cstdint>
#include <memory>

#include "../oracle.hpp"

namespace halma {

/// How a move is chosen on the way down.
enum class Rule : std::uint8_t {
  uct,     // Q + c * sqrt(ln(n) / n_move); every move is tried once first
  puct,    // Q + c * P * sqrt(sum of N) / (1 + N), liu2019's equation 3
  gumbel,  // Gumbel AlphaZero: sequential halving at the root, improved policy below
};

/// What a move that was never tried is taken to be worth (PUCT only; UCT tries every
/// move first, Gumbel completes values by its own rule).
enum class Untried : std::uint8_t { loss, draw, win, infinite, parent };

/// How values travel up.
enum class Backup : std::uint8_t {
  mean,     // the average of all simulations below
  negamax,  // pluska2022: the best child's value; two players only
};

struct SearchOptions {
  Rule rule = Rule::puct;
  // Weight of exploration. 1 suits PUCT with values in [0, 1]; sqrt(2) is UCT's classic
  // and, with Backup::negamax, pluska2022's rule.
  float c = 1.0f;
  Untried untried = Untried::loss;
  Backup backup = Backup::mean;

  // Root noise: priors become (1 - weight) * P + weight * Dirichlet(alpha). 0: none.
  float noise_weight = 0.0f;
  float noise_alpha = 0.3f;

  // Proven wins, draws and losses of two-player games travel up and end the search
  // when they reach the root (MCTS-solver).
  bool solver = false;
  // A position of which this knows the value is not searched; its edge counts as proven,
  // and with `solver` the proof travels up. Two players only; null: none.
  std::shared_ptr<const Oracle> oracle;
  // schulte2021: a position that stood before on the way down, or in the game so far,
  // is worth what a game stopped there gives, and is not searched.
  bool cut_loops = false;

  // Gumbel: how many root moves are drawn, and the scale of values against logits,
  // (visit_offset + most visits) * value_scale.
  int considered = 16;
  float visit_offset = 50.0f;
  float value_scale = 1.0f;

  // Rollouts end after so many plies, or so many without progress; 0: no limit.
  int rollout_plies = 1000;
  int rollout_quiet = 0;
};

}  // namespace halma
