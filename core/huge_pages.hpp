// Memory on huge pages, for arrays of thousands of trees that are used in turn.
//
// With pages of 4 KiB nearly every look into another tree has to find out first where its
// page is; on pages of 2 MiB that is mostly known. Malloc could be told to use such pages,
// but only by the environment, before a program begins.
//
// A page is cut into blocks of one size. Trees grow together, so the blocks that they have
// grown out of lie together too, and a page of which nobody uses a block any more is cut
// anew for whatever size is wanted next. Small blocks are left to malloc, and large ones
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
  static constexpr std::size_t kSmallest = 1024, kLargest = kPage / 8;
  /// Every block begins at a multiple of this.
  static constexpr std::align_val_t kAlign{64};

  /// The one everybody uses; it is never destroyed, as others may outlive it otherwise.
  static HugePages& instance() {
    static HugePages* const pages = new HugePages;
    return *pages;
  }

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
    Page*& open = open_[slot(size)];
    if (open == nullptr) link(new_page(size), open);
    Page* page = open;
    Block* block = page->free;
    if (block != nullptr) {
      page->free = block->next;
    } else {
      block = reinterpret_cast<Block*>(page->start(page->cut++));
    }
    ++page->used;
    if (page->is_full()) unlink(page, open);
    return block;
  }

  void give_back(void* address, std::size_t bytes) noexcept {
    if (is_small(bytes)) return ::operator delete(address, kAlign);
    if (is_large(bytes)) return unmap(address, bytes);
    const std::lock_guard lock(mutex_);
    Page* page = reinterpret_cast<Page*>(reinterpret_cast<std::uintptr_t>(address) / kPage * kPage);
    Page*& open = open_[slot(page->size)];
    if (page->is_full()) link(page, open);
    Block* block = static_cast<Block*>(address);
    block->next = page->free;
    page->free = block;
    if (--page->used == 0) {
      unlink(page, open);
      unused_.push_back(page);
    }
  }

 private:
  /// Left between blocks: beginnings that are powers of two apart would all compete for the
  /// same few places in a cache.
  static constexpr std::size_t kSkew = 5 * 64;
  /// Pages taken from the system at a time.
  static constexpr std::size_t kAtOnce = 8;

  /// What stands in a block that nobody uses.
  struct Block {
    Block* next;
  };
  /// What stands at the beginning of a page, behind which its blocks follow.
  struct alignas(64) Page {
    std::size_t size;    // of its blocks
    std::uint32_t used;  // of them
    std::uint32_t cut;   // how many blocks there are so far
    Block* free;         // those that were given back
    Page *before, *after;

    std::uint32_t room() const { return static_cast<std::uint32_t>((kPage - sizeof(Page)) / (size + kSkew)); }
    bool is_full() const { return used == room(); }
    unsigned char* start(std::uint32_t block) {
      return reinterpret_cast<unsigned char*>(this + 1) + block * (size + kSkew);
    }
  };

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

  /// A page with nothing in it, to be cut into blocks of a size.
  Page* new_page(std::size_t size) {
    if (unused_.empty()) {
      // One more than wanted, so that whole ones can be cut out.
      const auto start = reinterpret_cast<std::uintptr_t>(map((kAtOnce + 1) * kPage));
      const std::uintptr_t first = (start + kPage - 1) / kPage * kPage;
      for (std::size_t i = kAtOnce; i-- > 0;) unused_.push_back(reinterpret_cast<void*>(first + i * kPage));
    }
    void* place = unused_.back();
    unused_.pop_back();
    return new (place) Page{size, 0, 0, nullptr, nullptr, nullptr};
  }

  static void link(Page* page, Page*& first) {
    page->before = nullptr;
    page->after = first;
    if (first != nullptr) first->before = page;
    first = page;
  }
  static void unlink(Page* page, Page*& first) {
    (page->before != nullptr ? page->before->after : first) = page->after;
    if (page->after != nullptr) page->after->before = page->before;
  }

  std::mutex mutex_;
  Page* open_[2 * 64 + 2] = {};  // [slot()]: a list of pages with room
  std::vector<void*> unused_;    // pages that can be cut anew
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
