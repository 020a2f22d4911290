#pragma once
// What reading and writing HDF5 share.
#include "io/hdf5.h"

namespace chaosgrad {

// Errors become exceptions, not prints.
inline void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

inline Hdf5Handle hdf5_text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace chaosgrad
