// The minimax searches behind one interface that knows no game.
#pragma once

#include <memory>

#include "../any.hpp"
#include "alphabeta.hpp"
#include "expectimax.hpp"
#include "maxn.hpp"

namespace halma {

class AnyMinimax {
 public:
  virtual ~AnyMinimax() = default;
  /// Searches the record's current state, a decision.
  virtual MinimaxResult search(const Record& record, const MinimaxLimits& limits) = 0;
  /// The weights in use; none where the family has no features.
  virtual std::vector<float> weights() const = 0;
  /// A lead times this is the logarithm of the odds to win.
  virtual double scale() const = 0;
  /// A player's features, as many as there are weights of the family's own.
  virtual std::vector<float> features(const Bytes* state, int player) const = 0;
};

template <Game G>
class ErasedMinimax : public AnyMinimax {
 public:
  /// The game must outlive the search.
  ErasedMinimax(const G& game, const MinimaxOptions& options)
      : game_(&game), options_(with_own_weights(game, options)) {
    switch (options_.kind) {
      case MinimaxKind::alphabeta:
        alphabeta_ = std::make_unique<AlphaBeta<G>>(game, options_);
        break;
      case MinimaxKind::expectimax:
        expectimax_ = std::make_unique<Expectimax<G>>(game, options_);
        break;
      case MinimaxKind::maxn:
      case MinimaxKind::paranoid:
        maxn_ = std::make_unique<MaxN<G>>(game, options_);
        break;
    }
  }

  MinimaxResult search(const Record& record, const MinimaxLimits& limits) override {
    const auto root = load_state(*game_, record.state());
    if (alphabeta_) return alphabeta_->search(root, record, limits);
    if (expectimax_) return expectimax_->search(root, record, limits);
    return maxn_->search(root, record, limits);
  }

  std::vector<float> weights() const override { return options_.weights; }
  double scale() const override { return options_.scale; }

  std::vector<float> features(const Bytes* state, int player) const override {
    std::vector<float> values;
    if constexpr (HasFeatures<G>) {
      values.resize(kMaxFeatures);
      game_->features(load_state(*game_, state), player, values.data());
      values.resize(game_->default_weights().size());
    }
    return values;
  }

 private:
  const G* game_;
  MinimaxOptions options_;
  std::unique_ptr<AlphaBeta<G>> alphabeta_;
  std::unique_ptr<Expectimax<G>> expectimax_;
  std::unique_ptr<MaxN<G>> maxn_;
};

}  // namespace halma
