// A finished retrograde analysis as an oracle.
#pragma once

#include <typeinfo>

#include "../oracle.hpp"
#include "retrograde.hpp"

namespace halma {

class RetrogradeTable final : public Oracle {
 public:
  /// Game and arrays must outlive it; values are packed, distances a byte each
  /// or not kept at all: null.
  RetrogradeTable(const AnyGame& game, const std::uint8_t* values, const std::uint8_t* distances)
      : game_(&game), values_(values), distances_(distances) {}

  bool fits(const AnyGame& game) const override {
    return typeid(game) == typeid(*game_) && game.index_size() == game_->index_size();
  }

  std::optional<ExactValue> probe(const std::byte* state) const override {
    if (game_->terminal(state)) return std::nullopt;
    const std::uint64_t index = game_->index(state);
    switch (packed_value(values_, index)) {
      case Solved::draw:
        return ExactValue{0.5, 0};
      case Solved::win:
        return ExactValue{1, distance(index)};
      case Solved::loss:
        return ExactValue{0, distance(index)};
      case Solved::illegal:
        break;
    }
    return std::nullopt;
  }

 private:
  int distance(std::uint64_t index) const { return distances_ ? distances_[index] : 0; }

  const AnyGame* game_;
  const std::uint8_t *values_, *distances_;
};

}  // namespace halma
