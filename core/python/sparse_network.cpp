// Networks that are evaluated in the core, and games of searches to train them on.
#include "../search/sparse_network.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "../registry.hpp"
#include "../selfplay/search_samples.hpp"
#include "bind.hpp"
#include "samples.hpp"

namespace halma::python {
namespace {

using Shorts = nb::ndarray<const std::int16_t, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using RandomPlies = Ranged<int, "a number of random plies", 0, 1'000'000'000>;
using SampleGames = Ranged<std::uint64_t, "a number of games", 0, 100'000>;
using Nodes = Ranged<std::uint64_t, "a number of nodes", 1, 1'000'000'000'000>;

const InputKernels& inputs_of(const AnyGame& game) {
  const InputKernels& kernels = family_of(game).inputs;
  if (!kernels.count || game.players() != 2)
    throw std::invalid_argument("this game has no inputs for a network in the core");
  return kernels;
}

template <class T, class Array>
std::vector<T> flattened(const Array& array) {
  return {array.data(), array.data() + array.size()};
}

std::shared_ptr<SparseNetwork> make_network(const AnyGame& game, const Shorts& input_weights,
                                            const Shorts& input_biases, const Shorts& hidden_weights,
                                            const Words& hidden_biases, const Shorts& output_weights,
                                            int output_bias) {
  const InputKernels& inputs = inputs_of(game);
  SparseNetwork::Layers layers{
      flattened<std::int16_t>(input_weights),  flattened<std::int16_t>(input_biases),
      flattened<std::int16_t>(hidden_weights), flattened<std::int32_t>(hidden_biases),
      flattened<std::int16_t>(output_weights), output_bias};
  return std::make_shared<SparseNetwork>(std::move(layers), inputs.count(game), inputs.most(game));
}

nb::ndarray<nb::numpy, std::uint16_t> list_inputs(const AnyGame& game, const StateRows& states, int mirror) {
  const InputKernels& inputs = inputs_of(game);
  check_mirror(game, mirror);
  const Bytes* bytes = row_bytes(game, states);
  const auto width = static_cast<std::size_t>(inputs.most(game));
  std::vector<std::uint16_t> listed(states.shape(0) * width, static_cast<std::uint16_t>(inputs.count(game)));
  std::vector<Bytes> seen(game.state_size());
  for (std::size_t row = 0; row < states.shape(0); ++row) {
    std::memcpy(seen.data(), bytes + row * game.state_size(), game.state_size());
    if (mirror != 0) game.image(seen.data(), mirror);
    inputs.list(game, seen.data(), listed.data() + row * width);
  }
  return owned_array(std::move(listed), {states.shape(0), width});
}

nb::ndarray<nb::numpy, double> network_values(const AnyGame& game, const SparseNetwork& network,
                                              const StateRows& states) {
  const InputKernels& inputs = inputs_of(game);
  if (network.inputs() != inputs.count(game))
    throw std::invalid_argument("this network belongs to another game");
  const Bytes* bytes = row_bytes(game, states);
  return owned_array(inputs.values(game, network, bytes, states.shape(0)), {states.shape(0)});
}

nb::dict search_games(const AnyGame& game, const Limits& limits, const MinimaxOptions& options, Nodes nodes,
                      std::uint64_t first, SampleGames games, Seed seed, RandomPlies random_plies_min,
                      RandomPlies random_plies_max, double random_moves, Threads threads) {
  const InputKernels& inputs = inputs_of(game);
  if (random_plies_min > random_plies_max)
    throw std::invalid_argument("'random_plies_min' is above 'random_plies_max'");
  if (!(random_moves >= 0 && random_moves <= 1)) throw std::invalid_argument("a share lies between 0 and 1");
  if (options.network && options.network->inputs() != inputs.count(game))
    throw std::invalid_argument("this network belongs to another game");
  if (options.kind != MinimaxKind::alphabeta && options.kind != MinimaxKind::expectimax)
    throw std::invalid_argument("the search is alpha-beta or expectimax");
  check_oracle(game, options.oracle.get());
  const SearchSampleOptions given{options,          limits,       nodes, random_plies_min,
                                  random_plies_max, random_moves, seed};
  Samples samples;
  {
    nb::gil_scoped_release release;
    samples = inputs.samples(game, given, first, games, threads);
  }
  return sample_arrays(game, std::move(samples));
}

}  // namespace

void bind_sparse_network(nb::module_& module) {
  nb::class_<SparseNetwork>(module, "SparseNetwork", "A small network that the core evaluates.")
      .def(nb::new_(&make_network), nb::arg("game"), nb::arg("input_weights"), nb::arg("input_biases"),
           nb::arg("hidden_weights"), nb::arg("hidden_biases"), nb::arg("output_weights"),
           nb::arg("output_bias"))
      .def_ro_static("ACCUMULATOR", &SparseNetwork::kAccumulator)
      .def_ro_static("HIDDEN", &SparseNetwork::kHidden)
      .def_ro_static("UNIT", &SparseNetwork::kUnit)
      .def_ro_static("WEIGHT_UNIT", &SparseNetwork::kWeightUnit)
      .def_ro_static("CLIP", &SparseNetwork::kClip)
      .def_ro_static("MAX_WEIGHT", &SparseNetwork::kMaxWeight)
      .def_ro_static("MAX_BIAS", &SparseNetwork::kMaxBias);
  module.def(
      "input_count", [](const AnyGame& game) { return inputs_of(game).count(game); }, nb::arg("game"),
      "How many inputs a network in the core has.");
  module.def(
      "max_inputs", [](const AnyGame& game) { return inputs_of(game).most(game); }, nb::arg("game"),
      "How many of them are set at once, at most.");
  module.def("list_inputs", &list_inputs, nb::arg("game"), nb::arg("states"), nb::arg("mirror") = 0,
             nb::sig("def list_inputs(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8], "
                     "mirror: int = 0) -> numpy.typing.NDArray[numpy.uint16]"),
             "The inputs that are set, for each state as it looks in a mirror; rows are filled up with the "
             "number of inputs.");
  module.def("network_values", &network_values, nb::arg("game"), nb::arg("network"), nb::arg("states"),
             nb::sig("def network_values(game: AnyGame, network: SparseNetwork, states: "
                     "numpy.typing.NDArray[numpy.uint8]) -> numpy.typing.NDArray[numpy.float64]"),
             "The logarithm of the mover's odds to win, each updated from the one before.");
  module.def("search_games", &search_games, nb::arg("game"), nb::arg("limits"), nb::arg("options"),
             nb::arg("nodes"), nb::arg("first"), nb::arg("games"), nb::arg("seed"), nb::kw_only(),
             nb::arg("random_plies_min"), nb::arg("random_plies_max"), nb::arg("random_moves"),
             nb::arg("threads"),
             nb::sig("def search_games(game: AnyGame, limits: Limits, options: MinimaxOptions, nodes: int, "
                     "first: int, games: int, seed: int, *, random_plies_min: int, random_plies_max: int, "
                     "random_moves: float, threads: int) -> dict[str, typing.Any]"),
             "Games of alpha-beta or expectimax against itself as arrays.");
}

}  // namespace halma::python
