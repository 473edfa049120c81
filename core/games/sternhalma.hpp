// Chinese Checkers on any board of holes.
//
// Holes are bits of four words (sternhalma_map.hpp), in which moves are found by flooding
// (sternhalma_reach.hpp).
#pragma once

#include <algorithm>
#include <bit>

#include "../game.hpp"
#include "../indexing.hpp"
#include "sternhalma_reach.hpp"

namespace halma {

/// MaxPieces is the number of pieces of all players together.
template <int MaxPieces, int MaxPlayers>
class Sternhalma {
 public:
  static constexpr int kClasses = HoleMap::kClasses;
  static constexpr int kLargestArmy = 10;
  static constexpr Move kPass = 0xFFFF;

  using Words = HoleMap::Words;

  class Backward;  // moves taken back: sternhalma_backward.hpp
  class Forward;   // where moves lead in the index: sternhalma_forward.hpp
  /// Games for two, the only ones with an index, fit into the small form.
  static constexpr bool kIndexed = MaxPlayers < 6;

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
           board.pieces <= kLargestArmy && board.size() < HoleBoard::kOff && HoleMap::fits(board);
  }

  Sternhalma(HoleBoard board, const SternhalmaOptions& options)
      : board_(std::move(board)), army_(board_.pieces), map_(board_, options) {
    fill_standings();
    fill_keys();
    fill_policy();
    fill_index();
    mirror_ = board_.mirror();
  }

  const HoleBoard& board() const { return board_; }
  const SternhalmaOptions& options() const { return map_.options; }

  int players() const { return board_.players; }
  float max_score() const { return options().second_place ? 3.0f : 1.0f; }

  State initial() const {
    State s{};
    for (int player = 0; player < players(); ++player)
      for (int i = 0; i < army_; ++i) put(s, player, i, board_.home[player][i]);
    if (!options().ids_view)
      for (int player = 0; player < players(); ++player)
        std::sort(s.piece + player * army_, s.piece + (player + 1) * army_);
    return s;
  }

  int mover(const State& s) const { return s.mover; }
  bool at_chance(const State&) const { return false; }
  void outcomes(const State&, OutcomeList&) const {}
  void resolve(State&, Outcome) const {}

  bool terminal(const State& s) const { return options().second_place ? s.second != 0 : s.first != 0; }

  // A move is from | to << 8; a pass is kPass. Moves are listed piece by piece, steps
  // before hops.
  void legal(const State& s, MoveList& moves) const {
    if (terminal(s)) return;
    if (s.first != s.mover + 1) {
      const HoleReach reach(map_, s, s.mover);
      Move* out = moves.data();
      for (int i = 0; i < army_; ++i) {
        const int from = s.piece[s.mover * army_ + i];
        const Words to = reach.from(from);
        // Steps are written without asking: a branch here would be a coin toss.
        for (const HoleMap::Neighbour& step : map_.beside[from]) {
          *out = static_cast<Move>(from | step.hole << 8);
          out += to[step.parity] >> step.bit & 1;
        }
        const int c = map_.parity[from];
        for (std::uint64_t left = to[c]; left; left &= left - 1)
          *out++ = static_cast<Move>(from | map_.hole_at[c][std::countr_zero(left)] << 8);
      }
      moves.resize(static_cast<int>(out - moves.data()));
    }
    if (moves.empty()) moves.push(kPass);
  }

  int count(const State& s) const {
    if (terminal(s)) return 0;
    if (s.first == s.mover + 1) return 1;
    const HoleReach reach(map_, s, s.mover);
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
      const HoleReach reach(map_, s, s.mover);
      for (int i = 0; i < army_; ++i) {
        to[i] = reach.from(s.piece[s.mover * army_ + i]);
        for (const std::uint64_t word : to[i]) number += std::popcount(word);
        until[i] = number;
      }
    }
    if (number == 0) {
      play(s, kPass);
      return Ply::reversible;
    }
    int pick = static_cast<int>(random.below(number)), piece = 0;
    while (until[piece] <= pick) ++piece;
    pick -= piece ? until[piece - 1] : 0;
    int c = 0;
    for (int here; (here = std::popcount(to[piece][c])) <= pick; ++c) pick -= here;
    std::uint64_t left = to[piece][c];
    while (pick--) left &= left - 1;
    const int from = s.piece[s.mover * army_ + piece];
    const int landed = map_.hole_at[c][std::countr_zero(left)];
    const bool irreversible_move = irreversible(s, static_cast<Move>(from | landed << 8));
    relocate(s, piece, from, landed);
    finish_turn(s);
    return irreversible_move ? Ply::irreversible : Ply::reversible;
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
  bool irreversible(const State& s, Move move) const {
    return options().locked_target && move != kPass && map_.has(map_.target[s.mover], move >> 8) &&
           !map_.has(map_.target[s.mover], move & 0xFF);
  }
  int landing(Move move) const { return static_cast<int>(move >> 8); }

