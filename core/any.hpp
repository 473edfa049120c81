// Types are erased once, here. AnyGame is one interface over opaque fixed-size state
// bytes; Erased<G> puts a concrete family behind it, with every kernel instantiated
// for that family; Opaque goes the other way and lets any AnyGame, one written in
// Python included, run through the same templates.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

#include "kernels.hpp"
#include "solve_hooks.hpp"

namespace halma {

/// The bytes of a state; size AnyGame::state_size(), alignment not assumed.
using Bytes = std::byte;

/// When a record ends although the rules would go on; 0 switches a limit off.
struct Limits {
  int plies = 0;           // moves of all players together
  int repetitions = 0;     // a position's n-th occurrence ends the game
  int no_progress = 0;     // plies without an irreversible move
  int cycle_window = 0;    // liu2019: this many last moves ...
  int cycle_landings = 0;  // ... must end on at least this many different cells
  int progress_plies = 0;  // plies without progress: no player has more arrived() pieces than before
};

class AnyGame {
 public:
  virtual ~AnyGame() = default;

  virtual std::size_t state_size() const = 0;
  virtual int players() const = 0;
  virtual int team(int player) const { return player; }
  virtual float max_score() const = 0;
  virtual void initial(Bytes* state) const = 0;
  virtual int mover(const Bytes* state) const = 0;
  virtual void legal(const Bytes* state, MoveList& moves) const = 0;
  virtual bool terminal(const Bytes* state) const = 0;
  virtual void play(Bytes* state, Move move) const = 0;
  virtual bool irreversible(const Bytes* state, Move move) const = 0;
  virtual int landing(Move move) const = 0;
  virtual bool at_chance(const Bytes* state) const = 0;
  virtual void outcomes(const Bytes* state, OutcomeList& outcomes) const = 0;
  virtual void resolve(Bytes* state, Outcome outcome) const = 0;
  virtual void result(const Bytes* state, float* scores) const = 0;
  virtual int actions() const = 0;
  virtual int action(const Bytes* state, Move move) const = 0;
  virtual Move move(const Bytes* state, int action) const = 0;
  virtual PlaneShape shape() const = 0;
  virtual int history() const = 0;
  /// `recent` holds `number` states one after the other, the current one first.
  virtual void encode(const Bytes* recent, int number, const Context& context, float* out) const = 0;
  virtual int version() const = 0;
  virtual bool is_valid(const Bytes*) const { return true; }
  virtual bool uses_context() const { return true; }
  virtual bool byte_planes() const { return false; }
  virtual int max_moves() const { return std::min(kMaxMoves, actions()); }
  virtual int arrived(const Bytes*, int) const { return 0; }
  virtual std::uint64_t key(const Bytes* state) const = 0;
  virtual std::uint64_t index_size() const = 0;
  virtual std::uint64_t index(const Bytes* state) const = 0;
  virtual void unindex(std::uint64_t index, Bytes* state) const = 0;
  virtual std::vector<int> describe(const Bytes* state) const = 0;
  virtual std::string compose(std::span<const int> fields, Bytes* state) const = 0;
  // A random placement of all pieces, in families that have the hook.
  virtual bool has_random_start() const { return false; }
  virtual void random_start(Random&, Bytes*) const {}
  // Random positions by their number of pieces, likewise.
  virtual PieceCounts piece_counts() const { return {}; }
  virtual void random_position(Random&, int, Bytes*) const {}
  // Mirrors, if the family has any; otherwise there is but one, which changes nothing.
  virtual int symmetries() const { return 1; }
  virtual void image(Bytes*, int) const {}
  virtual Move image(Move move, int) const { return move; }

  // The kernels, compiled for the family.
  virtual int count(const Bytes* state) const = 0;
  virtual std::uint64_t perft(const Bytes* state, int depth) const = 0;
  virtual PlayoutTotals playouts(const Bytes* state, std::uint64_t games, std::uint64_t seed, int ply_limit,
                                 int quiet_limit) const = 0;
  /// `number` states one after the other.
  virtual std::vector<Bytes> sample_states(const Bytes* state, int number, std::uint64_t seed,
                                           int ply_limit) const = 0;
  /// Move lists of `number` states: those of state i are moves[offsets[i]] up to
  /// moves[offsets[i + 1]]; `offsets` has number + 1 entries.
  virtual void legal_many(const Bytes* states, int number, std::vector<std::int64_t>& offsets,
                          std::vector<Move>& moves) const = 0;
  virtual Reachable reachable() const = 0;
};

/// Puts the family G behind the erased interface.
template <Game G>
class Erased final : public AnyGame {
 public:
  using State = typename G::State;

  explicit Erased(G game) : game_(std::move(game)) {}
  const G& concrete() const { return game_; }

  static State load(const Bytes* bytes) {
    State state;
    std::memcpy(&state, bytes, sizeof(State));
    return state;
  }
  static void store(const State& state, Bytes* bytes) { std::memcpy(bytes, &state, sizeof(State)); }

