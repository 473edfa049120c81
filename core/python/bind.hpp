// What every binding file shares.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "../oracle.hpp"
#include "../record.hpp"
#include "../search/options.hpp"
#include "numbers.hpp"

namespace nb = nanobind;

namespace halma::python {

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WordArray = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// One state a row, shape (states, state_size).
using StateRows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Checks a state that came from Python and gives its bytes.
inline const Bytes* state_bytes(const AnyGame& game, const nb::bytes& state) {
  const auto* bytes = reinterpret_cast<const Bytes*>(state.data());
  if (state.size() != game.state_size() || !game.is_valid(bytes))
    throw std::invalid_argument("these bytes are not a state of this game");
  return bytes;
}

/// Checks rows of states and gives their bytes.
inline const Bytes* row_bytes(const AnyGame& game, const StateRows& states) {
  const auto* bytes = reinterpret_cast<const Bytes*>(states.data());
  bool valid = states.shape(1) == game.state_size();
  for (std::size_t row = 0; valid && row < states.shape(0); ++row)
    valid = game.is_valid(bytes + row * game.state_size());
  if (!valid) throw std::invalid_argument("the rows of this array are not states of this game");
  return bytes;
}

/// Checks that a move is legal.
inline Move checked_move(const AnyGame& game, const Bytes* state, Move move) {
  MoveList moves;
  if (!game.at_chance(state)) game.legal(state, moves);
  if (std::find(moves.begin(), moves.end(), move) == moves.end())
    throw std::invalid_argument("the move " + std::to_string(move) + " is not legal here");
  return move;
}

/// Checks that an outcome of chance is possible.
inline Outcome checked_outcome(const AnyGame& game, const Bytes* state, Outcome outcome) {
  OutcomeList outcomes;
  if (game.at_chance(state)) game.outcomes(state, outcomes);
  if (std::none_of(outcomes.begin(), outcomes.end(), [=](const Chance& c) { return c.outcome == outcome; }))
    throw std::invalid_argument("the outcome " + std::to_string(outcome) + " is not possible here");
  return outcome;
}

/// The dense index of a decision.
inline std::uint64_t checked_index(const AnyGame& game, const Bytes* state) {
  if (game.index_size() == 0) throw std::invalid_argument("this game's positions cannot be enumerated");
  if (game.at_chance(state)) throw std::invalid_argument("a position at chance has no index");
  const std::uint64_t index = game.index(state);
  if (index >= game.index_size()) throw std::invalid_argument("this position has no index");
  return index;
}

inline int checked_player(const AnyGame& game, int player) {
  if (player < 0 || player >= game.players())
    throw std::invalid_argument("the players are 0 to " + std::to_string(game.players() - 1) + ", not " +
                                std::to_string(player));
  return player;
}

/// Checks the number of a symmetry of the game.
inline void check_mirror(const AnyGame& game, int mirror) {
  if (mirror < 0 || mirror >= game.symmetries()) throw std::invalid_argument("there is no such mirror");
}

/// A new state made by `fill(Bytes*)`.
template <class Fill>
nb::bytes new_state(const AnyGame& game, Fill&& fill) {
  std::vector<Bytes> bytes(game.state_size());
  fill(bytes.data());
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Checks that a search of this game may probe an oracle, if there is one.
inline void check_oracle(const AnyGame& game, const Oracle* oracle) {
  if (oracle && game.players() != 2) throw std::invalid_argument("exact values are for two players");
  if (oracle && !oracle->fits(game)) throw std::invalid_argument("this oracle belongs to another game");
}

/// Checks that a game may be searched with these options.
void check_search(const AnyGame& game, const SearchOptions& options);

/// Checks that a record may be searched by something made for `game`: of an equal variant, and
/// at a decision. Variants with options of the same family are not distinguished here.
inline void check_record(const AnyGame& game, const Record& record, bool limits) {
  const AnyGame& other = record.game();
  if (&other != &game && (typeid(other) != typeid(game) || other.state_size() != game.state_size() ||
                          other.players() != game.players() || other.actions() != game.actions()))
    throw std::invalid_argument("this record is of another game");
  if (other.at_chance(record.state()) || other.terminal(record.state()) ||
      (limits && record.end() != End::none))
    throw std::invalid_argument("a search starts where a player is to move");
}

/// A numpy array that owns a moved-in vector.
template <class T>
nb::ndarray<nb::numpy, T> owned_array(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* heap = new std::vector<T>(std::move(values));
  nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(heap->data(), shape, owner);
}

/// Translates what the core throws into the errors of halma.errors.
void bind_errors();

// One function per file; those of games are declared in module.cpp.
void bind_game(nb::module_& module);
void bind_record(nb::module_& module);
void bind_scripted(nb::module_& module);
void bind_registry(nb::module_& module);
void bind_oracle(nb::module_& module);
void bind_search(nb::module_& module);
void bind_selfplay(nb::module_& module);
void bind_racing(nb::module_& module);
void bind_minimax(nb::module_& module);
void bind_sparse_network(nb::module_& module);
void bind_retrograde(nb::module_& module);
void bind_expectimax(nb::module_& module);
void bind_endgames(nb::module_& module);
void bind_tabular(nb::module_& module);
void bind_examples(nb::module_& module);

}  // namespace halma::python
