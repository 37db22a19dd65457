// .safetensors (https://huggingface.co/docs/safetensors): the length of a JSON header, the header, the elements.
#pragma once
#include <string>

#include "core/io/load_options.h"
#include "core/io/tree.h"

namespace luth::io {

/// `root` is one table of tensors under string keys; replaces the file in one step. Tied tensors are written twice.
/// `metadata`: texts under string keys, the header's `__metadata__`.
void save_safetensors(const Item& root, const std::string& path, const Map& metadata = {});
/// A Map in the order of the file, without the metadata. Throws ErrorCode::checkpoint for a header that does not fit
/// the file, byte for byte.
Item load_safetensors(const std::string& path, const LoadOptions& options = {});
/// The texts of `__metadata__`; empty where there is none. Throws as loading does, and above 64 MiB of them.
Map safetensors_metadata(const std::string& path);

}  // namespace luth::io
