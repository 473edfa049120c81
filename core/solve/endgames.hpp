// Endgame tables: all positions with few pieces solved, who wins and in how many plies.
//
// A family offers G::Slices (solve_hooks.hpp), which sorts positions into slices by material. Moves
// that change the material lead to slices solved before; all others lead to the mirror image of
// the slice, the same material seen from the other side. So a slice and its mirror image are
// solved together, from the end backward:
//
// - `due` is the ply in which a position will be decided as far as is known. It starts with what
//   moves that change the material lead to: odd, the soonest win; or else even, the latest loss.
// - `left` is the number of moves that may still avoid the loss.
// - In layer t the positions due at t are decided: an odd one is won; an even one is lost
//   if nothing is left. The predecessors of a lost one are won at t + 1, unless sooner;
//   those of a won one have a move less left, and when it was the last, lose at t + 1,
//   unless later.
// - Once the last due layer is done, the rest are drawn.
//
// Within a layer threads change each other's positions only to be due at t + 1, to the
// same value in any order, so that the result does not depend on their number.
//
// Rules that look at a game's past do not enter.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../any.hpp"
#include "../oracle.hpp"
#include "../thread_pool.hpp"

namespace halma {

/// Endgame tables of a game, whatever it is. A table has a byte for each number of its slice:
/// plies to the end up to kDeepest (odd: won, even: lost for the side to move), kDraw or kNone.
class AnyEndgames : public Oracle {
 public:
  static constexpr std::uint8_t kDeepest = 252, kDraw = 254, kNone = 255;
  static ExactValue value_of(std::uint8_t entry) {
    if (entry == kNone) return exact_value(Wdl::illegal, 0);
    return entry == kDraw ? exact_value(Wdl::draw, 0) : decided_in(entry);
  }

  virtual int pieces() const = 0;
  virtual std::size_t state_size() const = 0;
  virtual int slices() const = 0;
  /// Pieces of a slice by kind, those of the side to move first.
  virtual std::vector<int> material(int slice) const = 0;
  virtual std::uint64_t size(int slice) const = 0;
  /// A slice's table; empty until it is solved.
  virtual std::span<const std::uint8_t> table(int slice) const = 0;
  /// Copies a table that was solved before.
  virtual void restore(int slice, std::span<const std::uint8_t> table) = 0;
  /// Solves the next slice together with its mirror image. Returns the number of entries, 0
  /// when all is solved.
  virtual std::uint64_t step() = 0;
  /// Entries that do not follow from those of their successors.
  virtual std::uint64_t count_inconsistent(int slice) const = 0;

  /// Whether these bytes are a state of the game.
  virtual bool is_valid(const Bytes* state) const = 0;
  /// The entry of a position with few enough pieces whose slice has been solved.
  virtual std::optional<std::uint8_t> entry(const Bytes* state) const = 0;
  /// The slice of a position; -1 if it is in none.
  virtual int slice_of(const Bytes* state) const = 0;
  /// The number of a position in its slice.
  virtual std::uint64_t index(const Bytes* state) const = 0;
  /// The inverse: writes the state; false if there is none.
  virtual bool unindex(int slice, std::uint64_t index, Bytes* state) const = 0;
};

template <HasSlices G>
class Endgames final : public AnyEndgames {
 public:
  using State = typename G::State;

  /// The game must outlive the tables.
  Endgames(const G& game, int pieces, int threads) : game_(game), pieces_(pieces), threads_(threads) {
    for (const Material& material : Slices::materials(pieces)) {
      slice_by_code_[Slices::code(material)] = static_cast<std::int16_t>(slices_.size());
      slices_.push_back({material, {}});
    }
  }

  /// Bytes of all tables.
  static std::uint64_t bytes_needed(int pieces) {
    std::uint64_t sum = 0;
    for (const Material& material : Slices::materials(pieces)) sum += Slices::size(material);
    return sum;
  }

  int pieces() const override { return pieces_; }
  std::size_t state_size() const override { return sizeof(State); }
  int slices() const override { return static_cast<int>(slices_.size()); }
  std::vector<int> material(int slice) const override { return slices_[slice].material.counts(); }
  std::uint64_t size(int slice) const override { return Slices::size(slices_[slice].material); }
  std::span<const std::uint8_t> table(int slice) const override { return slices_[slice].table; }
  void restore(int slice, std::span<const std::uint8_t> table) override {
    if (table.size() != size(slice)) throw std::length_error("this table belongs to other pieces");
    slices_[slice].table.assign(table.begin(), table.end());
  }

