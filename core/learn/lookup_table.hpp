// What a tabular learner knows: for every reachable position a value logit and a policy
// logit per action (hsueh2023, section III), those of illegal actions included.
#pragma once

#include <cmath>

#include "../kernels.hpp"
#include "../softmax.hpp"
#include "../thread_pool.hpp"
#include "row_numbers.hpp"

namespace halma {

inline float sigmoid(float logit) { return 1.0f / (1.0f + std::exp(-logit)); }

class LookupTable {
 public:
  /// Logits are drawn from N(0, spread): every action about as likely, every value near a half.
  LookupTable(RowNumbers rows, int actions, float spread, std::uint64_t seed, int threads)
      : rows_(std::move(rows)), actions_(actions), updates_(rows_.size()) {
    entries_.resize(rows_.size() * width());
    constexpr std::uint64_t kPortion = 4096;  // rows, each portion with a generator of its own
    const auto fill = [&](std::uint64_t portion) {
      Random random(seed, portion);
      const std::uint64_t end = std::min(rows_.size(), (portion + 1) * kPortion) * width();
      for (std::uint64_t i = portion * kPortion * width(); i < end; ++i)
        entries_[i] = spread * static_cast<float>(random.normal());
    };
    parallel_for(threads, (rows_.size() + kPortion - 1) / kPortion, [&] { return fill; });
  }

  const RowNumbers& rows() const { return rows_; }
  int actions() const { return actions_; }
  /// Floats of an entry: the value logit, then a logit per action.
  std::size_t width() const { return static_cast<std::size_t>(actions_) + 1; }
  HugeVector<float>& entries() { return entries_; }
  const HugeVector<float>& entries() const { return entries_; }
  std::vector<std::uint32_t>& updates() { return updates_; }
  const std::vector<std::uint32_t>& updates() const { return updates_; }

  const float* entry(std::uint64_t row) const { return entries_.data() + row * width(); }

  /// Has an entry brought from memory while its moves are listed; that saves a fifteenth of
  /// the time of self-play with a table larger than the caches.
  void prefetch(std::uint64_t row) const {
    const char* entry = reinterpret_cast<const char*>(this->entry(row));
    for (std::size_t at = 0; at < width() * sizeof(float); at += 64) __builtin_prefetch(entry + at);
  }

  /// Writes a prior for each of a position's legal moves, equations (5) and (6), and returns
  /// its value for the player to move, equation (7).
  template <Game G>
  float read(std::uint64_t row, const G& game, const typename G::State& state, const MoveList& moves,
             float* priors) const {
    const float* entry = this->entry(row);
    const float* logits = entry + 1;
    for (int i = 0; i < moves.size(); ++i) priors[i] = logits[game.action(state, moves[i])];
    softmax(priors, moves.size());
    return sigmoid(entry[0]);
  }

  /// The likeliest of a position's legal moves.
  template <Game G>
  Move best(const G& game, const typename G::State& state, const MoveList& moves) const {
    const float* logits = entry(rows_.row(game.index(state))) + 1;
    Move best = moves[0];
    float most = -INFINITY;
    for (const Move move : moves) {
      const float logit = logits[game.action(state, move)];
      if (logit > most) {
        most = logit;
        best = move;
      }
    }
    return best;
  }

  /// One step of gradient descent, equations (8) and (9): towards a policy, which is zero
  /// but for `number` actions, and towards an outcome between 0 and 1.
  void update(std::uint64_t row, const std::uint16_t* actions, const float* policy, int number, float outcome,
              float learning_rate) {
    float* entry = entries_.data() + row * width();
    float* logits = entry + 1;
    std::vector<float>& current = scratch_;
    current.assign(logits, logits + actions_);
    softmax(current.data(), actions_);
    for (int a = 0; a < actions_; ++a) logits[a] -= learning_rate * current[a];
    for (int i = 0; i < number; ++i) logits[actions[i]] += learning_rate * policy[i];
    const float value = sigmoid(entry[0]);
    entry[0] -= learning_rate * (value - outcome) * value * (1.0f - value);
    ++updates_[row];
  }

 private:
  RowNumbers rows_;
  int actions_;
  HugeVector<float> entries_;  // [row][value, logit of each action]
  std::vector<std::uint32_t> updates_;
  std::vector<float> scratch_;  // [action]
};

}  // namespace halma