  std::size_t state_size() const override { return sizeof(State); }
  int players() const override { return game_.players(); }
  int team(int player) const override { return side_of(game_, player); }
  float max_score() const override { return game_.max_score(); }
  void initial(Bytes* s) const override { store(game_.initial(), s); }
  int mover(const Bytes* s) const override { return game_.mover(load(s)); }
  void legal(const Bytes* s, MoveList& moves) const override { game_.legal(load(s), moves); }
  bool terminal(const Bytes* s) const override { return game_.terminal(load(s)); }
  void play(Bytes* s, Move move) const override {
    State state = load(s);
    game_.play(state, move);
    store(state, s);
  }
  bool irreversible(const Bytes* s, Move move) const override { return game_.irreversible(load(s), move); }
  int landing(Move move) const override { return game_.landing(move); }
  bool at_chance(const Bytes* s) const override { return game_.at_chance(load(s)); }
  void outcomes(const Bytes* s, OutcomeList& list) const override { game_.outcomes(load(s), list); }
  void resolve(Bytes* s, Outcome outcome) const override {
    State state = load(s);
    game_.resolve(state, outcome);
    store(state, s);
  }
  void result(const Bytes* s, float* scores) const override { game_.result(load(s), scores); }
  int actions() const override { return game_.actions(); }
  int action(const Bytes* s, Move move) const override { return game_.action(load(s), move); }
  Move move(const Bytes* s, int action) const override { return game_.move(load(s), action); }
  PlaneShape shape() const override { return game_.shape(); }
  int history() const override { return game_.history(); }
  void encode(const Bytes* recent, int number, const Context& context, float* out) const override {
    std::vector<State> states(number);
    std::memcpy(static_cast<void*>(states.data()), recent, number * sizeof(State));
    game_.encode(std::span<const State>(states), context, out);
  }
  int version() const override { return game_.version(); }
  bool is_valid(const Bytes* s) const override { return halma::is_valid(game_, load(s)); }
  bool uses_context() const override { return halma::uses_context(game_); }
  bool byte_planes() const override { return halma::byte_planes(game_); }
  int max_moves() const override { return halma::max_moves(game_); }
  int arrived(const Bytes* s, int player) const override {
    if constexpr (CountsArrived<G>) return game_.arrived(load(s), player);
    return 0;
  }
  std::uint64_t key(const Bytes* s) const override { return game_.key(load(s)); }
  std::uint64_t index_size() const override { return game_.index_size(); }
  std::uint64_t index(const Bytes* s) const override { return game_.index(load(s)); }
  void unindex(std::uint64_t index, Bytes* s) const override { store(game_.unindex(index), s); }
  std::vector<int> describe(const Bytes* s) const override { return game_.describe(load(s)); }
  std::string compose(std::span<const int> fields, Bytes* s) const override {
    State state{};
    std::string error = game_.compose(fields, state);
    if (error.empty()) store(state, s);
    return error;
  }
  bool has_random_start() const override { return StartsRandomly<G>; }
  void random_start(Random& random, Bytes* s) const override {
    if constexpr (StartsRandomly<G>) store(game_.random_start(random), s);
  }
  PieceCounts piece_counts() const override {
    if constexpr (PlacesPieces<G>) return game_.piece_counts();
    return {};
  }
  void random_position(Random& random, int pieces, Bytes* s) const override {
    if constexpr (PlacesPieces<G>) store(game_.random_position(random, pieces), s);
  }
  int symmetries() const override {
    if constexpr (HasSymmetries<G>) return game_.symmetries();
    return 1;
  }
  void image(Bytes* s, int k) const override {
    if constexpr (HasSymmetries<G>) store(game_.image(load(s), k), s);
  }
  Move image(Move move, int k) const override {
    if constexpr (HasSymmetries<G>) return game_.image(move, k);
    return move;
  }

  int count(const Bytes* s) const override { return count_moves(game_, load(s)); }
  std::uint64_t perft(const Bytes* s, int depth) const override {
    return halma::perft(game_, load(s), depth);
  }
  PlayoutTotals playouts(const Bytes* s, std::uint64_t games, std::uint64_t seed, int ply_limit,
                         int quiet_limit) const override {
    return halma::playouts(game_, load(s), games, seed, ply_limit, quiet_limit);
  }
  std::vector<Bytes> sample_states(const Bytes* s, int number, std::uint64_t seed,
                                   int ply_limit) const override {
    const auto states = halma::sample_states(game_, load(s), number, seed, ply_limit);
    std::vector<Bytes> bytes(states.size() * sizeof(State));
    if (!bytes.empty()) std::memcpy(bytes.data(), states.data(), bytes.size());
    return bytes;
  }
  void legal_many(const Bytes* states, int number, std::vector<std::int64_t>& offsets,
                  std::vector<Move>& moves) const override {
    offsets.assign(1, 0);
    offsets.reserve(number + 1);
    moves.reserve(static_cast<std::size_t>(number) * 32);
    MoveList list;
    for (int i = 0; i < number; ++i) {
      list.clear();
      game_.legal(load(states + i * sizeof(State)), list);
      moves.insert(moves.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(moves.size()));
    }
  }
  Reachable reachable() const override { return halma::reachable(game_); }

