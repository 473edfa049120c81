// English draughts on 8 x 8. Squares, bitboards and the bits of a move: draughts_board.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include "../hooks.hpp"
#include "draughts_actions.hpp"

namespace halma {

namespace draughts {

class Draughts {
 public:
  class Slices;  // positions with few pieces: draughts_slices.hpp

  static constexpr bool kIndexed = false;
  static constexpr int kMaxPieces = 12;

  struct State {
    Board pieces[2];  // black, white: men and kings
    Board kings;      // of both colours
    std::uint64_t mover;
  };

  int players() const { return 2; }
  float max_score() const { return 1.0f; }

  State initial() const { return State{{kBlackCamp, kWhiteCamp}, 0, 0}; }

  int mover(const State& s) const { return static_cast<int>(s.mover); }
  bool at_chance(const State&) const { return false; }
  void outcomes(const State&, OutcomeList&) const {}
  void resolve(State&, Outcome) const {}

  // Every capture path is a move of its own, even if two paths lead to the same position.
  //
  // A MoveList is large enough: twelve pieces have at most 48 steps, and there are fewer
  // than 69 captures, since jumps stay in one of four sets of 8 squares and pieces that
  // start in the same set have at most 17 captures together.
  void legal(const State& s, MoveList& moves) const {
    if (s.mover == 0)
      list<0>(s, moves);
    else
      list<1>(s, moves);
  }
  int count(const State& s) const { return s.mover == 0 ? count<0>(s) : count<1>(s); }
  bool terminal(const State& s) const { return s.mover == 0 ? stuck<0>(s) : stuck<1>(s); }

  void play(State& s, Move move) const {
    if (s.mover == 0)
      make<0>(s, move);
    else
      make<1>(s, move);
  }
  bool irreversible(const State& s, Move move) const {
    return jumps(move) > 0 || !(s.kings >> start(move) & 1);
  }
  int landing(Move move) const { return path(move).back(); }

  Ply random_ply(State& s, Random& random) const {
    return s.mover == 0 ? random_ply<0>(s, random) : random_ply<1>(s, random);
  }

  // A side without a legal move has lost.
  void result(const State& s, float* scores) const {
    const bool over = terminal(s);
    scores[s.mover] = over ? 0.0f : 0.5f;
    scores[s.mover ^ 1] = over ? 1.0f : 0.5f;
  }

  int actions() const { return Actions::kNumber; }
  int action(const State& s, Move move) const { return actions_.action(s.mover == 0 ? move : turned(move)); }
  Move move(const State& s, int action) const {
    const Move seen = actions_.move(action);
    const Move move = s.mover == 0 ? seen : turned(seen);
    return s.pieces[s.mover] >> start(move) & 1 ? move : kNoMove;
  }

  // Planes: own men, own kings, the opponent's men and kings, then two full planes:
  // whether the position occurred before, and the fraction of the no-progress limit used.
  PlaneShape shape() const { return {6, 8, 8}; }
  int history() const { return 1; }
  int version() const { return 1; }
  void encode(std::span<const State> recent, const Context& context, float* out) const {
    const State& s = recent[0];
    std::fill(out, out + shape().size(), 0.0f);
    for (int square = 0; square < kSquares; ++square) {
      const int bit = bit_of(s.mover == 0 ? square : kSquares - 1 - square);
      const int row = square / 4, column = square % 4 * 2 + (row + 1) % 2;
      for (int side = 0; side < 2; ++side)
        if (s.pieces[s.mover ^ side] >> bit & 1)
          out[(2 * side + (s.kings >> bit & 1)) * 64 + row * 8 + column] = 1.0f;
    }
    std::fill_n(out + 4 * 64, 64, context.repetitions >= 1 ? 1.0f : 0.0f);
    std::fill_n(out + 5 * 64, 64, context.no_progress);
  }

