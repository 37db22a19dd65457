// What torch.load can be told.
#pragma once
#include <cstdint>

namespace luth {
class Device;
}
namespace luth::io {

struct LoadOptions {
  LoadOptions(Device* device = nullptr) : map_location(device) {}
  Device* map_location;    // where tensors go; null: the CPU
  bool mmap = false;       // .safetensors: tensors of the CPU are the file's pages, read at their first use
  bool trusted = false;    // HDF5 is parsed in this process: a crafted file can take it over
  uint64_t max_bytes = 0;  // what the file may become in memory; 0: in proportion to its size
};

}  // namespace luth::io
