// Chinese dark chess: the real game on 4 x 8 cells, and the small one on 2 x 4.
//
// A cell is (file, rank); cells are numbered file by file. Internally a cell is a bit of a
// 32-bit board, its *square* file * 8 + rank, on the small board too, so that the four
// directions are shifts by 1 and 8 everywhere. Squares off the board are neither empty
// nor occupied.
//
// The rank of a face-up piece is a number from 0 (pawn) to 6 (king), stored as three bit
// planes. "Can capture" is then a comparison of numbers for all cells at once, and for
// two directions at once where two boards share a 64-bit word.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "../bits.hpp"
#include "../game.hpp"
#include "darkchess_boards.hpp"

namespace halma {

class DarkChess {
 public:
  class Layers;  // the order of solving: darkchess_layers.hpp

  // Kinds from the highest rank to the lowest.
  enum Kind { kKing, kGuard, kMinister, kRook, kKnight, kCannon, kPawn };
  static constexpr int kKinds = dark::kKinds, kTypes = dark::kTypes;
  using Set = dark::Set;
  static constexpr Set kRealSet = {1, 2, 2, 2, 2, 2, 5};

  enum Colour : std::uint8_t { kRed, kBlack, kUndecided };

  struct State {
    std::uint32_t ranks[3];   // bit planes of the ranks of face-up pieces
    std::uint32_t colour[2];  // face-up pieces, red and black
    std::uint32_t hidden;     // cells with a face-down piece
    // The face-down pieces: a bit per piece of the set, red's in the low half, and the
    // low bits of a type first, so that equal multisets are equal words.
    std::uint32_t pool;
    std::uint8_t turn;     // Colour to move; at chance: to move after the outcome
    std::uint8_t mover;    // the player of that colour
    std::uint8_t turning;  // square being turned up, or kNone
    std::uint8_t spare;
  };

  /// The board is 2 x 4 or 4 x 8 and each side's set fills half of it; see fits().
  DarkChess(int files, int ranks, const Set& set) : files_(files), ranks_(ranks), set_(set) {
    for (int file = 0; file < files; ++file)
      for (int rank = 0; rank < ranks; ++rank) {
        cell_[file * 8 + rank] = cells_;
        square_[cells_++] = file * 8 + rank;
        board_ |= bit(file * 8 + rank);
      }
    for (int colour = 0; colour < 2; ++colour) {
      int slot = 16 * colour;
      for (int kind = 0; kind < kKinds; ++kind)
        for (int i = 0; i < set[kind]; ++i, ++slot) {
          range_[colour * kKinds + kind] |= bit(slot);
          type_[slot] = static_cast<std::uint8_t>(colour * kKinds + kind);
        }
    }
    if (cells_ == dark::Boards::kCells) boards_.emplace(set);
    fill_actions();
  }

  /// Each side's pieces must come from a real set.
  static bool fits(int files, int ranks, const Set& set) {
    if (!(files == 2 && ranks == 4) && !(files == 4 && ranks == 8)) return false;
    int pieces = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
      if (set[kind] < 0 || set[kind] > kRealSet[kind]) return false;
      pieces += set[kind];
    }
    return 2 * pieces == files * ranks;
  }

  int players() const { return 2; }
  float max_score() const { return 1.0f; }

  State initial() const {
    State s{};
    s.hidden = board_;
    for (const std::uint32_t range : range_) s.pool |= range;
    s.turn = kUndecided;
    s.turning = kNone;
    return s;
  }

  int mover(const State& s) const { return s.mover; }
  bool at_chance(const State& s) const { return s.turning != kNone; }
  bool terminal(const State& s) const {
    if (s.hidden != 0 && alive(s, own_colour(s))) return false;
    return count(s) == 0;
  }

  // A move is from | to << 8, in squares; a piece is turned up where the two are equal.
  void legal(const State& s, MoveList& moves) const {
    const Choices choices = choices_of(s);
    for (const int word : {2, 0, 1, 3})  // pieces to turn up first
      for (std::uint64_t rest = choices.words[word]; rest; rest &= rest - 1)
        moves.push(choices.move(64 * word + std::countr_zero(rest)));
  }

  int count(const State& s) const {
    const Choices choices = choices_of(s);
    int number = 0;
    for (const std::uint64_t word : choices.words) number += std::popcount(word);
    return number;
  }

