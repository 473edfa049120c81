#include "../games/sternhalma_backward.hpp"
#include "../games/sternhalma_forward.hpp"
#include "../register_family.hpp"
#include "bind.hpp"

namespace halma::python {
namespace {

/// What Python asks of a board beyond the contract.
template <class G>
void bind_size(nb::module_& module, const char* name) {
  using Bound = Erased<G>;
  nb::class_<Bound, AnyGame>(module, name)
      .def_prop_ro(
          "holes",
          [](const Bound& game) {
            nb::list holes;
            for (const HoleBoard::Hole& h : game.concrete().board().holes)
              holes.append(nb::make_tuple(h.row, h.column, h.x2, h.y, h.point));
            return holes;
          },
          nb::sig("def holes(self) -> list[tuple[int, int, int, int, int]]"),
          "Per hole: matrix row and column, twice its x, its y, and its star point or -1.")
      .def_prop_ro(
          "homes", [](const Bound& game) { return game.concrete().board().home; },
          "Per player: start holes in the order of piece ids.")
      .def_prop_ro(
          "targets", [](const Bound& game) { return game.concrete().board().target; },
          "Per player: goal holes.")
      .def_prop_ro(
          "views", [](const Bound& game) { return game.concrete().board().to_view; },
          "Per player and hole: where that player sees it.")
      .def(
          "path",
          [](const Bound& game, const nb::bytes& state, Move move) {
            const Bytes* bytes = state_bytes(game, state);
            return game.concrete().path(Bound::load(bytes), checked_move(game, bytes, move));
          },
          "Holes of a legal move, first to last, by the fewest hops.");
}

nb::object build(HoleBoard board, const SternhalmaOptions& options) {
  if (SmallSternhalma::fits(board))
    return nb::cast(new Erased<SmallSternhalma>(SmallSternhalma(std::move(board), options)),
                    nb::rv_policy::take_ownership);
  if (LargeSternhalma::fits(board))
    return nb::cast(new Erased<LargeSternhalma>(LargeSternhalma(std::move(board), options)),
                    nb::rv_policy::take_ownership);
  throw std::invalid_argument("this board is too large");
}

}  // namespace

void bind_sternhalma(nb::module_& module) {
  register_family<SmallSternhalma>();
  register_family<LargeSternhalma>();
  bind_size<SmallSternhalma>(module, "SmallSternhalma");
  bind_size<LargeSternhalma>(module, "LargeSternhalma");

  nb::class_<SternhalmaOptions>(module, "SternhalmaOptions")
      .def(
          "__init__",
          [](SternhalmaOptions* self, bool mirror_hops, bool occupy, bool closed_points, bool locked_target,
             bool second_place, bool all_places, bool teams, bool ids_view, bool sideways,
             bool more_features) {
            new (self) SternhalmaOptions{mirror_hops, occupy, closed_points, locked_target, second_place,
                                         all_places,  teams,  ids_view,      sideways,      more_features};
          },
          nb::kw_only(), nb::arg("mirror_hops"), nb::arg("occupy"), nb::arg("closed_points"),
          nb::arg("locked_target"), nb::arg("second_place"), nb::arg("all_places"), nb::arg("teams"),
          nb::arg("ids_view"), nb::arg("sideways"), nb::arg("more_features"));

  module.def(
      "sternhalma_rhombus",
      [](int side, int home_rows, const SternhalmaOptions& options) {
        if (side < 2 || side > 15 || home_rows < 1 || home_rows >= side)
          throw std::invalid_argument("the homes do not fit on this rhombus");
        return build(HoleBoard::rhombus(side, home_rows), options);
      },
      nb::arg("side"), nb::arg("home_rows"), nb::arg("options"),
      nb::sig("def sternhalma_rhombus(side: int, home_rows: int, options: SternhalmaOptions) -> "
              "SmallSternhalma | LargeSternhalma"));
  module.def(
      "sternhalma_star",
      [](int point_rows, int home_rows, const std::vector<int>& seats, const SternhalmaOptions& options) {
        if (point_rows < 2 || point_rows > 4 || home_rows < 1 || home_rows > 2 * point_rows ||
            seats.empty() || seats.size() > 6)
          throw std::invalid_argument("there is no such star");
        return build(HoleBoard::star(point_rows, home_rows, seats), options);
      },
      nb::arg("point_rows"), nb::arg("home_rows"), nb::arg("seats"), nb::arg("options"),
      nb::sig("def sternhalma_star(point_rows: int, home_rows: int, seats: collections.abc.Sequence[int], "
              "options: SternhalmaOptions) -> SmallSternhalma | LargeSternhalma"));
}

}  // namespace halma::python
