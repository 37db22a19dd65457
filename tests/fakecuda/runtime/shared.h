// Kernels by address: their names and __shared__ variables, read from the symbol table of the program or library they
// are in; and the shared memory of the block that an OS thread runs.
#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

inline constexpr size_t ordinary_shared_bytes = 48 << 10;  // of a block, unless the kernel's attribute allows more
inline constexpr size_t most_shared_bytes = 227 << 10;

struct Module;  // a program or shared library

/// What is known of a kernel. Never freed: its address identifies it.
struct Kernel {
  std::string name;  // demangled, without return type and parameters
  const Module* module = nullptr;
  std::atomic<int> most_dynamic_bytes = int(ordinary_shared_bytes);
  std::atomic<unsigned> blocks = 0;
  std::mutex mutex;
  std::vector<int> used;  // indices of the module's shared variables that a block of it has been seen to change
};
Kernel& kernel_at(const void* function);

/// Shared memory is poisoned with ones (nan, -1) at the start of a block, so that what a block did not write shows.
/// The first blocks of a kernel, and some later ones, poison all shared variables of the module, and learn which of
/// them the kernel uses; the others poison only those.
class SharedMemory {
 public:
  void begin_block(Kernel& kernel, size_t dynamic_bytes);
  /// Empty, or how the block damaged what lies behind its dynamic shared memory.
  std::string end_block(Kernel& kernel);

 private:
  size_t dynamic_bytes_ = 0, canary_from_ = ~size_t(0);
  bool learning_ = false;
};

}  // namespace fake
