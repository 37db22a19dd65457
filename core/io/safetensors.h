// .safetensors (https://huggingface.co/docs/safetensors): the length of a JSON header, the header, the elements.
#pragma once
#include <string>

#include "core/io/load_options.h"
#include "core/io/tree.h"

namespace luth::io {

/// `root` is one table of tensors under string keys; replaces the file in one step. Tied tensors are written twice.
void save_safetensors(const Item& root, const std::string& path);
/// A Map in the order of the file; what the header says in `__metadata__` is left out. Throws ErrorCode::checkpoint for
/// a header that does not fit the file, byte for byte.
Item load_safetensors(const std::string& path, const LoadOptions& options = {});

}  // namespace luth::io
