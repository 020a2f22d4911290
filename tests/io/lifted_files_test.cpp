// Constrained solutions on disk, as JSON and as text.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "chaosgrad/error.h"
#include "chaosgrad/io.h"
#include "support/keyed_numbers.h"
#include "support/lifted_cases.h"

namespace chaosgrad {
namespace {

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

Solution solved(Expansion expansion) {
  Solution solution{.expansion = std::move(expansion), .message = "made by hand"};
  solution.error.estimate = 1e-6;
  const Constraints& set = solution.expansion.lift()->constraints();
  solution.multiplier_errors = Vector::LinSpaced(set.dimension() + set.rows(), 1e-6, 2e-6);
  return solution;
}

// A metric that depends on θ, and rows of both kinds.
Expansion varying_metric() {
  const Expansion plain = simplex_point();
  const Measure& measure = plain.measure();
  const Basis basis = total_degree(measure, 6);
  Coefficients factor(6, 3);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j)
      factor(i, j) = (i == 0 ? 0.3 : 0.05) * std::sin(1.0 + static_cast<double>(3 * i + j));
  }
  factor(0, 0) += 1;  // on the diagonal
  factor(0, 2) += 1;
  Matrix A(2, 2);
  A << 1, 1, 1, -2;
  std::vector<LinearConstraints::Rows> rows = {
      {"budget", A.topRows(1), Vector::Ones(1), Vector::Ones(1)},
      {"limits", A, Vector{{-infinity, -0.5}}, Vector{{3.0, 0.7}}}};
  auto set = std::make_shared<const LinearConstraints>(2, Vector::Zero(2), Vector{{0.9, infinity}},
                                                       std::move(rows), "w");
  return {measure, plain.basis(), plain.coefficients(),
          std::make_shared<const Lift>(std::move(set), basis, factor)};
}

void expect_same(const Expansion& a, const Expansion& b) {
  const Matrix thetas = testing::signed_numbers(7, 200, 2);
  const LiftedBlock one = a.evaluate_lifted(thetas), other = b.evaluate_lifted(thetas);
  EXPECT_EQ(one.x, other.x);
  EXPECT_EQ(one.bound_multipliers, other.bound_multipliers);
  EXPECT_EQ(one.row_multipliers, other.row_multipliers);
  EXPECT_EQ(one.force, other.force);
}

TEST(LiftedFiles, GiveBackEveryBit) {
  const Folder folder;
  const Solution solution = solved(varying_metric());
  save(folder.path, solution);
  const Solution loaded = load(folder.path).solution;
  ASSERT_NE(loaded.expansion.lift(), nullptr);
  EXPECT_EQ(loaded.expansion.coefficients(), solution.expansion.coefficients());
  EXPECT_EQ(loaded.expansion.lift()->factor(), solution.expansion.lift()->factor());
  EXPECT_EQ(loaded.multiplier_errors, solution.multiplier_errors);
  const auto names = [](const Solution& s) {
    return multiplier_names(s.expansion.lift()->constraints());
  };
  EXPECT_EQ(names(loaded), names(solution));
  expect_same(loaded.expansion, solution.expansion);
}

// x ≥ 0 as C++ code of the user.
class Positive final : public Constraints {
 public:
  [[nodiscard]] Index dimension() const override { return 1; }
  [[nodiscard]] Index rows() const override { return 0; }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block&, ConstraintBlock& at) const override {
    at.lower = Matrix::Zero(x.rows(), 1);
    at.upper = Matrix::Constant(x.rows(), 1, infinity);
    at.value = at.jacobian = at.least = at.most = Matrix(x.rows(), 0);
  }
  void curvature(const Block&, const Block&, const Block&, BlockOut h) const override {
    h.setZero();
  }

 private:
  std::vector<Constraint> list_ = {{.name = "x.lower", .kind = Constraint::Kind::lower}};
};

TEST(LiftedFiles, AskForConstraintsThatAreCode) {
  const Folder folder;
  const Expansion plain = positive_part();
  const auto code = std::make_shared<const Positive>();
  const Solution solution = solved({plain.measure(), plain.basis(), plain.coefficients(),
                                    same_metric(code, plain.measure(), Matrix::Ones(1, 1))});
  save(folder.path, solution);
  try {
    (void)load(folder.path);
    FAIL() << "expected an IoError";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("constrained by C++ code"), std::string::npos)
        << error.what();
  }
  const Solution loaded = load(folder.path, code).solution;
  EXPECT_EQ(loaded(Vector::Constant(1, -0.5))(0), 0);
  EXPECT_EQ(loaded(Vector::Constant(1, 0.5))(0), 0.5);
  EXPECT_THROW((void)load(folder.path, simplex_point().lift()->shared_constraints()), IoError);
}

TEST(LiftedFiles, AreWrittenAsSourceUnlessTheyAreCode) {
  const Solution linear = solved(varying_metric());
  for (const Language language : {Language::c, Language::python})
    EXPECT_NE(export_source(linear, language).find("w.lower[1]"), std::string::npos);
  const Expansion plain = positive_part();
  const Solution coded = solved(
      {plain.measure(), plain.basis(), plain.coefficients(),
       same_metric(std::make_shared<const Positive>(), plain.measure(), Matrix::Ones(1, 1))});
  EXPECT_THROW((void)export_source(coded, Language::c), InputError);
  EXPECT_NE(report_page(coded).find("\"coded\":true"), std::string::npos);
}

TEST(LiftedFiles, SummaryTellsWhatBinds) {
  const nlohmann::json summary = nlohmann::json::parse(summary_json(solved(simplex_point())));
  const auto& lower = summary.at("constraints").at("w.lower");
  ASSERT_EQ(lower.at("active").size(), 2U);
  EXPECT_NEAR(lower.at("active")[1].get<double>(), 1.0 / 3,
              lower.at("active_error")[1].get<double>());
  EXPECT_NEAR(lower.at("any_active").get<double>(), 3.0 / 8, 0.01);
  EXPECT_EQ(lower.at("multiplier").at("mean").size(), 2U);
  const auto& budget = summary.at("constraints").at("budget");
  EXPECT_EQ(budget.at("active").get<double>(), 1.0);
  EXPECT_EQ(budget.at("multiplier").at("mean").size(), 1U);
  EXPECT_GT(budget.at("multiplier").at("error").get<double>(), 0);
  EXPECT_LT(summary.at("violation").get<double>(), 1e-9);
  EXPECT_EQ(summary.at("mean").size(), 2U);
  EXPECT_NEAR(summary.at("mean")[0].get<double>() + summary.at("mean")[1].get<double>(), 1, 1e-9);
  EXPECT_EQ(summary_json(solved(simplex_point())).find("nan"), std::string::npos);
}

TEST(LiftedFiles, ReportTellsWhatBinds) {
  const std::string text = report(solved(simplex_point()));
  for (const char* part : {"P(active)", "w.lower[1]", "budget", "mean multiplier"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace chaosgrad
