// Bindings made from the declarations of options.
#pragma once

#include <nanobind/stl/optional.h>

#include <cmath>
#include <string>

#include "../options.hpp"
#include "bind.hpp"

namespace halma::python {

/// An option as Python sees it.
struct OptionInfo {
  std::string name, type;  // type: int, float, bool or choice
  nb::object fallback;     // the default
  double low, high;
  std::vector<std::string> choices;
  std::string about;
  std::vector<std::string> rules;  // selection rules that read it; none: all
};

template <class E>
E enum_from(const std::string& name, const char* option) {
  const auto& names = EnumNames<E>::names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<E>(i);
  std::string known;
  for (const char* one : names) known += std::string(known.empty() ? "" : ", ") + one;
  throw std::invalid_argument("'" + std::string(option) + "' cannot be '" + shortened(name) +
                              "': it is one of " + known);
}

template <class E>
std::string enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

/// Checks a number against its declaration.
template <class D>
void check_range(const D& declared, double value) {
  if (value >= declared.low && value <= declared.high) return;
  char text[200];
  std::snprintf(text, sizeof text, "'%s' cannot be %.12g: it is a number from %.12g to %.12g", declared.name,
                value, declared.low, declared.high);
  throw std::invalid_argument(text);
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// Adds a checked property for an option; enumerations are texts in Python.
template <class Owner, class T>
void bind_option(nb::class_<Owner>& bound, const DeclaredOption<Owner, T>& d) {
  if constexpr (std::is_enum_v<T>) {
    bound.def_prop_rw(
        d.name, [d](const Owner& o) { return enum_name(o.*d.member); },
        [d](Owner& o, const std::string& name) { o.*d.member = enum_from<T>(name, d.name); }, d.about);
  } else if constexpr (IsOptional<T>::value) {
    bound.def_prop_rw(
        d.name,
        [d](const Owner& o) -> std::optional<double> {
          if (const auto& value = o.*d.member) return static_cast<double>(*value);
          return std::nullopt;
        },
        // long double: a number that is not finite is out of range, too
        [d](Owner& o, std::optional<long double> value) {
          if (value) check_range(d, static_cast<double>(*value));
          o.*d.member = value ? std::optional(static_cast<typename T::value_type>(*value)) : std::nullopt;
        },
        nb::arg("value").none(), d.about);
  } else if constexpr (std::is_same_v<T, bool>) {
    bound.def_prop_rw(
        d.name, [d](const Owner& o) { return o.*d.member; },
        [d](Owner& o, bool value) { o.*d.member = value; }, d.about);
  } else {
    using Python = std::conditional_t<std::is_floating_point_v<T>, long double, std::int64_t>;
    bound.def_prop_rw(
        d.name, [d](const Owner& o) { return static_cast<Python>(o.*d.member); },
        [d](Owner& o, Python value) {
          check_range(d, static_cast<double>(value));
          o.*d.member = static_cast<T>(value);
        },
        d.about);
  }
}

template <class Owner, class T>
OptionInfo option_info(const DeclaredOption<Owner, T>& d) {
  const Owner defaults{};
  OptionInfo info{d.name, "", nb::none(), d.low, d.high, {}, d.about, {}};
  if constexpr (std::is_enum_v<T>) {
    info.type = "choice";
    info.fallback = nb::cast(enum_name(defaults.*d.member));
    for (const char* name : EnumNames<T>::names) info.choices.emplace_back(name);
  } else if constexpr (IsOptional<T>::value) {
    info.type = "float";
  } else if constexpr (std::is_same_v<T, bool>) {
    info.type = "bool";
    info.fallback = nb::cast(defaults.*d.member);
  } else if constexpr (std::is_floating_point_v<T>) {
    info.type = "float";
    // As the shortest decimal that gives the same float: 0.3, not 0.300000012.
    char text[40];
    std::snprintf(text, sizeof text, "%.7g", static_cast<double>(defaults.*d.member));
    info.fallback = nb::cast(std::stod(text));
  } else {
    info.type = "int";
    info.fallback = nb::cast(defaults.*d.member);
  }
  for (const char* at = d.rules ? d.rules : ""; *at;) {
    const char* end = at;
    while (*end && *end != ' ') ++end;
    info.rules.emplace_back(at, end);
    at = *end ? end + 1 : end;
  }
  return info;
}

/// Binds a struct of options under `name`, and the list of its declarations as the function `list`.
template <class Owner>
nb::class_<Owner> bind_options(nb::module_& module, const char* name, const char* list, const char* about) {
  nb::class_<Owner> bound(module, name, about);
  bound.def(nb::init<>());
  bound.def("__copy__", [](const Owner& options) { return Owner(options); });
  for_each_option<Owner>([&](const auto& declared) { bind_option(bound, declared); });
  module.def(
      list,
      [] {
        std::vector<OptionInfo> infos;
        for_each_option<Owner>([&](const auto& declared) { infos.push_back(option_info(declared)); });
        return infos;
      },
      "The declarations of these options, in order.");
  return bound;
}

}  // namespace halma::python