  void play(State& s, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    if (from == to)
      s.turning = static_cast<std::uint8_t>(from);
    else
      shift_piece(s, from, to);
    hand_over(s);
  }

  bool irreversible(const State& s, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    return from == to || (s.colour[own_colour(s) ^ 1] >> to & 1) != 0;
  }
  int landing(Move move) const { return cell_[move >> 8]; }

  // An outcome is the type of the piece turned up.
  void outcomes(const State& s, OutcomeList& list) const {
    const double all = std::popcount(s.pool);
    for (int type = 0; type < kTypes; ++type)
      if (const int number = std::popcount(s.pool & range_[type]))
        list.push({static_cast<Outcome>(type), number / all});
  }

  void resolve(State& s, Outcome outcome) const {
    turn_up(s, s.turning, static_cast<int>(outcome));
    s.turning = kNone;
  }

  /// Resolves a flip at once, so that the state after a ply is never at chance.
  Ply random_ply(State& s, Random& random) const {
    if (at_chance(s)) resolve(s, random_type(s, static_cast<std::uint32_t>(random.next())));
    const Choices choices = choices_of(s);
    std::uint32_t before[4], number = 0;  // moves in the words before this one
    for (int i = 0; i < 4; ++i) {
      before[i] = number;
      number += std::popcount(choices.words[i]);
    }
    if (number == 0) return Ply::over;
    // One random word for move and chance: its halves are independent.
    const std::uint64_t random_word = random.next();
    const auto pick = static_cast<std::uint32_t>(((random_word >> 32) * number) >> 32);
    const int word = (pick >= before[1]) + (pick >= before[2]) + (pick >= before[3]);
    const Move move = choices.move(64 * word + select_bit(choices.words[word], pick - before[word]));
    const int from = move & 0xFF, to = move >> 8;
    if (from == to) {
      const int type = random_type(s, static_cast<std::uint32_t>(random_word));
      hand_over(s);
      turn_up(s, to, type);
      return Ply::irreversible;
    }
    const bool capture = s.colour[own_colour(s) ^ 1] >> to & 1;
    shift_piece(s, from, to);
    hand_over(s);
    return capture ? Ply::irreversible : Ply::reversible;
  }

  void result(const State& s, float* scores) const {
    scores[0] = scores[1] = 0.5f;
    if (at_chance(s) || !terminal(s)) return;
    scores[s.mover] = 0.0f;
    scores[s.mover ^ 1] = 1.0f;
  }

  // hsueh2023's actions: a flip per cell, then for each cell in order the other cells of
  // its file and rank in order.
  int actions() const { return cells_ * (1 + lines()); }
  int action(const State&, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    return action_[from][to];
  }
  Move move(const State&, int action) const {
    if (action < cells_) return make_move(square_[action], square_[action]);
    const int from = square_[(action - cells_) / lines()];
    int left = (action - cells_) % lines();
    int cell = 0;
    while (!in_line(from, square_[cell]) || left-- > 0) ++cell;
    const int to = square_[cell], distance = std::abs(to - from);
    if (set_[kCannon] == 0 && distance != 1 && distance != 8) return kNoMove;
    return make_move(from, to);
  }

  // hsueh2023's planes, files as rows: the mover's face-up pieces by kind, the
  // opponent's, face-down cells, numbers of the mover's face-down pieces by kind, the
  // opponent's, a first and a second repetition, the second player to move, the fraction
  // of the no-progress limit used. Before colours are decided the mover counts as red.
  PlaneShape shape() const { return {33, files_, ranks_}; }
  int history() const { return 1; }
  int version() const { return 1; }
  void encode(std::span<const State> recent, const Context& context, float* out) const {
    const State& s = recent[0];
    const auto fill = [&](int plane, float value) { std::fill_n(out + plane * cells_, cells_, value); };
    std::fill(out, out + shape().size(), 0.0f);
    for (int side = 0; side < 2; ++side) {
      const int colour = own_colour(s) ^ side;
      for (int cell = 0; cell < cells_; ++cell)
        if (s.colour[colour] >> square_[cell] & 1)
          out[(side * kKinds + kind_at(s, square_[cell])) * cells_ + cell] = 1.0f;
      for (int kind = 0; kind < kKinds; ++kind)
        fill(15 + side * kKinds + kind,
             static_cast<float>(std::popcount(s.pool & range_[colour * kKinds + kind])));
    }
    for (int cell = 0; cell < cells_; ++cell)
      out[14 * cells_ + cell] = static_cast<float>(s.hidden >> square_[cell] & 1);
    fill(29, static_cast<float>(context.repetitions >= 1));
    fill(30, static_cast<float>(context.repetitions >= 2));
    fill(31, s.mover);
    fill(32, context.no_progress);
  }

