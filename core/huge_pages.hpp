// An allocator on huge pages, for the arrays of thousands of trees that are used in turn.
//
// With pages of 4 KiB nearly every access to another tree misses the TLB; with pages of
// 2 MiB few do. Malloc uses such pages only if configured by the environment before the start.
//
// A page is divided into blocks of one size. Trees grow together, so the blocks they have
// outgrown are on the same pages, and a page without used blocks is divided anew for the
// next size requested. Small blocks come from malloc; large ones have their own mapping.
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
  /// Alignment of every block.
  static constexpr std::align_val_t kAlign{64};

  /// The one instance. Never destroyed, because static objects may outlive it.
  static HugePages& instance() {
    static HugePages* const pages = new HugePages;
    return *pages;
  }

  /// Size of the block for a request of `bytes`.
  static std::size_t block_size(std::size_t bytes) {
    if (is_small(bytes) || is_large(bytes)) return bytes;
    // Powers of two, and 1.5 times powers of two.
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
  /// Gap between blocks: starts that are powers of two apart would map to the same few
  /// cache sets.
  static constexpr std::size_t kSkew = 5 * 64;
  /// Pages mapped at a time.
  static constexpr std::size_t kAtOnce = 8;

  /// A free block.
  struct Block {
    Block* next;
  };
  /// The header of a page; its blocks follow.
  struct alignas(64) Page {
    std::size_t size;    // of its blocks
    std::uint32_t used;  // number of used blocks
    std::uint32_t cut;   // number of blocks handed out at least once
    Block* free;         // list of freed blocks
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
    madvise(found, bytes, MADV_HUGEPAGE);  // without huge pages, small ones are used
    return found;
  }
  static void unmap(void* block, std::size_t bytes) { munmap(block, bytes); }
#else
  // Elsewhere, and under a sanitizer, which has to see every block, all come from malloc.
  static bool is_small(std::size_t) { return true; }
  static void* map(std::size_t bytes) { return ::operator new(bytes, kAlign); }
  static void unmap(void* block, std::size_t) { ::operator delete(block, kAlign); }
#endif
  static bool is_large(std::size_t bytes) { return bytes > kLargest; }

  static std::size_t slot(std::size_t size) {
    return 2 * static_cast<std::size_t>(std::bit_width(size)) + std::has_single_bit(size);
  }

  /// An empty page for blocks of a size.
  Page* new_page(std::size_t size) {
    if (unused_.empty()) {
      // One more than needed, for alignment.
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
  Page* open_[2 * 64 + 2] = {};  // [slot()]: list of pages with free blocks
  std::vector<void*> unused_;    // pages without used blocks
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
