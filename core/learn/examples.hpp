// Rows of self-play turned into what a network learns from: planes, and a target weight for every
// legal move.
#pragma once

#include <algorithm>
#include <vector>

#include "../any.hpp"

namespace halma {

/// Rows of decisions as self-play leaves them, those of a game in order and complete.
/// Policies are ragged: row i has the entries from policy_offsets[i] to policy_offsets[i + 1].
struct RowsView {
  const Bytes* states;
  const std::int32_t* plies;  // rows of the same game above this one
  const std::int32_t* repetitions;
  const float* no_progress;
  const std::int64_t* policy_offsets;
  const std::uint16_t* policy_actions;
  const float* policy_weights;
};

/// Where examples are written: `actions` and `weights` have `width` places for each, of which
/// those beyond the number of legal moves hold -1 and 0.
struct ExamplesView {
  float* planes;
  std::int32_t* actions;
  float* weights;
  int width;
};

class ExampleMaker {
 public:
  /// The game must outlive it.
  explicit ExampleMaker(const AnyGame& game) : game_(&game), size_(game.state_size()) {}

  /// Writes example number `to`: a row as it looks in a mirror. Returns how many legal moves
  /// there are; where that is more than the width, moves were left out.
  int make(const RowsView& rows, std::int64_t row, int mirror, const ExamplesView& out, std::int64_t to) {
    const int earlier = std::min<int>(rows.plies[row], game_->history() - 1);
    recent_.clear();
    for (int i = 0; i <= earlier; ++i) {
      const Bytes* state = rows.states + (row - i) * size_;
      recent_.insert(recent_.end(), state, state + size_);
      if (mirror) game_->image(recent_.data() + i * size_, mirror);
    }
    const PlaneShape shape = game_->shape();
    game_->encode(recent_.data(), earlier + 1, Context{rows.repetitions[row], rows.no_progress[row]},
                  out.planes + to * shape.size());

    const Bytes* state = rows.states + row * size_;
    moves_.clear();
    game_->legal(state, moves_);
    std::int32_t* actions = out.actions + to * out.width;
    float* weights = out.weights + to * out.width;
    std::int64_t next = rows.policy_offsets[row];
    const std::int64_t end = rows.policy_offsets[row + 1];
    for (int i = 0; i < std::min(moves_.size(), out.width); ++i) {
      const Move move = moves_[i];
      const int action = game_->action(state, move);
      actions[i] = mirror ? game_->action(recent_.data(), game_->image(move, mirror)) : action;
      // Entries mostly come in the order of legal moves, some of which have none.
      if (next < end && rows.policy_actions[next] != action)
        for (std::int64_t k = rows.policy_offsets[row]; k < end; ++k)
          if (rows.policy_actions[k] == action) next = k;
      const bool found = next < end && rows.policy_actions[next] == action;
      weights[i] = found ? rows.policy_weights[next++] : 0.0f;
    }
    for (int i = moves_.size(); i < out.width; ++i) {
      actions[i] = -1;
      weights[i] = 0.0f;
    }
    return moves_.size();
  }

 private:
  const AnyGame* game_;
  std::size_t size_;
  std::vector<Bytes> recent_;
  MoveList moves_;
};

}  // namespace halma
