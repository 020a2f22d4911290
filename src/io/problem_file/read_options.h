#pragma once
// The [solve] section.
#include "chaosgrad/options.h"
#include "io/problem_file/toml_document.h"

namespace chaosgrad::internal {

[[nodiscard]] Options read_options(TomlDocument& document);

// Options beside the sections instead of in [solve], as --set method=gd puts them.
void refuse_stray_options(const TomlDocument& document);

}  // namespace chaosgrad::internal
