#include "solve/common/methods.h"

#include <algorithm>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

const std::vector<MethodEntry>& method_table() {
  using enum MethodKind;
  static constexpr std::string_view to_tolerance =
      "as converged when the error estimate, on fresh samples, is below the tolerance";
  static constexpr std::string_view all_iterations =
      "as completed after all iterations, as converged if the error estimate is then below a given "
      "tolerance";
  static const std::vector<MethodEntry> table = {
      {Method::automatic, "auto", adaptive,
       "collocation without noise or where the noise can be integrated out cheaply, else sieve",
       to_tolerance},
      {Method::collocation, "collocation", adaptive,
       "an optimisation at each of a growing set of samples of θ, weighted least squares; the "
       "basis grows where the residual is",
       to_tolerance},
      {Method::sieve, "sieve", adaptive,
       "averaged stochastic Newton steps on the coefficients, each sample used once; the basis "
       "grows where the noise lets see that it should",
       to_tolerance},
      {Method::gd, "gd", descent, "gradient descent, u ← u − γ D'(u)", all_iterations},
      {Method::agd, "agd", descent,
       "accelerated gradient descent, y = u + β (u − u_before), u ← y − α D'(y)", all_iterations},
      {Method::masg, "masg", descent,
       "agd in stages of decreasing step, each restarted from the last iterate", all_iterations},
      {Method::uqsa, "uqsa", descent, "gradient descent with steps that decay, γ_k = a/(b + k)^c",
       all_iterations},
      {Method::nested, "nested", nested,
       "a separate optimisation at each of a given number of samples of θ, then a fit",
       all_iterations}};
  return table;
}

const MethodEntry& entry_of(Method method) {
  return method_table()[static_cast<std::size_t>(method)];
}

MethodSet every_method() {
  using enum MethodKind;
  return methods_of({adaptive, descent, nested});
}

MethodSet methods_of(std::initializer_list<MethodKind> kinds) {
  MethodSet result;
  for (const MethodEntry& entry : method_table()) {
    if (std::find(kinds.begin(), kinds.end(), entry.kind) != kinds.end())
      result.insert(entry.method);
  }
  return result;
}

}  // namespace chaosgrad::internal

namespace chaosgrad {

std::string_view to_string(Method method) { return internal::entry_of(method).name; }

bool is_adaptive(Method method) {
  return internal::entry_of(method).kind == internal::MethodKind::adaptive;
}

}  // namespace chaosgrad
