// A small seeded generator. Inner loops draw hundreds of millions of numbers a
// second, so the state update needs no multiplication and everything is inline.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace halma {

/// SplitMix64's output function: a bijective mix of 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// xoroshiro128+ seeded from (seed, stream): the same pair gives the same numbers, so
/// a game's randomness depends on its number and not on the thread that plays it.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    a_ = mix64(seed + 0x9E3779B97F4A7C15ULL);
    b_ = mix64(a_ + 0x9E3779B97F4A7C15ULL * (stream + 1));
    if ((a_ | b_) == 0) b_ = 1;  // the all-zero state is a fixed point
  }

  std::uint64_t next() {
    const std::uint64_t a = a_;
    std::uint64_t b = b_;
    const std::uint64_t out = a + b;
    b ^= a;
    a_ = std::rotl(a, 24) ^ b ^ (b << 16);
    b_ = std::rotl(b, 37);
    return out;
  }

  /// A number in [0, n), n at least 1. The bias is below n / 2^32.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

  /// A number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// A normal variate, by Box and Muller.
  double normal() {
    const double u = std::max(uniform(), 1e-300);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * uniform());
  }

  /// A gamma variate, by Marsaglia and Tsang; for alpha below 1 by a power of a uniform.
  float gamma(float alpha) {
    if (alpha < 1.0f) return gamma(alpha + 1.0f) * static_cast<float>(std::pow(uniform(), 1.0 / alpha));
    const double d = alpha - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
      const double x = normal();
      const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
      if (v <= 0) continue;
      if (std::log(std::max(uniform(), 1e-300)) < 0.5 * x * x + d - d * v + d * std::log(v))
        return static_cast<float>(d * v);
    }
  }

 private:
  std::uint64_t a_, b_;
};

}  // namespace halma
