#include "chaosgrad/solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "problem/averaged_problem.h"
#include "problem/problem_samples.h"
#include "solve/common/goal.h"
#include "solve/descent/step_policy.h"
#include "solve/solvers.h"

namespace chaosgrad {
using namespace internal;
namespace {

void check(const Options& options) {
  const auto require = [](bool holds, const char* field, const char* message) {
    if (!holds) throw InputError(std::string("solve.") + field, message);
  };
  require(options.iterations >= 1, "iterations", "must be at least 1");
  require(options.points >= 1, "points", "must be at least 1");
  require(options.nodes >= 1, "nodes", "must be at least 1");
  require(options.threads >= 0, "threads", "must not be negative (0: all cores)");
  require(options.max_gradients >= 1, "max_gradients", "must be at least 1");
  require(options.max_seconds > 0, "max_seconds", "must be positive");
  require(options.tolerance.value_or(1) > 0, "tolerance", "must be positive");
  require(options.relative_tolerance.value_or(1) > 0, "relative_tolerance", "must be positive");
  require(options.checkpoint_seconds > 0, "checkpoint_seconds", "must be positive");
  require(options.point_tolerance > 0, "point_tolerance", "must be positive");
  require(options.confidence > 0 && options.confidence < 1, "confidence",
          "must be between 0 and 1");
}

// Options that the method has no use for; one file often serves several methods, so this is a note
// and no error.
void note_unused(const Options& options, std::vector<std::string>& notes) {
  const auto note = [&](bool given, const char* field, std::initializer_list<Method> users) {
    if (given && std::find(users.begin(), users.end(), options.method) == users.end()) {
      notes.push_back(
          fmt::format("solve.{} is not used by method {}", field, to_string(options.method)));
    }
  };
  note(options.step.has_value(), "step", {Method::gd, Method::agd, Method::uqsa});
  note(options.momentum.has_value(), "momentum", {Method::agd});
  note(options.radius.has_value(), "radius", {Method::uqsa});
}

// The constants that the plan rests on: those at the start. (A solver may correct its own later.)
void remember(const ProblemConstants& constants, SolverState& state) {
  Coefficients table(4, 4);
  Index row = 0;
  for (const Constant* constant : {&constants.mu, &constants.L, &constants.V, &constants.VG}) {
    table.row(row++) << constant->value, constant->given ? 1 : 0, constant->lowest,
        constant->highest;
  }
  state.arrays["constants"] = table;
  state.set_integer("constants_gradients", constants.gradients);
}

ProblemConstants recall(const SolverState& state) {
  const Coefficients& table = state.array("constants");
  const auto constant = [&](Index row) -> Constant {
    return {table(row, 0), table(row, 1) != 0, table(row, 2), table(row, 3)};
  };
  return {constant(0), constant(1), constant(2), constant(3), state.integer("constants_gradients")};
}

// Whether the run before can be gone on with at all.
void check_resumption(const Run& before, Method method) {
  if (is_failure(before.status)) {
    throw InputError("resume", fmt::format("the run ended as {}: {}", to_string(before.status),
                                           before.stop_reason));
  }
  if (before.state.text("method") != to_string(method)) {
    throw InputError("resume", fmt::format("the run was begun with method {}, not {}",
                                           before.state.text("method"), to_string(method)));
  }
}

// Whether its coefficients belong to the functions of this one.
void check_resumption(const Run& before, const Options& options, const Plan& plan) {
  check_resumption(before, options.method);
  if (!before.history.empty() && before.history.back().k > options.iterations) {
    throw InputError("solve.iterations", fmt::format("must not be below the {} that are done",
                                                     before.history.back().k));
  }
  bool same = before.u.rows() <= plan.basis.size();
  for (Index i = 0; same && i < before.u.rows(); ++i)
    same = before.basis.indices()[i] == plan.basis.indices()[i];
  if (!same) throw InputError("resume", "the run was begun with another basis");
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::completed:
      return "completed";
    case Status::converged:
      return "converged";
    case Status::out_of_gradients:
      return "out_of_gradients";
    case Status::out_of_time:
      return "out_of_time";
    case Status::interrupted:
      return "interrupted";
    case Status::stalled:
      return "stalled";
    case Status::diverged:
      return "diverged";
    case Status::bad_gradient:
      return "bad_gradient";
    case Status::not_strongly_convex:
      return "not_strongly_convex";
    case Status::inconsistent:
      return "inconsistent";
  }
  return "";
}

std::string_view to_string(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::collocation:
      return "collocation";
    case Method::sieve:
      return "sieve";
    case Method::gd:
      return "gd";
    case Method::agd:
      return "agd";
    case Method::masg:
      return "masg";
    case Method::uqsa:
      return "uqsa";
    case Method::nested:
      return "nested";
  }
  return "";
}

bool is_adaptive(Method method) {
  return method == Method::automatic || method == Method::collocation || method == Method::sieve;
}

bool is_failure(Status status) {
  return status == Status::diverged || status == Status::bad_gradient ||
         status == Status::not_strongly_convex || status == Status::inconsistent;
}

