// What the figures have in common.
#include "paper/figures.h"
#include "problem/problem_samples.h"
#include "samples/sample_source.h"

namespace chaosgrad::internal {

Curve paper_curve(const std::string& name, const std::string& label, const AnyProblem& problem,
                  Method method, Index iterations, const Schedule& basis_size, Index samples) {
  Options options;
  options.method = method;
  options.iterations = iterations;
  options.basis_size = basis_size;
  options.samples = static_cast<double>(samples);
  options.guard = false;
  return {name, label, problem, options};
}

std::vector<Curve> growing_and_fixed() {
  const AnyProblem problem = gallery_problem("paper");
  return {paper_curve("growing", "growing basis, m = ⌊0.15 k⌋ + 1", problem, Method::gd, 600,
                      "floor(0.15*k) + 1", 250),
          paper_curve("fixed", "fixed basis, m = 91", problem, Method::gd, 600, 91.0, 250)};
}

ReferenceExpansion paper_optimum(Index m) {
  const AnyProblem problem = gallery_problem("paper");
  const Oracle oracle(problem);
  Executor executor(1);
  const Basis basis(make_families(oracle), IndexSet::first(1, m, {}));
  return *expand_reference(oracle, basis, 0, executor);
}

Json beside(const Json& ours, const Json& paper) { return {{"ours", ours}, {"paper", paper}}; }

Json common_facts(const std::string& name, const ReproduceOptions& options, Index trials) {
  return {{"figure", name}, {"trials", trials}, {"seed", options.seed}};
}

Json curve_facts(const CurveResult& curve) {
  const Vector mean = curve.mean();
  Json errors = Json::object();
  for (const Index k : {50, 100, 200, 300, 600}) {
    if (k > mean.size()) break;
    Json error = {{"mean", mean(k - 1)}};
    if (curve.trials.size() > 1) error["standard_error"] = curve.standard_error(k);
    errors[std::to_string(k)] = error;
  }
  return {{"seconds_per_trial", curve.mean_seconds()},
          {"diverged", curve.diverged()},
          {"final_basis_size", curve.trials.front().basis_size},
          {"error_squared", errors}};
}

Vector counting(Index n) { return Vector::LinSpaced(n, 1, static_cast<double>(n)); }

Series make_series(const std::string& label, const Vector& x, const Vector& y) {
  return {label, {x.begin(), x.end()}, {y.begin(), y.end()}};
}

}  // namespace chaosgrad::internal
