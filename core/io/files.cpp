#include "core/io/files.h"

#include <algorithm>

#include "core/io/checkpoint.h"
#include "core/io/npy.h"
#include "core/io/pth.h"
#include "core/io/safetensors.h"
#include "core/io/zip.h"

namespace luth::io {
namespace {

// An archive of arrays, not one of PyTorch's.
bool is_npz(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  for (const ZipEntry& e : zip_entries(disk, path))
    if (!e.name.ends_with(".npy")) return false;
  return true;
}

}  // namespace

void save(const Item& root, const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (lower.ends_with(".safetensors")) return save_safetensors(root, path);
  if (lower.ends_with(".npy")) return save_npy(root, path);
  if (lower.ends_with(".npz")) return save_npz(root, path);
  save_file(root, path);
}

Item load(const std::string& path, const LoadOptions& options) {
  Device* const map_location = options.map_location;
  std::string start;
  {
    Disk disk = Disk::open(path, ErrorCode::checkpoint);
    start.resize(std::min<uint64_t>(9, disk.size()));
    disk.read(start.data(), start.size(), 0);
  }
  if (start.starts_with("\x93NUMPY")) return load_npy(path, map_location);
  if (start.starts_with("PK")) return is_npz(path) ? load_npz(path, map_location) : load_pth(path, map_location);
  if (start.starts_with("\x80\x02"))  // a bare pickle
    throw Error(ErrorCode::checkpoint,
                "cannot use '{}': it is in PyTorch's format before version 1.6; convert it in Python: "
                "torch.save(torch.load('old.pth', weights_only=True), 'new.pth')",
                path);
  // the upper bytes of the header's length, and its brace
  if (start.size() == 9 && start[8] == '{' && !start[5] && !start[6] && !start[7])
    return load_safetensors(path, map_location);
  return load_file(path, options);
}

}  // namespace luth::io
