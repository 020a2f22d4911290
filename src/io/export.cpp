#include "chaosgrad/export.h"

#include "io/evaluator.h"
#include "io/export_text.h"

namespace chaosgrad {

std::string export_source(const StoredRun& run, Language language) {
  const Evaluator parts = make_evaluator(run.expansion);
  return language == Language::c ? export_c(run, parts) : export_python(run, parts);
}

}  // namespace chaosgrad
