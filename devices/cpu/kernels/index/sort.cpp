// sort and topk: a radix sort of (key, position). Keys are unsigned and have the order of the elements.
#include "core/ops/index/sort.h"

#include <algorithm>
#include <array>
#include <bit>
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

/// The k first elements of rows side by side, of `few` elements at most: each is compared with all others of its row,
/// in vectors across rows.
constexpr int64_t few = 16;
template <class T>
void order_columns(const Axis& a, int64_t k, int base, bool descending, const T* in, T* values, int64_t* indices) {
  using K = SortKey<T>;
  constexpr int64_t most = 64;
  for_row_blocks(a, most, [=, n = a.n, step = a.inner](int64_t at, int64_t w) {
    K key[few][most], rank[few][most];
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < w; ++j) key[i][j] = sort_key(in[at + i * step + j], descending), rank[i][j] = 0;
    for (int64_t i = 1; i < n; ++i)
      for (int64_t h = 0; h < i; ++h)
        for (int64_t j = 0; j < w; ++j) {
          const K before = key[i][j] < key[h][j];
          rank[h][j] = K(rank[h][j] + before), rank[i][j] = K(rank[i][j] + !before);
        }
    for (int64_t r = 0, to = at / (n * step) * k * step + at % step; r < k; ++r, to += step) {
      K from[most] = {};
      for (int64_t i = 1; i < n; ++i)
        for (int64_t j = 0; j < w; ++j) from[j] = rank[i][j] == K(r) ? K(i) : from[j];
      for (int64_t j = 0; j < w; ++j) {
        values[to + j] = in[at + int64_t(from[j]) * step + j];
        indices[to + j] = int64_t(from[j]) + base;
      }
    }
  });
}

/// Scratch memory for the items of a row.
template <class K>
struct Space {
  Buffer<Item<K>> items, other;
  std::vector<K> least, ordered;
  explicit Space(int64_t n) : items(n), other(n) {}
};

/// The k first elements of each row in some order: order(in, space) returns their items, whose space is that of `room`
/// items; element i of the row is in[i * a.inner].
template <class F>
void write_ordered(const Axis& a, int64_t k, int64_t room, int base, bool descending, Tensor& values, Tensor& indices,
                   const Tensor& x, F order) {
  check_length(a.n);
  if (values.numel() == 0) return;
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    if (a.n <= few && a.inner >= 16)
      return order_columns(a, k, base, descending, x.data<T>(), values.data<T>(), indices.data<int64_t>());
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
  write_ordered(a, a.n, a.n, op.base, op.descending, values, indices, x,
                [&]<class T, class K>(const T* in, Space<K>& space) {
                  Item<K>* items = space.items.get();
                  for (int64_t i = 0; i < a.n; ++i) items[i] = {sort_key(in[i * a.inner], op.descending), int32_t(i)};
                  return radix_sort(items, space.other.get(), a.n);
                });
}

/// Keys in groups of `lanes`, which fill a register of the widest; free places hold the largest key.
template <class K>
inline constexpr int64_t lanes = 64 / sizeof(K);
constexpr int64_t most_ranked = 128;

/// rank[i]: how many of n keys, a multiple of `lanes`, come before key i, equal ones in order. It takes no branches.
template <class K>
void find_ranks(const K* keys, int64_t n, K* rank) {
  for (int64_t i = 0; i < n; i += lanes<K>) {
    K before[lanes<K>] = {};
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < lanes<K>; ++l) {
        const K key = keys[i + l];
        before[l] = K(before[l] + ((keys[j] < key) | ((keys[j] == key) & (K(j) < K(i + l)))));
      }
    std::copy(before, before + lanes<K>, rank + i);
  }
}

/// Selects the k items of least key of n elements, in order; of equal ones the first. `step`: from one element to the
/// next, a constant where they are neighbours.
template <class T, class K, class Step>
class Least {
 public:
  /// `space` has room for `room` items, at least 2 k; then the best k of them are chosen.
  Least(const T* in, int64_t n, int64_t k, int64_t room, bool descending, Step step, Space<K>& space)
      : in_(in),
        n_(n),
        k_(k),
        room_(room),
        descending_(descending),
        step_(step),
        items_(space.items.get()),
        other_(space.other.get()),
        least_(space.least),
        ordered_(space.ordered) {}

  const Item<K>* select() {
    if (k_ == 0) return items_;
    const int64_t each = find_limit();
    all_ = limit_ == K(~K(0));  // until there are k items, any key matters
    const int64_t groups = each && !all_ ? n_ / each : 0;
    for (int64_t g0 = 0; g0 < groups; g0 += block)
      for (uint32_t bits = below(&least_[size_t(g0)]); bits; bits &= bits - 1)
        look_at(each * (g0 + std::countr_zero(bits)), each);
    look_at(groups * each, n_ - groups * each);
    prune();
    return items_;
  }

 private:
  static constexpr int64_t block = 32, width = std::min(block, lanes<K>);

  K key(int64_t i) const { return sort_key(in_[i * step_], descending_); }

