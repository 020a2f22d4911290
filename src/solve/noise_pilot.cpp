#include "solve/noise_pilot.h"

#include <algorithm>
#include <cmath>

#include "curvature/curvature.h"
#include "problem/averaged_problem.h"
#include "problem/integrated_problem.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "solve/common/goal.h"
#include "solve/pointwise/constrained_descent.h"
#include "solve/sieve/samples.h"

namespace chaosgrad::internal {
namespace {

Stream rule_stream(std::uint64_t seed, std::uint64_t rule) {
  return make_stream(seed, Purpose::noise_rule, 256 * rule);
}

// Places (θ, x) near the optimum, and what a gradient there means for x.
struct Places {
  Matrix theta, x;                                             // a row each
  std::vector<Curvature> metric;                               // of f
  [[nodiscard]] double squared_steps(const Matrix& g) const {  // mean of |H⁻¹ g|² over the places
    double sum = 0;
    for (Index i = 0; i < g.rows(); ++i)
      sum += metric[static_cast<std::size_t>(i)].solve(g.row(i)).squaredNorm();
    return sum / static_cast<double>(g.rows());
  }
};

class NoisePilot {
 public:
  NoisePilot(const Oracle& oracle, const Options& options, const NoiseTuning& tuning)
      : oracle_(oracle), options_(options), tuning_(tuning) {}

  // Solves `averaged` at the places; from the optima of a rule before, where there was one.
  void find_places(const Oracle& averaged) {
    const Index n = tuning_.pilot_points, q = oracle_.dimension();
    const Measure& measure = oracle_.parameters();
    Matrix u(n, measure.dimension()), eta(n, measure.dimension());
    fill_uniform(make_stream(options_.seed, Purpose::noise_pilot, 0), 0, u);
    u.row(0).setConstant(0.5);
    measure.germ_from_uniform(u, eta);
    places_.theta.resize(n, measure.dimension());
    const bool is_first = optima_.size() == 0;
    places_.x.resize(n, q);
    places_.metric.clear();
    optima_.conservativeResize(n, q);
    measure.parameters_from_germ(eta, places_.theta);
    Vector start = oracle_.facts().start;
    for (Index i = 0; i < n; ++i) {
      if (!is_first) start = optima_.row(i).transpose();
      start = minimum_at(averaged, places_.theta.row(i).transpose(), start);
      places_.x.row(i) = optima_.row(i) = start.transpose();
      places_.metric.push_back(metric_at(averaged, i));
    }
    const double norm = std::sqrt(places_.x.squaredNorm() / static_cast<double>(n));
    tolerance_ = absolute_tolerance(options_, norm);
    displace(norm);
  }

  // Rules are compared beside the optima: at an optimum itself kinks may coincide (those of a quantile
  // regression all lie at one quantile), and every rule is right.
  void displace(double norm) {
    Matrix u(places_.x.rows(), places_.x.cols());
    fill_uniform(make_stream(options_.seed, Purpose::noise_pilot, 0), block_size, u);
    const Matrix directions = (u.array() - 0.5).matrix().rowwise().normalized();
    const Matrix displaced = places_.x + tuning_.displacement * norm * directions;
    for (Index i = 0; i < displaced.rows(); ++i) {
      Matrix g(1, displaced.cols());
      oracle_.gradient(displaced.row(i), places_.theta.row(i),
                       Matrix::Constant(1, oracle_.noise_dimension(), 0.5), g);
      if (g.allFinite()) places_.x.row(i) = displaced.row(i);  // else outside of the domain
    }
  }

