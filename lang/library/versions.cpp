#include "lang/library/versions.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <oneapi/tbb/version.h>

#include <lua.hpp>

#include "core/base/commit.h"
#include "core/device/device.h"
#include "core/io/newer_hdf5.h"

// From the archives that are linked into the program, whose header lang does not see.
extern "C" const char* zlibVersion();

namespace luth::lang {
namespace {

// A symbol of the library of matrix products or of its dependencies; null if there is none.
template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

void add_math_libraries(std::vector<LibraryVersion>& list) {
  void* library = dlopen((library_dir() + "libluth_cpu_libs.so").c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library) return;
  auto config = symbol<const char* (*)()>(library, "openblas_get_config");
  list.push_back({"OpenBLAS", config ? config() : "", config ? "the OpenMP build" : "not found"});
  struct DnnlVersion {
    int major, minor, patch;
    const char* hash;
  };
  auto dnnl = symbol<const DnnlVersion* (*)()>(library, "dnnl_version");
  list.push_back({"oneDNN", dnnl ? fmt::format("{}.{}.{}", dnnl()->major, dnnl()->minor, dnnl()->patch) : "",
                  dnnl ? "" : "not found"});
  dlclose(library);
}

}  // namespace

const char* commit_text() { return commit; }

const char* compiler_text() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::vector<LibraryVersion> library_versions() {
  std::vector<LibraryVersion> list{
      {"Lua", LUA_RELEASE + 4, "C++ build"}, {"HDF5", io::h5::version(), ""}, {"oneTBB", TBB_runtime_version(), ""}};
  add_math_libraries(list);
  list.push_back({"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), ""});
  list.push_back({"zlib", zlibVersion(), ""});
  list.push_back({"glibc", gnu_get_libc_version(), ""});
  return list;
}

}  // namespace luth::lang
