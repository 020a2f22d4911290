#pragma once
// The [solve] section.
#include "chaosgrad/options.h"
#include "io/problem_file/toml_document.h"

namespace chaosgrad::internal {

[[nodiscard]] Options read_options(TomlDocument& document);

}  // namespace chaosgrad::internal
