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
#include <optional>
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

// Hooks a family may add; what uses them and what happens without is said at each.
//   int count(const State&)             number of legal moves, without listing them: perft.
//                                       Without it moves are listed and counted.
//   Ply random_ply(State&, Random&)     chance and one uniformly random move together: playouts.
//                                       Without it all moves are listed to draw one.
//   void features(const State&, int player, float* out),
//   std::vector<float> default_weights() and float default_scale()
//                                       at most kMaxFeatures numbers that describe a player's
//                                       position, and weights for them; a negative weight means
//                                       less is better; a lead times the scale is about the
//                                       logarithm of the odds to win. Needed by every linear
//                                       evaluation, in trees and in minimax.
//   int input_count(), int max_inputs(), static constexpr int kInputWords and
//   void inputs(const State&, std::uint64_t* words)
//                                       of a game for two: a position as seen by its mover as a set
//                                       of bits below input_count(), at most max_inputs() of them,
//                                       in kInputWords words of 64. Needed by networks that are
//                                       evaluated in the core (search/sparse_network.hpp).
//   static constexpr bool kInputsBeforeChance
//                                       true where inputs() leaves out what chance decided last: a
//                                       position at chance is then evaluated as it stands. Without
//                                       it, by the mean over the outcomes.
//   bool is_quiet(const State&)         whether no capture is pending: quiescence search, and
//                                       the rule `expansion`. Without it minimax evaluates at
//                                       its nominal depth.
//   void captures(const State&, MoveList&)
//                                       the legal moves that capture, in a game where nobody has to,
//                                       and where none leads to chance: expectimax tries them beyond
//                                       its depth. Without it, it evaluates at its nominal depth.
//   int advance(const State&, Move) and int trailing(const State&, Move)
//                                       where pieces race: how far a legal move brings its piece
//                                       forward, and how far behind that piece stands before it.
//                                       Needed by the greedy players.
//   void furthest(const State&, MoveList&)
//                                       the legal moves that advance most, of those the ones whose
//                                       piece trails most, in the order of legal(). Without it the
//                                       greedy players list and compare all moves.
//   int arrived(const State&, int player)
//                                       pieces of a player that have reached their goal: the limit
//                                       on plies without progress. Without it there is no such limit.
//   void give_turn(State&, int player)  makes that player the mover, as if the others passed:
//                                       greedy players that look ahead, and expectimax where some
//                                       moves lead to chance and others do not
//   void reopen(State&, int player)     continues a game with that player to move, as if nobody
//                                       had finished yet: counting the moves one player needs
//   State random_start(Random&)         a decision with all pieces in random places and nobody having
//                                       won: training games that do not begin as usual. Without it
//                                       recipes that ask for random starts are refused.
//   State random_position(Random&, int pieces) and PieceCounts piece_counts()
//                                       a decision with this many pieces, of all players together, in
//                                       random places, and how many there may be: training from random
//                                       endgames. Without it recipes that ask for them are refused.
//   int team(int player)                the team of a player, numbered from 0: partners always have equal
//                                       scores. Evaluations, paranoid search and matches take them for
//                                       one side. Without it every player is on its own.
//   int symmetries(), State image(const State&, int k) and Move image(Move, int k)
//                                       symmetries of the rules: how many with the identity,
//                                       number 0, and the k-th image of a state and a move.
//                                       Training samples are augmented with them.
//   void list_actions(const State&, const MoveList&, int* out)
//                                       action() of all legal moves, which stand in the order of
//                                       legal(); without it one after the other
//   int max_moves()                     a bound on the number of legal moves of any state; without
//                                       it, the number of actions and kMaxMoves
//   bool is_valid(const State&)         whether the bytes of a state are one that the rules can work
//                                       on: what they look up in arrays lies within those. States
//                                       from outside are checked with it; without it, none is.
//   bool uses_context()                 whether encode() looks at the context; without it, yes
//   bool byte_planes()                  whether all that encode() writes are whole numbers from 0 to
//                                       255, so that planes are passed on as bytes; without it, no
//   void encode(recent, context, std::uint8_t* out)
//                                       the same planes as bytes; without it floats are converted
//   static constexpr bool kIndexed      false in a family none of whose variants has a dense index:
//                                       nothing that needs one is compiled
//   class Layers                        an order of solving a game with chance: HasLayers
//   class Backward and class Forward    unmoves, and successors by index, for retrograde
//                                       analysis: TakesBack
//   class Slices                        positions with few pieces, for endgame tables: HasSlices
// Nested classes are declared in the family and defined in a header beside it.

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
concept HasInputs = requires(const G& g, const typename G::State& s, std::uint64_t* words) {
  { G::kInputWords } -> std::convertible_to<int>;
  { g.input_count() } -> std::same_as<int>;
  { g.max_inputs() } -> std::same_as<int>;
  { g.inputs(s, words) } -> std::same_as<void>;
};