  // Material: men, kings, and the sum of rows the men have advanced.
  std::vector<float> default_weights() const { return {1.0f, 1.5f, 0.02f}; }
  float default_scale() const { return 1.8f; }
  void features(const State& s, int player, float* out) const {
    const Board men = s.pieces[player] & ~s.kings;
    out[0] = static_cast<float>(std::popcount(men));
    out[1] = static_cast<float>(std::popcount(s.pieces[player] & s.kings));
    int rows = 0;
    for (Board left = men; left; left &= left - 1) {
      const int row = square_of(std::countr_zero(left)) / 4;
      rows += player == 0 ? row : 7 - row;
    }
    out[2] = static_cast<float>(rows);
  }
  // Own men, own kings, the opponent's men and kings, by square from the mover's side.
  static constexpr int kInputWords = 2;
  int input_count() const { return 4 * kSquares; }
  int max_inputs() const { return 2 * kMaxPieces; }
  void inputs(const State& s, std::uint64_t* words) const {
    const auto seen = [&](Board board) {
      const std::uint32_t squares = by_square(board);
      return std::uint64_t{s.mover == 0 ? squares : reversed(squares)};
    };
    for (int side = 0; side < 2; ++side) {
      const Board pieces = s.pieces[s.mover ^ side];
      words[side] = seen(pieces & ~s.kings) | seen(pieces & s.kings) << 32;
    }
  }

  PieceCounts piece_counts() const { return {2, 2 * kMaxPieces}; }
  /// Every piece has either colour with the same chance, as long as both have some and neither more than
  /// twelve, and is a king with a chance that is drawn for the position.
  State random_position(Random& random, int pieces) const {
    while (true) {
      State s{{0, 0}, 0, random.below(2)};
      const double king_share = random.uniform();
      for (int left = pieces; left > 0;) {
        const Board bit = Board{1} << bit_of(static_cast<int>(random.below(kSquares)));
        if ((s.pieces[0] | s.pieces[1]) & bit) continue;
        const auto side = random.below(2);
        const bool king = random.uniform() < king_share;
        if (!king && bit & (side == 0 ? kCrownRow<0> : kCrownRow<1>)) continue;
        s.pieces[side] |= bit;
        if (king) s.kings |= bit;
        --left;
      }
      if (s.pieces[0] && s.pieces[1] && is_valid(s) && !terminal(s)) return s;
    }
  }
  /// The mover has no capture.
  bool is_quiet(const State& s) const {
    return (s.mover == 0 ? jumpers<0>(view<0>(s)) : jumpers<1>(view<1>(s))) == 0;
  }

  /// Calls back with every state from which a step without crowning leads to this one.
  template <class Emit>
  void take_back_steps(const State& s, Emit&& emit) const {
    if (s.mover == 0)
      take_back_steps<1>(s, emit);
    else
      take_back_steps<0>(s, emit);
  }

  std::uint64_t key(const State& s) const {
    return mix64(s.pieces[0] + mix64(s.pieces[1] + mix64((s.kings << 1 | s.mover) + 1)));
  }

  // The whole game has too many positions for an index.
  std::uint64_t index_size() const { return 0; }
  std::uint64_t index(const State&) const { return 0; }
  State unindex(std::uint64_t) const { return initial(); }

  // Fields: mover, then a number per square: 0 empty, 1 black man, 2 black king, -1 white
  // man, -2 white king.
  std::vector<int> describe(const State& s) const {
    std::vector<int> fields(1 + kSquares);
    fields[0] = mover(s);
    for (int square = 0; square < kSquares; ++square) {
      const int bit = bit_of(square);
      const int rank = s.kings >> bit & 1 ? 2 : 1;
      if (s.pieces[0] >> bit & 1) fields[1 + square] = rank;
      if (s.pieces[1] >> bit & 1) fields[1 + square] = -rank;
    }
    return fields;
  }
  bool is_valid(const State& s) const {
    const Board both = s.pieces[0] | s.pieces[1];
    return s.mover < 2 && !(both & ~kSquareBits) && !(s.pieces[0] & s.pieces[1]) && !(s.kings & ~both) &&
           std::popcount(s.pieces[0]) <= kMaxPieces && std::popcount(s.pieces[1]) <= kMaxPieces;
  }
  std::string compose(std::span<const int> fields, State& s) const {
    if (fields.size() != 1 + kSquares) return "the board must have 32 squares";
    if (fields[0] < 0 || fields[0] > 1) return "the player to move must be black or white";
    s = State{{0, 0}, 0, static_cast<std::uint64_t>(fields[0])};
    for (int square = 0; square < kSquares; ++square) {
      const int piece = fields[1 + square];
      if (piece < -2 || piece > 2) return "a square holds nothing, a man or a king";
      const Board bit = Board{1} << bit_of(square);
      if (piece != 0) s.pieces[piece < 0] |= bit;
      if (piece == 2 || piece == -2) s.kings |= bit;
      if ((piece == 1 && bit & kCrownRow<0>) || (piece == -1 && bit & kCrownRow<1>))
        return "the man on " + std::to_string(square + 1) + " would have been crowned";
    }
    for (int side = 0; side < 2; ++side)
      if (std::popcount(s.pieces[side]) > kMaxPieces)
        return std::string(side ? "white" : "black") + " has more than 12 pieces";
    if (s.pieces[s.mover ^ 1] == 0) return "only the side to move can have lost its last piece";
    return "";
  }

