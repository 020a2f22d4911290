#include "solve/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "estimate/scatter.h"
#include "measure/distribution_table.h"
#include "problem/averaged_problem.h"
#include "problem/expected_problem.h"
#include "problem/integrated_problem.h"
#include "problem/problem_samples.h"
#include "problem/skipping_problem.h"
#include "samples/sample_source.h"
#include "solve/collocation/collocation.h"
#include "solve/collocation/skipped.h"
#include "solve/common/goal.h"
#include "solve/common/option_table.h"
#include "solve/descent/descent.h"
#include "solve/descent/step_policy.h"
#include "solve/lifted_problem.h"
#include "solve/nested/nested.h"
#include "solve/noise_pilot.h"
#include "solve/pilot.h"
#include "solve/sieve/samples.h"
#include "solve/sieve/sieve.h"

namespace chaosgrad {
using namespace internal;
namespace {

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
void check_resumption(const Solution& before, Method method) {
  if (is_failure(before.status)) {
    throw InputError(
        "resume", fmt::format("the run ended as {}: {}", to_string(before.status), before.message));
  }
  if (before.state.text("method") != to_string(method)) {
    throw InputError("resume", fmt::format("the run was begun with method {}, not {}",
                                           before.state.text("method"), to_string(method)));
  }
}

// Whether its coefficients belong to the functions of this one.
void check_resumption(const Solution& before, const Options& options, const Plan& plan) {
  check_resumption(before, options.method);
  if (!before.history.empty() && before.history.back().k > options.iterations) {
    throw InputError("solve.iterations", fmt::format("must not be below the {} that are done",
                                                     before.history.back().k));
  }
  const Index m = before.expansion.coefficients().rows();
  bool same = m <= plan.basis.size();
  for (Index i = 0; same && i < m; ++i)
    same = before.expansion.basis().indices()[i] == plan.basis.indices()[i];
  if (!same) throw InputError("resume", "the run was begun with another basis");
}

// A high degree in a parameter that spans orders of magnitude is a sign that log θ is the better
// variable.
void note_degrees(const Measure& measure, const Basis& basis, std::vector<std::string>& notes) {
  constexpr int high = 24;
  for (std::size_t k = 0; k < measure.marginals().size(); ++k) {
    const Distribution& marginal = measure.marginals()[k];
    const bool positive = logarithm(marginal).has_value();
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

// Tells the caller that the options are good, with what there is so far.
void begin(const Options& options, Run& run, Monitor& monitor) {
  if (const Solution* before = options.resume.get()) {
    run.u = before->expansion.coefficients();
    run.history = before->history;
    run.gradients = before->gradients;
    run.state = before->state;
  }
  monitor.begin(run);
}

// How E_v is taken, as summary.json tells it.
const char* exact_noise(const Oracle& oracle) {
  const std::vector<NoiseAxis>& axes = oracle.facts().noise_axes;
  const bool cases = std::ranges::all_of(
      axes, [](const NoiseAxis& axis) { return axis.kind == NoiseAxis::Kind::cases; });
  return cases ? "summed" : "gauss";
}

const char* noise_treatment(const Oracle& oracle, const Options& options) {
  if (oracle.noise_dimension() == 0) return "none";
  if (is_adaptive(options.method)) return has_known_law(oracle) ? "sobol" : "random";
  if (options.method == Method::nested) return "random";
  if (options.gradient == GradientRule::quadrature) return exact_noise(oracle);
  return options.gradient == GradientRule::sobol ? "sobol" : "random";
}

// Time was up in the middle of a stage: what the stages before it published is the result.
void end_at_last_stage(Monitor& monitor, const Options& options, Run& run) {
  const Index k = run.history.empty() ? 1 : run.history.back().k + 1;
  (void)monitor.may_continue(k, 0, run);
  run.error = ErrorEstimate{.confidence = options.confidence};
  if (run.history.empty()) return;
  const IterationRecord& last = run.history.back();
  run.error->estimate = last.estimate;
  run.error->basis = last.basis;
  run.error->sampling = last.sampling;
  run.error->optimisation = last.optimisation;
}

// collocation without noise, or sieve. `treatment`: how the noise was integrated out of the oracle.
Run run_adaptive(const Oracle& oracle, const Options& options, Method method, const char* noise,
                 const NoiseTreatment* treatment = nullptr) {
  std::vector<Family> families = make_families(oracle);
  IndexSet constant = IndexSet::first(static_cast<Index>(families.size()), 1);
  Run result{.basis = options.resume ? options.resume->expansion.basis()
                                     : Basis(std::move(families), std::move(constant)),
             .u = oracle.facts().start.transpose(),
             .lift = oracle.facts().lift};
  result.notes = notes_on_unused(options);
  if (options.resume) check_resumption(*options.resume, method);
  if (treatment) result.gradients = treatment->gradients;
  Executor executor(options.threads, options.ranks);
  const std::optional<ReferenceExpansion> no_reference;
  Monitor monitor(oracle.parameters(), options, no_reference);
  const auto sign = [&] {
    result.state.texts["method"] = to_string(method);
    result.state.texts["noise"] = noise;
    if (treatment) save(*treatment, result.state);
    result.state.integers.erase("noise_is_coarse");
  };
  sign();
  begin(options, result, monitor);
  sign();
  executor.set_deadline(monitor.deadline());
  if (method == Method::collocation) {
    solve_collocation(oracle, options, monitor, executor, result);
  } else {
    try {
      solve_sieve(oracle, options, monitor, executor, result);
    } catch (const DeadlinePassed&) {
      end_at_last_stage(monitor, options, result);
    }
  }
  note_degrees(oracle.parameters(), result.basis, result.notes);
  result.seconds = monitor.seconds();
  monitor.checkpoint(result, [] {});
  return result;
}

// What auto stands for, as far as that does not depend on the noise.
std::optional<Method> known_method(const Oracle& oracle, const Options& options) {
  if (options.method != Method::automatic) return options.method;
  if (options.resume) {  // whatever its tolerance is now
    return options.resume->state.text("method") == to_string(Method::sieve) ? Method::sieve
                                                                            : Method::collocation;
  }
  if (oracle.noise_dimension() == 0) return Method::collocation;
  return {};
}

Run run_summed(const Oracle& oracle, const Options& options, const NoiseTreatment& treatment) {
  Run result = run_adaptive(AveragedProblem(oracle), options, Method::collocation,
                            exact_noise(oracle), &treatment);
  result.notes.push_back(fmt::format(
      "noise: integrated out exactly, each gradient of f takes {} of F", treatment.draws));
  return result;
}

// A rule along the kinks, and a finer one for its tests. Where the tests show that it was too coarse
// for the tolerance, the run begins anew with a better one.
Run run_integrated(const Oracle& oracle, Options options, NoiseTreatment treatment) {
  const ProblemFacts& facts = oracle.facts();
  for (;;) {
    const NoiseChoice choice = *treatment.rule;
    const NoisePlan plan = make_noise_plan(facts, choice);
    NoiseChoice better = choice;
    better.level += 2;
    const auto stream = [&](std::uint64_t rule) {
      return make_stream(options.seed, Purpose::noise_rule, 256 * rule);
    };
    const Index finer_draws = choice.sobol ? 4 * treatment.draws : 2 * treatment.draws;
    const IntegratedProblem finer(oracle, make_noise_plan(facts, better), stream(1), finer_draws);
    IntegratedProblem problem(oracle, plan, stream(0), treatment.draws);
    if (!treatment.exact) problem.finer = &finer;
    const char* name = plan.uses_sobol() ? "sobol" : "gauss";
    Run result = run_adaptive(problem, options, Method::collocation, name, &treatment);
    const bool coarse = result.state.integers.contains("noise_is_coarse");
    const Index levels = choice.sobol ? sobol_levels : gauss_levels;
    if (coarse && better.level < levels) {
      treatment.rule = better;
      treatment.draws = finer_draws;
      treatment.gradients = result.gradients;
      options.resume = {};
      continue;
    }
    result.notes.push_back(fmt::format(
        "noise: {} with {} draws{}", plan.uses_sobol() ? "scrambled Sobol' points" : "Gauss rule",
        treatment.draws, treatment.exact ? ", exact between its kinks" : ""));
    return result;
  }
}

// The mean over the noise is a formula.
Run run_expected(const Oracle& oracle, const Options& options) {
  Run result =
      run_adaptive(ExpectedProblem(oracle), options, Method::collocation, exact_noise(oracle));
  result.notes.push_back("noise: the mean over all cases is compiled into one formula");
  return result;
}

Run run_without_noise(const Oracle& oracle, const Options& options, bool must) {
  std::optional<NoiseTreatment> treatment;
  if (options.resume) treatment = restore_treatment(options.resume->state);
  if (!treatment) treatment = choose_treatment(oracle, options, must);
  if (!treatment) {
    throw InputError("solve.method",
                     "collocation needs a gradient without noise, or noise that can be integrated "
                     "out (rows, finitely many values, or a formula in it) within max_gradients; "
                     "sieve and auto take any noise");
  }
  return treatment->rule ? run_integrated(oracle, options, *treatment)
                         : run_summed(oracle, options, *treatment);
}

Run run_lifted(const Oracle& oracle, const Options& options);

Run run_sieve(const Oracle& oracle, const Options& options) {
  return oracle.facts().constraints
             ? run_lifted(oracle, options)
             : run_adaptive(oracle, options, Method::sieve, noise_treatment(oracle, options));
}

// The adaptive methods: which of them, and how the noise is taken.
Run run_adaptive_method(const Oracle& oracle, const Options& options) {
  const std::optional<Method> method = known_method(oracle, options);
  if (method == Method::sieve) return run_sieve(oracle, options);
  if (oracle.noise_dimension() == 0)
    return run_adaptive(oracle, options, Method::collocation, noise_treatment(oracle, options));
  if (oracle.facts().expectation) return run_expected(oracle, options);
  if (method) return run_without_noise(oracle, options, true);
  if (const std::optional<NoiseTreatment> treatment = choose_treatment(oracle, options, false))
    return treatment->rule ? run_integrated(oracle, options, *treatment)
                           : run_summed(oracle, options, *treatment);
  return run_sieve(oracle, options);
}

}  // namespace

namespace {

// The methods that descend on coefficients, under constraints: on those of y.
Run run_lifted(const Oracle& oracle, const Options& options) {
  Executor executor(options.threads, options.ranks);
  const bool goes_on = options.resume && options.resume->expansion.lift();
  const std::shared_ptr<const Lift> lift =
      goes_on ? options.resume->expansion.shared_lift()
              : measure_mean_metric(oracle, options.seed, executor);
  if (!lift) {
    Run none{
        .basis = Basis(make_families(oracle), IndexSet::first(oracle.parameters().dimension(), 1)),
        .u = oracle.facts().start.transpose()};
    none.status = Status::infeasible;
    const Vector centre = median_parameters(oracle.parameters());
    none.stop_reason = infeasible_at(oracle.facts(), centre);
    return none;
  }
  const LiftedProblem lifted(oracle, lift);
  const Oracle plain(lifted);
  Run result = is_adaptive(options.method)
                   ? run_adaptive(plain, options, Method::sieve, noise_treatment(plain, options))
                   : run(plain, options);
  result.test_gradients += mean_metric_cost(oracle);
  return result;
}

}  // namespace

namespace {

// For methods that sum over samples: those at which the gradient fails are left out, and counted.
Run run_skipping(const Oracle& oracle, const Options& options) {
  const SkippingProblem skipping(oracle, options.ranks.get());
  Run result = run(skipping, options);
  if (skipping.failed() == 0) return result;
  result.skipped = skipping.failed();
  result.skipped_share =
      static_cast<double>(skipping.failed()) / static_cast<double>(skipping.tried());
  const std::string told =
      fmt::format("the gradient failed at {} of {} samples ({:.2g} %)", skipping.failed(),
                  skipping.tried(), 100 * result.skipped_share);
  if (result.unseen) *result.unseen += result.skipped_share;
  const double chance = scatter(skipping.at_failures(), skipping.at_others()).chance;
  result.skipped_together = chance < CollocationTuning{}.scatter_doubt;
  const std::string doubt =
      result.skipped_together
          ? ". Their theta lie together: x*(theta) is an extrapolation there, whose error is not "
            "known, and the error estimate is that at the other theta"
          : "";
  result.notes.push_back(told + ", which were skipped" + doubt);
  if (result.skipped_together && result.status == Status::converged) {
    result.status = Status::stalled;
    result.stop_reason = told + doubt;
  }
  if (collocation::too_many_skipped(CollocationTuning{}, result.skipped, skipping.tried())) {
    result.status = Status::bad_gradient;
    result.stop_reason =
        fmt::format("{}; up to {:g} % are skipped", told, 100 * CollocationTuning{}.most_skipped);
  }
  return result;
}

// Collocation skips samples whose gradient fails by itself; where noise leaves the method open,
// they are skipped before it is chosen.
bool is_collocation(const Oracle& oracle, const Options& options) {
  return is_adaptive(options.method) && known_method(oracle, options) == Method::collocation;
}

}  // namespace

Run internal::run(const Oracle& oracle, const Options& options) {
  check_ranges(options);
  if (oracle.facts().may_fail && !is_collocation(oracle, options))
    return run_skipping(oracle, options);
  const Solution* earlier = options.resume.get();
  if (earlier && earlier->ok() && earlier->history.empty()) {  // nothing was done
    Options fresh = options;
    fresh.resume = {};
    return run(oracle, fresh);
  }
  if (is_adaptive(options.method)) return run_adaptive_method(oracle, options);
  if (oracle.facts().constraints) return run_lifted(oracle, options);
  const Solution* before = options.resume.get();
  const ProblemConstants constants =
      before ? recall(before->state) : estimate_constants(oracle, options.seed);
  std::optional<Pilot> pilot;
  const Plan plan =
      make_plan(oracle, options, constants, [&](const std::vector<Family>& families, Index m) {
        pilot = before ? restore_pilot(before->state) : run_pilot(oracle, options);
        return pilot_indices(*pilot, families, m);
      });
  if (before) check_resumption(*before, options, plan);
  Run result{.basis = plan.basis,
             .u = Coefficients::Zero(1, oracle.dimension()),
             .lift = oracle.facts().lift,
             .constants = constants,
             .notes = plan.notes};
  if (pilot) {
    save(*pilot, result.state);
    result.gradients = pilot->gradients;
    result.notes.push_back(fmt::format(
        "index_set adaptive: a pilot run with {} gradients chose {} functions, the others follow "
        "by total degree",
        pilot->gradients, pilot->indices.size()));
  }
  for (std::string& note : notes_on_unused(options)) result.notes.push_back(std::move(note));
  remember(constants, result.state);
  result.state.texts["method"] = to_string(options.method);
  result.state.texts["noise"] = noise_treatment(oracle, options);
  if (before) result.constants = before->constants;
  const bool finite = std::isfinite(constants.mu.value) && std::isfinite(constants.L.value) &&
                      std::isfinite(constants.V.value) && std::isfinite(constants.VG.value);
  if (!finite) {
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
  Executor executor(options.threads, options.ranks);
  const std::optional<ReferenceExpansion> reference =
      expand_reference(oracle, plan.basis,
                       options.gradient == GradientRule::quadrature ? options.nodes : 0, executor);
  Monitor monitor(oracle.parameters(), options, reference);
  begin(options, result, monitor);
  if (options.method == Method::nested) {
    solve_nested(oracle, options, plan, monitor, reference, executor, result);
  } else {
    solve_descent(oracle, options, plan, monitor, executor, result);
  }
  result.seconds = monitor.seconds();
  monitor.checkpoint(result, [] {});
  return result;
}

}  // namespace chaosgrad
