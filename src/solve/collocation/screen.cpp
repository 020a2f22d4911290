#include "solve/collocation/screen.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "constraint/metric_factor.h"
#include "numeric/decompositions.h"
#include "samples/parameters.h"
#include "solve/collocation/lifted.h"

namespace chaosgrad::internal::collocation {
namespace {

constexpr Index half_block = block_size / 2;

// Samples of one block with the values of the expansion.
struct ScreenBlock {
  Matrix eta, theta, x;
  LiftedBlock lifted;  // where x is constrained: what binds
  Vector weights;
};

// How θ ~ π is drawn: Sobol' points as far as they exist.
class Draws {
 public:
  Draws(const Context& context, Index look)
      : stream_(make_stream(context.options.seed, Purpose::screen_parameters,
                            static_cast<std::uint64_t>(look))) {
    const Index d = context.oracle.parameters().dimension();
    if (d <= SobolSequence::max_dimension()) sequence_.emplace(d, stream_);
  }
  void fill(Index first, BlockOut u) const {
    if (sequence_) return sequence_->fill(first, u);
    fill_uniform(stream_, first, u);
  }

 private:
  Stream stream_;
  std::optional<SobolSequence> sequence_;
};

// The germs of a block.
Matrix screen_germs(const Context& context, const CollocationState& state, const Draws& draws,
                    Index look, Index block) {
  const Measure& measure = context.oracle.parameters();
  const Index d = measure.dimension();
  Matrix eta(block_size, d), u(half_block, d), v(half_block, d + 1);
  draws.fill(block * half_block, u);
  measure.germ_from_uniform(u, eta.topRows(half_block));
  fill_uniform(
      make_stream(context.options.seed, Purpose::screen_induced, static_cast<std::uint64_t>(look)),
      block * half_block, v);
  state.run.basis.christoffel_sample(v, state.run.u.rows(), eta.bottomRows(half_block));
  return eta;
}

// Samples at these germs.
ScreenBlock screen_at(const Context& context, const CollocationState& state, Matrix eta) {
  const Index n = eta.rows(), m = state.run.u.rows();
  ScreenBlock result{.eta = std::move(eta),
                     .theta = Matrix(n, context.oracle.parameters().dimension()),
                     .x = Matrix(n, state.run.u.cols()),
                     .lifted = {},
                     .weights = Vector(n)};
  context.oracle.parameters().parameters_from_germ(result.eta, result.theta);
  BasisBlock psi;
  state.run.basis.evaluate(result.eta, m, psi);
  expand(psi, state.run.u, result.x);
  if (context.constraints) {
    result.lifted = state.run.lift->project(result.eta, result.theta, result.x);
    result.x = result.lifted.x;
  }
  Vector squares(n);
  sum_of_squares(psi, squares.data());
  result.weights = defensive_weights(squares, m);
  return result;
}

// x around the rows of x_u, from number `first` of the test on: at random directions, up to twice
// 1 + |x_u| away.
Matrix around(const Context& context, const Matrix& x, Index look, Index first) {
  Matrix u(x.rows(), x.cols());
  fill_uniform(make_stream(context.options.seed, Purpose::screen_elsewhere,
                           static_cast<std::uint64_t>(look)),
               first, u);
  const Vector reach = context.tuning.elsewhere_reach * (1 + x.rowwise().norm().array()) /
                       std::sqrt(static_cast<double>(x.cols()));
  return x + reach.asDiagonal() * (2 * u.array() - 1).matrix();
}

// Room for so many samples.
Screening empty_screening(const Context& context, Index samples) {
  Screening screening{.samples = samples,
                      .squares = Vector(samples),
                      .gradients = Vector(samples),
                      .weights = Vector(samples),
                      .multiplier_squares = {},
                      .remarks = std::vector<Remark>(static_cast<std::size_t>(samples)),
                      .evaluations = 0};
  if (context.constraints)
    screening.multiplier_squares =
        Matrix::Zero(samples, context.oracle.dimension() + context.constraints->rows());
  return screening;
}

class BlockScreen {
 public:
  BlockScreen(const Context& context, const CollocationState& state, Index look,
              const ScreenPlan& plan)
      : context_(context),
        state_(state),
        oracle_(context.oracle),
        q_(oracle_.dimension()),
        look_(look),
        plan_(plan),
        start_(oracle_.facts().start.transpose().replicate(block_size, 1)),
        reach_(context.tuning.largest_prediction * state.points.value.rowwise().norm().maxCoeff()),
        draws_(context, look) {}

