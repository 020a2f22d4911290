#include "io/problem_file/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view line_at(std::string_view text, Index line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

std::string format_error(const Place& place, const std::string& message, std::string_view text) {
  std::string what = place.file;
  if (place.line > 0) what += fmt::format(":{}:{}", place.line, place.column);
  what += ": " + message;
  const std::string_view line = place.line > 0 ? line_at(text, place.line) : std::string_view{};
  if (!line.empty()) {
    what += fmt::format("\n  {}\n  {}^", line,
                        std::string(static_cast<std::size_t>(place.column - 1), ' '));
  }
  return what;
}

}  // namespace

PlacedError::PlacedError(const Place& place, const std::string& message, std::string_view text)
    : std::runtime_error(format_error(place, message, text)) {}

Place place_of(std::string_view text, std::size_t offset, const std::string& file) {
  Place place{file, 1, 1};
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!continues_character(text[i])) {
      ++place.column;
    }
  }
  return place;
}

std::size_t offset_of(std::string_view text, const Place& place) {
  std::size_t i = 0;
  for (Index line = 1; line < place.line && i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
  }
  for (Index column = 1; column < place.column && i < text.size(); ++column) {
    do {
      ++i;
    } while (i < text.size() && continues_character(text[i]));
  }
  return i;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::ostringstream content;
  content << stream.rdbuf();
  if (stream.bad())
    throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return std::move(content).str();
}

void write_flushed(const std::string& path, std::string_view content) {
  const auto fail = [&] {
    const int error = errno;
    ::unlink(path.c_str());
    throw IoError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail();
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      ::close(file);
      fail();
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool flushed = ::fsync(file) == 0;
  if (::close(file) != 0 || !flushed) fail();
}

void move_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    throw IoError(fmt::format("{}: cannot be renamed to {}: {}", from, to, std::strerror(errno)));
}

void flush_directory(const std::string& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = directory >= 0 && (::fsync(directory) == 0 || errno == EINVAL);
  const int error = errno;
  if (directory >= 0) ::close(directory);
  if (!flushed) throw IoError(fmt::format("{}: cannot be flushed: {}", path, std::strerror(error)));
}

void write_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  write_flushed(temporary, content);
  move_file(temporary, path);
}

}  // namespace chaosgrad::internal
