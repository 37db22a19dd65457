// Shared by the files of libluth_cpu_libs.so.
#pragma once
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {

/// Turns the threads of both libraries off for calls from this thread. To be called before any of their functions.
void one_thread();

extern const Lapack lapack_table;  // lapack_batches.cpp

// oneDNN's members of the table Libs, in onednn.cpp.
bool dnn_bf16_gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const bfloat16* a, int64_t lda, const bfloat16* b,
                   int64_t ldb, bfloat16* c, int64_t ldc);
bool dnn_conv(const ConvShape& s, const float* a, const float* b, const float* bias, float* out);

}  // namespace luth::cpu
