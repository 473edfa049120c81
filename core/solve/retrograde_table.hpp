// A finished retrograde analysis as an oracle.
#pragma once

#include <typeinfo>

#include "../any.hpp"
#include "../oracle.hpp"

namespace halma {

class RetrogradeTable final : public Oracle {
 public:
  /// Game and arrays must outlive it; values are packed, distances a byte each
  /// or not kept at all: null.
  RetrogradeTable(const AnyGame& game, const std::uint8_t* values, const std::uint8_t* distances)
      : game_(&game), values_(values), distances_(distances) {}

  std::uint64_t size() const { return game_->index_size(); }

  bool fits(const AnyGame& game) const override {
    return typeid(game) == typeid(*game_) && game.index_size() == game_->index_size();
  }

  /// The value of a position by its index; NaN where it is illegal.
  double value(std::uint64_t index) const { return exact_value(packed_wdl(values_, index), 0).value; }

  std::optional<ExactValue> probe(const std::byte* state) const override {
    if (game_->terminal(state)) return std::nullopt;
    const std::uint64_t index = game_->index(state);
    const Wdl wdl = packed_wdl(values_, index);
    if (wdl == Wdl::illegal) return std::nullopt;
    return exact_value(wdl, distances_ ? distances_[index] : 0);
  }

 private:
  const AnyGame* game_;
  const std::uint8_t *values_, *distances_;
};

}  // namespace halma
