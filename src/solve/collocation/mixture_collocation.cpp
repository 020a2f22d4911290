// Collocation for many parameters.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "basis/kernels.h"
#include "samples/sample_source.h"
#include "solve/collocation/collocation.h"
#include "solve/common/growth.h"
#include "solve/collocation/weighted_fit.h"

namespace chaosgrad::internal {
namespace {

constexpr double measure_share = 0.75;  // samples from π per basis function
constexpr Index first_from_measure = 12, least_from_measure = 2;
constexpr Index first_quota = 2;  // samples from each induced density
constexpr Index most_quota = 8;
constexpr double worst_condition = 1e-4;  // of the Gram matrix
constexpr double bulk = 0.7;
constexpr double significance = 4;       // of a coefficient, over the noise of the fit
constexpr double least_explained = 0.3;  // of the residual by the candidates, or more are tried
constexpr Index most_idle_stages = 6;

class MixtureCollocation final : public Collocation {
 public:
  using Collocation::Collocation;

 private:
  void begin(const Points& /*nominal*/) override {
    const std::vector<Family>& families = run_.basis.families();
    const auto d = static_cast<Index>(families.size());
    const auto size =
        static_cast<Index>(std::min(function_count(families), static_cast<double>(1 + d)));
    run_.basis = Basis(families, IndexSet::first(d, size, limited_order(families, options_.order)));
    mixture_.induced.assign(static_cast<std::size_t>(size), 0);
  }

  void save_design(SolverState& state) const override {
    state.set_integer("from_measure", mixture_.from_measure);
    state.integers["induced"].assign(mixture_.induced.begin(), mixture_.induced.end());
    state.set_integer("quota", quota_);
    state.set_integer("idle_stages", idle_stages_);
  }

  void restore_design(const SolverState& state) override {
    mixture_.from_measure = state.integer("from_measure");
    const std::vector<std::int64_t>& induced = state.integer_list("induced");
    mixture_.induced.assign(induced.begin(), induced.end());
    quota_ = state.integer("quota");
    idle_stages_ = state.integer("idle_stages");
  }

  [[nodiscard]] Index missing_from_measure() const {
    const auto wanted = static_cast<Index>(measure_share * static_cast<double>(m()));
    return std::max(least_from_measure,
                    std::max(first_from_measure, wanted) - mixture_.from_measure);
  }

  [[nodiscard]] Index new_samples() const override {
    Index count = missing_from_measure();
    for (const Index drawn : mixture_.induced) count += std::max<Index>(0, quota_ - drawn);
    return count;
  }

  void draw() override {
    const Index fresh = missing_from_measure();
    append(sampler_.from_measure(mixture_.from_measure, fresh));
    mixture_.from_measure += fresh;
    const Index before = mixture_.size() - mixture_.from_measure;
    std::vector<MultiIndex> densities;
    for (Index i = 0; i < m(); ++i) {
      Index& have = mixture_.induced[static_cast<std::size_t>(i)];
      for (; have < quota_; ++have) densities.push_back(run_.basis.indices()[i]);
    }
    if (!densities.empty()) append(sampler_.induced(before, run_.basis.families(), densities));
  }

  [[nodiscard]] Matrix test_samples(Index pending, Index count) const override {
    return sampler_.from_measure(mixture_.from_measure + pending, count);
  }
  void join(Index count) override { mixture_.from_measure += count; }

  // Least squares on the mixture. Where its matrix is badly conditioned more samples help.
  bool fit() override {
    for (;;) {
      const Matrix psi = basis_table(run_.basis, points_.eta, m(), executor_);
      weights_ = mixture_.weights(psi);
      fit_ = fit_weighted(psi, weights_, points_.value, executor_);
      if (fit_.condition >= worst_condition) break;
      if (quota_ >= most_quota) return stall("the samples do not determine the coefficients");
      ++quota_;
      draw();
      if (!polish_points()) return false;
    }
    run_.u = fit_.u;
    measure_error();
    return true;
  }

