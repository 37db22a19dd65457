// What operators on batches of matrices [..., m, n] share: parts of them, checks, and matrices for tests.
#pragma once
#include "core/op/define.h"

namespace luth::matrix {

// ---- checks: `what` names the input in messages ----

/// Throws unless `v` is a tensor of float32 or float64 with at least two dims.
void need_matrix(const Value& v, const char* what);
/// The same, and throws unless the last two dims are equal.
void need_square(const Value& v, const char* what);
/// Throws where the dtypes differ.
void need_same_dtype(const Value& a, const Value& b);
/// The elements of all samples, of a tensor within vmap; else `t`. For questions about values.
Tensor of_all_samples(Tensor t);
/// For an `info` [batch] that LAPACK has given: the first matrix with a code other than 0, as "matrix" or "matrix 3 of
/// the batch" (from 1 in Lua), and its code; a code of 0 where there is none. Waits for the device.
struct Failure {
  std::string which;
  int64_t code = 0;
};
Failure first_failure(const Tensor& info);

// ---- parts ----

/// The dims before the last `drop`.
Shape batch_of(const Shape& s, int drop = 2);
Shape with_extents(Shape batch, std::initializer_list<int64_t> more);
/// Expanded to these batch dims.
Tensor with_batch(const Tensor& t, const Shape& batch, int drop = 2);
/// The last two dims exchanged.
Tensor swapped(const Tensor& t);
/// [..., n] from [..., m, n]: elements (i, i).
Tensor main_diagonal(const Tensor& t);
/// [..., n, n] with v [..., n] on the diagonal.
Tensor diagonal_matrix(const Tensor& v);
/// True on the diagonal of [n, n].
Tensor diagonal_mask(int64_t n, Device& device);
/// [n, n] in t's dtype and device.
Tensor identity(int64_t n, const Tensor& t);
/// Rows or columns [from, from + n).
Tensor rows(const Tensor& t, int64_t from, int64_t n);
Tensor columns(const Tensor& t, int64_t from, int64_t n);
/// [..., m, n] times [..., n] along the columns or [..., m] along the rows.
Tensor scale_columns(const Tensor& t, const Tensor& v);
Tensor scale_rows(const Tensor& t, const Tensor& v);
/// The sum over `dims`.
Tensor sum_over(const Tensor& t, const Ints& dims, bool keepdim = false);
/// a + b, where one may be null.
Tensor plus(const Tensor& a, const Tensor& b);
/// Whether gradients by one of the inputs are to be recorded.
bool recorded(const Inputs& in);
/// Whether all elements of a bool tensor are true; true on a device without data. Waits for the device.
bool holds_everywhere(const Tensor& t);

// ---- for tests ----

/// float64 matrices with distinct singular values, well conditioned; symmetric positive definite ones.
Tensor sample(const Shape& shape);
Tensor definite_sample(const Shape& shape);

}  // namespace luth::matrix
