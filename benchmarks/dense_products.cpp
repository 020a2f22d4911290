// The two hot products by Eigen, x = Ψu and D = ΨᵀG, with Ψ a table that is given (4096 × m), and
// with Ψ made for each block of 128 samples by basis.evaluate and copied into a matrix: what a
// program without own kernels would do. ns per basis value and pair of products, one thread, as JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <random>

#include "chaosgrad/basis.h"
#include "parallel/executor.h"
#include "samples/basis_table.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

template <class Function>
double least_seconds(const Function& function) {
  using clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  const auto start = clock::now();
  for (int repeat = 0; repeat < 5 || clock::now() - start < std::chrono::milliseconds(200);
       ++repeat) {
    const auto before = clock::now();
    function();
    least = std::min(least, std::chrono::duration<double>(clock::now() - before).count());
  }
  return least;
}

Matrix numbers(Index rows, Index columns) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix made(rows, columns);
  for (double& one : made.reshaped()) one = uniform(generator);
  return made;
}

}  // namespace

int main() {
  const Family legendre(Distribution(Uniform{-1, 1}));
  const Basis basis({legendre, legendre, legendre, legendre, legendre}, IndexSet::first(5, 1000));
  Executor alone(1);
  std::printf("[");
  for (const Index q : {Index{1}, Index{2}, Index{10}}) {
    constexpr Index samples = 4096, m = 1000;
    const Matrix eta = numbers(samples, 5), g = numbers(samples, q), u = numbers(m, q);
    const Matrix psi = basis_table(basis, eta, m, alone);
    Matrix x(samples, q), sums(m, q);
    const double given = least_seconds([&] {
      x.noalias() = psi * u;
      sums.noalias() = psi.transpose() * g;
    });
    const double made = least_seconds([&] {
      sums.setZero();
      for (Index first = 0; first < samples; first += block_size) {
        const Matrix block = basis_table(basis, eta.middleRows(first, block_size), m, alone);
        x.middleRows(first, block_size).noalias() = block * u;
        sums.noalias() += block.transpose() * g.middleRows(first, block_size);
      }
    });
    const double per = 1e9 / static_cast<double>(samples * m);
    std::printf("%s{\"m\": %td, \"q\": %td, \"given\": %.5g, \"made\": %.5g}", q == 1 ? "" : ",\n ",
                m, q, given * per, made * per);
  }
  std::printf("]\n");
  return 0;
}
