#pragma once
// The little of HDF5 that the run store needs, with handles that close themselves. Files live in
// memory here; who reads and writes them on disk is in charge of the bytes (store_file.h).
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// Owns one HDF5 identifier.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Bytes that stand before the HDF5 data of a file, free for other use (its "user block").
inline constexpr std::size_t hdf5_user_block = 512;

// Numbers are stored row by row (as h5py reads them), little-endian; texts are UTF-8. Names may be
// paths whose groups do not exist yet. The same calls give the same bytes: no time stamps.
// All throw IoError.
class Hdf5Writer {
 public:
  Hdf5Writer();
  void text(const std::string& name, const std::string& value);
  void texts(const std::string& name, const std::vector<std::string>& values);
  void matrix(const std::string& name, const Coefficients& values);
  void vector(const std::string& name, const std::vector<double>& values);
  void number(const std::string& name, double value);
  void integer(const std::string& name, std::int64_t value);
  void integers(const std::string& name, const std::vector<std::int64_t>& values);
  void integers(const std::string& name, const std::vector<std::int64_t>& values, Index rows,
                Index columns);
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);
  // The file, to stand behind a user block.
  [[nodiscard]] std::string image() const;

 private:
  void write(const std::string& name, hid_t stored, hid_t native, const std::vector<hsize_t>& shape,
             const void* values);
  Hdf5Handle file_;
};

// `name` is for messages; `image` as Hdf5Writer gave it.
class Hdf5Reader {
 public:
  Hdf5Reader(const std::string& name, std::string_view image);
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names(const std::string& group) const;  // sorted
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] Coefficients matrix(const std::string& name) const;
  [[nodiscard]] std::vector<double> vector(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;  // any shape
  [[nodiscard]] std::string text_attribute(const std::string& name) const;
  [[nodiscard]] std::int64_t integer_attribute(const std::string& name) const;

 private:
  [[nodiscard]] Hdf5Handle open(const std::string& name) const;
  [[nodiscard]] std::size_t count(const Hdf5Handle& set, const std::string& name) const;
  void read(const Hdf5Handle& set, hid_t native, void* values, const std::string& name) const;
  std::string path_;
  Hdf5Handle file_;
};

}  // namespace chaosgrad::internal
