// The tables of distributions, formula functions, methods, statuses, options and statistics: every
// line says what the code does.
#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>

#include "basis/family/chart.h"
#include "chaosgrad/error.h"
#include "expression/formula/functions.h"
#include "measure/distribution_table.h"
#include "problem/formula/noise.h"
#include "solution/statistics/statistic_table.h"
#include "solve/common/option_table.h"
#include "solve/common/statuses.h"

namespace chaosgrad {
using namespace internal;
namespace {

// One of each kind with arguments of its own; a new distribution is entered here, too.
const std::vector<Distribution> some = {Uniform{-1, 3},
                                        Normal{2, 0.5},
                                        LogNormal{0.1, 0.4},
                                        Beta{2, 3, -1, 2},
                                        Gamma{2.5, 2},
                                        Exponential{3},
                                        Triangular{0, 0.7, 2},
                                        Weibull{1.5, 2},
                                        LogUniform{0.5, 4},
                                        TruncatedNormal{0, 1, -1, 2},
                                        Discrete{{1, 2, 4}, {1, 2, 1}}};

TEST(DistributionTable, HasALineForEveryDistribution) {
  ASSERT_EQ(some.size(), std::variant_size_v<Distribution::Variant>);
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_EQ(some[i].parameters().index(), i);
    const DistributionEntry& entry = entry_of(some[i].parameters());
    EXPECT_EQ(entry.alternative, i);
    EXPECT_EQ(find_distribution(some[i].name()), &entry);
    EXPECT_FALSE(entry.meaning.empty());
  }
  EXPECT_EQ(distribution_names().size(), some.size() + 1);  // and data
  EXPECT_EQ(find_distribution("norml"), nullptr);
}

TEST(DistributionTable, MakesWhatItReads) {
  for (const Distribution& d : some) {
    const DistributionEntry& entry = entry_of(d.parameters());
    if (!entry.make) continue;
    std::vector<double> values;
    for (const DistributionArgument& argument : entry.arguments)
      values.push_back(argument.values(d.parameters()).front());
    const Distribution again = entry.make(values);
    EXPECT_EQ(again.parameters().index(), d.parameters().index());
    EXPECT_EQ(again.mean(), d.mean()) << entry.name;
    EXPECT_EQ(again.quantile(0.3), d.quantile(0.3)) << entry.name;
  }
  EXPECT_EQ(in_words(some[0]), "uniform(lower = -1, upper = 3)");
  EXPECT_EQ(in_words(some[10]), "discrete(3 values)");
}

TEST(DistributionTable, QuantileFormulasAreTheQuantiles) {
  for (const Distribution& d : some) {
    const DistributionEntry& entry = entry_of(d.parameters());
    if (entry.quantile.empty()) continue;
    NoiseSpec spec{
        .name = "v", .finite = {}, .distribution = std::string(entry.name), .arguments = {}};
    for (const DistributionArgument& argument : entry.arguments) {
      spec.arguments[std::string(argument.key)] = {
          fmt::format("{}", argument.values(d.parameters()).front()), -1};
    }
    for (const double u : {0.02, 0.4, 0.85}) {
      Graph graph;
      const NoiseFormula noise = make_noise(graph, spec, graph.constant(u), {});
      const std::optional<Matrix> value = graph.constant_value(noise.value);
      ASSERT_TRUE(value.has_value()) << entry.name;
      EXPECT_NEAR((*value)(0, 0), d.quantile(u), 1e-12) << entry.name;
      EXPECT_EQ(noise.axis.kind == NoiseAxis::Kind::normal, entry.in_normal_score);
    }
  }
}

TEST(DistributionTable, LogarithmsAreDistributionsOfTheLogarithm) {
  EXPECT_EQ(names_with_logarithm(), "lognormal or loguniform");
  for (const Distribution& d : some) {
    const std::optional<Distribution> log = logarithm(d);
    if (!log) continue;
    EXPECT_NEAR(log->quantile(0.3), std::log(d.quantile(0.3)), 1e-14);
  }
}

// A distribution without a chart of its own has a family, too.
TEST(GeneralChart, HoldsTheWholeDistribution) {
  boost::math::quadrature::tanh_sinh<double> rule;
  for (const Distribution& d : some) {
    if (d.is_discrete()) continue;
    // Its kink inside a piece costs digits, which is why it has a chart of its own.
    if (std::holds_alternative<Triangular>(d.parameters())) continue;
    double mass = 0, mean = 0;
    for (const ChartPiece& piece : general_chart(d)) {
      const auto density = [&](double s) { return std::pow(piece.root_density(s), 2); };
      // An infinite tail is long: its bulk is integrated on its own.
      const double length = piece.end - piece.begin, bulk = std::min(length, 40 * d.sd());
      const bool left = piece.begin == 0 && std::isfinite(d.lower());
      const double from = left || bulk == length ? piece.begin
                          : piece.begin == 0     ? piece.end - bulk
                                                 : piece.begin;
      const double to = from + bulk;
      mass += rule.integrate(density, from, to);
      mean += rule.integrate([&](double s) { return density(s) * piece.theta(s); }, from, to);
    }
    EXPECT_NEAR(mass, 1, 1e-8) << d.name();
    EXPECT_NEAR(mean, d.mean(), 1e-7) << d.name();
  }
}

void expect_equal(const FormulaExample& example) {
  Graph graph;
  const auto value = [&](std::string_view text) {
    const std::optional<Matrix> result = graph.constant_value(parse(graph, text, {}));
    EXPECT_TRUE(result.has_value()) << text;
    return result.value_or(Matrix());
  };
  const Matrix found = value(example.formula), expected = value(example.value);
  ASSERT_EQ(found.rows(), expected.rows()) << example.formula;
  ASSERT_EQ(found.cols(), expected.cols()) << example.formula;
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12) << example.formula;
}

