// How fast is a formula? The gradient of the test objective, derived and evaluated from its text,
// against the same gradient written by hand with the same vector functions, and with those of the
// standard library. Minimum over repeats, one thread.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "expression/expression.h"
#include "numeric/functions.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

// Seconds per call, the least of many batches.
template <class Function>
double seconds_per_call(Function function, int calls) {
  double least = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < 200; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) function();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / calls);
  }
  return least;
}

void by_hand(const Matrix& x, const Matrix& theta, Matrix& g) {
  using simd::Machine, simd::Pack, simd::load, simd::store;
  for (Index i = 0; i < x.rows(); i += simd::width) {
    const Pack angle = load(&theta(i, 0));
    const Pack sine = Machine::sin(angle);
    const Pack size = 0.8 + Machine::exp(sine) * 0.25 - simd::cosh(sine * sine);
    const Pack s = simd::abs(size) * (1.0 + Machine::sin(2.0 * angle));
    store(&g(i, 0), load(&x(i, 0)) - s);
    store(&g(i, 1), 200.0 * (load(&x(i, 1)) - s));
  }
}

void by_hand_standard(const Matrix& x, const Matrix& theta, Matrix& g) {
  for (Index i = 0; i < x.rows(); ++i) {
    const double sine = std::sin(theta(i, 0));
    const double s = std::abs(0.8 + std::exp(sine) / 4 - std::cosh(sine * sine)) *
                     (1 + std::sin(2 * theta(i, 0)));
    g(i, 0) = x(i, 0) - s;
    g(i, 1) = 200 * (x(i, 1) - s);
  }
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (Index i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a.data()[i] - b.data()[i]));
  }
  return largest;
}

void compare_gradient() {
  Graph graph;
  Scope names;
  names["x"] = graph.input(0, 0);
  names["y"] = graph.input(0, 1);
  names["theta"] = graph.input(1, 0);
  names["mu"] = graph.constant(1.0);
  names["s"] =
      parse(graph, "abs(4/5 + exp(sin(theta))/4 - cosh(sin(theta)^2)) * (1 + sin(2*theta))", names);
  const Node objective = parse(graph, "mu/2*(x - s)^2 + 100*(y - s)^2", names);
  const Program program(graph, gradient(graph, objective, std::array{names["x"], names["y"]}));

  Matrix x(block_size, 2), theta(block_size, 1), g(block_size, 2), hand(block_size, 2);
  for (Index i = 0; i < block_size; ++i) {
    theta(i, 0) = -3.14 + 6.28 * static_cast<double>(i) / block_size;
    x(i, 0) = 0.01 * static_cast<double>(i % 17);
    x(i, 1) = 0.02 * static_cast<double>(i % 13);
  }
  const std::array<Block, 2> inputs = {x, theta};
  std::array<BlockOut, 2> outputs = {g.col(0), g.col(1)};
  Program::Workspace workspace;
  const auto per_sample = [](double seconds) { return seconds * 1e9 / block_size; };
  const double formula =
      per_sample(seconds_per_call([&] { program.evaluate(inputs, outputs, workspace); }, 200));
  const double vectors = per_sample(seconds_per_call([&] { by_hand(x, theta, hand); }, 200));
  const double difference = largest_difference(g, hand);
  const double standard =
      per_sample(seconds_per_call([&] { by_hand_standard(x, theta, hand); }, 200));

  fmt::print("gradient of the test objective, {} instructions, blocks of {}\n",
             program.instruction_count(), block_size);
  fmt::print("{:<32}{:>12}{:>14}\n", "", "ns/sample", "formula is");
  fmt::print("{:<32}{:>12.2f}\n", "formula", formula);
  fmt::print("{:<32}{:>12.2f}{:>13.2f}x\n", "by hand, vector functions", vectors,
             vectors / formula);
  fmt::print("{:<32}{:>12.2f}{:>13.2f}x\n", "by hand, standard library", standard,
             standard / formula);
  fmt::print("largest difference {:.1e}\n\n", difference);
}

void time_schedule() {
  Graph graph;
  Scope names;
  names["k"] = graph.input(0, 0);
  const Program program(graph, std::array{parse(graph, "sqrt(k + 10) + 2", names)});
  const Matrix k = Matrix::Constant(1, 1, 100);
  Matrix result(1, 1);
  const std::array<Block, 1> inputs = {k};
  std::array<BlockOut, 1> outputs = {result};
  Program::Workspace workspace;
  const double seconds =
      seconds_per_call([&] { program.evaluate(inputs, outputs, workspace); }, 1000);
  fmt::print("schedule sqrt(k + 10) + 2, one sample: {:.0f} ns\n", seconds * 1e9);
}

}  // namespace

int main() {
  compare_gradient();
  time_schedule();
}