  // Material, face-down pieces included: kings, guards, ministers, rooks, knights,
  // cannons, pawns. Then pursuit: for every face-up piece that could walk up to one it can
  // capture, a tenth for each step by which the walk is shorter than eleven.
  std::vector<float> default_weights() const { return {6.0f, 5.0f, 4.0f, 3.0f, 2.0f, 3.0f, 1.0f, 0.25f}; }
  float default_scale() const { return 0.25f; }
  void features(const State& s, int player, float* out) const {
    std::fill_n(out, kKinds + 1, 0.0f);
    if (s.turn == kUndecided) return;
    const int colour = player == s.mover ? s.turn : s.turn ^ 1;
    const Kinds up = kinds_of(s);
    for (int kind = 0; kind < kKinds; ++kind) {
      const std::uint32_t pieces = up.of(s, colour, kind);
      out[kind] =
          static_cast<float>(std::popcount(pieces) + std::popcount(s.pool & range_[colour * kKinds + kind]));
      if (kind != kCannon)
        walk(s, prey_of(s, up, colour, kind), pieces, [&](std::uint32_t reached, int steps) {
          out[kKinds] += 0.1f * static_cast<float>(std::max(11 - steps, 0) * std::popcount(reached));
        });
    }
  }

  // What there is, and who is how far from whom. A piece of the set is a place of 16 a side: the first n
  // places of a kind stand for n of its pieces. The mover's side first: all pieces; those face-down;
  // pieces whose walk to the nearest one they can capture takes 1, ..., 5, or more steps; pieces to which
  // the nearest one that can capture them has 1, ..., 4 steps; pieces that a cannon can capture; last, half
  // the number of face-down cells.
  static constexpr int kInputWords = 7;
  int input_count() const { return 64 * kInputWords; }
  /// Face-down pieces have no walk; every other group has a bit a piece at most, the last one 16.
  int max_inputs() const { return 4 * cells_ + 16; }
  void inputs(const State& s, std::uint64_t* words) const {
    std::fill_n(words, kInputWords, std::uint64_t{0});
    const Kinds up = kinds_of(s);
    const std::uint32_t occupied = s.colour[kRed] | s.colour[kBlack] | s.hidden;
    for (int side = 0; side < 2; ++side) {
      const int colour = own_colour(s) ^ side;
      const std::uint32_t jumped = jumped_by_cannons(up.of(s, colour ^ 1, kCannon), occupied);
      const auto add = [&](int group, int kind, int number) {
        const int input = 16 * group + std::countr_zero(range_[kind]);
        words[input / 64] |= ((std::uint64_t{1} << number) - 1) << input % 64;
      };
      for (int kind = 0; kind < kKinds; ++kind) {
        if (set_[kind] == 0) continue;
        const std::uint32_t pieces = up.of(s, colour, kind);
        const int face_down = std::popcount(s.pool & range_[colour * kKinds + kind]);
        add(side, kind, std::popcount(pieces) + face_down);
        add(2 + side, kind, face_down);
        if (pieces == 0) continue;
        if (kind != kCannon)
          count_steps(s, prey_of(s, up, colour, kind), pieces, kPreySteps,
                      [&](int steps, int number) { add(4 + kPreySteps * side + steps - 1, kind, number); });
        count_steps(s, hunters_of(s, up, colour, kind), pieces, kHunterSteps + 1, [&](int steps, int number) {
          if (steps <= kHunterSteps) add(16 + kHunterSteps * side + steps - 1, kind, number);
        });
        add(24 + side, kind, std::popcount(pieces & jumped));
      }
    }
    const int half = std::popcount(s.hidden) / 2;
    words[6] |= ((std::uint64_t{1} << half) - 1) << 32;
  }

