// Draughts with few pieces, solved: who wins, and in how many plies.
//
// Positions are seen from the side to move, which is turned to be black; so half of them
// stand for all. They are sorted into slices by material: own men, own kings, the other's
// men and kings. Captures and crownings lead to slices with fewer pieces or fewer men,
// which are solved before; all other steps lead to the same material seen from the other
// side. So a slice and its mirror image are solved together, from the end backward:
//
// - `due` is when a position will be decided as far as is known. It starts with what
//   captures and crownings promise: odd, the soonest win; or else even, the latest loss.
// - `left` is the number of moves that may still avoid the loss.
// - In layer t the positions due at t are decided: an odd one is won; an even one is lost
//   if nothing is left. The predecessors of a lost one are won at t + 1, unless sooner;
//   those of a won one have a move less left, and when it was the last, lose at t + 1,
//   unless later.
// - Every position due later than the last layer has been seen; the rest are drawn.
//
// Within a layer threads change each other's positions only to be due at t + 1, to the
// same value whoever comes first, so that the result does not depend on their number.
//
// Rules that look at a game's past do not enter.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../any.hpp"
#include "../games/draughts.hpp"
#include "../indexing.hpp"
#include "../oracle.hpp"
#include "crew.hpp"

namespace halma {

class DraughtsEndgames final : public Oracle {
 public:
  using State = Draughts::State;
  static constexpr int kMostPieces = 6;

  // A cell of a table: plies to the end (odd: won, even: lost for the side to move) up to
  // kDeepest, or one of these.
  static constexpr std::uint8_t kDeepest = 252, kDraw = 254, kNothing = 255;

  struct Material {
    int own_men, own_kings, men, kings;  // the side to move first, then the other
    int pieces() const { return own_men + own_kings + men + kings; }
    Material mirrored() const { return {men, kings, own_men, own_kings}; }
  };

  DraughtsEndgames(int pieces, int threads) : pieces_(pieces), threads_(threads) {
    for (const Material& material : slices_up_to(pieces)) {
      id_[code(material)] = static_cast<std::int16_t>(slices_.size());
      slices_.push_back({material, {}});
    }
  }

  /// Cells of all tables, one byte each.
  static std::uint64_t cells_needed(int pieces) {
    std::uint64_t sum = 0;
    for (const Material& material : slices_up_to(pieces)) sum += size_of(material);
    return sum;
  }

  int pieces() const { return pieces_; }
  int slices() const { return static_cast<int>(slices_.size()); }
  const Material& material(int slice) const { return slices_[slice].material; }
  std::uint64_t size(int slice) const { return size_of(slices_[slice].material); }
  /// A slice's table; empty until it is solved.
  std::span<const std::uint8_t> table(int slice) const { return slices_[slice].cells; }
  /// Takes over a table that was solved before.
  void restore(int slice, std::span<const std::uint8_t> cells) {
    if (cells.size() != size(slice)) throw std::length_error("this table belongs to other pieces");
    slices_[slice].cells.assign(cells.begin(), cells.end());
  }

  /// Solves the next slice together with its mirror image. Returns the number of cells, 0
  /// when all is solved.
  std::uint64_t step() {
    for (int slice = 0; slice < slices(); ++slice)
      if (slices_[slice].cells.empty()) return solve(slice);
    return 0;
  }

  /// The cell of any position with few enough pieces whose slice has been solved.
  std::optional<std::uint8_t> probe(const State& s) const {
    const Seen seen = view(s);
    if (seen.own_men + seen.own_kings == 0) return std::uint8_t{0};
    const int slice = find(s);
    if (slice < 0 || slices_[slice].cells.empty()) return std::nullopt;
    return slices_[slice].cells[index(s)];
  }

  bool fits(const AnyGame& game) const override { return typeid(game) == typeid(Erased<Draughts>); }

  std::optional<ExactValue> probe(const Bytes* bytes) const override {
    const State s = Erased<Draughts>::load(bytes);
    // In most of a game there are too many pieces, which is seen at once.
    if (std::popcount(s.pieces[0] | s.pieces[1]) > pieces_) return std::nullopt;
    const std::optional<std::uint8_t> cell = probe(s);
    if (!cell || *cell == 0 || *cell == kNothing) return std::nullopt;
    if (*cell == kDraw) return ExactValue{0.5, 0};
    return ExactValue{static_cast<double>(*cell % 2), *cell};
  }

