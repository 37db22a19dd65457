// sort and topk: a radix sort of (key, position). Keys are unsigned and have the order of the elements.
#include "core/ops/index/sort.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/math/sort_key.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

template <class K>
struct Item {
  K key;
  int32_t at;
};

/// Stable radix sort by key, least significant byte first. Bytes that are equal in all keys are skipped; short lists
/// are sorted by insertion.
template <class K>
void radix_sort(std::vector<Item<K>>& items, std::vector<Item<K>>& other) {
  const size_t n = items.size();
  if (n < 96) {
    for (size_t i = 1; i < n; ++i) {
      const Item<K> x = items[i];
      size_t j = i;
      for (; j > 0 && items[j - 1].key > x.key; --j) items[j] = items[j - 1];
      items[j] = x;
    }
    return;
  }
  std::array<std::array<uint32_t, 256>, sizeof(K)> counts{};
  for (const auto& x : items)
    for (size_t b = 0; b < sizeof(K); ++b) ++counts[b][(x.key >> (8 * b)) & 255];
  other.resize(n);
  for (size_t b = 0; b < sizeof(K); ++b) {
    auto& count = counts[b];
    if (count[(items[0].key >> (8 * b)) & 255] == n) continue;
    uint32_t start = 0;
    for (auto& c : count) start += std::exchange(c, start);
    for (const auto& x : items) other[count[(x.key >> (8 * b)) & 255]++] = x;
    items.swap(other);
  }
}

void check_length(int64_t n) {
  if (n >= int64_t(1) << 31) throw Error("cannot order {} elements along one dim; the most is 2^31 - 1", n);
}

/// The k first elements of each row in some order: order(in, items, other) leaves their items in `items`, `other` being
/// scratch memory; element i of the row is in[i * a.inner].
template <class F>
void write_ordered(const Axis& a, int64_t k, int base, Tensor& values, Tensor& indices, const Tensor& x, F order) {
  check_length(a.n);
  if (values.numel() == 0) return;
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    parallel_for(a.outer * a.inner, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, a.n)), [&](int64_t b, int64_t e) {
      std::vector<Item<SortKey<T>>> items, other;
      for (int64_t r = b; r < e; ++r) {
        const T* in = x.data<T>() + r / a.inner * a.n * a.inner + r % a.inner;
        order(in, items, other);
        const int64_t at = r / a.inner * k * a.inner + r % a.inner;
        for (int64_t i = 0; i < k; ++i) {
          const int64_t from = items[size_t(i)].at;
          values.data<T>()[at + i * a.inner] = in[from * a.inner];
          indices.data<int64_t>()[at + i * a.inner] = from + base;
        }
      }
    });
  });
}

void sort(const ops::Sort& op, Tensor& values, Tensor& indices, const Dense& x) {
  const Axis a = axis(x, op.dim);
  write_ordered(a, a.n, op.base, values, indices, x, [&](auto* in, auto& items, auto& other) {
    items.resize(size_t(a.n));
    for (int64_t i = 0; i < a.n; ++i) items[size_t(i)] = {sort_key(in[i * a.inner], op.descending), int32_t(i)};
    radix_sort(items, other);
  });
}

/// The k items of least key, in order; of equal ones the first. A block without a key below the k-th best so far is
/// skipped after one comparison per element, which vectorises.
template <class T, class K>
void select_least(const T* in, int64_t step, int64_t n, int64_t k, bool descending, std::vector<Item<K>>& items,
                  std::vector<Item<K>>& other) {
  constexpr int64_t block = 64;
  const size_t room = size_t(std::max<int64_t>(2 * k, 128));
  K limit = K(~K(0));
  bool limited = false;  // once k items are known, only smaller keys than the k-th matter
  auto prune = [&] {
    radix_sort(items, other);
    if (int64_t(items.size()) > k) items.resize(size_t(k));
    limited = int64_t(items.size()) == k;
    if (limited) limit = items.back().key;
  };
  items.clear();
  if (k == 0) return;
  for (int64_t i0 = 0; i0 < n; i0 += block) {
    const int64_t m = std::min(block, n - i0);
    K keys[block];
    for (int64_t i = 0; i < m; ++i) keys[i] = sort_key(in[(i0 + i) * step], descending);
    bool any = !limited;
    for (int64_t i = 0; i < m; ++i) any |= keys[i] < limit;
    if (!any) continue;
    for (int64_t i = 0; i < m; ++i)
      if (!limited || keys[i] < limit) items.push_back({keys[i], int32_t(i0 + i)});
    if (items.size() >= room) prune();
  }
  prune();
}

void topk(const ops::TopK& op, Tensor& values, Tensor& indices, const Dense& x) {
  const Axis a = axis(x, op.dim);
  const int64_t k = op.kept(x);
  write_ordered(a, k, op.base, values, indices, x, [&](auto* in, auto& items, auto& other) {
    select_least(in, a.inner, a.n, k, op.largest, items, other);
  });
}

const Kernel<sort> sort_;
const Kernel<topk> topk_;

}  // namespace
}  // namespace luth::cpu
