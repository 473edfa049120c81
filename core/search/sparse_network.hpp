// A small network evaluated in the core, updated move by move (NNUE: efficiently updatable neural
// network). Inputs are bits, such as a piece of the mover on a cell, few of which are set. The first
// layer's sums, the accumulator, are kept between evaluations: only rows of inputs that changed since
// are added and subtracted. Two small layers turn them into the logarithm of the mover's odds to win.
//
// All arithmetic is in whole numbers, so that values are the same on every machine, however they were
// updated. A sum of the first layer is in units of 1 / kUnit, weights of the others of 1 / kWeightUnit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../hooks.hpp"

namespace halma {

/// Weights, and evaluation from scratch.
class SparseNetwork {
 public:
  static constexpr int kAccumulator = 64, kHidden = 16;
  static constexpr int kUnit = 256, kWeightUnit = 256;
  /// Sums are clipped to 0 to this before the next layer.
  static constexpr int kClip = 8 * kUnit - 1;
  /// Largest weight and bias of the layers behind the first: their sums fit into 32 bits.
  static constexpr int kMaxWeight = 1 << 13, kMaxBias = 1 << 28;
  using Accumulator = std::array<std::int16_t, kAccumulator>;

  struct Layers {
    std::vector<std::int16_t> input_weights;   // [input][unit]
    std::vector<std::int16_t> input_biases;    // [unit]
    std::vector<std::int16_t> hidden_weights;  // [hidden][unit]
    std::vector<std::int32_t> hidden_biases;   // [hidden]
    std::vector<std::int16_t> output_weights;  // [hidden]
    std::int32_t output_bias = 0;
  };

  /// For positions with `inputs` bits, at most `active` of them set. Throws std::invalid_argument
  /// where arrays have other sizes, or numbers with which a sum could overflow.
  SparseNetwork(Layers layers, int inputs, int active) : layers_(std::move(layers)), inputs_(inputs) {
    const auto is = [](const auto& array, int size) { return static_cast<int>(array.size()) == size; };
    if (!is(layers_.input_weights, inputs * kAccumulator) || !is(layers_.input_biases, kAccumulator) ||
        !is(layers_.hidden_weights, kHidden * kAccumulator) || !is(layers_.hidden_biases, kHidden) ||
        !is(layers_.output_weights, kHidden))
      throw std::invalid_argument("its arrays do not have the sizes of this game's evaluator");
    check_sums(active);
    const auto within = [](const auto& array, int most) {
      return std::all_of(array.begin(), array.end(), [most](int x) { return x >= -most && x <= most; });
    };
    if (!within(layers_.hidden_weights, kMaxWeight) || !within(layers_.output_weights, kMaxWeight) ||
        !within(layers_.hidden_biases, kMaxBias) || layers_.output_bias < -kMaxBias ||
        layers_.output_bias > kMaxBias)
      throw std::invalid_argument("it has weights that are too large");
  }

  int inputs() const { return inputs_; }

  void start(Accumulator& sums) const {
    std::copy(layers_.input_biases.begin(), layers_.input_biases.end(), sums.begin());
  }
  void add(Accumulator& sums, int input) const {
    const std::int16_t* row = layers_.input_weights.data() + input * kAccumulator;
    for (int i = 0; i < kAccumulator; ++i) sums[i] = static_cast<std::int16_t>(sums[i] + row[i]);
  }
  void subtract(Accumulator& sums, int input) const {
    const std::int16_t* row = layers_.input_weights.data() + input * kAccumulator;
    for (int i = 0; i < kAccumulator; ++i) sums[i] = static_cast<std::int16_t>(sums[i] - row[i]);
  }

  /// The logarithm of the odds to win, from the first layer's sums.
  double value(const Accumulator& sums) const {
    std::int16_t units[kAccumulator];
    for (int i = 0; i < kAccumulator; ++i) units[i] = clipped(sums[i]);
    std::int32_t out = layers_.output_bias;
    for (int k = 0; k < kHidden; ++k) {
      const std::int16_t* row = layers_.hidden_weights.data() + k * kAccumulator;
      std::int32_t sum = layers_.hidden_biases[k];
      for (int i = 0; i < kAccumulator; ++i)
        sum += static_cast<std::int32_t>(units[i]) * static_cast<std::int32_t>(row[i]);
      out += clipped(sum / kWeightUnit) * static_cast<std::int32_t>(layers_.output_weights[k]);
    }
    return out * (1.0 / (kUnit * kWeightUnit));
  }

 private:
  static std::int16_t clipped(std::int32_t sum) {
    return static_cast<std::int16_t>(std::clamp(sum, 0, kClip));
  }

  /// Whether no set of active inputs can overflow a sum of the first layer.
  void check_sums(int active) const {
    std::vector<int> sizes(static_cast<std::size_t>(inputs_));
    for (int unit = 0; unit < kAccumulator; ++unit) {
      for (int input = 0; input < inputs_; ++input)
        sizes[input] = std::abs(int{layers_.input_weights[input * kAccumulator + unit]});
      std::sort(sizes.rbegin(), sizes.rend());
      int most = std::abs(int{layers_.input_biases[unit]});
      for (int i = 0; i < std::min(active, inputs_); ++i) most += sizes[i];
      if (most > INT16_MAX) throw std::invalid_argument("it has weights whose sums are too large");
    }
  }

  Layers layers_;
  int inputs_;
};

/// Evaluates positions of one game, each by what differs from the one evaluated last for the same
/// player. Not thread-safe; the network is shared.
template <HasInputs G>
class SparseEvaluator {
 public:
  using State = typename G::State;

  /// Game and network must outlive it; the network has the inputs of the game.
  SparseEvaluator(const G& game, const SparseNetwork& network) : game_(&game), network_(&network) {}

  /// The logarithm of the mover's odds to win.
  double value(const State& state) {
    std::uint64_t bits[G::kInputWords];
    game_->inputs(state, bits);
    Last& last = last_[game_->mover(state)];
    int changes = 0, set = 0;
    for (int w = 0; w < G::kInputWords; ++w) {
      changes += std::popcount(bits[w] ^ last.bits[w]);
      set += std::popcount(bits[w]);
    }
    if (!last.used || changes > set) {
      network_->start(last.sums);
      std::fill_n(last.bits, G::kInputWords, 0);
      last.used = true;
    }
    for (int w = 0; w < G::kInputWords; ++w) {
      for (auto on = bits[w] & ~last.bits[w]; on; on &= on - 1)
        network_->add(last.sums, 64 * w + std::countr_zero(on));
      for (auto off = last.bits[w] & ~bits[w]; off; off &= off - 1)
        network_->subtract(last.sums, 64 * w + std::countr_zero(off));
      last.bits[w] = bits[w];
    }
    return network_->value(last.sums);
  }

 private:
  struct Last {
    SparseNetwork::Accumulator sums;
    std::uint64_t bits[G::kInputWords];
    bool used = false;
  };
  const G* game_;
  const SparseNetwork* network_;
  Last last_[2];
};

/// Of a game without inputs: evaluates nothing.
struct NoEvaluator {};

/// What evaluates positions of a game with a network, if one is given; both must outlive it.
template <class G>
auto make_evaluator(const G& game, const SparseNetwork* network) {
  if constexpr (HasInputs<G>) {
    std::optional<SparseEvaluator<G>> made;
    if (network) made.emplace(game, *network);
    return made;
  } else {
    return std::optional<NoEvaluator>();
  }
}
template <class G>
using MaybeEvaluator = decltype(make_evaluator(std::declval<const G&>(), nullptr));

}  // namespace halma
