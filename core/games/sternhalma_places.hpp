// Places in Chinese Checkers: who has finished, when the game is over, and the scores.
//
// The sides of a game are its players, or with teams its pairs of opposite players. A side has
// finished when all its players have. The places of a state are four bits for each player: which of
// the players to finish it was, the first being 1, and 0 while it has not finished.
#pragma once

#include <algorithm>
#include <string>

#include "sternhalma_map.hpp"

namespace halma {

class PlaceRules {
 public:
  PlaceRules(const SternhalmaOptions& options, int players)
      : options_(options), players_(players), sides_(options.teams ? players / 2 : players) {}

  static int place(std::uint32_t places, int player) { return static_cast<int>(places >> 4 * player & 15); }

  /// The number of players who have finished.
  [[gnu::noinline]] int finishers(std::uint32_t places) const {
    int number = 0;
    for (int player = 0; player < players_; ++player) number += place(places, player) != 0;
    return number;
  }

  int sides() const { return sides_; }
  /// Partners sit opposite each other.
  int side(int player) const { return player % sides_; }
  /// Whether the board alone does not say who has finished.
  bool kept() const { return options_.second_place || options_.all_places || options_.teams; }

  bool over(std::uint32_t places) const { return places != 0 && decided(places); }

  // Once somebody has finished; kept out of line, since loops that play moves ask for little else.
  [[gnu::noinline]] bool decided(std::uint32_t places) const {
    if (!options_.second_place) return finished_sides(places) >= (options_.all_places ? sides_ - 1 : 1);
    for (int player = 0; player < players_; ++player)
      if (place(places, player) == 2) return true;
    return false;
  }

  float max_score() const {
    return options_.second_place ? 3.0f : options_.all_places ? static_cast<float>(sides_ - 1) : 1.0f;
  }

  /// A side's points go to each of its players. Sides that have not finished share the points left.
  void scores(std::uint32_t places, float* out) const {
    const int finished = finished_sides(places);
    for (int player = 0; player < players_; ++player) {
      const int rank = side_place(places, side(player));
      const auto behind = static_cast<float>(sides_ - (rank ? rank : finished + 1));
      if (options_.second_place)
        out[player] = rank == 1 ? 3.0f : rank == 2 ? 1.0f : 0.0f;
      else if (options_.all_places)
        out[player] = rank ? behind : behind / 2;
      else
        out[player] = finished ? static_cast<float>(rank == 1) : 1.0f / static_cast<float>(sides_);
    }
  }

  /// What is wrong with places that were written down, whatever the board; empty if nothing is.
  /// `last` is the player who moved last.
  std::string fault(std::uint32_t places, int last) const {
    const int number = finishers(places);
    for (int rank = 1; rank <= number; ++rank) {
      int holders = 0;
      for (int player = 0; player < players_; ++player) holders += place(places, player) == rank;
      const bool shared = options_.second_place && rank == 2;
      if (shared ? holders != number - 1 : holders != 1 && !(options_.second_place && rank > 2))
        return "the places are impossible";
    }
    if (options_.second_place) return "";
    for (int player = 0; player < players_; ++player) {
      if (number == 0 || place(places, player) != number) continue;
      if (over(places & ~(std::uint32_t{15} << 4 * player)))
        return "the game was over before player " + std::to_string(player + 1) + " finished";
      if (over(places) && player != last)
        return "player " + std::to_string(player + 1) + " has ended the game and did not move last";
    }
    return "";
  }

 private:
  /// The number of the last of a side's players to finish; 0 unless all have.
  int last_of(std::uint32_t places, int side) const {
    int last = 0;
    for (int player = side; player < players_; player += sides_) {
      if (place(places, player) == 0) return 0;
      last = std::max(last, place(places, player));
    }
    return last;
  }

  int finished_sides(std::uint32_t places) const {
    int number = 0;
    for (int side = 0; side < sides_; ++side) number += last_of(places, side) != 0;
    return number;
  }

  /// A side's place among the sides; 0 if it has not finished. Sides may share one.
  int side_place(std::uint32_t places, int side) const {
    const int own = last_of(places, side);
    if (own == 0) return 0;
    int rank = 1;
    for (int other = 0; other < sides_; ++other) {
      const int last = last_of(places, other);
      rank += last != 0 && last < own;
    }
    return rank;
  }

  SternhalmaOptions options_;
  int players_, sides_;
};

/// Whether a piece of the mover in the last hole of a player's target would make the player finish.
/// Out of line: it is hardly ever asked, in the loop that lists moves.
template <class State>
[[gnu::noinline]] bool may_finish(const HoleMap& map, const State& s, int player, int mover) {
  const bool partner = map.options.teams && (player - mover) % (map.players / 2) == 0;
  return !partner && !PlaceRules::place(s.places(), player) && !map.holds_partner(s, player);
}

}  // namespace halma
