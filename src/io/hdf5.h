#pragma once
// The little of HDF5 that the run store needs, with handles that close themselves.
#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

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

// Numbers are stored row by row (as h5py reads them); texts are UTF-8. Paths may name groups that
// do not exist yet. All throw IoError.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  void text(const std::string& name, const std::string& value);
  void texts(const std::string& name, const std::vector<std::string>& values);
  void matrix(const std::string& name, const Matrix& values);
  void vector(const std::string& name, const std::vector<double>& values);
  void integers(const std::string& name, const std::vector<long>& values, Index rows,
                Index columns);
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, long value);
  void flush();

 private:
  void write(const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
             const void* values);
  std::string path_;
  Hdf5Handle file_;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] Matrix matrix(const std::string& name) const;
  [[nodiscard]] std::vector<double> vector(const std::string& name) const;
  [[nodiscard]] std::string text_attribute(const std::string& name) const;
  [[nodiscard]] long integer_attribute(const std::string& name) const;

 private:
  [[nodiscard]] Hdf5Handle open(const std::string& name) const;
  std::string path_;
  Hdf5Handle file_;
};

}  // namespace chaosgrad
