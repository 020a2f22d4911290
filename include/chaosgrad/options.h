#pragma once
// Everything a run can be told. Every member has a default; the defaults of the schedules depend on
// the method.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad {
namespace internal {
class Ranks;
}

// What a schedule may depend on at iteration k.
struct ScheduleInputs {
  double k = 1;          // iteration, from 1
  double m = 1;          // basis size
  double M = 1;          // samples
  double Q = 1;          // sup Σ ψ_i², or m under Christoffel sampling
  double mu = 1, L = 1;  // strong convexity, smoothness
  double V = 0, VG = 1;  // noise: E|∇F|² ≤ V + V_G |∇f|²
};

// A number that may change along a run: a constant, a formula in k, m, M, Q, mu, L, V, VG, or any
// function of them.
class Schedule {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a number or a text is a schedule
  Schedule(double value);
  Schedule(std::string_view formula, int text_id = -1);  // throws FormulaError
  Schedule(const char* formula) : Schedule(std::string_view(formula)) {}
  // NOLINTEND(google-explicit-constructor)
  explicit Schedule(std::function<double(const ScheduleInputs&)> function);

  [[nodiscard]] double operator()(const ScheduleInputs& inputs) const { return function_(inputs); }
  [[nodiscard]] const std::string& text() const { return text_; }
  // Whether the value may depend on the input of this name; functions may depend on all.
  [[nodiscard]] bool uses(std::string_view name) const;

 private:
  std::function<double(const ScheduleInputs&)> function_;
  std::string text_;
  unsigned used_ = 0;  // bit i: input i
};

// automatic    collocation without noise, or where it can be integrated out; sieve otherwise
// collocation  a separate optimisation at each of a growing set of samples of θ, started from the
//              expansion fitted so far; weighted least squares; the basis grows where the residual
//              asks for it
// sieve        averaged stochastic Newton steps on the coefficients, each sample used once; the
//              basis grows where the noise lets see that it should
// gd           u ← u − γ D'(u)                                                 (UQ-GD)
// agd          y = u + β (u − u_prev);  u ← y − α D'(y)                        (UQ-AGD)
// masg         agd in stages of decreasing step, restarted from the last iterate
// uqsa         gd with decaying steps γ_k = a/(b + k)^c
// nested       a separate optimisation at each of `points` samples of θ, then a fit
enum class Method { automatic, collocation, sieve, gd, agd, masg, uqsa, nested };
enum class GradientRule { monte_carlo, sobol, quadrature };
enum class Sampling { automatic, parameter, christoffel };  // automatic: christoffel where Q_m = ∞
enum class Fit { least_squares, projection };

struct Solution;

// What a run tells while it goes on.
struct Progress {
  std::string stage = {};               // what is being done: "descent", "stage 2", "sieve", …
  Index iteration = 0, iterations = 0;  // the last one done; 0 of all: their number is not known
  Index basis_size = 0, samples = 0;
  double gradient_norm = 0;
  std::optional<double> error = {};  // ‖x − x*‖_π: estimated, or known from the reference
  std::optional<double> tolerance = {};  // absolute, as asked for

  std::int64_t gradients = 0;
  double seconds = 0;                       // since the start, over all resumptions
  double gradients_per_second = 0;          // of this session
  std::optional<double> seconds_left = {};  // a guess; empty: unknown

  bool checkpoint_due = false;  // checkpoint_seconds have passed since this was last true
  // The solution as it stands, with status `interrupted`: fit for Options::resume. It is made when
  // asked for, and only during the call. Empty while a pilot run chooses the functions.
  std::function<Solution()> solution = {};
};

// What a callback answers.
enum class Action { go_on, stop };

// Which functions the paper's methods use, and in which order. The adaptive methods choose their
// own, and take the order for their first functions only.
struct AdaptiveIndices {};  // a coarse run of an adaptive method chooses
using IndexChoice = std::variant<IndexOrder, IndexSet, AdaptiveIndices>;
// The order that was chosen; that of total degrees where the choice is no order.
[[nodiscard]] IndexOrder index_order(const IndexChoice& choice);

struct Options {
  Method method = Method::automatic;
  Index iterations = 300;
  std::optional<Schedule> basis_size = {};  // m_k: floor(sqrt(k + 10) + 2)
  std::optional<Schedule> samples = {};     // M_k: 500; for nested the noise draws per gradient: 1
  // gd 2/((mu + L)(1 + 2 VG Q/M)), agd 1/L, uqsa (2/mu)/(2 L/mu + k)
  std::optional<Schedule> step = {};
  std::optional<Schedule> momentum = {};  // agd: (1 − √(αμ))/(1 + √(αμ))
  std::optional<double> radius = {};      // uqsa: projection on the ball ‖u‖ ≤ radius
  Index points = 500;                     // nested
  double point_tolerance = 1e-8;  // nested: a point is solved when |∇f| ≤ μ · point_tolerance
  Fit fit = Fit::least_squares;   // nested

  GradientRule gradient = GradientRule::monte_carlo;
  Index nodes = 64;  // quadrature: per dimension and piece
  Sampling sampling = Sampling::automatic;
  bool guard = true;  // cut steps that the noise would turn into divergence

  IndexChoice indices = IndexOrder{};

  // The error ‖x − x*‖_π may be tolerance, and relative_tolerance · ‖x‖_π; where both are given,
  // it must meet both. The adaptive methods go on until the error estimate does (neither given:
  // relative 1e-3); for the others it decides the verdict only.
  std::optional<double> tolerance = {}, relative_tolerance = {};
  double confidence = 0.95;
  std::uint64_t seed = 1;
  // gradient() is called from this many threads at a time (0: all cores). A model that is not
  // thread-safe takes 1.
  int threads = 0;
  // Processes that share the work. All of them call solve() with the same problem and options, and
  // get the same solution; the callback is called on rank 0. Null: this process alone.
  std::shared_ptr<internal::Ranks> ranks = {};
  std::int64_t max_gradients = 10'000'000;
  double max_seconds = 3600;  // of one session: a resumed run may take as long again

  // Called from one thread at a time: when the options were found to be good, before every
  // iteration or stage with what the last one gave, between the parts of a long stage, and at the
  // end. `stop` ends the run as `interrupted`.
  std::function<Action(const Progress&)> callback = {};
  double checkpoint_seconds = 30;  // see Progress::checkpoint_due
  // Go on from here: a Solution as Progress::solution or solve() gave it, with options that differ
  // from its own in tolerances, iterations, budgets and threads at most. The same bits as without
  // interruption.
  std::shared_ptr<const Solution> resume = {};
  // A solution of the same problem by collocation, with another seed, basis or tolerance: its
  // optima are points of this run, too, as far as their samples can be. What is tested is fresh.
  std::shared_ptr<const Solution> earlier = {};
};

}  // namespace chaosgrad
