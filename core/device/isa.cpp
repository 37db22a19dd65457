#include "core/device/isa.h"

#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

namespace luth {

// glibc knows what the processor has. __builtin_cpu_supports would ask it again at every start of a program, and each
// question costs microseconds on a virtual machine.
bool runs_here(std::string_view isa) {
#if defined(__x86_64__)
  auto all = [](auto... has) { return (has && ...); };
  if (isa == "v2") return all(CPU_FEATURE_ACTIVE(SSE4_2), CPU_FEATURE_ACTIVE(POPCNT));
  if (isa == "v3")
    return all(CPU_FEATURE_ACTIVE(AVX2), CPU_FEATURE_ACTIVE(FMA), CPU_FEATURE_ACTIVE(BMI1), CPU_FEATURE_ACTIVE(BMI2));
  if (isa == "v4")
    return runs_here("v3") &&
           all(CPU_FEATURE_ACTIVE(AVX512F), CPU_FEATURE_ACTIVE(AVX512VL), CPU_FEATURE_ACTIVE(AVX512BW),
               CPU_FEATURE_ACTIVE(AVX512DQ), CPU_FEATURE_ACTIVE(AVX512CD));
  return false;
#else
  return isa == "generic";
#endif
}

}  // namespace luth
