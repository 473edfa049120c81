// EinStein würfelt nicht! on any board up to 8 x 8 with up to six pieces a side.
//
// Cells are numbered row by row from the top left. Red (player 0) starts there and
// moves right, down or both; blue (player 1) is its half-turn image. A state has a
// byte per piece, so captures are found by one comparison of eight bytes at once, and
// the pieces a die allows come from a table; a random ply has no branch on the board.
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstdlib>

#include "../game.hpp"
#include "../indexing.hpp"

namespace halma {

class Einstein {
 public:
  class Layers;  // the order of solving: einstein_layers.hpp

  static constexpr int kMaxPieces = 6;
  static constexpr int kMaxCells = 64;

  enum Phase : std::uint8_t { kPlaying, kPlacingRed, kPlacingBlue };

  struct State {
    std::uint64_t pieces[2];  // byte i: cell of piece i, kGone when captured or absent
    std::uint8_t mover;
    std::uint8_t die;     // 1 to P; 0 before it is rolled
    std::uint8_t phase;   // a Phase
    std::uint8_t winner;  // 0 none, 1 red, 2 blue
    std::uint8_t spare[4];
  };

  /// The board must have room for both set-ups: see fits().
  Einstein(int width, int height, int pieces)
      : width_(width), height_(height), cells_(width * height), pieces_(pieces) {
    fill_start_cells(width, height, pieces, start_);
    fill_steps();
    fill_candidates();
    fill_offsets();
  }

  static bool fits(int width, int height, int pieces) {
    if (width < 2 || height < 2 || width > 8 || height > 8 || pieces < 1 || pieces > kMaxPieces) return false;
    if (pieces > width * height) return false;
    int start[kMaxPieces];
    fill_start_cells(width, height, pieces, start);
    for (int i = 0; i < pieces; ++i)
      for (int j = 0; j < pieces; ++j)
        if (start[i] == width * height - 1 - start[j]) return false;  // the set-ups overlap
    return true;
  }

  int width() const { return width_; }
  int height() const { return height_; }
  int pieces() const { return pieces_; }
  /// Cells of red's set-up, in the order of placements.
  std::span<const int> start_cells() const { return {start_, static_cast<std::size_t>(pieces_)}; }

  int players() const { return 2; }
  float max_score() const { return 1.0f; }

  State initial() const { return State{{kNobody, kNobody}, 0, 0, kPlacingRed, 0, {}}; }

  int mover(const State& s) const { return s.mover; }
  bool terminal(const State& s) const { return s.winner != 0; }
  bool at_chance(const State& s) const { return s.winner == 0 && s.die == 0; }

  // A move is from | to << 8.
  void legal(const State& s, MoveList& moves) const {
    if (s.winner) return;
    const auto [low, high] = candidates_[alive(s.pieces[s.mover])][s.die];
    for (const int piece : {low, high}) {
      const int from = cell_of(s.pieces[s.mover], piece);
      for (int k = 0; k < step_count_[s.mover][from]; ++k)
        moves.push(static_cast<Move>(from | steps_[s.mover][from][k] << 8));
    }
  }

  int count(const State& s) const {
    if (s.winner) return 0;
    const auto [low, high] = candidates_[alive(s.pieces[s.mover])][s.die];
    const std::uint64_t own = s.pieces[s.mover];
    return step_count_[s.mover][cell_of(own, low)] + step_count_[s.mover][cell_of(own, high)];
  }

  void play(State& s, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    const int piece = std::countr_zero(equal_bytes(s.pieces[s.mover], from)) >> 3;
    relocate(s, piece, to);
  }

  bool irreversible(const State&, Move) const { return true; }  // pieces only move forward
  int landing(Move move) const { return static_cast<int>(move >> 8); }

  // Outcomes: ranks of permutations in lexicographic order for placements, 1 to P for
  // the die.
  void outcomes(const State& s, OutcomeList& list) const {
    const auto number = static_cast<Outcome>(s.phase == kPlaying ? pieces_ : arrangements(pieces_, pieces_));
    const Outcome first = s.phase == kPlaying ? 1 : 0;
    for (Outcome i = 0; i < number; ++i) list.push({first + i, 1.0 / number});
  }

