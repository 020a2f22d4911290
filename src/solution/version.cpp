#include "chaosgrad/version.h"

namespace chaosgrad {

std::string_view version() { return CHAOSGRAD_VERSION; }

}  // namespace chaosgrad
