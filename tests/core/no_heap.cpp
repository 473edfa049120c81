// Plays random games of every family and counts what `legal` and `play` allocate.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "games/darkchess.hpp"
#include "games/draughts.hpp"
#include "games/einstein.hpp"
#include "games/sternhalma.hpp"
#include "kernels.hpp"

static long allocations = 0;

void* operator new(std::size_t size) {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }

using namespace halma;

template <Game G>
long count(const G& game) {
  Random random(7);
  long plies = 0;
  const long before = allocations;
  for (int number = 0; number < 50; ++number) {
    auto state = game.initial();
    for (int ply = 0; ply < 200; ++ply) {
      while (game.at_chance(state)) game.resolve(state, sample(game, state, random));
      MoveList moves;
      game.legal(state, moves);
      if (moves.empty()) break;
      game.play(state, moves[random.below(moves.size())]);
      ++plies;
    }
  }
  return plies > 500 ? allocations - before : -1;
}

int main() {
  delete new int;  // the counter counts
  if (allocations == 0) return 2;
  const SternhalmaOptions liu{.mirror_hops = true, .occupy = false, .ids_view = true};
  std::printf("rhombus %ld\n", count(SmallSternhalma(HoleBoard::rhombus(7, 3), {})));
  std::printf("mirror %ld\n", count(SmallSternhalma(HoleBoard::rhombus(7, 3), liu)));
  std::printf("star %ld\n", count(LargeSternhalma(HoleBoard::star(4, 4, {0, 1, 2, 3, 4, 5}), {})));
  std::printf("draughts %ld\n", count(Draughts()));
  std::printf("einstein %ld\n", count(Einstein(5, 5, 6)));
  std::printf("darkchess %ld\n", count(DarkChess(4, 8, DarkChess::kRealSet)));
}
