// What x[i, :, mask] picks: where the dims of index tensors go, and the shape of the result.
#pragma once
#include <vector>

#include "core/op/define.h"

namespace luth {

/// x indexed by one index tensor per dim. The result has the dims `before`, then those of the index tensors, then
/// `after`.
struct IndexPlan {
  struct Pick {
    int dim;       // of x
    Tensor index;  // integers from the plan's base, expanded to `shape`
  };
  std::vector<Pick> picks;
  Shape shape;         // to which the index tensors broadcast
  Ints before, after;  // dims of x that are kept
  Shape result;
};
/// `indices`: a tensor per dim; nothing for a whole dim; a mask (bool) for the positions where it is true, which stands
/// for as many dims as it has. Throws for too many, for masks of another shape, and where index tensors do not
/// broadcast.
IndexPlan plan_index(const Shape& x, std::span<const Value> indices, int base);

}  // namespace luth
