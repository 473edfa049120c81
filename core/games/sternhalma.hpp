// Chinese Checkers on any board of holes.
//
// A hop changes both lattice coordinates by an even number, so it keeps a hole's
// parity class (q mod 2, r mod 2). Each of the four classes fits into one 64-bit word,
// even on the 121-hole star, and within a word the three hop directions are shifts by
// fixed amounts. All holes a piece can hop to are found by flooding one word: six
// and/shift/or operations a round. A piece can never hop over its own origin, which
// lies in its own class while everything it hops over lies in another, so occupancy
// need not change from piece to piece. Steps leave the class, so the four words
// together hold each destination exactly once.
#pragma once

#include <algorithm>
#include <bit>

#include "../game.hpp"
#include "../indexing.hpp"
#include "sternhalma_board.hpp"

namespace halma {

struct SternhalmaOptions {
  bool mirror_hops = false;    // liu2019: over one piece at any distance, equal gaps
  bool occupy = true;          // won when the target is full and holds an own piece;
                               // otherwise only when all own pieces are in it
  bool closed_points = false;  // stopping in another player's points is forbidden
  bool locked_target = false;  // a piece in its target stays there
  bool second_place = false;   // schulte2021: play on for second place, scores 3/1/0
  bool ids_view = false;       // liu2019's planes and policy, by piece identity
};

/// MaxPieces is the number of pieces of all players together.
template <int MaxPieces, int MaxPlayers>
class Sternhalma {
 public:
  static constexpr int kClasses = 4;
  static constexpr int kLargestArmy = 10;
  static constexpr Move kPass = 0xFFFF;

  using Words = std::array<std::uint64_t, kClasses>;  // a set of holes, by parity class

  class Backward;  // moves taken back: sternhalma_backward.hpp
  class Forward;   // where moves lead in the index: sternhalma_forward.hpp

  struct State {
    std::uint64_t occupied[kClasses];
    std::uint8_t piece[MaxPieces];       // hole of player p's piece i at [p * army + i];
                                         // ascending unless pieces have identity
    std::uint8_t in_target[MaxPlayers];  // own pieces in the own target
    std::uint8_t mover;
    std::uint8_t first;   // 1 + the player who finished first; 0: none yet
    std::uint8_t second;  // bit p: player p shares the second place
    std::uint8_t spare[(8 - (MaxPieces + MaxPlayers + 3) % 8) % 8];
  };

  /// Whether the board's words and pieces fit this size.
  static bool fits(const HoleBoard& board) {
    return board.players <= MaxPlayers && board.players * board.pieces <= MaxPieces &&
           board.pieces <= kLargestArmy && board.size() < HoleBoard::kOff && find_stride(board) > 0;
  }

  Sternhalma(HoleBoard board, SternhalmaOptions options)
      : board_(std::move(board)), options_(options), army_(board_.pieces) {
    stride_ = find_stride(board_);
    shift_[0] = 1;
    shift_[1] = stride_;
    shift_[2] = stride_ - 1;
    fill_words();
    fill_hops();
    fill_zones();
    fill_policy();
    fill_index();
    mirror_ = board_.mirror();
  }

  const HoleBoard& board() const { return board_; }
  const SternhalmaOptions& options() const { return options_; }

  int players() const { return board_.players; }
  float max_score() const { return options_.second_place ? 3.0f : 1.0f; }

  State initial() const {
    State s{};
    for (int player = 0; player < players(); ++player)
      for (int i = 0; i < army_; ++i) put(s, player, i, board_.home[player][i]);
    if (!options_.ids_view)
      for (int player = 0; player < players(); ++player)
        std::sort(s.piece + player * army_, s.piece + (player + 1) * army_);
    return s;
  }

  int mover(const State& s) const { return s.mover; }
  bool at_chance(const State&) const { return false; }
  void outcomes(const State&, OutcomeList&) const {}
  void resolve(State&, Outcome) const {}

  bool terminal(const State& s) const { return options_.second_place ? s.second != 0 : s.first != 0; }

  // A move is from | to << 8; a pass is kPass. Moves are listed piece by piece, steps
  // before hops.
  void legal(const State& s, MoveList& moves) const {
    if (terminal(s)) return;
    if (s.first != s.mover + 1) {
      const Reach reach(*this, s, s.mover);
      Move* out = moves.data();
      for (int i = 0; i < army_; ++i) {
        const int from = s.piece[s.mover * army_ + i];
        const Words to = reach.from(from);
        // Steps are written without asking: a branch here would be a coin toss.
        for (const Neighbour& step : beside_[from]) {
          *out = static_cast<Move>(from | step.hole << 8);
          out += to[step.parity] >> step.bit & 1;
        }
        const int c = class_[from];
        for (std::uint64_t left = to[c]; left; left &= left - 1)
          *out++ = static_cast<Move>(from | hole_at_[c][std::countr_zero(left)] << 8);
      }
      moves.resize(static_cast<int>(out - moves.data()));
    }
    if (moves.empty()) moves.push(kPass);
  }

