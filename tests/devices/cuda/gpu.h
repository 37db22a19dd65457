// What the tests of the CUDA device share: the fake machine with two GPUs that they run on, or in luth_test_gpu a real
// one, what they ask of it, and moving tensors there.
#pragma once
#include <optional>

#include "core/ops/elementwise/copy.h"
#include "tests/registry/cases.h"

namespace luth::test {

/// "cuda:<i>": of the fake machine, which has two, or in luth_test_gpu a real one. Opens its library on first use.
Device& gpu(int i = 0);
/// Whether there is a "cuda:1": tests of two devices begin with `if (!two_gpus()) GTEST_SKIP() << "one GPU";`.
bool two_gpus();

/// From now on the fake machine runs blocks, threads and streams in other orders. A real one has its own orders.
void reorder(uint64_t seed);
/// What the fake run-time has counted since it began; a real one does not count.
struct Counts {
  int64_t launches, host_waits;
};
std::optional<Counts> counted();
/// Gives the fake cuda:0 this much memory, if it is the fake one. Returns what cuda:0 has, in bytes.
int64_t limit_memory(int64_t bytes);
/// Lets the next kernel of cuda:0 end with an error, after which the GPU is lost: cudaErrorIllegalAddress, unless
/// another is named by its number. False: a real one does not do that.
bool lose_gpu(int error = 700);
/// Lets the next launch find no memory. False: a real one does not do that.
bool refuse_launch();
/// Whether this process has a context on the fake cuda:<i>; false on a real machine.
bool has_context(int i);

/// The same elements in the same layout on `d`, in storage of their own: all of t's storage travels.
Tensor moved(const Tensor& t, Device& d);
/// The tensor on the host; null stays null.
Tensor home(const Tensor& t);
Tensors home(const Tensors& all);

/// New tensors are made on `d` in this scope.
class On {
 public:
  explicit On(Device& d) : before_(default_device()) { set_default_device(d); }
  ~On() { set_default_device(before_); }

 private:
  Device& before_;
};

}  // namespace luth::test
