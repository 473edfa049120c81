// Options are declared once: name, member, range and explanation. Bindings, agent options,
// recipe sections and help texts are made from these declarations.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace halma {

/// One option of the struct `Owner`; its default is the member's own initialiser.
template <class Owner, class T>
struct DeclaredOption {
  const char* name;
  T Owner::* member;
  const char* about;
  double low = 0, high = 0;     // numbers only
  const char* rules = nullptr;  // selection rules that read it, separated by spaces; null: all
};

/// Specialised for every enumeration that is an option: `static constexpr` array `names`, in order.
template <class E>
struct EnumNames;

/// Specialised for every struct of options: `static constexpr auto list`, a tuple of DeclaredOption.
template <class Owner>
struct DeclaredOptions;

/// Calls `visit(declared)` for every option of `Owner`.
template <class Owner, class Visit>
void for_each_option(Visit&& visit) {
  std::apply([&](const auto&... declared) { (visit(declared), ...); }, DeclaredOptions<Owner>::list);
}

}  // namespace halma
