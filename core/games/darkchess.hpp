// Chinese dark chess: the real game on 4 x 8 cells, and the small one on 2 x 4. Cells, squares and ranks are
// explained in darkchess_state.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "../bits.hpp"
#include "darkchess_boards.hpp"
#include "darkchess_evaluation.hpp"

namespace halma {

namespace dark {

class DarkChess {
 public:
  class Layers;  // the order of solving: darkchess_layers.hpp

  using Set = dark::Set;
  using State = dark::State;

  static constexpr Set kRealSet = {1, 2, 2, 2, 2, 2, 5};

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
    evaluation_ = Evaluation(board_, set, range_);
    if (cells_ == Boards::kCells) boards_.emplace(set);
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
    const Choices choices = choices_of(s, board_);
    for (const int word : {2, 0, 1, 3})  // pieces to turn up first
      for (std::uint64_t rest = choices.words[word]; rest; rest &= rest - 1)
        moves.push(choices.move(64 * word + std::countr_zero(rest)));
  }

  int count(const State& s) const {
    const Choices choices = choices_of(s, board_);
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
    const Choices choices = choices_of(s, board_);
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

  std::vector<float> default_weights() const { return evaluation_.weights(); }
  float default_scale() const { return evaluation_.scale(); }
  void features(const State& s, int player, float* out) const { evaluation_.features(s, player, out); }

  static constexpr int kInputWords = Evaluation::kInputWords;
  int input_count() const { return evaluation_.input_count(); }
  int max_inputs() const { return evaluation_.max_inputs(); }
  void inputs(const State& s, std::uint64_t* words) const { evaluation_.inputs(s, words); }

  void captures(const State& s, MoveList& moves) const {
    const Choices choices = choices_of(s, board_);
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
    const Boards::Board board = boards_->board(index / 2);
    State s{};
    s.turn = s.mover = index % 2;
    s.turning = kNone;
    for (int type = 0; type < kTypes; ++type) s.pool |= first_of(type, board.hidden[type]);
    for (int cell = 0; cell < 8; ++cell)
      if (board.symbols[cell] == kHiddenSymbol)
        s.hidden |= bit(square_[cell]);
      else if (board.symbols[cell] < kTypes)
        put(s, square_[cell], board.symbols[cell]);
    return s;
  }

  /// The boards of the small game; twice a board's number is the index with red to move.
  const Boards& boards() const { return *boards_; }

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
      fields.push_back(symbol == kHiddenSymbol  ? kFaceDown
                       : symbol == kEmptySymbol ? 0
                       : symbol < kKinds        ? symbol + 1
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

  static constexpr int kFaceDown = 8;  // in fields

  static int symbol_at(const State& s, int square) {
    const int black = s.colour[kBlack] >> square & 1, red = s.colour[kRed] >> square & 1;
    const int hidden = s.hidden >> square & 1;
    return black | red ? kind_at(s, square) + kKinds * black : dark::kEmptySymbol - hidden;
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
  int square_[32] = {};                // of a cell
  int cell_[32] = {};                  // of a square
  std::uint32_t range_[kTypes] = {};   // bits of the pool by type
  std::uint8_t type_[32] = {};         // type of a bit of the pool
  std::uint16_t action_[32][32] = {};  // [from][to], in squares
  Evaluation evaluation_;
  std::optional<Boards> boards_;  // of the small game
};

}  // namespace dark

using dark::DarkChess;

static_assert(Game<DarkChess> && sizeof(DarkChess::State) <= 64);

}  // namespace halma
