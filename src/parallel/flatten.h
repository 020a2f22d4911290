#pragma once
// Partial results of a reduction as rows of doubles, and back to the same bits. Threads hand their
// values over as they are; what lies behind a network sends and receives the doubles.
//
// Flattened are doubles, integers, enumerations, Eigen matrices of doubles, arrays, std::vector,
// std::optional, and structs of these that name what they hold:
//   struct Sums { Coefficients u; double norm; auto members() { return std::tie(u, norm); } };
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// Of the floating-point types double alone: a long double would be rounded on its way out, and
// nobody asks for float.
template <class T>
inline constexpr bool flattens = (std::is_arithmetic_v<T> && !std::is_same_v<T, float> &&
                                  !std::is_same_v<T, long double>) ||
                                 std::is_enum_v<T>;
template <int Rows, int Cols, int Layout>
inline constexpr bool flattens<Eigen::Matrix<double, Rows, Cols, Layout>> = true;
template <class T>
inline constexpr bool flattens<std::optional<T>> = flattens<T>;
template <class T, std::size_t N>
inline constexpr bool flattens<std::array<T, N>> = flattens<T>;
template <class T>
inline constexpr bool flattens<std::vector<T>> = flattens<T>;
template <class... Members>
inline constexpr bool flattens<std::tuple<Members&...>> = (flattens<Members> && ...);
template <class T>
requires requires(T& value) { value.members(); }
inline constexpr bool flattens<T> = flattens<decltype(std::declval<T&>().members())>;

template <class T>
concept Flattens = flattens<T>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Appends the value to `numbers`. Integers go as their bits, so that none is rounded.
template <Flattens T>
void flatten(T& value, std::vector<double>& numbers) {
  if constexpr (std::is_floating_point_v<T>) {
    numbers.push_back(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    numbers.push_back(std::bit_cast<double>(static_cast<std::int64_t>(value)));
  } else if constexpr (requires { value.members(); }) {
    std::apply([&](auto&... member) { (flatten(member, numbers), ...); }, value.members());
  } else if constexpr (is_optional<T>) {
    bool present = value.has_value();
    flatten(present, numbers);
    if (present) flatten(*value, numbers);
  } else if constexpr (requires { value.rows(); }) {
    Index rows = value.rows(), cols = value.cols();
    flatten(rows, numbers);
    flatten(cols, numbers);
    numbers.insert(numbers.end(), value.data(), value.data() + value.size());
  } else {
    if constexpr (is_vector<T>) {
      std::size_t size = value.size();
      flatten(size, numbers);
    }
    for (auto& element : value) flatten(element, numbers);
  }
}

// Reads a value that flatten() wrote at `next`, and moves on behind it.
template <Flattens T>
void unflatten(const double*& next, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    value = *next++;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    value = static_cast<T>(std::bit_cast<std::int64_t>(*next++));
  } else if constexpr (requires { value.members(); }) {
    std::apply([&](auto&... member) { (unflatten(next, member), ...); }, value.members());
  } else if constexpr (is_optional<T>) {
    bool present = false;
    unflatten(next, present);
    value.reset();
    if (present) unflatten(next, value.emplace());
  } else if constexpr (requires { value.rows(); }) {
    Index rows = 0, cols = 0;
    unflatten(next, rows);
    unflatten(next, cols);
    value.resize(rows, cols);
    std::copy_n(next, value.size(), value.data());
    next += value.size();
  } else {
    if constexpr (is_vector<T>) {
      std::size_t size = 0;
      unflatten(next, size);
      value.resize(size);
    }
    for (auto& element : value) unflatten(next, element);
  }
}

// What arrives of a value that was sent as doubles.
template <Flattens T>
[[nodiscard]] T through_doubles(T& value) {
  std::vector<double> numbers;
  flatten(value, numbers);
  T received;
  const double* next = numbers.data();
  unflatten(next, received);
  return received;
}

}  // namespace chaosgrad::internal
