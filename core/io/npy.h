// NumPy's .npy (one array) and .npz (a zip archive of arrays).
#pragma once
#include <string>
#include <string_view>

#include "core/io/load_options.h"
#include "core/io/tree.h"

namespace luth::io {

/// `root` is a tensor. Replaces the file in one step. NumPy has no bfloat16, which is refused.
void save_npy(const Item& root, const std::string& path);
/// `root` is a table of tensors under string keys; stored without packing, as numpy.savez does; at most 4 GB.
void save_npz(const Item& root, const std::string& path);
/// Throw ErrorCode::checkpoint for files that are damaged, cut short or hold what luth has no dtype for, such as
/// objects, which NumPy would have to execute. An array in Fortran's order gives a tensor with such strides.
Item load_npy(const std::string& path, Device* map_location = nullptr);
/// The array of the bytes of a .npy file; `name` is the file's, for messages.
Tensor parse_npy(std::string_view bytes, const std::string& name);
Item load_npz(const std::string& path, const LoadOptions& options = {});

}  // namespace luth::io
