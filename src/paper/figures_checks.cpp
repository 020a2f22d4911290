// The paper's optimum with its truncation errors, and its slips: what happens when the text is
// taken literally.
#include <fmt/format.h>

#include <cmath>

#include "basis/family/quadrature.h"
#include "paper/figures.h"
#include "solve/descent/guard.h"

namespace chaosgrad::internal {
namespace {

// ‖R_m u*‖² of one component for m = 0, 1, …, n: summed from the small end, on top of what lies
// beyond n.
Vector remainders(const Vector& u, double norm_squared) {
  const Index n = u.size();
  Vector result(n + 1);
  result(n) = std::max(0.0, norm_squared - u.squaredNorm());
  for (Index m = n - 1; m >= 0; --m) result(m) = result(m + 1) + u(m) * u(m);
  return result;
}

// Algorithm 2 as printed, u_{k+1} = u_k − α D'(y_k) (minus sign corrected), with the exact
// gradient: the modes λ = μ and λ = L of each coefficient do not mix. Returns ‖u_k − P_m u*‖² for k
// = 1, …, iterations.
Vector printed_accelerated(Index iterations, double mu, double L) {
  const auto level = [](Index k) {
    return static_cast<Index>(std::floor(std::sqrt(static_cast<double>(k) + 10) + 2));
  };
  const ReferenceExpansion optimum = paper_optimum(level(iterations));
  const double alpha = 1 / L, beta = paired_momentum(alpha, mu);
  const Eigen::RowVector2d curvature(mu, L);
  Coefficients u = Coefficients::Zero(optimum.u.rows(), 2), previous = u;
  Vector errors(iterations);
  for (Index k = 1; k <= iterations; ++k) {
    const Index m = level(k);
    const Coefficients y = u + beta * (u - previous);
    Coefficients gradient = y - optimum.u;
    gradient.array().rowwise() *= curvature.array();
    gradient.bottomRows(u.rows() - m).setZero();
    previous = u;
    u -= alpha * gradient;
    errors(k - 1) = (u - optimum.u).topRows(m).squaredNorm();
  }
  return errors;
}

// E_v|∇F|² − |∇f|² of the noisy problem at θ = 0, x = 0: the least V for V_G = 1.
double noise_variance() {
  const AnyProblem problem = gallery_problem("paper-noise");
  const Quadrature rule = gauss_legendre(8, 0, 1);
  const Index n = rule.nodes.size();
  const Matrix noise = rule.nodes, x = Matrix::Zero(n, 2), theta = Matrix::Zero(n, 1);
  Matrix g(n, 2);
  problem.gradient(x, theta, noise, g);
  const Vector mean = g.transpose() * rule.weights;
  return rule.weights.dot(g.rowwise().squaredNorm()) - mean.squaredNorm();
}

}  // namespace

Figure figure_optimum(const ReproduceOptions& options) {
  constexpr Index count = 201;
  const ReferenceExpansion optimum = paper_optimum(count);
  const Vector u = optimum.u.col(0);
  const double norm_squared = optimum.norm_squared / 2;  // both components are alike
  const Vector remainder = remainders(u, norm_squared);

  Figure figure{.name = "optimum",
                .columns = {"m", "coefficient", "remainder_squared"},
                .rows = Matrix(count, 3),
                .charts = {},
                .facts = {}};
  figure.rows.col(0) = counting(count);
  figure.rows.col(1) = u;
  figure.rows.col(2) = remainder.tail(count);
  Series squares = make_series("u_m²", figure.rows.col(0), u.array().square());
  squares.dashed = true;
  figure.charts = {
      {.title = "What a basis of m functions leaves of the optimum",
       .x_label = "basis size m",
       .y_label = "one component",
       .series = {make_series("‖R_m u*‖²", figure.rows.col(0), remainder.tail(count)), squares}}};
  Json facts = common_facts("optimum", options, 1);
  facts["norm_squared"] = norm_squared;
  facts["mean"] = u(0);
  facts["variance"] = norm_squared - u(0) * u(0);
  facts["headline"] = {
      {"truncation error of both components, m = 91", beside(2 * remainder(91), 7.1e-7)},
      {"truncation error of one component, m = 26", beside(remainder(26), 1.6e-5)}};
  figure.facts = facts.dump(2);
  return figure;
}

Figure figure_slips(const ReproduceOptions& options) {
  constexpr Index iterations = 60;
  const auto exact = [](const char* name, const char* label, const AnyProblem& problem,
                        Method method) {
    Curve curve = paper_curve(name, label, problem, method, iterations, "sqrt(k + 10) + 2", 500);
    curve.options.gradient = GradientRule::quadrature;
    return curve;
  };
  const AnyProblem half = gallery_problem("paper");
  const AnyProblem printed =
      gallery_problem("paper", {"objective.minimize=\"mu*(x - s)^2 + L*(y - s)^2\""});
  const AnyProblem ascent =
      gallery_problem("paper", {"objective.minimize=\"-(mu/2*(x - s)^2 + L/2*(y - s)^2)\""});
  TrialRunner runner(options, 4);
  const std::vector<CurveResult> curves =
      runner.run({exact("gd", "corrected", half, Method::gd),
                  exact("printed_objective", "objective without ½", printed, Method::gd),
                  exact("printed_sign", "sign + in the step", ascent, Method::gd),
                  exact("agd", "corrected: y − αD'(y)", half, Method::agd)},
                 1);
  const Vector printed_step = printed_accelerated(iterations, 1, 200);

  const Vector k = counting(iterations);
  Figure figure{
      .name = "slips", .columns = {"k"}, .rows = Matrix(iterations, 6), .charts = {}, .facts = {}};
  figure.rows.col(0) = k;
  Json facts = common_facts("slips", options, 1);
  Chart descent{.title = "Gradient descent, exact gradient, step 2/(μ + L)",
                .x_label = "iteration k",
                .y_label = "‖u_k − P_m u*‖²",
                .series = {}};
  descent.largest_y = 1e6;
  Chart accelerated = descent;
  accelerated.title = "Accelerated, exact gradient";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Vector errors =
        curves[c].mean().unaryExpr([](double e) { return std::isfinite(e) ? e : nan; });
    figure.columns.push_back(curves[c].name);
    figure.rows.col(static_cast<Index>(c) + 1) = errors;
    Chart& chart = c < 3 ? descent : accelerated;
    chart.series.push_back(make_series(curves[c].label, k, errors));
    chart.series.back().dashed = c == 2;  // it all but covers the one before
    facts["curves"][curves[c].name] = {{"status", to_string(curves[c].trials.front().status)},
                                       {"iterations", curves[c].trials.front().iterations},
                                       {"error_squared_at_1", errors(0)},
                                       {"error_squared_at_10", errors(9)},
                                       {"error_squared_at_60", errors(iterations - 1)}};
  }
  figure.columns.emplace_back("printed_agd");
  figure.rows.col(5) = printed_step;
  accelerated.series.push_back(make_series("as printed: u − αD'(y)", k, printed_step));
  facts["curves"]["printed_agd"] = {{"error_squared_at_1", printed_step(0)},
                                    {"error_squared_at_10", printed_step(9)},
                                    {"error_squared_at_60", printed_step(iterations - 1)}};
  figure.charts = {descent, accelerated};

