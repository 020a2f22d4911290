#pragma once
// What a store holds, as HDF5: docs/run-format.md.
#include "io/store/run_store.h"

namespace chaosgrad::internal {

[[nodiscard]] std::string write_content(const Record& record, const std::string& summary);
// `path` is for messages; `constraints` are those of a problem that is C++ code, or null. Throws
// IoError.
[[nodiscard]] StoredRun read_content(const std::string& path, const std::string& image,
                                     std::shared_ptr<const Constraints> constraints);

}  // namespace chaosgrad::internal
