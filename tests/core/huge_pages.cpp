// Takes and gives back blocks of all sizes at random, fills each with its number, and looks
// for a block that was handed out twice or is not where it should be.
#include "huge_pages.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

using namespace halma;

struct Held {
  unsigned char* block;
  std::size_t bytes;
  unsigned char mark;
};

static void check(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

static void drop(HugePages& pages, Held& held) {
  for (std::size_t i = 0; i < held.bytes; ++i) check(held.block[i] == held.mark, "contents");
  pages.give_back(held.block, held.bytes);
}

/// Resident memory in bytes.
static long resident() {
  long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%*d %ld", &pages) != 1) return 0;
  std::fclose(file);
  return pages * 4096;
}

/// Arrays that grow together, as trees do, must not leave what they grew out of behind: they
/// end at 64 KiB each, and took half as much, a quarter and so on before.
static void grow_together() {
  const long before = resident();
  std::vector<HugeVector<unsigned char>> trees(512);
  for (std::size_t size = 1024; size <= 65536; size *= 2)
    for (auto& tree : trees) tree.assign(size, 1);
  const double used = static_cast<double>(resident() - before) / (512.0 * 65536);
  std::printf("grown %.2f\n", used);
}

int main() {
  grow_together();
  HugePages& pages = HugePages::instance();
  std::mt19937_64 random(7);
  std::vector<Held> held;
  for (int step = 0; step < 20000; ++step) {
    if (held.empty() || random() % 5 < 3) {
      // From a few bytes to more than a page, small ones more often.
      const std::size_t bytes = 1 + random() % (std::size_t{1} << (random() % 22));
      const auto mark = static_cast<unsigned char>(random());
      auto* block = static_cast<unsigned char*>(pages.take(bytes));
      check(reinterpret_cast<std::uintptr_t>(block) % 64 == 0, "alignment");
      check(HugePages::block_size(bytes) >= bytes, "size");
      std::memset(block, mark, bytes);
      held.push_back({block, bytes, mark});
    } else {
      std::swap(held[random() % held.size()], held.back());
      drop(pages, held.back());
      held.pop_back();
    }
    if (held.size() > 500) {
      for (Held& one : held) drop(pages, one);
      held.clear();
    }
  }
  for (Held& one : held) drop(pages, one);
  return 0;
}
