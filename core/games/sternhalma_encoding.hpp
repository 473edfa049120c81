// What networks see of Chinese Checkers: the policy index, planes, and inputs of small networks, all in
// the mover's view.
//
// Policy index. By board (schulte2021): for each hole where a piece may stop, six
// steps; then, class by class, every (from, to) pair of such holes; then the pass. By
// identity (liu2019): id * holes + destination; a pass is piece 0 to its own hole.
//
// Planes over the matrix, the mover's home at the bottom (bottom left on a rhombus).
//   by board: pieces of the mover and of the others by seat, clockwise, so that a plane means
//   the same for any number of players; if several places are played for, a full plane of its
//   place for each seat whose player has finished; last, the holes the mover may stop in;
//   by identity (liu2019): for each of three states, newest first, the mover's and the
//   opponent's pieces as ids 1, 2, ...; last, a plane of ones if player 1 is to move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../game.hpp"
#include "sternhalma_places.hpp"

namespace halma {

class HoleEncoding {
 public:
  static constexpr int kClasses = HoleMap::kClasses;
  static constexpr int kHistory = 3;  // states that planes by identity show

  HoleEncoding(const HoleBoard& board, const HoleMap& map)
      : by_identity_(map.options.ids_view),
        shows_places_(map.options.second_place || map.options.all_places),
        holes_(board.size()),
        players_(board.players),
        army_(board.pieces),
        seats_(board.seats),
        seat_point_(board.seat_point),
        shape_{by_identity_ ? 2 * kHistory + 1 : seats_ * (shows_places_ ? 2 : 1) + 1, board.rows,
               board.columns} {
    fill_views(board);
    // In its own view every player may stop in the same holes.
    for (int hole = 0; hole < holes_; ++hole)
      if (map.has(map.open_to[0], hole)) open_.push_back(hole);
    fill_actions(map);
  }

  int actions() const { return by_identity_ ? army_ * holes_ : jump_base_[kClasses] + 1; }

  template <class State>
  int action(const State& s, Move move) const {
    const auto& view = view_[s.mover];
    const int from = move & 0xFF, to = move >> 8;
    if (by_identity_) {
      const std::uint8_t* army = s.piece + s.mover * army_;
      return move == kPass ? view[army[0]].hole : HoleMap::id_of(army, army_, from) * holes_ + view[to].hole;
    }
    return move == kPass ? actions() - 1 : action_of_[view[from].hole * holes_ + view[to].hole];
  }

  /// By identity, moves of a piece stand together and pieces are in the order of their ids.
  template <class State>
  void list_actions(const State& s, const MoveList& moves, int* out) const {
    if (!by_identity_ || moves[0] == kPass) {
      for (int i = 0; i < moves.size(); ++i) out[i] = action(s, moves[i]);
      return;
    }
    const auto& view = view_[s.mover];
    const std::uint8_t* army = s.piece + s.mover * army_;
    int first = 0;  // action of the piece
    for (int i = 0; i < moves.size(); ++i) {
      for (; *army != (moves[i] & 0xFF); ++army) first += holes_;
      out[i] = first + view[moves[i] >> 8].hole;
    }
  }