  // σ²: what one draw of the noise moves x by.
  double noise_squared() {
    const Index n = tuning_.pilot_points, draws = tuning_.pilot_draws;
    Matrix noise(n * draws, oracle_.noise_dimension());
    for (Index first = 0; first < noise.rows(); first += block_size) {
      fill_uniform(make_stream(options_.seed, Purpose::noise_pilot, 1), first,
                   noise.middleRows(first, std::min(block_size, noise.rows() - first)));
    }
    double sum = 0;
    for (Index k = 0; k < draws; ++k) {
      Matrix g(n, oracle_.dimension());
      oracle_.gradient(places_.x, places_.theta, noise.middleRows(k * n, n), g);
      sum += places_.squared_steps(g);
    }
    gradients_ += n * draws;
    return sum / static_cast<double>(draws);
  }

  // The cheapest level of a kind of rule that is accurate enough, with no more draws than `most`.
  std::optional<NoiseTreatment> cheapest(NoiseChoice choice, double most) {
    const Index levels = choice.sobol ? sobol_levels : gauss_levels;
    std::vector<Matrix> means;
    std::vector<Index> draws;
    const auto add_level = [&](Index level) {
      choice.level = level;
      const IntegratedProblem problem(oracle_, make_noise_plan(oracle_.facts(), choice),
                                      make_stream(options_.seed, Purpose::noise_rule,
                                                  256 * (16 + static_cast<std::uint64_t>(level))));
      const std::vector<Index> taken = problem.draws_at(places_.x, places_.theta);
      draws.push_back(*std::ranges::max_element(taken));
      if (static_cast<double>(draws.back()) > most) return false;
      Matrix g(places_.x.rows(), places_.x.cols());
      problem.gradient(places_.x, places_.theta, Matrix(g.rows(), 0), g);
      for (const Index count : taken) gradients_ += count;
      means.push_back(std::move(g));
      return true;
    };
    const auto difference = [&](std::size_t a, std::size_t b) {
      return std::sqrt(places_.squared_steps(means[a] - means[b]));
    };
    for (Index level = 0; level < levels; ++level) {
      if (!add_level(level)) break;
      if (level < 2) continue;
      // Two finer rules: one alone may agree by chance.
      const auto coarse = static_cast<std::size_t>(level - 2);
      const double error = std::max(difference(coarse, coarse + 1), difference(coarse, coarse + 2));
      if (!(error <= tuning_.error_share * tolerance_)) continue;
      choice.level = level - 2;
      return NoiseTreatment{.rule = choice, .exact = false, .draws = draws[coarse], .error = error};
    }
    return {};
  }

  [[nodiscard]] Index draws_of(const NoiseChoice& choice) const {
    const IntegratedProblem problem(oracle_, make_noise_plan(oracle_.facts(), choice),
                                    rule_stream(options_.seed, 2));
    const std::vector<Index> taken = problem.draws_at(places_.x, places_.theta);
    return *std::ranges::max_element(taken);
  }

  [[nodiscard]] double tolerance() const { return tolerance_; }
  [[nodiscard]] std::int64_t gradients() const { return gradients_; }

 private:
  Vector minimum_at(const Oracle& averaged, const Vector& theta, const Vector& start) {
    if (!averaged.has_value()) return start;
    constexpr double accuracy = 1e-4;  // relative: rules are compared there, nothing else
    const TrustRegionOptions options{.relative_tolerance = accuracy, .most_steps = 50};
    const PointFunction f = point_function(averaged, theta);
    const Constraints* set = oracle_.facts().constraints.get();
    const Minimum found =
        set ? minimise(f, *set, theta, start, options) : minimise(f, start, options);
    gradients_ += found.gradients;
    return found.x.size() > 0 && found.x.allFinite() ? found.x : start;
  }

