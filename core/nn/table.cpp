#include "core/nn/table.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/split.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {

// The dim for tensors of `dims` dims: that of a sample, moved behind the batch dims.
int64_t moved(int64_t dim, const std::optional<int64_t>& n_input_dims, int dims) {
  return n_input_dims && dim >= 0 && dims > *n_input_dims ? dim + dims - *n_input_dims : dim;
}

Tensors tensors_of(const Module& m, const Values& table) {
  if (table.empty()) throw Error("{} takes a table of at least one tensor", m.type());
  check_tensors(m, table, table.size());
  Tensors list;
  for (auto& v : table) list.push_back(v.tensor());
  return list;
}

}  // namespace

Argument Branches::result_of(size_t i, const Values& in) {
  const Values out = ModuleRef(at(i))->call(in);
  return out.size() == 1 ? out[0] : Argument::list(out);
}

Values Concat::forward(const Values& in) {
  Values results;
  for (size_t i = 0; i < size(); ++i) results.push_back(result_of(i, in));
  return {cat(tensors_of(*this, results), {.dim = dim})};
}
ModuleRef Concat::fresh() const {
  auto* m = new Concat;
  m->dim = dim;
  return ModuleRef(m);
}

Values ConcatTable::forward(const Values& in) {
  Values results;
  for (size_t i = 0; i < size(); ++i) results.push_back(result_of(i, in));
  return {Argument::list(results)};
}

Values ParallelTable::forward(const Values& in) {
  const Values table = in.size() == 1 && in[0].is_list() ? in[0].items() : in;
  if (table.size() != size()) throw Error("ParallelTable has {} modules, and got a table of {}", size(), table.size());
  Values results;
  for (size_t i = 0; i < size(); ++i) results.push_back(result_of(i, {table[i]}));
  return {Argument::list(results)};
}

Values JoinTable::run(const Values& table) {
  const Tensors list = tensors_of(*this, table);
  return {cat(list, {.dim = moved(spec.dim, spec.n_input_dims, list[0].dim())})};
}

Values SplitTable::run(const Values& in) {
  check_tensors(*this, in, 1);
  const Tensor& x = in[0].tensor();
  Values slices;
  for (auto& slice : unbind(x, {.dim = moved(spec.dim, spec.n_input_dims, x.dim())})) slices.push_back(slice);
  return {Argument::list(slices)};
}

Values SelectTable::run(const Values& table) {
  const int64_t n = int64_t(table.size()), i = spec.index < 0 ? spec.index + n : spec.index;
  if (i < 0 || i >= n)
    throw Error("SelectTable: position {} is outside of a table of {}", spec.index < 0 ? spec.index : shown(spec.index),
                n);
  return {table[size_t(i)]};
}

Values CAddTable::run(const Values& table) {
  const Tensors list = tensors_of(*this, table);
  Tensor sum = list[0];
  for (size_t i = 1; i < list.size(); ++i) sum = spec.inplace ? add.into(sum, list[i]) : add(sum, list[i]);
  return {sum};
}

Values CMulTable::run(const Values& table) {
  const Tensors list = tensors_of(*this, table);
  Tensor product = list[0];
  for (size_t i = 1; i < list.size(); ++i) product = mul(product, list[i]);
  return {product};
}

const DefineModule<Concat, ConcatTable, ParallelTable, JoinTable, SplitTable, SelectTable, CAddTable, CMulTable>
    tables_;

}  // namespace luth::nn
