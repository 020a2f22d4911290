// Formulas as C, Python and JSON: compiled or run by others, they give what the program gives.
#include "expression/source/source_code.h"

#include <gtest/gtest.h>

#include <array>

#include "support/keyed_numbers.h"
#include "support/run_source.h"

namespace chaosgrad {
using namespace internal;
namespace {

TEST(SourceCode, HasEveryOperation) {
  Graph graph;
  Scope names = {
      {"x", graph.input(0, 0, {3, 1})}, {"t", graph.input(1, 0)}, {"u", graph.input(1, 1)}};
  const char* formulas[] = {
      "sin(t) + cos(u)*tan(t) - asin(t/2)/acos(u/2)^2",
      "atan(t) + sinh(u) + cosh(t) - tanh(u)",
      "exp(t) - log(2 + u) + sqrt(3 + t) + abs(u) + sign(t) + sign(0*t)",
      "floor(3*t) + ceil(3*u) + erf(t) + normcdf(u) + logistic(t) + softplus(-u)",
      "if(t < u, t, 2*u) + if(t >= 0 and u != 0, 1, 3) + if(not t == u or t <= 1, t^2.5 + 1, 0)*0",
      "min(t, u, 0.1) + max(t, x[0]) + huber(3*t, 0.5) + pow(2, t) + t^7",
      "dot(x, x) + norm2(x - t) + norm1(x)*sum(x) - 2",
      "sum(t/(2 + x*x)) + dot(x*x, x/(x^2 + 3))",
      "dot(solve([[2 + t, u, 0], [t, 1, 0.3], [0.1, u, t]], x), [1, 2, 3])",
      "solve([[2, 1], [1, 3]], [t, u])[1] + (outer(x, x)*x)[2]",
      "transpose([[t, u, 1], [2, 3, t]])[2, 1] + ([[t, 0, 1], [0, 0, 2]]*x)[0]",
  };
  std::vector<Node> outputs;
  SourceFunction function{"f", {{0, "x"}, {1, "theta"}}, {}};
  for (std::size_t i = 0; i < std::size(formulas); ++i) {
    // 0^2.5 of negative numbers is not a number: only where it is not taken.
    outputs.push_back(parse(graph, formulas[i], names));
    function.outputs.push_back({"out" + std::to_string(i), 1, 0, {{0, outputs.back()}}});
  }
  const std::vector<Node> slopes = gradient(
      graph, parse(graph, "dot(x, x)*exp(t) + norm2(x) + huber(x[1], 0.2) + max(x[0], 0)^2", names),
      std::array{names["x"]});
  outputs.push_back(slopes[0]);
  function.outputs.push_back({"slope", 5, -infinity, {{1, slopes[0]}}});
  const Index n = 6;
  Matrix x = testing::signed_numbers(1, n, 3), theta = testing::signed_numbers(2, n, 2);
  x.row(0).setZero();
  theta.array() = theta.array().abs() + 0.01;
  std::vector<Matrix> values;
  for (const Node node : outputs) values.emplace_back(n, graph.shape(node).size());
  std::vector<BlockOut> into(values.begin(), values.end());
  const std::array<Block, 2> inputs = {x, theta};
  Program::Workspace workspace;
  Program(graph, outputs).evaluate(inputs, into, workspace);
  std::vector<double> expected;
  for (Index row = 0; row < n; ++row) {
    for (std::size_t k = 0; k + 1 < outputs.size(); ++k) expected.push_back(values[k](row, 0));
    expected.push_back(-infinity);
    for (Index j = 0; j < 3; ++j) expected.push_back(values.back()(row, j));
    expected.push_back(-infinity);
  }
  testing::expect_everywhere(function, {x, theta}, expected, [&](SourceLanguage language) {
    return source_code(graph, function, language);
  });
}

}  // namespace
}  // namespace chaosgrad
