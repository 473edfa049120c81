// Evaluations that a network gave in a game: a position that comes up again, by another line or
// in the search of a later move, is not evaluated twice.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "../random.hpp"

namespace halma {

/// A hash of all that decides an evaluation, made piece by piece. Two positions of 64 bits collide
/// with a chance of about 1e-19 for every pair, which is not checked for.
class EvaluationKey {
 public:
  /// `network`: whose evaluation it is.
  explicit EvaluationKey(int network) : hash_(mix64(static_cast<std::uint64_t>(network) + kOdd)) {}

  template <class T>
  void add(const T& part) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&part);
    for (std::size_t i = 0; i < sizeof(T); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i, std::min(sizeof(word), sizeof(T) - i));
      hash_ = mix64((hash_ ^ word) + kOdd);
    }
  }
  /// Not 0.
  std::uint64_t value() const { return hash_ ? hash_ : 1; }

 private:
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash_;
};

/// Values by player and priors of legal moves, by key. What was used last is kept: once `capacity`
/// positions are in the newer of two generations, the older one is dropped.
class EvaluationCache {
 public:
  explicit EvaluationCache(std::size_t capacity) : capacity_(capacity) {}

  void clear() {
    newer_.clear();
    older_.clear();
  }

  /// The numbers of a position, valid until the next call, or null.
  const float* find(std::uint64_t key) {
    if (const Place* place = newer_.find(key)) return &newer_.numbers[place->first];
    const Place* place = older_.find(key);
    if (!place) return nullptr;
    const float* numbers = &older_.numbers[place->first];
    moved_.assign(numbers, numbers + place->number);
    return add(key, moved_.data(), static_cast<int>(moved_.size()), nullptr, 0);
  }

  /// Keeps the values of all players, and a prior for each legal move.
  void store(std::uint64_t key, const float* values, int players, const float* priors, int moves) {
    if (!newer_.find(key)) add(key, values, players, priors, moves);
  }

  std::size_t bytes() const { return newer_.bytes() + older_.bytes() + moved_.capacity() * sizeof(float); }

 private:
  struct Place {
    std::uint64_t key;  // 0: free
    std::uint32_t first, number;
  };
  /// A hash table with linear probing, at most half full.
  struct Generation {
    std::vector<Place> places;
    std::vector<float> numbers;
    std::size_t used = 0;

    void clear() {
      std::fill(places.begin(), places.end(), Place{});
      numbers.clear();
      used = 0;
    }
    Place* at(std::uint64_t key) {
      const std::size_t mask = places.size() - 1;
      std::size_t i = key & mask;
      while (places[i].key != 0 && places[i].key != key) i = (i + 1) & mask;
      return &places[i];
    }
    const Place* find(std::uint64_t key) {
      if (used == 0) return nullptr;
      const Place* place = at(key);
      return place->key ? place : nullptr;
    }
    std::size_t bytes() const {
      return places.capacity() * sizeof(Place) + numbers.capacity() * sizeof(float);
    }
  };

  const float* add(std::uint64_t key, const float* head, int heads, const float* tail, int tails) {
    if (newer_.used == capacity_) {
      std::swap(newer_, older_);
      newer_.clear();
    }
    if (newer_.places.empty()) newer_.places.resize(std::bit_ceil(2 * capacity_));
    const auto first = static_cast<std::uint32_t>(newer_.numbers.size());
    newer_.numbers.insert(newer_.numbers.end(), head, head + heads);
    if (tails > 0) newer_.numbers.insert(newer_.numbers.end(), tail, tail + tails);
    *newer_.at(key) = {key, first, static_cast<std::uint32_t>(heads + tails)};
    ++newer_.used;
    return &newer_.numbers[first];
  }

  std::size_t capacity_;
  Generation newer_, older_;
  std::vector<float> moved_;
};

}  // namespace halma
