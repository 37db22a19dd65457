#include "core/base/shape.h"

#include <algorithm>

namespace luth {
namespace {
int base_shown = 0;
}

void set_shown_base(int base) { base_shown = base; }
int64_t shown(int64_t position) { return position < 0 ? position : position + base_shown; }

void Shape::throw_too_many() {
  throw Error("more than {} dimensions; luth's tensors have at most {}", max_dims, max_dims);
}

std::string to_string(const Shape& s) {
  std::string t = "[";
  for (int i = 0; i < s.size(); ++i) t += (i ? ", " : "") + std::to_string(s[i]);
  return t + "]";
}

void set_contiguous_strides(Strides& st, const Shape& s) {
  st.resize(s.size());
  int64_t step = 1;
  for (int i = s.size() - 1; i >= 0; --i) st[i] = step, step *= std::max<int64_t>(s[i], 1);
}
Strides contiguous_strides(const Shape& s) {
  Strides st;
  set_contiguous_strides(st, s);
  return st;
}

Strides channels_last_strides(const Shape& s) {
  if (s.size() < 3) return contiguous_strides(s);
  Strides st(s.size());
  st[1] = 1;
  int64_t step = std::max<int64_t>(s[1], 1);
  for (int i = s.size() - 1; i >= 2; step *= std::max<int64_t>(s[i], 1), --i) st[i] = step;
  st[0] = step;
  return st;
}

namespace {
// Dims of extent 1 may have any stride; an empty tensor any strides at all.
bool same_memory(const Shape& s, const Strides& a, const Strides& b) {
  if (s.numel() == 0) return true;
  for (int i = 0; i < s.size(); ++i)
    if (s[i] != 1 && a[i] != b[i]) return false;
  return true;
}

// Dims from the outermost in memory to the innermost. An extent of 1 says nothing and equal strides keep their order,
// so this is an insertion sort: the relation is no strict order that std::sort could take.
void order_by_stride(const Shape& s, const Strides& st, int* order) {
  for (int i = 0; i < s.size(); ++i) order[i] = i;
  for (int i = 1; i < s.size(); ++i)
    for (int at = i, j = i - 1; j >= 0; --j) {
      int a = order[j], b = order[at];
      if (s[a] == 1 || s[b] == 1) continue;
      if (st[a] >= st[b]) break;
      std::swap(order[j], order[at]);
      at = j;
    }
}
}  // namespace

bool is_contiguous(const Shape& s, const Strides& st) {
  int64_t want = 1;
  for (int i = s.size() - 1; i >= 0; --i) {
    if (s[i] == 0) return true;
    if (s[i] != 1 && st[i] != want) { return s.numel() == 0; }
    want *= s[i];
  }
  return true;
}

bool is_channels_last(const Shape& s, const Strides& st) {
  return s.size() >= 4 && same_memory(s, st, channels_last_strides(s));
}

bool is_dense(const Shape& s, const Strides& st) {
  if (is_contiguous(s, st)) return true;
  int order[max_dims];
  int n = 0;
  for (int i = 0; i < s.size(); ++i)
    if (s[i] != 1) order[n++] = i;
  std::sort(order, order + n, [&](int a, int b) { return st[a] < st[b]; });
  int64_t want = 1;
  for (int i = 0; i < n; want *= s[order[i]], ++i)
    if (st[order[i]] != want) return false;
  return true;
}

bool is_expanded(const Shape& s, const Strides& st) {
  for (int i = 0; i < s.size(); ++i)
    if (st[i] == 0 && s[i] > 1) return s.numel() > 0;
  return false;
}

Strides strides_like(const Shape& s, const Shape& like, const Strides& st) {
  if (is_contiguous(like, st)) return contiguous_strides(s);
  int order[max_dims];
  order_by_stride(like, st, order);
  Strides out(s.size());
  int64_t step = 1;
  for (int i = s.size() - 1; i >= 0; --i) {
    out[order[i]] = step;
    step *= std::max<int64_t>(s[order[i]], 1);
  }
  return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (a == b) return a;
  int n = std::max(a.size(), b.size());
  Shape out(n);
  for (int i = 0; i < n; ++i) {
    int ia = i - (n - a.size()), ib = i - (n - b.size());
    int64_t x = ia < 0 ? 1 : a[ia], y = ib < 0 ? 1 : b[ib];
    if (x != y && x != 1 && y != 1)
      throw Error("shapes {} and {} do not broadcast: {} and {} differ and neither is 1", to_string(a), to_string(b), x,
                  y);
    out[i] = x == 1 ? y : x;
  }
  return out;
}

int wrap_dim(int64_t dim, int n) {
  int64_t m = std::max(n, 1);
  if (dim < -m || dim >= m)
    throw Error("dim {} is out of range for {} dimensions (expected {} to {} or {} to -1)", shown(dim), n, shown(0),
                shown(m - 1), -m);
  return int(dim < 0 ? dim + m : dim);
}

uint32_t dim_mask(const Ints& dims, int n) {
  if (dims.empty()) return (1u << n) - 1;
  uint32_t mask = 0;
  for (int64_t d : dims) {
    uint32_t bit = 1u << wrap_dim(d, n);
    if (mask & bit) throw Error("dim {} appears more than once", shown(d));
    mask |= bit;
  }
  return mask;
}

int64_t reach(const Shape& s, const Strides& st, int64_t offset) {
  if (offset < 0) throw Error("the offset must not be negative, got {}", offset);
  int64_t end = offset, step = 0;
  bool fits = true;
  for (int i = 0; i < s.size(); ++i) {
    if (st[i] < 0) throw Error("strides must not be negative, got {}", to_string(st));
    if (s[i] == 0) return offset;
    fits = fits && !__builtin_mul_overflow(s[i] - 1, st[i], &step) && !__builtin_add_overflow(end, step, &end);
  }
  if (!fits || __builtin_add_overflow(end, int64_t(1), &end))
    throw Error("shape {} with strides {} reaches beyond any memory", to_string(s), to_string(st));
  return end;
}

// Extents of 0 do not hide those that are too large.
int64_t check_shape(const Shape& s, size_t element_size) {
  constexpr int64_t most = int64_t(1) << 62;
  int64_t n = 1, bytes = int64_t(element_size);
  for (int64_t d : s) {
    if (d < 0) throw Error("negative size in {}", to_string(s));
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(d, 1), &bytes) || bytes > most)
      throw Error(ErrorCode::memory, "a tensor of shape {} would need more than 2^62 bytes", to_string(s));
    n *= d;
  }
  return n;
}

Axis axis_of(const Shape& s, int dim) {
  Axis a{1, s.size() ? s[dim] : 1, 1};
  for (int i = 0; i < dim; ++i) a.outer *= s[i];
  for (int i = dim + 1; i < s.size(); ++i) a.inner *= s[i];
  return a;
}

}  // namespace luth
