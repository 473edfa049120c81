// The options of tree search.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "../options.hpp"
#include "../oracle.hpp"

namespace halma {

/// A selection rule by its place in search/rules/registry.hpp.
enum class Rule : std::uint8_t;

/// First-play urgency: the value of a move that has no visits yet.
enum class FirstPlayUrgency : std::uint8_t { loss, draw, win, infinite, parent };
template <>
struct EnumNames<FirstPlayUrgency> {
  static constexpr std::array names{"loss", "draw", "win", "infinite", "parent"};
};

/// Where a line ends although the rules of the game would go on.
enum class LineLimits : std::uint8_t {
  game,              // where the game record would end: repetition, no progress, plies, cycles
  first_repetition,  // there, and where a position of the line or the game recurs (schulte2021)
  rules,             // nowhere: only the rules end a line
};
template <>
struct EnumNames<LineLimits> {
  static constexpr std::array names{"game", "first-repetition", "rules"};
};

struct SearchOptions {
  Rule rule{};
  std::optional<float> c;
  FirstPlayUrgency fpu = FirstPlayUrgency::loss;
  float wide_root = 0.0f;
  float dirichlet_weight = 0.0f;
  float dirichlet_alpha = 0.3f;
  float gumbel_scale = 0.0f;
  int max_considered_actions = 16;
  float value_scale = 1.0f;
  float maxvisit_init = 50.0f;
  bool solver = false;
  LineLimits limits = LineLimits::game;
  // Positions whose value it knows are not searched; their edges count as proven. Two
  // players only; null: none.
  std::shared_ptr<const Oracle> oracle;
};

template <>
struct DeclaredOptions<SearchOptions> {
  using O = SearchOptions;
  static constexpr std::tuple list{
      DeclaredOption<O, Rule>{"rule", &O::rule, "Rule that selects moves in the tree."},
      DeclaredOption<O, std::optional<float>>{"c", &O::c, "Weight of exploration; unset: the rule's own.", 0,
                                              1000, "puct uct pluska rpo expansion"},
      DeclaredOption<O, FirstPlayUrgency>{
          "fpu", &O::fpu,
          "First-play urgency: value of a move without visits. 'infinite' visits "
          "every move first.",
          0, 0, "puct rpo"},
      DeclaredOption<O, float>{
          "wide_root", &O::wide_root,
          "Share of the simulations that all moves of the root get in equal parts, one each "
          "at least, so that an analysis has a value for every move.",
          0, 1, "puct"},
      DeclaredOption<O, float>{"dirichlet_weight", &O::dirichlet_weight,
                               "Weight of Dirichlet noise in the priors at the root.", 0, 1, "puct rpo"},
      DeclaredOption<O, float>{"dirichlet_alpha", &O::dirichlet_alpha,
                               "Concentration of that noise: the lower, the fewer moves get most of it.",
                               0.001, 1000, "puct rpo"},
      DeclaredOption<O, float>{"gumbel_scale", &O::gumbel_scale,
                               "Scale of the Gumbel noise at the root; 0 searches without noise.", 0, 100,
                               "gumbel"},
      DeclaredOption<O, int>{"max_considered_actions", &O::max_considered_actions,
                             "Root moves that sequential halving starts with.", 1, 512, "gumbel"},
      DeclaredOption<O, float>{"value_scale", &O::value_scale,
                               "Scale of completed values against logits, as (maxvisit_init + most visits) * "
                               "value_scale.",
                               0.001, 1000, "gumbel"},
      DeclaredOption<O, float>{"maxvisit_init", &O::maxvisit_init, "Offset of visits in that scale.", 0,
                               100000, "gumbel"},
      DeclaredOption<O, bool>{"solver", &O::solver,
                              "Back up proven wins, draws and losses (MCTS-Solver); two players only."},
      DeclaredOption<O, LineLimits>{
          "limits", &O::limits,
          "Where lines end beside the rules: where the game record would end, also at "
          "the first repetition (schulte2021), or by the rules alone."},
  };
};

}  // namespace halma
