// The contract of a game. Search, solvers and self-play are templates over this concept.
//
// A family is a class G that holds the immutable rules of one variant (board tables,
// options). Its nested G::State is a small trivially copyable value that determines the
// rest of the game, apart from repetition and move limits: those belong to the record
// of a game (record.hpp).
//
// Three kinds of state:
//   decision  a player is to move: legal() lists at least one move;
//   chance    at_chance() is true: outcomes() lists the outcomes and their probabilities;
//   terminal  neither: legal() lists no move.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "random.hpp"

namespace halma {

/// A move; the family defines the meaning of its bits.
using Move = std::uint32_t;
inline constexpr Move kNoMove = 0xFFFFFFFFu;

/// An outcome of chance: the number of a die, the piece turned up, a placement.
using Outcome = std::uint32_t;

inline constexpr int kMaxPlayers = 6;
inline constexpr int kMaxMoves = 512;     // the 121-hole star has fewer than 430
inline constexpr int kMaxOutcomes = 720;  // placements of six pieces on six cells
inline constexpr int kMaxFeatures = 16;

/// A list with a capacity of N items, not on the heap; items beyond size() are undefined.
template <class T, int N>
class FixedList {
 public:
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void push(const T& item) { items_[size_++] = item; }
  const T& operator[](int i) const { return items_[i]; }
  T& operator[](int i) { return items_[i]; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T* data() { return items_; }
  void resize(int n) { size_ = n; }
  static constexpr int capacity() { return N; }

 private:
  int size_ = 0;
  T items_[N];
};

struct Chance {
  Outcome outcome;
  double probability;
};

using MoveList = FixedList<Move, kMaxMoves>;
using OutcomeList = FixedList<Chance, kMaxOutcomes>;

/// Shape of a network's input: planes x rows x columns, always from the mover's side.
struct PlaneShape {
  int planes, rows, columns;
  int size() const { return planes * rows * columns; }
};

/// History that a network's input may show beside the last few states.
struct Context {
  int repetitions = 0;       // earlier occurrences of this position
  float no_progress = 0.0f;  // fraction of the no-progress limit already used, 0 to 1
};

/// Fraction of a no-progress limit that a halfmove clock has used; a limit of 0 is none.
inline float no_progress_share(int quiet, int limit) {
  if (limit <= 0) return 0.0f;
  return quiet < limit ? static_cast<float>(quiet) / static_cast<float>(limit) : 1.0f;
}

/// The result of a random ply. `over`: the state was terminal, nothing was played.
enum class Ply : std::uint8_t { over, reversible, irreversible };

template <class G>
concept Game =
    std::is_trivially_copyable_v<typename G::State> &&
    std::has_unique_object_representations_v<typename G::State> &&  // no padding: bytes compare
    requires(const G& g, typename G::State& s, const typename G::State& c, MoveList& moves,
             OutcomeList& outcomes, Move m, Outcome o, int i, std::uint64_t n, float* out,
             std::span<const typename G::State> recent, std::span<const int> fields, const Context& context) {
      // Players are numbered from 0; scores lie in [0, max_score()].
      { g.players() } -> std::same_as<int>;
      { g.max_score() } -> std::same_as<float>;

      { g.initial() } -> std::same_as<typename G::State>;
      // The player to move; at chance, the player to move after the outcome.
      { g.mover(c) } -> std::same_as<int>;

      // Fills an empty list in a fixed order; no move is listed if and only if the
      // state is terminal. Must not be called at chance.
      { g.legal(c, moves) } -> std::same_as<void>;
      { g.terminal(c) } -> std::same_as<bool>;
      // Plays a legal move; other moves are undefined behaviour.
      { g.play(s, m) } -> std::same_as<void>;
      // True if no earlier position can recur after the move, so that the halfmove clock
      // restarts.
      { g.irreversible(c, m) } -> std::same_as<bool>;
      // The cell a move ends on; the cycle limit counts these cells.
      { g.landing(m) } -> std::same_as<int>;

      { g.at_chance(c) } -> std::same_as<bool>;
      { g.outcomes(c, outcomes) } -> std::same_as<void>;
      { g.resolve(s, o) } -> std::same_as<void>;

      // Writes players() scores: the result of a terminal state; of any other, the scores
      // if a limit ends the game there (mostly a draw).
      { g.result(c, out) } -> std::same_as<void>;

      // Policy index, seen from the mover's side: action() maps legal moves one to
      // one into [0, actions()), move() is its inverse and returns kNoMove for an
      // action that is legal in no position with these pieces.
      { g.actions() } -> std::same_as<int>;
      { g.action(c, m) } -> std::same_as<int>;
      { g.move(c, i) } -> std::same_as<Move>;

      // A network's input: `recent` holds the current state first, then up to
      // history() - 1 earlier ones. Writes shape().size() floats.
      { g.shape() } -> std::same_as<PlaneShape>;
      { g.history() } -> std::same_as<int>;
      { g.encode(recent, context, out) } -> std::same_as<void>;
      // Increased whenever encode(), action() or index() change their meaning.
      { g.version() } -> std::same_as<int>;

      // Positions that are equal for the player to move have equal keys.
      { g.key(c) } -> std::same_as<std::uint64_t>;
      // Decision states of an enumerable variant have indices below index_size(),
      // equal only if the positions are equal for the mover; index(unindex(i)) == i.
      // Not every index need be a reachable state, nor a decision: unindex() may
      // return a terminal one. Size 0: not enumerable.
      { g.index_size() } -> std::same_as<std::uint64_t>;
      { g.index(c) } -> std::same_as<std::uint64_t>;
      { g.unindex(n) } -> std::same_as<typename G::State>;

      // A state as integers, for text and drawings; the family documents their
      // order. compose() is the inverse and returns an error message, or an empty
      // string.
      { g.describe(c) } -> std::same_as<std::vector<int>>;
      { g.compose(fields, s) } -> std::same_as<std::string>;
    };

}  // namespace halma
