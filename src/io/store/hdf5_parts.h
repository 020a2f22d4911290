#pragma once
// What reading and writing HDF5 share.
#include <atomic>
#include <string>

#include "io/store/hdf5.h"

namespace chaosgrad::internal {

// Errors become exceptions, not prints.
inline void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// A name for a file in memory. HDF5 takes two open files of the same name for one, and refuses a
// name that is on disk: this one is new each time and can be on no disk.
inline std::string memory_file_name() {
  static std::atomic<unsigned long> count = 0;
  return "/dev/null/chaosgrad-" + std::to_string(++count);
}

inline Hdf5Handle hdf5_text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace chaosgrad::internal