  // H at a place, its eigenvalues no smaller than a thousandth of the largest.
  Curvature metric_at(const Oracle& averaged, Index i) {
    const Index q = oracle_.dimension();
    const auto gradient = [&](const Vector& x) -> Vector {
      Matrix g(1, q);
      averaged.gradient(x.transpose(), places_.theta.row(i), Matrix(1, 0), g);
      gradients_ += averaged.facts().draws;
      return g.row(0).transpose();
    };
    Curvature curvature = measure_curvature(gradient, places_.x.row(i).transpose(), false,
                                            make_stream(options_.seed, Purpose::krylov));
    if (!curvature.eigenvalues.allFinite()) curvature.eigenvalues.setOnes();
    const double largest = std::max(curvature.eigenvalues.cwiseAbs().maxCoeff(), 1e-300);
    curvature.eigenvalues = curvature.eigenvalues.cwiseMax(1e-3 * largest);
    return curvature;
  }

  const Oracle& oracle_;
  const Options& options_;
  const NoiseTuning& tuning_;
  Places places_;
  Matrix optima_;  // the places before they were displaced
  double tolerance_ = 0;
  std::int64_t gradients_ = 0;
};

// A mean over some of very many cases, for the pilot.
NoiseRule some_cases(const Oracle& oracle, const Options& options, Index count) {
  NoiseRule rule{Matrix(count, oracle.noise_dimension()),
                 Vector::Constant(count, 1.0 / static_cast<double>(count))};
  for (Index first = 0; first < count; first += block_size) {
    fill_uniform(make_stream(options.seed, Purpose::noise_pilot, 1), first,
                 rule.nodes.middleRows(first, std::min(block_size, count - first)));
  }
  return rule;
}

// Numbers whose rule might be better on the other chart.
bool has_open_chart(const ProblemFacts& facts) {
  for (std::size_t k = 0; k < facts.noise_axes.size(); ++k) {
    if (facts.noise_axes[k].kind == NoiseAxis::Kind::uniform &&
        !facts.noise_shape->gradient_degrees[k])
      return true;
  }
  return false;
}

// Whether a rule with so many draws costs less than samples would, and the budget allows it.
bool is_worthwhile(const Oracle& oracle, const Options& options, const NoiseTuning& tuning,
                   double draws, NoisePilot& pilot) {
  const double least_run = static_cast<double>(oracle.dimension()) + 100;  // gradients
  if (least_run * draws > 0.5 * static_cast<double>(options.max_gradients)) return false;
  if (draws <= tuning.always_draws) return true;
  return tuning.collocation_per_function * draws <= tuning.sieve_per_function *
                                                        pilot.noise_squared() /
                                                        (pilot.tolerance() * pilot.tolerance());
}

// Noise that a fixed rule integrates exactly: cases, polynomials.
std::optional<NoiseTreatment> choose_exact(const Oracle& oracle, const Options& options, bool must,
                                           const NoiseTuning& tuning, double draws) {
  NoiseTreatment treatment{.draws = static_cast<Index>(draws)};
  NoisePilot pilot(oracle, options, tuning);
  if (must) return treatment;
  if (draws > tuning.always_draws) {
    const bool many = draws > static_cast<double>(tuning.pilot_cases);
    const AveragedProblem averaged =
        many ? AveragedProblem(oracle, some_cases(oracle, options, tuning.pilot_cases))
             : AveragedProblem(oracle);
    pilot.find_places(averaged);
  }
  if (!is_worthwhile(oracle, options, tuning, draws, pilot)) return {};
  treatment.gradients = pilot.gradients();
  return treatment;
}

// The cheapest rule with this number innermost and at most so many draws, as far as it pays.
std::optional<NoiseTreatment> choose_rule(const Oracle& oracle, const Options& options, bool must,
                                          const NoiseTuning& tuning, bool gauss, Index innermost,
                                          double most_draws, NoisePilot& pilot) {
  constexpr Index solving_gauss = 3, solving_sobol = 2;  // levels that places are found with
  const ProblemFacts& facts = oracle.facts();
  const NoiseChoice middle{
      .sobol = !gauss, .level = gauss ? solving_gauss : solving_sobol, .innermost = innermost};
  const NoisePlan plan = make_noise_plan(facts, middle);
  {
    const Index first_draws = [&] {
      const IntegratedProblem once(oracle, plan, rule_stream(options.seed, 2));
      const Matrix start = facts.start.transpose();
      Matrix u = Matrix::Constant(1, oracle.parameters().dimension(), 0.5), theta = u;
      oracle.parameters().germ_from_uniform(u, theta);
      oracle.parameters().parameters_from_germ(theta, theta);
      return once.draws_at(start, theta)[0];
    }();
    const IntegratedProblem averaged(oracle, plan, rule_stream(options.seed, 2), first_draws);
    pilot.find_places(averaged);
  }
  std::optional<NoiseTreatment> best;
  if (plan.exact) {
    best = NoiseTreatment{.rule = middle, .draws = pilot.draws_of(middle)};
  } else {
    const auto consider = [&](const NoiseChoice& choice) {
      const double limit = best ? static_cast<double>(best->draws) : most_draws;
      const std::optional<NoiseTreatment> found = pilot.cheapest(choice, limit);
      if (found && (!best || found->draws < best->draws)) best = found;
    };
    if (gauss) consider({.innermost = innermost});
    if (gauss && has_open_chart(facts)) consider({.scores = true, .innermost = innermost});
    // The same points at every θ: the sieve, whose samples are Sobol' points in θ and v together,
    // needs fewer.
    if (must && !best && make_noise_plan(facts, {.sobol = true}).uses_sobol())
      consider({.sobol = true});
  }
  const bool pays = best && (must || is_worthwhile(oracle, options, tuning,
                                                   static_cast<double>(best->draws), pilot));
  return pays ? best : std::nullopt;
}

}  // namespace

std::optional<NoiseTreatment> choose_treatment(const Oracle& oracle, const Options& options,
                                               bool must, const NoiseTuning& tuning) {
  const ProblemFacts& facts = oracle.facts();
  const double most = static_cast<double>(options.max_gradients);
  if (const double draws = exact_noise_draws(facts.noise_axes); draws <= most)
    return choose_exact(oracle, options, must, tuning, draws);
  if (!facts.noise_shape) return {};
  const bool gauss = can_plan(facts, {});
  if (!gauss && (!must || !can_plan(facts, {.sobol = true}))) return {};
  std::optional<NoiseTreatment> best;
  NoisePilot pilot(oracle, options, tuning);
  for (Index innermost = 0; innermost < (gauss ? innermost_choices(facts) : 1); ++innermost) {
    const double affordable = most / (static_cast<double>(oracle.dimension()) + 100);
    const double limit = best ? static_cast<double>(best->draws) : affordable;
    const std::optional<NoiseTreatment> found =
        choose_rule(oracle, options, must, tuning, gauss, innermost, limit, pilot);
    if (found && (!best || found->draws < best->draws)) best = found;
    if (best && best->exact) break;
  }
  if (best) best->gradients = pilot.gradients();
  return best;
}

void save(const NoiseTreatment& treatment, SolverState& state) {
  const NoiseChoice choice = treatment.rule.value_or(NoiseChoice{});
  state.integers["noise_rule"] = {
      treatment.rule ? 1 : 0, treatment.exact ? 1 : 0, treatment.draws, choice.sobol ? 1 : 0,
      choice.level,           choice.scores ? 1 : 0,   choice.innermost};
  state.set_number("noise_error", treatment.error);
}

std::optional<NoiseTreatment> restore_treatment(const SolverState& state) {
  if (!state.integers.contains("noise_rule")) return {};
  const std::vector<std::int64_t>& entries = state.integer_list("noise_rule");
  NoiseTreatment treatment{.exact = entries[1] != 0, .draws = entries[2]};
  if (entries[0] != 0)
    treatment.rule = NoiseChoice{entries[3] != 0, entries[4], entries[5] != 0, entries[6]};
  treatment.error = state.number("noise_error");
  return treatment;
}

}  // namespace chaosgrad::internal
