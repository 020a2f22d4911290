#pragma once
// A solution as a source file of its own: x*(θ) and dx*/dθ in C or Python, without any dependency,
// and with a test of itself.
#include <string>

#include "io/store/run_store.h"

namespace chaosgrad::internal {

enum class Language { c, python };

// Throws InputError if there is no source text for one of the distributions (under a copula only).
[[nodiscard]] std::string export_source(const StoredRun& run, Language language);

}  // namespace chaosgrad::internal