  void captures(const State& s, MoveList& moves) const {
    const Choices choices = choices_of(s);
    const std::uint64_t enemies = s.colour[own_colour(s) ^ 1] * kTwice;
    for (int word = 0; word < 4; ++word)
      for (std::uint64_t rest = choices.words[word] & enemies; rest; rest &= rest - 1)
        moves.push(choices.move(64 * word + std::countr_zero(rest)));
  }

  /// Colours are decided: nobody can pass before.
  void give_turn(State& s, int player) const {
    if (s.mover == player) return;
    hand_over(s);
  }

  /// Independent of which player has the colour to move.
  std::uint64_t key(const State& s) const {
    const auto join = [](std::uint64_t high, std::uint64_t low) { return high << 32 | low; };
    std::uint64_t hash = mix64(join(s.pool, s.turn | s.turning << 8) + 1);
    hash = mix64(join(s.hidden, s.ranks[0]) + hash);
    hash = mix64(join(s.ranks[1], s.ranks[2]) + hash);
    return mix64(join(s.colour[0], s.colour[1]) + hash);
  }

  // Only the small game has an index: by board and colour to move. The start, colours
  // undecided, has the last index.
  std::uint64_t index_size() const { return boards_ ? 2 * boards_->size() + 1 : 0; }
  std::uint64_t index(const State& s) const {
    if (s.turn == kUndecided) return index_size() - 1;
    int symbols[8], group = 0;
    for (int cell = 0; cell < 8; ++cell) symbols[cell] = symbol_at(s, square_[cell]);
    for (std::uint32_t rest = s.pool; rest; rest &= rest - 1)
      group += boards_->hidden_weight(type_[std::countr_zero(rest)]);
    return boards_->number(symbols, group) * 2 + s.turn;
  }
  /// Player 0 gets red.
  State unindex(std::uint64_t index) const {
    if (index == index_size() - 1) return initial();
    const dark::Boards::Board board = boards_->board(index / 2);
    State s{};
    s.turn = s.mover = index % 2;
    s.turning = kNone;
    for (int type = 0; type < kTypes; ++type) s.pool |= first_of(type, board.hidden[type]);
    for (int cell = 0; cell < 8; ++cell)
      if (board.symbols[cell] == dark::kHiddenSymbol)
        s.hidden |= bit(square_[cell]);
      else if (board.symbols[cell] < kTypes)
        put(s, square_[cell], board.symbols[cell]);
    return s;
  }

  /// The boards of the small game; twice a board's number is the index with red to move.
  const dark::Boards& boards() const { return *boards_; }

  // Reflections along files, along ranks, and both.
  int symmetries() const { return 4; }
  State image(const State& s, int k) const {
    State seen = s;
    for (std::uint32_t* board :
         {&seen.ranks[0], &seen.ranks[1], &seen.ranks[2], &seen.colour[0], &seen.colour[1], &seen.hidden}) {
      std::uint32_t turned = 0;
      for (std::uint32_t rest = *board; rest; rest &= rest - 1)
        turned |= bit(reflected(std::countr_zero(rest), k));
      *board = turned;
    }
    if (s.turning != kNone) seen.turning = static_cast<std::uint8_t>(reflected(s.turning, k));
    return seen;
  }
  Move image(Move move, int k) const {
    return make_move(reflected(move & 0xFF, k), reflected(static_cast<int>(move >> 8), k));
  }

