#include "io/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "constraint/projection.h"
#include "solution/labels.h"

namespace chaosgrad::internal {

std::string Record::title() const {
  if (!labels.title.empty()) return labels.title;
  return source ? std::filesystem::path(source->name).filename().string() : "a chaosgrad solution";
}

Record record_of(const Solution& solution, const Labels& labels, const Quantities& quantities) {
  Labels all = completed(labels, solution.expansion);
  if (static_cast<Index>(all.quantities.size()) != quantities.count) {
    throw InputError("labels", fmt::format("expected {} names of quantities, found {}",
                                           quantities.count, all.quantities.size()));
  }
  return {.solution = solution, .labels = std::move(all), .quantities = quantities};
}

Labels labels_of(const ProblemFile& file) {
  return {.title = file.title,
          .parameters = file.problem.parameter_names(),
          .variables = file.problem.component_names(),
          .quantities = file.problem.quantity_names()};
}

namespace {

// Terms of the objective with kinks are no part of F but rows of the constraints, already summed over
// the noise.
std::function<void(Block, Block, BlockOut)> kinks_of(
    const std::shared_ptr<const Constraints>& constraints) {
  if (!constraints || !constraints->has_kinks()) return {};
  return [constraints](Block x, Block theta, BlockOut values) {
    values.col(0) += kinks_at(*constraints, theta, x);
  };
}

}  // namespace

Record record_of(const Solution& solution, const ProblemFile& file) {
  Record record{.solution = solution, .labels = labels_of(file), .source = &file.source};
  const AnyProblem& problem = file.problem;
  const ProblemFacts facts = problem.facts();
  // An instruction of a formula works on up to all components of x.
  constexpr double unknown_operations = 1e5;  // of a coded problem: a linear system, say
  const double operations = facts.operations
                                ? *facts.operations * static_cast<double>(problem.dimension())
                                : unknown_operations;
  record.quantities = {
      .count = static_cast<Index>(record.labels.quantities.size()),
      .noise_dimension = problem.noise_dimension(),
      .evaluate = [&](Block x, Block theta, Block noise,
                      BlockOut values) { problem.quantities(x, theta, noise, values); },
      .noise_axes = facts.noise_axes,
      .operations = operations};
  const std::vector<std::string>& names = record.labels.quantities;
  const bool named = std::find(names.begin(), names.end(), "objective") != names.end();
  // Values of a model that runs elsewhere have their price: thousands of them are not asked for.
  if (!problem.is_external() && problem.has_value() && !named) {
    record.objective = {
        .count = 1,
        .noise_dimension = problem.noise_dimension(),
        .evaluate = [&](Block x, Block theta, Block noise,
                        BlockOut values) { problem.value(x, theta, noise, values); },
        .noiseless = kinks_of(facts.constraints),
        .noise_axes = facts.noise_axes,
        .operations = operations};
  }
  return record;
}

NamedQuantities named_quantities(const Record& record) {
  const Quantities &objective = record.objective, &others = record.quantities;
  NamedQuantities result{.names = record.labels.quantities, .functions = {}};
  if (objective.count > 0) result.names.insert(result.names.begin(), "objective");
  result.functions = {
      .count = objective.count + others.count,
      .noise_dimension = std::max(objective.noise_dimension, others.noise_dimension),
      .evaluate =
          [objective, others](Block x, Block theta, Block noise, BlockOut values) {
            if (objective.count > 0) objective.evaluate(x, theta, noise, values.leftCols(1));
            if (others.count > 0) others.evaluate(x, theta, noise, values.rightCols(others.count));
          },
      .noiseless = objective.noiseless,  // in the first column
      .noise_axes = objective.count > 0 ? objective.noise_axes : others.noise_axes,
      .operations = (objective.count > 0 ? objective.operations : 0) +
                    (others.count > 0 ? others.operations : 0)};
  return result;
}

}  // namespace chaosgrad::internal