template <class G>
concept KnowsQuiet = requires(const G& g, const typename G::State& s) {
  { g.is_quiet(s) } -> std::same_as<bool>;
};

template <class G>
concept ListsCaptures = requires(const G& g, const typename G::State& s, MoveList& moves) {
  { g.captures(s, moves) } -> std::same_as<void>;
};

template <class G>
inline constexpr bool kInputsBeforeChance = [] {
  if constexpr (requires { G::kInputsBeforeChance; })
    return G::kInputsBeforeChance;
  else
    return false;
}();

template <class G>
concept Races = Game<G> && requires(const G& g, const typename G::State& s, Move m) {
  { g.advance(s, m) } -> std::same_as<int>;
  { g.trailing(s, m) } -> std::same_as<int>;
};

template <class G>
concept StartsRandomly = requires(const G& g, Random& random) {
  { g.random_start(random) } -> std::same_as<typename G::State>;
};

/// Fewest and most pieces of random positions; both 0 where there are none.
struct PieceCounts {
  int fewest = 0, most = 0;
};

template <class G>
concept PlacesPieces = requires(const G& g, Random& random, int pieces) {
  { g.random_position(random, pieces) } -> std::same_as<typename G::State>;
  { g.piece_counts() } -> std::same_as<PieceCounts>;
};

template <class G>
concept FindsFurthest = requires(const G& g, const typename G::State& s, MoveList& moves) {
  { g.furthest(s, moves) } -> std::same_as<void>;
};

template <class G>
concept CountsArrived = requires(const G& g, const typename G::State& s, int player) {
  { g.arrived(s, player) } -> std::same_as<int>;
};

/// The side that a player is on: its team, or the player itself.
template <Game G>
int side_of(const G& game, int player) {
  if constexpr (requires {
                  { game.team(player) } -> std::same_as<int>;
                })
    return game.team(player);
  else
    return player;
}

/// The number of teams, or of players where there are none.
template <Game G>
int sides(const G& game) {
  int last = 0;
  for (int player = 0; player < game.players(); ++player) last = std::max(last, side_of(game, player));
  return last + 1;
}

/// The mean of numbers of players for each side; returns the number of sides.
template <Game G, class Number>
int side_means(const G& game, const Number* by_player, Number* by_side) {
  int members[kMaxPlayers] = {}, last = 0;
  std::fill_n(by_side, game.players(), Number{0});
  for (int player = 0; player < game.players(); ++player) {
    const int side = side_of(game, player);
    by_side[side] += by_player[player];
    ++members[side];
    last = std::max(last, side);
  }
  for (int side = 0; side <= last; ++side) by_side[side] /= static_cast<Number>(members[side]);
  return last + 1;
}

template <Game G>
bool is_valid(const G& game, const typename G::State& state) {
  if constexpr (requires {
                  { game.is_valid(state) } -> std::same_as<bool>;
                })
    return game.is_valid(state);
  else
    return true;
}

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

template <Game G>
int max_moves(const G& game) {
  if constexpr (requires {
                  { game.max_moves() } -> std::same_as<int>;
                })
    return game.max_moves();
  else
    return std::min(kMaxMoves, game.actions());
}

template <Game G>
void list_actions(const G& game, const typename G::State& state, const MoveList& moves, int* out) {
  if constexpr (requires { game.list_actions(state, moves, out); })
    game.list_actions(state, moves, out);
  else
    for (int i = 0; i < moves.size(); ++i) out[i] = game.action(state, moves[i]);
}

template <class G>
concept EncodesBytes = requires(const G& g, std::span<const typename G::State> recent, const Context& context,
                                std::uint8_t* out) {
  { g.encode(recent, context, out) } -> std::same_as<void>;
};

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

template <class G>
inline constexpr bool kIndexed = [] {
  if constexpr (requires { G::kIndexed; })
    return G::kIndexed;
  else
    return true;
}();

/// A run of indices: from first up to but not including last.
struct Block {
  std::uint64_t first, last;
};
/// Blocks that do not depend on each other, only on blocks of earlier stages and on themselves,
/// so that threads can share them.
using Stage = std::vector<Block>;

/// The order in which the positions of a game with chance can be solved (solve/expectimax.hpp).
template <class G>
concept HasLayers = Game<G> && requires(const G& game) {
  // Whether play can return to a position; if not, a position's successors within its block have
  // smaller indices.
  { G::Layers::kCyclic } -> std::convertible_to<bool>;
  // All blocks that hold decisions, in order.
  { G::Layers::stages(game) } -> std::same_as<std::vector<Stage>>;
  // Every value times this is a whole number.
  { G::Layers::denominator(game) } -> std::same_as<double>;
};