 private:
  static constexpr Board kBlackCamp = 0x1EFFULL, kWhiteCamp = 0x7'FBC0'0000ULL;
  template <int Us>
  static constexpr Board kCrownRow = Us == 0 ? Board{0xF} << 31 : Board{0xF};

  static constexpr unsigned kAllDirections = 0b1111;
  template <int Us>
  static constexpr unsigned kForward = Us == 0 ? 0b0011 : 0b1100;

  /// The board from the mover's side, as move generation uses it.
  struct View {
    Board own, kings, other, empty;  // kings: the mover's
  };
  template <int Us>
  static View view(const State& s) {
    const Board own = s.pieces[Us], other = s.pieces[Us ^ 1];
    return {own, own & s.kings, other, kSquareBits & ~(own | other)};
  }

  /// The mover's pieces that may move in this direction.
  template <int Us, int D>
  static Board walkers(const View& v) {
    return kForward<Us> >> D & 1 ? v.own : v.kings;
  }
  /// The pieces that can step, or jump, in a direction.
  template <int Us, int D>
  static Board steppers(const View& v) {
    return walkers<Us, D>(v) & shift<(D ^ 2)>(v.empty);
  }
  template <int Us, int D>
  static Board jumpers(const View& v) {
    return walkers<Us, D>(v) & shift<(D ^ 2)>(v.other & shift<(D ^ 2)>(v.empty));
  }
  template <int Us>
  static Board jumpers(const View& v) {
    return jumpers<Us, 0>(v) | jumpers<Us, 1>(v) | jumpers<Us, 2>(v) | jumpers<Us, 3>(v);
  }

  /// Follows every continuation of a jump from `at` and passes the complete ones to
  /// `emit`. Captured pieces are removed from `other`, so that none is jumped twice. By
  /// the rules they stay on the board until the end; that makes no difference, because
  /// a jumping piece lands on other rows than those it captures on.
  template <unsigned Directions, class Emit>
  static void follow(Board at, Board other, Board empty, Move trail, Emit& emit) {
    bool ended = true;
    const auto attempt = [&]<int D>() {
      if constexpr (Directions >> D & 1) {
        const Board over = shift<D>(at) & other;
        const Board to = shift<D>(over) & empty;
        if (to) {
          ended = false;
          follow<Directions>(to, other ^ over, empty, add_jump(trail, D), emit);
        }
      }
    };
    attempt.template operator()<0>();
    attempt.template operator()<1>();
    attempt.template operator()<2>();
    attempt.template operator()<3>();
    if (ended) emit(trail);
  }

  /// All captures of the pieces `from`, each of which has one. A man only jumps
  /// forward, so on the last row, where it is crowned, its move ends.
  template <int Us, class Emit>
  static void captures(const View& v, Board from, Emit&& emit) {
    for (; from; from &= from - 1) {
      const Board at = from & -from;
      const Move trail = static_cast<Move>(std::countr_zero(at));
      const Board empty = v.empty | at;  // a king may return to its start
      if (v.kings & at)
        follow<kAllDirections>(at, v.other, empty, trail, emit);
      else
        follow<kForward<Us>>(at, v.other, empty, trail, emit);
    }
  }

  template <int Us>
  static void list(const State& s, MoveList& moves) {
    const View v = view<Us>(s);
    if (const Board from = jumpers<Us>(v)) {
      captures<Us>(v, from, [&](Move move) { moves.push(move); });
      return;
    }
    const auto steps = [&]<int D>() {
      for (Board from = steppers<Us, D>(v); from; from &= from - 1)
        moves.push(make_step(std::countr_zero(from), D));
    };
    steps.template operator()<0>();
    steps.template operator()<1>();
    steps.template operator()<2>();
    steps.template operator()<3>();
  }