  int count(const State& s) const {
    if (terminal(s)) return 0;
    if (s.first == s.mover + 1) return 1;
    const Reach reach(*this, s, s.mover);
    int number = 0;
    for (int i = 0; i < army_; ++i)
      for (const std::uint64_t word : reach.from(s.piece[s.mover * army_ + i])) number += std::popcount(word);
    return std::max(number, 1);
  }

  Ply random_ply(State& s, Random& random) const {
    if (terminal(s)) return Ply::over;
    Words to[kLargestArmy];
    int number = 0, until[kLargestArmy];  // moves of pieces 0 to i together
    if (s.first != s.mover + 1) {
      const Reach reach(*this, s, s.mover);
      for (int i = 0; i < army_; ++i) {
        to[i] = reach.from(s.piece[s.mover * army_ + i]);
        for (const std::uint64_t word : to[i]) number += std::popcount(word);
        until[i] = number;
      }
    }
    if (number == 0) {
      play(s, kPass);
      return Ply::quiet;
    }
    int pick = static_cast<int>(random.below(number)), piece = 0;
    while (until[piece] <= pick) ++piece;
    pick -= piece ? until[piece - 1] : 0;
    int c = 0;
    for (int here; (here = std::popcount(to[piece][c])) <= pick; ++c) pick -= here;
    std::uint64_t left = to[piece][c];
    while (pick--) left &= left - 1;
    const int from = s.piece[s.mover * army_ + piece];
    const int landed = hole_at_[c][std::countr_zero(left)];
    const bool irreversible = progress(s, static_cast<Move>(from | landed << 8));
    relocate(s, piece, from, landed);
    finish_turn(s);
    return irreversible ? Ply::progress : Ply::quiet;
  }

  void play(State& s, Move move) const {
    if (move != kPass) {
      const int from = move & 0xFF, to = move >> 8;
      const std::uint8_t* army = s.piece + s.mover * army_;
      relocate(s, static_cast<int>(std::find(army, army + army_, from) - army), from, to);
    }
    finish_turn(s);
  }

  /// Only a piece that enters a target it may not leave can never go back.
  bool progress(const State& s, Move move) const {
    return options_.locked_target && move != kPass && has(target_[s.mover], move >> 8) &&
           !has(target_[s.mover], move & 0xFF);
  }
  int landing(Move move) const { return static_cast<int>(move >> 8); }

  void result(const State& s, float* scores) const {
    for (int player = 0; player < players(); ++player) {
      const bool first = s.first == player + 1;
      if (options_.second_place)
        scores[player] = first ? 3.0f : s.second >> player & 1 ? 1.0f : 0.0f;
      else
        scores[player] = s.first ? static_cast<float>(first) : 1.0f / static_cast<float>(players());
    }
  }

  void reopen(State& s, int player) const {
    s.first = s.second = 0;
    s.mover = static_cast<std::uint8_t>(player);
  }

