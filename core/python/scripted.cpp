// A game written in Python. It derives from ScriptedGame and answers with plain
// Python values; here those answers become the byte-level interface, and the kernels
// run through the erased instantiation.
#include <nanobind/trampoline.h>

#include "bind.hpp"

namespace halma::python {
namespace {

/// The questions a Python game answers; states travel as bytes.
class ScriptedGame : public AnyGame {
 public:
  virtual std::size_t py_state_size() const = 0;
  virtual int py_players() const = 0;
  virtual float py_max_score() const = 0;
  virtual nb::bytes py_initial() const = 0;
  virtual int py_mover(nb::bytes) const = 0;
  virtual std::vector<Move> py_legal(nb::bytes) const = 0;
  virtual nb::bytes py_play(nb::bytes, Move) const = 0;
  virtual bool py_progress(nb::bytes, Move) const = 0;
  virtual int py_landing(Move) const = 0;
  virtual bool py_at_chance(nb::bytes) const = 0;
  virtual nb::list py_outcomes(nb::bytes) const = 0;
  virtual nb::bytes py_resolve(nb::bytes, Outcome) const = 0;
  virtual std::vector<float> py_result(nb::bytes) const = 0;
  virtual int py_actions() const = 0;
  virtual int py_action(nb::bytes, Move) const = 0;
  virtual Move py_move(nb::bytes, int) const = 0;
  virtual nb::tuple py_shape() const = 0;
  virtual int py_history() const = 0;
  virtual std::vector<float> py_encode(nb::list, int, float) const = 0;
  virtual int py_version() const = 0;
  virtual std::uint64_t py_index_size() const = 0;
  virtual std::uint64_t py_index(nb::bytes) const = 0;
  virtual nb::bytes py_unindex(std::uint64_t) const = 0;

