#include "tests/registry/cases.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "core/device/library.h"
#include "core/dispatch/generator.h"
#include "core/ops/elementwise/copy.h"

namespace luth::test {
namespace {

size_t sample_limit() {
  const char* text = std::getenv("LUTH_TEST_SAMPLES");
  int n = text ? std::atoi(text) : 0;
  return n > 0 ? size_t(n) : ~size_t(0);
}

Tensor draw(const Shape& s, double lo, double hi, std::mt19937_64& rng) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = lo + (hi - lo) * double(rng() >> 11) * 0x1p-53;
  return t;
}
std::mt19937_64 generator(const std::string& name, size_t k) {
  uint64_t seed = 14695981039346656037u;
  for (char c : name) seed = (seed ^ uint64_t(c)) * 1099511628211u;
  return std::mt19937_64(seed + k);
}

// Calls f(address) for each element in row-major order.
template <class F>
void each_element(const Tensor& t, F&& f) {
  const int64_t size = int64_t(size_of(t.dtype())), numel = t.numel();
  if (t.is_contiguous()) {
    for (int64_t k = 0; k < numel; ++k) f(static_cast<char*>(t.raw()) + k * size);
    return;
  }
  Shape at(size_t(t.dim()));
  for (int64_t k = 0; k < numel; ++k) {
    int64_t offset = 0;
    for (int i = 0; i < t.dim(); ++i) offset += at[i] * t.strides()[i];
    f(static_cast<char*>(t.raw()) + offset * size);
    for (int i = t.dim() - 1; i >= 0 && ++at[i] == t.shape()[i]; --i) at[i] = 0;
  }
}

// Writes the elements of `from` into `to`, which has its shape and dtype.
void fill_from(const Tensor& to, const Tensor& from) {
  if (to.is_contiguous() && from.is_contiguous()) {
    if (from.numel()) std::memcpy(to.raw(), from.raw(), from.bytes());
    return;
  }
  std::vector<char> bytes;
  size_t size = size_of(from.dtype());
  each_element(from, [&](char* p) { bytes.insert(bytes.end(), p, p + size); });
  size_t at = 0;
  each_element(to, [&](char* p) {
    std::memcpy(p, bytes.data() + at, size);
    at += size;
  });
}

std::string describe_inputs(const Inputs& in) {
  std::string s;
  for (auto& v : in)
    s += (s.empty() ? "" : ", ") + (v.is_scalar() ? to_string(Attr(v.scalar())) : describe(v.tensor()));
  return s;
}

}  // namespace

std::vector<std::string> operator_names() {
  host();
  if (const char* library = std::getenv("LUTH_LIBRARY")) load_library(library);  // with operators of its own
  std::vector<std::string> names;
  for (auto* info : operators()) names.push_back(info->name);
  return names;
}

std::string readable(const testing::TestParamInfo<std::string>& info) {
  std::string s;
  for (char c : info.param) s += std::isalnum(c) || c == '_' ? std::string(1, c) : "__";
  return s;
}

// An operator's vjp may refuse an input, in words.
static void find_constants(TestCase& c) {
  for (size_t i : c.floating()) {
    Inputs in = c.in;
    Tensor leaf = copy_of(in[i].tensor()).set_requires_grad();
    in[i] = leaf;
    try {
      gradients(c.run(in), {leaf});
    } catch (const Error& e) {
      if (std::string_view(e.what()).find("has no gradient by") != std::string_view::npos) c.constant |= 1u << i;
    }
  }
}

std::vector<TestCase> cases(const std::string& name) {
  const OpInfo& info = find_op(name);
  std::vector<TestCase> all;
  if (!info.samples) return all;
  for (auto& s : info.samples()) {
    if (all.size() == sample_limit()) break;
    TestCase c{&info, s.op, {}, "", !s.make};
    auto rng = generator(name, all.size());
    if (s.make)
      c.in = s.make();
    else
      for (auto& shape : s.shapes) c.in.push_back(draw(shape, s.lo, s.hi, rng));
    while (c.in.size() < info.inputs.size() && info.inputs[c.in.size()].optional) c.in.push_back({});
    c.name = fmt::format("{} sample {}: {} {}", name, all.size(), write_fields(info.fields(c.op.get())),
                         describe_inputs(c.in));
    if (info.vjp || info.decompose) find_constants(c);
    all.push_back(std::move(c));
  }
  return all;
}

