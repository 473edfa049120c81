// A game written in Python. It derives from ScriptedGame and answers with plain
// Python values; here those answers become the byte-level interface, and the kernels
// run through the erased instantiation.
#include <nanobind/stl/tuple.h>
#include <nanobind/trampoline.h>

#include "../register_family.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

/// The numbers a game declares once; they are checked here and never asked for again.
struct Declared {
  std::size_t state_size;
  int players;
  float max_score;
  int actions;
  PlaneShape shape;
  int history;
  int version;
  std::uint64_t index_size;
};

Declared checked(const Declared& d) {
  if (d.state_size == 0 || d.state_size > Opaque::kLargestState)
    throw nb::value_error("a state must have between 1 and 256 bytes");
  if (d.players < 1 || d.players > kMaxPlayers) throw nb::value_error("a game has 1 to 6 players");
  if (!(d.max_score > 0)) throw nb::value_error("the highest score must be above 0");
  if (d.actions < 1) throw nb::value_error("a game has at least one action");
  if (d.shape.planes < 1 || d.shape.rows < 1 || d.shape.columns < 1)
    throw nb::value_error("planes, rows and columns must all be at least 1");
  if (d.history < 1) throw nb::value_error("the history holds at least the current state");
  return d;
}

/// The questions a Python game answers; states travel as bytes. What the rest of the
/// core relies on to stay inside its arrays is checked here, answer by answer.
class ScriptedGame : public AnyGame {
 public:
  explicit ScriptedGame(const Declared& declared) : declared_(checked(declared)) {}

  virtual nb::bytes py_initial() const = 0;
  virtual int py_mover(nb::bytes) const = 0;
  virtual std::vector<Move> py_legal(nb::bytes) const = 0;
  virtual nb::bytes py_play(nb::bytes, Move) const = 0;
  virtual bool py_irreversible(nb::bytes, Move) const = 0;
  virtual int py_landing(Move) const = 0;
  virtual bool py_at_chance(nb::bytes) const = 0;
  virtual nb::list py_outcomes(nb::bytes) const = 0;
  virtual nb::bytes py_resolve(nb::bytes, Outcome) const = 0;
  virtual std::vector<float> py_result(nb::bytes) const = 0;
  virtual int py_action(nb::bytes, Move) const = 0;
  virtual Move py_move(nb::bytes, int) const = 0;
  virtual nb::bytes py_encode(nb::list, int, float) const = 0;
  virtual std::uint64_t py_index(nb::bytes) const = 0;
  virtual nb::bytes py_unindex(std::uint64_t) const = 0;

  std::size_t state_size() const override { return declared_.state_size; }
  int players() const override { return declared_.players; }
  float max_score() const override { return declared_.max_score; }
  int actions() const override { return declared_.actions; }
  PlaneShape shape() const override { return declared_.shape; }
  int history() const override { return declared_.history; }
  int version() const override { return declared_.version; }
  std::uint64_t index_size() const override { return declared_.index_size; }