  /// The bits of those of `block` keys that are below the limit, by a loop that vectorises.
  uint32_t below(const K* keys) const {
    static constexpr auto bit = [] {
      std::array<uint32_t, block> a;
      for (int i = 0; i < block; ++i) a[i] = uint32_t(1) << i;
      return a;
    }();
    uint32_t bits = 0;
    for (int64_t i = 0; i < block; ++i) bits |= keys[i] < limit_ ? bit[i] : 0;
    return bits;
  }
  /// Takes what is below the limit of n elements from i0 on.
  void look_at(int64_t i0, int64_t n) {
    const int64_t end = i0 + n;
    for (; i0 + block <= end; i0 += block) look(i0, std::integral_constant<int64_t, block>());
    if (i0 < end) look(i0, end - i0);
  }
  void look(int64_t i0, auto count) {
    K keys[block];
    for (int64_t i = 0; i < count; ++i) keys[i] = key(i0 + i);
    for (int64_t i = count; i < block; ++i) keys[i] = K(~K(0));
    for (uint32_t bits = all_ ? ~uint32_t(0) >> (block - count) : below(keys); bits; bits &= bits - 1) {
      const int j = std::countr_zero(bits);
      items_[size_++] = {keys[j], int32_t(i0 + j)};
      if (size_ == room_) prune();
    }
  }
  /// Finds a limit that at least k keys are below: the least keys of 2 k groups or more are those of different
  /// elements. Returns the elements of a group of neighbours, of which only those with a key below it need a look; 0
  /// where such groups are too few. Then groups are of elements far apart, or there is nothing to gain.
  int64_t find_limit() {
    limit_ = K(~K(0));
    int64_t each = std::max(block, n_ / (4 * k_) / block * block), sections = n_ / each;
    const bool neighbours = sections >= 2 * k_;
    if (!neighbours) {
      sections = (2 * k_ + width - 1) / width, each = n_ / sections / width * width;
      if (each < 2 * width) return 0;
    }
    find_least(sections, each, neighbours);
    if (const K found = kth_least(); found < limit_) limit_ = K(found + 1);
    return neighbours ? each : 0;
  }
  /// The least keys of sections of `each` neighbours or, unless `whole`, of each lane of sections that alternate:
  /// groups of elements so far apart that in rows that rise or fall the best lie in different ones.
  void find_least(int64_t sections, int64_t each, bool whole) {
    const int64_t groups = whole ? sections : sections * width;
    const int64_t multiple = whole ? std::max(block, lanes<K>) : lanes<K>;  // as below() and find_ranks() read them
    least_.assign(size_t((groups + multiple - 1) / multiple * multiple), K(~K(0)));
    for (int64_t s = 0; s < sections; ++s) {
      K lane[width];
      for (K& l : lane) l = K(~K(0));
      const int64_t first = s * (whole ? each : width), stride = whole ? width : sections * width;
      for (int64_t i = first; i < first + each / width * stride; i += stride)
        for (int64_t l = 0; l < width; ++l) {
          const K v = key(i + l);
          lane[l] = v < lane[l] ? v : lane[l];
        }
      if (whole) {
        K least = lane[0];
        for (K l : lane) least = l < least ? l : least;
        least_[size_t(s)] = least;
      } else {
        std::copy(lane, lane + width, least_.begin() + s * width);
      }
    }
  }
  /// The k-th of the least keys.
  K kth_least() {
    const int64_t n = int64_t(least_.size());
    if (n > most_ranked) {
      ordered_ = least_;
      std::nth_element(ordered_.begin(), ordered_.begin() + (k_ - 1), ordered_.end());
      return ordered_[size_t(k_ - 1)];
    }
    K rank[most_ranked], found = 0;
    find_ranks(least_.data(), n, rank);
    for (int64_t i = 0; i < n; ++i) found |= int64_t(rank[i]) == k_ - 1 ? least_[size_t(i)] : K(0);
    return found;
  }
  /// Leaves the k first items, in order.
  void prune() {
    if (size_ <= most_ranked)
      order_by_ranks();
    else if (radix_sort(items_, other_, size_) != items_)
      std::swap(items_, other_);
    size_ = std::min(size_, k_);
    if (size_ < k_) return;
    all_ = false;
    limit_ = std::min(limit_, items_[k_ - 1].key);
  }
  void order_by_ranks() {
    K keys[most_ranked], rank[most_ranked];
    const int64_t n = (size_ + lanes<K> - 1) / lanes<K> * lanes<K>;
    for (int64_t i = 0; i < n; ++i) keys[i] = i < size_ ? items_[i].key : K(~K(0));
    find_ranks(keys, n, rank);
    for (int64_t i = 0; i < size_; ++i) other_[rank[i]] = items_[i];
    std::swap(items_, other_);
  }

  const T* in_;
  int64_t n_, k_, room_;
  bool descending_;
  Step step_;
  Item<K>*items_, *other_;
  std::vector<K>&least_, &ordered_;
  int64_t size_ = 0;
  K limit_ = 0;
  bool all_ = false;
};

void topk(const ops::TopK& op, Tensor& values, Tensor& indices, const Dense& x) {
  const Axis a = axis(x, op.dim);
  const int64_t k = op.kept(x), room = std::max<int64_t>(2 * k, 32);
  write_ordered(a, k, room, op.base, op.largest, values, indices, x,
                [&]<class T, class K>(const T* in, Space<K>& space) {
                  auto select = [&](auto step) { return Least(in, a.n, k, room, op.largest, step, space).select(); };
                  return a.inner == 1 ? select(std::integral_constant<int64_t, 1>()) : select(a.inner);
                });
}

const Kernel<sort> sort_;
const Kernel<topk> topk_;

}  // namespace
}  // namespace luth::cpu