namespace {

// A high degree in a parameter that spans orders of magnitude is a sign that log θ is the better
// variable.
void note_degrees(const Measure& measure, const Basis& basis, std::vector<std::string>& notes) {
  constexpr int high = 24;
  for (std::size_t k = 0; k < measure.marginals().size(); ++k) {
    const Distribution& marginal = measure.marginals()[k];
    const bool positive = std::holds_alternative<LogUniform>(marginal.parameters()) ||
                          std::holds_alternative<LogNormal>(marginal.parameters());
    const bool plain = measure.germs()[k].name() == marginal.name();
    int degree = 0;
    for (Index i = 0; i < basis.size(); ++i) degree = std::max(degree, basis.indices()[i][k]);
    if (!positive || !plain || degree < high) continue;
    notes.push_back(fmt::format(
        "parameter {} ({}) took polynomials of degree {}: basis = \"log\", polynomials in its "
        "logarithm, may need far fewer",
        k + 1, marginal.name(), degree));
  }
}

// collocation without noise, or sieve.
Run run_adaptive(const Oracle& oracle, const Options& options, Method method) {
  std::vector<Family> families = make_families(oracle);
  IndexSet constant = IndexSet::first(static_cast<Index>(families.size()), 1);
  Run result{.basis = Basis(std::move(families), std::move(constant)),
             .u = oracle.facts().start.transpose()};
  note_unused(options, result.notes);
  if (options.resume) check_resumption(*options.resume, method);
  if (options.begun) options.begun();
  result.state.texts["method"] = to_string(method);
  Executor executor(options.threads);
  const std::optional<ReferenceExpansion> no_reference;
  Monitor monitor(options, no_reference);
  (method == Method::collocation ? solve_collocation : solve_sieve)(oracle, options, monitor,
                                                                    executor, result);
  if (result.status == Status::interrupted) monitor.hand_over(result);
  note_degrees(oracle.parameters(), result.basis, result.notes);
  result.seconds = monitor.seconds();
  return result;
}

// What auto stands for. Noise that can be integrated out with K draws per gradient is, if that is
// the cheaper way to the tolerance: per coefficient collocation takes about 6 gradients, the sieve
// 2.5 σ²/ε², where σ/ε is taken to be 1/(relative tolerance): noise as large as x.
Method adaptive_method(const Oracle& oracle, const Options& options) {
  if (options.method != Method::automatic) return options.method;
  if (options.resume) {  // whatever its tolerance is now
    return options.resume->state.text("method") == to_string(Method::sieve) ? Method::sieve
                                                                            : Method::collocation;
  }
  if (oracle.noise_dimension() == 0) return Method::collocation;
  const double draws = exact_noise_draws(oracle.facts().noise_axes);
  const double relative = options.relative_tolerance.value_or(default_relative_tolerance);
  const double least_run = static_cast<double>(oracle.dimension()) + 100;  // gradients
  const bool cheaper = 6 * draws <= 2.5 / (relative * relative);
  const bool affordable = least_run * draws <= 0.5 * static_cast<double>(options.max_gradients);
  return cheaper && affordable ? Method::collocation : Method::sieve;
}

Run run_averaged(const Oracle& oracle, const Options& options) {
  const double draws = exact_noise_draws(oracle.facts().noise_axes);
  if (!(draws <= static_cast<double>(options.max_gradients))) {
    throw InputError("solve.method",
                     "collocation needs a gradient without noise, or noise that can be integrated "
                     "out (rows, finitely many values, or a gradient that is a polynomial in it) "
                     "within max_gradients; sieve and auto take any noise");
  }
  Run result = run_adaptive(AveragedProblem(oracle), options, Method::collocation);
  result.notes.push_back(
      fmt::format("the noise was integrated out exactly: each gradient of f took {} of F", draws));
  return result;
}

}  // namespace

Run run(const Oracle& oracle, const Options& options) {
  check(options);
  if (is_adaptive(options.method)) {
    const Method method = adaptive_method(oracle, options);
    return method == Method::collocation && oracle.noise_dimension() > 0
               ? run_averaged(oracle, options)
               : run_adaptive(oracle, options, method);
  }
  const Run* before = options.resume.get();
  const ProblemConstants constants =
      before ? recall(before->state) : estimate_constants(oracle, options.seed);
  Plan plan = make_plan(oracle, options, constants);
  if (before) check_resumption(*before, options, plan);
  if (options.begun) options.begun();
  Run result{.basis = plan.basis,
             .u = Coefficients::Zero(1, oracle.dimension()),
             .constants = constants,
             .notes = plan.notes};
  note_unused(options, result.notes);
  remember(constants, result.state);
  result.state.texts["method"] = to_string(options.method);
  if (before) {
    result.history = before->history;
    result.constants = before->constants;
    result.gradients = before->gradients;
  }
  if (!std::isfinite(constants.mu.value) || !std::isfinite(constants.L.value)) {
    result.status = Status::bad_gradient;
    result.stop_reason = "the gradient is not finite near the start";
    return result;
  }
  if (!(constants.mu.value > 0)) {
    result.status = Status::not_strongly_convex;
    result.stop_reason = fmt::format(
        "the smallest sampled eigenvalue of the Hessian is {:.3g}: the objective is not strongly "
        "convex in x for every theta",
        constants.mu.value);
    return result;
  }
  Executor executor(options.threads);
  const std::optional<ReferenceExpansion> reference =
      expand_reference(oracle, plan.basis,
                       options.gradient == GradientRule::quadrature ? options.nodes : 0, executor);
  Monitor monitor(options, reference);
  if (options.method == Method::nested) {
    solve_nested(oracle, options, plan, monitor, reference, executor, result);
  } else {
    solve_descent(oracle, options, plan, monitor, executor, result);
  }
  if (result.status == Status::interrupted) monitor.hand_over(result);
  result.seconds = monitor.seconds();
  return result;
}

}  // namespace chaosgrad
