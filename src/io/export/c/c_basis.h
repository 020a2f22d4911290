#pragma once
// The functions ψ_i(η(θ)) in C: tables, families, germs, and the calls that fill the tables of values.
#include "io/export/export_text.h"

namespace chaosgrad::internal {

inline constexpr ListStyle braces{"{", "}", "HUGE_VAL"};

// Text that cannot end a comment.
[[nodiscard]] std::string c_comment(std::string text);

// Which values each function is a product of, the coefficients, the support, families and germs.
[[nodiscard]] std::string c_tables(const Evaluator& parts);
// Inside of a function of theta: declarations, and statements that fill p and dp.
[[nodiscard]] std::string c_value_declarations(const Evaluator& parts);
[[nodiscard]] std::string c_value_statements(const Evaluator& parts);

// A scale of zero is that of an output that is always zero: any number will do.
[[nodiscard]] Vector positive_scale(const Vector& scale);

}  // namespace chaosgrad::internal
