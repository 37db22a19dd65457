// Files of HDF5 1.12 to 2.0, read by libhdf5 1.10.
#pragma once
#include <string>

namespace luth::io::h5 {

/// "1.10.8": of the libhdf5 that luth is linked with. It starts nothing.
std::string version();

/// Lets libhdf5 1.10.8 and later of 1.10 read what libver = 'latest' of later versions writes: enumerations (h5py's
/// booleans) of version 4 and 5, and the indices of packed chunks of HDF5 2.0. Once, before the first file is opened;
/// it changes nothing where the library is another one, or is not laid out as expected.
void read_newer_files();

}  // namespace luth::io::h5
