// Chinese Checkers played backward, for retrograde analysis.
//
// A move changes only the mover's own army. Positions are therefore processed in blocks: a
// block is one fixed placement of the standing army, while the other army moves. Within a
// block a move leads from one place of the moving army to another. Block and place are the
// two parts of the index: the position `block * width + place` has the standing army to
// move. Boards are seen from the standing army's side, as player 0; seen from the other
// side, holes are numbered from the other end.
//
// A position and its mirror image have the same value, so of two blocks that mirror each
// other only one is stored. The stored blocks are numbered as rows. Of a block that is its
// own mirror image every place is stored, for simplicity.
#pragma once

#include "sternhalma.hpp"

namespace halma {

template <int MaxPieces, int MaxPlayers>
class Sternhalma<MaxPieces, MaxPlayers>::Backward {
 public:
  /// Number of rows, and of places in each, in a game with an index.
  static std::uint64_t rows(const Sternhalma& game) {
    const std::uint64_t blocks = binomials()[game.board_.size()][game.army_];
    const std::vector<int> mirror = mirrored(game);
    int axis = 0;
    for (int hole = 0; hole < game.board_.size(); ++hole) axis += mirror[hole] == hole;
    // Blocks that are their own mirror images: pairs of holes, and holes on the axis.
    std::uint64_t alone = 0;
    const int pairs = (game.board_.size() - axis) / 2;
    for (int k = 0; 2 * k <= game.army_ && k <= pairs; ++k)
      if (game.army_ - 2 * k <= axis) alone += binomials()[pairs][k] * binomials()[axis][game.army_ - 2 * k];
    return (blocks + alone) / 2;
  }
  static std::uint64_t width(const Sternhalma& game) {
    return binomials()[game.board_.size() - game.army_][game.army_];
  }

  /// Needs fewer than 2^32 blocks and places; the game must outlive this.
  explicit Backward(const Sternhalma& game) : game_(game), width_(static_cast<std::uint32_t>(width(game))) {
    const int army = game.army_;
    for (int n = 0; n < 64; ++n)
      for (int k = 0; k <= kLargestArmy; ++k) choose_[n][k] = static_cast<std::uint32_t>(binomials()[n][k]);
    numbers_.resize(static_cast<std::size_t>(width_) * army);
    int cells[kLargestArmy];
    for (std::uint32_t place = 0; place < width_; ++place) {
      unrank_set(place, {cells, static_cast<std::size_t>(army)});
      std::copy_n(cells, army, numbers_.begin() + static_cast<std::ptrdiff_t>(place) * army);
    }
    const std::vector<int> mirror = mirrored(game);
    const int last = game.board_.size() - 1;
    for (int hole = 0; hole <= last; ++hole) {
      view_[0][hole] = static_cast<std::uint8_t>(last - hole);
      view_[1][hole] = static_cast<std::uint8_t>(last - mirror[hole]);
    }
    keep_rows(mirror);
  }

  /// The block of a row, and the number of blocks it represents: two with the mirror
  /// image, or one that is its own.
  std::uint32_t block(std::uint64_t row) const { return blocks_[row]; }
  int weight(std::uint64_t row) const { return weights_[row]; }

  /// Upper bound of the number of moves.
  int max_moves() const {
    int largest = 0;
    for (const std::uint64_t holes : game_.map_.holes) largest = std::max(largest, std::popcount(holes));
    const int free = game_.board_.size() - 2 * game_.army_;
    return game_.army_ * std::min(HoleBoard::kDirections + largest - 1, free);
  }

  struct Spot {
    std::uint32_t row, place;
  };

  /// The status of a player to move: its number of moves, or one of these.
  enum Standing : int { kMustPass = 0, kLost = -1, kIllegal = -2 };

  /// A cursor over blocks, one per thread.
  class Block {
   public:
    explicit Block(const Backward& tables) : tables_(tables), game_(tables.game_) {}

