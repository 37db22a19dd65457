#include "core/ops/create/sequences.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"

namespace luth::ops {
namespace {

const DefineAll<ScalarTensor, Logspace, TrilIndices, TriuIndices, EmptyStrided, NewEmptyStrided> define_all_;

Tensor strided(const Shape& size, const Strides& stride, Dtype dtype, Device& device) {
  if (size.size() != stride.size()) throw Error("{} extents and {} strides", size.size(), stride.size());
  check_shape(size, size_of(dtype));
  const int64_t n = reach(size, stride, 0);
  check_shape({n}, size_of(dtype));
  const Tensor memory = Tensor::empty({n}, dtype, device);
  EmptyFill().fill(memory);
  return Tensor::alias(memory.storage(), size, stride, 0, dtype);
}

}  // namespace

Tensor ScalarTensor::decompose(const Inputs&) const { return full({}, s, dtype.value_or(default_dtype()), place()); }

// Exponents are made in double; for an integer result start and end are integers first, as in PyTorch.
Tensor Logspace::decompose(const Inputs&) const {
  if (steps < 0) throw Error("the number of steps must not be negative, got {}", steps);
  const Dtype to = dtype.value_or(default_dtype());
  if (to == Dtype::boolean) throw Error("not implemented for bool");
  Linspace line;
  line.start = is_floating(to) ? start.value() : double(start.integer());
  line.end = is_floating(to) ? end.value() : double(end.integer());
  line.steps = steps;
  line.dtype = Dtype::f64;
  line.device = &place();
  return cast_to(pow(base, linspace(line)), to);
}

Tensor TriangleIndices::positions(bool lower) const {
  if (row < 0 || col < 0) throw Error("a matrix of {} x {} cannot be", row, col);
  if (double(row) * double(col) > double(INT32_MAX) || row > INT32_MAX)
    throw Error(ErrorCode::memory, "the triangle of a matrix of {} x {} has too many positions to list", row, col);
  const int64_t shift = std::clamp(offset, -row, col);  // further ones make no difference
  const auto columns_of = [&](int64_t i) -> std::pair<int64_t, int64_t> {
    const int64_t diagonal = i + shift;  // the column in which it crosses the row
    if (lower) return {0, std::clamp<int64_t>(diagonal + 1, 0, col)};
    return {std::clamp<int64_t>(diagonal, 0, col), col};
  };
  int64_t n = 0;
  for (int64_t i = 0; i < row; ++i) n += columns_of(i).second - columns_of(i).first;
  const Tensor list = Tensor::empty({2, n}, Dtype::i64, host());
  int64_t *rows = list.data<int64_t>(), *columns = rows + n;
  for (int64_t i = 0; i < row; ++i) {
    const auto [begin, end] = columns_of(i);
    rows = std::fill_n(rows, end - begin, i + base);
    std::iota(columns, columns + (end - begin), begin + base);
    columns += end - begin;
  }
  const Tensor t = cast_to(list, dtype.value_or(Dtype::i64));
  return to_device(t, {device ? device : &default_device()});
}

Tensor EmptyStrided::decompose(const Inputs&) const {
  return strided(size, stride, dtype.value_or(default_dtype()), place());
}
Tensor NewEmptyStrided::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  return strided(size, stride, dtype.value_or(t.dtype()), device ? *device : t.device());
}

}  // namespace luth::ops
