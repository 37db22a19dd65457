// Opens libluth_cpu_libs.so, which is in the folder of the core.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "core/base/limits.h"
#include "core/base/threads.h"
#include "core/base/warn.h"
#include "core/device/device.h"
#include "devices/cpu/libraries/lapack.h"
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {
namespace {

// Address space in MiB. OpenBLAS maps a buffer when it is opened and one for each thread that calls it, and waits for
// ever where it gets none. oneDNN dies where it has none for its code.
constexpr int64_t of_the_libraries = 320, of_a_thread = 129, of_the_primitives = 64;

// Threads for which OpenBLAS has buffers; only where the address space is limited.
int reserved = 0;
std::mutex reserving;

void check_room(int64_t mebibytes) {
  const std::optional<int64_t> left = address_space_left();
  if (!left || *left >> 20 >= mebibytes) return;
  throw Error(
      ErrorCode::memory,
      "OpenBLAS and oneDNN need {} MiB of address space for {} thread{}, and `ulimit -v` or `-d` leaves {}; raise it{}",
      mebibytes, num_threads(), num_threads() == 1 ? "" : "s", *left >> 20,
      num_threads() == 1 ? "" : ", or set LUTH_THREADS=1");
}

// For as many threads as compute now, which may have become more.
void reserve(const Libs& table) {
  static const bool limited = address_space_left().has_value();
  if (!limited) return;
  std::lock_guard hold(reserving);
  const int wanted = num_threads();
  if (wanted <= reserved) return;
  check_room(of_a_thread * (wanted - reserved) + of_the_primitives);
  table.reserve(wanted);
  reserved = wanted;
}

// A value of the environment for the length of a scope.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    setenv(name, value, 1);
  }
  Setting(const Setting&) = delete;
  ~Setting() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The kernels of OpenBLAS that fit this build's instruction set; null: those it chooses. It takes a CPU that is newer
// than it for the oldest one, where a factorization takes two to three times as long.
#if defined(__AVX512F__)
constexpr const char* core_type = "SkylakeX";
#elif defined(__AVX2__)
constexpr const char* core_type = "Haswell";
#else
constexpr const char* core_type = nullptr;
#endif

const Libs& open() {
  check_room(of_the_libraries + of_a_thread * num_threads());
  std::optional<Setting> kernels;
  if (core_type && !std::getenv("OPENBLAS_CORETYPE")) kernels.emplace("OPENBLAS_CORETYPE", core_type);
  std::optional<Setting> one;
  if (address_space_left())
    one.emplace("OMP_NUM_THREADS", "1");  // else OpenBLAS maps a buffer for each core when it is opened
  std::string path = library_dir() + "libluth_cpu_libs.so";
  void* h = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!h) throw Error("cannot open OpenBLAS and oneDNN: {}; reinstall luth or its dependencies", dlerror());
  auto* abi = static_cast<const int*>(dlsym(h, "luth_abi"));
  if (!abi || *abi != abi_version) throw Error("{} belongs to another version of luth; reinstall luth", path);
  auto table = reinterpret_cast<const Libs* (*)()>(dlsym(h, "luth_cpu_libs"));
  if (!table) throw Error("{} is not luth's; reinstall luth", path);
  return *table();
}

}  // namespace

const Libs& libs() {
  static const Libs& table = open();
  reserve(table);
  return table;
}

const Libs* libs_where_they_fit() {
  static std::atomic<bool> fit = true;
  if (!fit) return nullptr;
  try {
    return &libs();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::memory) throw;
    fit = false;
    warn_at("", fmt::format("{}; luth's own loops are used in their place, which are slower", e.what()));
    return nullptr;
  }
}

const Lapack& lapack() { return *libs().lapack; }

}  // namespace luth::cpu