  // Fields: player to move, colour to move (2: undecided), cell being turned up or -1,
  // 14 numbers of face-down pieces by type, then a number per cell: 0 empty, 1 to 7
  // red's kinds, -1 to -7 black's, 8 face-down.
  std::vector<int> describe(const State& s) const {
    std::vector<int> fields = {s.mover, s.turn, at_chance(s) ? cell_[s.turning] : -1};
    for (const std::uint32_t range : range_) fields.push_back(std::popcount(s.pool & range));
    for (int cell = 0; cell < cells_; ++cell) {
      const int symbol = symbol_at(s, square_[cell]);
      fields.push_back(symbol == dark::kHiddenSymbol  ? kFaceDown
                       : symbol == dark::kEmptySymbol ? 0
                       : symbol < kKinds              ? symbol + 1
                                                      : kKinds - symbol - 1);
    }
    return fields;
  }
  bool is_valid(const State& s) const {
    const std::uint32_t up = s.colour[kRed] | s.colour[kBlack];
    if (s.turn > kUndecided || s.mover > 1 || s.turning > kNone || (up | s.hidden) & ~board_) return false;
    if ((s.colour[kRed] & s.colour[kBlack]) || (up & s.hidden) || (s.ranks[0] & s.ranks[1] & s.ranks[2]))
      return false;
    if (std::popcount(s.pool) != std::popcount(s.hidden)) return false;
    if (at_chance(s) && !(s.hidden >> s.turning & 1)) return false;
    std::uint32_t pool = 0;
    for (int type = 0; type < kTypes; ++type) {
      const int lying = std::popcount(s.pool & range_[type]);
      pool |= first_of(type, lying);
      std::uint32_t squares = s.colour[type / kKinds];
      for (int i = 0; i < 3; ++i) squares &= (6 - type % kKinds) >> i & 1 ? s.ranks[i] : ~s.ranks[i];
      if (std::popcount(squares) + lying > set_[type % kKinds]) return false;
    }
    return pool == s.pool;
  }
  std::string compose(std::span<const int> fields, State& s) const {
    if (static_cast<int>(fields.size()) != 3 + kTypes + cells_)
      return "the number of cells does not fit the board";
    if (fields[0] < 0 || fields[0] > 1) return "the player to move must be 1 or 2";
    if (fields[1] < kRed || fields[1] > kUndecided) return "the colour to move must be red or black";
    if (fields[2] < -1 || fields[2] >= cells_) return "the cell being turned up is not on the board";
    s = State{};
    s.mover = static_cast<std::uint8_t>(fields[0]);
    s.turn = static_cast<std::uint8_t>(fields[1]);
    s.turning = static_cast<std::uint8_t>(fields[2] < 0 ? kNone : square_[fields[2]]);
    int number[kTypes];
    for (int type = 0; type < kTypes; ++type) {
      number[type] = fields[3 + type];
      if (number[type] < 0) return "a number of face-down pieces cannot be negative";
      if (number[type] > set_[type % kKinds]) return too_many(type);
      s.pool |= first_of(type, number[type]);
    }
    for (int cell = 0; cell < cells_; ++cell) {
      const int piece = fields[3 + kTypes + cell];
      if (piece == kFaceDown)
        s.hidden |= bit(square_[cell]);
      else if (std::abs(piece) > kKinds)
        return "there is no piece of that kind";
      else if (piece != 0) {
        const int type = piece > 0 ? piece - 1 : kKinds - piece - 1;
        if (++number[type] > set_[type % kKinds]) return too_many(type);
        put(s, square_[cell], type);
      }
    }
    return what_is_wrong(s);
  }

 private:
  /// Bit 0 of k reverses files, bit 1 ranks.
  int reflected(int square, int k) const {
    const int file = square / 8, rank = square % 8;
    return (k & 1 ? files_ - 1 - file : file) * 8 + (k & 2 ? ranks_ - 1 - rank : rank);
  }

  static constexpr int kNone = 32;                         // no square
  static constexpr int kFaceDown = 8;                      // in fields
  static constexpr int kMaxCannons = 2;                    // of a real set
  static constexpr std::uint64_t kTwice = 0x100000001ULL;  // times this: both halves of a word

  static constexpr std::uint32_t bit(int i) { return std::uint32_t{1} << i; }
  static Move make_move(int from, int to) { return static_cast<Move>(from | to << 8); }

  /// Before colours are decided nothing is face-up, so either colour will do.
  static int own_colour(const State& s) { return s.turn & 1; }
  /// Whether a colour has any piece left, face-up or face-down.
  static bool alive(const State& s, int colour) {
    return (s.colour[colour] | (s.pool >> (16 * colour) & 0xFFFF)) != 0;
  }
  static int kind_at(const State& s, int square) {
    return 6 - static_cast<int>((s.ranks[0] >> square & 1) | (s.ranks[1] >> square & 1) << 1 |
                                (s.ranks[2] >> square & 1) << 2);
  }
  static int symbol_at(const State& s, int square) {
    const int black = s.colour[kBlack] >> square & 1, red = s.colour[kRed] >> square & 1;
    const int hidden = s.hidden >> square & 1;
    return black | red ? kind_at(s, square) + kKinds * black : dark::kEmptySymbol - hidden;
  }

  static void put(State& s, int square, int type) {
    const auto rank = static_cast<std::uint32_t>(6 - type % kKinds);
    for (int i = 0; i < 3; ++i) s.ranks[i] |= (rank >> i & 1) << square;
    s.colour[type / kKinds] |= bit(square);
  }

