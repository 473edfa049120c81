// What a search remembers of positions it has seen, by their full key.
#pragma once

#include <cstdint>
#include <vector>

#include "../game.hpp"

namespace halma {

enum class Bound : std::uint8_t { upper, lower, exact };

/// Entries stand in pairs: one kept by depth, one always replaced. Each search starts a
/// new age, and entries of another age count as empty, so that a search does not depend
/// on what was searched before.
class TranspositionTable {
 public:
  struct Entry {
    std::uint64_t key = 0;
    double value = 0;
    Move move = kNoMove;
    std::uint16_t age = 0;
    std::uint8_t depth = 0;
    Bound bound : 2 = Bound::upper;
    bool estimated : 1 = true;  // the value depends on an evaluation
  };

  explicit TranspositionTable(int bits) : pairs_(bits > 0 ? std::size_t{1} << bits : 0) {}

  bool on() const { return !pairs_.empty(); }

  void start_search() {
    if (++age_ != 0) return;
    pairs_.assign(pairs_.size(), Pair{});
    age_ = 1;
  }

  /// What is known of a position, or nothing.
  const Entry* find(std::uint64_t key) const {
    const Pair& pair = pairs_[key & (pairs_.size() - 1)];
    for (const Entry* entry : {&pair.deep, &pair.recent})
      if (entry->key == key && entry->age == age_) return entry;
    return nullptr;
  }

  void store(std::uint64_t key, int depth, double value, Bound bound, Move move, bool estimated = true) {
    Pair& pair = pairs_[key & (pairs_.size() - 1)];
    const bool keep = pair.deep.age == age_ && pair.deep.key != key && pair.deep.depth > depth;
    Entry& entry = keep ? pair.recent : pair.deep;
    // A position has one entry; what is pushed out of the first place moves to the second.
    if (!keep && pair.deep.age == age_ && pair.deep.key != key) pair.recent = pair.deep;
    if (!keep && pair.recent.key == key) pair.recent.age = 0;
    entry = Entry{key, value, move, age_, static_cast<std::uint8_t>(depth), bound, estimated};
  }

 private:
  struct Pair {
    Entry deep, recent;
  };
  std::vector<Pair> pairs_;
  std::uint16_t age_ = 0;
};

}  // namespace halma
