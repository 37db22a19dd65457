// Shared by the files of libluth_cpu_libs.so.
#pragma once
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {

/// Turns the threads of both libraries off for calls from this thread. To be called before any of their functions.
void one_thread();

extern const Lapack lapack_table;  // lapack_batches.cpp

// oneDNN's members of the table Libs, in onednn.cpp.
bool dnn_has_bf16();
std::shared_ptr<const Primitive> dnn_bf16_product(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps);
void dnn_multiply_bf16(const std::shared_ptr<const Primitive>& product, const bfloat16* a, const bfloat16* b, void* c);
std::shared_ptr<const ConvFilters> dnn_conv_filters(const ConvShape& s, const void* w);
bool dnn_conv(const ConvShape& s, const void* a, const void* b, const void* bias, void* out,
              const ConvFilters* filters);

}  // namespace luth::cpu
