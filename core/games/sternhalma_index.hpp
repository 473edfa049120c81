// The index of Chinese Checkers positions for two players: the rank of the mover's set of holes, then of the
// other's among the rest, both in the mover's view.
#pragma once

#include <cstdint>
#include <span>

#include "../indexing.hpp"
#include "sternhalma_map.hpp"

namespace halma {

class ArmyIndex {
 public:
  /// Holes of both armies, as the mover sees them.
  struct Armies {
    int own[HoleBoard::kLargestArmy], other[HoleBoard::kLargestArmy];
  };

  ArmyIndex(int holes, int army) : army_(static_cast<std::size_t>(army)) {
    if (holes > 64) return;
    const std::uint64_t own = binomials()[holes][army];
    others_ = binomials()[holes - army][army];
    if (static_cast<double>(own) * static_cast<double>(others_) <= 0x1.0p62) size_ = own * others_;
  }

  /// 0 where there are too many positions for an index.
  std::uint64_t size() const { return size_; }

  /// The holes of each army are in ascending order.
  std::uint64_t rank(Armies armies) const {
    for (std::size_t i = 0; i < army_; ++i) {
      int below = 0;
      for (std::size_t j = 0; j < army_; ++j) below += armies.own[j] < armies.other[i];
      armies.other[i] -= below;
    }
    return rank_set({armies.own, army_}) * others_ + rank_set({armies.other, army_});
  }

  Armies unrank(std::uint64_t index) const {
    Armies armies;
    unrank_set(index / others_, {armies.own, army_});
    unrank_set(index % others_, {armies.other, army_});
    for (std::size_t i = 0; i < army_; ++i)
      for (std::size_t j = 0; j < army_; ++j) armies.other[i] += armies.own[j] <= armies.other[i];
    return armies;
  }

 private:
  std::size_t army_;
  std::uint64_t size_ = 0, others_ = 0;
};

}  // namespace halma
