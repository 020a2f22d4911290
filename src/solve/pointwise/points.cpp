// How lists of points and reports about them grow.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

void Points::append(const Matrix& new_eta, const Matrix& new_theta, const Matrix& start) {
  const Index before = size(), n = new_eta.rows();
  const auto extend = [&](Matrix& matrix, const Matrix& rows) {
    matrix.conservativeResize(before + n, rows.cols());
    matrix.bottomRows(n) = rows;
  };
  extend(eta, new_eta);
  extend(x, start);
  extend(g, Matrix::Zero(n, start.cols()));
  extend(value, start);
  extend(force, Matrix::Zero(n, start.cols()));
  extend(theta, new_theta);
  const auto total = static_cast<std::size_t>(before + n);
  evaluated.resize(total, 0);
  ratios.resize(total, 0.0);
  doubts.resize(total, 0);
  trouble.resize(total, Trouble::none);
  secants.resize(total);
}

void Points::remove(const std::vector<Index>& numbers) {
  std::vector<Index> kept;
  for (Index i = 0, k = 0; i < size(); ++i) {
    if (k < static_cast<Index>(numbers.size()) && numbers[static_cast<std::size_t>(k)] == i) {
      ++k;
    } else {
      kept.push_back(i);
    }
  }
  for (Matrix* matrix : {&eta, &x, &g, &value, &force, &theta})
    *matrix = (*matrix)(kept, Eigen::all).eval();
  const auto shrink = [&](auto& list) {
    for (std::size_t n = 0; n < kept.size(); ++n) {
      const auto from = static_cast<std::size_t>(kept[n]);
      if (from != n) list[n] = std::move(list[from]);
    }
    list.resize(kept.size());
  };
  shrink(evaluated);
  shrink(ratios);
  shrink(doubts);
  shrink(trouble);
  shrink(secants);
}

Points Points::part(const std::vector<Index>& numbers) const {
  Points part;
  for (const auto matrix :
       {&Points::eta, &Points::theta, &Points::x, &Points::g, &Points::value, &Points::force})
    part.*matrix = (this->*matrix)(numbers, Eigen::all);
  const auto pick = [&](const auto& list) {
    std::remove_cvref_t<decltype(list)> picked;
    for (const Index i : numbers) picked.push_back(list[static_cast<std::size_t>(i)]);
    return picked;
  };
  part.evaluated = pick(evaluated);
  part.ratios = pick(ratios);
  part.doubts = pick(doubts);
  part.trouble = pick(trouble);
  part.secants = pick(secants);
  return part;
}

void Points::replace(const std::vector<Index>& numbers, Points&& part) {
  for (const auto matrix : {&Points::x, &Points::g, &Points::value, &Points::force})
    (this->*matrix)(numbers, Eigen::all) = part.*matrix;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const auto i = static_cast<std::size_t>(numbers[n]);
    evaluated[i] = part.evaluated[n];
    ratios[i] = part.ratios[n];
    trouble[i] = part.trouble[n];
    secants[i] = std::move(part.secants[n]);
  }
}

void PointReport::add(PointReport&& other) {
  gradients += other.gradients;
  ratio_squares += other.ratio_squares;
  ratios += other.ratios;
  remaining_squares += other.remaining_squares;
  if (other.lowest_curvature < lowest_curvature) {
    lowest_curvature = other.lowest_curvature;
    lowest_theta = std::move(other.lowest_theta);
  }
  if (other.highest_curvature > highest_curvature) {
    highest_curvature = other.highest_curvature;
    highest_theta = std::move(other.highest_theta);
  }
  if (other.negative_curvature < negative_curvature) {
    negative_curvature = other.negative_curvature;
    negative_theta = std::move(other.negative_theta);
  }
  unsolved += other.unsolved;
  out_of_budget = out_of_budget || other.out_of_budget;
  if (!nonfinite_theta && other.nonfinite_theta) {
    nonfinite_theta = std::move(other.nonfinite_theta);
    nonfinite_x = std::move(other.nonfinite_x);
  }
  if (!runaway_theta) runaway_theta = std::move(other.runaway_theta);
  if (!infeasible_theta) infeasible_theta = std::move(other.infeasible_theta);
}

}  // namespace chaosgrad::internal
