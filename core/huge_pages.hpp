// Memory on huge pages, for arrays of thousands of trees that are used in turn.
//
// With pages of 4 KiB nearly every look into another tree has to find out first where its
// page is; on pages of 2 MiB that is mostly known. Malloc could be told to use such pages,
// but only by the environment, before a program begins.
//
// Blocks come in a few sizes and are cut from huge pages one after the other; those given
// back are handed out again for the same size. Small ones are left to malloc, and large ones
// have pages to themselves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace halma {

class HugePages {
 public:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static constexpr std::size_t kSmallest = 1024, kLargest = kPage / 2;

  /// The one everybody uses; it is never destroyed, as others may outlive it otherwise.
  static HugePages& instance() {
    static HugePages* const pages = new HugePages;
    return *pages;
  }

  /// Every block begins at a multiple of this.
  static constexpr std::align_val_t kAlign{64};

  /// The bytes that a block for so many takes.
  static std::size_t block_size(std::size_t bytes) {
    if (is_small(bytes) || is_large(bytes)) return bytes;
    // Powers of two, and those times one and a half.
    const std::size_t above = std::bit_ceil(bytes), between = above / 4 * 3;
    return bytes <= between ? between : above;
  }

  void* take(std::size_t bytes) {
    if (is_small(bytes)) return ::operator new(bytes, kAlign);
    if (is_large(bytes)) return map(bytes);
    const std::size_t size = block_size(bytes);
    const std::lock_guard lock(mutex_);
    std::vector<void*>& free = free_[slot(size)];
    if (!free.empty()) {
      void* block = free.back();
      free.pop_back();
      return block;
    }
    if (left_ < size + kSkew) new_pages();
    void* block = next_;
    next_ += size + kSkew;
    left_ -= size + kSkew;
    return block;
  }

  void give_back(void* block, std::size_t bytes) noexcept {
    if (is_small(bytes)) return ::operator delete(block, kAlign);
    if (is_large(bytes)) return unmap(block, bytes);
    const std::lock_guard lock(mutex_);
    free_[slot(block_size(bytes))].push_back(block);
  }

 private:
  /// Left between blocks: beginnings that are powers of two apart would all compete for the
  /// same few places in a cache.
  static constexpr std::size_t kSkew = 5 * 64;
  /// Taken from the system at a time. What is left of the last ones is lost, so these are many.
  static constexpr std::size_t kPages = 8;

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  static bool is_small(std::size_t bytes) { return bytes < kSmallest; }
  static void* map(std::size_t bytes) {
    void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
    madvise(found, bytes, MADV_HUGEPAGE);  // where there are none, small ones do
    return found;
  }
  static void unmap(void* block, std::size_t bytes) { munmap(block, bytes); }
#else
  // Elsewhere malloc does for everything, and a sanitizer wants to see every block.
  static bool is_small(std::size_t) { return true; }
  static void* map(std::size_t bytes) { return ::operator new(bytes, kAlign); }
  static void unmap(void* block, std::size_t) { ::operator delete(block, kAlign); }
#endif
  static bool is_large(std::size_t bytes) { return bytes > kLargest; }

  static std::size_t slot(std::size_t size) {
    return 2 * static_cast<std::size_t>(std::bit_width(size)) + std::has_single_bit(size);
  }

  void new_pages() {
    // One page more than wanted, so that whole ones can be cut out.
    const auto start = reinterpret_cast<std::uintptr_t>(map((kPages + 1) * kPage));
    next_ = reinterpret_cast<unsigned char*>((start + kPage - 1) / kPage * kPage);
    left_ = kPages * kPage;
  }

  std::mutex mutex_;
  unsigned char* next_ = nullptr;  // what is left of the newest pages
  std::size_t left_ = 0;
  std::vector<void*> free_[2 * 64 + 2];  // [slot()]: blocks that nobody uses
};

/// An allocator for containers.
template <class T>
struct OnHugePages {
  using value_type = T;

  OnHugePages() = default;
  template <class U>
  OnHugePages(const OnHugePages<U>&) {}

  T* allocate(std::size_t number) { return static_cast<T*>(HugePages::instance().take(number * sizeof(T))); }
  void deallocate(T* block, std::size_t number) noexcept {
    HugePages::instance().give_back(block, number * sizeof(T));
  }
  template <class U>
  bool operator==(const OnHugePages<U>&) const {
    return true;
  }
};

template <class T>
using HugeVector = std::vector<T, OnHugePages<T>>;

}  // namespace halma