  void result(const State& s, float* scores) const {
    for (int player = 0; player < players(); ++player) {
      const bool first = s.first == player + 1;
      if (options().second_place)
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
    if (map_.parity[from] != map_.parity[to]) return {from, to};
    std::vector<int> previous(board_.size(), -1), open{from};
    previous[from] = from;
    const HoleReach reach(map_, s, s.mover);
    for (std::size_t i = 0; i < open.size() && previous[to] < 0; ++i) {
      const std::uint64_t next =
          reach.one_hop(map_.parity[from], std::uint64_t{1} << map_.bit[open[i]], from);
      for (std::uint64_t left = next; left; left &= left - 1) {
        const int hole = map_.hole_at[map_.parity[from]][std::countr_zero(left)];
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
  int actions() const { return options().ids_view ? army_ * board_.size() : jump_base_[kClasses] + 1; }

  int action(const State& s, Move move) const {
    const std::vector<int>& view = board_.to_view[s.mover];
    const std::uint8_t* army = s.piece + s.mover * army_;
    if (options().ids_view) {
      if (move == kPass) return view[army[0]];
      const int id = static_cast<int>(std::find(army, army + army_, move & 0xFF) - army);
      return id * board_.size() + view[move >> 8];
    }
    if (move == kPass) return actions() - 1;
    const int from = view[move & 0xFF], to = view[move >> 8];
    if (map_.parity[from] != map_.parity[to])
      return open_rank_[from] * HoleBoard::kDirections + direction(from, to);
    const int c = map_.parity[from];
    return jump_base_[c] + class_rank_[from] * static_cast<int>(open_in_class_[c].size()) + class_rank_[to];
  }

  Move move(const State& s, int action) const {
    const std::vector<int>& back = board_.from_view[s.mover];
    int from, to;  // as the mover sees them
    if (options().ids_view) {
      to = action % board_.size();
      from = board_.to_view[s.mover][s.piece[s.mover * army_ + action / board_.size()]];
      if (from == to) return action / board_.size() == 0 ? kPass : kNoMove;
    } else {
      if (action == actions() - 1) return kPass;
      if (action < jump_base_[0]) {
        from = open_[action / HoleBoard::kDirections];
        to = map_.neighbour[from][action % HoleBoard::kDirections];
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
    if (!map_.has(map_.open_to[s.mover], to)) return kNoMove;
    if (options().locked_target && map_.has(map_.target[s.mover], from) &&
        !map_.has(map_.target[s.mover], to))
      return kNoMove;
    return static_cast<Move>(from | to << 8);
  }

  // Planes over the matrix, the mover's home at the bottom (bottom left on a rhombus).
  //   by board: pieces of the mover and of the others in turn; with second_place, a
  //   full plane for each who has finished first; last, the holes the mover may stop in;
  //   by identity (liu2019): for each of three states, newest first, the mover's and the
  //   opponent's pieces as ids 1, 2, ...; last, a plane of ones if player 1 is to move.
  PlaneShape shape() const {
    const int planes = options().ids_view ? 7 : players() * (options().second_place ? 2 : 1) + 1;
    return {planes, board_.rows, board_.columns};
  }
  int history() const { return options().ids_view ? 3 : 1; }
  int version() const { return 1; }
  bool uses_context() const { return false; }
  bool byte_planes() const { return true; }

  void encode(std::span<const State> recent, const Context&, float* out) const {
    const State& s = recent[0];
    const int cells = board_.rows * board_.columns;
    std::fill(out, out + shape().size(), 0.0f);
    const std::vector<int>& view = board_.to_view[s.mover];
    const auto cell = [&](int hole) {
      const HoleBoard::Hole& h = board_.holes[view[hole]];
      return h.row * board_.columns + h.column;
    };
    if (options().ids_view) {
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
      if (options().second_place && s.first == player + 1)
        std::fill_n(out + (players() + turn) * cells, cells, 1.0f);
    }
    float* last = out + (shape().planes - 1) * cells;
    for (int hole = 0; hole < board_.size(); ++hole)
      if (map_.has(map_.open_to[s.mover], hole)) last[cell(hole)] = 1.0f;
  }

  // he2016's three: A, the squared distances of the pieces to the far corner of their
  // target; B, those to the line from corner to corner; C, how many rows each piece could
  // advance in one move, all added up. The weights are the paper's, tuned at depth 2.
  std::vector<float> default_weights() const { return {-0.911f, -0.140f, 0.388f}; }
  float default_scale() const { return 0.03f; }
  void features(const State& s, int player, float* out) const {
    const HoleReach reach(map_, s, player);
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
          best = std::min(best, standing_[player][map_.hole_at[c][std::countr_zero(left)]].row);
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
      const HoleReach reach(map_, s, s.mover);
      const std::uint8_t* army = s.piece + s.mover * army_;
      Words to[kLargestArmy];
      const auto consider_hops = [&](int i) {
        const int c = map_.parity[army[i]];
        for (std::uint64_t left = to[i][c]; left; left &= left - 1)
          consider(army[i], map_.hole_at[c][std::countr_zero(left)]);
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
          for (const HoleMap::Neighbour& step : map_.beside[army[i]])
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
        put(seen, player, options().ids_view ? static_cast<int>(name) : i,
            mirror_[s.piece[player * army_ + i]]);
      }
      std::uint8_t* army = seen.piece + player * army_;
      if (!options().ids_view) std::sort(army, army + army_);
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
      if (options().ids_view && seen[player * army_ + id])
        return "player " + std::to_string(player + 1) + " has the same piece twice";
      seen[player * army_ + id] = true;
      if (!map_.has(map_.open_to[player], hole))
        return "player " + std::to_string(player + 1) + " may not stand in another player's point";
      put(s, player, options().ids_view ? id : number[player] - 1, hole);
    }
    for (int player = 0; player < players(); ++player)
      if (number[player] != army_)
        return "player " + std::to_string(player + 1) + " has " + std::to_string(number[player]) +
               " pieces instead of " + std::to_string(army_);
    return compose_places(fields[1], fields[2], s);
  }

 private:
  void put(State& s, int player, int id, int hole) const {
    s.piece[player * army_ + id] = static_cast<std::uint8_t>(hole);
    s.occupied[map_.parity[hole]] |= std::uint64_t{1} << map_.bit[hole];
    s.in_target[player] += map_.has(map_.target[player], hole);
  }

  /// Moves a piece. Where identity does not matter an army's holes stay in ascending
  /// order, so that equal positions are equal bytes.
  void relocate(State& s, int id, int from, int to) const {
    std::uint8_t* army = s.piece + s.mover * army_;
    if (!options().ids_view) {
      for (; id > 0 && army[id - 1] > to; --id) army[id] = army[id - 1];
      for (; id + 1 < army_ && army[id + 1] < to; ++id) army[id] = army[id + 1];
    }
    army[id] = static_cast<std::uint8_t>(to);
    s.occupied[map_.parity[from]] ^= std::uint64_t{1} << map_.bit[from];
    s.occupied[map_.parity[to]] ^= std::uint64_t{1} << map_.bit[to];
    s.in_target[s.mover] += map_.has(map_.target[s.mover], to) - map_.has(map_.target[s.mover], from);
  }

  bool target_full(const State& s, int player) const {
    std::uint64_t lacking = 0;
    for (int c = 0; c < kClasses; ++c) lacking |= map_.target[player][c] & ~s.occupied[c];
    return lacking == 0;
  }

  bool finished(const State& s, int player) const {
    if (s.in_target[player] == 0) return false;
    return options().occupy ? target_full(s, player) : s.in_target[player] == army_;
  }

  void finish_turn(State& s) const {
    if (s.first == 0 && finished(s, s.mover)) s.first = s.mover + 1;
    if (options().second_place && s.first)
      for (int player = 0; player < players(); ++player)
        if (s.first != player + 1 && target_full(s, player)) s.second |= 1 << player;
    s.mover = s.mover + 1 == players() ? 0 : s.mover + 1;
  }

  /// Places follow from the board unless second places are played for; then who was
  /// first must be said.
  std::string compose_places(int first, int second, State& s) const {
    const int before = (s.mover + players() - 1) % players();
    if (options().second_place) {
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
    return static_cast<int>(std::find(map_.neighbour[from].begin(), map_.neighbour[from].end(), to) -
                            map_.neighbour[from].begin());
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

  void fill_keys() {
    zobrist_.resize(static_cast<std::size_t>(players()) * HoleBoard::kOff);
    for (std::size_t i = 0; i < zobrist_.size(); ++i) zobrist_[i] = mix64(0x9E3779B97F4A7C15ULL * (i + 1));
  }

  void fill_policy() {
    // What player 0 may stop in is what everybody may in the own view.
    for (int h = 0; h < board_.size(); ++h)
      if (map_.has(map_.open_to[0], h)) open_.push_back(h);
    open_rank_.assign(board_.size(), -1);
    class_rank_.assign(board_.size(), -1);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_rank_[open_[i]] = static_cast<int>(i);
      std::vector<int>& members = open_in_class_[map_.parity[open_[i]]];
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
    if (players() != 2 || board_.size() > 64 || options().second_place) return;
    const double own = static_cast<double>(binomials()[board_.size()][army_]);
    const double other = static_cast<double>(binomials()[board_.size() - army_][army_]);
    if (own * other > 0x1.0p62) return;
    index_size_ = binomials()[board_.size()][army_] * binomials()[board_.size() - army_][army_];
  }

  HoleBoard board_;
  int army_;  // pieces per player
  HoleMap map_;

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
