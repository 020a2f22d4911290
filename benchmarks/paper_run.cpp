// One run of figure 3 of the paper: 600 iterations of gradient descent, M = 250, the basis growing
// to m = 91. Prints processor seconds, the minimum over repeats, for benchmarks/against_numpy.py,
// which measures numpy in the same way: the wall of a busy machine would count against us alone.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "chaosgrad/chaosgrad.h"
#include "io/problem_file/problem_file.h"
#include "solve/run.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: paper_run FILE [repeats]\n");
    return 2;
  }
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 10;
  using namespace chaosgrad;
  using namespace chaosgrad::internal;
  const ProblemFile file = load_problem(read_problem_source(
      argv[1], {"solve.method=gd", "solve.iterations=600", "solve.basis_size=floor(0.15*k) + 1",
                "solve.samples=250", "solve.threads=1"}));
  double seconds = 1e300, error = 0;
  for (int i = 0; i < repeats; ++i) {
    const std::clock_t start = std::clock();
    const Run result = run(file.problem, file.options);
    seconds = std::min(seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    error = *result.history.back().error_squared;
  }
  fmt::print("{:.6e} {:.6e}\n", seconds, error);
}
