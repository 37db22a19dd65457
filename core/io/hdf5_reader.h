// Reads what an HDF5 file holds. libhdf5 has no defence against crafted metadata, so this runs in a process of its own
// unless the user trusts the file.
#pragma once
#include "core/io/description.h"
#include "core/io/disk.h"

namespace luth::io {

/// The tree of the HDF5 file `disk`, in which arrays are descriptions. Contiguous little-endian arrays stay in the
/// file; the elements of all others are written to `unpacked`, at most `most_unpacked` bytes. `sealed`: the file's own
/// seal has been checked. Throws ErrorCode::checkpoint, naming file and object.
Item describe(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, uint64_t most_unpacked);

}  // namespace luth::io
