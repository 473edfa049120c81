// Numbers from Python, checked in one place. nanobind reports a number that its C++ type cannot hold
// as an argument of a wrong type, and lets NaN and infinity through; the casters below replace its
// own in all bindings, and say in a sentence what a number may be.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace halma::python {

/// A text as a template argument.
template <std::size_t N>
struct Literal {
  char text[N];
  constexpr Literal(const char (&given)[N]) { std::copy_n(given, N, text); }
};

/// A whole number with a range of its own; `What` is the subject of the sentence that refuses others.
template <class T, Literal What, T Low, T High>
struct Ranged {
  T value;
  constexpr operator T() const { return value; }
};

using Seed = Ranged<std::uint64_t, "a seed", 0, std::numeric_limits<std::uint64_t>::max()>;
using Threads = Ranged<int, "a number of threads", 1, 1024>;
/// One of the limits of a record; 0: none.
using Limit = Ranged<int, "a limit", 0, 1'000'000'000>;

/// A text in UTF-8, cut where it is long, between two characters.
inline std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return text;
  std::size_t size = kMost;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

/// A number as Python writes it, cut where it is long.
inline std::string written(nanobind::handle number) {
  const auto text = nanobind::steal(PyObject_Repr(number.ptr()));
  const char* utf8 = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!utf8) {
    PyErr_Clear();  // Python does not write numbers of more than 4300 digits
    return "one of thousands of digits";
  }
  return shortened(utf8);
}

/// Every finite number of a type.
template <class T>
struct AnyNumber {
  static constexpr T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  static std::string refusal(const std::string& number) {
    if constexpr (std::is_floating_point_v<T>)
      return "a number must be finite, and this one is " + number;
    else
      return "a number must lie between " + std::to_string(low) + " and " + std::to_string(high) +
             ", and this one is " + number;
  }
};

template <Literal What, auto Low, auto High>
struct NumberRange {
  static constexpr auto low = Low, high = High;
  static std::string refusal(const std::string& number) {
    return std::string(What.text) + " is a whole number from " + std::to_string(low) + " to " +
           std::to_string(high) + ", not " + number;
  }
};

/// Reads a number within Range, by nanobind's own caster of the widest type of its kind. One that
/// does not fit is thrown when it is asked for: a caster must not throw while it reads.
template <class Value, class T, class Range>
struct NumberCaster {
  using Wide =
      std::conditional_t<std::is_floating_point_v<T>, long double,
                         std::conditional_t<std::is_same_v<T, std::uint64_t>, unsigned long long, long long>>;
  using Plain = nanobind::detail::type_caster<Wide>;
  static constexpr auto Name = Plain::Name;
  template <class U>
  using Cast = nanobind::detail::movable_cast_t<U>;

  bool from_python(nanobind::handle from, std::uint32_t flags,
                   nanobind::detail::cleanup_list* cleanup) noexcept {
    Plain plain;
    from_ = from;
    if (plain.from_python(from, flags, cleanup)) {
      // As a float it may be infinite although it was not before.
      value_ = Value{static_cast<T>(plain.value)};
      if constexpr (std::is_floating_point_v<T>)
        fits_ = std::isfinite(static_cast<T>(plain.value));
      else
        fits_ = plain.value >= static_cast<Wide>(Range::low) && plain.value <= static_cast<Wide>(Range::high);
      return true;
    }
    PyErr_Clear();
    fits_ = false;
    return PyLong_Check(from.ptr());
  }
  template <class U>
  static nanobind::handle from_cpp(U&& number, nanobind::rv_policy policy,
                                   nanobind::detail::cleanup_list* cleanup) noexcept {
    return Plain::from_cpp(static_cast<T>(number), policy, cleanup);
  }

  template <class>
  bool can_cast() const {
    return fits_;
  }
  explicit operator Value*() { return &checked(); }
  explicit operator Value&() { return checked(); }
  explicit operator Value&&() { return static_cast<Value&&>(checked()); }

 private:
  Value& checked() {
    if (!fits_) throw std::invalid_argument(Range::refusal(written(from_)));
    return value_;
  }

  Value value_{};
  nanobind::handle from_;
  bool fits_ = false;
};

template <class T>
using PlainNumberCaster = NumberCaster<T, T, AnyNumber<T>>;

}  // namespace halma::python

namespace nanobind::detail {

template <class T, halma::python::Literal What, T Low, T High>
struct type_caster<halma::python::Ranged<T, What, Low, High>>
    : halma::python::NumberCaster<halma::python::Ranged<T, What, Low, High>, T,
                                  halma::python::NumberRange<What, Low, High>> {};
template <>
struct type_caster<int> : halma::python::PlainNumberCaster<int> {};
template <>
struct type_caster<std::uint32_t> : halma::python::PlainNumberCaster<std::uint32_t> {};
template <>
struct type_caster<std::int64_t> : halma::python::PlainNumberCaster<std::int64_t> {};
template <>
struct type_caster<std::uint64_t> : halma::python::PlainNumberCaster<std::uint64_t> {};
template <>
struct type_caster<float> : halma::python::PlainNumberCaster<float> {};
template <>
struct type_caster<double> : halma::python::PlainNumberCaster<double> {};

}  // namespace nanobind::detail