  [[nodiscard]] Screening run(Index block) const {
    Screening screening = empty_screening(context_, block_size);
    const ScreenBlock at =
        screen_at(context_, state_, screen_germs(context_, state_, draws_, look_, block));
    Matrix g(block_size, q_), r(block_size, q_);
    Matrix factors;  // of H at each row, where it is known; B×q²
    context_.gradient.call(at.x, at.theta, g);
    std::vector<Remark> remarks(static_cast<std::size_t>(block_size), Remark::none);
    if (plan_.exact) {
      factors.resize(block_size, q_ * q_);
      oracle_.hessian(at.x, at.theta, Matrix(block_size, 0), factors);
    }
    if (context_.constraints) {
      constrained_steps(at, g, factors, r, remarks, screening);
    } else {
      steps(at, g, factors, r, remarks);
    }
    if (plan_.exact) doubt_steps(at, g, factors, r, remarks);
    if (plan_.exact && state_.proximal > 0) extend_proximal_steps(at, factors, r, remarks);
    if (context_.constraints) g += at.lifted.force;  // what is left of ∇f beside what binds
    if (plan_.monotone) {
      compare(at, at.x, g, elsewhere(at, start_), remarks);
      compare(at, at.x, g, elsewhere(at, around(context_, at.x, look_, block * block_size)),
              remarks);
    }
    for (Index i = 0; i < block_size; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const bool finite = g.row(i).allFinite();
      if (!finite) remarks[row] = is_on_bound(at, i) ? Remark::on_border : Remark::not_finite;
      const bool bad =
          !finite || remarks[row] == Remark::not_convex || remarks[row] == Remark::not_quadratic;
      screening.weights(i) = at.weights(i);
      const double farthest = reach_ + (at.x.row(i).allFinite() ? at.x.row(i).norm() : 0);
      const double step = r.row(i).norm();
      const double distance = !bad && step < farthest ? step : farthest;
      screening.squares(i) = at.weights(i) * distance * distance;
      screening.gradients(i) = finite ? at.weights(i) * g.row(i).squaredNorm() : infinity;
      screening.remarks[row] = remarks[row];
    }
    return screening;
  }

 private:
  [[nodiscard]] bool is_on_bound(const ScreenBlock& at, Index i) const {
    return context_.constraints && (at.lifted.bound_multipliers.row(i).array() != 0).any();
  }

  // r = −H⁻¹ g: H at each sample where it is known, whose place its factor takes; the model of H⁻¹
  // otherwise.
  void steps(const ScreenBlock& at, const Matrix& g, Matrix& h, Matrix& r,
             std::vector<Remark>& remarks) const {
    if (!plan_.exact) {
      state_.model.apply(at.eta, g, r);
      r = -r;
      return;
    }
    const double mu =
        oracle_.facts().strong_convexity.value_or(0) * (1 - context_.tuning.curvature_slack);
    for (Index i = 0; i < block_size; ++i) {
      Matrix hessian = h.row(i).reshaped(q_, q_);
      if (!hessian.allFinite()) {  // a kink, or outside the domain
        remarks[static_cast<std::size_t>(i)] = Remark::not_convex;
        continue;
      }
      const Matrix factor = cholesky_factor(hessian);
      if (factor.size() == 0) {
        remarks[static_cast<std::size_t>(i)] = Remark::not_convex;
        continue;
      }
      r.row(i) = -solve_cholesky(factor, Vector(g.row(i).transpose())).transpose();
      h.row(i) = factor.reshaped().transpose();
      if (mu == 0) continue;
      hessian.diagonal().array() -= mu;
      if (cholesky_factor(hessian).size() == 0)
        remarks[static_cast<std::size_t>(i)] = Remark::below_mu;
    }
  }

  // A Newton step is as long as f is far from its minimum only where f is quadratic: beside the
  // border of its domain −log x has x for a step, wherever the minimum is. After a step r that leads
  // to it, ∇f has become g + H r. What is left of ∇f beyond that asks for a second step, which has
  // to be short in every component.
  void doubt_steps(const ScreenBlock& at, const Matrix& g, const Matrix& factors, const Matrix& r,
                   std::vector<Remark>& remarks) const {
    const auto doubtful = [](Remark remark) {
      return remark == Remark::none || remark == Remark::below_mu;
    };
    Matrix y = at.x, g_y(block_size, q_);
    for (Index i = 0; i < block_size; ++i) {
      if (doubtful(remarks[static_cast<std::size_t>(i)]) && r.row(i).allFinite())
        y.row(i) += r.row(i);
    }
    context_.gradient.call(y, at.theta, g_y);
    for (Index i = 0; i < block_size; ++i) {
      Remark& remark = remarks[static_cast<std::size_t>(i)];
      if (!doubtful(remark) || !g.row(i).allFinite()) continue;
      const Matrix factor = factors.row(i).reshaped(q_, q_);
      const Vector step = r.row(i).transpose();
      const Vector expected = factor * (factor.transpose() * step) - state_.proximal * step;
      const Vector second =
          solve_cholesky(factor, Vector((g_y.row(i) - g.row(i)).transpose() - expected));
      const double rounding = context_.tuning.step_rounding * (step.norm() + at.x.row(i).norm());
      for (Index k = 0; k < q_; ++k) {
        if (!(std::abs(second(k)) <= context_.tuning.second_step * std::abs(step(k)) + rounding))
          remark = Remark::not_quadratic;
      }
    }
  }

