#include "core/ops/common/chunked.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/dispatch/recompute.h"

namespace luth {
namespace {

constexpr double slice_elements = double(1 << 22);

// Recompute keeps tensors, not values: one that was written since would give another result.
void check_versions(const Tensors& reads, const std::vector<uint32_t>& versions) {
  for (size_t i = 0; i < reads.size(); ++i)
    if (reads[i].version() != versions[i])
      throw Error("an input that backward needs ({}) was overwritten in place after the operator read it",
                  describe(reads[i]));
}

}  // namespace

Tensors in_slices(int64_t count, double elements, const Tensors& reads, std::function<Tensor(int64_t, int64_t)> f) {
  const auto step = int64_t(std::max(1.0, slice_elements / std::max(elements, 1.0)));
  if (step >= count) return {f(0, count)};
  bool recorded = false;
  for (auto& t : reads) recorded = recorded || (grad_enabled() && t.requires_grad());
  std::vector<uint32_t> versions;
  for (auto& t : reads) versions.push_back(t.version());
  Tensors out;
  for (int64_t begin = 0; begin < count; begin += step) {
    const int64_t end = std::min(count, begin + step);
    if (!recorded) {
      out.push_back(f(begin, end));
      continue;
    }
    auto again = [f, reads, versions, begin, end] {
      check_versions(reads, versions);
      f(begin, end);
    };
    auto work = make<Recompute>(again, false);
    Recompute::First first(work);
    out.push_back(f(begin, end));
  }
  return out;
}

}  // namespace luth