  /// The holes of a move, first to last, hopping as few times as possible.
  std::vector<int> path(const State& s, Move move) const {
    const int from = move & 0xFF, to = move >> 8;
    if (move == kPass) return {};
    if (class_[from] != class_[to]) return {from, to};
    std::vector<int> previous(board_.size(), -1), open{from};
    previous[from] = from;
    const Reach reach(*this, s, s.mover);
    for (std::size_t i = 0; i < open.size() && previous[to] < 0; ++i) {
      const std::uint64_t next = reach.one_hop(class_[from], std::uint64_t{1} << bit_[open[i]], from);
      for (std::uint64_t left = next; left; left &= left - 1) {
        const int hole = hole_at_[class_[from]][std::countr_zero(left)];
        if (previous[hole] >= 0) continue;
        previous[hole] = open[i];
        open.push_back(hole);
      }
    }
    std::vector<int> path{to};
    while (path.back() != from) path.push_back(previous[path.back()]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Policy index. By board (schulte2021): for each hole one may stop in, six steps;
  // then, class by class, every (from, to) pair of such holes; then the pass. By
  // identity (liu2019): id * holes + destination; a pass is piece 0 staying put.
  int actions() const { return options_.ids_view ? army_ * board_.size() : jump_base_[kClasses] + 1; }

  int action(const State& s, Move move) const {
    const std::vector<int>& view = board_.to_view[s.mover];
    const std::uint8_t* army = s.piece + s.mover * army_;
    if (options_.ids_view) {
      if (move == kPass) return view[army[0]];
      const int id = static_cast<int>(std::find(army, army + army_, move & 0xFF) - army);
      return id * board_.size() + view[move >> 8];
    }
    if (move == kPass) return actions() - 1;
    const int from = view[move & 0xFF], to = view[move >> 8];
    if (class_[from] != class_[to]) return open_rank_[from] * HoleBoard::kDirections + direction(from, to);
    const int c = class_[from];
    return jump_base_[c] + class_rank_[from] * static_cast<int>(open_in_class_[c].size()) + class_rank_[to];
  }

  Move move(const State& s, int action) const {
    const std::vector<int>& back = board_.from_view[s.mover];
    int from, to;  // as the mover sees them
    if (options_.ids_view) {
      to = action % board_.size();
      from = board_.to_view[s.mover][s.piece[s.mover * army_ + action / board_.size()]];
      if (from == to) return action / board_.size() == 0 ? kPass : kNoMove;
    } else {
      if (action == actions() - 1) return kPass;
      if (action < jump_base_[0]) {
        from = open_[action / HoleBoard::kDirections];
        to = neighbour_[from][action % HoleBoard::kDirections];
        if (to == HoleBoard::kOff) return kNoMove;
      } else {
        int c = 0;
        while (action >= jump_base_[c + 1]) ++c;
        const int size = static_cast<int>(open_in_class_[c].size());
        from = open_in_class_[c][(action - jump_base_[c]) / size];
        to = open_in_class_[c][(action - jump_base_[c]) % size];
        if (from == to) return kNoMove;
      }
    }
    from = back[from];
    to = back[to];
    if (!has(open_to_[s.mover], to)) return kNoMove;
    if (options_.locked_target && has(target_[s.mover], from) && !has(target_[s.mover], to)) return kNoMove;
    return static_cast<Move>(from | to << 8);
  }

  // Planes over the matrix, the mover's home at the bottom (bottom left on a rhombus).
  //   by board: pieces of the mover and of the others in turn; with second_place, a
  //   full plane for each who has finished first; last, the holes the mover may stop in;
  //   by identity (liu2019): for each of three states, newest first, the mover's and the
  //   opponent's pieces as ids 1, 2, ...; last, a plane of ones if player 1 is to move.
  PlaneShape shape() const {
    const int planes = options_.ids_view ? 7 : players() * (options_.second_place ? 2 : 1) + 1;
    return {planes, board_.rows, board_.columns};
  }
  int history() const { return options_.ids_view ? 3 : 1; }
  int version() const { return 1; }
  bool uses_context() const { return false; }
  bool whole_planes() const { return true; }

  void encode(std::span<const State> recent, const Context&, float* out) const {
    const State& s = recent[0];
    const int cells = board_.rows * board_.columns;
    std::fill(out, out + shape().size(), 0.0f);
    const std::vector<int>& view = board_.to_view[s.mover];
    const auto cell = [&](int hole) {
      const HoleBoard::Hole& h = board_.holes[view[hole]];
      return h.row * board_.columns + h.column;
    };
    if (options_.ids_view) {
      for (std::size_t age = 0; age < std::min<std::size_t>(recent.size(), 3); ++age)
        for (int side = 0; side < 2; ++side)
          for (int i = 0; i < army_; ++i)
            out[(2 * age + side) * cells + cell(recent[age].piece[(s.mover ^ side) * army_ + i])] =
                static_cast<float>(i + 1);
      if (s.mover) std::fill_n(out + 6 * cells, cells, 1.0f);
      return;
    }
    for (int turn = 0; turn < players(); ++turn) {
      const int player = (s.mover + turn) % players();
      for (int i = 0; i < army_; ++i) out[turn * cells + cell(s.piece[player * army_ + i])] = 1.0f;
      if (options_.second_place && s.first == player + 1)
        std::fill_n(out + (players() + turn) * cells, cells, 1.0f);
    }
    float* last = out + (shape().planes - 1) * cells;
    for (int hole = 0; hole < board_.size(); ++hole)
      if (has(open_to_[s.mover], hole)) last[cell(hole)] = 1.0f;
  }

  // he2016's three: A, the squared distances of the pieces to the far corner of their
  // target; B, those to the line from corner to corner; C, how many rows each piece could
  // advance in one move, all added up. The weights are the paper's, tuned at depth 2.
  std::vector<float> default_weights() const { return {-0.911f, -0.140f, 0.388f}; }
  float default_scale() const { return 0.03f; }
  void features(const State& s, int player, float* out) const {
    const Reach reach(*this, s, player);
    int corner = 0, middle = 0, advance = 0;
    for (int i = 0; i < army_; ++i) {
      const int from = s.piece[player * army_ + i];
      const Standing& here = standing_[player][from];
      corner += here.corner * here.corner;
      middle += here.middle2 * here.middle2;
      int best = here.row;
      const Words to = reach.from(from);
      for (int c = 0; c < kClasses; ++c)
        for (std::uint64_t left = to[c]; left; left &= left - 1)
          best = std::min(best, standing_[player][hole_at_[c][std::countr_zero(left)]].row);
      advance += here.row - best;
    }
    out[0] = static_cast<float>(corner);
    out[1] = static_cast<float>(middle) / 4.0f;  // middle2 is in half holes
    out[2] = static_cast<float>(advance);
  }

  // Forward is up in the mover's picture, counted in rows.
  int advance(const State& s, Move move) const {
    return move == kPass ? 0 : row_[s.mover][move & 0xFF] - row_[s.mover][move >> 8];
  }
  int trailing(const State& s, Move move) const { return move == kPass ? 0 : row_[s.mover][move & 0xFF]; }
  void give_turn(State& s, int player) const { s.mover = static_cast<std::uint8_t>(player); }

  void furthest(const State& s, MoveList& moves) const {
    if (terminal(s)) return;
    if (s.first != s.mover + 1) {
      const auto& row = row_[s.mover];
      int best = -(1 << 20);
      const auto consider = [&](int from, int to) {
        const int rank = (row[from] - row[to]) * kRankScale + row[from];
        if (rank < best) return;
        if (rank > best) moves.clear();
        best = rank;
        moves.push(static_cast<Move>(from | to << 8));
      };
      const Reach reach(*this, s, s.mover);
      const std::uint8_t* army = s.piece + s.mover * army_;
      Words to[kLargestArmy];
      const auto consider_hops = [&](int i) {
        const int c = class_[army[i]];
        for (std::uint64_t left = to[i][c]; left; left &= left - 1)
          consider(army[i], hole_at_[c][std::countr_zero(left)]);
      };
      for (int i = 0; i < army_; ++i) {
        to[i] = reach.from(army[i]);
        consider_hops(i);
      }
      // A step gains one row at most and a hop two or none, so steps count only where no
      // hop goes forward. Then everything is looked at again, in the order of legal().
      if (best < 2 * kRankScale - kRankScale / 2) {
        best = -(1 << 20);
        for (int i = 0; i < army_; ++i) {
          for (const Neighbour& step : beside_[army[i]])
            if (to[i][step.parity] >> step.bit & 1) consider(army[i], step.hole);
          consider_hops(i);
        }
      }
    }
    if (moves.empty()) moves.push(kPass);
  }

  /// Identity is left out: a position is where the colours stand.
  std::uint64_t key(const State& s) const {
    std::uint64_t sum = 0;
    for (int player = 0; player < players(); ++player)
      for (int i = 0; i < army_; ++i) sum ^= zobrist_[player * HoleBoard::kOff + s.piece[player * army_ + i]];
    return mix64(sum + (s.mover | s.first << 8 | s.second << 16) + 1);
  }

  // Two players: the mover's set of holes, then the other's among what is left, both
  // in the mover's view.
  std::uint64_t index_size() const { return index_size_; }

  std::uint64_t index(const State& s) const {
    int own[kLargestArmy], other[kLargestArmy];
    viewed(s, s.mover, own);
    viewed(s, s.mover ^ 1, other);
    for (int i = 0; i < army_; ++i) {
      int below = 0;
      for (int j = 0; j < army_; ++j) below += own[j] < other[i];
      other[i] -= below;
    }
    const auto army = static_cast<std::size_t>(army_);
    return rank_set({own, army}) * binomials()[board_.size() - army_][army_] + rank_set({other, army});
  }

  State unindex(std::uint64_t index) const {
    State s{};
    int own[kLargestArmy], other[kLargestArmy];
    const std::uint64_t others = binomials()[board_.size() - army_][army_];
    const auto army = static_cast<std::size_t>(army_);
    unrank_set(index / others, {own, army});
    unrank_set(index % others, {other, army});
    for (int i = 0; i < army_; ++i) put(s, 0, i, own[i]);
    for (int i = 0; i < army_; ++i) {
      int hole = other[i];
      for (int j = 0; j < army_; ++j) hole += own[j] <= hole;
      put(s, 1, i, hole);
    }
    if (finished(s, 1)) s.first = 2;
    if (finished(s, 0)) s.first = 1;  // cannot have come about: the mover won before
    return s;
  }

  // Fields: mover, 1 + first finisher (0: none), mask of second places, then a number
  // per hole: 0 empty, otherwise 1 + 16 * player + id.
  std::vector<int> describe(const State& s) const {
    std::vector<int> fields(3 + board_.size());
    fields[0] = s.mover;
    fields[1] = s.first;
    fields[2] = s.second;
    for (int player = 0; player < players(); ++player)
      for (int i = 0; i < army_; ++i) fields[3 + s.piece[player * army_ + i]] = 1 + 16 * player + i;
    return fields;
  }

  int symmetries() const { return mirror_.empty() ? 1 : 2; }

  State image(const State& s, int k) const {
    if (k == 0) return s;
    State seen{};
    for (int player = 0; player < players(); ++player) {
      const std::vector<int>& home = board_.home[player];
      for (int i = 0; i < army_; ++i) {
        // A piece takes the name of the one that starts where its image starts.
        const auto name = std::find(home.begin(), home.end(), mirror_[home[i]]) - home.begin();
        put(seen, player, options_.ids_view ? static_cast<int>(name) : i,
            mirror_[s.piece[player * army_ + i]]);
      }
      std::uint8_t* army = seen.piece + player * army_;
      if (!options_.ids_view) std::sort(army, army + army_);
    }
    seen.mover = s.mover;
    seen.first = s.first;
    seen.second = s.second;
    return seen;
  }

  Move image(Move move, int k) const {
    if (k == 0 || move == kPass) return move;
    return static_cast<Move>(mirror_[move & 0xFF] | mirror_[move >> 8] << 8);
  }

  std::string compose(std::span<const int> fields, State& s) const {
    if (static_cast<int>(fields.size()) != 3 + board_.size())
      return "the number of holes does not fit the board";
    if (fields[0] < 0 || fields[0] >= players()) return "there is no such player to move";
    s = State{};
    s.mover = static_cast<std::uint8_t>(fields[0]);
    bool seen[MaxPieces] = {};
    int number[MaxPlayers] = {};
    for (int hole = 0; hole < board_.size(); ++hole) {
      const int value = fields[3 + hole];
      if (value == 0) continue;
      const int player = (value - 1) / 16, id = (value - 1) % 16;
      if (value < 0 || player >= players()) return "there is no player " + std::to_string(player + 1);
      if (++number[player] > army_ || id >= army_)
        return "player " + std::to_string(player + 1) + " has more than " + std::to_string(army_) + " pieces";
      if (options_.ids_view && seen[player * army_ + id])
        return "player " + std::to_string(player + 1) + " has the same piece twice";
      seen[player * army_ + id] = true;
      if (!has(open_to_[player], hole))
        return "player " + std::to_string(player + 1) + " may not stand in another player's point";
      put(s, player, options_.ids_view ? id : number[player] - 1, hole);
    }
    for (int player = 0; player < players(); ++player)
      if (number[player] != army_)
        return "player " + std::to_string(player + 1) + " has " + std::to_string(number[player]) +
               " pieces instead of " + std::to_string(army_);
    return compose_places(fields[1], fields[2], s);
  }

 private:
  /// What a player can reach in one position: made once, asked for each piece.
  class Reach {
   public:
    /// Which targets are barred matters to moves forward only.
    Reach(const Sternhalma& game, const State& s, int player, bool forward = true)
        : game_(game), state_(s), player_(player) {
      for (int c = 0; c < kClasses; ++c) {
        empty_[c] = game.holes_[c] & ~s.occupied[c];
        open_[c] = empty_[c] & game.open_to_[player][c];
        for (int d = 0; d < 3; ++d)
          hop_[c][d] =
              turned(s.occupied[game.middle_class_[c][d]], game.middle_shift_[c][d]) & game.hop_ends_[c][d];
      }
      if (forward && game.options_.occupy) find_barred();
    }

    /// All destinations of the piece on `from`.
    Words from(int from) const {
      const int c = game_.class_[from];
      Words to = game_.steps_[from];
      for (int k = 0; k < kClasses; ++k) to[k] &= open_[k];
      to[c] = hops(c, from) & open_[c];
      if (game_.options_.locked_target && has_bit(game_.target_[player_], game_, from))
        for (int k = 0; k < kClasses; ++k) to[k] &= game_.target_[player_][k];
      if (barred_) [[unlikely]]
        for (int player = 0; player < game_.players(); ++player)
          if (barred_ >> player & 1 && !has_bit(game_.target_[player], game_, from))
            for (int k = 0; k < kClasses; ++k) to[k] &= ~game_.target_[player][k];
      return to;
    }

    /// All holes from which the piece now on `to` can have come in one move, other rules
    /// than those of barred targets considered. Steps and hops lead back the way they came.
    Words to(int to) const {
      if (!has_bit(game_.open_to_[player_], game_, to)) return Words{};
      const int c = game_.class_[to];
      Words from = game_.steps_[to];
      for (int k = 0; k < kClasses; ++k) from[k] &= empty_[k];
      from[c] = hops(c, to);
      if (game_.options_.locked_target && !has_bit(game_.target_[player_], game_, to))
        for (int k = 0; k < kClasses; ++k) from[k] &= ~game_.target_[player_][k];
      return from;
    }

    /// Empty holes one hop away from any of `from`, all in class c; `origin` is where
    /// the moving piece stood.
    std::uint64_t one_hop(int c, std::uint64_t from, int origin) const {
      if (game_.options_.mirror_hops) return mirror_hop(c, from, origin);
      std::uint64_t next = 0;
      for (int d = 0; d < 3; ++d) {
        next |= (from & hop_[c][d]) << game_.shift_[d];
        next |= (from >> game_.shift_[d]) & hop_[c][d];
      }
      return next & empty_[c];
    }

   private:
    /// Rotates right; without std::rotr's handling of signs it is one instruction.
    static std::uint64_t turned(std::uint64_t word, unsigned by) { return word >> by | word << (-by & 63); }

    static bool has_bit(const Words& words, const Sternhalma& game, int hole) {
      return words[game.class_[hole]] >> game.bit_[hole] & 1;
    }

    std::uint64_t hops(int c, int origin) const {
      std::uint64_t reached = 0;
      for (std::uint64_t front = std::uint64_t{1} << game_.bit_[origin]; front;) {
        front = one_hop(c, front, origin) & ~reached;
        reached |= front;
      }
      return reached;
    }

    /// Long hops: the first piece on a line, and as far again behind it, all else
    /// between empty. The moving piece itself has left its origin.
    std::uint64_t mirror_hop(int c, std::uint64_t from, int origin) const {
      const std::uint64_t left_behind = std::uint64_t{1} << game_.bit_[origin];
      const std::uint64_t own = state_.occupied[c] & ~left_behind;
      std::uint64_t next = 0;
      for (; from; from &= from - 1)
        for (const LongHop& hop : game_.long_hops_[game_.hole_at_[c][std::countr_zero(from)]]) {
          const std::uint64_t odd = state_.occupied[hop.odd_class];
          const bool allowed = (own & hop.own) == hop.over_own && (odd & hop.odd) == hop.over_odd;
          next |= hop.end & -static_cast<std::uint64_t>(allowed);
        }
      return next & ~left_behind;
    }

    /// Nobody may complete another player's win: a target that lacks one piece and
    /// holds one of its owner's is barred to pieces from outside.
    void find_barred() {
      for (int player = 0; player < game_.players(); ++player) {
        if (player == player_ || state_.in_target[player] == 0) continue;
        int lacking = 0;
        for (int c = 0; c < kClasses; ++c)
          lacking += std::popcount(game_.target_[player][c] & ~state_.occupied[c]);
        if (lacking == 1) barred_ |= 1 << player;
      }
    }

    const Sternhalma& game_;
    const State& state_;
    int player_;
    Words empty_, open_;
    // [class][direction]: lower ends of hops over an occupied middle, both ends on board
    std::uint64_t hop_[kClasses][3];
    int barred_ = 0;  // mask of players whose targets are barred
  };

  bool has(const Words& words, int hole) const { return words[class_[hole]] >> bit_[hole] & 1; }

  void put(State& s, int player, int id, int hole) const {
    s.piece[player * army_ + id] = static_cast<std::uint8_t>(hole);
    s.occupied[class_[hole]] |= std::uint64_t{1} << bit_[hole];
    s.in_target[player] += has(target_[player], hole);
  }

  /// Moves a piece. Where identity does not matter an army's holes stay in ascending
  /// order, so that equal positions are equal bytes.
  void relocate(State& s, int id, int from, int to) const {
    std::uint8_t* army = s.piece + s.mover * army_;
    if (!options_.ids_view) {
      for (; id > 0 && army[id - 1] > to; --id) army[id] = army[id - 1];
      for (; id + 1 < army_ && army[id + 1] < to; ++id) army[id] = army[id + 1];
    }
    army[id] = static_cast<std::uint8_t>(to);
    s.occupied[class_[from]] ^= std::uint64_t{1} << bit_[from];
    s.occupied[class_[to]] ^= std::uint64_t{1} << bit_[to];
    s.in_target[s.mover] += has(target_[s.mover], to) - has(target_[s.mover], from);
  }

  bool target_full(const State& s, int player) const {
    std::uint64_t lacking = 0;
    for (int c = 0; c < kClasses; ++c) lacking |= target_[player][c] & ~s.occupied[c];
    return lacking == 0;
  }

  bool finished(const State& s, int player) const {
    if (s.in_target[player] == 0) return false;
    return options_.occupy ? target_full(s, player) : s.in_target[player] == army_;
  }

  void finish_turn(State& s) const {
    if (s.first == 0 && finished(s, s.mover)) s.first = s.mover + 1;
    if (options_.second_place && s.first)
      for (int player = 0; player < players(); ++player)
        if (s.first != player + 1 && target_full(s, player)) s.second |= 1 << player;
    s.mover = s.mover + 1 == players() ? 0 : s.mover + 1;
  }

  /// Places follow from the board unless second places are played for; then who was
  /// first must be said.
  std::string compose_places(int first, int second, State& s) const {
    const int before = (s.mover + players() - 1) % players();
    if (options_.second_place) {
      if (first < 0 || first > players() || second < 0 || second >> players())
        return "the places are impossible";
      if (first && !finished(s, first - 1))
        return "player " + std::to_string(first) + " is said to be first but has not finished";
      for (int player = 0; player < players(); ++player) {
        const bool due = first && first != player + 1 && target_full(s, player);
        if (due != (second >> player & 1)) return "the second places do not fit the board";
        if (!first && finished(s, player))
          return "player " + std::to_string(player + 1) + " has finished, so somebody must be first";
      }
      s.first = static_cast<std::uint8_t>(first);
      s.second = static_cast<std::uint8_t>(second);
      return "";
    }
    for (int player = 0; player < players(); ++player) {
      if (!finished(s, player)) continue;
      if (player != before)
        return "player " + std::to_string(player + 1) + " has already won and did not move last";
      s.first = static_cast<std::uint8_t>(player + 1);
    }
    if (first && first != s.first) return "the winner does not fit the board";
    return "";
  }

  /// A player's holes in the mover's view, in ascending order.
  void viewed(const State& s, int player, int* holes) const {
    for (int i = 0; i < army_; ++i) holes[i] = board_.to_view[s.mover][s.piece[player * army_ + i]];
    std::sort(holes, holes + army_);
  }

  int direction(int from, int to) const {
    return static_cast<int>(std::find(neighbour_[from].begin(), neighbour_[from].end(), to) -
                            neighbour_[from].begin());
  }

  static int class_of(const HoleBoard::Hole& hole) { return (hole.q & 1) | (hole.r & 1) << 1; }

  /// Bits of a class are numbered q/2 + stride * r/2 from its smallest. Finds the least
  /// stride that keeps the holes of each class apart and within 64 bits, or 0.
  static int find_stride(const HoleBoard& board) {
    for (int stride = 2; stride <= 9; ++stride) {
      bool good = true;
      for (int c = 0; c < kClasses && good; ++c) {
        std::vector<int> numbers;
        for (const HoleBoard::Hole& hole : board.holes)
          if (class_of(hole) == c) numbers.push_back(hole.q / 2 + stride * (hole.r / 2));
        std::sort(numbers.begin(), numbers.end());
        good = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end() &&
               (numbers.empty() || numbers.back() - numbers.front() < 64);
      }
      if (good) return stride;
    }
    return 0;
  }

  Words words_of(const std::vector<int>& holes) const {
    Words words{};
    for (const int hole : holes) words[class_[hole]] |= std::uint64_t{1} << bit_[hole];
    return words;
  }

  void fill_words() {
    const int n = board_.size();
    class_.resize(n);
    bit_.resize(n);
    neighbour_.resize(n);
    for (int c = 0; c < kClasses; ++c) base_[c] = 1 << 20;
    for (int h = 0; h < n; ++h) {
      class_[h] = static_cast<std::uint8_t>(class_of(board_.holes[h]));
      base_[class_[h]] = std::min(base_[class_[h]], number_of(board_.holes[h]));
    }
    for (int h = 0; h < n; ++h) {
      bit_[h] = static_cast<std::uint8_t>(number_of(board_.holes[h]) - base_[class_[h]]);
      hole_at_[class_[h]][bit_[h]] = static_cast<std::uint8_t>(h);
      holes_[class_[h]] |= std::uint64_t{1} << bit_[h];
      for (int d = 0; d < HoleBoard::kDirections; ++d) neighbour_[h][d] = board_.neighbour(h, d);
    }
    steps_.resize(n);
    beside_.resize(n);
    for (int h = 0; h < n; ++h)
      for (int d = 0; d < HoleBoard::kDirections; ++d) {
        const int to = neighbour_[h][d];
        if (to != HoleBoard::kOff) steps_[h][class_[to]] |= std::uint64_t{1} << bit_[to];
        // Off the board stands for the hole itself, where no move ever ends.
        const int seen = to == HoleBoard::kOff ? h : to;
        beside_[h][d] = {static_cast<std::uint8_t>(seen), class_[seen], bit_[seen]};
      }
  }
  int number_of(const HoleBoard::Hole& hole) const { return hole.q / 2 + stride_ * (hole.r / 2); }

  void fill_hops() {
    for (int h = 0; h < board_.size(); ++h)
      for (int d = 0; d < 3; ++d) {
        const int middle = neighbour_[h][d];
        const int end = middle == HoleBoard::kOff ? middle : neighbour_[middle][d];
        if (end == HoleBoard::kOff) continue;
        const int c = class_[h];
        hop_ends_[c][d] |= std::uint64_t{1} << bit_[h];
        middle_class_[c][d] = class_[middle];
        // The same for every hole of the class, because bits are linear in (q, r).
        middle_shift_[c][d] = static_cast<unsigned>(bit_[middle] - bit_[h]) & 63;
      }
    if (options_.mirror_hops) fill_long_hops();
  }

  void fill_long_hops() {
    long_hops_.resize(board_.size());
    for (int h = 0; h < board_.size(); ++h)
      for (int d = 0; d < HoleBoard::kDirections; ++d) {
        std::vector<int> line;  // holes beyond h in this direction
        for (int next = neighbour_[h][d]; next != HoleBoard::kOff; next = neighbour_[next][d])
          line.push_back(next);
        for (std::size_t gap = 1; 2 * gap <= line.size(); ++gap) {
          const auto bit = [&](std::size_t i) { return std::uint64_t{1} << bit_[line[i - 1]]; };
          LongHop hop{.end = bit(2 * gap), .odd_class = class_[line[0]]};
          for (std::size_t i = 1; i <= 2 * gap; ++i) (i % 2 ? hop.odd : hop.own) |= bit(i);
          (gap % 2 ? hop.over_odd : hop.over_own) = bit(gap);
          long_hops_[h].push_back(hop);
        }
      }
  }

  void fill_zones() {
    for (int player = 0; player < players(); ++player) {
      target_[player] = words_of(board_.target[player]);
      std::vector<int> open;
      const int own = board_.seat_point[player];
      for (int h = 0; h < board_.size(); ++h) {
        const int point = board_.holes[h].point;
        if (!options_.closed_points || point < 0 || point % 3 == own % 3) open.push_back(h);
      }
      open_to_[player] = words_of(open);
      if (player == 0) open_ = open;  // the same in every player's view
    }
    fill_standings();
    zobrist_.resize(static_cast<std::size_t>(players()) * HoleBoard::kOff);
    for (std::size_t i = 0; i < zobrist_.size(); ++i) zobrist_[i] = mix64(0x9E3779B97F4A7C15ULL * (i + 1));
  }

  /// The far corner of player 0's target is the top of the picture; others see theirs
  /// there in their own view.
  void fill_standings() {
    int top = 0;
    for (int h = 0; h < board_.size(); ++h)
      if (board_.holes[h].y < board_.holes[top].y) top = h;
    const HoleBoard::Hole& corner = board_.holes[top];
    for (int player = 0; player < players(); ++player)
      for (int h = 0; h < board_.size(); ++h) {
        const HoleBoard::Hole& seen = board_.holes[board_.to_view[player][h]];
        const int dq = seen.q - corner.q, dr = seen.r - corner.r;
        const int steps = (std::abs(dq) + std::abs(dr) + std::abs(dq + dr)) / 2;
        standing_[player].push_back({steps, std::abs(seen.x2 - corner.x2), seen.y});
        row_[player][h] = static_cast<std::int8_t>(seen.y);
      }
  }

  void fill_policy() {
    open_rank_.assign(board_.size(), -1);
    class_rank_.assign(board_.size(), -1);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_rank_[open_[i]] = static_cast<int>(i);
      std::vector<int>& members = open_in_class_[class_[open_[i]]];
      class_rank_[open_[i]] = static_cast<int>(members.size());
      members.push_back(open_[i]);
    }
    jump_base_[0] = static_cast<int>(open_.size()) * HoleBoard::kDirections;
    for (int c = 0; c < kClasses; ++c) {
      const int size = static_cast<int>(open_in_class_[c].size());
      jump_base_[c + 1] = jump_base_[c] + size * size;
    }
  }

  void fill_index() {
    if (players() != 2 || board_.size() > 64 || options_.second_place) return;
    const double own = static_cast<double>(binomials()[board_.size()][army_]);
    const double other = static_cast<double>(binomials()[board_.size() - army_][army_]);
    if (own * other > 0x1.0p62) return;
    index_size_ = binomials()[board_.size()][army_] * binomials()[board_.size() - army_][army_];
  }

  HoleBoard board_;
  SternhalmaOptions options_;
  int army_;    // pieces per player
  int stride_;  // see find_stride
  int shift_[3];

  std::vector<std::uint8_t> class_, bit_;  // [hole]
  std::uint8_t hole_at_[kClasses][64] = {};
  int base_[kClasses];
  Words holes_{};
  std::vector<std::array<int, HoleBoard::kDirections>> neighbour_;
  std::vector<Words> steps_;  // [hole]: its neighbours
  struct Neighbour {
    std::uint8_t hole, parity, bit;
  };
  std::vector<std::array<Neighbour, HoleBoard::kDirections>> beside_;  // [hole]: the same, one by one
  std::uint64_t hop_ends_[kClasses][3] = {};
  int middle_class_[kClasses][3] = {};
  unsigned middle_shift_[kClasses][3] = {};
  // A long hop passes holes of its own class and, every other one, of another. Of both,
  // the holes it passes or ends on and the one that must be occupied.
  struct LongHop {
    std::uint64_t own = 0, over_own = 0, odd = 0, over_odd = 0, end;
    int odd_class;
  };
  std::vector<std::vector<LongHop>> long_hops_;  // [hole]; only with mirror_hops

  Words target_[MaxPlayers] = {}, open_to_[MaxPlayers] = {};
  struct Standing {
    int corner;   // steps to the far corner of the target
    int middle2;  // half holes from the line through both corners
    int row;      // of the player's picture, from the top
  };
  std::vector<Standing> standing_[MaxPlayers];  // [player][hole]
  // The same row again, packed for furthest(). Ranks are advance * kRankScale + row, and
  // rows lie within half of that on either side of 0.
  static constexpr int kRankScale = 64;
  std::int8_t row_[MaxPlayers][HoleBoard::kOff] = {};
  std::vector<int> open_;                    // holes player 0 may stop in
  std::vector<int> open_rank_, class_rank_;  // [hole]: among open_, among its class in open_
  std::vector<int> open_in_class_[kClasses];
  int jump_base_[kClasses + 1] = {};
  std::vector<std::uint64_t> zobrist_;  // [player * kOff + hole]
  std::vector<int> mirror_;             // [hole]; empty if players would change places
  std::uint64_t index_size_ = 0;
};

using SmallSternhalma = Sternhalma<24, 4>;
using LargeSternhalma = Sternhalma<60, 6>;

static_assert(Game<SmallSternhalma> && sizeof(SmallSternhalma::State) <= 64);
static_assert(Game<LargeSternhalma>);

}  // namespace halma