/// Layers in which chance may lead back into the same block.
template <class G>
inline constexpr bool kChanceWithin = [] {
  if constexpr (requires { G::Layers::kChanceWithin; })
    return G::Layers::kChanceWithin;
  else
    return false;
}();

/// Layers of a game whose chance has equally likely outcomes with consecutive indices.
template <class G>
concept RollsInARow = HasLayers<G> && requires(const G& game, const typename G::State& chance) {
  // The number of outcomes of a chance state; 0 where they are not in a row.
  { G::Layers::rolls(game, chance) } -> std::same_as<int>;
  // The index of the first of them.
  { G::Layers::rolled(game, chance) } -> std::same_as<std::uint64_t>;
};

/// Unmoves of a deterministic game for two, for retrograde analysis
/// (solve/retrograde.hpp; docs/methods/retrograde.md explains rows and blocks). A move changes the
/// mover's own pieces only. A block is all positions in which the player to move stands in given
/// places; a row keeps a block, or two that mirror each other.
template <class G>
concept TakesBack = Game<G> &&
                    requires(const G& game, const typename G::Backward& tables,
                             typename G::Backward::Block& block, std::uint32_t place) {
                      { G::Backward::rows(game) } -> std::same_as<std::uint64_t>;
                      { G::Backward::width(game) } -> std::same_as<std::uint64_t>;  // places in a row
                      { tables.max_moves() } -> std::same_as<int>;
                      { tables.block(std::uint64_t{}) } -> std::same_as<std::uint32_t>;  // the block of a row
                      { tables.weight(std::uint64_t{}) } -> std::same_as<int>;  // how many blocks it keeps
                      { block.open(place) } -> std::same_as<void>;              // sets the block
                      // Moves of the army in `place`, or kMustPass, kIllegal, or 0 where the game is over.
                      { block.standing(place) } -> std::same_as<int>;
                      // Where the same position stands when the other player is to move.
                      { block.turned(place) } -> std::same_as<typename G::Backward::Spot>;
                      { block.turned_and_mirrored(place) } -> std::same_as<typename G::Backward::Spot>;
                      // Places from which a move leads to this one.
                      block.predecessors(place, [](std::uint32_t) {});
                    } &&
                    // Moves played forward, to check a finished table independently of Backward: rows of the
                    // index, whose positions have their successors in the same row.
                    requires(const G& game, typename G::Forward& walk,
                             const typename G::Forward::Before& before, const MoveList& moves) {
                      { G::Forward::rows(game) } -> std::same_as<std::uint64_t>;
                      { G::Forward::width(game) } -> std::same_as<std::uint64_t>;
                      walk.open(std::uint64_t{});  // starts a row
                      { walk.next() } -> std::same_as<typename G::Forward::Before>;
                      { walk.rank(before.set) } -> std::same_as<std::uint64_t>;
                      // Whether index() and unindex() agree with the walk.
                      { walk.agrees(before, std::uint64_t{}) } -> std::same_as<bool>;
                      // Calls back with the place of each successor.
                      walk.after(before, moves, [](std::uint64_t) {});
                    };

/// Positions with few pieces, sorted into slices by material, for endgame tables
/// (solve/endgames.hpp). A move either changes the material or leads to the mirror image of the
/// slice.
template <class G>
concept HasSlices = Game<G> && requires(const G& game, const typename G::State& s,
                                        const typename G::Slices::Material& m, int pieces, std::uint64_t i) {
  { G::Slices::kMaxPieces } -> std::convertible_to<int>;
  // All materials up to a number of pieces in solving order, each next to its mirror image.
  { G::Slices::materials(pieces) } -> std::same_as<std::vector<typename G::Slices::Material>>;
  { m.mirrored() } -> std::same_as<typename G::Slices::Material>;  // seen from the other side
  { m.counts() } -> std::same_as<std::vector<int>>;                // pieces by kind
  { G::Slices::kCodes } -> std::convertible_to<int>;
  { G::Slices::code(m) } -> std::same_as<int>;  // a number of its own below kCodes
  { G::Slices::pieces(s) } -> std::same_as<int>;
  { G::Slices::lost(s) } -> std::same_as<bool>;  // the player to move has no piece
  { G::Slices::material(s) } -> std::same_as<std::optional<typename G::Slices::Material>>;
  // Positions of a slice have distinct numbers below size(); unindex() is the inverse and
  // gives nothing where there is no position.
  { G::Slices::size(m) } -> std::same_as<std::uint64_t>;
  { G::Slices::index(s) } -> std::same_as<std::uint64_t>;
  { G::Slices::unindex(m, i) } -> std::same_as<std::optional<typename G::State>>;
  { G::Slices::converts(s, s) } -> std::same_as<bool>;  // whether a move changed the material
  // States from which a move that keeps the material leads to s.
  game.take_back_steps(s, [](const typename G::State&) {});
};

}  // namespace halma
