#include "core/device/library.h"

#include <dlfcn.h>

#include <fstream>
#include <iterator>

namespace luth {
namespace {

// The stamp in a file, "" where there is none.
std::string stamp_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = std::string(stamp_begin) + "luth ";
  const size_t at = bytes.find(begin);
  return at == bytes.npos ? "" : bytes.substr(at, bytes.find('\0', at) - at);
}

}  // namespace

bool is_library(const std::string& path) { return !stamp_of(path).empty(); }

void load_library(const std::string& path) {
  static constexpr LibraryStamp own_stamp = library_stamp();
  if (!std::ifstream(path)) throw Error("cannot open the library '{}'", path);
  const std::string stamp = stamp_of(path), own = own_stamp.data();
  if (stamp.empty())
    throw Error("'{}' is no library of luth: build it with luth_add_library of luth's CMake package", path);
  if (stamp != own)
    throw Error("'{}' was built for {}, and this is {}: build it again with this luth's headers and compiler", path,
                stamp.substr(stamp_begin.size()), own.substr(stamp_begin.size()));
  host();  // the CPU's operators come first
  const std::string file = path.find('/') == path.npos ? "./" + path : path;
  if (!dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) throw Error("cannot load the library '{}': {}", path, dlerror());
}

}  // namespace luth
