// The contract: what a game must offer. Everything that searches, solves or trains
// is written against this file and nothing else.
//
// A family is a class G that holds the immutable rules of one variant (board tables,
// options). Its nested G::State is a small trivially copyable value that holds all
// the future depends on. Repetition and move limits are not part of a state; they
// live in the game record (record.hpp).
//
// Three kinds of state:
//   decision  a player is to move: legal() lists at least one move;
//   chance    at_chance() is true: outcomes() lists what may happen and how often;
//   terminal  neither: legal() leaves the list empty.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "random.hpp"

namespace halma {

/// A move is a plain value whose bits belong to the family that made it.
using Move = std::uint32_t;
inline constexpr Move kNoMove = 0xFFFFFFFFu;

/// What chance did: a die's number, a piece turned up, a placement drawn.
using Outcome = std::uint32_t;

inline constexpr int kMaxPlayers = 6;
inline constexpr int kMaxMoves = 512;     // the 121-hole star stays below 430
inline constexpr int kMaxOutcomes = 720;  // placements of six pieces on six cells
inline constexpr int kMaxFeatures = 16;

/// A list with room for N items and no heap; what is beyond size() is garbage.
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

/// The array a network sees: planes x rows x columns, always from the mover's side.
struct PlaneShape {
  int planes, rows, columns;
  int size() const { return planes * rows * columns; }
};

/// What a network may know of a game's past beside the last few states.
struct Context {
  int repetitions = 0;       // earlier occurrences of this position
  float no_progress = 0.0f;  // share of the no-progress limit already used, 0 to 1
};

/// How much of a no-progress limit so many quiet plies have used; a limit of 0 is none.
inline float no_progress_share(int quiet, int limit) {
  if (limit <= 0) return 0.0f;
  return quiet < limit ? static_cast<float>(quiet) / static_cast<float>(limit) : 1.0f;
}

/// What a random ply did. `over` means nothing was played: the state is terminal.
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
      // Whose turn it is. At chance: whose turn it is once chance has spoken.
      { g.mover(c) } -> std::same_as<int>;

      // Fills an empty list in a fixed order; leaves it empty if and only if the
      // state is terminal. Not to be called at chance.
      { g.legal(c, moves) } -> std::same_as<void>;
      { g.terminal(c) } -> std::same_as<bool>;
      // Plays a legal move. Anything else is undefined: callers check.
      { g.play(s, m) } -> std::same_as<void>;
      // True when the move can never be taken back, so that no earlier position
      // can recur and a no-progress count starts again.
      { g.irreversible(c, m) } -> std::same_as<bool>;
      // The cell a move ends on (rules about cycles look at it).
      { g.landing(m) } -> std::same_as<int>;

      { g.at_chance(c) } -> std::same_as<bool>;
      { g.outcomes(c, outcomes) } -> std::same_as<void>;
      { g.resolve(s, o) } -> std::same_as<void>;

      // Writes players() scores: the result of a terminal state; of any other, what
      // each player gets if the game is stopped there (a draw, mostly).
      { g.result(c, out) } -> std::same_as<void>;

      // Policy index, seen from the mover's side: action() maps legal moves one to
      // one into [0, actions()), move() is its inverse and gives kNoMove for an
      // action that no position with these pieces could ever allow.
      { g.actions() } -> std::same_as<int>;
      { g.action(c, m) } -> std::same_as<int>;
      { g.move(c, i) } -> std::same_as<Move>;

      // The planes a network sees: `recent` holds the current state first, then up
      // to history() - 1 earlier ones. Writes shape().size() floats.
      { g.shape() } -> std::same_as<PlaneShape>;
      { g.history() } -> std::same_as<int>;
      { g.encode(recent, context, out) } -> std::same_as<void>;
      // Raised whenever encode(), action() or index() change their meaning.
      { g.version() } -> std::same_as<int>;

      // Equal positions (for the player to move) have equal keys.
      { g.key(c) } -> std::same_as<std::uint64_t>;
      // Decision states of an enumerable variant have distinct numbers below
      // index_size(), equal ones only where the game is the same for the mover;
      // index(unindex(i)) == i. Not every number need be a reachable state, nor a
      // decision: unindex() may give a terminal one. Size 0: not enumerable.
      { g.index_size() } -> std::same_as<std::uint64_t>;
      { g.index(c) } -> std::same_as<std::uint64_t>;
      { g.unindex(n) } -> std::same_as<typename G::State>;

