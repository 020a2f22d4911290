#pragma once
// Texts, places in them, and files.
#include <string>
#include <string_view>

#include "io/problem_file/problem_file.h"

namespace chaosgrad::internal {

// The place of byte `offset` in `text`.
[[nodiscard]] Place place_of(std::string_view text, std::size_t offset, const std::string& file);
// The byte offset of a place.
[[nodiscard]] std::size_t offset_of(std::string_view text, const Place& place);

// Throws IoError.
[[nodiscard]] std::string read_file(const std::string& path);
// Temporary file, flush, rename: never leaves half a file. Throws IoError.
void write_file(const std::string& path, std::string_view content);

// The steps of it. A file that cannot be written whole is removed; a directory is flushed so that
// the names in it survive a power cut (where the file system cannot, that is no error).
void write_flushed(const std::string& path, std::string_view content);
void move_file(const std::string& from, const std::string& to);
void flush_directory(const std::string& path);

}  // namespace chaosgrad::internal