 private:
  G game_;
};

/// The family's own type out of an AnyGame that is Erased<G>.
template <Game G>
const G& concrete(const AnyGame& game) {
  return static_cast<const Erased<G>&>(game).concrete();
}

/// Any AnyGame as a Game: states are byte arrays, every call is virtual. Slow and
/// universal; games written in Python run through it.
class Opaque {
 public:
  static constexpr std::size_t kLargestState = 256;
  struct State {
    std::array<Bytes, kLargestState> bytes;
  };
  class Layers;

  explicit Opaque(const AnyGame& game) : game_(&game) {}

  std::size_t state_size() const { return game_->state_size(); }
  int players() const { return game_->players(); }
  int team(int player) const { return game_->team(player); }
  float max_score() const { return game_->max_score(); }
  State initial() const {
    State s{};
    game_->initial(s.bytes.data());
    return s;
  }
  int mover(const State& s) const { return game_->mover(s.bytes.data()); }
  void legal(const State& s, MoveList& moves) const { game_->legal(s.bytes.data(), moves); }
  bool terminal(const State& s) const { return game_->terminal(s.bytes.data()); }
  void play(State& s, Move move) const { game_->play(s.bytes.data(), move); }
  bool irreversible(const State& s, Move move) const { return game_->irreversible(s.bytes.data(), move); }
  int landing(Move move) const { return game_->landing(move); }
  bool at_chance(const State& s) const { return game_->at_chance(s.bytes.data()); }
  void outcomes(const State& s, OutcomeList& list) const { game_->outcomes(s.bytes.data(), list); }
  void resolve(State& s, Outcome outcome) const { game_->resolve(s.bytes.data(), outcome); }
  void result(const State& s, float* scores) const { game_->result(s.bytes.data(), scores); }
  int actions() const { return game_->actions(); }
  int action(const State& s, Move move) const { return game_->action(s.bytes.data(), move); }
  Move move(const State& s, int action) const { return game_->move(s.bytes.data(), action); }
  PlaneShape shape() const { return game_->shape(); }
  int history() const { return game_->history(); }
  void encode(std::span<const State> recent, const Context& context, float* out) const {
    const std::size_t size = game_->state_size();
    std::vector<Bytes> packed(recent.size() * size);
    for (std::size_t i = 0; i < recent.size(); ++i)
      std::memcpy(packed.data() + i * size, recent[i].bytes.data(), size);
    game_->encode(packed.data(), static_cast<int>(recent.size()), context, out);
  }
  int version() const { return game_->version(); }
  bool uses_context() const { return game_->uses_context(); }
  bool byte_planes() const { return game_->byte_planes(); }
  int max_moves() const { return game_->max_moves(); }
  std::uint64_t key(const State& s) const { return game_->key(s.bytes.data()); }
  std::uint64_t index_size() const { return game_->index_size(); }
  std::uint64_t index(const State& s) const { return game_->index(s.bytes.data()); }
  State unindex(std::uint64_t index) const {
    State s{};
    game_->unindex(index, s.bytes.data());
    return s;
  }
  std::vector<int> describe(const State& s) const { return game_->describe(s.bytes.data()); }
  std::string compose(std::span<const int> fields, State& s) const {
    return game_->compose(fields, s.bytes.data());
  }

 private:
  const AnyGame* game_;
};

static_assert(Game<Opaque>);

/// The order of solving a game of which no better one is known: all positions together.
class Opaque::Layers {
 public:
  static constexpr bool kCyclic = true, kChanceWithin = true;
  static std::vector<Stage> stages(const Opaque& game) { return {{{0, game.index_size()}}}; }
  static double denominator(const Opaque&) { return std::numeric_limits<double>::infinity(); }
};

/// Bytes of a packed state of an AnyGame whose concrete game this is.
template <Game G>
std::size_t packed_size(const G&) {
  return sizeof(typename G::State);
}
inline std::size_t packed_size(const Opaque& game) { return game.state_size(); }

/// A state out of the bytes of an AnyGame whose concrete game this is.
template <Game G>
typename G::State load_state(const G&, const Bytes* bytes) {
  typename G::State state;
  std::memcpy(&state, bytes, sizeof(state));
  return state;
}
inline Opaque::State load_state(const Opaque& game, const Bytes* bytes) {
  Opaque::State state{};
  std::memcpy(state.bytes.data(), bytes, game.state_size());
  return state;
}

}  // namespace halma
