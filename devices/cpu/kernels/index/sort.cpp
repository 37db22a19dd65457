// sort and topk: a radix sort of (key, position). Keys are unsigned and have the order of the elements.
#include "core/ops/index/sort.h"

#include <algorithm>
#include <vector>

#include "core/math/sort_key.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/radix_sort.h"
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

void check_length(int64_t n) {
  if (n >= int64_t(1) << 31) throw Error("cannot order {} elements along one dim; the most is 2^31 - 1", n);
}

/// Scratch memory for the items of a row.
template <class K>
struct Space {
  Buffer<Item<K>> items, other;
  explicit Space(int64_t n) : items(n), other(n) {}
};

/// The k first elements of each row in some order: order(in, space) returns their items, whose space is that of `room`
/// items; element i of the row is in[i * a.inner].
template <class F>
void write_ordered(const Axis& a, int64_t k, int64_t room, int base, Tensor& values, Tensor& indices, const Tensor& x,
                   F order) {
  check_length(a.n);
  if (values.numel() == 0) return;
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    parallel_for(a.outer * a.inner, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, a.n)), [&](int64_t b, int64_t e) {
      Space<SortKey<T>> space(room);
      for (int64_t r = b; r < e; ++r) {
        const T* in = x.data<T>() + r / a.inner * a.n * a.inner + r % a.inner;
        const Item<SortKey<T>>* items = order(in, space);
        const int64_t at = r / a.inner * k * a.inner + r % a.inner;
        for (int64_t i = 0; i < k; ++i) {
          const int64_t from = items[i].at;
          values.data<T>()[at + i * a.inner] = in[from * a.inner];
          indices.data<int64_t>()[at + i * a.inner] = from + base;
        }
      }
    });
  });
}

void sort(const ops::Sort& op, Tensor& values, Tensor& indices, const Dense& x) {
  const Axis a = axis(x, op.dim);
  write_ordered(a, a.n, a.n, op.base, values, indices, x, [&]<class T, class K>(const T* in, Space<K>& space) {
    Item<K>* items = space.items.get();
    for (int64_t i = 0; i < a.n; ++i) items[i] = {sort_key(in[i * a.inner], op.descending), int32_t(i)};
    return radix_sort(items, space.other.get(), a.n);
  });
}

/// Selects the k items of least key of n elements, in order; of equal ones the first. `step`: from one element to the
/// next, a constant where they are neighbours.
template <class T, class K, class Step>
class Least {
 public:
  Least(const T* in, int64_t n, int64_t k, bool descending, Step step, Space<K>& space)
      : in_(in),
        n_(n),
        k_(k),
        descending_(descending),
        step_(step),
        items_(space.items.get()),
        other_(space.other.get()) {}

  /// Blocks without a key that matters are skipped after one comparison per element, which vectorises.
  const Item<K>* select() {
    if (k_ == 0) return items_;
    constexpr int64_t block = 64;
    K limit = limit_by_groups();
    bool all = limit == K(~K(0));  // until there are k items, any key matters
    for (int64_t i0 = 0; i0 < n_; i0 += block) {
      const int64_t m = std::min(block, n_ - i0);
      K keys[block];
      if (m == block)
        for (int64_t i = 0; i < block; ++i) keys[i] = key(i0 + i);
      else
        for (int64_t i = 0; i < m; ++i) keys[i] = key(i0 + i);
      K any = all;
      for (int64_t i = 0; i < m; ++i) any |= K(keys[i] < limit);
      if (!any) continue;
      for (int64_t i = 0; i < m; ++i)
        if (keys[i] < limit || all) {
          take({keys[i], int32_t(i0 + i)});
          if (ordered_ < k_) continue;
          all = false;
          limit = items_[k_ - 1].key;
        }
    }
    if (k_ > few) prune();
    return items_;
  }

 private:
  static constexpr int64_t few = 64;

  K key(int64_t i) const { return sort_key(in_[i * step_], descending_); }

  /// A number that at least k keys are below, so that others need not be looked at: the least keys of 2 k groups or
  /// more are those of different elements. The largest number where there is nothing to gain.
  K limit_by_groups() const {
    constexpr int64_t lanes = 32;
    const int64_t sections = (2 * k_ + lanes - 1) / lanes, each = n_ / sections;
    if (each < 8 * lanes) return K(~K(0));
    std::vector<K> least(size_t(sections * lanes));
    for (int64_t s = 0; s < sections; ++s) {
      K lane[lanes];
      for (int64_t l = 0; l < lanes; ++l) lane[l] = K(~K(0));
      for (int64_t i = s * each; i + lanes <= (s + 1) * each; i += lanes)
        for (int64_t l = 0; l < lanes; ++l) {
          const K v = key(i + l);
          lane[l] = v < lane[l] ? v : lane[l];
        }
      std::copy(lane, lane + lanes, least.begin() + s * lanes);
    }
    std::nth_element(least.begin(), least.begin() + (k_ - 1), least.end());
    const K found = least[size_t(k_ - 1)];
    return found == K(~K(0)) ? found : K(found + 1);
  }
  /// Few items are always in order; of many the first `ordered_`.
  void take(Item<K> x) {
    if (k_ <= few) {
      int64_t j = ordered_ < k_ ? ordered_++ : k_ - 1;
      for (; j > 0 && items_[j - 1].key > x.key; --j) items_[j] = items_[j - 1];
      items_[j] = x;
    } else {
      items_[size_++] = x;
      if (size_ >= 2 * k_) prune();
    }
  }
  void prune() {
    Item<K>* sorted = radix_sort(items_, other_, size_);
    if (sorted != items_) std::swap(items_, other_);
    size_ = ordered_ = std::min(size_, k_);
  }

  const T* in_;
  int64_t n_, k_;
  bool descending_;
  Step step_;
  Item<K>*items_, *other_;
  int64_t size_ = 0, ordered_ = 0;
};

void topk(const ops::TopK& op, Tensor& values, Tensor& indices, const Dense& x) {
  const Axis a = axis(x, op.dim);
  const int64_t k = op.kept(x), room = std::min(a.n, 2 * k) + 1;
  write_ordered(a, k, room, op.base, values, indices, x, [&]<class T, class K>(const T* in, Space<K>& space) {
    auto select = [&](auto step) { return Least(in, a.n, k, op.largest, step, space).select(); };
    return a.inner == 1 ? select(std::integral_constant<int64_t, 1>()) : select(a.inner);
  });
}

const Kernel<sort> sort_;
const Kernel<topk> topk_;

}  // namespace
}  // namespace luth::cpu
