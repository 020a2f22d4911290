// What the paper describes without a figure: divergence without the factor 1/C_G, and growing
// against fixed at equal time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "paper/figures.h"

namespace chaosgrad::internal {
namespace {

// y at time t, logarithmically between the two iterations around it; NaN before the first and after
// the last.
double at_time(const Vector& seconds, const Vector& y, double t) {
  if (t < seconds(0) || t > seconds(seconds.size() - 1)) return nan;
  const auto after =
      static_cast<Index>(std::lower_bound(seconds.begin(), seconds.end(), t) - seconds.begin());
  if (after == 0) return y(0);
  const double share = (t - seconds(after - 1)) / (seconds(after) - seconds(after - 1));
  return std::exp((1 - share) * std::log(y(after - 1)) + share * std::log(y(after)));
}

// Time until the end of each iteration, from the median duration of every iteration over the
// trials: whatever else the machine did during a few of them does not count.
Vector typical_seconds(const CurveResult& curve) {
  Vector seconds(curve.trials.front().seconds.size());
  double sum = 0;
  for (Index i = 0; i < seconds.size(); ++i) {
    std::vector<double> durations;
    for (const Trial& trial : curve.trials) {
      durations.push_back(i == 0 ? trial.seconds(0) : trial.seconds(i) - trial.seconds(i - 1));
    }
    sum += median_of(std::move(durations));
    seconds(i) = sum;
  }
  return seconds;
}

// Medians, NaN from where half of the trials have diverged.
Vector finite_median(const CurveResult& curve) {
  Vector median = curve.median();
  for (double& value : median) {
    if (!std::isfinite(value)) value = nan;
  }
  return median;
}

Json divergence_facts(const CurveResult& curve) {
  return {{"label", curve.label},
          {"diverged", curve.diverged()},
          {"median_iteration_of_divergence", curve.median_divergence()},
          {"final_median_error_squared", curve.median().tail(1).value()},
          {"seconds_per_trial", curve.mean_seconds()}};
}

}  // namespace

Figure figure_equal_time(const ReproduceOptions& options) {
  TrialRunner runner(options, 2 * options.trials);
  const std::vector<CurveResult> curves = runner.run(growing_and_fixed(), options.trials);
  const Vector growing = curves[0].mean(), fixed = curves[1].mean();
  const Vector growing_seconds = typical_seconds(curves[0]),
               fixed_seconds = typical_seconds(curves[1]);
  const double growing_total = growing_seconds.tail(1).value(),
               fixed_total = fixed_seconds.tail(1).value();

  constexpr Index points = 400;
  Figure figure{.name = "equal-time",
                .columns = {"seconds", "growing", "fixed"},
                .rows = Matrix(points, 3),
                .charts = {},
                .facts = {}};
  const double first = std::max(growing_seconds(0), fixed_seconds(0)),
               last = std::max(growing_total, fixed_total);
  for (Index i = 0; i < points; ++i) {
    const double t =
        first + (last - first) * static_cast<double>(i) / static_cast<double>(points - 1);
    figure.rows.row(i) << t, at_time(growing_seconds, growing, t), at_time(fixed_seconds, fixed, t);
  }
  const Vector milliseconds = 1000 * figure.rows.col(0);
  figure.charts = {{.title = "Growing against fixed basis at the same computing time",
                    .x_label = "milliseconds",
                    .y_label = "mean of ‖u_k − P_m u*‖²",
                    .series = {make_series(curves[0].label, milliseconds, figure.rows.col(1)),
                               make_series(curves[1].label, milliseconds, figure.rows.col(2))}}};

  const double common = std::min(growing_total, fixed_total);
  Json facts = common_facts("equal-time", options, options.trials);
  for (const CurveResult& curve : curves) facts["curves"][curve.name] = curve_facts(curve);
  facts["seconds_compared_at"] = common;
  facts["iterations_of_fixed_by_then"] =
      std::upper_bound(fixed_seconds.begin(), fixed_seconds.end(), common) - fixed_seconds.begin();
  facts["headline"] = {
      {"fixed over growing at the growing run's time",
       beside(at_time(fixed_seconds, fixed, common) / at_time(growing_seconds, growing, common),
              100)},
      {"fixed over growing at k = 600", beside(fixed.tail(1).value() / growing.tail(1).value())},
      {"time of fixed over growing", beside(fixed_total / growing_total, 1.6)}};
  figure.facts = facts.dump(2);
  return figure;
}

Figure figure_blowup(const ReproduceOptions& options) {
  const AnyProblem problem = gallery_problem("paper");
  constexpr Index iterations = 300;
  const auto curve = [&](const char* name, const char* label, Method method,
                         const Schedule& basis_size, Index samples) {
    return paper_curve(name, label, problem, method, iterations, basis_size, samples);
  };
  std::vector<Curve> definitions = {
      curve("with", "GD with 1/C_G", Method::gd, 91.0, 250),
      curve("without", "GD without it", Method::gd, 91.0, 250),
      curve("agd", "accelerated, α = 1/L", Method::agd, 91.0, 250),
      curve("agd_guarded", "accelerated, guarded", Method::agd, 91.0, 250),
      curve("growing_with", "GD with 1/C_G", Method::gd, "sqrt(k + 10) + 2", 500),
      curve("growing_without", "GD without it", Method::gd, "sqrt(k + 10) + 2", 500),
      curve("growing_agd", "accelerated, α = 1/L", Method::agd, "sqrt(k + 10) + 2", 500)};
  definitions[1].options.step = "2/(mu + L)";
  definitions[5].options.step = "2/(mu + L)";
  definitions[3].options.guard = true;
  TrialRunner runner(options, static_cast<Index>(definitions.size()) * options.trials);
  const std::vector<CurveResult> curves = runner.run(definitions, options.trials);

  Figure figure{.name = "blowup", .columns = {"k"}, .rows = {}, .charts = {}, .facts = {}};
  const Vector k = counting(iterations);
  figure.rows.resize(iterations, static_cast<Index>(curves.size()) + 1);
  figure.rows.col(0) = k;
  Chart fixed{.title = "m = 91, M = 250",
              .x_label = "iteration k",
              .y_label = "median of ‖u_k − P_m u*‖²",
              .series = {}};
  fixed.largest_y = 1e4;
  Chart growing = fixed;
  growing.title = "The paper's setting: m = ⌊√(k + 10) + 2⌋, M = 500";
  Json facts = common_facts("blowup", options, options.trials);
  facts["statistic"] =
      "median over the trials, a diverged trial counting as infinite; empty once half have "
      "diverged";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Vector median = finite_median(curves[c]);
    figure.columns.push_back(curves[c].name);
    figure.rows.col(static_cast<Index>(c) + 1) = median;
    (c < 4 ? fixed : growing).series.push_back(make_series(curves[c].label, k, median));
    facts["curves"][curves[c].name] = divergence_facts(curves[c]);
  }
  figure.charts = {fixed, growing};
  facts["headline"] = {
      {"gd without 1/C_G, m = 91, M = 250: trials that diverge", beside(curves[1].diverged())},
      {"gd without 1/C_G: median iteration of divergence", beside(curves[1].median_divergence())},
      {"gd with 1/C_G: trials that diverge", beside(curves[0].diverged(), 0)},
      {"agd with 1/L, m = 91, M = 250: trials that diverge", beside(curves[2].diverged())},
      {"agd guarded: trials that diverge", beside(curves[3].diverged())},
      {"gd without 1/C_G in the paper's setting: median error at k = 300 over the error at the "
       "start",
       beside(curves[5].median().tail(1).value() / paper_optimum(2).norm_squared, "blow-up")},
      {"agd with 1/L in the paper's setting: trials that diverge",
       beside(curves[6].diverged(), 0)}};
  figure.facts = facts.dump(2);
  return figure;
}

}  // namespace chaosgrad::internal
