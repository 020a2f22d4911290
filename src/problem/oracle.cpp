#include <cmath>
#include <string>

#include "chaosgrad/error.h"
#include "chaosgrad/problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

template <class Facts>
void require_size(const Facts& facts, Index expected, const char* field) {
  if (static_cast<Index>(facts.size()) != expected) {
    throw InputError(field, "expected " + std::to_string(expected) + " entries, found " +
                                std::to_string(facts.size()));
  }
}

void require_positive(const std::optional<double>& value, const char* field) {
  if (value && !(*value > 0 && std::isfinite(*value))) {
    throw InputError(field, "must be a positive number, found " + std::to_string(*value));
  }
}

// name, or name[0], name[1], … if there are several.
std::vector<std::string> numbered(const std::string& name, Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i)
    names.push_back(count == 1 ? name : name + "[" + std::to_string(i) + "]");
  return names;
}

}  // namespace

void Oracle::complete() {
  const Index d = parameters_.dimension();
  if (dimension_ < 1) throw InputError("variables", "at least one variable is needed, found none");
  if (d < 1)
    throw InputError("parameters", "at least one uncertain parameter is needed, found none");
  if (noise_dimension_ < 0) throw InputError("noise", "the noise dimension must not be negative");

  if (facts_.start.size() == 0) facts_.start = Vector::Zero(dimension_);
  if (facts_.noise_axes.empty())
    facts_.noise_axes.resize(static_cast<std::size_t>(noise_dimension_));
  if (facts_.bases.empty()) {
    facts_.bases.assign(static_cast<std::size_t>(d), Family::Kind::polynomial);
  }
  if (facts_.breakpoints.empty()) facts_.breakpoints.resize(static_cast<std::size_t>(d));
  if (facts_.parameter_names.empty()) facts_.parameter_names = numbered("theta", d);
  if (facts_.variable_names.empty()) facts_.variable_names = numbered("x", dimension_);
  require_size(facts_.start, dimension_, "start");
  require_size(facts_.parameter_names, d, "parameter_names");
  require_size(facts_.variable_names, dimension_, "variable_names");
  require_size(facts_.noise_axes, noise_dimension_, "noise_axes");
  require_size(facts_.bases, d, "bases");
  require_size(facts_.breakpoints, d, "breakpoints");
  if (!call_with_known_) facts_.known.clear();
  if (facts_.row_group < 1 || block_size % facts_.row_group != 0) {
    throw InputError("row_group", "must divide " + std::to_string(block_size) + ", found " +
                                      std::to_string(facts_.row_group));
  }
  if (facts_.batch < 1 || facts_.calls < 0)
    throw InputError("batch", "must be at least 1, and calls at least 0");
  require_positive(facts_.strong_convexity, "objective.strong_convexity");
  require_positive(facts_.smoothness, "objective.smoothness");
  if (facts_.strong_convexity && facts_.smoothness &&
      *facts_.smoothness < *facts_.strong_convexity) {
    throw InputError("objective.smoothness", "must not be below strong_convexity (" +
                                                 std::to_string(*facts_.strong_convexity) +
                                                 "), found " + std::to_string(*facts_.smoothness));
  }
  if (facts_.noise_variance && !(*facts_.noise_variance >= 0)) {
    throw InputError("objective.noise_variance", "must not be negative");
  }
  if (facts_.noise_growth && !(*facts_.noise_growth >= 1)) {
    throw InputError("objective.noise_growth", "must be at least 1");
  }
  if (noise_dimension_ == 0) {  // a deterministic gradient is its own mean
    facts_.noise_variance = 0.0;
    facts_.noise_growth = 1.0;
  }
  for (Index k = 0; k < d; ++k) {
    if (facts_.bases[static_cast<std::size_t>(k)] == Family::Kind::fourier &&
        parameters_.is_correlated(k)) {
      throw InputError("basis", "a fourier basis needs a parameter without correlation");
    }
    if (!facts_.breakpoints[static_cast<std::size_t>(k)].empty() && parameters_.is_correlated(k)) {
      throw InputError("breakpoints", "breakpoints need a parameter without correlation");
    }
  }
}

}  // namespace chaosgrad