    void open(std::uint32_t block) {
      const int army = game_.army_, holes = game_.board_.size();
      int own[kLargestArmy];
      unrank_set(block, {own, static_cast<std::size_t>(army)});
      standing_ = State{};
      standing_.mover = 1;
      std::uint64_t taken = 0;
      for (int i = 0; i < army; ++i) {
        game_.put(standing_, 0, i, own[i]);
        taken |= std::uint64_t{1} << own[i];
        for (int side = 0; side < 2; ++side) viewed_[side][i] = tables_.view_[side][own[i]];
      }
      for (auto& holes : viewed_) std::sort(holes, holes + army);
      for (int hole = 0, number = 0; hole < holes; ++hole) {
        if (taken >> hole & 1) continue;
        hole_[number] = static_cast<std::uint8_t>(hole);
        number_[game_.map_.parity[hole]][game_.map_.bit[hole]] = static_cast<std::uint8_t>(number++);
      }
    }

    /// The status of the moving army if it is to move from this place.
    int standing(std::uint32_t place) const {
      const State s = load(place);
      if (game_.finished(s, 1)) return kIllegal;
      if (game_.finished(s, 0)) return kLost;
      const HoleReach reach(game_.map_, s, 1);
      int moves = 0;
      for (int i = 0; i < game_.army_; ++i)
        for (const std::uint64_t word : reach.from(s.piece[game_.army_ + i])) moves += std::popcount(word);
      return moves;
    }

    /// Calls back with every predecessor place of the moving army. Whether the game was
    /// over there, or the move was barred, is not checked.
    template <class Emit>
    void predecessors(std::uint32_t place, Emit&& emit) const {
      const int army = game_.army_;
      const State s = load(place);
      const HoleReach reach(game_.map_, s, 1, false);
      const std::uint8_t* numbers = tables_.numbers(place);
      std::uint64_t all = 0;
      for (int i = 0; i < army; ++i) all |= std::uint64_t{1} << numbers[i];
      // A set's rank is the sum of binomials (i-th number choose i). rest[j] is the sum of
      // the other pieces if the piece that moves back becomes the j-th.
      std::uint32_t rest[kLargestArmy];
      rest[0] = 0;
      for (int i = 1; i < army; ++i) rest[0] += tables_.choose_[numbers[i]][i + 1];
      for (int i = 0; i < army; ++i) {
        if (i > 0) rest[0] += tables_.choose_[numbers[i - 1]][i + 1] - tables_.choose_[numbers[i]][i + 1];
        for (int j = 1; j < army; ++j) {
          const int passed = numbers[j - 1 + (j - 1 >= i)];
          rest[j] = rest[j - 1] + tables_.choose_[passed][j] - tables_.choose_[passed][j + 1];
        }
        const std::uint64_t others = all ^ std::uint64_t{1} << numbers[i];
        const Words from = reach.to(s.piece[army + i]);
        for (int c = 0; c < kClasses; ++c)
          for (std::uint64_t left = from[c]; left; left &= left - 1) {
            const int number = number_[c][std::countr_zero(left)];
            const int below = std::popcount(others & ((std::uint64_t{1} << number) - 1));
            emit(rest[below] + tables_.choose_[number][below + 1]);
          }
      }
    }

    /// Where the same board, or its mirror image, is stored with the moving army to move,
    /// seen from its side.
    Spot turned(std::uint32_t place) const {
      const int army = game_.army_;
      const std::uint8_t* numbers = tables_.numbers(place);
      std::uint32_t block = 0;
      for (int i = 0; i < army; ++i)  // ascending holes descend from the other side
        block += tables_.choose_[tables_.view_[0][hole_[numbers[i]]]][army - i];
      const std::uint32_t kept = tables_.rows_[block];
      return {kept >> 1, seen(numbers, kept & 1)};
    }

    /// Where the mirror image of the position at turned(place) is stored as well, if that
    /// row is its own mirror image.
    Spot turned_and_mirrored(std::uint32_t place) const {
      return {turned(place).row, seen(tables_.numbers(place), 1)};
    }

   private:
    /// The place of the standing army in the moving army's view, plain or mirrored.
    std::uint32_t seen(const std::uint8_t* numbers, int side) const {
      const int army = game_.army_;
      std::uint64_t moving = 0;
      for (int i = 0; i < army; ++i) moving |= std::uint64_t{1} << tables_.view_[side][hole_[numbers[i]]];
      std::uint32_t place = 0;
      for (int i = 0; i < army; ++i) {
        const int hole = viewed_[side][i];
        const int below = std::popcount(moving & ((std::uint64_t{1} << hole) - 1));
        place += tables_.choose_[hole - below][i + 1];
      }
      return place;
    }

