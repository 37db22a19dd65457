// What the tests of the CUDA device share: the fake machine with two GPUs that they run on, and moving tensors there.
#pragma once
#include "core/ops/copy.h"
#include "tests/registry/cases.h"

namespace luth::test {

/// "cuda:<i>": of the fake machine, which has two, or in luth_test_gpu a real one. Opens its library on first use.
Device& gpu(int i = 0);
/// Whether there is a "cuda:1": tests of two devices begin with `if (!two_gpus()) GTEST_SKIP() << "one GPU";`.
bool two_gpus();
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
