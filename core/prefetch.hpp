// Asking for memory before it is needed. Whoever works through thousands of trees in turn
// finds each of them cold; asked for a few jobs ahead, they are there when their turn comes.
#pragma once

#include <cstddef>

namespace halma {

inline constexpr std::size_t kCacheLine = 64;

/// Asks for the line around an address, which may be any at all: nothing is read.
inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  (void)address;
#endif
}

/// Asks for the lines of some bytes.
inline void prefetch(const void* address, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kCacheLine) prefetch(static_cast<const char*>(address) + i);
}

}  // namespace halma
