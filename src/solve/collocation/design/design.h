#pragma once
// Which samples of θ a stage adds, how the expansion is fitted to them, and which functions come
// next: what differs between one parameter (line_strategy.h) and many (mixture_strategy.h). A
// design knows points and bases, nothing of the run.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/solution.h"
#include "parallel/executor.h"
#include "samples/mixture.h"
#include "solve/collocation/design/prior.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal::collocation {

// An expansion through the points, and what it says about its own error, which is one of x. All
// squares are weighted such that their means are means over π.
struct Fit {
  Basis basis;
  Coefficients u = {};     // m×q
  Vector weights = {};     // n: of the points
  Matrix left_out = {};    // n×q: x − x_u at the points, u fitted without them; many parameters
  Vector slack = {};       // n: one minus leverage, likewise
  Prior prior = {};        // what the fit says about the sizes of coefficients, likewise
  bool determined = true;  // or else: the points do not determine u, nothing below is there

  Vector squares = {};           // n: estimates of |x_u − x*|² at the points
  Vector limit_squares = {};     // n: those that the limit of the error rests on
  double basis_error = 0;        // norm of what lies outside the span of the basis
  double sampling_error = 0;     // norm of what few samples add
  Vector component_errors = {};  // q: norms
  bool must_agree = false;       // the limit of the fit before must meet the target, too
};

// What a fit goes through at the points: x, or y where x is constrained.
struct Targets {
  const Matrix& values;  // n×q
  // Rows of y at the points → x; empty: they are the same.
  std::function<Matrix(const Matrix&)> x_of = {};
};

class Design {
 public:
  virtual ~Design() = default;

  // The basis that the first samples are drawn for, and whether the nominal point is one of them.
  [[nodiscard]] virtual Basis first_basis() = 0;
  [[nodiscard]] virtual bool keeps_nominal() const = 0;

  // The germs of new samples for the basis, in batches (n×d): each starts from what is known of the
  // points before it. missing() is about their number.
  [[nodiscard]] virtual Index missing(const Points& points, const Basis& basis) const = 0;
  [[nodiscard]] virtual std::vector<Matrix> next(const Points& points, const Basis& basis) = 0;

  [[nodiscard]] virtual Fit fit(const Points& points, const Targets& targets, const Basis& basis,
                                Executor& executor) = 0;
  // Whether next() will give more samples, for a fit that was not determined.
  [[nodiscard]] virtual bool ask_for_samples() = 0;

  // The basis of the next stage, where the limit of the error is `upper` and `target` in the end;
  // empty if neither more functions nor more samples help.
  [[nodiscard]] virtual std::optional<Basis> grow(const Fit& fit, double upper, double target,
                                                  const Points& points,
                                                  const std::vector<IterationRecord>& history,
                                                  Executor& executor) = 0;

  // Fresh samples for a test of an expansion on this basis that has taken `pending` already.
  [[nodiscard]] virtual DefensiveSamples test_samples(Index pending, Index count,
                                                      const Basis& basis) const = 0;
  // The last points were a test that failed: they are samples like the others now.
  virtual void adopt_test(const std::vector<Index>& induced) = 0;
  // The last of n points were chosen because the expansion is bad at them. Each stands for a part
  // of this probability.
  virtual void adopt_standouts(const Vector& probabilities, Index n) = 0;

  // Whether any points will do, wherever they come from; or else draws from π only.
  [[nodiscard]] virtual bool takes_any() const = 0;
  // The first n points are those of an earlier run; `same`: all of them, of the same families.
  virtual void take_over(const SolverState& earlier, Index n, bool same) = 0;

  virtual void save(SolverState& state) const = 0;
  virtual void restore(const SolverState& state) = 0;
};

// Whether the last fit, to n points, has a lower error than when there were a quarter of them: by the
// factor `progress`. True up to `patience` points.
[[nodiscard]] bool makes_progress(const std::vector<IterationRecord>& history, Index n,
                                  double progress, Index patience);

}  // namespace chaosgrad::internal::collocation
