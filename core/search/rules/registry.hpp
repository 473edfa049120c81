// The selection rules there are. A new one is a file beside this one and a place in the list.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>

#include "expansion.hpp"
#include "gumbel.hpp"
#include "pluska.hpp"
#include "puct.hpp"
#include "rpo.hpp"
#include "uct.hpp"

namespace halma {

/// The rules in the order of the enumeration `Rule`; the first is the default.
using AnyRule = std::variant<Puct, Uct, Gumbel, Pluska, Rpo, ExpansionRule>;

/// What is fixed about a rule.
struct RuleTraits {
  const char *name, *about;
  Backup backup;
  float default_c;
  bool uses_priors, dirichlet, lists_all_moves, needs_budget, reuses_tree, samples_at_root, expands_all;

  /// Whether a network may evaluate its leaves: its policy makes a difference, or values are enough.
  constexpr bool for_networks() const { return uses_priors || expands_all; }
};

template <class R>
constexpr RuleTraits traits_of() {
  return {R::kName,       R::kAbout,         R::kBackup,        R::kDefaultC,
          R::kUsesPriors, R::kDirichlet,     R::kListsAllMoves, R::kNeedsBudget,
          R::kReusesTree, R::kSamplesAtRoot, R::kExpandsAll};
}

template <class Variant>
struct RuleList;
template <class... R>
struct RuleList<std::variant<R...>> {
  static constexpr std::array traits{traits_of<R>()...};
  static constexpr std::array names{R::kName...};
  static AnyRule make(std::size_t index) {
    AnyRule rule;
    std::size_t i = 0;
    ((i++ == index ? void(rule.emplace<R>()) : void()), ...);
    return rule;
  }
};

inline constexpr auto& kRules = RuleList<AnyRule>::traits;

template <>
struct EnumNames<Rule> {
  static constexpr auto& names = RuleList<AnyRule>::names;
};

inline const RuleTraits& traits(Rule rule) { return kRules[static_cast<std::size_t>(rule)]; }
inline AnyRule make_rule(Rule rule) { return RuleList<AnyRule>::make(static_cast<std::size_t>(rule)); }

}  // namespace halma
