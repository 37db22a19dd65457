// torch.save and torch.load: the format by the suffix when writing, by the contents when reading.
#pragma once
#include <string>

#include "core/io/load_options.h"
#include "core/io/tree.h"

namespace luth::io {

/// .safetensors, .npy and .npz by their suffix, in any case of letters; every other name is a checkpoint (HDF5). The
/// old file stays whatever goes wrong. `metadata`: texts that .safetensors alone has; other formats refuse them.
void save(const Item& root, const std::string& path, const Map& metadata = {});
/// Throws ErrorCode::checkpoint for a file that cannot be used.
Item load(const std::string& path, const LoadOptions& options = {});
/// The texts of a .safetensors file beside its tensors; empty for the other formats. Throws as load().
Map metadata(const std::string& path);

}  // namespace luth::io
