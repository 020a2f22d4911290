#pragma once
// A problem: x*(θ) = argmin_x E_v F(x, θ, v) for θ ~ parameters(). Any type with the members of
// the concept Problem is one.
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/constraints.h"
#include "chaosgrad/lift.h"
#include "chaosgrad/measure.h"
#include "chaosgrad/types.h"

namespace chaosgrad {

// gradient() overwrites g (B×q) with ∇ₓF at each row of x (B×q), theta (B×d) and noise (B×r,
// uniform on (0,1): the problem maps it to v). Pure and thread-safe: same inputs, same bits. It is
// called from several threads at a time; Options::threads = 1 is for models that cannot take that.
template <class P>
concept Problem = requires(const P& p, Block x, Block theta, Block noise, BlockOut g) {
  { p.dimension() } -> std::convertible_to<Index>;        // q
  { p.parameters() } -> std::convertible_to<Measure>;     // π, on R^d
  { p.noise_dimension() } -> std::convertible_to<Index>;  // r, 0 if deterministic
  { p.gradient(x, theta, noise, g) } -> std::same_as<void>;
};

// factor · B_degree(θ_parameter), B the family of that parameter.
struct BasisFunction {
  Index parameter = 0, degree = 0;
  double factor = 1;
};

// F as a function of the noise, as far as a problem can tell: E_v can then be integrated, where it
// could only be sampled otherwise.
struct NoiseShape {
  // F is a sum of functions of x, θ and the noise numbers of one group each; numbers that are in no
  // group do not matter.
  std::vector<std::vector<Index>> groups;
  // A function s(x, θ, noise): where it is 0, F or its derivatives may jump. F is smooth elsewhere.
  struct Kink {
    std::vector<Index> numbers;  // the noise numbers that it depends on, ascending
    // For each of them: along it, s has at most one zero between zeros of the kinks before it.
    std::vector<bool> straight;
  };
  std::vector<Kink> kinks;
  // s (B × kinks) at rows of x (B×q), theta (B×d), noise (B×r). Pure and thread-safe.
  std::function<void(const Block&, const Block&, const Block&, BlockOut)> switching;
  // For each noise number the degree of ∇F, and of F, as a polynomial in it between kinks, on the
  // scale of NoiseAxis::kind; empty: not known to be one.
  std::vector<std::optional<int>> gradient_degrees, value_degrees;
};

// f = E_v F itself, where a problem knows it as a formula: sums over data of polynomials in the rows.
// Blocks as above, without noise. Pure and thread-safe.
struct Expectation {
  std::function<void(const Block&x, const Block&theta, BlockOut out)> gradient, value, hessian;
  double operations = 0;  // of one gradient
};

// A problem type may offer more than its gradient, each through a member of its own:
//   value(x, theta, noise, f)    f (B×1) = F at each row; not finite outside the domain of F
//   hessian(x, theta, noise, h)  row i of h (B×q²) = ∇²F at row i
//   explain(x, theta, noise)     why F or ∇F is not finite at one row, in words ("log of a negative
//                                number (-5)"); empty if it is
//   has_value(), has_hessian()   whether the first two may be called, where that depends
// and what it knows through a member facts(). Values make the first descent safe from any start,
// and Hessians make it and its tests sharper.
struct ProblemFacts {
  Vector start;  // x at the beginning; empty: 0
  // x is minimised over C(θ), and F is the smooth part of the objective; empty: over all of R^q.
  std::shared_ptr<const Constraints> constraints;
  std::optional<double> strong_convexity;         // μ
  std::optional<double> smoothness;               // L
  std::optional<double> noise_variance;           // V
  std::optional<double> noise_growth;             // V_G
  std::vector<NoiseAxis> noise_axes;              // one per noise number; empty: all uniform
  std::shared_ptr<const NoiseShape> noise_shape;  // empty: opaque noise, which can only be drawn
  std::shared_ptr<const Expectation> expectation;
  Index draws = 1;  // of the noise that one gradient averages: it counts as that many gradients
  std::vector<Family::Kind> bases;  // one per parameter; empty: all polynomial
  std::vector<std::vector<double>>
      breakpoints;  // per parameter, where x*(θ) has kinks; empty: none
  std::function<void(Block, BlockOut)> reference;  // x*(θ) where it is known: theta (B×d) → x (B×q)
  // Gradients of a whole number of groups of this many rows cost no more: blocks are filled up with
  // further samples, whose gradients do not count. A divisor of block_size.
  Index row_group = 1;
  // Where points are solved one by one, gradient() is called with about as many rows, or more: fewer
  // would cost hardly less. 1: every row is a computation of its own.
  Index batch = 16;
  // gradient() waits for something outside of this process, which takes this many calls at a time:
  // threads are added until they are under way. 0: it computes here.
  int calls = 0;
  // A problem may have a second member gradient(x, theta, noise, known, g), which takes the values
  // of these functions as given (B × known.size()). Where the basis has them anyway it is called
  // instead.
  std::vector<BasisFunction> known;
  // One per component of θ and of x, for messages; empty: theta and x, with numbers if several.
  std::vector<std::string> parameter_names, variable_names;
  // x stands for y of this lift, and gradient() for a monotone map of it that need not be the
  // gradient of a function: how solvers see constraints that they do not handle themselves.
  std::shared_ptr<const Lift> lift;
  // Whether gradient() may fail at some θ for reasons that are not those of F: a simulation that
  // does not converge, a time-out. Its row is then NaN, and such θ are skipped and counted as long
  // as they are few (Solution::skipped).
  bool may_fail = false;
  // Operations of one gradient, where they are known: cheap gradients are tested at many more θ.
  std::optional<double> operations;
  // Where gradient() is not exact, a rule for the noise with few draws: a better one, x (B×q) and
  // theta (B×d) → g. Their difference at test samples is a part of the error.
  std::function<void(const Block&, const Block&, BlockOut)> finer_gradient;
  Index finer_draws = 0;  // of the noise in each of those
};

// A view of any problem for code that is compiled once. Does not own the problem: the problem must
// outlive it.
class Oracle {
 public:
  template <Problem P>
  Oracle(const P& problem)  // NOLINT(google-explicit-constructor): solvers take an Oracle, users
                            // pass a problem
      : problem_(&problem),
        call_([](const void* p, const Block& x, const Block& theta, const Block& noise,
                 BlockOut& g) { static_cast<const P*>(p)->gradient(x, theta, noise, g); }),
        dimension_(problem.dimension()),
        noise_dimension_(problem.noise_dimension()),
        parameters_(problem.parameters()) {
    if constexpr (requires {
                    { problem.facts() } -> std::convertible_to<ProblemFacts>;
                  }) {
      facts_ = problem.facts();
    }
    if constexpr (requires(const Block& in, BlockOut& g) { problem.gradient(in, in, in, in, g); }) {
      call_with_known_ = [](const void* p, const Block& x, const Block& theta, const Block& noise,
                            const Block& known, BlockOut& g) {
        static_cast<const P*>(p)->gradient(x, theta, noise, known, g);
      };
    }
    if constexpr (requires(const Block& in, BlockOut& f) { problem.value(in, in, in, f); }) {
      if (offers_value(problem)) {
        value_ = [](const void* p, const Block& x, const Block& theta, const Block& noise,
                    BlockOut& f) { static_cast<const P*>(p)->value(x, theta, noise, f); };
      }
    }
    if constexpr (requires(const Block& in, BlockOut& h) { problem.hessian(in, in, in, h); }) {
      if (offers_hessian(problem)) {
        hessian_ = [](const void* p, const Block& x, const Block& theta, const Block& noise,
                      BlockOut& h) { static_cast<const P*>(p)->hessian(x, theta, noise, h); };
      }
    }
    if constexpr (requires(const Block& in) {
                    { problem.explain(in, in, in) } -> std::convertible_to<std::string>;
                  }) {
      explain_ = [](const void* p, const Block& x, const Block& theta, const Block& noise) {
        return std::string(static_cast<const P*>(p)->explain(x, theta, noise));
      };
    }
    complete();
  }

  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] Index noise_dimension() const { return noise_dimension_; }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] const ProblemFacts& facts() const { return facts_; }

  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const {
    call_(problem_, x, theta, noise, g);
  }
  // The same, with facts().known given.
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& known,
                BlockOut g) const {
    call_with_known_(problem_, x, theta, noise, known, g);
  }

  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  [[nodiscard]] bool has_hessian() const { return hessian_ != nullptr; }
  // f (B×1) = F, where has_value(); h (B×q²) = ∇²F, where has_hessian().
  void value(const Block& x, const Block& theta, const Block& noise, BlockOut f) const {
    value_(problem_, x, theta, noise, f);
  }
  void hessian(const Block& x, const Block& theta, const Block& noise, BlockOut h) const {
    hessian_(problem_, x, theta, noise, h);
  }
  // Why F or ∇F is not finite at one row, as far as the problem can tell; empty if it cannot.
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const {
    return explain_ ? explain_(problem_, x, theta, noise) : std::string{};
  }

 private:
  template <class P>
  static bool offers_value(const P& problem) {
    if constexpr (requires { problem.has_value(); }) return problem.has_value();
    return true;
  }
  template <class P>
  static bool offers_hessian(const P& problem) {
    if constexpr (requires { problem.has_hessian(); }) return problem.has_hessian();
    return true;
  }

  using Call = void (*)(const void*, const Block&, const Block&, const Block&, BlockOut&);
  using CallWithKnown = void (*)(const void*, const Block&, const Block&, const Block&,
                                 const Block&, BlockOut&);
  using Explain = std::string (*)(const void*, const Block&, const Block&, const Block&);
  void complete();  // checks the shapes of the facts and fills their defaults; throws InputError

  const void* problem_;
  Call call_;
  CallWithKnown call_with_known_ = nullptr;
  Call value_ = nullptr, hessian_ = nullptr;
  Explain explain_ = nullptr;
  Index dimension_;
  Index noise_dimension_;
  Measure parameters_;
  ProblemFacts facts_;
};

