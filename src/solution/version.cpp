#include "chaosgrad/chaosgrad.h"

namespace chaosgrad {
using namespace internal;

std::string_view version() { return CHAOSGRAD_VERSION; }

}  // namespace chaosgrad
