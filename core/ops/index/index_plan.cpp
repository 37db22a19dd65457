#include "core/ops/index/index_plan.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/positions.h"
#include "core/ops/index/mask.h"
#include "core/ops/shape/view.h"

namespace luth {
namespace {

// One mask becomes one index tensor per dim that it covers.
void add_mask(IndexPlan& plan, const Shape& x, int dim, const Tensor& mask, int base) {
  for (int i = 0; i < mask.dim(); ++i)
    if (dim + i >= x.size() || mask.shape()[i] != x[dim + i])
      throw Error("a mask of shape {} does not fit dims {} and on of a tensor of shape {}", to_string(mask.shape()),
                  shown(dim), to_string(x));
  Tensor positions = nonzero(mask, {.base = base});
  for (int i = 0; i < mask.dim(); ++i) plan.picks.push_back({dim + i, select(positions, {.dim = 1, .index = i})});
}

void place_dims(IndexPlan& plan, const Shape& x) {
  uint32_t picked = 0;
  for (auto& p : plan.picks) picked |= 1u << p.dim;
  int first = plan.picks.empty() ? 0 : plan.picks.front().dim, last = plan.picks.empty() ? -1 : plan.picks.back().dim;
  bool neighbours = last - first + 1 == int(plan.picks.size());
  for (int d = 0; d < x.size(); ++d) {
    if (picked >> d & 1) continue;
    (neighbours && d < first ? plan.before : plan.after).push_back(d);
  }
  for (int64_t d : plan.before) plan.result.push_back(x[d]);
  for (int64_t n : plan.shape) plan.result.push_back(n);
  for (int64_t d : plan.after) plan.result.push_back(x[d]);
}

}  // namespace

IndexPlan plan_index(const Shape& x, std::span<const Value> indices, int base) {
  GradMode off(false);
  IndexPlan plan;
  int dim = 0;
  for (auto& v : indices) {
    if (!v.is_tensor()) {
      ++dim;
      continue;
    }
    const Tensor& t = v.tensor();
    if (t.dtype() == Dtype::boolean) {
      if (t.dim() == 0) throw Error("a mask needs at least one dim; a 0-dimensional one picks nothing");
      add_mask(plan, x, dim, t, base);
      dim += t.dim();
      continue;
    }
    check_index_dtype("index", t.dtype());
    plan.picks.push_back({dim++, t});
  }
  if (dim > x.size())
    throw Error("too many indices ({}) for a tensor of {} dim{}", dim, x.size(), x.size() == 1 ? "" : "s");
  for (auto& p : plan.picks) plan.shape = broadcast(plan.shape, p.index.shape());
  for (auto& p : plan.picks) p.index = expand_to(p.index, plan.shape);
  place_dims(plan, x);
  return plan;
}

}  // namespace luth
