// Solutions of problems that came from a program: saved, loaded, resumed, reported and exported
// without a problem file.
#include <gtest/gtest.h>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/io.h"
#include "io/describe.h"

namespace chaosgrad {
using namespace internal;
namespace {

// ½|x − (e^{θ_1}, θ_1 θ_2)|²
auto two_parameters() {
  return PerSampleProblem(2, Measure({Distribution(Uniform{0, 1}), Distribution(Normal{0, 0.5})}),
                          0, [](const Vector& x, const Vector& theta, const Vector&) {
                            return Vector{{x(0) - std::exp(theta(0)), x(1) - theta(0) * theta(1)}};
                          });
}

struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() /
             ("chaosgrad-" + std::to_string(::getpid()) + "-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

const Labels labels = {
    .title = "A problem of a program", .parameters = {"rate", "shift"}, .variables = {"a", "b"}};

TEST(SolutionFiles, GiveBackWhatWasSaved) {
  const Folder folder;
  const Solution solution = solve(two_parameters(), {.tolerance = 1e-6});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  save(folder.path, solution, labels);
  for (const char* name : {"solution.h5", "summary.json", "history.csv", "report.html"})
    EXPECT_TRUE(std::filesystem::exists(folder.path / name)) << name;

  const Loaded loaded = load(folder.path);
  EXPECT_TRUE(loaded.warning.empty());
  EXPECT_EQ(loaded.labels.title, labels.title);
  EXPECT_EQ(loaded.labels.parameters, labels.parameters);
  EXPECT_EQ(loaded.labels.variables, labels.variables);
  EXPECT_EQ(loaded.solution.status, solution.status);
  EXPECT_EQ(loaded.solution.message, solution.message);
  EXPECT_EQ(loaded.solution.gradients, solution.gradients);
  EXPECT_EQ(loaded.solution.options.tolerance, solution.options.tolerance);
  EXPECT_EQ(loaded.solution.expansion.coefficients(), solution.expansion.coefficients());
  const Vector theta{{0.3, -0.7}};
  EXPECT_EQ(loaded.solution(theta), solution(theta));
  const auto summary = [&](const Solution& of) {
    nlohmann::json json = nlohmann::json::parse(summary_json(of, labels));
    json.erase("seconds_total");  // of the call itself
    return json;
  };
  EXPECT_EQ(summary(loaded.solution), summary(solution));
}

TEST(SolutionFiles, AreGoneOnWith) {
  const Folder folder;
  Options options{.tolerance = 1e-6};
  const Solution whole = solve(two_parameters(), options);
  int calls = 0;
  options.callback = [&](const Progress& progress) {
    if (progress.iteration > 0) save_checkpoint(folder.path, progress.solution(), labels);
    return ++calls < 4 ? Action::go_on : Action::stop;
  };
  EXPECT_EQ(solve(two_parameters(), options).status, Status::interrupted);
  options.callback = {};
  options.resume = std::make_shared<const Solution>(load(folder.path).solution);
  const Solution resumed = solve(two_parameters(), options);
  EXPECT_EQ(resumed.status, Status::converged);
  EXPECT_EQ(resumed.expansion.coefficients(), whole.expansion.coefficients());
  EXPECT_EQ(resumed.gradients, whole.gradients);
}

TEST(SolutionFiles, ArePagesTextAndSource) {
  const Solution solution = solve(two_parameters(), {.tolerance = 1e-4});
  const std::string page = report_page(solution, labels);
  EXPECT_NE(page.find("<title>A problem of a program"), std::string::npos);
  EXPECT_NE(export_source(solution, Language::c, labels).find("theta: rate, shift. x: a, b."),
            std::string::npos);
  EXPECT_NE(export_source(solution, Language::python, labels).find("['rate', 'shift']"),
            std::string::npos);
  const std::string text = report(solution, Detail::full, labels);
  EXPECT_NE(text.find("converged"), std::string::npos);
  EXPECT_NE(text.find("shift"), std::string::npos);
  EXPECT_LT(report(solution, Detail::brief).size(), text.size());
}

TEST(SolutionFiles, LabelsMustFit) {
  const Solution solution = solve(two_parameters(), {.tolerance = 1e-3});
  EXPECT_THROW(static_cast<void>(report(solution, Detail::full, {.variables = {"a"}})), InputError);
  EXPECT_THROW(static_cast<void>(summary_json(solution, {.quantities = {"cost"}})), InputError);
}

// Distributions go through JSON and back to the bit.
TEST(Describe, GivesDistributionsBack) {
  const std::vector<Distribution> distributions = {Uniform{-0.1, std::sqrt(2.0)},
                                                   Normal{1e-300, 1e9},
                                                   LogNormal{0.1, 0.3},
                                                   Beta{0.7, 2.3, -1, 4},
                                                   Gamma{1.5, 0.2},
                                                   Exponential{1.0 / 3},
                                                   Triangular{0, 0.3, 1},
                                                   Weibull{1.7, 2},
                                                   LogUniform{1e-4, 1},
                                                   TruncatedNormal{0.2, 1, -infinity, 0.7},
                                                   TruncatedNormal{0.2, 1, 0.1, infinity},
                                                   Discrete{{1, 2, 5}, {0.25, 0.25, 0.5}}};
  for (const Distribution& distribution : distributions) {
    const Distribution back = distribution_of(describe(distribution));
    EXPECT_EQ(back.name(), distribution.name());
    for (const double p : {0.01, 0.3, 0.99})
      EXPECT_EQ(back.quantile(p), distribution.quantile(p)) << distribution.name();
  }
}

TEST(Describe, GivesOptionsBack) {
  Options options;
  options.method = Method::nested;
  options.relative_tolerance = 1.0 / 3;
  options.samples = "k + 1";
  options.step = Schedule([](const ScheduleInputs&) { return 0.5; });  // cannot be stored
  options.indices = IndexSet::from({{0, 0}, {1, 0}});
  options.seed = 7;
  const Options back = options_of(describe(options));
  EXPECT_EQ(back.method, Method::nested);
  EXPECT_EQ(back.relative_tolerance, options.relative_tolerance);
  EXPECT_EQ(back.samples->text(), "k + 1");
  EXPECT_FALSE(back.step);
  EXPECT_EQ(std::get<IndexSet>(back.indices).indices(),
            std::get<IndexSet>(options.indices).indices());
  EXPECT_EQ(back.seed, 7U);
}

}  // namespace
}  // namespace chaosgrad