namespace {

// The first elements of `t` in another shape of no more elements.
Tensor first_of(const Tensor& t, const Shape& shape) {
  Tensor whole = copy_of(t);
  return copy_of(Tensor::alias(whole.storage(), shape, contiguous_strides(shape), 0, t.dtype()));
}
Shape with_extent(Shape shape, int dim, int64_t n) {
  if (shape.size() > 0) shape[dim < 0 ? shape.size() - 1 : dim] = n;
  return shape;
}

bool has_nan(const Tensors& results) {
  for (auto& y : results)
    if (y && is_floating(y.dtype()))
      for (double v : doubles(y))
        if (std::isnan(v)) return true;
  return false;
}

}  // namespace

std::vector<Variant> variants(const TestCase& given) {
  std::vector<Variant> all{{"as given", given}};
  if (!given.drawn || given.info->traits.internal) return all;
  auto add = [&](const char* kind, Inputs in) {
    TestCase c = given;
    c.in = std::move(in);
    c.name += std::string(", ") + kind;
    bool same = true;
    for (size_t i = 0; i < c.in.size(); ++i)
      same = same && (!c.in[i].is_tensor() || c.in[i].shape() == given.in[i].shape());
    if (same) return;
    try {
      if (has_nan(c.run())) return;
    } catch (const Error&) { return; }
    all.push_back({kind, std::move(c)});
  };
  auto each = [&](auto&& shape) {
    return each_tensor(given.in, [&](const Tensor& t) { return t.numel() ? first_of(t, shape(t.shape())) : t; });
  };
  add("0-dim", each([](const Shape&) { return Shape{}; }));
  add("empty", each([](const Shape& s) { return with_extent(s, 0, 0); }));
  add("empty", each([](const Shape& s) { return with_extent(s, -1, 0); }));
  for (size_t i = 0; i < given.in.size() && given.in.size() > 1; ++i) {
    if (!given.in[i].is_tensor() || given.in[i].numel() == 0) continue;
    Inputs in = given.in;
    in[i] = first_of(in[i].tensor(), with_extent(in[i].shape(), 0, 1));
    add("broadcast", in);
  }
  return all;
}

Inputs drawn_larger(const TestCase& c, int64_t factor) {
  auto rng = generator(c.info->name, 99);
  return each_tensor(c.in, [&](const Tensor& t) {
    std::vector<double> values = doubles(t);
    if (values.empty()) values = {0, 1};
    double lo = *std::min_element(values.begin(), values.end()), hi = *std::max_element(values.begin(), values.end());
    Shape s = t.shape();
    for (auto& n : s) n *= factor;
    return draw(s, lo, hi, rng);
  });
}

namespace {

constexpr int64_t most_elements = 1 << 18;

// Its values drawn anew from their range; those of integers and bool, which may be positions, repeated.
Tensor in_shape(const Tensor& t, const Shape& shape, std::mt19937_64& rng) {
  const std::vector<double> values = doubles(t);
  if (values.empty()) return copy_of(t);
  if (is_floating(t.dtype())) {
    auto [lo, hi] = std::minmax_element(values.begin(), values.end());
    return copy_of(draw(shape, *lo, *hi, rng), t.dtype());
  }
  Tensor repeated = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < repeated.numel(); ++i) repeated.data<double>()[i] = values[size_t(i) % values.size()];
  return copy_of(repeated, t.dtype());
}

using Extents = std::map<int64_t, int64_t>;  // from, to; others stay

