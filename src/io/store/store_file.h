#pragma once
// solution.h5 on disk: HDF5 behind a user block of 512 bytes that holds the checksum of the rest.
// The file before the current one is kept as solution.h5.previous, for the day that the current one
// is damaged.
#include <string>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {

// The bytes do not match their checksum: truncated, bits flipped, or not a run at all.
class DamagedError : public IoError {
  using IoError::IoError;
};

[[nodiscard]] std::string store_path(const std::string& directory);
[[nodiscard]] std::string previous_store_path(const std::string& directory);

enum class Previous { keep, forget };

// Puts the HDF5 image into place: temporary file, flush, rename. Whatever goes wrong, the file that
// was there is still there (or, between two renames, is the previous one). Throws IoError.
void write_store(const std::string& directory, const std::string& image, Previous previous);

// The same for any file with a checksum of its own, without a previous one.
void write_checked(const std::string& path, const std::string& image);

// The HDF5 image of the file at `path`. Throws DamagedError or IoError.
[[nodiscard]] std::string read_store(const std::string& path);

}  // namespace chaosgrad::internal
