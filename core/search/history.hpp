// The game up to the root of a search, as far as it can end a line or be seen by a network.
#pragma once

#include <vector>

#include "../record.hpp"

namespace halma {

struct GameHistory {
  Limits limits;
  int plies = 0;
  int halfmove_clock = 0;
  Progress progress;
  // Keys of the decisions before the root since the last irreversible move, oldest first:
  // no other position can recur.
  std::vector<std::uint64_t> keys;
  std::vector<int> landings;  // of the last limits.cycle_window moves, newest first

  /// Reads a record whose current state is the root.
  void read(const Record& record) {
    limits = record.limits();
    plies = record.plies();
    halfmove_clock = record.halfmove_clock();
    progress = record.progress();
    keys.clear();
    landings.clear();
    const auto& events = record.events();
    int moves = 0;
    std::size_t first = events.size();  // of the events since the last irreversible move
    for (; first > 0; --first) {
      if (events[first - 1].chance) continue;
      if (moves == halfmove_clock) break;
      ++moves;
    }
    for (std::size_t i = first; i < events.size(); ++i)
      if (record.keys()[i] != 0) keys.push_back(record.keys()[i]);
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (static_cast<int>(landings.size()) >= limits.cycle_window) break;
      if (!event->chance) landings.push_back(record.game().landing(event->value));
    }
  }
};

}  // namespace halma
