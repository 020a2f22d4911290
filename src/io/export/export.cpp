#include "chaosgrad/io.h"
#include "io/export/evaluator.h"
#include "io/export/export_text.h"
#include "io/record.h"

namespace chaosgrad {
using namespace internal;

std::string export_source(const Solution& solution, Language language, const Labels& labels) {
  Labels named = labels;
  named.quantities.clear();
  const Record record = record_of(solution, named);
  named = record.labels;
  named.title = record.title();
  const Evaluator parts = make_evaluator(solution.expansion);
  return language == Language::c ? export_c(named, parts) : export_python(named, parts);
}

}  // namespace chaosgrad