  /// Which slice a position belongs to; -1 if it has too many pieces, or pieces of one
  /// colour alone, or men where they would have been crowned.
  int find(const State& s) const {
    const Seen seen = view(s);
    const Material m = material_of(seen);
    const bool belongs = m.pieces() <= pieces_ && m.own_men + m.own_kings > 0 && m.men + m.kings > 0 &&
                         seen.own_men >> 28 == 0 && (seen.men & 0xF) == 0;
    return belongs ? id_[code(m)] : -1;
  }

  /// A position's number in the table of its slice: own men, the other's men, own kings
  /// among the squares left, the other's kings among the squares left then.
  static std::uint64_t index(const State& s) {
    const Seen seen = view(s);
    const Material m = material_of(seen);
    std::uint32_t taken = seen.own_men | seen.men;
    std::uint64_t index = rank(seen.own_men, 0);
    index = index * choose(28, m.men) + rank(seen.men >> 4, 0);
    index = index * choose(32 - m.own_men - m.men, m.own_kings) + rank(seen.own_kings, taken);
    taken |= seen.own_kings;
    return index * choose(32 - m.own_men - m.men - m.own_kings, m.kings) + rank(seen.kings, taken);
  }

  /// The inverse, black to move; nothing if two men would stand on one square.
  static std::optional<State> unindex(const Material& m, std::uint64_t index) {
    const std::uint64_t kings = choose(32 - m.own_men - m.men - m.own_kings, m.kings);
    const std::uint64_t own_kings = choose(32 - m.own_men - m.men, m.own_kings);
    const std::uint64_t men = choose(28, m.men);
    Seen seen;
    seen.own_men = unrank(index / kings / own_kings / men, m.own_men, 0);
    seen.men = unrank(index / kings / own_kings % men, m.men, 0) << 4;
    if (seen.own_men & seen.men) return std::nullopt;
    seen.own_kings = unrank(index / kings % own_kings, m.own_kings, seen.own_men | seen.men);
    seen.kings = unrank(index % kings, m.kings, seen.own_men | seen.men | seen.own_kings);
    return State{{spread(seen.own_men | seen.own_kings), spread(seen.men | seen.kings)},
                 spread(seen.own_kings | seen.kings),
                 0};
  }

  /// Checks every cell of a slice against those of its successors; counts what does not fit.
  std::uint64_t count_inconsistent(int slice) const {
    const Slice& at = slices_[slice];
    std::atomic<std::uint64_t> wrong = 0;
    in_chunks(at.cells.size(), [&](std::uint64_t first, std::uint64_t end) {
      std::uint64_t here = 0;
      for (std::uint64_t i = first; i < end; ++i) here += at.cells[i] != recomputed(at.material, i);
      wrong += here;
    });
    return wrong;
  }

 private:
  struct Slice {
    Material material;
    std::vector<std::uint8_t> cells;
  };
  /// Squares as the side to move sees them, which is always going down; bit i is square i.
  struct Seen {
    std::uint32_t own_men, own_kings, men, kings;
  };

  static Seen view(const State& s) {
    const std::uint64_t us = s.mover;
    const Seen seen{gather(s.pieces[us] & ~s.kings), gather(s.pieces[us] & s.kings),
                    gather(s.pieces[us ^ 1] & ~s.kings), gather(s.pieces[us ^ 1] & s.kings)};
    if (us == 0) return seen;
    return {reversed(seen.own_men), reversed(seen.own_kings), reversed(seen.men), reversed(seen.kings)};
  }
  static Material material_of(const Seen& seen) {
    return {std::popcount(seen.own_men), std::popcount(seen.own_kings), std::popcount(seen.men),
            std::popcount(seen.kings)};
  }

  /// Bitboards have a ghost after every eighth square.
  static std::uint32_t gather(Draughts::Board b) {
    return static_cast<std::uint32_t>((b & 0xFF) | (b >> 1 & 0xFF00) | (b >> 2 & 0xFF0000) |
                                      (b >> 3 & 0xFF000000));
  }
  static Draughts::Board spread(std::uint32_t squares) {
    const Draughts::Board b = squares;
    return (b & 0xFF) | (b & 0xFF00) << 1 | (b & 0xFF0000) << 2 | (b & 0xFF000000) << 3;
  }
  static std::uint32_t reversed(std::uint32_t squares) {
    squares = (squares >> 1 & 0x55555555) | (squares & 0x55555555) << 1;
    squares = (squares >> 2 & 0x33333333) | (squares & 0x33333333) << 2;
    squares = (squares >> 4 & 0x0F0F0F0F) | (squares & 0x0F0F0F0F) << 4;
    squares = (squares >> 8 & 0x00FF00FF) | (squares & 0x00FF00FF) << 8;
    return squares >> 16 | squares << 16;
  }

