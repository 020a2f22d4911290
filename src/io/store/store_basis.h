#pragma once
// A basis in a store: the families by their recurrences, as far as the indices reach.
#include "chaosgrad/basis.h"
#include "chaosgrad/measure.h"
#include "io/store/hdf5.h"

namespace chaosgrad::internal {

// `folder` is empty, or ends with a slash. The first m functions are stored.
void write_basis(Hdf5Writer& store, const std::string& folder, const Measure& measure,
                 const Basis& basis, Index m);
[[nodiscard]] Basis read_basis(const Hdf5Reader& store, const std::string& folder,
                               const Measure& measure);

}  // namespace chaosgrad::internal
