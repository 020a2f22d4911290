#pragma once
// Shapes shared by everything: a block is samples × components, column-major, samples contiguous.
#include <Eigen/Core>
#include <limits>

namespace chaosgrad {

namespace internal {}  // namespace internal

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// Coefficients of an expansion: m × q, row i holds u_i ∈ R^q. Row-major, so that a growing basis
// appends rows.
using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Views of at most `block_size` samples; columns are contiguous.
using Block = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using BlockOut = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;

// Samples are processed in blocks of this size. It is part of the algorithm's definition (sums are
// formed block by block), not a property of the machine.
inline constexpr Index block_size = 128;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace chaosgrad
