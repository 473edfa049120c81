// Exact values of a deterministic game for two, from the end backward.
//
// docs/methods/retrograde.md derives the method. In short: positions are resolved in
// layers of equal distance from the end. A position with a move to one lost in d plies
// is won in d + 1; one whose last move to anything else than a win for the opponent has
// just gone is lost in d + 1; what no layer reaches is drawn. Every position is visited
// twice: once to count its moves, once to tell its predecessors.
//
// A family takes part by offering G::Backward (see sternhalma_backward.hpp). A move there
// changes the mover's own pieces only, so that predecessors lie in the block they are
// asked in: a row of some ten kilobytes that stays in cache and belongs to one thread.
// The price is that the position a layer resolves must be handed over to the block of the
// other side, a single bit in a large set, once in its life.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <typeindex>

#include "../any.hpp"
#include "crew.hpp"

namespace halma {

/// What is known of a position, for the player to move, as two bits of a table.
enum class Solved : std::uint8_t { draw = 0, win = 1, loss = 2, illegal = 3 };

/// Entry i of a table that holds four values a byte, low bits first.
inline Solved packed_value(const std::uint8_t* table, std::uint64_t i) {
  return static_cast<Solved>(table[i >> 2] >> (2 * (i & 3)) & 3);
}

template <class G>
concept TakesBack = Game<G> && requires(const G& game, const typename G::Backward& tables,
                                        typename G::Backward::Block& block, std::uint32_t place) {
  { G::Backward::blocks(game) } -> std::same_as<std::uint64_t>;
  { G::Backward::width(game) } -> std::same_as<std::uint64_t>;
  { tables.max_moves() } -> std::same_as<int>;
  { block.open(place) } -> std::same_as<void>;
  { block.standing(place) } -> std::same_as<int>;
  { block.turned(place) } -> std::same_as<typename G::Backward::Spot>;
  block.predecessors(place, [](std::uint32_t) {});
};

/// A solution in the making, whatever the game.
class AnyRetrograde {
 public:
  virtual ~AnyRetrograde() = default;
  virtual std::uint64_t positions() const = 0;
  /// Resolves one more layer and tells how many positions it holds; 0: all is known.
  virtual std::uint64_t step() = 0;
  /// Positions by distance, layer by layer so far; illegal ones are in none.
  virtual const std::vector<std::uint64_t>& layers() const = 0;
  virtual bool finished() const = 0;
  virtual std::uint64_t illegal() const = 0;
  /// Value and distance of one position.
  virtual std::pair<Solved, int> probe(std::uint64_t index) const = 0;
  /// Writes what probe() says for the positions from `first` on, a multiple of four:
  /// values as two bits each, or distances.
  virtual void values(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const = 0;
  virtual void distances(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const = 0;

  // Between layers the two arrays and the two numbers below are all there is to know.
  virtual std::span<std::uint8_t> cells() = 0;
  virtual std::span<std::uint64_t> frontier() = 0;
  virtual void restore(std::vector<std::uint64_t> layers, std::uint64_t illegal) = 0;
};

template <TakesBack G>
class Retrograde final : public AnyRetrograde {
 public:
  /// The game must outlive the solution.
  Retrograde(const G& game, int threads)
      : tables_(checked(game)),
        threads_(threads),
        blocks_(Backward::blocks(game)),
        width_(Backward::width(game)),
        row_words_(row_words(game)),
        cells_(game.index_size()),
        frontier_(blocks_ * row_words_),
        next_(frontier_.size()) {
    if (tables_.max_moves() > kMustPass - kOpen)
      throw std::length_error("this game has more moves in a position than a byte can count");
  }

  /// A byte and two bits for each position, rounded up.
  static std::uint64_t bytes_needed(const G& game) {
    return game.index_size() + 2 * sizeof(std::uint64_t) * Backward::blocks(game) * row_words(game);
  }

  std::uint64_t positions() const override { return cells_.size(); }
  const std::vector<std::uint64_t>& layers() const override { return layers_; }
  std::uint64_t illegal() const override { return illegal_; }
  bool finished() const override { return finished_; }

  std::uint64_t step() override {
    if (finished_) return 0;
    if (layers_.size() > kDeepest) throw std::length_error("this game is deeper than a byte can tell");
    std::atomic<std::uint64_t> found = 0;
    if (layers_.empty())
      share_work(threads_, blocks_, [&] { return First(*this, found); });
    else if (layers_.size() % 2 == 1)  // the last layer is lost, so its predecessors are won
      share_work(threads_, blocks_, [&] { return Next<true>(*this, found); });
    else
      share_work(threads_, blocks_, [&] { return Next<false>(*this, found); });
    std::swap(frontier_, next_);
    if (found == 0)
      finished_ = true;
    else
      layers_.push_back(found);
    return found;
  }

  std::pair<Solved, int> probe(std::uint64_t index) const override {
    std::pair<Solved, int> answer;
    visit(index, 1, [&](std::uint64_t, std::uint8_t cell) { answer = {value_of(cell), distance_of(cell)}; });
    return answer;
  }

  void values(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const override {
    std::memset(out, 0, (number + 3) / 4);
    in_chunks(first, number, [=](std::uint64_t i, std::uint8_t cell) {
      out[i >> 2] |= static_cast<std::uint8_t>(static_cast<unsigned>(value_of(cell)) << (2 * (i & 3)));
    });
  }
  void distances(std::uint64_t first, std::uint64_t number, std::uint8_t* out) const override {
    in_chunks(first, number, [=](std::uint64_t i, std::uint8_t cell) { out[i] = distance_of(cell); });
  }

  std::span<std::uint8_t> cells() override { return cells_; }
  std::span<std::uint64_t> frontier() override { return frontier_; }
  void restore(std::vector<std::uint64_t> layers, std::uint64_t illegal) override {
    layers_ = std::move(layers);
    illegal_ = illegal;
    finished_ = false;
    std::fill(next_.begin(), next_.end(), 0);
  }

 private:
  using Backward = typename G::Backward;
  using Block = typename Backward::Block;
  using Spot = typename Backward::Spot;

  // A cell is a distance (even: lost, odd: won), or kIllegal, or kOpen plus the number of
  // moves, less one, that do not yet lead to a win for the opponent; kMustPass is an open
  // position whose only move is to pass.
  static constexpr std::uint8_t kDeepest = 126, kIllegal = 127, kOpen = 128, kMustPass = 255;

  static const G& checked(const G& game) {
    if (game.index_size() == 0 || game.index_size() >> 40)
      throw std::length_error("this game has more positions than could be held");
    return game;
  }
  static std::uint64_t row_words(const G& game) { return (Backward::width(game) + 63) / 64; }

  static Solved value_of(std::uint8_t cell) {
    if (cell >= kOpen) return Solved::draw;
    if (cell == kIllegal) return Solved::illegal;
    return cell % 2 ? Solved::win : Solved::loss;
  }
  static std::uint8_t distance_of(std::uint8_t cell) { return cell <= kDeepest ? cell : 0; }

  /// The cells of a block: those of positions whose moving army is to move.
  std::uint8_t* row(std::uint64_t block) { return cells_.data() + block * width_; }

  /// What the two kinds of pass over the blocks share.
  struct Pass {
    Pass(Retrograde& solution, std::atomic<std::uint64_t>& found)
        : all(solution), block(solution.tables_), found(found) {}
    ~Pass() { found += number; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    /// Puts the position whose moving army is to move from `place` into the next layer.
    void hand_over(std::uint32_t place) {
      const Spot spot = block.turned(place);
      std::atomic_ref<std::uint64_t> word(all.next_[spot.block * all.row_words_ + spot.place / 64]);
      word.fetch_or(std::uint64_t{1} << spot.place % 64, std::memory_order_relaxed);
      ++number;
    }

    Retrograde& all;
    Block block;
    std::atomic<std::uint64_t>& found;
    std::uint64_t number = 0;
  };

  /// Counts moves and finds the positions in which the game is over.
  struct First : Pass {
    using Pass::Pass;
    ~First() { std::atomic_ref(this->all.illegal_) += illegal; }

    void operator()(std::uint64_t number) {
      this->block.open(static_cast<std::uint32_t>(number));
      std::uint8_t* cells = this->all.row(number);
      for (std::uint32_t place = 0; place < this->all.width_; ++place) {
        const int moves = this->block.standing(place);
        if (moves > 0) {
          cells[place] = static_cast<std::uint8_t>(kOpen + moves - 1);
        } else if (moves == Backward::kMustPass) {
          cells[place] = kMustPass;
        } else if (moves == Backward::kIllegal) {
          cells[place] = kIllegal;
          ++illegal;
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

    void operator()(std::uint64_t number) {
      std::uint64_t* words = this->all.frontier_.data() + number * this->all.row_words_;
      const auto distance = static_cast<std::uint8_t>(this->all.layers_.size());
      std::uint8_t* cells = this->all.row(number);
      const auto resolve = [&](std::uint32_t earlier) {
        std::uint8_t& cell = cells[earlier];
        if (cell < kOpen) return;
        if (!Winning && cell != kOpen && cell != kMustPass) {
          --cell;
        } else {
          cell = distance;
          this->hand_over(earlier);
        }
      };
      bool opened = false;
      for (std::uint32_t w = 0; w < this->all.row_words_; ++w) {
        for (std::uint64_t left = words[w]; left; left &= left - 1) {
          if (!opened) this->block.open(static_cast<std::uint32_t>(number));
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
    std::uint64_t opened = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < number; ++i) {
      const std::uint64_t of = (first + i) / width_;
      if (of != opened) block.open(static_cast<std::uint32_t>(opened = of));
      const Spot spot = block.turned(static_cast<std::uint32_t>((first + i) % width_));
      visitor(i, cells_[static_cast<std::uint64_t>(spot.block) * width_ + spot.place]);
    }
  }
  template <class Visitor>
  void in_chunks(std::uint64_t first, std::uint64_t number, Visitor visitor) const {
    constexpr std::uint64_t kChunk = 1 << 16;
    share_work(threads_, (number + kChunk - 1) / kChunk, [&] {
      return [&](std::uint64_t chunk) {
        const std::uint64_t skip = chunk * kChunk;
        visit(first + skip, std::min(kChunk, number - skip),
              [&](std::uint64_t i, std::uint8_t cell) { visitor(skip + i, cell); });
      };
    });
  }

  Backward tables_;
  int threads_;
  std::uint64_t blocks_, width_, row_words_;
  std::vector<std::uint8_t> cells_;
  // Sets of positions in the order of the index, each block's row in words of its own:
  // the layer last resolved, and the one being gathered.
  std::vector<std::uint64_t> frontier_, next_;
  std::vector<std::uint64_t> layers_;
  std::uint64_t illegal_ = 0;
  bool finished_ = false;
};

/// Checks every entry against those of its successors, by the rules as they are played
/// forward, and counts the entries that do not fit. Without distances (an empty span) only
/// the values are looked at.
template <Game G>
std::uint64_t count_inconsistent(const G& game, const std::uint8_t* values,
                                 std::span<const std::uint8_t> distances, int threads) {
  constexpr std::uint64_t kChunk = 1 << 14;
  const std::uint64_t positions = game.index_size();
  std::atomic<std::uint64_t> wrong = 0;
  const auto fits = [&](std::uint64_t index) {
    const typename G::State state = game.unindex(index);
    const Solved value = packed_value(values, index);
    const int distance = distances.empty() ? 0 : distances[index];
    MoveList moves;
    game.legal(state, moves);
    if (moves.empty()) {
      float scores[kMaxPlayers];
      game.result(state, scores);
      return value == (scores[game.mover(state)] == 1.0f ? Solved::illegal : Solved::loss) && distance == 0;
    }
    int number[4] = {};
    int soonest = 1 << 30, latest = -1;  // of the opponent's losses and wins
    for (const Move move : moves) {
      typename G::State after = state;
      game.play(after, move);
      const std::uint64_t next = game.index(after);
      const Solved theirs = packed_value(values, next);
      ++number[static_cast<int>(theirs)];
      if (distances.empty()) continue;
      if (theirs == Solved::loss) soonest = std::min<int>(soonest, distances[next]);
      if (theirs == Solved::win) latest = std::max<int>(latest, distances[next]);
    }
    const auto leads_to = [&](Solved theirs) { return number[static_cast<int>(theirs)] > 0; };
    if (leads_to(Solved::illegal)) return false;
    if (leads_to(Solved::loss)) return value == Solved::win && (distances.empty() || distance == soonest + 1);
    if (leads_to(Solved::draw)) return value == Solved::draw && distance == 0;
    // All moves lose. In what order is for the distances to say: without them a circle of
    // such positions would prove itself.
    return value == Solved::loss && (distances.empty() || distance == latest + 1);
  };
  share_work(threads, (positions + kChunk - 1) / kChunk, [&] {
    return [&](std::uint64_t chunk) {
      std::uint64_t here = 0;
      const std::uint64_t end = std::min(positions, (chunk + 1) * kChunk);
      for (std::uint64_t index = chunk * kChunk; index < end; ++index) here += !fits(index);
      wrong += here;
    };
  });
  return wrong;
}

/// Which compiled analysis belongs to which family; a family's own source file registers.
struct RetrogradeMakers {
  std::unique_ptr<AnyRetrograde> (*make)(const AnyGame&, int threads);
  std::uint64_t (*bytes_needed)(const AnyGame&);
  std::uint64_t (*count_inconsistent)(const AnyGame&, const std::uint8_t* values,
                                      std::span<const std::uint8_t> distances, int threads);
};

inline std::map<std::type_index, RetrogradeMakers>& registered_retrogrades() {
  static std::map<std::type_index, RetrogradeMakers> makers;
  return makers;
}

template <TakesBack G>
void register_retrograde() {
  registered_retrogrades()[typeid(Erased<G>)] = {
      .make = [](const AnyGame& game, int threads) -> std::unique_ptr<AnyRetrograde> {
        return std::make_unique<Retrograde<G>>(static_cast<const Erased<G>&>(game).concrete(), threads);
      },
      .bytes_needed =
          [](const AnyGame& game) {
            return Retrograde<G>::bytes_needed(static_cast<const Erased<G>&>(game).concrete());
          },
      .count_inconsistent =
          [](const AnyGame& game, const std::uint8_t* values, std::span<const std::uint8_t> distances,
             int threads) {
            return count_inconsistent(static_cast<const Erased<G>&>(game).concrete(), values, distances,
                                      threads);
          },
  };
}

}  // namespace halma
