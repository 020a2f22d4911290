#include "problem/integrated_problem.h"

#include <algorithm>
#include <limits>

namespace chaosgrad::internal {
namespace {

// Nodes that are kept at a time.
constexpr Index most_nodes = 16384;
// Of a forward difference of gradients, over 1 + |x_a|: five digits, as in curvature/differences.h.
constexpr double relative_step = 1e-5;

// What finding kinks multiplies the price of a draw by.
// Origin: where all are found in a step or two, about as much again; where they are looked for,
// evaluations of every kink at the ends of all intervals and some in each: 0.4 and 22 microseconds for
// a draw of two problems of two noise numbers each.
double price_of_kinks(const NoiseShape& shape, const NoisePlan& plan) {
  if (shape.kinks.empty()) return 1;
  for (const GroupPlan& group : plan.groups) {
    for (std::size_t depth = 0; depth < group.axes.size(); ++depth) {
      for (const Index kink : kinks_along(shape, group, depth).own) {
        if (!is_straight(shape.kinks[static_cast<std::size_t>(kink)],
                         group.axes[depth].coordinate.axis))
          return 2 * static_cast<double>(scan_intervals);
      }
    }
  }
  return 2;
}

}  // namespace

IntegratedProblem::IntegratedProblem(const Oracle& oracle, NoisePlan plan, const Stream& scramble,
                                     Index draws)
    : oracle_(oracle), nodes_(oracle.facts(), std::move(plan), scramble), draws_(draws) {}

ProblemFacts IntegratedProblem::facts() const {
  ProblemFacts facts = oracle_.facts();
  facts.noise_axes.clear();
  facts.draws = draws_;
  if (facts.operations)
    *facts.operations *= price_of_kinks(*facts.noise_shape, plan()) * static_cast<double>(draws_);
  facts.noise_shape = {};
  facts.expectation = {};
  facts.row_group = 1;  // one row is many gradients
  if (finer) {
    facts.finer_gradient = [better = finer](const Block& x, const Block& theta, BlockOut g) {
      better->gradient(x, theta, Matrix(x.rows(), 0), g);
    };
    facts.finer_draws = finer->draws_;
  }
  return facts;
}

// A few rows at a time; each row sums its nodes in their order.
template <class Call>
void IntegratedProblem::average(const Block& x, const Block& theta, Integrand integrand,
                                BlockOut& out, const Call& call) const {
  const Index step = std::clamp<Index>(most_nodes / std::max<Index>(1, draws_), 1, block_size);
  out.setZero();
  for (Index row = 0; row < x.rows(); row += step) {
    const Index rows = std::min(step, x.rows() - row);
    const Matrix own_x = x.middleRows(row, rows), own_theta = theta.middleRows(row, rows);
    if (!own_x.allFinite()) {  // where kinks are cannot be asked there
      for (Index i = 0; i < rows; ++i) {
        if (own_x.row(i).allFinite() && rows > 1) {
          BlockOut one = out.middleRows(row + i, 1);
          average(own_x.row(i), own_theta.row(i), integrand, one, call);
        } else if (!own_x.row(i).allFinite()) {
          out.row(row + i).setConstant(std::numeric_limits<double>::quiet_NaN());
        }
      }
      continue;
    }
    const NoisePoints nodes = nodes_.at(own_x, own_theta, integrand);
    const Index most = std::min(block_size, nodes.size());
    Matrix node_x(most, x.cols()), node_theta(most, theta.cols()), node_out(most, out.cols());
    for (Index first = 0; first < nodes.size(); first += most) {
      const Index n = std::min(most, nodes.size() - first);
      for (Index j = 0; j < n; ++j) {
        const Index i = nodes.rows[static_cast<std::size_t>(first + j)];
        node_x.row(j) = own_x.row(i);
        node_theta.row(j) = own_theta.row(i);
      }
      call(node_x.topRows(n), node_theta.topRows(n), nodes.noise.middleRows(first, n),
           node_out.topRows(n));
      for (Index j = 0; j < n; ++j) {
        out.row(row + nodes.rows[static_cast<std::size_t>(first + j)]) +=
            nodes.weights(first + j) * node_out.row(j);
      }
    }
  }
}

void IntegratedProblem::gradient(const Block& x, const Block& theta, const Block& /*noise*/,
                                 BlockOut g) const {
  average(x, theta, Integrand::gradient, g,
          [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
            oracle_.gradient(at, theta_at, noise, out);
          });
}

void IntegratedProblem::value(const Block& x, const Block& theta, const Block& /*noise*/,
                              BlockOut f) const {
  average(x, theta, Integrand::value, f,
          [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
            oracle_.value(at, theta_at, noise, out);
          });
}

void IntegratedProblem::hessian(const Block& x, const Block& theta, const Block& /*noise*/,
                                BlockOut h) const {
  if (oracle_.facts().noise_shape->kinks.empty()) {
    average(x, theta, Integrand::gradient, h,
            [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
              oracle_.hessian(at, theta_at, noise, out);
            });
    return;
  }
  const Index q = x.cols(), rows = x.rows();
  const Matrix none(rows, 0);
  Matrix at_x(rows, q), moved = x, beside(rows, q);
  gradient(x, theta, none, at_x);
  for (Index a = 0; a < q; ++a) {
    for (const double sign : {1.0, -1.0}) {
      moved.col(a) = x.col(a).array() + sign * relative_step * (1 + x.col(a).array().abs());
      gradient(moved, theta, none, beside);
      const Vector steps = moved.col(a) - x.col(a);
      for (Index i = 0; i < rows; ++i) {
        if (sign < 0 && h.row(i).segment(a * q, q).allFinite()) continue;
        h.row(i).segment(a * q, q) = (beside.row(i) - at_x.row(i)) / steps(i);
      }
      if (h.middleCols(a * q, q).allFinite()) break;  // otherwise backward: beside a border
    }
    moved.col(a) = x.col(a);
  }
  for (Index i = 0; i < rows; ++i) {
    const Matrix hessian = h.row(i).reshaped(q, q);
    h.row(i) = (0.5 * (hessian + hessian.transpose())).reshaped(1, q * q);
  }
}

std::vector<Index> IntegratedProblem::draws_at(const Block& x, const Block& theta) const {
  std::vector<Index> count(static_cast<std::size_t>(x.rows()), 0);
  for (const Index row : nodes_.at(x, theta, Integrand::gradient).rows)
    ++count[static_cast<std::size_t>(row)];
  return count;
}

std::string IntegratedProblem::explain(const Block& x, const Block& theta,
                                       const Block& /*noise*/) const {
  const NoisePoints nodes = nodes_.at(x, theta, Integrand::gradient);
  for (Index k = 0; k < nodes.size(); ++k) {
    std::string reason = oracle_.explain(x, theta, nodes.noise.row(k));
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace chaosgrad::internal
