#include "io/hdf5.h"

#include "chaosgrad/error.h"

namespace chaosgrad {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Result>
Result require(Result result, const std::string& path, const std::string& action) {
  if (result < 0) throw IoError(path + ": HDF5 cannot " + action);
  return result;
}

Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

hid_t open_quietly(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors become exceptions, not prints
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
}

hid_t create_quietly(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path)
    : path_(path), file_(require(create_quietly(path), path, "create the file"), H5Fclose) {}

void Hdf5Writer::write(const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                       const void* values) {
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  const Hdf5Handle space(
      shape.empty() ? H5Screate(H5S_SCALAR)
                    : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
      H5Sclose);
  const Hdf5Handle set(require(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), links.get(),
                                          H5P_DEFAULT, H5P_DEFAULT),
                               path_, "create " + name),
                       H5Dclose);
  require(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path_, "write " + name);
}

void Hdf5Writer::text(const std::string& name, const std::string& value) {
  const char* pointer = value.c_str();
  write(name, text_type().get(), {}, &pointer);
}

void Hdf5Writer::texts(const std::string& name, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  write(name, text_type().get(), {values.size()}, pointers.data());
}

void Hdf5Writer::matrix(const std::string& name, const Matrix& values) {
  const RowMajor row_by_row = values;
  write(name, H5T_NATIVE_DOUBLE,
        {static_cast<hsize_t>(values.rows()), static_cast<hsize_t>(values.cols())},
        row_by_row.data());
}

void Hdf5Writer::vector(const std::string& name, const std::vector<double>& values) {
  write(name, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
}

void Hdf5Writer::integers(const std::string& name, const std::vector<long>& values, Index rows,
                          Index columns) {
  write(name, H5T_NATIVE_LONG, {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)},
        values.data());
}

void Hdf5Writer::attribute(const std::string& name, const std::string& value) {
  const Hdf5Handle type = text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* pointer = value.c_str();
  require(H5Awrite(attribute.get(), type.get(), &pointer), path_, "write " + name);
}

void Hdf5Writer::attribute(const std::string& name, long value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(file_.get(), name.c_str(), H5T_NATIVE_LONG, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  require(H5Awrite(attribute.get(), H5T_NATIVE_LONG, &value), path_, "write " + name);
}

void Hdf5Writer::flush() { require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), path_, "flush"); }

Hdf5Reader::Hdf5Reader(const std::string& path)
    : path_(path), file_(require(open_quietly(path), path, "open the file"), H5Fclose) {}

Hdf5Handle Hdf5Reader::open(const std::string& name) const {
  return {require(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name),
          H5Dclose};
}

bool Hdf5Reader::has(const std::string& name) const {
  // Every group on the way must be there: HDF5 asks for each link in turn.
  for (std::size_t slash = name.find('/');; slash = name.find('/', slash + 1)) {
    if (H5Lexists(file_.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    if (slash == std::string::npos) return true;
  }
}

std::string Hdf5Reader::text(const std::string& name) const {
  const Hdf5Handle set = open(name), type = text_type();
  char* value = nullptr;
  require(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), path_,
          "read " + name);
  std::string result = value ? value : "";
  H5free_memory(value);
  return result;
}

std::vector<std::string> Hdf5Reader::texts(const std::string& name) const {
  const Hdf5Handle set = open(name), type = text_type(), space(H5Dget_space(set.get()), H5Sclose);
  std::vector<char*> values(static_cast<std::size_t>(
      require(H5Sget_simple_extent_npoints(space.get()), path_, "read " + name)));
  if (values.empty()) return {};
  require(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), path_,
          "read " + name);
  std::vector<std::string> result(values.begin(), values.end());
  for (char* value : values) H5free_memory(value);
  return result;
}

Matrix Hdf5Reader::matrix(const std::string& name) const {
  const Hdf5Handle set = open(name), space(H5Dget_space(set.get()), H5Sclose);
  hsize_t shape[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.get()) != 2)
    throw IoError(path_ + ": " + name + " is not a matrix");
  H5Sget_simple_extent_dims(space.get(), shape, nullptr);
  RowMajor values(static_cast<Index>(shape[0]), static_cast<Index>(shape[1]));
  require(H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          path_, "read " + name);
  return values;
}

std::vector<double> Hdf5Reader::vector(const std::string& name) const {
  const Hdf5Handle set = open(name), space(H5Dget_space(set.get()), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(
      require(H5Sget_simple_extent_npoints(space.get()), path_, "read " + name)));
  require(H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          path_, "read " + name);
  return values;
}

std::string Hdf5Reader::text_attribute(const std::string& name) const {
  const Hdf5Handle attribute(
      require(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name), H5Aclose);
  const Hdf5Handle type = text_type();
  char* value = nullptr;
  require(H5Aread(attribute.get(), type.get(), &value), path_, "read " + name);
  std::string result = value;
  H5free_memory(value);
  return result;
}

long Hdf5Reader::integer_attribute(const std::string& name) const {
  const Hdf5Handle attribute(
      require(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), path_, "find " + name), H5Aclose);
  long value = 0;
  require(H5Aread(attribute.get(), H5T_NATIVE_LONG, &value), path_, "read " + name);
  return value;
}

}  // namespace chaosgrad