  template <class State>
  Move move(const HoleBoard& board, const HoleMap& map, const State& s, int action) const {
    const std::vector<int>& back = board.from_view[s.mover];
    int from, to;  // in the mover's view
    if (by_identity_) {
      to = action % holes_;
      from = board.to_view[s.mover][s.piece[s.mover * army_ + action / holes_]];
      if (from == to) return action / holes_ == 0 ? kPass : kNoMove;
    } else {
      if (action == actions() - 1) return kPass;
      if (action < jump_base_[0]) {
        from = open_[action / HoleBoard::kDirections];
        to = map.neighbour[from][action % HoleBoard::kDirections];
        if (to == HoleBoard::kOff || !map.has(map.steps[from], to)) return kNoMove;
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
    if (!map.has(map.open_to[s.mover], to)) return kNoMove;
    if (map.options.locked_target && map.has(map.target[s.mover], from) && !map.has(map.target[s.mover], to))
      return kNoMove;
    return static_cast<Move>(from | to << 8);
  }

  PlaneShape shape() const { return shape_; }
  int history() const { return by_identity_ ? kHistory : 1; }

  template <class State, class Cell>
  void encode(std::span<const State> recent, Cell* out) const {
    const State& s = recent[0];
    const auto& view = view_[s.mover];
    const int cells = shape_.rows * shape_.columns;
    std::fill(out, out + shape_.size(), Cell{0});
    if (by_identity_) {
      for (std::size_t age = 0; age < std::min<std::size_t>(recent.size(), kHistory); ++age)
        for (int side = 0; side < 2; ++side) {
          const std::uint8_t* army = recent[age].piece + (s.mover ^ side) * army_;
          Cell* plane = out + (2 * age + side) * cells;
          for (int i = 0; i < army_; ++i) plane[view[army[i]].cell] = static_cast<Cell>(i + 1);
        }
      if (s.mover) std::fill_n(out + 2 * kHistory * cells, cells, Cell{1});
      return;
    }
    for (int player = 0; player < players_; ++player) {
      const int seat = seat_of(player, s.mover);
      for (int i = 0; i < army_; ++i) out[seat * cells + view[s.piece[player * army_ + i]].cell] = Cell{1};
      const int place = shows_places_ ? PlaceRules::place(s.places(), player) : 0;
      if (place != 0) std::fill_n(out + (seats_ + seat) * cells, cells, static_cast<Cell>(place));
    }
    Cell* last = out + (shape_.planes - 1) * cells;
    for (const int hole : open_) last[view_[0][hole].cell] = Cell{1};
  }

  // With two players: own pieces and the opponent's, by hole.
  static constexpr int kInputWords = 8;
  int input_count() const { return 2 * holes_; }
  int max_inputs() const { return 2 * army_; }
  template <class State>
  void inputs(const State& s, std::uint64_t* words) const {
    std::fill_n(words, kInputWords, std::uint64_t{0});
    const auto& view = view_[s.mover];
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < army_; ++i) {
        const int input = side * holes_ + view[s.piece[(s.mover ^ side) * army_ + i]].hole;
        words[input / 64] |= std::uint64_t{1} << input % 64;
      }
  }

 private:
  static constexpr Move kPass = HoleMap::kPass;

  struct Seen {
    std::uint16_t cell, hole;
  };

  /// Seats clockwise from the mover's to a player's; those that the variant leaves empty count.
  int seat_of(int player, int mover) const {
    const bool some_empty = seats_ > players_;
    const int places = some_empty ? seat_point_[player] - seat_point_[mover] : player - mover;
    return places < 0 ? places + seats_ : places;
  }

  void fill_views(const HoleBoard& board) {
    for (int player = 0; player < players_; ++player)
      for (int hole = 0; hole < holes_; ++hole) {
        const int seen = board.to_view[player][hole];
        const HoleBoard::Hole& there = board.holes[seen];
        view_[player][hole] = {static_cast<std::uint16_t>(there.row * board.columns + there.column),
                               static_cast<std::uint16_t>(seen)};
      }
  }

  void fill_actions(const HoleMap& map) {
    std::vector<int> open_rank(holes_), class_rank(holes_);  // [hole]: among open_, among its class in open_
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_rank[open_[i]] = static_cast<int>(i);
      std::vector<int>& members = open_in_class_[map.parity[open_[i]]];
      class_rank[open_[i]] = static_cast<int>(members.size());
      members.push_back(open_[i]);
    }
    jump_base_[0] = static_cast<int>(open_.size()) * HoleBoard::kDirections;
    for (int c = 0; c < kClasses; ++c) {
      const int size = static_cast<int>(open_in_class_[c].size());
      jump_base_[c + 1] = jump_base_[c] + size * size;
    }
    action_of_.assign(static_cast<std::size_t>(holes_) * holes_, 0);
    for (const int from : open_)
      for (const int to : open_) {
        const int c = map.parity[from];
        const auto& beside = map.neighbour[from];
        const auto direction = std::find(beside.begin(), beside.end(), to) - beside.begin();
        const bool is_step = c != map.parity[to];
        action_of_[from * holes_ + to] = static_cast<std::uint16_t>(
            is_step ? open_rank[from] * HoleBoard::kDirections + static_cast<int>(direction)
                    : jump_base_[c] + class_rank[from] * static_cast<int>(open_in_class_[c].size()) +
                          class_rank[to]);
      }
  }

  bool by_identity_;
  /// Whether networks are shown who has finished; of a single winner's game they need not be.
  bool shows_places_;
  int holes_, players_;
  int army_;  // pieces per player
  int seats_;
  std::vector<int> seat_point_;
  PlaneShape shape_;
  Seen view_[HoleMap::kMaxPlayers][HoleBoard::kOff] =
      {};                                 // [player][hole]: its cell in planes, and where it is seen
  std::vector<std::uint16_t> action_of_;  // [from * holes + to], as seen; not by identity
  std::vector<int> open_;                 // holes where player 0 may stop
  std::vector<int> open_in_class_[kClasses];
  int jump_base_[kClasses + 1] = {};
};

}  // namespace halma
