#include "io/export/export.h"

#include "io/export/evaluator.h"
#include "io/export/export_text.h"

namespace chaosgrad::internal {

std::string export_source(const StoredRun& run, Language language) {
  const Evaluator parts = make_evaluator(run.expansion);
  return language == Language::c ? export_c(run, parts) : export_python(run, parts);
}

}  // namespace chaosgrad::internal
