// Arrays of gigabytes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace halma {

/// An array of zeroes, on huge pages where the system has them: random access to gigabytes on
/// small pages spends more time in address translation than in memory. Pages are committed as
/// they are written to.
template <class T>
class LargeArray {
 public:
  explicit LargeArray(std::uint64_t size) : size_(size) {
#ifdef __linux__
    void* place = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::bad_alloc();
    madvise(place, bytes(), MADV_HUGEPAGE);  // only a hint
#else
    void* place = std::calloc(bytes(), 1);
    if (place == nullptr) throw std::bad_alloc();
#endif
    data_ = static_cast<T*>(place);
  }
  ~LargeArray() {
#ifdef __linux__
    munmap(data_, bytes());
#else
    std::free(data_);
#endif
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;

  void swap(LargeArray& other) {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  std::uint64_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::uint64_t i) { return data_[i]; }
  const T& operator[](std::uint64_t i) const { return data_[i]; }
  std::span<T> all() { return {data_, size_}; }

 private:
  std::uint64_t bytes() const { return size_ ? size_ * sizeof(T) : 1; }

  std::uint64_t size_;
  T* data_;
};

}  // namespace halma
