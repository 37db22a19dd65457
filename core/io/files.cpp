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
bool is_npz(Disk& disk, const std::string& path, uint64_t max_bytes) {
  for (const ZipEntry& e : zip_entries(disk, path, max_bytes))
    if (!e.name.ends_with(".npy")) return false;
  return true;
}

// The first bytes: as many as tell the formats apart.
std::string start_of(Disk& disk) {
  std::string start(std::min<uint64_t>(9, disk.size()), '\0');
  disk.read(start.data(), start.size(), 0);
  return start;
}

// The upper bytes of the header's length, and its brace.
bool is_safetensors(const std::string& start) {
  return start.size() == 9 && start[8] == '{' && !start[5] && !start[6] && !start[7];
}

}  // namespace

void save(const Item& root, const std::string& path, const Map& metadata) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (lower.ends_with(".safetensors")) return save_safetensors(root, path, metadata);
  if (!metadata.empty()) throw Error("cannot save '{}': .safetensors alone holds metadata", path);
  if (lower.ends_with(".npy")) return save_npy(root, path);
  if (lower.ends_with(".npz")) return save_npz(root, path);
  save_file(root, path);
}

Item load(const std::string& path, const LoadOptions& options) {
  Device* const map_location = options.map_location;
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  const std::string start = start_of(disk);
  const bool safetensors = is_safetensors(start);
  if (options.mmap && !safetensors)
    throw Error(ErrorCode::checkpoint, "cannot use '{}': mmap = true is for .safetensors files", path);
  if (start.starts_with("PK"))
    return is_npz(disk, path, options.max_bytes) ? load_npz(path, options) : load_pth(path, options);
  const bool npy = start.starts_with("\x93NUMPY");
  if ((safetensors || npy) && options.max_bytes && disk.size() > options.max_bytes)
    throw Error(ErrorCode::checkpoint, "cannot use '{}': it has {} bytes, more than max_bytes = {}", path, disk.size(),
                options.max_bytes);
  if (safetensors) return load_safetensors(path, options);
  if (npy) return load_npy(path, map_location);
  if (start.starts_with("\x80\x02"))  // a bare pickle
    throw Error(ErrorCode::checkpoint,
                "cannot use '{}': it is in PyTorch's format before version 1.6; convert it in Python: "
                "torch.save(torch.load('old.pth', weights_only=True), 'new.pth')",
                path);
  return load_file(path, options);
}

Map metadata(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  return is_safetensors(start_of(disk)) ? safetensors_metadata(path) : Map();
}

}  // namespace luth::io