  void resolve(State& s, Outcome outcome) const {
    if (s.phase == kPlaying) {
      s.die = static_cast<std::uint8_t>(outcome);
      return;
    }
    int order[kMaxPieces];  // order[i]: the piece on start cell i
    unrank_arrangement(outcome, {order, static_cast<std::size_t>(pieces_)}, pieces_);
    const bool blue = s.phase == kPlacingBlue;
    std::uint64_t placed = kNobody;
    for (int i = 0; i < pieces_; ++i)
      placed = with_cell(placed, order[i], blue ? cells_ - 1 - start_[i] : start_[i]);
    s.pieces[blue] = placed;
    s.phase = blue ? kPlaying : kPlacingBlue;
  }

  Ply random_ply(State& s, Random& random) const {
    if (s.winner) return Ply::over;
    while (s.phase != kPlaying)
      resolve(s, random.below(static_cast<std::uint32_t>(arrangements(pieces_, pieces_))));
    // One random word for die and move: its halves are independent.
    const std::uint64_t word = random.next();
    const int rolled = 1 + static_cast<int>(((word & 0xFFFFFFFF) * pieces_) >> 32);
    const int die = s.die ? s.die : rolled;
    const std::uint64_t own = s.pieces[s.mover];
    const auto [low, high] = candidates_[alive(own)][die];
    const int low_from = cell_of(own, low), high_from = cell_of(own, high);
    const int low_steps = step_count_[s.mover][low_from];
    const int all_steps = low_steps + step_count_[s.mover][high_from];
    const int pick = static_cast<int>(((word >> 32) * all_steps) >> 32);
    const bool second = pick >= low_steps;
    const int from = second ? high_from : low_from;
    const int to = steps_[s.mover][from][second ? pick - low_steps : pick];
    relocate(s, second ? high : low, to);
    return Ply::irreversible;
  }

  void result(const State& s, float* scores) const {
    scores[0] = s.winner ? static_cast<float>(s.winner == 1) : 0.5f;
    scores[1] = 1.0f - scores[0];
  }

  // hsueh2023's six actions: {piece <= die, piece > die} x {diagonal, horizontal,
  // vertical}.
  int actions() const { return 6; }
  int action(const State& s, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    const int piece = std::countr_zero(equal_bytes(s.pieces[s.mover], from)) >> 3;
    const int distance = std::abs(to - from);
    const int direction = distance == 1 ? 1 : distance == width_ ? 2 : 0;
    return (piece + 1 > s.die ? 3 : 0) + direction;
  }
  Move move(const State& s, int action) const {
    const auto [low, high] = candidates_[alive(s.pieces[s.mover])][s.die];
    // If the die's own piece is on the board, it is the only candidate: the lower one.
    const int piece = action < 3 ? low : high;
    const int from = cell_of(s.pieces[s.mover], piece);
    if (from == kGone) return kNoMove;
    const int to = neighbour(s.mover, from, action % 3);
    return to < 0 ? kNoMove : static_cast<Move>(from | to << 8);
  }

  // Planes: P of own pieces, P of the opponent's, P of the die, the rolled one full of
  // ones. Blue sees the board turned by half.
  PlaneShape shape() const { return {3 * pieces_, height_, width_}; }
  int history() const { return 1; }
  int version() const { return 1; }
  bool uses_context() const { return false; }
  bool byte_planes() const { return true; }
  template <class Cell>
  void encode(std::span<const State> recent, const Context&, Cell* out) const {
    const State& s = recent[0];
    std::fill(out, out + shape().size(), Cell{0});
    for (int side = 0; side < 2; ++side)
      for (int piece = 0; piece < pieces_; ++piece) {
        const int cell = cell_of(s.pieces[s.mover ^ side], piece);
        if (cell != kGone)
          out[(side * pieces_ + piece) * cells_ + (s.mover ? cells_ - 1 - cell : cell)] = Cell{1};
      }
    if (s.die) std::fill_n(out + (2 * pieces_ + s.die - 1) * cells_, cells_, Cell{1});
  }

  // Distance of the foremost piece to its corner, sum of all distances (0 for a captured
  // piece), and number of pieces.
  std::vector<float> default_weights() const { return {-0.6f, -0.05f, 0.1f}; }
  float default_scale() const { return 0.8f; }
  void features(const State& s, int player, float* out) const {
    int nearest = 8, all = 0, standing = 0;
    for (int piece = 0; piece < pieces_; ++piece) {
      const int cell = cell_of(s.pieces[player], piece);
      if (cell == kGone) continue;
      const int columns = std::abs(goal(player) % width_ - cell % width_);
      const int rows = std::abs(goal(player) / width_ - cell / width_);
      nearest = std::min(nearest, std::max(columns, rows));
      all += std::max(columns, rows);
      ++standing;
    }
    out[0] = static_cast<float>(nearest);
    out[1] = static_cast<float>(all);
    out[2] = static_cast<float>(standing);
  }

