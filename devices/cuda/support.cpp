// Which GPUs this build has code for: read from the architectures that it was compiled for.
#include <algorithm>
#include <vector>

#include "devices/cuda/library.h"
#include "devices/cuda/probe.h"
#include "devices/cuda/runtime.h"

namespace luth::cuda {
namespace {

#ifndef LUTH_CUDA_ARCHS
#define LUTH_CUDA_ARCHS "90-real,90-virtual"  // of the tests' run-time
#endif

struct Arch {
  int number;             // 90
  bool real, ptx, exact;  // exact: "90a" runs on 9.0 alone
};

std::vector<Arch> read(std::string_view list) {
  std::vector<Arch> all;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    Arch a{0, true, true, false};
    size_t at = 0;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9') a.number = a.number * 10 + (word[at++] - '0');
    if (a.number == 0) continue;
    a.exact = at < word.size() && (word[at] == 'a' || word[at] == 'f');
    if (word.ends_with("-real")) a.ptx = false;
    if (word.ends_with("-virtual")) a.real = false;
    all.push_back(a);
  }
  return all;
}

}  // namespace

bool has_code(std::string_view archs, int major, int minor) {
  const int number = major * 10 + minor;
  for (const Arch& a : read(archs)) {
    if (a.exact && a.number == number) return true;
    if (a.exact) continue;
    if (a.real && a.number / 10 == major && a.number <= number) return true;
    if (a.ptx && a.number <= number) return true;
  }
  return false;
}

std::string code_text(std::string_view archs) {
  std::string real, ptx;
  for (const Arch& a : read(archs)) {
    const char* suffix = a.exact ? "a" : "";
    if (a.real) real += fmt::format("{}sm_{}{}", real.empty() ? "" : ", ", a.number, suffix);
    if (a.ptx) ptx += fmt::format(", PTX {}.{}", a.number / 10, a.number % 10);
  }
  return real + (real.empty() && !ptx.empty() ? ptx.substr(2) : ptx);
}

void describe_support(int index, DeviceSupport& support) {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index), "cudaDeviceGetAttribute");
  support.code = code_text(LUTH_CUDA_ARCHS);
  if (has_code(LUTH_CUDA_ARCHS, major, minor)) return;
  support.trouble = fmt::format(
      "this GPU has compute capability {}.{}, and this luth has code for {} alone; install one that was built with "
      "LUTH_CUDA_ARCHITECTURES={}{}",
      major, minor, support.code, major, minor);
}

namespace {
// Versions are thousands of the major one: 130002 of cuBLASLt is 13.0.2, 91002 of cuDNN 9.10.2.
DeviceLibrary look_at(const char* name, const Library& library, const char* function, int64_t major) {
  DeviceLibrary found{name, 0, library.missing()};
  if (!found.text.empty()) return found;
  size_t (*version)() = nullptr;
  try {
    library.find(version, function);
  } catch (const Error& e) { return {name, 0, e.what()}; }
  const auto v = int64_t(version());
  return {name, v, fmt::format("{}.{}.{}", v / major, v % major / 100, v % 100)};
}
}  // namespace

void list_libraries(std::vector<DeviceLibrary>& list) {
  list.push_back(look_at("cuBLASLt", Library({"libcublasLt.so.13", "libcublasLt.so.12"}), "cublasLtGetVersion", 10000));
  list.push_back(look_at("cuDNN", Library({"libcudnn.so.9"}), "cudnnGetVersion", 10000));
}

}  // namespace luth::cuda