    State load(std::uint32_t place) const {
      State s = standing_;
      const std::uint8_t* numbers = tables_.numbers(place);
      for (int i = 0; i < game_.army_; ++i) game_.put(s, 1, i, hole_[numbers[i]]);
      return s;
    }

    const Backward& tables_;
    const Sternhalma& game_;
    State standing_;
    std::uint8_t viewed_[2][kLargestArmy] = {};  // its holes in the other side's view: plain, mirrored
    std::uint8_t hole_[64] = {};                 // holes free of the standing army, numbered
    std::uint8_t number_[kClasses][64] = {};     // [class][bit]: the inverse
  };

 private:
  const std::uint8_t* numbers(std::uint32_t place) const {
    return numbers_.data() + static_cast<std::size_t>(place) * game_.army_;
  }

  /// The image of each hole under the reflection of left and right; the identity if that
  /// is no symmetry of the game.
  static std::vector<int> mirrored(const Sternhalma& game) {
    const HoleBoard& board = game.board_;
    const int holes = board.size();
    std::vector<int> same(holes), mirror(holes, HoleBoard::kOff);
    int sum = 0;  // of the left and the right end
    for (const HoleBoard::Hole& hole : board.holes) sum = std::max(sum, hole.x2);
    for (int h = 0; h < holes; ++h) {
      same[h] = h;
      for (int other = 0; other < holes; ++other)
        if (board.holes[other].y == board.holes[h].y && board.holes[other].x2 == sum - board.holes[h].x2)
          mirror[h] = other;
      if (mirror[h] == HoleBoard::kOff) return same;
    }
    constexpr int kMirrored[HoleBoard::kDirections] = {1, 0, 5, 4, 3, 2};
    for (int h = 0; h < holes; ++h) {
      for (int d = 0; d < HoleBoard::kDirections; ++d) {
        const int next = game.map_.neighbour[h][d];
        const int expected = next == HoleBoard::kOff ? next : mirror[next];
        if (game.map_.neighbour[mirror[h]][kMirrored[d]] != expected) return same;
      }
      for (int player = 0; player < game.players(); ++player)
        if (game.map_.has(game.map_.target[player], h) !=
                game.map_.has(game.map_.target[player], mirror[h]) ||
            game.map_.has(game.map_.open_to[player], h) !=
                game.map_.has(game.map_.open_to[player], mirror[h]))
          return same;
    }
    return mirror;
  }

  void keep_rows(const std::vector<int>& mirror) {
    const std::uint64_t blocks = binomials()[game_.board_.size()][game_.army_];
    rows_.resize(blocks);
    int cells[kLargestArmy];
    const std::span<int> army{cells, static_cast<std::size_t>(game_.army_)};
    for (std::uint64_t block = 0; block < blocks; ++block) {
      unrank_set(block, army);
      for (int& cell : army) cell = mirror[cell];
      std::ranges::sort(army);
      const std::uint64_t image = rank_set(army);
      if (image < block) {
        rows_[block] = rows_[image] | 1;
        continue;
      }
      rows_[block] = static_cast<std::uint32_t>(blocks_.size() << 1);
      blocks_.push_back(static_cast<std::uint32_t>(block));
      weights_.push_back(image == block ? 1 : 2);
    }
  }

  const Sternhalma& game_;
  std::uint32_t width_;
  std::uint32_t choose_[64][kLargestArmy + 1];
  std::vector<std::uint8_t> numbers_;  // [place * army + i]: free holes, ascending
  std::uint8_t view_[2][64] = {};      // [mirrored][hole]: in the other side's view
  std::vector<std::uint32_t> rows_;    // [block]: twice the row, plus one if stored mirrored
  std::vector<std::uint32_t> blocks_;  // [row]
  std::vector<std::uint8_t> weights_;  // [row]
};

}  // namespace halma
