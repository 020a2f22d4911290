#include "problem/external_problem.h"

#include <fmt/format.h>

#include <vector>

#include "problem/formula/formula_data.h"
#include "problem/formula/sample_point.h"
#include "problem/formula/validate.h"

namespace chaosgrad::internal {
namespace {

// Where the model is tried first, always the same: the start, the medians of θ and of the noise;
// then samples.
Point try_point(const FormulaData& data, Index i) {
  Point point = sample_point(data, i);
  if (i > 0) return point;
  Matrix eta = Matrix::Constant(1, data.measure.dimension(), 0.5);
  data.measure.germ_from_uniform(eta, eta);
  data.measure.parameters_from_germ(eta, point.theta);
  point.noise.setConstant(0.5);
  if (data.noise_dimension > 0) data.fill_table(point.noise, point.table);
  point.x = between_bounds(data, data.facts.start, point.theta).transpose();
  return point;
}

}  // namespace

ExternalSizes external_sizes(const FormulaSpec& spec) {
  ExternalSizes sizes;
  for (const VariableSpec& variable : spec.variables) sizes.x += variable.start.size();
  sizes.theta = static_cast<Index>(spec.parameters.size());
  sizes.v = static_cast<Index>(spec.noise.size() + (spec.table ? spec.table->columns.size() : 0));
  return sizes;
}

ExternalProblem::ExternalProblem(const FormulaSpec& spec,
                                 std::shared_ptr<const ExternalModel> model)
    : data_(std::make_shared<const FormulaData>(spec, ObjectiveKind::external)),
      model_(std::move(model)) {}

Index ExternalProblem::dimension() const { return data_->dimension; }
const Measure& ExternalProblem::parameters() const { return data_->measure; }
Index ExternalProblem::noise_dimension() const { return data_->noise_dimension; }
const std::vector<std::string>& ExternalProblem::quantity_names() const {
  return data_->quantity_names;
}
const std::vector<std::string>& ExternalProblem::component_names() const {
  return data_->component_names;
}
const std::vector<std::string>& ExternalProblem::parameter_names() const {
  return data_->parameter_names;
}

ProblemFacts ExternalProblem::facts() const {
  ProblemFacts facts = data_->facts;
  if (data_->has_reference) facts.reference = reference_of(data_);
  facts.batch = 1;
  facts.calls = model_->parallel();
  return facts;
}

Matrix ExternalProblem::noise_values(const Block& theta, const Block& noise) const {
  const auto count = static_cast<Index>(data_->noise_numbers.size());
  Matrix v(theta.rows(), count);
  if (count == 0) return v;
  BlockOut out = v;
  data_->run(data_->noise_program, std::vector<Index>(static_cast<std::size_t>(count), 1), Matrix(),
             theta, noise, noise, out);
  return v;
}

void ExternalProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                               BlockOut g) const {
  model_->gradient(x, theta, noise_values(theta, noise), g);
}

bool ExternalProblem::has_value() const {
  const Point point = try_point(*data_, 0);
  Matrix g(1, dimension());
  gradient(point.x, point.theta, point.noise, g);  // paid once: models remember
  return model_->has_value();
}

void ExternalProblem::value(const Block& x, const Block& theta, const Block& noise,
                            BlockOut f) const {
  model_->value(x, theta, noise_values(theta, noise), f);
}

std::string ExternalProblem::explain(const Block& x, const Block& theta, const Block& noise) const {
  return model_->explain(x.row(0).transpose(), theta.row(0).transpose(),
                         noise_values(theta, noise).row(0).transpose());
}

void ExternalProblem::quantities(const Block& x, const Block& theta, const Block& noise,
                                 BlockOut values) const {
  data_->run(data_->quantity_program, data_->quantity_widths, x, theta, noise, noise, values);
}

void ExternalProblem::validate(Index points) const {
  validate_formulas(*data_, points);
  constexpr Index most_tries = 3;
  std::string first_reason;
  for (Index i = 0; i < most_tries; ++i) {
    const Point point = try_point(*data_, i);
    Matrix g(1, dimension());
    gradient(point.x, point.theta, point.noise, g);
    if (g.allFinite()) return;
    if (i == 0)
      first_reason = fmt::format("the model fails at the start, {}: {}", describe(*data_, point),
                                 explain(point.x, point.theta, point.noise));
  }
  throw InputError("objective", first_reason + "; and at two other theta as well");
}

}  // namespace chaosgrad::internal