  static std::uint64_t choose(int n, int k) { return kChoose[n][k]; }
  using Choose = std::array<std::array<std::uint32_t, kMostPieces + 1>, 33>;
  static constexpr Choose kChoose = [] {
    Choose table{};
    for (int n = 0; n <= 32; ++n) {
      table[n][0] = 1;
      for (int k = 1; k <= std::min(n, kMostPieces); ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
    }
    return table;
  }();

  /// Rank of a set of squares among the sets of its size that avoid `taken`.
  static std::uint64_t rank(std::uint32_t squares, std::uint32_t taken) {
    std::uint64_t sum = 0;
    for (int k = 1; squares; squares &= squares - 1, ++k) {
      const int square = std::countr_zero(squares);
      sum += choose(square - std::popcount(taken & ((std::uint32_t{1} << square) - 1)), k);
    }
    return sum;
  }
  static std::uint32_t unrank(std::uint64_t rank, int number, std::uint32_t taken) {
    std::uint32_t free[32], squares = 0;
    int frees = 0;
    for (std::uint32_t left = ~taken; left; left &= left - 1) free[frees++] = left & -left;
    for (int k = number; k > 0; --k) {
      do --frees;
      while (choose(frees, k) > rank);
      squares |= free[frees];
      rank -= choose(frees, k);
    }
    return squares;
  }

  static std::uint64_t size_of(const Material& m) {
    return choose(28, m.own_men) * choose(28, m.men) * choose(32 - m.own_men - m.men, m.own_kings) *
           choose(32 - m.own_men - m.men - m.own_kings, m.kings);
  }
  static int code(const Material& m) {
    constexpr int kBase = kMostPieces + 1;
    return ((m.own_men * kBase + m.own_kings) * kBase + m.men) * kBase + m.kings;
  }

  /// In the order in which they can be solved, a slice next to its mirror image.
  static std::vector<Material> slices_up_to(int most) {
    if (most < 2 || most > kMostPieces)
      throw std::length_error("endgames have two to " + std::to_string(kMostPieces) + " pieces");
    std::vector<Material> list;
    for (int pieces = 2; pieces <= most; ++pieces)
      for (int all_men = 0; all_men <= pieces; ++all_men)
        for (int own = 1; own < pieces; ++own)
          for (int own_men = 0; own_men <= std::min(own, all_men); ++own_men) {
            const Material m{own_men, own - own_men, all_men - own_men, pieces - own - all_men + own_men};
            const Material other = m.mirrored();
            if (m.kings < 0 || code(m) < code(other)) continue;
            list.push_back(m);
            if (code(m) != code(other)) list.push_back(other);
          }
    return list;
  }

  /// Whether a move changes the material and so leads to a slice solved before.
  static bool converts(const State& before, const State& after) {
    return std::popcount(before.pieces[0] | before.pieces[1]) !=
               std::popcount(after.pieces[0] | after.pieces[1]) ||
           std::popcount(before.kings) != std::popcount(after.kings);
  }

  /// What a position's moves say of it, those taken together that `counts(after)` accepts.
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
    rules_.legal(s, moves);
    for (const Move move : moves) {
      State after = s;
      rules_.play(after, move);
      if (!counts(after)) {
        ++outlook.other;
        continue;
      }
      const std::uint8_t cell = *probe(after);
      if (cell == kDraw)
        ++outlook.avoid;
      else if (cell % 2 == 0)
        outlook.win = outlook.win == 0 ? cell + 1 : std::min(outlook.win, cell + 1);
      else
        outlook.loss = std::max(outlook.loss, cell + 1);
    }
    return outlook;
  }

  std::uint8_t recomputed(const Material& material, std::uint64_t i) const {
    const std::optional<State> s = unindex(material, i);
    if (!s) return kNothing;
    const Outlook outlook = look(*s, [](const State&) { return true; });
    if (outlook.win) return static_cast<std::uint8_t>(outlook.win);
    return outlook.avoid ? kDraw : static_cast<std::uint8_t>(outlook.loss);
  }