  const ReferenceExpansion optimum = paper_optimum(201);
  const Vector remainder = remainders(optimum.u.col(0), optimum.norm_squared / 2);
  const Basis hermite({Family(Normal{0, 1})}, IndexSet::first(1, 3));
  const double growth = 2 * 19.0 / 500;  // 2 Q V_G/M at k = 300 of figure 1b
  facts["headline"] = {
      {"growth of the squared error per iteration, printed objective",
       beside(std::pow(figure.rows(9, 2) / figure.rows(0, 2), 1.0 / 9))},
      {"growth of the squared error per iteration, sign +",
       beside(std::pow(figure.rows(9, 3) / figure.rows(0, 3), 1.0 / 9))},
      {"growth of the squared error per iteration, printed accelerated step",
       beside(std::pow(printed_step(iterations - 1) / printed_step(29), 1.0 / 30))},
      {"V of the noisy gradient", beside(noise_variance(), 1.0 / 3)},
      {"step 2/((μ + L)(1 + 2QV_G/M)) at m = 19, M = 500", beside(2 / (201 * (1 + growth)))},
      {"truncation error called that of m = 91", beside(2 * remainder(91), 1.6e-5)},
      {"Q of three Hermite functions is finite", beside(std::isfinite(hermite.Q(3)))}};
  figure.facts = facts.dump(2);
  return figure;
}

}  // namespace chaosgrad::internal
