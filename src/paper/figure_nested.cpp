// The naive method (solve for many θ, then fit) against descent on the coefficients, by the
// gradients that each error costs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "paper/figures.h"

namespace chaosgrad::internal {
namespace {

constexpr Index basis_size = 19;  // what the paper's schedule reaches at k = 300

// Mean squared true error that a budget of gradients buys: measured points with falling errors (a
// budget may also be left unspent), straight lines between them on logarithmic axes.
struct CostCurve {
  std::string name, label;
  std::vector<double> gradients, squared;

  // NaN outside the measured budgets.
  [[nodiscard]] double error_at(double budget) const {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i] < budget * (1 - 1e-9)) continue;
      if (i == 0) return gradients[0] <= budget * (1 + 1e-9) ? squared[0] : nan;
      return between(std::log(budget), gradients[i - 1], gradients[i], squared[i - 1], squared[i]);
    }
    return nan;
  }
  // Smallest budget whose error is at most `target`; NaN if none is.
  [[nodiscard]] double cost_of(double target) const {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (squared[i] > target) continue;
      if (i == 0) return gradients[0];
      return between(std::log(target), squared[i - 1], squared[i], gradients[i - 1], gradients[i]);
    }
    return nan;
  }

 private:
  static double between(double log_x, double x0, double x1, double y0, double y1) {
    const double share = (log_x - std::log(x0)) / (std::log(x1) - std::log(x0));
    return std::exp((1 - share) * std::log(y0) + share * std::log(y1));
  }
};

struct NestedPair {
  CostCurve least_squares, projection;
};

// Splits of a budget into points × iterations per point; the best split counts, chosen in
// hindsight. The largest budgets, which only the projection needs, take the one split that is best
// for it.
constexpr std::array<Index, 5> iterations_per_point = {50, 100, 200, 400, 800};
constexpr Index all_splits_up_to = 800'000, largest_budget = 6'400'000;

std::vector<Curve> nested_curves(const AnyProblem& problem) {
  const Index best_for_projection = problem.noise_dimension() > 0 ? 400 : 100;
  std::vector<Curve> curves;
  for (Index budget = 3125; budget <= largest_budget; budget *= 2) {
    for (const Index iterations : iterations_per_point) {
      const Index points = budget / iterations;
      if (points < 2 * basis_size) continue;
      if (budget > all_splits_up_to && iterations != best_for_projection) continue;
      Curve curve = paper_curve("nested", "nested", problem, Method::nested, iterations,
                                static_cast<double>(basis_size), 1);
      curve.options.points = points;
      curve.options.max_gradients = 2 * largest_budget;
      curves.push_back(curve);
    }
  }
  return curves;
}

CostCurve sorted_curve(const std::string& name, const std::string& label,
                       std::vector<std::pair<double, double>> points) {
  std::sort(points.begin(), points.end());
  CostCurve curve{name, label, {}, {}};
  for (const auto& [gradients, squared] : points) {
    if (!curve.squared.empty() && squared >= curve.squared.back()) continue;
    curve.gradients.push_back(gradients);
    curve.squared.push_back(squared);
  }
  return curve;
}

NestedPair nested_costs(const std::vector<CurveResult>& results, const std::string& prefix) {
  std::vector<std::pair<double, double>> least_squares, projection;
  for (const CurveResult& result : results) {
    double gradients = 0, by_fit = 0, by_projection = 0;
    const auto n = static_cast<double>(result.trials.size());
    for (const Trial& trial : result.trials) {
      gradients += trial.total_gradients / n;
      by_fit += trial.least_squares_squared / n;
      by_projection += trial.projection_squared / n;
    }
    least_squares.emplace_back(gradients, by_fit);
    projection.emplace_back(gradients, by_projection);
  }
  return {sorted_curve(prefix + "nested_least_squares", "nested, least squares",
                       std::move(least_squares)),
          sorted_curve(prefix + "nested_projection", "nested, projection", std::move(projection))};
}

CostCurve descent_costs(const CurveResult& result, const std::string& prefix) {
  const Vector gradients = result.mean(&Trial::gradients),
               squared = result.mean(&Trial::true_squared);
  std::vector<std::pair<double, double>> points;
  for (Index i = 0; i < squared.size(); ++i) points.emplace_back(gradients(i), squared(i));
  return sorted_curve(prefix + result.name, result.label, std::move(points));
}

