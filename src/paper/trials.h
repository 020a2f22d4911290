#pragma once
// Curves of a figure: what is run, many independent trials of it, and their statistics per
// iteration.
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/solution.h"
#include "paper/reproduce.h"
#include "problem/any_problem.h"

namespace chaosgrad::internal {

struct Curve {
  std::string name;   // column of the table
  std::string label;  // in the picture
  AnyProblem problem;
  Options options;
};

// A problem of the gallery; overrides are KEY=VALUE.
[[nodiscard]] AnyProblem gallery_problem(const std::string& name,
                                         std::vector<std::string> overrides = {});

// What is kept of one run. After a divergence the errors are +∞.
struct Trial {
  Vector error_squared;       // ‖u_k − P_m u*‖² at [k − 1]
  Vector true_squared;        // ‖x_k − x*‖²_π
  Vector seconds, gradients;  // so far
  Status status = Status::completed;
  Index iterations = 0;  // done
  Index basis_size = 0;  // at the end
  double total_seconds = 0;
  double total_gradients = 0;
  double least_squares_squared = 0,
         projection_squared = 0;  // true errors of the nested method's fits
};

struct CurveResult {
  std::string name, label;
  std::vector<Trial> trials;

  using Member = Vector Trial::*;
  [[nodiscard]] Vector mean(Member member = &Trial::error_squared) const;
  [[nodiscard]] Vector median(Member member = &Trial::error_squared) const;
  [[nodiscard]] double standard_error(Index k) const;  // of the mean error after iteration k
  [[nodiscard]] double mean_seconds() const;           // per trial
  [[nodiscard]] Index diverged() const;
  [[nodiscard]] double median_divergence() const;  // iteration; NaN if no trial diverged
};

// The median of a sample; the mean of the middle two if their number is even.
[[nodiscard]] double median_of(std::vector<double> values);

// Runs and counts trials for one figure.
class TrialRunner {
 public:
  // `expected`: trials of all calls together, for the progress.
  TrialRunner(const ReproduceOptions& options, Index expected)
      : options_(options), expected_(expected) {}

  // Every curve with the same `trials` seeds, one thread per trial; the curves of one trial follow
  // each other, so that their times are taken under the same load.
  [[nodiscard]] std::vector<CurveResult> run(const std::vector<Curve>& curves, Index trials);

 private:
  void count_one();

  const ReproduceOptions& options_;
  Index expected_, done_ = 0;
  std::mutex mutex_;
};

}  // namespace chaosgrad::internal
