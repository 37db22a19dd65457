// Products of matrices of any dtype and layout, for kernels that need one: cuBLASLt where it serves, our own kernel
// elsewhere.
#pragma once
#include "core/tensor/tensor.h"
#include "devices/cuda/libraries/blas.h"

namespace luth::cuda {

/// An operand: element (i, j) of item b of the batch is data[b * step + i * row + j * col].
struct Operand {
  const void* data;
  int64_t row, col, step = 0;
};

/// y = epilogue(alpha a b + beta y + bias) for `batch` products of [m, k] and [k, n], into y[b * y_step + i * y_ld +
/// j]. y is not read where beta is 0. bias: n adjacent elements, added to each row; may be null. Numbers of one dtype;
/// integers wrap, and have no epilogue but bias. Any extent may be 0.
struct Product {
  int64_t batch, m, n, k;
  Operand a, b;
  void* y;
  int64_t y_ld, y_step = 0;
  Scalar alpha = 1, beta = 0;
  const void* bias = nullptr;
  Epilogue epilogue = Epilogue::none;
};

/// f(Type<T>()) for the type T with which products of dtype `d` are computed. int8 is computed as uint8: the low bits
/// of sums and products are the same.
template <class F>
void dispatch_product(Dtype d, F&& f) {
  dispatch(Numbers{}, d, [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, int8_t>)
      f(Type<uint8_t>());
    else
      f(Type<T>());
  });
}

/// `y` is the tensor in whose memory p.y lies: it gives dtype, device and stream.
void product(const Tensor& y, const Product& p);
/// The same by our own kernel: one thread sums an element, in an order that depends on k alone.
void own_product(const Tensor& y, const Product& p);

}  // namespace luth::cuda
