#include "problem/noise.h"

#include <algorithm>
#include <array>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

// Operators on nodes, so that the quantiles below read like their formulas.
struct Term {
  Graph* graph;
  Node node;
};
template <class... Terms>
Term apply(Op op, Term first, Terms... rest) {
  const std::array<Node, 1 + sizeof...(rest)> arguments{first.node, rest.node...};
  return {first.graph, first.graph->apply(op, arguments)};
}
Term operator+(Term a, Term b) { return apply(Op::add, a, b); }
Term operator-(Term a, Term b) { return apply(Op::subtract, a, b); }
Term operator*(Term a, Term b) { return apply(Op::multiply, a, b); }
Term operator/(Term a, Term b) { return apply(Op::divide, a, b); }
Term operator-(Term a) { return apply(Op::negate, a); }

// The named arguments of one noise entry, with their defaults.
class Arguments {
 public:
  Arguments(Graph& graph, const NoiseSpec& spec, const Scope& names,
            std::vector<PositiveArgument>& positive)
      : graph_(graph), spec_(spec), names_(names), positive_(positive) {}

  Term operator()(const std::string& name) const {
    const auto found = spec_.arguments.find(name);
    if (found == spec_.arguments.end()) {
      throw InputError("noise." + spec_.name,
                       "the " + spec_.distribution + " distribution needs '" + name + "'");
    }
    return parsed(found->second);
  }
  Term operator()(const std::string& name, double otherwise) const {
    const auto found = spec_.arguments.find(name);
    return found == spec_.arguments.end() ? Term{&graph_, graph_.constant(otherwise)}
                                          : parsed(found->second);
  }
  // Like operator(), and the value must be positive for every θ.
  Term positive(const std::string& name) const {
    const Term value = (*this)(name);
    require_positive(value, name + " must be positive", name);
    return value;
  }
  void require_positive(Term value, const std::string& description, const std::string& name) const {
    const auto found = spec_.arguments.find(name);
    const SourceSpan span =
        found == spec_.arguments.end()
            ? SourceSpan{}
            : SourceSpan{found->second.id, 0, static_cast<Index>(found->second.text.size())};
    positive_.push_back({value.node, description, span});
  }

 private:
  Term parsed(const FormulaText& formula) const {
    const Node node = parse(graph_, formula.text, names_, formula.id);
    if (!graph_.shape(node).is_scalar()) {
      throw FormulaError("expected a number, found a vector",
                         {formula.id, 0, static_cast<Index>(formula.text.size())});
    }
    return {&graph_, node};
  }
  Graph& graph_;
  const NoiseSpec& spec_;
  const Scope& names_;
  std::vector<PositiveArgument>& positive_;
};

Term quantile(const std::string& distribution, const Arguments& argument, Term u) {
  const auto number = [&](double value) { return Term{u.graph, u.graph->constant(value)}; };
  const auto z = [&] { return apply(Op::normal_quantile, u); };
  const auto minus_log_survival = [&] { return -apply(Op::log, number(1) - u); };
  const auto range = [&](Term lower, Term upper) {
    argument.require_positive(upper - lower, "upper must be greater than lower", "upper");
    return upper - lower;
  };

  if (distribution == "uniform") {
    const Term lower = argument("lower"), upper = argument("upper");
    return lower + range(lower, upper) * u;
  }
  if (distribution == "normal") return argument("mean") + argument.positive("sd") * z();
  if (distribution == "lognormal") {
    return apply(Op::exp, argument("mu") + argument.positive("sigma") * z());
  }
  if (distribution == "beta") {
    const Term lower = argument("lower", 0), upper = argument("upper", 1);
    return lower + range(lower, upper) * apply(Op::beta_quantile, u, argument.positive("alpha"),
                                               argument.positive("beta"));
  }
  if (distribution == "gamma") {
    return argument.positive("scale") * apply(Op::gamma_quantile, u, argument.positive("shape"));
  }
  if (distribution == "exponential") return minus_log_survival() / argument.positive("rate");
  if (distribution == "weibull") {
    return argument.positive("scale") *
           apply(Op::power, minus_log_survival(), number(1) / argument.positive("shape"));
  }
  if (distribution == "triangular") {
    const Term lower = argument("lower"), mode = argument("mode"), upper = argument("upper");
    const Term width = range(lower, upper);
    return apply(Op::select, apply(Op::less, u * width, mode - lower),
                 lower + apply(Op::sqrt, u * width * (mode - lower)),
                 upper - apply(Op::sqrt, (number(1) - u) * width * (upper - mode)));
  }
  if (distribution == "loguniform") {
    const Term lower = argument.positive("lower"), upper = argument("upper");
    range(lower, upper);
    const Term log_lower = apply(Op::log, lower);
    return apply(Op::exp, log_lower + u * (apply(Op::log, upper) - log_lower));
  }
  if (distribution != "truncated_normal") {
    throw InputError("noise", "unknown distribution '" + distribution + "'");
  }
  const Term mean = argument("mean"), sd = argument.positive("sd");
  const Term lower = argument("lower"), upper = argument("upper");
  range(lower, upper);
  const Term below = apply(Op::normcdf, (lower - mean) / sd);
  const Term inside = apply(Op::normcdf, (upper - mean) / sd) - below;
  return mean + sd * apply(Op::normal_quantile, below + u * inside);
}

NoiseAxis axis_of(const std::string& distribution) {
  static const std::array<std::string_view, 5> unbounded = {"normal", "lognormal", "gamma",
                                                            "exponential", "weibull"};
  const bool normal =
      std::find(unbounded.begin(), unbounded.end(), distribution) != unbounded.end();
  return {normal ? NoiseAxis::Kind::normal : NoiseAxis::Kind::uniform};
}

}  // namespace

NoiseFormula make_noise(Graph& graph, const NoiseSpec& spec, Node uniform, const Scope& names) {
  NoiseFormula noise;
  const Arguments arguments(graph, spec, names, noise.positive);
  noise.value = quantile(spec.distribution, arguments, {&graph, uniform}).node;
  noise.axis = axis_of(spec.distribution);
  return noise;
}

}  // namespace chaosgrad::internal
