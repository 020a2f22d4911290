#pragma once
// Values of nodes, for the tests of expression/.
#include <array>
#include <cmath>
#include <vector>

#include "expression/expression.h"

namespace chaosgrad {
using namespace internal;

// Runs a program on inputs of any number of samples ≤ block_size; one matrix (samples × components)
// per output.
inline std::vector<Matrix> run(const Program& program, const Graph& graph,
                               std::span<const Node> outputs, const std::vector<Matrix>& inputs) {
  const std::vector<Block> blocks(inputs.begin(), inputs.end());
  std::vector<Matrix> results;
  for (const Node node : outputs) results.emplace_back(inputs[0].rows(), graph.shape(node).size());
  std::vector<BlockOut> views(results.begin(), results.end());
  Program::Workspace workspace;
  program.evaluate(blocks, views, workspace);
  return results;
}

inline std::vector<Matrix> run(const Graph& graph, std::span<const Node> outputs,
                               const std::vector<Matrix>& inputs) {
  return run(Program(graph, outputs), graph, outputs, inputs);
}

// |a − b| as a share of the larger, and at least of `floor`.
inline double relative_difference(double a, double b, double floor = 1e-300) {
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), floor});
}

// A fixed sequence of numbers in (0, 1), independent of the library under test.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double uniform() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t mixed = (state_ ^ (state_ >> 29)) * 0xbf58476d1ce4e5b9u;
    return (static_cast<double>(mixed >> 12) + 0.5) * 0x1p-52;
  }
  double between(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  int below(int n) { return static_cast<int>(uniform() * n); }
  Matrix matrix(Index rows, Index cols, double lower, double upper) {
    Matrix values(rows, cols);
    for (Index i = 0; i < values.size(); ++i) values.data()[i] = between(lower, upper);
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace chaosgrad
