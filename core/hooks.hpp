// What a family may offer beyond the contract (game.hpp), and what stands in for it where it does not.
//
// What uses a hook and what happens without is said at each.
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
// Nested classes with which solvers work are in solve_hooks.hpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "game.hpp"

namespace halma {

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

}  // namespace halma
