#include "basis/family/tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "basis/family/stieltjes.h"

namespace chaosgrad::internal {
namespace {

constexpr Index first_stage = 16;

// Where the recurrence has drifted from the orthonormal values by more than rounding.
PointValues find_exceptions(const Discrete& points, const RecurrenceKernel& kernel,
                            const Matrix& exact) {
  constexpr double tolerance = 2e-13;
  const Index columns = exact.cols();
  PointValues exceptions;
  std::vector<Index> rows;
  constexpr Index chunk = 256;
  Matrix values(chunk, columns);
  for (Index begin = 0; begin < exact.rows(); begin += chunk) {
    const Index size = std::min(chunk, exact.rows() - begin);
    polynomial_values(kernel, points.values.data() + begin, size, values);
    for (Index i = 0; i < size; ++i) {
      Index n = 0;
      while (n < columns && std::abs(values(i, n) - exact(begin + i, n)) <=
                                tolerance * (1 + std::abs(exact(begin + i, n)))) {
        ++n;
      }
      if (n == columns) continue;
      rows.push_back(begin + i);
      exceptions.points.push_back(points.values[static_cast<std::size_t>(begin + i)]);
      exceptions.first.push_back(n);
    }
  }
  exceptions.values.resize(static_cast<Index>(rows.size()), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    exceptions.values.row(static_cast<Index>(i)) = exact.row(rows[i]);
  }
  return exceptions;
}

std::unique_ptr<const PolynomialTables> make_stage(const Distribution& distribution, Index degree,
                                                   const Recurrence& known) {
  auto tables = std::make_unique<PolynomialTables>();
  if (const auto* discrete = std::get_if<Discrete>(&distribution.parameters())) {
    DiscretePolynomials polynomials = lanczos_polynomials(*discrete, degree);
    tables->recurrence = std::move(polynomials.recurrence);
    tables->kernel = recurrence_kernel(tables->recurrence);
    tables->exceptions = find_exceptions(*discrete, tables->kernel, polynomials.values);
    return tables;
  }
  auto closed_form = closed_form_recurrence(distribution, degree);
  tables->recurrence =
      closed_form ? std::move(*closed_form) : stieltjes_recurrence(distribution, degree, known);
  tables->kernel = recurrence_kernel(tables->recurrence);
  return tables;
}

}  // namespace

void PolynomialTables::values(const double* theta, Index count, BlockOut values) const {
  polynomial_values(kernel, theta, count, values);
  if (exceptions.points.empty()) return;
  for (Index i = 0; i < count; ++i) {
    const auto found =
        std::lower_bound(exceptions.points.begin(), exceptions.points.end(), theta[i]);
    if (found == exceptions.points.end() || *found != theta[i]) continue;
    const Index row = found - exceptions.points.begin();
    for (Index n = exceptions.first[static_cast<std::size_t>(row)]; n < values.cols(); ++n) {
      values(i, n) = exceptions.values(row, n);
    }
  }
}

PolynomialFamily::PolynomialFamily(const Distribution& distribution)
    : distribution_(distribution),
      limits_(degree_limits(distribution)),
      induced_(static_cast<std::size_t>(limits_.max_degree + 1)),
      induced_ready_(static_cast<std::size_t>(limits_.max_degree + 1)) {}

const PolynomialTables& PolynomialFamily::tables(Index degree) const {
  const PolynomialTables* current = current_.load(std::memory_order_acquire);
  if (current != nullptr && current->degree() >= degree) return *current;
  const std::lock_guard lock(tables_mutex_);
  while (stages_.empty() || stages_.back()->degree() < degree) {
    const Index have = stages_.empty() ? 0 : stages_.back()->degree();
    const Index next = std::min(std::max(first_stage, 2 * have), limits_.recurrence_limit);
    stages_.push_back(make_stage(distribution_, next,
                                 stages_.empty() ? Recurrence{} : stages_.back()->recurrence));
    current_.store(stages_.back().get(), std::memory_order_release);
  }
  return *stages_.back();
}

std::unique_ptr<const PolynomialFamily::Induced> PolynomialFamily::make_induced(Index n) const {
  const PolynomialTables& table = tables(n);
  const auto* discrete = std::get_if<Discrete>(&distribution_.parameters());
  if (discrete == nullptr) {
    return std::make_unique<const Induced>(InducedTable(distribution_, table.kernel, n));
  }
  const auto count = static_cast<Index>(discrete->values.size());
  Vector masses(count);
  constexpr Index chunk = 256;
  Matrix values(chunk, n + 1);
  for (Index begin = 0; begin < count; begin += chunk) {
    const Index size = std::min(chunk, count - begin);
    table.values(discrete->values.data() + begin, size, values);
    masses.segment(begin, size) =
        values.col(n).head(size).array().square() *
        Eigen::Map<const Eigen::ArrayXd>(discrete->weights.data() + begin, size);
  }
  return std::make_unique<const Induced>(InducedPoints(discrete->values, masses));
}

double PolynomialFamily::induced_quantile(Index n, double p) const {
  const auto slot = static_cast<std::size_t>(n);
  const Induced* induced = induced_ready_[slot].load(std::memory_order_acquire);
  if (induced == nullptr) {
    const std::lock_guard lock(induced_mutex_);
    if (induced_[slot] == nullptr) induced_[slot] = make_induced(n);
    induced = induced_[slot].get();
    induced_ready_[slot].store(induced, std::memory_order_release);
  }
  return std::visit([p](const auto& table) { return table.quantile(p); }, *induced);
}

}  // namespace chaosgrad::internal