  /// A step was legal only if no capture was. Men are never on the last row, so no man
  /// that stepped here was crowned.
  template <int Us, class Emit>
  static void take_back_steps(const State& s, Emit& emit) {
    const View v = view<Us>(s);
    const auto attempt = [&]<int D>() {
      for (Board to = walkers<Us, D>(v) & shift<D>(v.empty); to; to &= to - 1) {
        const Board at = to & -to, from = shift<(D ^ 2)>(at);
        State before = s;
        before.pieces[Us] ^= at | from;
        if (s.kings & at) before.kings ^= at | from;
        before.mover = Us;
        if (jumpers<Us>(view<Us>(before)) == 0) emit(before);
      }
    };
    attempt.template operator()<0>();
    attempt.template operator()<1>();
    attempt.template operator()<2>();
    attempt.template operator()<3>();
  }

  template <int Us>
  static int count(const State& s) {
    const View v = view<Us>(s);
    if (const Board from = jumpers<Us>(v)) {
      int number = 0;
      captures<Us>(v, from, [&](Move) { ++number; });
      return number;
    }
    return std::popcount(steppers<Us, 0>(v)) + std::popcount(steppers<Us, 1>(v)) +
           std::popcount(steppers<Us, 2>(v)) + std::popcount(steppers<Us, 3>(v));
  }

  template <int Us>
  static bool stuck(const State& s) {
    const View v = view<Us>(s);
    return (steppers<Us, 0>(v) | steppers<Us, 1>(v) | steppers<Us, 2>(v) | steppers<Us, 3>(v) |
            jumpers<Us>(v)) == 0;
  }

  /// Moves the piece, removes what it captured, and passes the turn. `from` and `to` may
  /// be the same square.
  template <int Us>
  static void finish(State& s, Board from, Board to, Board captured) {
    const Board king = s.kings & from ? to : to & kCrownRow<Us>;
    s.pieces[Us] = (s.pieces[Us] & ~from) | to;
    s.pieces[Us ^ 1] &= ~captured;
    s.kings = (s.kings & ~(from | captured)) | king;
    s.mover = Us ^ 1;
  }

  template <int Us>
  static void make(State& s, Move move) {
    int at = start(move);
    const Board from = Board{1} << at;
    Board captured = 0;
    if (jumps(move) == 0) {
      at += kSteps[direction(move, 0)];
    } else {
      for (int i = 0; i < jumps(move); ++i) {
        const int step = kSteps[direction(move, i)];
        captured |= Board{1} << (at + step);
        at += 2 * step;
      }
    }
    finish<Us>(s, from, Board{1} << at, captured);
  }

  /// The k-th lowest set bit alone.
  static Board nth_bit(Board bits, int k) {
    for (; k > 0; --k) bits &= bits - 1;
    return bits & -bits;
  }

  /// Flattened: left to itself, the compiler inlines less here when more is compiled beside it, which
  /// costs a tenth of the speed. Samples a step without listing the steps: first the direction, weighted by
  /// the number of pieces that can step, then the piece.
  template <int Us>
  [[gnu::flatten]] static Ply random_ply(State& s, Random& random) {
    const View v = view<Us>(s);
    if (const Board from = jumpers<Us>(v)) {
      MoveList moves;
      captures<Us>(v, from, [&](Move move) { moves.push(move); });
      make<Us>(s, moves[moves.size() == 1 ? 0 : random.below(moves.size())]);
      return Ply::irreversible;
    }
    const Board can[4] = {steppers<Us, 0>(v), steppers<Us, 1>(v), steppers<Us, 2>(v), steppers<Us, 3>(v)};
    const int up_to_0 = std::popcount(can[0]), up_to_1 = up_to_0 + std::popcount(can[1]);
    const int up_to_2 = up_to_1 + std::popcount(can[2]), all = up_to_2 + std::popcount(can[3]);
    if (all == 0) return Ply::over;
    const int before[4] = {0, up_to_0, up_to_1, up_to_2};
    const int pick = static_cast<int>(random.below(all));
    const int d = (pick >= up_to_0) + (pick >= up_to_1) + (pick >= up_to_2);
    const Board from = nth_bit(can[d], pick - before[d]);
    const Board to = std::rotl(from, kSteps[d]);
    const bool king = s.kings & from;
    finish<Us>(s, from, to, 0);
    return king ? Ply::reversible : Ply::irreversible;
  }

  Actions actions_;
};

}  // namespace draughts

using draughts::Draughts;

static_assert(Game<Draughts> && sizeof(Draughts::State) == 32);

}  // namespace halma
