#pragma once
// The [solve] section.
#include "chaosgrad/options.h"
#include "io/toml_document.h"

namespace chaosgrad {

[[nodiscard]] Options read_options(TomlDocument& document);

}  // namespace chaosgrad
