#pragma once
// Deterministic gradients: separate optimisations at samples of θ, started from the expansion
// fitted so far, and weighted least squares through their results. Samples, basis and accuracy grow
// together until the error, measured on samples that the fit has not seen, is below the tolerance.
//
// What all such runs share. Which samples, which functions: LineCollocation (one parameter, where
// the order of the functions is known) and MixtureCollocation (many, where the residual tells).
#include <memory>
#include <optional>

#include "samples/mixture.h"
#include "solve/collocation/inverse_model.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/solvers.h"

namespace chaosgrad::internal {

class Collocation {
 public:
  Collocation(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
              Run& run);
  Collocation(const Collocation&) = delete;
  Collocation& operator=(const Collocation&) = delete;
  virtual ~Collocation() = default;

  void solve();

 protected:
  struct StageError {
    Vector squares;  // estimates of the squared error at the samples, weighted: their mean counts
    double squared = infinity;                         // that mean, and what the points lack
    double upper = infinity;                           // limit of its root, with confidence
    double basis = 0, sampling = 0, optimisation = 0;  // norms
    Vector components;
  };

  // The first basis, given the optimum at the nominal θ (already in run_.u).
  virtual void begin(const Points& nominal) = 0;
  [[nodiscard]] virtual Index new_samples() const = 0;
  virtual void draw() = 0;
  // Fits run_.u (and run_.basis) to the points and fills error_; false if that ends the run.
  virtual bool fit() = 0;
  // More functions, more samples; false if neither can help.
  virtual bool grow() = 0;
  // Fresh samples from π, for a test that has taken `pending` already.
  [[nodiscard]] virtual Matrix test_samples(Index pending, Index count) const = 0;
  // The last `count` points were a test that failed: they are samples like the others now.
  virtual void join(Index count) = 0;
  virtual void save_design(SolverState& state) const = 0;
  virtual void restore_design(const SolverState& state) = 0;

  [[nodiscard]] double target() const { return absolute_tolerance(options_, run_.u.norm()); }
  [[nodiscard]] Index m() const { return run_.basis.size(); }
  // New points, each started from the prediction of the expansion so far (or from the nearest known
  // optimum, where that is a wild extrapolation). Returns the predictions.
  Matrix append(const Matrix& eta);
  bool polish_points();            // false if that ends the run
  bool stall(std::string reason);  // false

  const Oracle& oracle_;
  const Options& options_;
  Executor& executor_;
  Run& run_;
  MixtureSampler sampler_;
  Points points_;
  StageError error_;

 private:
  bool start();
  bool measure(const Points& nominal);
  bool take(const PointReport& report);
  bool fail(Status status, const Vector& theta, std::string reason);
  bool evaluate_points();
  [[nodiscard]] std::vector<Index> bad_starts(Index known) const;
  [[nodiscard]] Index nearest(const Matrix& eta, Index count) const;
  void choose_level();
  bool doubt_outliers();
  void learn_contraction(const PointReport& report);
  bool polish_range(PointRange range, double tolerance, Index probe_every, PointReport& report);
  [[nodiscard]] std::int64_t price(Index points) const { return points * gradient_.draws; }
  [[nodiscard]] bool affords(Index points);
  bool confirmed();
  void record();
  void save();
  void restore(const Solution& before);
  void finish();

  Monitor& monitor_;
  Validation validation_;
  PointGradient gradient_;
  Index stage_ = 1;
  double contraction_ = 1, far_ = 1e100;
  double level_ = infinity;  // the error that the points keep up with
  double error_before_ = infinity;
  std::optional<InverseModel> model_;
  CurvatureSeen seen_;
  std::optional<double> gradient_upper_;  // of ‖∇f(x_u)‖_π, with confidence
};

// One parameter. The functions come in their order; n points carry m ≤ n/1.2 of them, m chosen by
// leave-one-out. The points stand evenly in F_m(η) = ∫ Σ_{i<m} ψ_i²/m dπ up to η, the distribution
// for which least squares is stable with few more points than functions.
[[nodiscard]] std::unique_ptr<Collocation> make_line_collocation(const Oracle& oracle,
                                                                 const Options& options,
                                                                 Monitor& monitor,
                                                                 Executor& executor, Run& run);

// Many parameters: random samples from a mixture that follows the basis (mixture.h), and functions
// that the residual asks for (growth.h).
[[nodiscard]] std::unique_ptr<Collocation> make_mixture_collocation(const Oracle& oracle,
                                                                    const Options& options,
                                                                    Monitor& monitor,
                                                                    Executor& executor, Run& run);

}  // namespace chaosgrad::internal
