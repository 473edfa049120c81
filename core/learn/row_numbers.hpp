// Numbers without gaps for the positions that can be reached.
//
// A dense index also counts boards that no game comes to, up to six times as many as those
// it does. A lookup table has no use for them, so an index is turned into the number of
// reachable positions before it: a bit per index, and a running total per 64 of them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "../huge_pages.hpp"

namespace halma {

class RowNumbers {
 public:
  /// `bits`: one per index, low bits first.
  explicit RowNumbers(const std::vector<std::uint64_t>& bits) : words_(bits.size()) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      words_[i] = {bits[i], size_};
      size_ += std::popcount(bits[i]);
    }
  }

  std::uint64_t size() const { return size_; }

  bool holds(std::uint64_t index) const { return words_[index / 64].bits >> (index % 64) & 1; }

  /// The row of an index that is held.
  std::uint64_t row(std::uint64_t index) const {
    const Word& word = words_[index / 64];
    return word.before + std::popcount(word.bits & ((std::uint64_t{1} << (index % 64)) - 1));
  }

  /// The index of every row.
  std::vector<std::uint64_t> indices() const {
    std::vector<std::uint64_t> out;
    out.reserve(size_);
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t bits = words_[i].bits; bits; bits &= bits - 1)
        out.push_back(i * 64 + std::countr_zero(bits));
    return out;
  }

 private:
  // Side by side, so that a look-up waits for memory once.
  struct Word {
    std::uint64_t bits, before;
  };
  HugeVector<Word> words_;
  std::uint64_t size_ = 0;
};

}  // namespace halma