  std::uint64_t step() override {
    for (int slice = 0; slice < slices(); ++slice)
      if (slices_[slice].table.empty()) return solve(slice);
    return 0;
  }

  bool fits(const AnyGame& game) const override { return typeid(game) == typeid(Erased<G>); }

  std::optional<ExactValue> probe(const Bytes* bytes) const override {
    const State s = Erased<G>::load(bytes);
    const std::optional<std::uint8_t> found = entry_of(s);
    if (!found || *found == 0 || *found == kNone) return std::nullopt;
    return value_of(*found);
  }

  bool is_valid(const Bytes* state) const override { return halma::is_valid(game_, Erased<G>::load(state)); }
  std::optional<std::uint8_t> entry(const Bytes* state) const override {
    return entry_of(Erased<G>::load(state));
  }
  int slice_of(const Bytes* state) const override { return find(Erased<G>::load(state)); }
  std::uint64_t index(const Bytes* state) const override { return Slices::index(Erased<G>::load(state)); }
  bool unindex(int slice, std::uint64_t index, Bytes* state) const override {
    const std::optional<State> found = Slices::unindex(slices_[slice].material, index);
    if (found) Erased<G>::store(*found, state);
    return found.has_value();
  }

  std::uint64_t count_inconsistent(int slice) const override {
    const Slice& at = slices_[slice];
    std::atomic<std::uint64_t> wrong = 0;
    in_chunks(at.table.size(), [&](std::uint64_t first, std::uint64_t end) {
      std::uint64_t here = 0;
      for (std::uint64_t i = first; i < end; ++i) here += at.table[i] != recomputed(at.material, i);
      wrong += here;
    });
    return wrong;
  }

 private:
  using Slices = typename G::Slices;
  using Material = typename Slices::Material;

  struct Slice {
    Material material;
    std::vector<std::uint8_t> table;
  };

  int find(const State& s) const {
    // In most of a game there are too many pieces, which is seen at once.
    if (Slices::pieces(s) > pieces_) return -1;
    const std::optional<Material> material = Slices::material(s);
    return material ? slice_by_code_[Slices::code(*material)] : -1;
  }

  std::optional<std::uint8_t> entry_of(const State& s) const {
    if (Slices::lost(s)) return std::uint8_t{0};
    const int slice = find(s);
    if (slice < 0 || slices_[slice].table.empty()) return std::nullopt;
    return slices_[slice].table[Slices::index(s)];
  }

  /// What follows for a position from those of its moves whose successors `counts` accepts.
  struct Outlook {
    int win = 0;    // plies of the soonest win, 0: none
    int loss = 0;   // plies of the latest loss
    int avoid = 0;  // moves to draws
    int other = 0;  // moves not accepted
  };
  template <class Counts>
  Outlook look(const State& s, Counts&& counts) const {
    Outlook outlook;
    MoveList moves;
    game_.legal(s, moves);
    for (const Move move : moves) {
      State after = s;
      game_.play(after, move);
      if (!counts(after)) {
        ++outlook.other;
        continue;
      }
      const std::uint8_t entry = *entry_of(after);
      if (entry == kDraw)
        ++outlook.avoid;
      else if (entry % 2 == 0)
        outlook.win = outlook.win == 0 ? entry + 1 : std::min(outlook.win, entry + 1);
      else
        outlook.loss = std::max(outlook.loss, entry + 1);
    }
    return outlook;
  }

  std::uint8_t recomputed(const Material& material, std::uint64_t i) const {
    const std::optional<State> s = Slices::unindex(material, i);
    if (!s) return kNone;
    const Outlook outlook = look(*s, [](const State&) { return true; });
    if (outlook.win) return static_cast<std::uint8_t>(outlook.win);
    return outlook.avoid ? kDraw : static_cast<std::uint8_t>(outlook.loss);
  }

