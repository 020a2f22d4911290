// Sobol' indices (main, total and all 190 pairs) of an expansion in 20 dimensions with 10,000
// terms.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "solution/statistics/coefficients.h"

int main() {
  using namespace chaosgrad;
  using namespace chaosgrad::internal;
  const Index d = 20, m = 10'000;
  const IndexSet indices = IndexSet::first(d, m);
  const Coefficients squares = Coefficients::Random(m, 1).cwiseAbs2();
  const Pairs pairs = relevant_pairs(indices, m);
  double best = 1e9, sum = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    const VarianceParts parts = variance_parts(indices, squares, pairs);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
    sum += parts.total(0, 0);
  }
  fmt::print("d = {}, m = {}, {} pairs: {:.3f} ms (check {:.3g})\n", d, m, pairs.size(), best, sum);
}