TEST(FormulaTable, ExamplesHold) {
  for (const FormulaFunction& function : formula_functions()) {
    expect_equal(function.example);
    EXPECT_NE(function.example.formula.find(function.name()), std::string_view::npos);
    EXPECT_EQ(find_function(function.name()), &function);
  }
  for (const FormulaOperator& entry : binary_operators()) expect_equal(entry.example);
  for (const FormulaOperator& entry : prefix_operators()) expect_equal(entry.example);
}

TEST(FormulaTable, CallsNameTheirArguments) {
  EXPECT_EQ(find_function("sin")->call(), "sin(a)");
  EXPECT_EQ(find_function("if")->call(), "if(a, b, c)");
  EXPECT_EQ(find_function("max")->call(), "max(a, b, …)");
  EXPECT_EQ(find_function("identity")->call(), "identity(a)");
}

TEST(MethodTable, IsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < method_table().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(method_table()[i].method), i);
  EXPECT_EQ(to_string(Method::nested), "nested");
  EXPECT_TRUE(is_adaptive(Method::automatic));
  EXPECT_FALSE(is_adaptive(Method::uqsa));
}

TEST(StatusTable, IsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < status_table().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(status_table()[i].status), i);
    EXPECT_EQ(find_status(status_table()[i].name), status_table()[i].status);
  }
  EXPECT_EQ(status_table().back().status, Status::infeasible);
  EXPECT_TRUE(is_failure(Status::diverged));
  EXPECT_FALSE(is_failure(Status::stalled));
  EXPECT_EQ(find_status("perfect"), std::nullopt);
}

TEST(OptionTable, NotesWhatAMethodDoesNotUse) {
  Options options;
  EXPECT_TRUE(notes_on_unused(options).empty());
  options.iterations = 7;
  options.points = 9;
  options.step = "1/L";
  EXPECT_EQ(notes_on_unused(options),
            (std::vector<std::string>{"solve.iterations is not used by method auto",
                                      "solve.step is not used by method auto",
                                      "solve.points is not used by method auto"}));
  options.method = Method::masg;
  EXPECT_EQ(notes_on_unused(options),
            std::vector<std::string>{"solve.points is not used by method masg"});
  options.method = Method::nested;
  options.guard = false;
  IndexOrder hyperbolic;
  hyperbolic.kind = IndexOrder::Kind::hyperbolic;
  options.indices = hyperbolic;
  EXPECT_EQ(notes_on_unused(options),
            (std::vector<std::string>{"solve.step is not used by method nested",
                                      "solve.guard is not used by method nested"}));
}

TEST(OptionTable, RangesAreChecked) {
  const auto complaint = [](const Options& options) -> std::string {
    try {
      check_ranges(options);
    } catch (const InputError& error) {
      return error.field() + " " + error.message();
    }
    return "";
  };
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({.iterations = 0}), "solve.iterations must be at least 1");
  EXPECT_EQ(complaint({.tolerance = -1.0}), "solve.tolerance must be positive");
  EXPECT_EQ(complaint({.confidence = 1}), "solve.confidence must be between 0 and 1");
  EXPECT_EQ(complaint({.threads = -1}), "solve.threads must not be negative");
  EXPECT_EQ(complaint({.radius = 0.0}), "solve.radius must be positive");
}

TEST(OptionTable, DefaultSchedulesCanBeEvaluated) {
  for (const MethodEntry& method : method_table()) {
    for (const char* key : {"basis_size", "samples", "step"})
      EXPECT_GT(default_schedule(key, method.method)({.k = 3, .m = 2, .M = 10}), 0) << key;
  }
}

TEST(StatisticTable, NumbersHaveAValueAndABar) {
  ASSERT_EQ(number_statistics().size(), 4U);
  EXPECT_EQ(number_column(&OutputStatistics::skewness), 2);
  for (const NumberEntry& number : number_statistics()) {
    EXPECT_NE(number.sampled.value, nullptr);
    EXPECT_NE(number.sampled.bar, nullptr);
  }
}

}  // namespace
}  // namespace chaosgrad