  void initial(Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    store(py_initial(), s);
  }
  int mover(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    const int mover = py_mover(load(s));
    if (mover < 0 || mover >= players()) throw nb::value_error("mover() must be the number of a player");
    return mover;
  }
  void legal(const Bytes* s, MoveList& moves) const override {
    nb::gil_scoped_acquire gil;
    const std::vector<Move> listed = py_legal(load(s));
    if (listed.size() > static_cast<std::size_t>(kMaxMoves))
      throw nb::value_error("a position may have at most 512 moves");
    for (const Move move : listed) moves.push(move);
  }
  bool terminal(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    return py_legal(load(s)).empty();
  }
  void play(Bytes* s, Move move) const override {
    nb::gil_scoped_acquire gil;
    store(py_play(load(s), move), s);
  }
  bool irreversible(const Bytes* s, Move move) const override {
    nb::gil_scoped_acquire gil;
    return py_irreversible(load(s), move);
  }
  int landing(Move move) const override {
    nb::gil_scoped_acquire gil;
    return py_landing(move);
  }
  bool at_chance(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    return py_at_chance(load(s));
  }
  void outcomes(const Bytes* s, OutcomeList& list) const override {
    nb::gil_scoped_acquire gil;
    const nb::list pairs = py_outcomes(load(s));
    if (pairs.size() == 0) throw nb::value_error("chance must have at least one outcome");
    if (pairs.size() > static_cast<std::size_t>(kMaxOutcomes))
      throw nb::value_error("chance may have at most 720 outcomes");
    for (nb::handle pair : pairs) list.push({nb::cast<Outcome>(pair[0]), nb::cast<double>(pair[1])});
  }
  void resolve(Bytes* s, Outcome outcome) const override {
    nb::gil_scoped_acquire gil;
    store(py_resolve(load(s), outcome), s);
  }
  void result(const Bytes* s, float* scores) const override {
    nb::gil_scoped_acquire gil;
    const std::vector<float> listed = py_result(load(s));
    if (static_cast<int>(listed.size()) != players())
      throw nb::value_error("a result has one score per player");
    std::copy(listed.begin(), listed.end(), scores);
  }
  int action(const Bytes* s, Move move) const override {
    nb::gil_scoped_acquire gil;
    const int action = py_action(load(s), move);
    if (action < 0 || action >= actions())
      throw nb::value_error("action() must lie between 0 and the number of actions");
    return action;
  }
  Move move(const Bytes* s, int action) const override {
    nb::gil_scoped_acquire gil;
    return py_move(load(s), action);
  }
  void encode(const Bytes* recent, int number, const Context& context, float* out) const override {
    nb::gil_scoped_acquire gil;
    nb::list states;
    const std::size_t size = state_size();
    for (int i = 0; i < number; ++i) states.append(load(recent + i * size));
    const nb::bytes planes = py_encode(states, context.repetitions, context.no_progress);
    if (planes.size() != shape().size() * sizeof(float))
      throw nb::value_error("encode() must return as many numbers as shape says");
    std::memcpy(out, planes.data(), planes.size());
  }
  std::uint64_t key(const Bytes* s) const override {
    // A Python game's state is all there is to a position, so its bytes are hashed.
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (std::size_t i = 0, size = state_size(); i < size; ++i)
      hash = mix64(hash ^ static_cast<std::uint64_t>(s[i])) + i;
    return hash;
  }
  std::uint64_t index(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    const std::uint64_t index = py_index(load(s));
    if (index >= index_size()) throw nb::value_error("index() must lie below index_size");
    return index;
  }
  void unindex(std::uint64_t index, Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    store(py_unindex(index), s);
  }
  // Text and pictures of a Python game are made in Python, from the state itself.
  std::vector<int> describe(const Bytes* s) const override {
    std::vector<int> fields;
    for (std::size_t i = 0, size = state_size(); i < size; ++i) fields.push_back(static_cast<int>(s[i]));
    return fields;
  }
  std::string compose(std::span<const int> fields, Bytes* s) const override {
    if (fields.size() != state_size()) return "the number of bytes does not fit the state";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i] < 0 || fields[i] > 255) return "a byte lies between 0 and 255";
      s[i] = static_cast<Bytes>(fields[i]);
    }
    return "";
  }

  int count(const Bytes* s) const override { return count_moves(opaque(), open(s)); }
  std::uint64_t perft(const Bytes* s, int depth) const override {
    return halma::perft(opaque(), open(s), depth);
  }
  PlayoutTotals playouts(const Bytes* s, std::uint64_t games, std::uint64_t seed, int ply_limit,
                         int quiet_limit) const override {
    return halma::playouts(opaque(), open(s), games, seed, ply_limit, quiet_limit);
  }
  std::vector<Bytes> sample_states(const Bytes* s, int number, std::uint64_t seed,
                                   int ply_limit) const override {
    const std::size_t size = state_size();
    std::vector<Bytes> packed;
    for (const Opaque::State& state : halma::sample_states(opaque(), open(s), number, seed, ply_limit))
      packed.insert(packed.end(), state.bytes.begin(), state.bytes.begin() + size);
    return packed;
  }
  void legal_many(const Bytes* states, int number, std::vector<std::int64_t>& offsets,
                  std::vector<Move>& moves) const override {
    const std::size_t size = state_size();
    offsets.assign(1, 0);
    for (int i = 0; i < number; ++i) {
      MoveList list;
      legal(states + i * size, list);
      moves.insert(moves.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(moves.size()));
    }
  }
  Reachable reachable() const override { return halma::reachable(opaque()); }

 private:
  Opaque opaque() const { return Opaque(*this); }
  Opaque::State open(const Bytes* s) const {
    Opaque::State state{};
    std::memcpy(state.bytes.data(), s, state_size());
    return state;
  }
  nb::bytes load(const Bytes* s) const { return nb::bytes(reinterpret_cast<const char*>(s), state_size()); }
  void store(const nb::bytes& state, Bytes* s) const {
    if (state.size() != state_size()) throw nb::value_error("a state has the wrong number of bytes");
    std::memcpy(s, state.data(), state.size());
  }

  const Declared declared_;
};