// A problem from a gradient of one sample: g = gradient(x, theta, noise) with vectors of size q, d
// and r.
template <class Gradient>
class PerSampleProblem {
 public:
  PerSampleProblem(Index dimension, Measure parameters, Index noise_dimension, Gradient gradient)
      : dimension_(dimension),
        noise_dimension_(noise_dimension),
        parameters_(std::move(parameters)),
        gradient_(std::move(gradient)) {
    known.batch = 1;
  }

  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return noise_dimension_; }
  [[nodiscard]] ProblemFacts facts() const { return known; }

  void gradient(Block x, Block theta, Block noise, BlockOut g) const {
    Vector x_i(dimension_), theta_i(theta.cols()), noise_i(noise_dimension_);
    for (Index i = 0; i < x.rows(); ++i) {
      x_i = x.row(i).transpose();
      theta_i = theta.row(i).transpose();
      noise_i = noise.row(i).transpose();
      g.row(i) =
          gradient_(std::as_const(x_i), std::as_const(theta_i), std::as_const(noise_i)).transpose();
    }
  }

  ProblemFacts known;  // what else is known, for the user to fill in

 private:
  Index dimension_;
  Index noise_dimension_;
  Measure parameters_;
  Gradient gradient_;
};

}  // namespace chaosgrad
