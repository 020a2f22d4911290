#include "paper/trials.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chaosgrad/error.h"
#include "io/problem_file/gallery.h"
#include "io/problem_file/problem_file.h"

#include "solve/run.h"

namespace chaosgrad::internal {
namespace {

// SplitMix64's finaliser: seeds that follow each other give unrelated keys.
std::uint64_t trial_seed(std::uint64_t seed, Index trial) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(trial) + 1;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Trial run_trial(const Curve& curve, std::uint64_t seed) {
  Options options = curve.options;
  options.seed = seed;
  options.threads = 1;
  const Run result = run(curve.problem, options);
  Trial trial;
  trial.status = result.status;
  trial.iterations = static_cast<Index>(result.history.size());
  trial.basis_size = result.u.rows();
  trial.total_seconds = result.seconds;
  trial.total_gradients = static_cast<double>(result.gradients);
  if (result.fits) {
    const auto squared = [](const std::optional<double>& error) {
      return error ? *error * *error : infinity;
    };
    trial.least_squares_squared = squared(result.fits->least_squares_error);
    trial.projection_squared = squared(result.fits->projection_error);
  }
  for (Vector* values :
       {&trial.error_squared, &trial.true_squared, &trial.seconds, &trial.gradients}) {
    values->setConstant(options.iterations, infinity);
  }
  for (Index i = 0; i < trial.iterations; ++i) {
    const IterationRecord& record = result.history[static_cast<std::size_t>(i)];
    if (record.error_squared) trial.error_squared(i) = *record.error_squared;
    if (record.true_error) trial.true_squared(i) = *record.true_error * *record.true_error;
    trial.seconds(i) = record.seconds;
    trial.gradients(i) = static_cast<double>(record.gradients);
  }
  return trial;
}

}  // namespace

AnyProblem gallery_problem(const std::string& name, std::vector<std::string> overrides) {
  for (const GalleryProblem& problem : gallery()) {
    if (problem.name == name) {
      return load_problem({.name = name + ".toml",
                           .directory = {},
                           .text = std::string(problem.text),
                           .overrides = std::move(overrides),
                           .files = {}})
          .problem;
    }
  }
  throw InputError("gallery", "no problem is called '" + name + "'");
}

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

Vector CurveResult::mean(Member member) const {
  Vector sum = trials.front().*member;
  for (std::size_t t = 1; t < trials.size(); ++t) sum += trials[t].*member;
  return sum / static_cast<double>(trials.size());
}

Vector CurveResult::median(Member member) const {
  Vector result(static_cast<Index>((trials.front().*member).size()));
  for (Index i = 0; i < result.size(); ++i) {
    std::vector<double> values;
    for (const Trial& trial : trials) values.push_back((trial.*member)(i));
    result(i) = median_of(std::move(values));
  }
  return result;
}

double CurveResult::standard_error(Index k) const {
  const auto n = static_cast<double>(trials.size());
  const double center = mean()(k - 1);
  double sum = 0;
  for (const Trial& trial : trials) sum += std::pow(trial.error_squared(k - 1) - center, 2);
  return std::sqrt(sum / (n - 1) / n);
}

double CurveResult::mean_seconds() const {
  double sum = 0;
  for (const Trial& trial : trials) sum += trial.total_seconds;
  return sum / static_cast<double>(trials.size());
}

Index CurveResult::diverged() const {
  return std::count_if(trials.begin(), trials.end(),
                       [](const Trial& trial) { return trial.status == Status::diverged; });
}

double CurveResult::median_divergence() const {
  std::vector<double> iterations;
  for (const Trial& trial : trials) {
    if (trial.status == Status::diverged)
      iterations.push_back(static_cast<double>(trial.iterations + 1));
  }
  return median_of(std::move(iterations));
}

void TrialRunner::count_one() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (options_.progress) options_.progress(done_, expected_);
}

std::vector<CurveResult> TrialRunner::run(const std::vector<Curve>& curves, Index trials) {
  std::vector<CurveResult> results;
  for (const Curve& curve : curves) {
    results.push_back(
        {curve.name, curve.label, std::vector<Trial>(static_cast<std::size_t>(trials))});
  }
  tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(Index{0}, trials, [&](Index t) {
      for (std::size_t c = 0; c < curves.size(); ++c) {
        results[c].trials[static_cast<std::size_t>(t)] =
            run_trial(curves[c], trial_seed(options_.seed, t));
        count_one();
      }
    });
  });
  return results;
}

}  // namespace chaosgrad::internal
