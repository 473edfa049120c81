// Prefetching. A loop over thousands of trees finds each of them out of cache; prefetched
// a few iterations ahead, they have arrived when they are used.
#pragma once

#include <cstddef>

namespace halma {

inline constexpr std::size_t kCacheLine = 64;

/// Prefetches the cache line of an address, which need not be valid.
inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  (void)address;
#endif
}

/// Prefetches the cache lines of a range of bytes.
inline void prefetch(const void* address, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kCacheLine) prefetch(static_cast<const char*>(address) + i);
}

}  // namespace halma
