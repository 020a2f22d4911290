#include "io/store/store_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "io/problem_file/source.h"
#include "io/store/hdf5.h"
#include "io/store/sha256.h"

namespace chaosgrad::internal {
namespace {

// The user block: text for whoever looks into the file, filled up with line ends.
std::string user_block(std::string_view image) {
  std::string text = fmt::format(
      "chaosgrad run: an HDF5 file behind these {} bytes\n"
      "sha256 of what is behind them: {}\n",
      hdf5_user_block, sha256(image));
  text.resize(hdf5_user_block, '\n');
  return text;
}

}  // namespace

std::string store_path(const std::string& directory) { return directory + "/solution.h5"; }

std::string previous_store_path(const std::string& directory) {
  return store_path(directory) + ".previous";
}

void write_store(const std::string& directory, const std::string& image, Previous previous) {
  const std::string path = store_path(directory), before = previous_store_path(directory);
  const std::string fresh = path + ".tmp";
  std::error_code error;
  try {
    write_flushed(fresh, user_block(image) + image);
  } catch (const IoError& failure) {
    if (!std::filesystem::exists(path, error)) throw;
    throw IoError(fmt::format("{}; {} is as it was before", failure.what(), path));
  }
  if (previous == Previous::forget) {
    std::filesystem::remove(before, error);
  } else if (std::filesystem::exists(path, error)) {
    move_file(path, before);
  }
  move_file(fresh, path);
  flush_directory(directory);
}

void write_checked(const std::string& path, const std::string& image) {
  write_file(path, user_block(image) + image);
}

std::string read_store(const std::string& path) {
  std::string bytes = read_file(path);
  const std::string_view all = bytes;
  if (all.size() <= hdf5_user_block ||
      all.substr(0, hdf5_user_block) != user_block(all.substr(hdf5_user_block))) {
    throw DamagedError(fmt::format(
        "{}: damaged, or not a chaosgrad run: its content does not match its checksum", path));
  }
  bytes.erase(0, hdf5_user_block);
  return bytes;
}

}  // namespace chaosgrad::internal
