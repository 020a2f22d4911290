#include "numeric/instantiations.h"

CHAOSGRAD_INSTANTIATIONS(template);