  // Own pieces and the opponent's by number and cell, blue seeing the board turned by half. The die is
  // left out: it decides between the moves of one turn, and says nothing of the next.
  static constexpr int kInputWords = 2 * kMaxPieces * kMaxCells / 64;
  static constexpr bool kInputsBeforeChance = true;
  int input_count() const { return 2 * pieces_ * cells_; }
  int max_inputs() const { return 2 * pieces_; }
  void inputs(const State& s, std::uint64_t* words) const {
    std::fill_n(words, kInputWords, std::uint64_t{0});
    for (int side = 0; side < 2; ++side)
      for (int piece = 0; piece < pieces_; ++piece) {
        const int cell = cell_of(s.pieces[s.mover ^ side], piece);
        if (cell == kGone) continue;
        const int input = (side * pieces_ + piece) * cells_ + (s.mover ? cells_ - 1 - cell : cell);
        words[input / 64] |= std::uint64_t{1} << input % 64;
      }
  }

  // Advance is towards the far corner, rows plus columns, so that a diagonal step counts
  // two.
  int advance(const State& s, Move move) const { return trailing(s, move) - to_go(s.mover, move >> 8); }
  int trailing(const State& s, Move move) const { return to_go(s.mover, move & 0xFF); }

  std::uint64_t key(const State& s) const {
    const std::uint64_t rest = s.mover | s.die << 1 | s.phase << 4;
    return mix64(s.pieces[0] + mix64(s.pieces[1] + mix64(rest + 1)));
  }