  // The same over C: to the minimum of the quadratic model over it. Also by how much its multipliers
  // differ from those of the expansion. Where C is empty ∇f is not a number: not_finite.
  void constrained_steps(const ScreenBlock& at, const Matrix& g, Matrix& h, Matrix& r,
                         std::vector<Remark>& remarks, Screening& screening) const {
    std::vector<Matrix> factors;
    if (!plan_.exact) factors = state_.metric->factors(at.eta);
    r.setZero();
    for (Index i = 0; i < block_size; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (!g.row(i).allFinite()) continue;
      Matrix own;
      if (plan_.exact) {
        own = h.row(i).reshaped(q_, q_);
        own.diagonal().array() += state_.proximal;
        if (own.allFinite())
          own = cholesky_factor(with_equalities(own, *context_.constraints, at.x.row(i).transpose(),
                                                at.theta.row(i).transpose()));
        if (own.size() == 0 || !own.allFinite()) {
          remarks[row] = Remark::not_convex;
          continue;
        }
        h.row(i) = own.reshaped().transpose();
      }
      const Matrix& factor = plan_.exact ? own : factors[factors.size() == 1 ? 0 : row];
      const Projection end =
          project(*context_.constraints, at.theta.row(i).transpose(), factor,
                  at.x.row(i).transpose() - solve_cholesky(factor, Vector(g.row(i).transpose())));
      if (end.outcome != QuadraticSolution::Outcome::solved) {
        remarks[row] = Remark::not_convex;
        continue;
      }
      r.row(i) = end.x.transpose() - at.x.row(i);
      auto errors = screening.multiplier_squares.row(i);
      errors.head(q_) = end.bound_multipliers.transpose() - at.lifted.bound_multipliers.row(i);
      errors.tail(errors.size() - q_) =
          end.row_multipliers.transpose() - at.lifted.row_multipliers.row(i);
      errors = errors.cwiseAbs2().eval();
    }
  }

  // Where f is flat the steps are those of the proximal point method, of which many may be needed. A
  // second one that is ρ times as long as the first: |r|/(1 − ρ) is what they all add up to, as long as
  // they do not shrink more slowly than that.
  void extend_proximal_steps(const ScreenBlock& at, const Matrix& factors, Matrix& r,
                             std::vector<Remark>& remarks) const {
    const Matrix y = at.x + r;
    Matrix g(block_size, q_);
    context_.gradient.call(y, at.theta, g);
    for (Index i = 0; i < block_size; ++i) {
      Remark& remark = remarks[static_cast<std::size_t>(i)];
      if (remark != Remark::none || !g.row(i).allFinite()) continue;
      const Matrix factor = factors.row(i).reshaped(q_, q_);
      const Vector from = y.row(i).transpose();
      const Projection end = project(*context_.constraints, at.theta.row(i).transpose(), factor,
                                     from - solve_cholesky(factor, Vector(g.row(i).transpose())));
      const double first = r.row(i).norm(), second = (end.x - from).norm();
      const double rounding = context_.tuning.step_rounding * (1 + from.norm());
      if (end.outcome != QuadraticSolution::Outcome::solved ||
          !(second <= context_.tuning.slowest_proximal * first + rounding)) {
        remark = Remark::not_quadratic;
      } else if (second > rounding) {
        r.row(i) /= 1 - second / first;
      }
    }
  }

  // Rows of x, on C where there are constraints: f matters there only.
  Matrix elsewhere(const ScreenBlock& at, Matrix x) const {
    if (!context_.constraints) return x;
    return feasible(context_, at.theta, std::move(x), state_);
  }