  void measure_error() {
    const auto n = static_cast<double>(points_.size()), free = n - static_cast<double>(m());
    error_.squares = fit_.left_out_squares(weights_);
    const double left_out = error_.squares.mean(), rest = std::pow(error_.optimisation, 2);
    error_.squared = left_out + rest;
    error_.upper = std::sqrt(upper_mean(error_.squares, options_.confidence) + rest);
    const double residual =
        (weights_.array() * fit_.residuals.rowwise().squaredNorm().array()).sum() /
        std::max(1.0, free);
    error_.basis = std::sqrt(std::min(residual, left_out));
    error_.sampling = std::sqrt(std::max(0.0, left_out - residual));
    const Vector slack = (1 - fit_.leverages.array()).max(0.02).square();
    error_.components =
        ((weights_.array() / slack.array()).matrix().asDiagonal() * fit_.residuals.cwiseAbs2())
            .colwise()
            .mean()
            .cwiseSqrt()
            .transpose();
  }

  // Adds the functions that the residual asks for. Where it asks for none, more samples.
  bool grow() override {
    const double noise_floor = error_.squared / static_cast<double>(points_.size());
    struct Search {
      double limit;
      int reach;
    };
    for (const auto& [limit, reach] : {Search{significance, 1}, {significance, 2}, {0, 2}}) {
      std::vector<char> significant;
      for (Index i = 0; i < m(); ++i)
        significant.push_back(i == 0 || run_.u.row(i).squaredNorm() >= limit * noise_floor);
      const std::vector<MultiIndex> beyond =
          candidates(run_.basis.indices(), significant, run_.basis.families(), reach);
      if (beyond.empty()) continue;
      const Basis wide = widened(run_.basis, beyond);
      const Gains gains = score(wide);
      const std::vector<Index> marked =
          mark(gains, {.clear = noise_maximum(gains.signal.size(), run_.u.cols()),
                       .bulk = bulk,
                       .always = std::max<Index>(2, m() / 8),
                       .most = m() / 2 + 8});
      const bool enough = gains.total() > least_explained * std::pow(error_.basis, 2);
      if (marked.empty() || (!enough && limit > 0)) continue;
      extend(wide, marked);
      idle_stages_ = 0;
      return true;
    }
    quota_ = std::min(quota_ + 1, most_quota);
    if (++idle_stages_ <= most_idle_stages) return true;
    return stall(fmt::format(
        "the error estimate stays at {:.3g}: neither more functions nor more samples lower it "
        "(the families end, or the gradient is not accurate enough)",
        std::sqrt(error_.squared)));
  }

  // Residual against the functions beyond the basis, over the points of the fit.
  [[nodiscard]] Gains score(const Basis& wide) const {
    struct Sums {
      Coefficients signal;
      Vector noise;
      auto members() { return std::tie(signal, noise); }
    };
    const Index n = fit_.residuals.rows(), total = wide.size(), q = fit_.residuals.cols();
    const Sums sums = executor_.reduce(
        (n + block_size - 1) / block_size,
        [&](Index block) {
          const Index first = block * block_size, count = std::min(block_size, n - first);
          BasisBlock psi;
          wide.evaluate(points_.eta.middleRows(first, count), total, psi);
          Sums part{Coefficients::Zero(total, q), Vector::Zero(total)};
          const Matrix weighted =
              weights_.segment(first, count).asDiagonal() * fit_.residuals.middleRows(first, count);
          project(psi, weighted, part.signal);
          const Vector squares = weighted.rowwise().squaredNorm();
          for (Index j = m(); j < total; ++j) {
            for (Index i = 0; i < count; ++i) part.noise(j) += squares(i) * psi(i, j) * psi(i, j);
          }
          return part;
        },
        [](Sums& left, Sums&& right) {
          left.signal += right.signal;
          left.noise += right.noise;
        });
    const Index beyond = total - m();
    const auto count = static_cast<double>(n);
    return {sums.signal.bottomRows(beyond).rowwise().squaredNorm() / (count * count),
            sums.noise.tail(beyond) / (count * count)};
  }

  void extend(const Basis& wide, const std::vector<Index>& marked) {
    IndexSet indices = run_.basis.indices();
    const Index before = m();
    for (const Index i : marked) indices.add_closed(wide.indices()[before + i]);
    run_.basis = Basis(run_.basis.families(), std::move(indices));
    mixture_.induced.resize(static_cast<std::size_t>(m()), 0);
  }

  Mixture mixture_;
  Index quota_ = first_quota, idle_stages_ = 0;
  WeightedFit fit_;
  Vector weights_;
};

}  // namespace

std::unique_ptr<Collocation> make_mixture_collocation(const Oracle& oracle, const Options& options,
                                                      Monitor& monitor, Executor& executor,
                                                      Run& run) {
  return std::make_unique<MixtureCollocation>(oracle, options, monitor, executor, run);
}

}  // namespace chaosgrad::internal
