// PyTorch's files, as torch.save writes them since version 1.6: a zip archive with a pickle and the elements of
// tensors.
#pragma once
#include <string>

#include "core/io/load_options.h"
#include "core/io/tree.h"

namespace luth::io {

/// Nothing is executed: tensors, parameters, numbers, strings, None, lists, tuples (as lists), dicts. Tensors that
/// share memory in the file share it. Tensors that required a gradient and parameters require one. A dtype or a device
/// is its text, a torch.Size a list. Throws ErrorCode::checkpoint for all else, by name, and for a file that is
/// damaged.
Item load_pth(const std::string& path, const LoadOptions& options = {});

}  // namespace luth::io
