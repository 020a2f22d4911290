#pragma once
// Numbers as source text, shared by the languages.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "chaosgrad/io.h"
#include "io/export/evaluator.h"
#include "io/store/run_store.h"

namespace chaosgrad::internal {

[[nodiscard]] std::string export_c(const Labels& labels, const Evaluator& parts);
[[nodiscard]] std::string export_python(const Labels& labels, const Evaluator& parts);
// For constrained solutions: with P, and multipliers.
[[nodiscard]] std::string export_c_lifted(const Labels& labels, const Evaluator& parts);

// The code that scores parameters of one distribution under a copula, and what it needs.
struct LawCode {
  const char *name, *needs, *code;
};

// The code of the closed forms that occur, behind `common`; nothing if there are none. Throws
// InputError("export", …) for a distribution without code in this language.
[[nodiscard]] std::string closed_form_code(const std::vector<EvaluatorScore>& scores,
                                           std::span<const LawCode> codes, std::string_view common,
                                           std::string_view language);

// Lists in brackets, 17 digits: {1, 2} or [1, 2].
struct ListStyle {
  const char *open, *close;
  const char* infinite;  // how the language writes infinity

  template <class Range>
  [[nodiscard]] std::string list(const Range& values) const {
    return fmt::format("{}{}{}", open, fmt::join(values.begin(), values.end(), ", "), close);
  }
  template <class Range>
  [[nodiscard]] std::string numbers(const Range& values) const {
    std::string text = open;
    for (const double value : values)
      text += std::isinf(value) ? fmt::format("{}{}, ", value < 0 ? "-" : "", infinite)
                                : fmt::format("{:.17g}, ", value);
    if (text.ends_with(", ")) text.resize(text.size() - 2);
    return text + close;
  }
  // One row per line.
  [[nodiscard]] std::string rows(const Matrix& matrix) const {
    std::string text = open;
    for (Index i = 0; i < matrix.rows(); ++i) {
      const Vector row = matrix.row(i).transpose();
      text += (i > 0 ? ",\n  " : "\n  ") + numbers(row);
    }
    return text + "\n" + close;
  }
};

}  // namespace chaosgrad::internal
