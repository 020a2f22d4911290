#pragma once
// Noise as formulas: v = quantile(u; arguments(θ)) with u uniform, so that ν may depend on θ.
#include <string>
#include <vector>

#include "chaosgrad/formula.h"
#include "expression/expression.h"

namespace chaosgrad::internal {

// An argument of a noise distribution that must be positive (sd, upper − lower, …) wherever θ may
// be.
struct PositiveArgument {
  Node value;
  std::string description;  // "sd must be positive"
  SourceSpan span;
};

struct NoiseFormula {
  Node value;  // v as a function of the uniform number and θ
  NoiseAxis axis;
  std::vector<PositiveArgument> positive;
};

// `uniform` is the input node of the uniform number; `names` holds what the arguments may use.
// Throws InputError (unknown distribution or argument, argument missing) or FormulaError.
[[nodiscard]] NoiseFormula make_noise(Graph& graph, const NoiseSpec& spec, Node uniform,
                                      const Scope& names);

// All noise of a problem, with its names.
struct FormulaData;
class Names;
void add_noise(FormulaData& data, const FormulaSpec& spec, const Scope& argument_names,
               Names& names);

// Where the gradient is a polynomial in a noise number, its expectation needs a Gauss rule only.
void find_noise_degrees(FormulaData& data);

// As if there had been none: nothing depends on it any more.
void drop_noise(FormulaData& data);

}  // namespace chaosgrad::internal
