#include "solution/labels.h"

#include <fmt/format.h>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

void complete(std::vector<std::string>& names, const char* what, const char* letter, Index count) {
  if (names.empty()) {
    for (Index i = 0; i < count; ++i)
      names.push_back(count == 1 ? letter : fmt::format("{}[{}]", letter, i));
  }
  if (static_cast<Index>(names.size()) == count) return;
  throw InputError("labels",
                   fmt::format("expected {} names of {}, found {}", count, what, names.size()));
}

}  // namespace

Labels completed(Labels labels, const Expansion& expansion) {
  complete(labels.parameters, "parameters", "theta", expansion.measure().dimension());
  complete(labels.variables, "variables", "x", expansion.coefficients().cols());
  return labels;
}

}  // namespace chaosgrad::internal