/// Forwards each question to the Python method of the same name, less the prefix.
class ScriptedTrampoline : public ScriptedGame {
 public:
  NB_TRAMPOLINE(ScriptedGame, 15);
  nb::bytes py_initial() const override { NB_OVERRIDE_PURE_NAME("_initial", py_initial); }
  int py_mover(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_mover", py_mover, s); }
  std::vector<Move> py_legal(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_legal", py_legal, s); }
  nb::bytes py_play(nb::bytes s, Move m) const override { NB_OVERRIDE_PURE_NAME("_play", py_play, s, m); }
  bool py_irreversible(nb::bytes s, Move m) const override {
    NB_OVERRIDE_PURE_NAME("_irreversible", py_irreversible, s, m);
  }
  int py_landing(Move m) const override { NB_OVERRIDE_PURE_NAME("_landing", py_landing, m); }
  bool py_at_chance(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_at_chance", py_at_chance, s); }
  nb::list py_outcomes(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_outcomes", py_outcomes, s); }
  nb::bytes py_resolve(nb::bytes s, Outcome o) const override {
    NB_OVERRIDE_PURE_NAME("_resolve", py_resolve, s, o);
  }
  std::vector<float> py_result(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_result", py_result, s); }
  int py_action(nb::bytes s, Move m) const override { NB_OVERRIDE_PURE_NAME("_action", py_action, s, m); }
  Move py_move(nb::bytes s, int a) const override { NB_OVERRIDE_PURE_NAME("_move", py_move, s, a); }
  nb::bytes py_encode(nb::list states, int repetitions, float no_progress) const override {
    NB_OVERRIDE_PURE_NAME("_encode", py_encode, states, repetitions, no_progress);
  }
  std::uint64_t py_index(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_index", py_index, s); }
  nb::bytes py_unindex(std::uint64_t i) const override { NB_OVERRIDE_PURE_NAME("_unindex", py_unindex, i); }
};

}  // namespace

void bind_scripted(nb::module_& module) {
  register_opaque();
  nb::class_<ScriptedGame, AnyGame, ScriptedTrampoline>(module, "ScriptedGame",
                                                        "Base of a game written in Python alone.")
      .def(
          "__init__",
          [](ScriptedGame* self, std::size_t state_size, int players, float max_score, int actions,
             std::tuple<int, int, int> shape, int history, int version, std::uint64_t index_size) {
            const auto [planes, rows, columns] = shape;
            new (static_cast<void*>(self)) ScriptedTrampoline(Declared{state_size,
                                                                       players,
                                                                       max_score,
                                                                       actions,
                                                                       {planes, rows, columns},
                                                                       history,
                                                                       version,
                                                                       index_size});
          },
          nb::kw_only(), nb::arg("state_size"), nb::arg("players"), nb::arg("max_score"), nb::arg("actions"),
          nb::arg("shape"), nb::arg("history"), nb::arg("version"), nb::arg("index_size"));
}

}  // namespace halma::python
