#pragma once
// Eigen's large templates, compiled once (instantiations.cpp) and not in every file that multiplies
// or factors a Matrix, which takes a quarter off the time of a build. Only precompiled headers
// include this: nothing needs it to compile.
#include <Eigen/Dense>

#include "chaosgrad/types.h"

#define CHAOSGRAD_MATRIX_VECTOR(KIND, LEFT, RIGHT, VERSION)                                    \
  KIND struct Eigen::internal::general_matrix_vector_product<                                  \
      chaosgrad::Index, double,                                                                \
      Eigen::internal::const_blas_data_mapper<double, chaosgrad::Index, LEFT>, LEFT, false,    \
      double, Eigen::internal::const_blas_data_mapper<double, chaosgrad::Index, RIGHT>, false, \
      VERSION>

#define CHAOSGRAD_MATRIX_MATRIX(KIND, LEFT, RIGHT)            \
  KIND struct Eigen::internal::general_matrix_matrix_product< \
      chaosgrad::Index, double, LEFT, false, double, RIGHT, false, Eigen::ColMajor, 1>

#define CHAOSGRAD_COMPUTE(KIND, SOLVER, ...)                                        \
  KIND Eigen::SOLVER<chaosgrad::Matrix>& Eigen::SOLVER<chaosgrad::Matrix>::compute( \
      const Eigen::EigenBase<chaosgrad::Matrix>& __VA_ARGS__)

#define CHAOSGRAD_INSTANTIATIONS(KIND)                                                    \
  KIND struct Eigen::internal::gebp_kernel<                                               \
      double, double, chaosgrad::Index,                                                   \
      Eigen::internal::blas_data_mapper<double, chaosgrad::Index, Eigen::ColMajor, 0, 1>, \
      Eigen::internal::gebp_traits<double, double>::mr,                                   \
      Eigen::internal::gebp_traits<double, double>::nr, false, false>;                    \
  CHAOSGRAD_MATRIX_MATRIX(KIND, Eigen::ColMajor, Eigen::ColMajor);                        \
  CHAOSGRAD_MATRIX_MATRIX(KIND, Eigen::ColMajor, Eigen::RowMajor);                        \
  CHAOSGRAD_MATRIX_MATRIX(KIND, Eigen::RowMajor, Eigen::ColMajor);                        \
  CHAOSGRAD_MATRIX_MATRIX(KIND, Eigen::RowMajor, Eigen::RowMajor);                        \
  CHAOSGRAD_MATRIX_VECTOR(KIND, Eigen::ColMajor, Eigen::ColMajor, 0);                     \
  CHAOSGRAD_MATRIX_VECTOR(KIND, Eigen::ColMajor, Eigen::RowMajor, 0);                     \
  CHAOSGRAD_MATRIX_VECTOR(KIND, Eigen::RowMajor, Eigen::ColMajor, 0);                     \
  CHAOSGRAD_MATRIX_VECTOR(KIND, Eigen::RowMajor, Eigen::RowMajor, 1);                     \
  KIND class Eigen::SelfAdjointEigenSolver<chaosgrad::Matrix>;                            \
  CHAOSGRAD_COMPUTE(KIND, SelfAdjointEigenSolver, , int);                                 \
  CHAOSGRAD_COMPUTE(KIND, LLT, );                                                         \
  CHAOSGRAD_COMPUTE(KIND, LDLT, )

CHAOSGRAD_INSTANTIATIONS(extern template);