  /// The work on a slice and its mirror image, whose numbers follow each other.
  struct Work {
    Material material[2];
    std::uint64_t split;  // where the second begins
    std::vector<std::uint8_t> due, left;
    std::atomic<int> latest = 0;  // the last layer with a decision due

    std::optional<State> state(std::uint64_t i) const {
      return i < split ? Slices::unindex(material[0], i) : Slices::unindex(material[1], i - split);
    }
    /// Whether a position due at t is decided then.
    bool decided(std::uint64_t i, int t) {
      return t % 2 == 1 || std::atomic_ref(left[i]).load(std::memory_order_relaxed) == 0;
    }
    void expect(int t) {
      if (t > kDeepest) throw std::length_error("this endgame is deeper than a byte can count");
      for (int before = latest; before < t && !latest.compare_exchange_weak(before, t);) continue;
    }
  };

  std::uint64_t solve(int slice) {
    Work work;
    work.material[0] = slices_[slice].material;
    work.material[1] = work.material[0].mirrored();
    const int mirror = slice_by_code_[Slices::code(work.material[1])];
    work.split = size(slice);
    const std::uint64_t all = work.split + (mirror == slice ? 0 : size(mirror));
    work.due.resize(all);
    work.left.resize(all);
    in_chunks(all, [&](std::uint64_t first, std::uint64_t end) { begin(work, first, end); });
    for (int t = 0; t <= work.latest; ++t)
      in_chunks(all, [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end; ++i)
          if (std::atomic_ref(work.due[i]).load(std::memory_order_relaxed) == t && work.decided(i, t))
            propagate(work, i, t);
      });
    for (std::uint64_t i = 0; i < all; ++i)
      if (work.due[i] != kNone && !work.decided(i, work.due[i])) work.due[i] = kDraw;
    const auto middle = work.due.begin() + static_cast<std::ptrdiff_t>(work.split);
    slices_[slice].table.assign(work.due.begin(), middle);
    if (mirror != slice) slices_[mirror].table.assign(middle, work.due.end());
    return all;
  }

  void begin(Work& work, std::uint64_t first, std::uint64_t end) const {
    for (std::uint64_t i = first; i < end; ++i) {
      const std::optional<State> s = work.state(i);
      if (!s) {
        work.due[i] = kNone;
        continue;
      }
      const Outlook outlook = look(*s, [&](const State& after) { return Slices::converts(*s, after); });
      work.due[i] = static_cast<std::uint8_t>(outlook.win ? outlook.win : outlook.loss);
      work.left[i] = static_cast<std::uint8_t>(outlook.avoid + outlook.other);
      if (work.decided(i, work.due[i])) work.expect(work.due[i]);
    }
  }

  void propagate(Work& work, std::uint64_t i, int t) const {
    // Steps lead from one of the two slices to the other.
    const bool alone = work.split == work.due.size();
    const std::uint64_t base = i < work.split && !alone ? work.split : 0;
    game_.take_back_steps(*work.state(i), [&](const State& before) {
      const std::uint64_t j = base + Slices::index(before);
      std::atomic_ref<std::uint8_t> due(work.due[j]);
      const int known = due.load(std::memory_order_relaxed);
      if (t % 2 == 0) {
        if (known % 2 == 1 && known <= t + 1) return;
      } else {
        if (known % 2 == 1) return;
        if (std::atomic_ref(work.left[j]).fetch_sub(1, std::memory_order_relaxed) != 1) return;
        if (known > t) return work.expect(known);
      }
      work.expect(t + 1);
      due.store(static_cast<std::uint8_t>(t + 1), std::memory_order_relaxed);
    });
  }

  /// Calls body(first, end) for parts of [0, number), on several threads if there are many.
  template <class Body>
  void in_chunks(std::uint64_t number, Body&& body) const {
    constexpr std::uint64_t kChunk = 1 << 13;
    const std::uint64_t chunks = (number + kChunk - 1) / kChunk;
    parallel_for(chunks < 8 ? 1 : threads_, chunks, [&] {
      return [&](std::uint64_t chunk) { body(chunk * kChunk, std::min(number, (chunk + 1) * kChunk)); };
    });
  }

  const G& game_;
  int pieces_, threads_;
  std::vector<Slice> slices_;
  std::array<std::int16_t, Slices::kCodes> slice_by_code_{};
};

}  // namespace halma
