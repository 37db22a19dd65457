// Random fills and dropout: numbers from counters (philox.h), the same for any number of threads.
#include "core/ops/random.h"

#include <algorithm>

#include "core/math.h"
#include "devices/cpu/cpu.h"
#include "devices/cpu/indices.h"
#include "devices/cpu/philox.h"

namespace luth::cpu {
namespace {

/// Calls f(Type<T>, memory) with row-major memory for y's elements, and brings it into y's layout.
template <class List, class F>
void fill_in_order(List list, Tensor& y, F f) {
  Tensor work = y.is_contiguous() ? y : Tensor::empty(y.shape(), y.dtype(), y.device());
  dispatch(list, y.dtype(), [&]<class T>(Type<T> type) { f(type, work.data<T>()); });
  if (!work.same(y)) copy_elements(y, work);
}

void uniform(const ops::UniformFill& op, Tensor& y, const Value&) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    using A = compute_t<T>;
    const A from = A(op.from), range = A(op.to - op.from), end = A(op.to);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i) {
        const T v = T(A(uniform_of<T>(w, i - b)) * range + from);
        out[i] = A(v) < end || range == A(0) ? v : T(from);  // rounding must not reach `to`
      }
    });
  });
}

/// Two normal numbers of two uniform ones.
template <class A>
inline void box_muller(A u, A v, A mean, A std, A& first, A& second) {
  const A r = math::sqrt(A(-2) * math::log(u)) * std, t = A(6.283185307179586) * v;
  first = r * math::cos(t) + mean;
  second = r * math::sin(t) + mean;
}
template <class A>
void normal_pairs(const uint32_t* w, int64_t pairs, A mean, A std, A* __restrict out) {
  constexpr int64_t block = 512;
  A u[block], v[block], x[block], y[block];
  for (int64_t j = 0; j < pairs; ++j) {
    if constexpr (std::is_same_v<A, double>) {
      u[j] = uniform_double(w[4 * j], w[4 * j + 1]) + 0x1p-53;
      v[j] = uniform_double(w[4 * j + 2], w[4 * j + 3]);
    } else {
      u[j] = (float(w[2 * j]) + 1.0f) * 0x1p-32f;
      v[j] = uniform_float(w[2 * j + 1]);
    }
  }
  for (int64_t j = 0; j < pairs; ++j) box_muller(u[j], v[j], mean, std, x[j], y[j]);
  for (int64_t j = 0; j < pairs; ++j) out[2 * j] = x[j], out[2 * j + 1] = y[j];
}
void normal(const ops::NormalFill& op, Tensor& y, const Value&) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    using A = compute_t<T>;
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      A z[1024];
      normal_pairs<A>(w, (e - b + 1) / 2, A(op.mean), A(op.std), z);
      for (int64_t i = b; i < e; ++i) out[i] = T(z[i - b]);
    });
  });
}

void exponential(const ops::ExponentialFill& op, Tensor& y, const Value&) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    using A = compute_t<T>;
    const A scale = A(-1 / op.lambd);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i) {
        A u;
        if constexpr (std::is_same_v<T, double>)
          u = uniform_double(w[2 * (i - b)], w[2 * (i - b) + 1]);
        else
          u = uniform_float(w[i - b]);
        out[i] = T(scale * math::log1p(-u));
      }
    });
  });
}

void bernoulli_fill(const ops::BernoulliFill& op, Tensor& y, const Value&) {
  fill_in_order(AllTypes{}, y, [&]<class T>(Type<T>, T* out) {
    const float p = float(op.p);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i) out[i] = cast<T>(int8_t(uniform_float(w[(i - b) * words_per<T>]) < p));
    });
  });
}
void bernoulli(const ops::Bernoulli& op, Tensor& y, const Dense& p) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const T* in = p.data<T>();
    for (int64_t i = 0; i < p.numel(); ++i)
      if (!(compute_t<T>(in[i]) >= 0 && compute_t<T>(in[i]) <= 1))
        throw Error("input holds {}, which is no probability", double(compute_t<T>(in[i])));
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i)
        out[i] = T(compute_t<T>(uniform_float(w[(i - b) * words_per<T>]) < compute_t<T>(in[i])));
    });
  });
}

void random_integers(const ops::RandomIntegers& op, Tensor& y, const Value&) {
  fill_in_order(AllTypes{}, y, [&]<class T>(Type<T>, T* out) {
    int64_t most = INT64_MAX;
    if constexpr (is_float<T>)
      most = (int64_t(1) << (is_half<T> ? std::is_same_v<T, half> ? 11 : 8 : std::is_same_v<T, float> ? 24 : 53)) + 1;
    else if constexpr (std::is_same_v<T, bool>)
      most = 2;
    else if constexpr (sizeof(T) < 8)
      most = int64_t(std::numeric_limits<T>::max()) + 1;
    const uint64_t range = uint64_t(op.to.value_or(most)) - uint64_t(op.from);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i) {
        uint64_t v;
        if constexpr (words_per<T> == 2) {
          const uint64_t word = uint64_t(w[2 * (i - b) + 1]) << 32 | w[2 * (i - b)];
          v = range >> 32 ? word % range : ((word >> 32) * range) >> 32;
        } else {
          v = (w[i - b] * range) >> 32;
        }
        out[i] = cast<T>(int64_t(v + uint64_t(op.from)));
      }
    });
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

void dropout(const ops::DropoutApply& op, Tensor& y, const Dense& x) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    using A = compute_t<T>;
    const T* __restrict in = x.data<T>();
    const A scale = op.p < 1 ? A(1 / (1 - op.p)) : A(0);
    const float p = float(op.p);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      for (int64_t i = b; i < e; ++i) {
        const bool keep = uniform_float(w[(i - b) * words_per<T>]) >= p;
        out[i] = T(keep ? A(in[i]) * scale : A(0));
      }
    });
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