// Null where the operator refuses that, or there would be too many elements.
std::optional<Inputs> with_extents(const TestCase& c, const Extents& to) {
  auto rng = generator(c.info->name, 100);
  bool few = true;
  Inputs shapes = each_tensor(c.in, [&](const Tensor& t) {
    Shape s = t.shape();
    for (auto& n : s)
      if (auto at = to.find(n); at != to.end()) n = at->second;
    few = few && s.numel() <= most_elements;
    return Tensor::empty(few ? s : Shape{0}, t.dtype(), device("meta"));
  });
  if (!few) return {};
  try {
    for (auto& y : c.run(shapes))
      if (y && y.numel() > most_elements) return {};
  } catch (const Error&) { return {}; }
  Inputs in = c.in;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].is_tensor()) in[i] = in_shape(in[i].tensor(), shapes[i].shape(), rng);
  return in;
}

}  // namespace

std::vector<Variant> large_shapes(const TestCase& given) {
  std::vector<Variant> all;
  auto add = [&](const char* kind, const Extents& to) {
    std::optional<Inputs> in = with_extents(given, to);
    if (!in) return;
    all.push_back({kind, given});
    all.back().c.in = std::move(*in);
    all.back().c.name += std::string(", ") + kind;
  };
  Extents odd;
  int dims = 0;
  const Tensor* first = nullptr;
  for (auto& v : given.in) {
    if (!v.is_tensor() || v.dim() == 0 || v.numel() == 0) continue;
    if (!first) first = &v.tensor();
    dims = std::max(dims, v.dim());
    for (int64_t n : v.tensor().shape())
      if (n > 1) odd[n] = 0;
  }
  if (!first || odd.empty()) return all;
  int64_t next = dims < 4 ? 63 : 9;
  for (auto& [_, to] : odd) to = next++;
  add("extents from 63 on", odd);
  const int64_t columns = first->shape()[first->dim() - 1], rows = first->shape()[0];
  // of a few rows as long as they may be, of more rows shorter: a CUDA device that is a CPU takes its time
  const int64_t others = first->numel() / columns, longest = others < 3 ? 100000 : most_elements / 4 / others;
  if (columns > 1)
    for (auto [n, kind] : {std::pair(int64_t(1), "rows of 1"), {1000, "rows of 1,000"}, {longest, "long rows"}})
      add(kind, {{columns, n}});
  if (first->dim() > 1 && rows > 1 && rows != columns) add("3,001 rows", {{rows, 3001}});
  return all;
}

Tensors TestCase::run(const Inputs& inputs) const {
  manual_seed(7);
  if (info->traits.inplace != Inplace::only) return apply(*info, op.get(), inputs);
  Inputs copied = inputs;
  copied[0] = apply(find_op("clone"), nullptr, {inputs[0]})[0];
  return {apply_inplace(*info, op.get(), copied)};
}

std::vector<size_t> TestCase::floating() const {
  std::vector<size_t> at;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].is_tensor() && is_floating(in[i].dtype()) && !(constant >> i & 1)) at.push_back(i);
  return at;
}

Tensor relaid(const Tensor& t, Layout layout) {
  int n = t.dim();
  if (n == 0 || layout == Layout::plain || (layout == Layout::channels_last && n != 4)) return copy_of(t);
  Strides strides = contiguous_strides(t.shape());
  int64_t offset = 0, size = t.numel();
  if (layout == Layout::transposed) {
    Shape reversed;
    for (int i = n - 1; i >= 0; --i) reversed.push_back(t.shape()[i]);
    Strides st = contiguous_strides(reversed);
    for (int i = 0; i < n; ++i) strides[i] = st[n - 1 - i];
  } else if (layout == Layout::narrowed) {  // every other column of a wider matrix, from its fourth element on
    Shape wide = t.shape();
    wide[n - 1] = 2 * wide[n - 1] + 1;
    strides = contiguous_strides(wide);
    strides[n - 1] = 2;
    offset = 3;
    size = wide.numel() + offset;
  } else {
    strides = channels_last_strides(t.shape());
  }
  Tensor memory = Tensor::empty({size}, t.dtype(), host());
  if (memory.numel()) std::memset(memory.raw(), 0, memory.bytes());
  Tensor out = Tensor::alias(memory.storage(), t.shape(), strides, offset, t.dtype());
  fill_from(out, t);
  return out;
}

