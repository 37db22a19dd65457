// Trees of values in HDF5 files, sealed and replaced in one step. The layout is written down in
// share/doc/checkpoint.md. Safe from several threads; HDF5's one mutex is held for the length of a call.
#pragma once
#include <string>

#include "core/io/load_options.h"
#include "core/io/seal.h"
#include "core/io/tree.h"

namespace luth::io {

/// Writes `root` as the file `path`, which holds the old contents or all of the new ones whatever happens. Tensors may
/// be of any device with data and any strides; those that share their memory exactly are written once and stay tied.
/// Throws ErrorCode::runtime, naming file and place, for a full disk and the like and for a tree that cannot be
/// written.
void save_file(const Item& root, const std::string& path);

/// As save_file to dir/last.h5; the file that was there becomes dir/prev.h5. At every moment last.h5 is whole.
void save_rotating(const Item& root, const std::string& dir);

/// Reads a file of save_file, or of h5py, into tensors. Throws ErrorCode::checkpoint, naming file and object, for a
/// file that is missing, cut short, changed, or that holds what luth does not read. HDF5 itself is parsed in a process
/// of its own (core/io/hdf5_child.h) unless the options say that the file is trusted.
Item load_file(const std::string& path, const LoadOptions& options = {});

/// The seal of a file and whether it holds. Throws ErrorCode::checkpoint when the file cannot be read.
Seal inspect(const std::string& path);
/// Whether the description that a file stores, if any, is what a reader of its HDF5 says. Throws as load_file.
bool is_described_well(const std::string& path);

}  // namespace luth::io
