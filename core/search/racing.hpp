// Which families race, and their greedy players behind types that know no game. As with
// searches, a family's own source file registers it.
#pragma once

#include <map>
#include <typeindex>

#include "../record.hpp"
#include "greedy.hpp"

namespace halma {

struct Racing {
  int (*advance)(const AnyGame&, const Bytes*, Move);
  int (*trailing)(const AnyGame&, const Bytes*, Move);
  GreedyTotals (*games)(const AnyGame&, std::uint64_t games, std::uint64_t seed, const GreedyOptions&,
                        int threads);
  std::vector<Record::Event> (*game)(const AnyGame&, std::uint64_t number, std::uint64_t seed,
                                     const GreedyOptions&);
  // Null where nobody can stand still.
  void (*lookahead)(const AnyGame&, const Bytes*, int depth, MoveList&);
};

inline std::map<std::type_index, Racing>& registered_racing() {
  static std::map<std::type_index, Racing> racing;
  return racing;
}

/// Null where pieces do not race.
inline const Racing* racing_of(const AnyGame& game) {
  const auto found = registered_racing().find(typeid(game));
  return found == registered_racing().end() ? nullptr : &found->second;
}

template <Races G>
void register_racing() {
  static constexpr auto concrete = [](const AnyGame& game) -> const G& {
    return static_cast<const Erased<G>&>(game).concrete();
  };
  Racing racing;
  racing.advance = [](const AnyGame& game, const Bytes* state, Move move) {
    return concrete(game).advance(Erased<G>::load(state), move);
  };
  racing.trailing = [](const AnyGame& game, const Bytes* state, Move move) {
    return concrete(game).trailing(Erased<G>::load(state), move);
  };
  racing.games = [](const AnyGame& game, std::uint64_t games, std::uint64_t seed,
                    const GreedyOptions& options,
                    int threads) { return greedy_games(concrete(game), games, seed, options, threads); };
  racing.game = [](const AnyGame& game, std::uint64_t number, std::uint64_t seed,
                   const GreedyOptions& options) {
    std::vector<Record::Event> events;
    play_greedily(concrete(game), options, Random(seed, number),
                  [&](bool chance, std::uint32_t value) { events.push_back({chance, value}); });
    return events;
  };
  racing.lookahead = nullptr;
  if constexpr (GivesTurn<G>)
    racing.lookahead = [](const AnyGame& game, const Bytes* state, int depth, MoveList& best) {
      lookahead_moves(concrete(game), Erased<G>::load(state), depth, best);
    };
  registered_racing()[typeid(Erased<G>)] = racing;
}

}  // namespace halma
