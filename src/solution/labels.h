#pragma once
// Names for what has none.
#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// The labels with a name for every parameter and component. Throws InputError("labels", …) if a
// list is there, but not of the right length.
[[nodiscard]] Labels completed(Labels labels, const Expansion& expansion);

}  // namespace chaosgrad::internal
