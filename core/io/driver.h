// The file driver through which HDF5 reads and writes a Disk.
#pragma once
#include "core/io/disk.h"
#include "core/io/hdf5_id.h"

namespace luth::io::h5 {

/// A file access property list that opens `disk`, whatever name H5Fopen is given. The library must be held.
Id access_to(Disk& disk);

}  // namespace luth::io::h5