// gd, agd, least squares, projection.
std::vector<CostCurve> measure(const AnyProblem& problem, const std::string& prefix,
                               TrialRunner& runner, Index trials) {
  const auto descent = runner.run(
      {paper_curve("gd", "gradient descent", problem, Method::gd, 300, "sqrt(k + 10) + 2", 500),
       paper_curve("agd", "accelerated", problem, Method::agd, 300, "sqrt(k + 10) + 2", 500)},
      trials);
  const NestedPair nested = nested_costs(runner.run(nested_curves(problem), trials), prefix);
  return {descent_costs(descent[0], prefix), descent_costs(descent[1], prefix),
          nested.least_squares, nested.projection};
}

Json cost_facts(const std::vector<CostCurve>& curves, double target) {
  Json costs = Json::object();
  for (const CostCurve& curve : curves) costs[curve.name] = curve.cost_of(target);
  return {{"true_error_squared", target},
          {"gradients", costs},
          {"largest_budget_tried", largest_budget}};
}

// Cost of the naive method over ours; a text if the largest budget does not reach the error.
Json cost_ratio(const CostCurve& nested, const CostCurve& ours, double target) {
  const double cost = nested.cost_of(target), own = ours.cost_of(target);
  if (std::isnan(cost)) return fmt::format("more than {:.3g}", nested.gradients.back() / own);
  return cost / own;
}

}  // namespace

Figure figure_nested(const ReproduceOptions& options) {
  const AnyProblem exact = gallery_problem("paper"), noisy = gallery_problem("paper-noise");
  // Hundreds of solves per point and many budgets: a tenth of the trials is enough for curves this
  // smooth.
  const Index trials = std::max<Index>(1, options.trials / 10);
  TrialRunner runner(options, 2 * trials * (2 + static_cast<Index>(nested_curves(exact).size())));
  const std::vector<CostCurve> with_noise = measure(noisy, "", runner, trials);
  const std::vector<CostCurve> without_noise = measure(exact, "exact_", runner, trials);

  Figure figure{.name = "nested", .columns = {"gradients"}, .rows = {}, .charts = {}, .facts = {}};
  std::vector<double> budgets;
  for (int i = -32; i <= 21; ++i) budgets.push_back(150'000 * std::pow(2, i / 4.0));
  figure.rows.resize(static_cast<Index>(budgets.size()), 9);
  for (std::size_t i = 0; i < budgets.size(); ++i)
    figure.rows(static_cast<Index>(i), 0) = budgets[i];
  std::vector<Chart> panels;
  Index column = 0;
  for (const auto* curves : {&with_noise, &without_noise}) {
    Chart chart{.title = curves == &with_noise ? "Only noisy gradients" : "Gradients without noise",
                .x_label = "gradients",
                .y_label = "mean of ‖x − x*‖²",
                .series = {},
                .log_x = true};
    for (const CostCurve& curve : *curves) {
      figure.columns.push_back(curve.name);
      ++column;
      for (std::size_t i = 0; i < budgets.size(); ++i) {
        figure.rows(static_cast<Index>(i), column) = curve.error_at(budgets[i]);
      }
      chart.series.push_back(make_series(curve.label, figure.rows.col(0), figure.rows.col(column)));
    }
    panels.push_back(chart);
  }
  figure.charts = std::move(panels);

  Json facts = common_facts("nested", options, trials);
  facts["basis_size"] = basis_size;
  const auto last = [](const CostCurve& curve) { return curve.squared.back(); };
  for (const auto* curves : {&with_noise, &without_noise}) {
    const std::string name = curves == &with_noise ? "with noise" : "without noise";
    const auto& [gd, agd, least_squares, projection] =
        std::tie((*curves)[0], (*curves)[1], (*curves)[2], (*curves)[3]);
    facts[name + ", error of gd"] = cost_facts(*curves, last(gd));
    facts[name + ", error of agd"] = cost_facts(*curves, last(agd));
    Json& headline = facts["headline"];
    headline[name + ": projection over gd"] = beside(cost_ratio(projection, gd, last(gd)));
    headline[name + ": least squares over gd"] = beside(cost_ratio(least_squares, gd, last(gd)));
    headline[name + ": projection over agd"] = beside(cost_ratio(projection, agd, last(agd)));
    headline[name + ": least squares over agd"] = beside(cost_ratio(least_squares, agd, last(agd)));
  }
  figure.facts = facts.dump(2);
  return figure;
}

}  // namespace chaosgrad::internal
