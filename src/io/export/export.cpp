#include <algorithm>

#include "chaosgrad/error.h"
#include "chaosgrad/io.h"
#include "io/export/evaluator.h"
#include "io/export/export_text.h"
#include "io/record.h"

namespace chaosgrad {
using namespace internal;

std::string internal::closed_form_code(const std::vector<EvaluatorScore>& scores,
                                       std::span<const LawCode> codes, std::string_view common,
                                       std::string_view language) {
  std::string text, needed;
  const auto is_used = [&](const LawCode& law) {
    return std::any_of(scores.begin(), scores.end(), [&](const EvaluatorScore& score) {
      return score.kind == EvaluatorScore::Kind::closed_form && score.name == law.name;
    });
  };
  for (const LawCode& law : codes) {
    if (!is_used(law)) continue;
    if (law.needs && needed.find(law.needs) == std::string::npos) needed += law.needs;
    text += law.code;
  }
  for (const EvaluatorScore& score : scores) {
    if (score.kind != EvaluatorScore::Kind::closed_form) continue;
    if (std::ranges::find(codes, score.name, &LawCode::name) == codes.end()) {
      throw InputError("export", fmt::format("the {} distribution under a copula has no code in {}",
                                             score.name, language));
    }
  }
  return text.empty() ? text : std::string(common) + needed + text;
}

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
