#include "problem/formula/known_functions.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "basis/basis_axis.h"
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {
namespace {

// sin or cos of factor·θ on [lower, upper], θ = τ + centre: one of B_1, B_2, … up to its factor if
// factor·θ = n ω τ + k π with whole n and k, 1 ≤ n ≤ harmonic_reach.
std::optional<BasisFunction> as_basis_function(const Trigonometric& function, Index parameter,
                                               double lower, double upper) {
  constexpr double pi = std::numbers::pi, tolerance = 1e-15;
  const auto is_whole = [](double x) {
    return std::abs(x - std::round(x)) <= tolerance * std::abs(x);
  };
  const double n = function.factor * (upper - lower) / (2 * pi);
  const double k = function.factor * ((lower + upper) / 2) / pi;
  if (!is_whole(n) || !is_whole(k) || n < 0.5 || std::round(n) > harmonic_reach)
    return std::nullopt;
  const Index cosine = 2 * static_cast<Index>(std::round(n)) - 1;
  const double sign = std::remainder(std::round(k), 2) == 0 ? 1 : -1;
  return BasisFunction{parameter, function.sine ? cosine + 1 : cosine, sign / sqrt2};
}

}  // namespace

std::vector<GivenNode> add_known_functions(Graph& graph, std::span<const Node> outputs,
                                           std::span<const ParameterSpec> parameters,
                                           ProblemFacts& facts) {
  std::vector<GivenNode> given;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].basis != Family::Kind::fourier) continue;
    const auto k = static_cast<Index>(i);
    const Distribution& distribution = parameters[i].distribution;
    const Node theta = graph.input(slot_theta, k);
    for (const Trigonometric& found : trigonometric_functions(graph, outputs, theta)) {
      const auto known = as_basis_function(found, k, distribution.lower(), distribution.upper());
      if (!known) continue;
      given.push_back({found.node, slot_known, static_cast<Index>(facts.known.size())});
      facts.known.push_back(*known);
    }
  }
  return given;
}

}  // namespace chaosgrad::internal
