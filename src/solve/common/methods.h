#pragma once
// Every method on one line: its name, what it does, what it promises, which options it uses.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/options.h"

namespace chaosgrad::internal {

// Methods of a kind use the same options, but for those that the table of options gives to single
// ones.
enum class MethodKind {
  adaptive,  // chooses basis, samples and steps itself, until the error is below the tolerance
  descent,   // the paper's iterations on the coefficients, by the schedules of the options
  nested     // optimises at fixed points of θ, then fits
};

struct MethodEntry {
  Method method;
  std::string_view name;  // in files and results
  MethodKind kind;
  std::string_view summary;
  std::string_view promise;  // how it ends when all goes well: "as converged when …"
};

[[nodiscard]] const std::vector<MethodEntry>& method_table();  // in the order of Method
[[nodiscard]] const MethodEntry& entry_of(Method method);

// A set of methods.
class MethodSet {
 public:
  constexpr MethodSet() = default;
  constexpr MethodSet(std::initializer_list<Method> methods) {
    for (const Method method : methods) insert(method);
  }
  constexpr void insert(Method method) { bits_ |= bit(method); }
  [[nodiscard]] constexpr bool contains(Method method) const { return (bits_ & bit(method)) != 0; }

 private:
  static constexpr unsigned bit(Method method) { return 1U << static_cast<unsigned>(method); }
  unsigned bits_ = 0;
};
[[nodiscard]] MethodSet every_method();
[[nodiscard]] MethodSet methods_of(std::initializer_list<MethodKind> kinds);

}  // namespace chaosgrad::internal
