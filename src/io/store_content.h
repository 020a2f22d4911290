#pragma once
// What a store holds, as HDF5: docs/run-format.md.
#include "chaosgrad/run_store.h"

namespace chaosgrad {

[[nodiscard]] std::string write_content(const ProblemFile& file, const Solution& solution,
                                        const std::string& summary);
// `path` is for messages. Throws IoError.
[[nodiscard]] StoredRun read_content(const std::string& path, const std::string& image);

}  // namespace chaosgrad
