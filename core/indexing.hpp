// Ranking of sets and arrangements, for dense indices.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace halma {

/// n choose k for n up to 64; overflows 64 bits only where no index is offered.
inline const std::array<std::array<std::uint64_t, 65>, 65>& binomials() {
  static const auto table = [] {
    std::array<std::array<std::uint64_t, 65>, 65> t{};
    for (int n = 0; n <= 64; ++n) {
      t[n][0] = 1;
      for (int k = 1; k <= n; ++k) t[n][k] = t[n - 1][k - 1] + (k < n ? t[n - 1][k] : 0);
    }
    return t;
  }();
  return table;
}

/// Rank of a set of cells, given in ascending order, among all sets of its size.
inline std::uint64_t rank_set(std::span<const int> cells) {
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) rank += binomials()[cells[i]][i + 1];
  return rank;
}

/// The inverse of rank_set: writes the cells in ascending order.
inline void unrank_set(std::uint64_t rank, std::span<int> cells) {
  int cell = 64;
  for (int i = static_cast<int>(cells.size()); i > 0; --i) {
    do --cell;
    while (binomials()[cell][i] > rank);
    cells[i - 1] = cell;
    rank -= binomials()[cell][i];
  }
}

/// Ways to put k different pieces on n cells: n (n - 1) ... (n - k + 1).
constexpr std::uint64_t arrangements(int n, int k) {
  std::uint64_t ways = 1;
  for (int i = 0; i < k; ++i) ways *= static_cast<std::uint64_t>(n - i);
  return ways;
}

/// Rank of an ordered list of distinct cells among all arrangements of as many different
/// pieces on n cells.
inline std::uint64_t rank_arrangement(std::span<const int> cells, int n) {
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int smaller = cells[i];
    for (std::size_t j = 0; j < i; ++j) smaller -= cells[j] < cells[i];
    rank = rank * (n - i) + smaller;
  }
  return rank;
}

/// The inverse of rank_arrangement.
inline void unrank_arrangement(std::uint64_t rank, std::span<int> cells, int n) {
  const int k = static_cast<int>(cells.size());
  for (int i = k - 1; i >= 0; --i) {
    cells[i] = static_cast<int>(rank % (n - i));
    rank /= n - i;
  }
  // So far cells[i] counts the free cells below; convert to cells.
  std::uint64_t taken = 0;
  for (int i = 0; i < k; ++i) {
    int cell = 0;
    for (int free = cells[i];; ++cell) {
      if (taken >> cell & 1) continue;
      if (free-- == 0) break;
    }
    cells[i] = cell;
    taken |= std::uint64_t{1} << cell;
  }
}

}  // namespace halma