  std::size_t state_size() const override {
    nb::gil_scoped_acquire gil;
    const std::size_t size = py_state_size();
    if (size == 0 || size > Opaque::kLargestState)
      throw nb::value_error("a state must have between 1 and 256 bytes");
    return size;
  }
  int players() const override {
    nb::gil_scoped_acquire gil;
    const int players = py_players();
    if (players < 1 || players > kMaxPlayers) throw nb::value_error("a game has 1 to 6 players");
    return players;
  }
  float max_score() const override {
    nb::gil_scoped_acquire gil;
    return py_max_score();
  }
  void initial(Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    store(py_initial(), s);
  }
  int mover(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    return py_mover(load(s));
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
  bool progress(const Bytes* s, Move move) const override {
    nb::gil_scoped_acquire gil;
    return py_progress(load(s), move);
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
    if (static_cast<int>(listed.size()) != py_players())
      throw nb::value_error("a result has one score per player");
    std::copy(listed.begin(), listed.end(), scores);
  }
  int actions() const override {
    nb::gil_scoped_acquire gil;
    return py_actions();
  }
  int action(const Bytes* s, Move move) const override {
    nb::gil_scoped_acquire gil;
    return py_action(load(s), move);
  }
  Move move(const Bytes* s, int action) const override {
    nb::gil_scoped_acquire gil;
    return py_move(load(s), action);
  }
  PlaneShape shape() const override {
    nb::gil_scoped_acquire gil;
    const nb::tuple shape = py_shape();
    if (shape.size() != 3) throw nb::value_error("a shape is (planes, rows, columns)");
    return {nb::cast<int>(shape[0]), nb::cast<int>(shape[1]), nb::cast<int>(shape[2])};
  }
  int history() const override {
    nb::gil_scoped_acquire gil;
    return py_history();
  }
  void encode(const Bytes* recent, int number, const Context& context, float* out) const override {
    nb::gil_scoped_acquire gil;
    nb::list states;
    const std::size_t size = state_size();
    for (int i = 0; i < number; ++i) states.append(load(recent + i * size));
    const std::vector<float> planes = py_encode(states, context.repetitions, context.no_progress);
    if (static_cast<int>(planes.size()) != shape().size())
      throw nb::value_error("encode() must return as many numbers as shape says");
    std::copy(planes.begin(), planes.end(), out);
  }
  int version() const override {
    nb::gil_scoped_acquire gil;
    return py_version();
  }
  std::uint64_t key(const Bytes* s) const override {
    // A Python game's state is all there is to a position, so its bytes are hashed.
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (std::size_t i = 0, size = state_size(); i < size; ++i)
      hash = mix64(hash ^ static_cast<std::uint64_t>(s[i])) + i;
    return hash;
  }
  std::uint64_t index_size() const override {
    nb::gil_scoped_acquire gil;
    return py_index_size();
  }
  std::uint64_t index(const Bytes* s) const override {
    nb::gil_scoped_acquire gil;
    return py_index(load(s));
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
};

/// Forwards each question to the Python method of the same name, less the prefix.
class ScriptedTrampoline : public ScriptedGame {
 public:
  NB_TRAMPOLINE(ScriptedGame, 23);
  std::size_t py_state_size() const override { NB_OVERRIDE_PURE_NAME("_state_size", py_state_size); }
  int py_players() const override { NB_OVERRIDE_PURE_NAME("_players", py_players); }
  float py_max_score() const override { NB_OVERRIDE_PURE_NAME("_max_score", py_max_score); }
  nb::bytes py_initial() const override { NB_OVERRIDE_PURE_NAME("_initial", py_initial); }
  int py_mover(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_mover", py_mover, s); }
  std::vector<Move> py_legal(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_legal", py_legal, s); }
  nb::bytes py_play(nb::bytes s, Move m) const override { NB_OVERRIDE_PURE_NAME("_play", py_play, s, m); }
  bool py_progress(nb::bytes s, Move m) const override {
    NB_OVERRIDE_PURE_NAME("_progress", py_progress, s, m);
  }
  int py_landing(Move m) const override { NB_OVERRIDE_PURE_NAME("_landing", py_landing, m); }
  bool py_at_chance(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_at_chance", py_at_chance, s); }
  nb::list py_outcomes(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_outcomes", py_outcomes, s); }
  nb::bytes py_resolve(nb::bytes s, Outcome o) const override {
    NB_OVERRIDE_PURE_NAME("_resolve", py_resolve, s, o);
  }
  std::vector<float> py_result(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_result", py_result, s); }
  int py_actions() const override { NB_OVERRIDE_PURE_NAME("_actions", py_actions); }
  int py_action(nb::bytes s, Move m) const override { NB_OVERRIDE_PURE_NAME("_action", py_action, s, m); }
  Move py_move(nb::bytes s, int a) const override { NB_OVERRIDE_PURE_NAME("_move", py_move, s, a); }
  nb::tuple py_shape() const override { NB_OVERRIDE_PURE_NAME("_shape", py_shape); }
  int py_history() const override { NB_OVERRIDE_PURE_NAME("_history", py_history); }
  std::vector<float> py_encode(nb::list states, int repetitions, float no_progress) const override {
    NB_OVERRIDE_PURE_NAME("_encode", py_encode, states, repetitions, no_progress);
  }
  int py_version() const override { NB_OVERRIDE_PURE_NAME("_version", py_version); }
  std::uint64_t py_index_size() const override { NB_OVERRIDE_PURE_NAME("_index_size", py_index_size); }
  std::uint64_t py_index(nb::bytes s) const override { NB_OVERRIDE_PURE_NAME("_index", py_index, s); }
  nb::bytes py_unindex(std::uint64_t i) const override { NB_OVERRIDE_PURE_NAME("_unindex", py_unindex, i); }
};

}  // namespace

void bind_scripted(nb::module_& module) {
  nb::class_<ScriptedGame, AnyGame, ScriptedTrampoline>(module, "ScriptedGame",
                                                        "Base of a game written in Python alone.")
      .def(nb::init<>());
}

}  // namespace halma::python
