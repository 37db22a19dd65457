// OpenBLAS, and the table of libluth_cpu_libs.so. Its functions are declared here, because Debian's alternatives decide
// whose cblas.h is on the include path.
#include <vector>

#include "core/device/device.h"
#include "devices/cpu/libraries/internal.h"

extern "C" {
int openblas_get_parallel();
char* openblas_get_config();
void omp_set_num_threads(int n);
[[gnu::weak]] void* blas_memory_alloc(int place);
[[gnu::weak]] void blas_memory_free(void* buffer);
}

namespace luth::cpu {
namespace {

// OpenBLAS keeps the buffers that are given back to it.
void reserve(int callers) {
  if (!blas_memory_alloc || !blas_memory_free) return;
  std::vector<void*> buffers;
  for (int i = 0; i < callers; ++i) buffers.push_back(blas_memory_alloc(0));
  for (void* b : buffers) blas_memory_free(b);
}

}  // namespace

// luth splits the work itself: with the libraries' threads, results would depend on the number of threads, and idle
// threads would spin. The setting is one of the calling thread.
void one_thread() {
  static thread_local bool done = false;
  if (done) return;
  omp_set_num_threads(1);
  done = true;
}

}  // namespace luth::cpu

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
/// The table; throws where the loader has found an OpenBLAS that several threads cannot call at once.
__attribute__((visibility("default"))) const luth::cpu::Libs* luth_cpu_libs() {
  using namespace luth::cpu;
  constexpr int openmp = 2;
  if (openblas_get_parallel() != openmp)
    throw luth::Error("luth needs the OpenMP build of OpenBLAS, and the loader found '{}'; install libopenblas0-openmp",
                      openblas_get_config());
  static const Libs table{dnn_has_bf16,  dnn_bf16_product, dnn_multiply_bf16, dnn_conv_filters, dnn_conv,
                          &lapack_table, reserve};
  return &table;
}
}