Tensor expanded(const Tensor& t, int dim) {
  if (t.dim() == 0 || t.numel() == 0) return copy_of(t);
  Tensor whole = copy_of(t);
  Strides strides = whole.strides();
  strides[dim < 0 ? dim + t.dim() : dim] = 0;
  return Tensor::alias(whole.storage(), t.shape(), strides, 0, t.dtype());
}

Tensor copy_of(const Tensor& t, Dtype dtype) {
  Tensor out = Tensor::empty(t.shape(), dtype, host());
  if (dtype == t.dtype()) {
    fill_from(out, t);
    return out;
  }
  dispatch(AllTypes{}, t.dtype(), [&]<class From>(Type<From>) {
    dispatch(AllTypes{}, dtype, [&]<class To>(Type<To>) {
      To* to = out.data<To>();
      each_element(t, [&](char* p) { *to++ = cast<To>(*reinterpret_cast<From*>(p)); });
    });
  });
  return out;
}

std::vector<double> doubles(const Tensor& t) {
  Tensor c = copy_of(t, Dtype::f64);
  return {c.data<double>(), c.data<double>() + c.numel()};
}

std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol) {
  if (bool(got) != bool(want)) return fmt::format("got {}, want {}", describe(got), describe(want));
  if (!got) return "";
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape()))
    return fmt::format("got {}, want {}", describe(got), describe(want));
  std::vector<double> a = doubles(got), b = doubles(want);
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
    if (std::abs(a[k] - b[k]) <= atol + rtol * std::abs(b[k]) && std::isfinite(b[k])) continue;
    return fmt::format("element {} of {}: got {:.17g}, want {:.17g}", k, describe(want), a[k], b[k]);
  }
  return "";
}

std::string difference(const Tensors& got, const Tensors& want, double rtol, double atol) {
  if (got.size() != want.size()) return fmt::format("got {} results, want {}", got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::string s = difference(got[i], want[i], rtol, atol); !s.empty()) return fmt::format("result {}: {}", i, s);
  return "";
}

std::string other_bits(const Tensors& got, const Tensors& want) {
  // of most, which are long, all bytes are equal
  const auto same = [](const Tensor& a, const Tensor& b) {
    if (!a || !b) return !a && !b;
    return a.dtype() == b.dtype() && a.shape() == b.shape() && a.is_contiguous() && b.is_contiguous() &&
           (a.numel() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
  };
  if (std::equal(got.begin(), got.end(), want.begin(), want.end(), same)) return "";
  if (std::string s = difference(got, want); !s.empty()) return s;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!got[i]) continue;
    Tensor a = copy_of(got[i]), b = copy_of(want[i]);
    if (a.numel() && std::memcmp(a.raw(), b.raw(), a.bytes()))
      return fmt::format("result {}: equal numbers of other bits", i);
  }
  return "";
}

Tensors gradients(const Tensors& results, const Tensors& leaves) {
  Tensors roots, cotangents;
  for (auto& y : results) {
    if (!y || !y.requires_grad()) continue;
    roots.push_back(y);
    Tensor c = Tensor::empty(y.shape(), Dtype::f64, host());
    for (int64_t k = 0; k < c.numel(); ++k) c.data<double>()[k] = double((37 * k + 11) % 101 - 50) / 64;
    cotangents.push_back(to_device(copy_of(c, y.dtype()), {&y.device()}));
  }
  if (roots.empty() || leaves.empty()) return Tensors(leaves.size());
  return grad(roots, leaves, cotangents, {.allow_unused = true});
}

}  // namespace luth::test