  static void hand_over(State& s) {
    s.mover ^= 1;
    s.turn ^= s.turn < kUndecided;
  }

  /// Moves an own piece; an opponent's piece on the target is captured.
  static void shift_piece(State& s, int from, int to) {
    const std::uint32_t both = bit(from) | bit(to);
    for (std::uint32_t& plane : s.ranks) plane = (plane & ~both) | (plane >> from & 1) << to;
    const int own = own_colour(s);
    s.colour[own] ^= both;
    s.colour[own ^ 1] &= ~both;
  }

  /// Turns up a face-down piece, after the turn has passed. The first one gives its
  /// colour to the player who turned it up, so the other colour is to move.
  void turn_up(State& s, int square, int type) const {
    s.hidden ^= bit(square);
    put(s, square, type);
    const std::uint32_t range = range_[type];
    s.pool = (s.pool & ~range) | ((s.pool & range) >> 1 & range);
    if (s.turn == kUndecided) s.turn = static_cast<std::uint8_t>(type / kKinds ^ 1);
  }

  int random_type(const State& s, std::uint32_t random) const {
    const auto all = static_cast<std::uint64_t>(std::popcount(s.pool));
    return type_[select_bit(s.pool, static_cast<std::uint32_t>((random * all) >> 32))];
  }

  /// All legal moves as sets of target squares, two 32-bit sets to a word: to the next
  /// rank, the next file, the previous rank, the previous file, pieces to turn up, and
  /// what each of two cannons can jump to. Set and target determine the origin.
  struct Choices {
    std::uint64_t words[4];
    int from[8];  // per set: what to add to the target, or for a cannon its square

    Move move(int index) const {
      const int set = index >> 5, to = index & 31;
      return make_move(set < 5 ? to + from[set] : from[set], to);
    }
  };

  Choices choices_of(const State& s) const {
    const int colour = own_colour(s);
    const std::uint32_t own = s.colour[colour], enemy = s.colour[colour ^ 1];
    const std::uint32_t occupied = own | enemy | s.hidden;

    const std::uint64_t empty = (board_ & ~occupied) * kTwice, enemies = enemy * kTwice;
    const std::uint64_t e0 = s.ranks[0] * kTwice, e1 = s.ranks[1] * kTwice, e2 = s.ranks[2] * kTwice;
    const std::uint64_t enemy_pawn = ~(e0 | e1 | e2), enemy_king = e2 & e1;
    // Given the ranks and squares of own pieces, each moved by a step: legal targets.
    const auto targets = [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t a2, std::uint64_t stepped) {
      const std::uint64_t high_enough = (a2 & ~e2) | (~(a2 ^ e2) & ((a1 & ~e1) | (~(a1 ^ e1) & (a0 | ~e0))));
      const std::uint64_t king = a2 & a1, cannon = ~a2 & ~a1 & a0, pawn = ~(a0 | a1 | a2);
      const std::uint64_t takes = (high_enough & ~cannon & ~(king & enemy_pawn)) | (pawn & enemy_king);
      return stepped & (empty | (enemies & takes));
    };
    // Upward: a rank (low half) and a file (high half) further. Bits that cross between
    // the halves, or from one file to another, never belong to stepped own pieces.
    const auto up = [](std::uint64_t x) { return x << 1 | x << 40; };
    const auto down = [](std::uint64_t x) { return x >> 1 | (x >> 8) << 32; };
    const std::uint64_t stepped_up = std::uint64_t{own & 0x7F7F7F7F} << 1 | std::uint64_t{own} << 40;
    const std::uint64_t stepped_down = (own & 0xFEFEFEFE) >> 1 | std::uint64_t{own >> 8} << 32;

    Choices choices{{}, {-1, -8, 1, 8, 0, 0, 0, 0}};
    choices.words[0] = targets(up(s.ranks[0]), up(s.ranks[1]), up(s.ranks[2]), stepped_up);
    choices.words[1] = targets(down(s.ranks[0]), down(s.ranks[1]), down(s.ranks[2]), stepped_down);

    // A colour without pieces has lost, even if it could turn up others.
    std::uint64_t sets[1 + kMaxCannons] = {alive(s, colour) ? s.hidden : 0};
    std::uint32_t cannons = own & ~s.ranks[2] & ~s.ranks[1] & s.ranks[0];
    for (int i = 1; cannons; ++i, cannons &= cannons - 1) {
      const int square = std::countr_zero(cannons);
      sets[i] = jumps(square, occupied) & enemy;
      choices.from[4 + i] = square;
    }
    choices.words[2] = sets[0] | sets[1] << 32;
    choices.words[3] = sets[2];
    return choices;
  }

