#include "chaosgrad/error.h"
#include "io/store/hdf5.h"
#include "io/store/hdf5_parts.h"

namespace chaosgrad::internal {
namespace {

template <class Result>
Result require(Result result, const std::string& path, const std::string& action) {
  if (result < 0) throw IoError(path + ": HDF5 cannot " + action);
  return result;
}

hid_t open_image(const std::string& path, std::string_view image) {
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), 1 << 20, /*backing_store=*/0);
  // HDF5 asks for a pointer to bytes that may change, but makes a copy.
  std::string bytes(image);
  require(H5Pset_file_image(access.get(), bytes.data(), bytes.size()), path, "open the file");
  return require(H5Fopen(memory_file_name().c_str(), H5F_ACC_RDONLY, access.get()), path,
                 "open the file");
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& name, std::string_view image)
    : path_(name), file_(open_image(name, image), H5Fclose) {}

Hdf5Handle Hdf5Reader::open(const std::string& name) const {
  return {require(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name),
          H5Dclose};
}

std::size_t Hdf5Reader::count(const Hdf5Handle& set, const std::string& name) const {
  const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose);
  return static_cast<std::size_t>(
      require(H5Sget_simple_extent_npoints(space.get()), path_, "read " + name));
}

void Hdf5Reader::read(const Hdf5Handle& set, hid_t native, void* values,
                      const std::string& name) const {
  require(H5Dread(set.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path_, "read " + name);
}

bool Hdf5Reader::has(const std::string& name) const {
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    if (H5Lexists(file_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5Reader::names(const std::string& group) const {
  std::vector<std::string> result;
  if (!has(group)) return result;
  const Hdf5Handle handle(
      require(H5Gopen2(file_.get(), group.c_str(), H5P_DEFAULT), path_, "open " + group), H5Gclose);
  H5G_info_t info;
  require(H5Gget_info(handle.get(), &info), path_, "open " + group);
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name = [&](char* into, std::size_t size) {
      return require(H5Lget_name_by_idx(handle.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, into,
                                        size, H5P_DEFAULT),
                     path_, "list " + group);
    };
    std::string text(static_cast<std::size_t>(name(nullptr, 0)), '\0');
    name(text.data(), text.size() + 1);
    result.push_back(std::move(text));
  }
  return result;
}

std::string Hdf5Reader::text(const std::string& name) const {
  const Hdf5Handle set = open(name), type = hdf5_text_type();
  char* value = nullptr;
  read(set, type.get(), &value, name);
  std::string result = value ? value : "";
  H5free_memory(value);
  return result;
}

std::vector<std::string> Hdf5Reader::texts(const std::string& name) const {
  const Hdf5Handle set = open(name), type = hdf5_text_type();
  std::vector<char*> values(count(set, name));
  if (values.empty()) return {};
  read(set, type.get(), values.data(), name);
  std::vector<std::string> result;
  for (char* value : values) {
    result.emplace_back(value ? value : "");
    H5free_memory(value);
  }
  return result;
}

Coefficients Hdf5Reader::matrix(const std::string& name) const {
  const Hdf5Handle set = open(name), space(H5Dget_space(set.get()), H5Sclose);
  hsize_t shape[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.get()) != 2)
    throw IoError(path_ + ": " + name + " is not a matrix");
  H5Sget_simple_extent_dims(space.get(), shape, nullptr);
  Coefficients values(static_cast<Index>(shape[0]), static_cast<Index>(shape[1]));
  read(set, H5T_NATIVE_DOUBLE, values.data(), name);
  return values;
}

std::vector<double> Hdf5Reader::vector(const std::string& name) const {
  const Hdf5Handle set = open(name);
  std::vector<double> values(count(set, name));
  read(set, H5T_NATIVE_DOUBLE, values.data(), name);
  return values;
}

double Hdf5Reader::number(const std::string& name) const {
  const std::vector<double> values = vector(name);
  if (values.size() != 1) throw IoError(path_ + ": " + name + " is not a single number");
  return values.front();
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& name) const {
  const Hdf5Handle set = open(name);
  std::vector<std::int64_t> values(count(set, name));
  read(set, H5T_NATIVE_INT64, values.data(), name);
  return values;
}

std::int64_t Hdf5Reader::integer(const std::string& name) const {
  const std::vector<std::int64_t> values = integers(name);
  if (values.size() != 1) throw IoError(path_ + ": " + name + " is not a single number");
  return values.front();
}

std::string Hdf5Reader::text_attribute(const std::string& name) const {
  const Hdf5Handle attribute(
      require(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name), H5Aclose);
  const Hdf5Handle type = hdf5_text_type();
  char* value = nullptr;
  require(H5Aread(attribute.get(), type.get(), &value), path_, "read " + name);
  std::string result = value ? value : "";
  H5free_memory(value);
  return result;
}

std::int64_t Hdf5Reader::integer_attribute(const std::string& name) const {
  const Hdf5Handle attribute(
      require(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name), H5Aclose);
  std::int64_t value = 0;
  require(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), path_, "read " + name);
  return value;
}

}  // namespace chaosgrad::internal