      // A state as plain numbers, for text and pictures; the family documents
      // their order. compose() is the inverse and returns what is wrong with the
      // numbers, or an empty string.
      { g.describe(c) } -> std::same_as<std::vector<int>>;
      { g.compose(fields, s) } -> std::same_as<std::string>;
    };

// Hooks a family may add where a shorter way exists; the kernels use them if present.
//   int count(const State&)             number of legal moves, without listing them
//   Ply random_ply(State&, Random&)     chance and one uniformly random move in one go
//   void features(const State&, int player, float* out),
//   std::vector<float> default_weights() and float default_scale()
//                                       at most kMaxFeatures numbers that judge where a player
//                                       stands, and weights that make a fair score of them;
//                                       a negative weight means less is better; a lead times
//                                       the scale is about the logarithm of the odds to win
//   bool is_quiet(const State&)         nothing is about to be captured, so that a judgement
//                                       is worth something
//   int advance(const State&, Move) and int trailing(const State&, Move)
//                                       where pieces race: how far a legal move brings its piece
//                                       forward, and how far behind that piece stands before it
//   void furthest(const State&, MoveList&)
//                                       the legal moves that advance most, of those the ones whose
//                                       piece trails most, in the order of legal()
//   void give_turn(State&, int player)  lets that player move, as if the others stood still
//   void reopen(State&, int player)     lets a game go on with that player to move, as if nobody
//                                       had finished yet
//   int symmetries(), State image(const State&, int k) and Move image(Move, int k)
//                                       mirrors the game is the same in: how many with the one
//                                       that changes nothing, number 0, and what a state and a
//                                       move look like in the k-th
//   bool uses_context()                 whether encode() looks at the context; without it, yes
//   bool byte_planes()                 whether all that encode() writes are whole numbers from 0 to
//                                       255, so that planes may travel as bytes; without it, no
//   class Backward                      moves taken back, for retrograde analysis: see the concept
//                                       TakesBack in solve/retrograde.hpp
//   class Forward                       where moves lead in the index, to check what the analysis
//                                       found: see the concept WalksIndex there

template <class G>
concept CountsMoves = requires(const G& g, const typename G::State& s) {
  { g.count(s) } -> std::same_as<int>;
};

template <class G>
concept PlaysRandomly = requires(const G& g, typename G::State& s, Random& random) {
  { g.random_ply(s, random) } -> std::same_as<Ply>;
};

template <class G>
concept Reopens = requires(const G& g, typename G::State& s, int player) {
  { g.reopen(s, player) } -> std::same_as<void>;
};

template <class G>
concept HasFeatures = requires(const G& g, const typename G::State& s, int player, float* out) {
  { g.features(s, player, out) } -> std::same_as<void>;
  { g.default_weights() } -> std::same_as<std::vector<float>>;
  { g.default_scale() } -> std::same_as<float>;
};

template <class G>
concept KnowsQuiet = requires(const G& g, const typename G::State& s) {
  { g.is_quiet(s) } -> std::same_as<bool>;
};

template <class G>
concept Races = Game<G> && requires(const G& g, const typename G::State& s, Move m) {
  { g.advance(s, m) } -> std::same_as<int>;
  { g.trailing(s, m) } -> std::same_as<int>;
};

template <class G>
concept FindsFurthest = requires(const G& g, const typename G::State& s, MoveList& moves) {
  { g.furthest(s, moves) } -> std::same_as<void>;
};

template <Game G>
bool uses_context(const G& game) {
  if constexpr (requires {
                  { game.uses_context() } -> std::same_as<bool>;
                })
    return game.uses_context();
  else
    return true;
}

template <Game G>
bool byte_planes(const G& game) {
  if constexpr (requires {
                  { game.byte_planes() } -> std::same_as<bool>;
                })
    return game.byte_planes();
  else
    return false;
}

template <class G>
concept HasSymmetries = requires(const G& g, const typename G::State& s, Move m, int k) {
  { g.symmetries() } -> std::same_as<int>;
  { g.image(s, k) } -> std::same_as<typename G::State>;
  { g.image(m, k) } -> std::same_as<Move>;
};

template <class G>
concept GivesTurn = requires(const G& g, typename G::State& s, int player) {
  { g.give_turn(s, player) } -> std::same_as<void>;
};

}  // namespace halma