  /// Pieces behind exactly one other, seen from a square along file and rank.
  static std::uint32_t jumps(int square, std::uint32_t occupied) {
    const int file = square >> 3, rank = square & 7;
    const std::uint32_t along_file = occupied >> (8 * file) & 0xFF;
    // Gathers the bits of one rank, eight apart, into four neighbouring ones.
    const std::uint32_t along_rank = ((occupied >> rank & 0x01010101) * 0x01020408) >> 24 & 0xF;
    return std::uint32_t{kJumps.file[rank][along_file]} << (8 * file) | kJumps.rank[file][along_rank] << rank;
  }

  struct Jumps {
    std::uint8_t file[8][256];  // [own place][occupied places of the line]
    std::uint32_t rank[4][16];  // the same for four places, bits eight apart again
  };
  static constexpr Jumps kJumps = [] {
    Jumps table{};
    const auto behind_one = [](int place, int occupied, int length) {
      int found = 0;
      for (const int step : {-1, 1}) {
        int seen = 0;
        for (int i = place + step; i >= 0 && i < length && seen < 2; i += step)
          if (occupied >> i & 1 && ++seen == 2) found |= 1 << i;
      }
      return found;
    };
    for (int place = 0; place < 8; ++place)
      for (int occupied = 0; occupied < 256; ++occupied)
        table.file[place][occupied] = static_cast<std::uint8_t>(behind_one(place, occupied, 8));
    for (int place = 0; place < 4; ++place)
      for (int occupied = 0; occupied < 16; ++occupied)
        for (int i = 0; i < 4; ++i)
          table.rank[place][occupied] |= static_cast<std::uint32_t>(behind_one(place, occupied, 4) >> i & 1)
                                         << (8 * i);
    return table;
  }();

  /// Face-up pieces of both colours by kind.
  struct Kinds {
    std::uint32_t pieces[kKinds];
    std::uint32_t of(const State& s, int colour, int kind) const { return pieces[kind] & s.colour[colour]; }
  };
  static Kinds kinds_of(const State& s) {
    Kinds kinds;
    for (int kind = 0; kind < kKinds; ++kind) {
      const int rank = 6 - kind;
      std::uint32_t pieces = ~std::uint32_t{0};
      for (int i = 0; i < 3; ++i) pieces &= rank >> i & 1 ? s.ranks[i] : ~s.ranks[i];
      kinds.pieces[kind] = pieces;
    }
    return kinds;
  }

  /// Whether a step of a piece can capture; cannons capture by jumps alone.
  static bool takes(int kind, int other) {
    if (kind == kCannon || (kind == kKing && other == kPawn)) return false;
    return other >= kind || (kind == kPawn && other == kKing);
  }
  /// The opponent's pieces that a colour's pieces of a kind can capture by a step.
  static std::uint32_t prey_of(const State& s, const Kinds& up, int colour, int kind) {
    std::uint32_t prey = 0;
    for (int other = 0; other < kKinds; ++other)
      if (takes(kind, other)) prey |= up.pieces[other];
    return prey & s.colour[colour ^ 1];
  }
  /// The opponent's pieces that can capture a colour's pieces of a kind by a step.
  static std::uint32_t hunters_of(const State& s, const Kinds& up, int colour, int kind) {
    std::uint32_t hunters = 0;
    for (int other = 0; other < kKinds; ++other)
      if (takes(other, kind)) hunters |= up.pieces[other];
    return hunters & s.colour[colour ^ 1];
  }

