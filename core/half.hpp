// Numbers of half precision, as networks on a GPU give them.
#pragma once

#include <bit>
#include <cstdint>

namespace halma {

struct Half {
  std::uint16_t bits;
};

inline float to_float(float x) { return x; }

/// By way of a float whose exponent is then moved to where it belongs; exact.
inline float to_float(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(half.bits & 0x7FFFu) << 13;
  if ((half.bits & 0x7C00u) == 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | rest);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1.0p112f));
}

}  // namespace halma
