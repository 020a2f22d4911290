#include <algorithm>

#include "chaosgrad/error.h"
#include "io/store/hdf5.h"
#include "io/store/hdf5_parts.h"

namespace chaosgrad::internal {
namespace {

template <class Result>
Result require(Result result, const std::string& action) {
  if (result < 0) throw IoError("HDF5 cannot " + action);
  return result;
}

hid_t create_in_memory() {
  silence_hdf5();
  constexpr std::size_t increment = 1 << 20;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose),
      creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_fapl_core(access.get(), increment, /*backing_store=*/0);
  H5Pset_userblock(creation.get(), hdf5_user_block);
  return require(H5Fcreate(memory_file_name().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()),
                 "create a file");
}

// Indices of functions of many parameters are nearly all zeros: 2,000 of 2,000 parameters take 32 MB
// as they are.
void compress_if_large(const std::vector<hsize_t>& shape, hid_t creation) {
  constexpr hsize_t large = 1 << 16, chunk_numbers = 1 << 17;
  constexpr unsigned fastest = 1;
  hsize_t row = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) row *= shape[k];
  if (shape[0] * row < large || H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) return;
  std::vector<hsize_t> chunk = shape;
  chunk[0] = std::clamp<hsize_t>(chunk_numbers / row, 1, shape[0]);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_deflate(creation, fastest);
}

}  // namespace

Hdf5Writer::Hdf5Writer() : file_(create_in_memory(), H5Fclose) {}

void Hdf5Writer::write(const std::string& name, hid_t stored, hid_t native,
                       const std::vector<hsize_t>& shape, const void* values) {
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
      creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  H5Pset_obj_track_times(creation.get(), 0);
  if (native == H5T_NATIVE_INT64 && !shape.empty()) compress_if_large(shape, creation.get());
  const Hdf5Handle space(
      shape.empty() ? H5Screate(H5S_SCALAR)
                    : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
      H5Sclose);
  const Hdf5Handle set(require(H5Dcreate2(file_.get(), name.c_str(), stored, space.get(),
                                          links.get(), creation.get(), H5P_DEFAULT),
                               "create " + name),
                       H5Dclose);
  require(H5Dwrite(set.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write " + name);
}

void Hdf5Writer::text(const std::string& name, const std::string& value) {
  const char* pointer = value.c_str();
  const Hdf5Handle type = hdf5_text_type();
  write(name, type.get(), type.get(), {}, &pointer);
}

void Hdf5Writer::texts(const std::string& name, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  const Hdf5Handle type = hdf5_text_type();
  write(name, type.get(), type.get(), {values.size()}, pointers.data());
}

void Hdf5Writer::matrix(const std::string& name, const Coefficients& values) {
  write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
        {static_cast<hsize_t>(values.rows()), static_cast<hsize_t>(values.cols())}, values.data());
}

void Hdf5Writer::vector(const std::string& name, const std::vector<double>& values) {
  write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
}

void Hdf5Writer::number(const std::string& name, double value) {
  write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &value);
}

void Hdf5Writer::integer(const std::string& name, std::int64_t value) {
  write(name, H5T_STD_I64LE, H5T_NATIVE_INT64, {}, &value);
}

void Hdf5Writer::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  write(name, H5T_STD_I64LE, H5T_NATIVE_INT64, {values.size()}, values.data());
}

void Hdf5Writer::integers(const std::string& name, const std::vector<std::int64_t>& values,
                          Index rows, Index columns) {
  write(name, H5T_STD_I64LE, H5T_NATIVE_INT64,
        {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)}, values.data());
}

void Hdf5Writer::attribute(const std::string& name, const std::string& value) {
  const Hdf5Handle type = hdf5_text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* pointer = value.c_str();
  require(H5Awrite(attribute.get(), type.get(), &pointer), "write " + name);
}

void Hdf5Writer::attribute(const std::string& name, std::int64_t value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(file_.get(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  require(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), "write " + name);
}

std::string Hdf5Writer::image() const {
  require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "finish the file");
  const ssize_t size = require(H5Fget_file_image(file_.get(), nullptr, 0), "finish the file");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  require(H5Fget_file_image(file_.get(), bytes.data(), bytes.size()), "finish the file");
  return bytes;
}

}  // namespace chaosgrad::internal