  static std::uint32_t neighbours(std::uint32_t squares) {
    return (squares & 0x7F7F7F7F) << 1 | (squares & 0xFEFEFEFE) >> 1 | squares << 8 | squares >> 8;
  }
  /// Calls back with those of `pieces` that are a number of steps over empty cells from `goals`, for
  /// each number of steps at which there are some.
  template <class Found>
  void walk(const State& s, std::uint32_t goals, std::uint32_t pieces, Found&& found) const {
    const std::uint32_t empty = board_ & ~(s.colour[kRed] | s.colour[kBlack] | s.hidden);
    std::uint32_t seen = goals, front = goals;
    for (int steps = 1; front != 0 && pieces != 0; ++steps) {
      const std::uint32_t next = neighbours(front) & ~seen;
      if (const std::uint32_t reached = next & pieces) {
        found(reached, steps);
        pieces &= ~reached;
      }
      seen |= next;
      front = next & empty;
    }
  }
  /// Calls back with numbers of steps, more than `most` counted as such, and numbers of pieces.
  template <class Found>
  void count_steps(const State& s, std::uint32_t goals, std::uint32_t pieces, int most, Found&& found) const {
    int further = 0;
    walk(s, goals, pieces, [&](std::uint32_t reached, int steps) {
      if (steps < most)
        found(steps, std::popcount(reached));
      else
        further += std::popcount(reached);
    });
    if (further) found(most, further);
  }
  static constexpr int kPreySteps = 6, kHunterSteps = 4;

  /// The squares with pieces that cannons can jump to.
  static std::uint32_t jumped_by_cannons(std::uint32_t cannons, std::uint32_t occupied) {
    std::uint32_t found = 0;
    for (; cannons; cannons &= cannons - 1) found |= jumps(std::countr_zero(cannons), occupied);
    return found;
  }

  /// Number of other cells in the file and rank of a cell.
  int lines() const { return files_ + ranks_ - 2; }
  static bool in_line(int a, int b) { return a != b && ((a ^ b) < 8 || (a & 7) == (b & 7)); }

  /// The bits of the pool for a number of pieces of a type.
  std::uint32_t first_of(int type, int number) const {
    const int lowest = std::countr_zero(range_[type]);
    return number == 0 ? 0 : (bit(number) - 1) << lowest;
  }

  std::string too_many(int type) const {
    static const char* names[kKinds] = {"kings",   "guards",  "ministers", "rooks",
                                        "knights", "cannons", "pawns"};
    const int most = set_[type % kKinds];
    return std::string("there are too many ") + (type < kKinds ? "red " : "black ") + names[type % kKinds] +
           ": the set has " + (most ? std::to_string(most) : "none");
  }

  /// Why a state whose pieces are those of the set cannot occur, or an empty string.
  std::string what_is_wrong(const State& s) const {
    const int lying = std::popcount(s.hidden), listed = std::popcount(s.pool);
    if (lying != listed)
      return "the face-down cells are " + std::to_string(lying) + ", but the face-down pieces " +
             std::to_string(listed);
    if (at_chance(s) && !(s.hidden >> s.turning & 1)) return "only a face-down piece can be turned up";
    const bool untouched = (s.colour[kRed] | s.colour[kBlack]) == 0;
    if (s.turn == kUndecided) {
      if (!untouched || s.hidden != board_) return "colours are decided as soon as a piece is face-up";
      if (s.mover != static_cast<int>(at_chance(s))) return "player 1 turns up the first piece";
      return "";
    }
    if (untouched) return "colours are not decided before a piece is face-up";
    if (!alive(s, s.turn ^ 1)) return "the player to move has already won";
    if (at_chance(s) && !alive(s, s.turn)) return "the game is over, so no piece is turned up";
    return "";
  }

  /// Tabulated, because a search needs actions at every leaf.
  void fill_actions() {
    for (int cell = 0; cell < cells_; ++cell) {
      int action = cells_ + cell * lines();
      const int from = square_[cell];
      for (int other = 0; other < cells_; ++other)
        if (in_line(from, square_[other]))
          action_[from][square_[other]] = static_cast<std::uint16_t>(action++);
      action_[from][from] = static_cast<std::uint16_t>(cell);
    }
  }

  int files_, ranks_, cells_ = 0;
  Set set_;
  std::uint32_t board_ = 0;
  int square_[32] = {};                 // of a cell
  int cell_[32] = {};                   // of a square
  std::uint32_t range_[kTypes] = {};    // bits of the pool by type
  std::uint8_t type_[32] = {};          // type of a bit of the pool
  std::uint16_t action_[32][32] = {};   // [from][to], in squares
  std::optional<dark::Boards> boards_;  // of the small game
};

static_assert(Game<DarkChess> && sizeof(DarkChess::State) <= 64);

}  // namespace halma
