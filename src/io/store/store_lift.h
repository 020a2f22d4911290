#pragma once
// The lift of a constrained solution in a store: its metric, and its constraints as far as they can
// be written down.
#include <memory>

#include "chaosgrad/lift.h"
#include "chaosgrad/measure.h"
#include "io/store/hdf5.h"

namespace chaosgrad::internal {

void write_lift(Hdf5Writer& store, const Measure& measure, const Lift& lift);

// Null where there is none. `constraints`: those of the problem, where it is at hand; else they are
// read, and an IoError says so if they are C++ code. `path` is for messages.
[[nodiscard]] std::shared_ptr<const Lift> read_lift(const Hdf5Reader& store, const Measure& measure,
                                                    std::shared_ptr<const Constraints> constraints,
                                                    const std::string& path);

}  // namespace chaosgrad::internal
