// Exact values of a deterministic game for two, from the end backward.
//
// docs/methods/retrograde.md derives the method. In short: positions are resolved in
// layers of equal distance from the end. A position with a move to one lost in d plies
// is won in d + 1; one whose last move to anything else than a win for the opponent has
// just gone is lost in d + 1; what no layer reaches is drawn. Every position is visited
// twice: once to count its moves, once to update its predecessors.
//
// A family takes part by offering G::Backward (see sternhalma_backward.hpp). A move there
// changes the mover's own pieces only, so that predecessors lie in the block they are
// asked in: a row of some ten kilobytes that stays in cache and belongs to one thread.
// The price is that the position a layer resolves must be handed over to the block of the
// other side, a single bit in a large set, once in its life. Of blocks that mirror each
// other one is kept, as a row.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../any.hpp"
#include "../exact_value.hpp"
#include "../thread_pool.hpp"
#include "pages.hpp"

namespace halma {

/// A retrograde analysis, whatever the game.
class AnyRetrograde {
 public:
  virtual ~AnyRetrograde() = default;
  virtual std::uint64_t positions() const = 0;
  /// Resolves one more layer and returns its number of positions; 0 when finished.
  virtual std::uint64_t step() = 0;
  /// Positions by distance, layer by layer so far; illegal ones are in none.
  virtual const std::vector<std::uint64_t>& layers() const = 0;
  virtual bool finished() const = 0;
  virtual std::uint64_t illegal() const = 0;
  /// The value of one position; NaN where it is illegal.
  virtual ExactValue probe(std::uint64_t index) const = 0;
  /// Writes the values of `number` positions from `first` on, a multiple of four, as two bits
  /// each (Wdl), or their distances.
  virtual void values(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const = 0;
  virtual void distances(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const = 0;

  // The state between layers: the two arrays and the two numbers below.
  /// Cells from this one on are undecided; the meaning of the others depends on it.
  virtual std::uint8_t open_cell() const = 0;
  virtual std::span<std::uint8_t> cells() = 0;
  virtual std::span<std::uint64_t> frontier() = 0;
  virtual void restore(std::vector<std::uint64_t> layers, std::uint64_t illegal) = 0;
  /// Whether words of the frontier's size have no bit behind the last position of a row.
  virtual bool accepts(const std::uint64_t* frontier) const = 0;
};

template <TakesBack G>
class Retrograde final : public AnyRetrograde {
 public:
  /// The game must outlive the solution.
  Retrograde(const G& game, int threads)
      : tables_(checked(game)),
        threads_(threads),
        positions_(game.index_size()),
        rows_(Backward::rows(game)),
        width_(Backward::width(game)),
        row_words_(row_words(game)),
        open_(static_cast<std::uint8_t>(kMustPass - std::min(tables_.max_moves(), kMostMoves))),
        cells_(rows_ * width_),
        frontier_(rows_ * row_words_),
        next_(frontier_.size()) {
    if (tables_.max_moves() > kMostMoves)
      throw std::length_error("this game has more moves in a position than a byte can count");
  }

  /// A byte and two bits for each position of a row, rounded up.
  static std::uint64_t bytes_needed(const G& game) {
    return Backward::rows(game) * (Backward::width(game) + 2 * sizeof(std::uint64_t) * row_words(game));
  }

  std::uint64_t positions() const override { return positions_; }
  const std::vector<std::uint64_t>& layers() const override { return layers_; }
  std::uint64_t illegal() const override { return illegal_; }
  bool finished() const override { return finished_; }

  std::uint64_t step() override {
    if (finished_) return 0;
    if (layers_.size() > deepest()) throw std::length_error("this game is deeper than a byte can count");
    std::atomic<std::uint64_t> found = 0;
    if (layers_.empty())
      parallel_for(threads_, rows_, [&] { return First(*this, found); });
    else if (layers_.size() % 2 == 1)  // the last layer is lost, so its predecessors are won
      parallel_for(threads_, rows_, [&] { return Next<true>(*this, found); });
    else
      parallel_for(threads_, rows_, [&] { return Next<false>(*this, found); });
    frontier_.swap(next_);
    if (found == 0)
      finished_ = true;
    else
      layers_.push_back(found);
    return found;
  }

  ExactValue probe(std::uint64_t index) const override {
    ExactValue found{};
    visit(index, 1,
          [&](std::uint64_t, std::uint8_t cell) { found = exact_value(value_of(cell), distance_of(cell)); });
    return found;
  }

  void values(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const override {
    std::memset(out, 0, (number + 3) / 4);
    in_chunks(first, number, [=, this](std::uint64_t i, std::uint8_t cell) {
      out[i >> 2] |= static_cast<std::uint8_t>(static_cast<unsigned>(value_of(cell)) << (2 * (i & 3)));
    });
  }
  void distances(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const override {
    in_chunks(first, number, [=, this](std::uint64_t i, std::uint8_t cell) { out[i] = distance_of(cell); });
  }

  std::uint8_t open_cell() const override { return open_; }
  std::span<std::uint8_t> cells() override { return cells_.all(); }
  std::span<std::uint64_t> frontier() override { return frontier_.all(); }
  void restore(std::vector<std::uint64_t> layers, std::uint64_t illegal) override {
    layers_ = std::move(layers);
    illegal_ = illegal;
    finished_ = false;
    std::ranges::fill(next_.all(), 0);
  }
  bool accepts(const std::uint64_t* frontier) const override {
    if (width_ % 64 == 0) return true;
    for (std::uint64_t row = 0; row < rows_; ++row)
      if (frontier[(row + 1) * row_words_ - 1] >> (width_ % 64)) return false;
    return true;
  }

 private:
  using Backward = typename G::Backward;
  using Block = typename Backward::Block;
  using Spot = typename Backward::Spot;

  // A cell is a distance (even: lost, odd: won) up to deepest(), or illegal_cell(), or open_
  // plus the number of moves, less one, that do not yet lead to a win for the opponent;
  // kMustPass is an open position whose only move is to pass. The fewer moves a game has,
  // the more of a byte is left for distances.
  static constexpr std::uint8_t kMustPass = 255;
  static constexpr int kMostMoves = 127;
  std::uint8_t illegal_cell() const { return static_cast<std::uint8_t>(open_ - 1); }
  std::uint8_t deepest() const { return static_cast<std::uint8_t>(open_ - 2); }

  static const G& checked(const G& game) {
    if (game.index_size() == 0 || game.index_size() >> 40)
      throw std::length_error("this game has more positions than could be held");
    return game;
  }
  static std::uint64_t row_words(const G& game) { return (Backward::width(game) + 63) / 64; }

  Wdl value_of(std::uint8_t cell) const {
    if (cell >= open_) return Wdl::draw;
    if (cell == illegal_cell()) return Wdl::illegal;
    return cell % 2 ? Wdl::win : Wdl::loss;
  }
  std::uint8_t distance_of(std::uint8_t cell) const { return cell <= deepest() ? cell : 0; }

  /// The cells of a row: those of positions whose moving army is to move.
  std::uint8_t* row(std::uint64_t number) { return cells_.data() + number * width_; }

  /// What the two kinds of pass over the rows share.
  struct Pass {
    Pass(Retrograde& solution, std::atomic<std::uint64_t>& found)
        : all(solution), block(solution.tables_), found(found) {}
    ~Pass() {
      for (const Late& late : waiting) set(late);
      found += number;
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    /// Puts the position whose moving army is to move from `place` into the next layer: not
    /// at once, as the word to write to is not in cache and is prefetched first.
    /// Its mirror image goes along where no other row hands it over.
    void hand_over(std::uint32_t place) {
      const Spot spot = block.turned(place);
      put(spot);
      if (weight == 2 && all.tables_.weight(spot.row) == 1) [[unlikely]]
        put(block.turned_and_mirrored(place));
      number += static_cast<std::uint64_t>(weight);
    }
    void put(const Spot& spot) {
      const Late late{spot.row * all.row_words_ + spot.place / 64, std::uint64_t{1} << spot.place % 64};
      __builtin_prefetch(&all.next_[late.word], 1);
      set(std::exchange(waiting[turn++ % kWaiting], late));
    }
    void open(std::uint64_t row) {
      weight = all.tables_.weight(row);
      block.open(all.tables_.block(row));
    }

    struct Late {
      std::uint64_t word = 0, bit = 0;
    };
    void set(const Late& late) {
      std::atomic_ref(all.next_[late.word]).fetch_or(late.bit, std::memory_order_relaxed);
    }

    static constexpr unsigned kWaiting = 32;
    Retrograde& all;
    Block block;
    std::atomic<std::uint64_t>& found;
    std::uint64_t number = 0;  // of positions, also those for which others stand
    int weight = 1;
    unsigned turn = 0;
    Late waiting[kWaiting];
  };

  /// Counts moves and finds the positions in which the game is over.
  struct First : Pass {
    using Pass::Pass;
    ~First() { std::atomic_ref(this->all.illegal_) += illegal; }

    void operator()(std::uint64_t row) {
      this->open(row);
      std::uint8_t* cells = this->all.row(row);
      for (std::uint32_t place = 0; place < this->all.width_; ++place) {
        const int moves = this->block.standing(place);
        if (moves > 0) {
          cells[place] = static_cast<std::uint8_t>(this->all.open_ + moves - 1);
        } else if (moves == Backward::kMustPass) {
          cells[place] = kMustPass;
        } else if (moves == Backward::kIllegal) {
          cells[place] = this->all.illegal_cell();
          illegal += static_cast<std::uint64_t>(this->weight);
        } else {
          cells[place] = 0;
          this->hand_over(place);
        }
      }
    }

    std::uint64_t illegal = 0;
  };

  /// Goes from the last layer to the next.
  template <bool Winning>
  struct Next : Pass {
    using Pass::Pass;

    void operator()(std::uint64_t row) {
      std::uint64_t* words = this->all.frontier_.data() + row * this->all.row_words_;
      const auto distance = static_cast<std::uint8_t>(this->all.layers_.size());
      const std::uint8_t open = this->all.open_;
      std::uint8_t* cells = this->all.row(row);
      const auto resolve = [&](std::uint32_t earlier) {
        std::uint8_t& cell = cells[earlier];
        if (cell < open) return;
        if (!Winning && cell != open && cell != kMustPass) {
          --cell;
        } else {
          cell = distance;
          this->hand_over(earlier);
        }
      };
      bool opened = false;
      for (std::uint32_t w = 0; w < this->all.row_words_; ++w) {
        for (std::uint64_t left = words[w]; left; left &= left - 1) {
          if (!opened) this->open(row);
          opened = true;
          const auto place = static_cast<std::uint32_t>(w * 64 + std::countr_zero(left));
          this->block.predecessors(place, resolve);
          if (cells[place] == kMustPass) resolve(place);
        }
        words[w] = 0;  // the layer after the next is gathered here
      }
    }
  };

  /// Calls visitor(i, cell) for the i-th position from `first` on.
  template <class Visitor>
  void visit(std::uint64_t first, std::uint64_t number, Visitor&& visitor) const {
    Block block(tables_);
    std::uint64_t of = first / width_, place = first % width_;
    block.open(static_cast<std::uint32_t>(of));
    // Cells are far from each other, so they are prefetched some time before they are read.
    constexpr std::uint64_t kAhead = 32;
    const std::uint8_t* coming[kAhead];
    for (std::uint64_t i = 0; i < number; i += kAhead) {
      const std::uint64_t here = std::min(kAhead, number - i);
      for (std::uint64_t k = 0; k < here; ++k, ++place) {
        if (place == width_) {
          block.open(static_cast<std::uint32_t>(++of));
          place = 0;
        }
        const Spot spot = block.turned(static_cast<std::uint32_t>(place));
        coming[k] = &cells_[spot.row * width_ + spot.place];
        __builtin_prefetch(coming[k]);
      }
      for (std::uint64_t k = 0; k < here; ++k) visitor(i + k, *coming[k]);
    }
  }
  template <class Visitor>
  void in_chunks(std::uint64_t first, std::uint64_t number, Visitor visitor) const {
    constexpr std::uint64_t kChunk = 1 << 16;
    parallel_for(threads_, (number + kChunk - 1) / kChunk, [&] {
      return [&](std::uint64_t chunk) {
        const std::uint64_t skip = chunk * kChunk;
        visit(first + skip, std::min(kChunk, number - skip),
              [&](std::uint64_t i, std::uint8_t cell) { visitor(skip + i, cell); });
      };
    });
  }

  Backward tables_;
  int threads_;
  std::uint64_t positions_, rows_, width_, row_words_;
  std::uint8_t open_;
  LargeArray<std::uint8_t> cells_;
  // Sets of positions, each row in words of its own:
  // the layer last resolved, and the one being gathered.
  LargeArray<std::uint64_t> frontier_, next_;
  std::vector<std::uint64_t> layers_;
  std::uint64_t illegal_ = 0;
  bool finished_ = false;
};

/// Checks entries against those of their successors, by the rules as they are played
/// forward, and counts those that do not fit: all entries that lead to the rows from
/// `first` on. Without distances (an empty span) only the values are looked at.
template <TakesBack G>
class Checker {
 public:
  Checker(const G& game, const std::uint8_t* values, std::span<const std::uint8_t> distances)
      : game_(game), values_(values), distances_(distances), width_(Forward::width(game)) {}

  std::uint64_t count_inconsistent(std::uint64_t first, std::uint64_t rows, int threads) const {
    std::atomic<std::uint64_t> wrong = 0;
    parallel_for(threads, rows, [&] {
      return [&, walk = Forward(game_)](std::uint64_t row) mutable { wrong += in_row(walk, first + row); };
    });
    return wrong;
  }

 private:
  using Forward = typename G::Forward;
  using Before = typename Forward::Before;

  std::uint64_t in_row(Forward& walk, std::uint64_t row) const {
    // The entries themselves are far from each other, so they are prefetched.
    constexpr std::uint64_t kAhead = 32;
    Before coming[kAhead];
    std::uint64_t wrong = 0;
    walk.open(row);
    for (std::uint64_t place = 0; place < width_; place += kAhead) {
      const std::uint64_t here = std::min(kAhead, width_ - place);
      for (std::uint64_t k = 0; k < here; ++k) {
        coming[k] = walk.next();
        __builtin_prefetch(values_ + coming[k].index / 4);
        if (!distances_.empty()) __builtin_prefetch(&distances_[coming[k].index]);
      }
      wrong += !walk.agrees(coming[0], place);
      for (std::uint64_t k = 0; k < here; ++k)
        wrong += walk.rank(coming[k].set) != place + k || !fits(walk, coming[k], row * width_);
    }
    return wrong;
  }

  bool fits(const Forward& walk, const Before& before, std::uint64_t row) const {
    const Wdl value = packed_wdl(values_, before.index);
    const int distance = distances_.empty() ? 0 : distances_[before.index];
    MoveList moves;
    game_.legal(before.state, moves);
    if (moves.empty()) {
      float scores[kMaxPlayers];
      game_.result(before.state, scores);
      const bool has_won = scores[game_.mover(before.state)] == 1.0f;
      return value == (has_won ? Wdl::illegal : Wdl::loss) && distance == 0;
    }
    unsigned found = 0;                  // bit v: some successor has the value v
    int soonest = 1 << 30, latest = -1;  // of the opponent's losses and wins
    walk.after(before, moves, [&](std::uint64_t place) {
      const Wdl theirs = packed_wdl(values_, row + place);
      found |= 1u << static_cast<int>(theirs);
      if (distances_.empty()) return;
      const int plies = distances_[row + place];
      soonest = std::min(soonest, theirs == Wdl::loss ? plies : soonest);
      latest = std::max(latest, theirs == Wdl::win ? plies : latest);
    });
    const auto leads_to = [&](Wdl theirs) { return found >> static_cast<int>(theirs) & 1; };
    if (leads_to(Wdl::illegal)) return false;
    if (leads_to(Wdl::loss)) return value == Wdl::win && (distances_.empty() || distance == soonest + 1);
    if (leads_to(Wdl::draw)) return value == Wdl::draw && distance == 0;
    // All moves lose. In what order is for the distances to say: without them a circle of
    // such positions would prove itself.
    return value == Wdl::loss && (distances_.empty() || distance == latest + 1);
  }

  const G& game_;
  const std::uint8_t* values_;
  std::span<const std::uint8_t> distances_;
  std::uint64_t width_;
};

}  // namespace halma
