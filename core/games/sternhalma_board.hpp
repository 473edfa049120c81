// Boards of Chinese Checkers: holes, neighbours, homes and targets. No rules.
//
// Holes are points of a triangular lattice in axial coordinates (q, r): the six
// neighbours are (1,0), (0,1), (-1,1) and their opposites. On a board they are numbered
// row by row of its matrix, the two-dimensional array of the papers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace halma {

struct HoleBoard {
  static constexpr int kOff = 255;  // no such hole
  static constexpr int kLargestArmy = 10;
  static constexpr int kDirections = 6;
  // Direction d + 3 is the opposite of d.
  static constexpr std::array<std::pair<int, int>, kDirections> kSteps = {
      {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}};

  struct Hole {
    int q, r;         // axial, never negative
    int row, column;  // in the matrix, from its top left
    int x2, y;        // of the drawing: x in half holes, y in rows downwards
    int point;        // point of the star, 0 to 5; -1 elsewhere
  };

  std::vector<Hole> holes;
  int rows = 0, columns = 0;  // of the matrix
  int players = 0, pieces = 0;
  int seats = 0;                         // most players the board seats; a plane of pieces for each
  std::vector<std::vector<int>> home;    // [player]: start holes, in the order of piece ids
  std::vector<std::vector<int>> target;  // [player]: target holes
  // [player][hole]: the hole after turning the board so that the player's home is at the
  // bottom; from_view is the inverse.
  std::vector<std::vector<int>> to_view, from_view;
  std::vector<int> seat_point;  // [player]: the point of the star it starts from

  int size() const { return static_cast<int>(holes.size()); }

  int find(int q, int r) const {
    for (int h = 0; h < size(); ++h)
      if (holes[h].q == q && holes[h].r == r) return h;
    return kOff;
  }

  /// The neighbour in a direction, or kOff.
  int neighbour(int hole, int direction) const {
    return find(holes[hole].q + kSteps[direction].first, holes[hole].r + kSteps[direction].second);
  }

  /// [hole]: its image under the reflection of left and right; empty if that exchanges
  /// players, as it would change their order.
  std::vector<int> mirror() const {
    const auto [left, right] = std::minmax_element(holes.begin(), holes.end(),
                                                   [](const Hole& a, const Hole& b) { return a.x2 < b.x2; });
    std::vector<int> image(size());
    for (int h = 0; h < size(); ++h)
      for (int other = 0; other < size(); ++other)
        if (holes[other].y == holes[h].y && holes[other].x2 == left->x2 + right->x2 - holes[h].x2)
          image[h] = other;
    for (const std::vector<int>& start : home)
      for (const int h : start)
        if (std::find(start.begin(), start.end(), image[h]) == start.end()) return {};
    return image;
  }

  /// Two players in the acute corners of a side x side rhombus, each in a triangle of
  /// `home_rows` rows. The matrix is liu2019's: player 0 bottom left, player 1 top right.
  static HoleBoard rhombus(int side, int home_rows) {
    HoleBoard board;
    board.rows = board.columns = side;
    board.players = board.seats = 2;
    board.pieces = home_rows * (home_rows + 1) / 2;
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column)
        // In the matrix (+1,+1) are neighbours; counting q from the right makes that
        // the lattice's (-1,+1).
        board.holes.push_back({side - 1 - column, row, row, column, row + column, row - column, -1});
    const int n = board.size();
    board.to_view.assign(2, std::vector<int>(n));
    for (int h = 0; h < n; ++h) {
      board.to_view[0][h] = h;
      board.to_view[1][h] = n - 1 - h;
    }
    board.seat_point = {-1, -1};
    std::vector<int> corner;
    for (int h = 0; h < n; ++h)
      if (side - 1 - board.holes[h].row + board.holes[h].column < home_rows) corner.push_back(h);
    board.place_homes(corner, [n](int h) { return n - 1 - h; });
    return board;
  }

  /// The six-pointed star whose points are triangles of `point_rows` rows around a
  /// hexagon. Homes are triangles of `home_rows` rows from a point's tip, so they may
  /// reach into the hexagon. Points are numbered clockwise from the bottom.
  static HoleBoard star(int point_rows, int home_rows, std::vector<int> seats) {
    const int t = point_rows;
    HoleBoard board;
    board.rows = board.columns = 4 * t + 1;
    board.players = static_cast<int>(seats.size());
    board.pieces = home_rows * (home_rows + 1) / 2;
    board.seats = home_rows <= point_rows ? 6 : board.players;  // larger homes overlap
    board.seat_point = std::move(seats);
    for (int r = -2 * t; r <= 2 * t; ++r)
      for (int q = -2 * t; q <= 2 * t; ++q) {
        const int s = -q - r;
        const bool upright = q >= -t && r >= -t && s >= -t;
        const bool inverted = q <= t && r <= t && s <= t;
        if (!upright && !inverted) continue;
        int point = -1;
        if (r > t) point = 0;
        if (q < -t) point = 1;
        if (s > t) point = 2;
        if (r < -t) point = 3;
        if (q > t) point = 4;
        if (s < -t) point = 5;
        board.holes.push_back({q + 2 * t, r + 2 * t, r + 2 * t, q + 2 * t, 2 * q + r, r, point});
      }
    // Turning clockwise by a sixth takes (q, r, s) to (-r, -s, -q) and point k to k + 1.
    std::vector<int> sixth(board.size());
    for (int h = 0; h < board.size(); ++h) {
      const int q = board.holes[h].q - 2 * t, r = board.holes[h].r - 2 * t, s = -q - r;
      sixth[h] = board.find(-r + 2 * t, -s + 2 * t);
    }
    const auto turn = [&](int h, int times) {
      for (int i = 0; i < times; ++i) h = sixth[h];
      return h;
    };
    for (const int point : board.seat_point) {
      std::vector<int> view(board.size());
      for (int h = 0; h < board.size(); ++h) view[h] = turn(h, (6 - point) % 6);
      board.to_view.push_back(std::move(view));
    }
    std::vector<int> bottom;
    for (int h = 0; h < board.size(); ++h) {
      const int q = board.holes[h].q - 2 * t, r = board.holes[h].r - 2 * t;
      if (q >= -t && -q - r >= -t && r > 2 * t - home_rows) bottom.push_back(h);
    }
    board.place_homes(bottom, [&](int h) { return turn(h, 3); });
    return board;
  }

 private:
  /// Rotates the bottom home, and the target opposite, to every player's seat.
  template <class Opposite>
  void place_homes(const std::vector<int>& bottom, Opposite&& opposite) {
    for (int player = 0; player < players; ++player) {
      std::vector<int> back(size()), start, goal;
      for (int h = 0; h < size(); ++h) back[to_view[player][h]] = h;
      for (const int h : bottom) {
        start.push_back(back[h]);
        goal.push_back(back[opposite(h)]);
      }
      from_view.push_back(std::move(back));
      home.push_back(std::move(start));
      target.push_back(std::move(goal));
    }
  }
};

}  // namespace halma
