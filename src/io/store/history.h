#pragma once
// The history of a run as columns: in HDF5 to read back, in CSV to look at.
#include "chaosgrad/solution.h"
#include "io/store/hdf5.h"

namespace chaosgrad::internal {

void write_history(Hdf5Writer& store, const std::vector<IterationRecord>& history);
[[nodiscard]] std::vector<IterationRecord> read_history(const Hdf5Reader& store);
[[nodiscard]] std::string history_csv(const std::vector<IterationRecord>& history, bool bounds);

}  // namespace chaosgrad::internal