  // (∇f(y) − ∇f(x))·(y − x) ≥ 0 for convex f. Where ∇f(y) is not a number it says nothing.
  void compare(const ScreenBlock& at, const Matrix& x, const Matrix& g, const Matrix& y,
               std::vector<Remark>& remarks) const {
    Matrix g_y(block_size, q_);
    context_.gradient.call(y, at.theta, g_y);
    for (Index i = 0; i < block_size; ++i) {
      Remark& remark = remarks[static_cast<std::size_t>(i)];
      if (remark != Remark::none) continue;
      const double change = (g_y.row(i) - g.row(i)).dot(y.row(i) - x.row(i));
      const double size = (g_y.row(i) - g.row(i)).norm() * (y.row(i) - x.row(i)).norm();
      if (change < -context_.tuning.monotone_slack * size) remark = Remark::not_monotone;
    }
  }

  const Context& context_;
  const CollocationState& state_;
  const Oracle& oracle_;
  Index q_, look_;
  ScreenPlan plan_;
  Matrix start_;  // of the problem, for every row
  double reach_;  // R
  Draws draws_;
};

}  // namespace

std::vector<Index> Screening::with(Remark remark) const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    if (remarks[i] == remark) found.push_back(static_cast<Index>(i));
  }
  return found;
}

void Screening::shorten(Index count) {
  samples = count;
  for (Vector* column : {&squares, &gradients, &weights}) column->conservativeResize(count);
  if (multiplier_squares.size() > 0)
    multiplier_squares.conservativeResize(count, multiplier_squares.cols());
  remarks.resize(static_cast<std::size_t>(count));
}

namespace {

// Of the metric, and of two quadratic programs: to evaluate the expansion and to test it.
double projection_operations(const Context& context, const CollocationState& state) {
  const auto q = static_cast<double>(context.oracle.dimension());
  const auto p = static_cast<double>(context.constraints->rows());
  return 2 * static_cast<double>(state.run.lift->factor().size()) + 20 * q * q * (q + p) + 2000;
}

}  // namespace

// In operations: gradients, a Hessian and its factors or the model of the inverse, and the
// expansion. The most telling plan that is affordable.
ScreenPlan plan_screening(const Context& context, const CollocationState& state) {
  const std::optional<double>& operations = context.oracle.facts().operations;
  if (!operations || context.oracle.facts().may_fail) return {};
  const CollocationTuning& tuning = context.tuning;
  const auto q = static_cast<double>(context.oracle.dimension());
  const auto m = static_cast<double>(state.run.u.rows()),
             n = static_cast<double>(state.points.size());
  const double budget = std::max(tuning.screen_operations, tuning.screen_share * n * m * m);
  for (const auto& [exact, monotone] : {std::pair{true, true}, {false, true}, {false, false}}) {
    if (exact && !context.oracle.has_hessian()) continue;
    const double gradients = (monotone ? 3 : 1) * *operations + (exact ? *operations : 0);
    const double inverse =
        (exact ? 2 * q * *operations + q * q * q / 3 + 2 * q * q : state.model.operations()) +
        (context.constraints ? projection_operations(context, state) : 0);
    const double affordable = std::min(budget / (gradients + inverse + (4 + 2 * q) * m),
                                       static_cast<double>(tuning.most_screened));
    const Index samples = static_cast<Index>(affordable) / block_size * block_size;
    if (samples >= tuning.least_screened) return {samples, exact, monotone};
  }
  return {};
}

Screening screen(const Context& context, const CollocationState& state, Index look,
                 const ScreenPlan& plan) {
  const Index samples = plan.samples;
  Screening screening = empty_screening(context, samples);
  const BlockScreen work(context, state, look, plan);
  const std::vector<Screening> blocks =
      context.executor.map(samples / block_size, [&](Index block) { return work.run(block); });
  Index first = 0;
  for (const Screening& block : blocks) {
    screening.squares.segment(first, block_size) = block.squares;
    screening.gradients.segment(first, block_size) = block.gradients;
    screening.weights.segment(first, block_size) = block.weights;
    if (context.constraints)
      screening.multiplier_squares.middleRows(first, block_size) = block.multiplier_squares;
    std::ranges::copy(block.remarks, screening.remarks.begin() + first);
    first += block_size;
  }
  const Index per_sample =
      (plan.monotone ? 3 : 1) + (plan.exact ? context.oracle.dimension() + 1 : 0);
  screening.evaluations = samples * per_sample * context.gradient.draws;
  return screening;
}

ScreenedSample screened_sample(const Context& context, const CollocationState& state, Index look,
                               Index number) {
  const Matrix germs =
      screen_germs(context, state, Draws(context, look), look, number / block_size);
  const ScreenBlock at = screen_at(context, state, germs.row(number % block_size));
  return {at.eta.row(0).transpose(), at.theta.row(0).transpose(), at.x.row(0).transpose(),
          around(context, at.x, look, number).row(0).transpose()};
}

}  // namespace chaosgrad::internal::collocation
