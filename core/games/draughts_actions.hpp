// The policy index of draughts.
//
// Actions, seen from the mover's side (white turns the board by half): all steps, by
// square and direction, then all jump paths that visit no middle square twice, by
// square and then in depth-first order.
#pragma once

#include "draughts_board.hpp"

namespace halma::draughts {

class Actions {
 public:
  static constexpr int kSteppingActions = 98, kJumpingActions = 1328;
  static constexpr int kNumber = kSteppingActions + kJumpingActions;

  Actions() {
    int filled = 0;
    for (int square = 0; square < kSquares; ++square)
      for (int d = 0; d < 4; ++d) {
        const int from = bit_of(square);
        if (!on_board(from + kSteps[d])) continue;
        step_action_[from][d] = static_cast<std::int16_t>(filled);
        moves_[filled++] = make_step(from, d);
      }
    for (int square = 0; square < kSquares; ++square)
      fill_trails(bit_of(square), bit_of(square), 0, static_cast<Move>(bit_of(square)), filled);
  }

  /// The action of a move, which black makes, and the inverse.
  int action(Move move) const {
    int node = start(move);
    if (jumps(move) == 0) return step_action_[node][direction(move, 0)];
    for (int i = 0; i < jumps(move); ++i) node = next_[node][direction(move, i)];
    return node - kBoardBits + kSteppingActions;
  }
  Move move(int action) const { return moves_[action]; }

 private:
  /// Numbers all continuations of a jump from `at`; `node` is the path so far.
  void fill_trails(int node, int at, Board jumped, Move trail, int& filled) {
    for (int d = 0; d < 4; ++d) {
      const int over = at + kSteps[d], to = over + kSteps[d];
      if (!on_board(over) || !on_board(to) || jumped >> over & 1) continue;
      const Move longer = add_jump(trail, d);
      const int child = filled - kSteppingActions + kBoardBits;
      next_[node][d] = static_cast<std::int16_t>(child);
      moves_[filled++] = longer;
      fill_trails(child, to, jumped | Board{1} << over, longer, filled);
    }
  }

  Move moves_[kNumber] = {};
  std::int16_t step_action_[kBoardBits][4] = {};
  // [path][direction]: the path with one jump more. A path of no jump is the bit it starts from.
  std::int16_t next_[kBoardBits + kJumpingActions][4] = {};
};

}  // namespace halma::draughts