  /// The two tables in the making, behind each other as one.
  struct Making {
    Material material[2];
    std::uint64_t split;  // where the second begins
    std::vector<std::uint8_t> due, left;
    std::atomic<int> latest = 0;  // layer that must be seen

    std::optional<State> state(std::uint64_t i) const {
      return i < split ? unindex(material[0], i) : unindex(material[1], i - split);
    }
    /// Whether a position due at t is decided then.
    bool decided(std::uint64_t i, int t) {
      return t % 2 == 1 || std::atomic_ref(left[i]).load(std::memory_order_relaxed) == 0;
    }
    void expect(int t) {
      if (t > kDeepest) throw std::length_error("this endgame is deeper than a byte can tell");
      for (int before = latest; before < t && !latest.compare_exchange_weak(before, t);) continue;
    }
  };

  std::uint64_t solve(int slice) {
    Making making;
    making.material[0] = material(slice);
    making.material[1] = making.material[0].mirrored();
    const int mirror = id_[code(making.material[1])];
    making.split = size(slice);
    const std::uint64_t all = making.split + (mirror == slice ? 0 : size(mirror));
    making.due.resize(all);
    making.left.resize(all);
    in_chunks(all, [&](std::uint64_t first, std::uint64_t end) { begin(making, first, end); });
    for (int t = 0; t <= making.latest; ++t)
      in_chunks(all, [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end; ++i)
          if (std::atomic_ref(making.due[i]).load(std::memory_order_relaxed) == t && making.decided(i, t))
            tell_predecessors(making, i, t);
      });
    for (std::uint64_t i = 0; i < all; ++i)
      if (making.due[i] != kNothing && !making.decided(i, making.due[i])) making.due[i] = kDraw;
    const auto middle = making.due.begin() + static_cast<std::ptrdiff_t>(making.split);
    slices_[slice].cells.assign(making.due.begin(), middle);
    if (mirror != slice) slices_[mirror].cells.assign(middle, making.due.end());
    return all;
  }

  void begin(Making& making, std::uint64_t first, std::uint64_t end) const {
    for (std::uint64_t i = first; i < end; ++i) {
      const std::optional<State> s = making.state(i);
      if (!s) {
        making.due[i] = kNothing;
        continue;
      }
      const Outlook outlook = look(*s, [&](const State& after) { return converts(*s, after); });
      making.due[i] = static_cast<std::uint8_t>(outlook.win ? outlook.win : outlook.loss);
      making.left[i] = static_cast<std::uint8_t>(outlook.avoid + outlook.other);
      if (making.decided(i, making.due[i])) making.expect(making.due[i]);
    }
  }

  void tell_predecessors(Making& making, std::uint64_t i, int t) const {
    // Steps lead from one of the two slices to the other.
    const bool alone = making.split == making.due.size();
    const std::uint64_t base = i < making.split && !alone ? making.split : 0;
    rules_.take_back_steps(*making.state(i), [&](const State& before) {
      const std::uint64_t j = base + index(before);
      std::atomic_ref<std::uint8_t> due(making.due[j]);
      const int known = due.load(std::memory_order_relaxed);
      if (t % 2 == 0) {
        if (known % 2 == 1 && known <= t + 1) return;
      } else {
        if (known % 2 == 1) return;
        if (std::atomic_ref(making.left[j]).fetch_sub(1, std::memory_order_relaxed) != 1) return;
        if (known > t) return making.expect(known);
      }
      making.expect(t + 1);
      due.store(static_cast<std::uint8_t>(t + 1), std::memory_order_relaxed);
    });
  }

  /// Calls work(first, end) for pieces of [0, number), on several threads if it is worth it.
  template <class Work>
  void in_chunks(std::uint64_t number, Work&& work) const {
    constexpr std::uint64_t kChunk = 1 << 13;
    const std::uint64_t chunks = (number + kChunk - 1) / kChunk;
    share_work(chunks < 8 ? 1 : threads_, chunks, [&] {
      return [&](std::uint64_t chunk) { work(chunk * kChunk, std::min(number, (chunk + 1) * kChunk)); };
    });
  }

  Draughts rules_;
  int pieces_, threads_;
  std::vector<Slice> slices_;
  std::array<std::int16_t, (kMostPieces + 1) * (kMostPieces + 1) * (kMostPieces + 1) * (kMostPieces + 1)>
      id_{};
};

}  // namespace halma
