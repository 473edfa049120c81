// Bit selection without processor-specific instructions.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace halma {

/// [byte][k]: the k-th set bit of a byte, counted from 0 at the lowest.
inline constexpr auto kBitOfByte = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (int byte = 0; byte < 256; ++byte)
    for (int i = 0, found = 0; i < 8; ++i)
      if (byte >> i & 1) table[byte][found++] = static_cast<std::uint8_t>(i);
  return table;
}();

/// The k-th set bit, counted from 0 at the lowest; more than k bits must be set. Running
/// totals of the bits per byte find the byte, a table finds the bit within it.
inline int select_bit(std::uint64_t word, std::uint32_t k) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL, kTops = 0x8080808080808080ULL;
  std::uint64_t totals = word - (word >> 1 & 0x5555555555555555ULL);
  totals = (totals & 0x3333333333333333ULL) + (totals >> 2 & 0x3333333333333333ULL);
  totals = ((totals + (totals >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * kOnes;
  // After the subtraction a byte's top bit is set where its running total is at most k.
  const int shift = 8 * std::popcount(((k * kOnes | kTops) - totals) & kTops);
  const std::uint32_t passed = (totals << 8) >> shift & 0xFF;
  return shift + kBitOfByte[word >> shift & 0xFF][k - passed];
}

}  // namespace halma
