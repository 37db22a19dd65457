// Libraries of operators, devices and modules that were built outside luth's tree.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "core/base/version.h"
#include "core/device/device.h"

namespace luth {

/// What a library has in common with the luth that loads it, as text: "luth library: luth 0.1, ABI 2, g++ 12, C++ ABI
/// 1". `luth_add_library` of luth's CMake package puts that of the library's build into it.
using LibraryStamp = std::array<char, 96>;
inline constexpr std::string_view stamp_begin = "luth library: ";
consteval LibraryStamp library_stamp() {
  LibraryStamp stamp{};
  size_t at = 0;
  auto text = [&](std::string_view s) {
    for (char c : s) stamp[at++] = c;
  };
  auto number = [&](int v) {
    char digits[12]{};
    int n = 0;
    do digits[n++] = char('0' + v % 10);
    while (v /= 10);
    while (n) stamp[at++] = digits[--n];
  };
  text(stamp_begin), text("luth "), number(version_major), text("."), number(version_minor);
  text(", ABI "), number(abi_version);
#if defined(__clang__)
  text(", clang "), number(__clang_major__);
#elif defined(__GNUC__)
  text(", g++ "), number(__GNUC__);
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI)
  text(", C++ ABI "), number(_GLIBCXX_USE_CXX11_ABI);
#endif
  return stamp;
}

/// Loads a library: its operators, kernels and modules are registered from then on. Throws, before anything of it runs,
/// where the file is no library of luth or was built for another luth or by another compiler.
void load_library(const std::string& path);
/// Whether the file is a library of luth, of whatever version.
bool is_library(const std::string& path);

}  // namespace luth
