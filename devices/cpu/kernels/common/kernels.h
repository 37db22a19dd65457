// What the CPU's kernel files share.
#pragma once
#include "core/op/define.h"

namespace luth::cpu {

/// Registers kernel F for the CPU: `const Kernel<softmax> softmax_;` at the end of the family's file.
template <auto F>
struct Kernel {
  Kernel() { Bind<F>{"cpu"}; }
};

}  // namespace luth::cpu