  // Boards are grouped by the pieces on the board, then ranked by their cells.
  std::uint64_t index_size() const { return boards_ * 2 * pieces_; }
  std::uint64_t index(const State& s) const {
    const int red = alive(s.pieces[0]), blue = alive(s.pieces[1]);
    int cells[2 * kMaxPieces], standing = 0;
    for (int side = 0; side < 2; ++side)
      for (int piece = 0; piece < pieces_; ++piece)
        if (const int cell = cell_of(s.pieces[side], piece); cell != kGone) cells[standing++] = cell;
    const std::uint64_t board = offsets_[red << pieces_ | blue] +
                                rank_arrangement({cells, static_cast<std::size_t>(standing)}, cells_);
    return (board * 2 + s.mover) * pieces_ + (s.die - 1);
  }
  State unindex(std::uint64_t index) const {
    State s{{kNobody, kNobody}, 0, 0, kPlaying, 0, {}};
    s.die = static_cast<std::uint8_t>(index % pieces_ + 1);
    index /= pieces_;
    s.mover = index % 2;
    index /= 2;
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), index);
    const int group = static_cast<int>(after - offsets_.begin()) - 1;
    const int standing = std::popcount(static_cast<unsigned>(group));
    int cells[2 * kMaxPieces];
    unrank_arrangement(index - offsets_[group], {cells, static_cast<std::size_t>(standing)}, cells_);
    const int* cell = cells;
    for (int side = 0; side < 2; ++side)
      for (int piece = 0; piece < pieces_; ++piece)
        if (group >> (side == 0 ? pieces_ : 0) >> piece & 1)
          s.pieces[side] = with_cell(s.pieces[side], piece, *cell++);
    s.winner = winner_of(s);
    return s;
  }

  // A square board has a transposition.
  int symmetries() const { return width_ == height_ ? 2 : 1; }
  State image(const State& s, int k) const {
    if (k == 0) return s;
    State seen = s;
    for (std::uint64_t& pieces : seen.pieces)
      for (int i = 0; i < pieces_; ++i) {
        const int cell = cell_of(pieces, i);
        if (cell != kGone) pieces = with_cell(pieces, i, transposed(cell));
      }
    return seen;
  }
  Move image(Move move, int k) const {
    if (k == 0) return move;
    return static_cast<Move>(transposed(move & 0xFF) | transposed(static_cast<int>(move >> 8)) << 8);
  }

  // Fields: mover, die, phase, then a number per cell: 0 empty, i red's piece i, -i
  // blue's piece i.
  std::vector<int> describe(const State& s) const {
    std::vector<int> fields(3 + cells_);
    fields[0] = s.mover;
    fields[1] = s.die;
    fields[2] = s.phase;
    for (int side = 0; side < 2; ++side)
      for (int piece = 0; piece < pieces_; ++piece)
        if (const int cell = cell_of(s.pieces[side], piece); cell != kGone)
          fields[3 + cell] = side ? -(piece + 1) : piece + 1;
    return fields;
  }
  bool is_valid(const State& s) const {
    if (s.mover > 1 || s.die > pieces_ || s.phase > kPlacingBlue || s.winner > 3) return false;
    std::bitset<kGone> taken;
    for (const std::uint64_t side : s.pieces)
      for (int piece = 0; piece < 8; ++piece) {
        const int cell = cell_of(side, piece);
        if (cell == kGone) continue;
        if (piece >= pieces_ || cell >= cells_ || taken[static_cast<std::size_t>(cell)]) return false;
        taken[static_cast<std::size_t>(cell)] = true;
      }
    return true;
  }
  std::string compose(std::span<const int> fields, State& s) const {
    if (static_cast<int>(fields.size()) != 3 + cells_) return "the number of cells does not fit the board";
    if (fields[0] < 0 || fields[0] > 1) return "the player to move must be red or blue";
    if (fields[1] < 0 || fields[1] > pieces_) return "the die must show 1 to " + std::to_string(pieces_);
    if (fields[2] < kPlaying || fields[2] > kPlacingBlue) return "the phase is unknown";
    s = State{{kNobody, kNobody},
              static_cast<std::uint8_t>(fields[0]),
              static_cast<std::uint8_t>(fields[1]),
              static_cast<std::uint8_t>(fields[2]),
              0,
              {}};
    for (int cell = 0; cell < cells_; ++cell) {
      const int piece = fields[3 + cell];
      if (piece == 0) continue;
      if (std::abs(piece) > pieces_) return "there is no piece " + std::to_string(std::abs(piece));
      std::uint64_t& side = s.pieces[piece < 0];
      if (cell_of(side, std::abs(piece) - 1) != kGone)
        return std::string(piece < 0 ? "blue" : "red") + " has two pieces " + std::to_string(std::abs(piece));
      side = with_cell(side, std::abs(piece) - 1, cell);
    }
    if (s.phase != kPlaying) return compose_placing(s);
    s.winner = winner_of(s);
    if (s.winner && s.winner == s.mover + 1) return "the player to move has already won";
    if (s.winner && s.winner == 3) return "both sides have won";
    if (s.winner && s.die) return "the game is over, so there is no die to roll";
    return "";
  }

 private:
  int transposed(int cell) const { return cell % width_ * width_ + cell / width_; }

  static constexpr int kGone = 0x80;  // above every cell, and a byte's top bit
  static constexpr std::uint64_t kNobody = 0x8080808080808080ULL;
  static constexpr std::uint64_t kOnes = 0x0101010101010101ULL;

  static int cell_of(std::uint64_t pieces, int piece) { return pieces >> (8 * piece) & 0xFF; }
  static std::uint64_t with_cell(std::uint64_t pieces, int piece, int cell) {
    const int shift = 8 * piece;
    return (pieces & ~(std::uint64_t{0xFF} << shift)) | static_cast<std::uint64_t>(cell) << shift;
  }
  /// Bit i is set if piece i is on the board: collects the cleared top bits.
  static int alive(std::uint64_t pieces) {
    return static_cast<int>(((~pieces & kNobody) * 0x0002040810204081ULL) >> 56);
  }
  /// The top bit of each byte that equals `cell`. Bytes are below 0x81, so adding
  /// 0x7F to a difference sets the top bit exactly if it is not zero.
  static std::uint64_t equal_bytes(std::uint64_t pieces, int cell) {
    const std::uint64_t difference = pieces ^ (kOnes * static_cast<std::uint64_t>(cell));
    return ~(((difference & ~kNobody) + ~kNobody) | difference) & kNobody;
  }

  /// Moves a piece of the mover, captures any piece on the cell, of either colour, and
  /// passes the turn.
  void relocate(State& s, int piece, int to) const {
    std::uint64_t& own = s.pieces[s.mover];
    std::uint64_t& other = s.pieces[s.mover ^ 1];
    // A captured byte becomes exactly kGone: clear its low bits, set its top bit.
    const std::uint64_t own_hit = equal_bytes(own, to), other_hit = equal_bytes(other, to);
    own = (own & ~(own_hit - (own_hit >> 7))) | own_hit;
    other = (other & ~(other_hit - (other_hit >> 7))) | other_hit;
    own = with_cell(own, piece, to);
    const bool won = to == goal(s.mover) || other == kNobody;
    s.winner = static_cast<std::uint8_t>(won ? s.mover + 1 : 0);
    s.mover ^= 1;
    s.die = 0;
  }

  int goal(int player) const { return player ? 0 : cells_ - 1; }
  int to_go(int player, int cell) const {
    const int from_red_corner = cell % width_ + cell / width_;
    return player ? from_red_corner : width_ + height_ - 2 - from_red_corner;
  }

  /// 1 or 2, 0 for none, 3 for a board on which both have won.
  std::uint8_t winner_of(const State& s) const {
    const bool red = equal_bytes(s.pieces[0], goal(0)) != 0 || s.pieces[1] == kNobody;
    const bool blue = equal_bytes(s.pieces[1], goal(1)) != 0 || s.pieces[0] == kNobody;
    return static_cast<std::uint8_t>(red + 2 * blue);
  }

  std::string compose_placing(const State& s) const {
    if (s.die) return "no die is rolled before the pieces are placed";
    if (s.mover != 0) return "red moves first";
    if (s.pieces[1] != kNobody) return "blue's pieces are still to be placed";
    if (s.phase == kPlacingRed) return s.pieces[0] == kNobody ? "" : "red's pieces are still to be placed";
    int placed = 0;
    for (const int cell : start_cells()) placed += equal_bytes(s.pieces[0], cell) != 0;
    return placed == pieces_ ? "" : "red's pieces are not on their start cells";
  }

  int neighbour(int player, int cell, int direction) const {
    const int sign = player ? -1 : 1;
    const int column = cell % width_ + (direction != 2 ? sign : 0);
    const int row = cell / width_ + (direction != 1 ? sign : 0);
    if (column < 0 || column >= width_ || row < 0 || row >= height_) return -1;
    return row * width_ + column;
  }

  /// Start cells fill the corner by anti-diagonals, each from the top row down.
  static void fill_start_cells(int width, int height, int pieces, int* start) {
    int filled = 0;
    for (int diagonal = 0; filled < pieces; ++diagonal)
      for (int row = 0; row <= diagonal && filled < pieces; ++row)
        if (row < height && diagonal - row < width) start[filled++] = row * width + diagonal - row;
  }
  void fill_steps() {
    for (int player = 0; player < 2; ++player)
      for (int cell = 0; cell < cells_; ++cell)
        for (int direction = 0; direction < 3; ++direction)
          if (const int to = neighbour(player, cell, direction); to >= 0)
            steps_[player][cell][step_count_[player][cell]++] = static_cast<std::uint8_t>(to);
  }
  void fill_candidates() {
    for (int standing = 0; standing < 1 << kMaxPieces; ++standing)
      for (int die = 1; die <= kMaxPieces; ++die) {
        int low = die - 1, high = die;
        if (standing >> low & 1) {
          candidates_[standing][die] = {static_cast<std::int8_t>(low), kAbsentPiece};
          continue;
        }
        while (low >= 0 && !(standing >> low & 1)) --low;
        while (high < kMaxPieces && !(standing >> high & 1)) ++high;
        candidates_[standing][die] = {low < 0 ? kAbsentPiece : static_cast<std::int8_t>(low),
                                      high >= kMaxPieces ? kAbsentPiece : static_cast<std::int8_t>(high)};
      }
  }
  void fill_offsets() {
    const int groups = 1 << (2 * pieces_);
    offsets_.resize(groups + 1);
    double total = 0;
    for (int group = 0; group < groups; ++group) {
      offsets_[group] = boards_;
      const int standing = std::popcount(static_cast<unsigned>(group));
      boards_ += arrangements(cells_, standing);
      total += std::exp(std::lgamma(cells_ + 1.0) - std::lgamma(cells_ - standing + 1.0));
    }
    offsets_[groups] = boards_;
    if (total * 2 * pieces_ > 0x1.0p62) boards_ = 0;  // too many for an index
  }

  struct Candidates {
    std::int8_t low, high;
  };
  static constexpr std::int8_t kAbsentPiece = 7;  // a byte that is kGone in every state

  int width_, height_, cells_, pieces_;
  int start_[kMaxPieces] = {};
  std::uint8_t steps_[2][kGone + 1][3] = {};
  std::uint8_t step_count_[2][kGone + 1] = {};  // 0 for kGone
  Candidates candidates_[1 << kMaxPieces][kMaxPieces + 1] = {};
  std::vector<std::uint64_t> offsets_;
  std::uint64_t boards_ = 0;
};

static_assert(Game<Einstein> && sizeof(Einstein::State) <= 64);

}  // namespace halma
