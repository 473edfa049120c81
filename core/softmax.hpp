// The softmax that evaluators, selection rules and lookup tables share.
#pragma once

#include <algorithm>
#include <cmath>

namespace halma {

/// Replaces `number` logits by softmax weights that sum to 1.
inline void softmax(float* logits, int number) {
  float most = -1e30f, sum = 0.0f;
  for (int i = 0; i < number; ++i) most = std::max(most, logits[i]);
  for (int i = 0; i < number; ++i) sum += logits[i] = std::exp(logits[i] - most);
  for (int i = 0; i < number; ++i) logits[i] /= sum;
}

}  // namespace halma
