// Which GPUs this build has code for: read from the architectures that it was compiled for.
#include <algorithm>
#include <vector>

#include "devices/cuda/runtime/probe.h"
#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {
namespace {

#ifndef LUTH_CUDA_ARCHS
#define LUTH_CUDA_ARCHS "90-real,90-virtual"  // of the tests' run-time
#endif

struct Arch {
  int number;  // 90
  bool real, ptx;
  char suffix;  // 'a': "90a" runs on 9.0 alone; 'f': "100f" runs on 10.0 and later 10.x; else 0
};

std::vector<Arch> read(std::string_view list) {
  std::vector<Arch> all;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    Arch a{0, true, true, 0};
    size_t at = 0;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9') a.number = a.number * 10 + (word[at++] - '0');
    if (a.number == 0) continue;
    if (at < word.size() && (word[at] == 'a' || word[at] == 'f')) a.suffix = word[at];
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
    const bool same_family = a.number / 10 == major && a.number <= number;
    if (a.suffix == 'a' ? a.number == number : same_family && (a.real || a.suffix)) return true;
    if (!a.suffix && a.ptx && a.number <= number) return true;
  }
  return false;
}

std::string code_text(std::string_view archs) {
  std::string real, ptx;
  for (const Arch& a : read(archs)) {
    const std::string suffix(a.suffix ? 1 : 0, a.suffix);
    if (a.real) real += fmt::format("{}sm_{}{}", real.empty() ? "" : ", ", a.number, suffix);
    if (a.ptx) ptx += fmt::format(", PTX {}.{}{}", a.number / 10, a.number % 10, suffix);
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

int64_t free_memory_of(int index) {
  OnDevice on(index);
  size_t unused = 0, total = 0;
  check(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
  return int64_t(unused);
}

}  // namespace luth::cuda
