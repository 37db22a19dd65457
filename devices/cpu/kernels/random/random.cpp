// Random fills and dropout: numbers from counters (philox.h), the same for any number of threads.
#include "core/ops/random/random.h"

#include <algorithm>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/philox.h"

namespace luth::cpu {
namespace {

/// Calls f(Type<T>(), memory) with row-major memory for y's elements, and copies it into y's layout if that differs.
template <class List, class F>
void fill_in_order(List list, Tensor& y, F f) {
  Tensor work = y.is_contiguous() ? y : Tensor::empty(y.shape(), y.dtype(), y.device());
  dispatch(list, y.dtype(), [&]<class T>(Type<T> type) { f(type, work.data<T>()); });
  if (!work.same(y)) copy_elements(y, work);
}

/// out[i] = f(i, the random words of element i) for row-major elements.
template <class T, class F>
void draw_elements(const PhiloxState& state, int64_t n, T* __restrict out, F f) {
  with_words(state, n, words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
    for (int64_t i = b; i < e; ++i) out[i] = f(i, w + (i - b) * words_per<T>);
  });
}
/// Fills y with samples of make(Type<T>()), a distribution of core/math/draw.h.
template <class List, class Op, class Make>
void fill_by(List list, const Op& op, Tensor& y, Make make) {
  fill_in_order(list, y, [&]<class T>(Type<T> type, T* out) {
    const auto draw = make(type);
    draw_elements(op.philox, y.numel(), out, [&](int64_t, const uint32_t* w) { return cast<T>(draw(w)); });
  });
}

void uniform(const ops::UniformFill& op, Tensor& y, const Value&) {
  fill_by(Floats{}, op, y, [&]<class T>(Type<T>) { return draw::Uniform<T>(op.from, op.to); });
}

// Normal samples come in pairs. Separate loops, so that they vectorise.
template <class T, class A = compute_t<T>>
void normal_pairs(const draw::Normal<T>& normal, const uint32_t* w, int64_t pairs, A* __restrict out) {
  constexpr int64_t block = 512;
  A u[block], v[block], x[block], y[block];
  for (int64_t j = 0; j < pairs; ++j) normal.uniforms(w + j * 2 * words_per<T>, u[j], v[j]);
  for (int64_t j = 0; j < pairs; ++j) normal.pair(u[j], v[j], x[j], y[j]);
  for (int64_t j = 0; j < pairs; ++j) out[2 * j] = x[j], out[2 * j + 1] = y[j];
}
void normal(const ops::NormalFill& op, Tensor& y, const Value&) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const draw::Normal<T> normal(op.mean, op.std);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      compute_t<T> z[1024];
      normal_pairs(normal, w, (e - b + 1) / 2, z);
      for (int64_t i = b; i < e; ++i) out[i] = T(normal.shifted(z[i - b]));
    });
  });
}

void exponential(const ops::ExponentialFill& op, Tensor& y, const Value&) {
  fill_by(Floats{}, op, y, [&]<class T>(Type<T>) { return draw::Exponential<T>(op.lambd); });
}

void bernoulli_fill(const ops::BernoulliFill& op, Tensor& y, const Value&) {
  fill_by(AllTypes{}, op, y, [&]<class T>(Type<T>) { return draw::Bernoulli<T>(op.p); });
}
void bernoulli(const ops::Bernoulli& op, Tensor& y, const Dense& p) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const T* in = p.data<T>();
    for (int64_t i = 0; i < p.numel(); ++i)
      if (!(compute_t<T>(in[i]) >= 0 && compute_t<T>(in[i]) <= 1))
        throw Error("input holds {}, which is no probability", double(compute_t<T>(in[i])));
    draw_elements(op.philox, y.numel(), out, [in](int64_t i, const uint32_t* w) {
      return T(compute_t<T>(uniform_float(*w) < compute_t<T>(in[i])));
    });
  });
}

void random_integers(const ops::RandomIntegers& op, Tensor& y, const Value&) {
  fill_by(AllTypes{}, op, y, [&]<class T>(Type<T>) {
    const uint64_t from = uint64_t(op.from), range = uint64_t(op.to.value_or(draw::integers_of<T>())) - from;
    return draw::Integers<T>{from, range};
  });
}

void randperm(const ops::Randperm& op, Tensor& y) {
  const int64_t n = y.numel();
  struct Key {
    uint64_t word;
    int64_t position;
  };
  std::vector<Key> keys(static_cast<size_t>(n));
  const bool wide = size_of(y.dtype()) == 8;  // two words each are reserved
  for (int64_t i = 0; i < n; ++i)
    keys[size_t(i)] = {wide ? philox_u64(op.philox.seed, op.philox.offset, i)
                            : philox(op.philox.seed, op.philox.offset + i / 4).w[i % 4],
                       i};
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return a.word != b.word ? a.word < b.word : a.position < b.position; });
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < n; ++i) y.data<T>()[i] = cast<T>(keys[size_t(i)].position + op.base);
  });
}

void dropout(const ops::NativeDropout& op, Tensor& y, const Dense& x) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const T* __restrict in = x.data<T>();
    const draw::Dropout<T> drop(op.p);
    draw_elements(op.philox, y.numel(), out, [&](int64_t i, const uint32_t* w) { return drop(w, in[i]); });
  });
}

const Kernel<uniform> uniform_;
const Kernel<normal> normal_;
const Kernel<exponential> exponential_;
const Kernel<bernoulli_fill> bernoulli_fill_;
const Kernel<bernoulli> bernoulli_;
const Kernel<random_integers> random_integers_;
const Kernel<randperm> randperm_;
const Kernel<dropout> dropout_;

}  // namespace
}  // namespace luth::cpu
