// Shared by the files of libluth_cpu_libs.so.
#pragma once
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {

/// To be called before any function of the two libraries: their own threads stay off on this thread.
void one_thread();

extern const Lapack lapack_table;  // libs_lapack.cpp

// oneDNN's part of the table, in libs_dnn.cpp.
bool dnn_bf16_gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const bfloat16* a, int64_t lda, const bfloat16* b,
                   int64_t ldb, bfloat16* c, int64_t ldc);
bool dnn_conv(const ConvShape& s, const float* a, const float* b, const float* bias, float* out);

}  // namespace luth::cpu
