// Steps of optimizers and clipping of gradients: one parallel loop over the elements of all tensors of a list.
#include <algorithm>
#include <tuple>
#include <vector>

#include "core/base/threads.h"
#include "core/ops/nn/optim.h"
#include "core/ops/nn/rules.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

constexpr int64_t grain = 16384;

template <class T>
T* elements(const Value& v, int64_t at) {
  return v.tensor().data<T>() + at;
}

constexpr size_t most_tensors = 5;  // of a group

// Calls f(p, count) for `count` elements of n tensors, of which it may change all but the gradient, p[1]. 16-bit floats
// come and go as float, by blocks.
template <class T, class F>
void over_range(T* const* p, size_t n, int64_t count, F& f) {
  if constexpr (is_half<T>) {
    constexpr int64_t block = 512;
    float blocks[most_tensors][block];
    float* q[most_tensors] = {};
    for (int64_t i = 0; i < count; i += block) {
      const int64_t m = std::min(block, count - i);
      for (size_t k = 0; k < n; ++k) convert_row(p[k] + i, q[k] = blocks[k], m);
      f(q, m);
      for (size_t k = 0; k < n; ++k)
        if (k != 1) convert_row(blocks[k], p[k] + i, m);
    }
  } else {
    f(p, count);
  }
}

// The list is made of groups of n tensors. Calls f(p, count) for ranges of the elements of each group: p[k] points to
// `count` elements of the group's tensor k, float or double, and is null from n on. The ranges depend on the sizes
// alone.
template <class F>
void over_groups(List list, size_t n, F&& f) {
  size_t groups = list.size() / n;
  std::vector<int64_t> start(groups + 1, 0);
  for (size_t g = 0; g < groups; ++g) start[g + 1] = start[g] + list[g * n].numel();
  parallel_for(start[groups], grain, [&](int64_t b, int64_t e) {
    size_t g = size_t(std::upper_bound(start.begin(), start.end(), b) - start.begin()) - 1;
    for (; b < e; ++g) {
      int64_t stop = std::min(e, start[g + 1]);
      if (b < stop)
        dispatch(Floats{}, list[g * n].dtype(), [&]<class T>(Type<T>) {
          T* p[most_tensors] = {};
          for (size_t k = 0; k < n; ++k) p[k] = elements<T>(list[g * n + k], b - start[g]);
          over_range(p, n, stop - b, f);
        });
      b = std::max(b, stop);
    }
  });
}

// Not inlined, so that g++ inlines `update` and vectorises the loop for every dtype. The tensors share no memory. The
// elements of one position are written out by `k`: g++ vectorises no loop in a loop.
template <class T, class Update, size_t... k>
[[gnu::noinline]] void update_range(const Update update, int64_t count, T* const* p, std::index_sequence<k...>) {
  auto loop = [&](auto* __restrict... tensor) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      T v[] = {tensor[i]...};
      update(v);
      ((k != 1 ? void(tensor[i] = v[k]) : void()), ...);
    }
  };
  loop(p[k]...);
}

template <class Rule>
void step(const ops::Step<Rule>& op, List list) {
  const typename Rule::template Update<float> update(op, op.moment);
  const typename Rule::template Update<double> update_double(op, op.moment);
  op.with_tensors([&]<int n>(std::integral_constant<int, n>) {
    over_groups(list, n, [&]<class T>(T* const* p, int64_t count) {
      constexpr auto all = std::make_index_sequence<size_t(n)>();
      if constexpr (std::is_same_v<T, float>)
        update_range<T>(update, count, p, all);
      else
        update_range<T>(update_double, count, p, all);
    });
  });
}

template <class Rules>
struct StepKernels;
template <class... Rule>
struct StepKernels<Types<Rule...>> {
  std::tuple<Kernel<step<Rule>>...> kernels;
};

// The sum of |x|^p in double; the largest |x| for p = inf.
template <class T>
double power_sum(const T* x, int64_t n, double p) {
  auto sum_of = [&](auto f) {
    auto plus = [](double a, double b) { return a + b; };
    return lanes(
        x, n, 0.0, [f](double sum, T v) { return sum + f(std::abs(cast<double>(v))); }, plus);
  };
  if (p == 2) return sum_of([](double v) { return v * v; });
  if (p == 1) return sum_of([](double v) { return v; });
  if (!std::isinf(p)) return sum_of([p](double v) { return std::pow(v, p); });
  auto larger = [](double a, double b) { return b > a || b != b ? b : a; };
  return lanes(
      x, n, 0.0, [larger](double most, T v) { return larger(most, std::abs(cast<double>(v))); }, larger);
}

// Parts have a fixed size, and their sums are added in order.
void norm_of_all(const ops::NormOfAll& op, Tensor& out, List list) {
  struct Part {
    size_t tensor;
    int64_t begin, end;
  };
  std::vector<Value> flat;  // elements without gaps, in any order of memory
  std::vector<Part> parts;
  for (size_t t = 0; t < list.size(); ++t) {
    const Tensor& x = list[t].tensor();
    flat.push_back(is_dense(x.shape(), x.strides()) ? x : dense_copy(x));
    for (int64_t b = 0; b < x.numel(); b += grain) parts.push_back({t, b, std::min(b + grain, x.numel())});
  }
  std::vector<double> sums(parts.size(), 0);
  parallel_for(int64_t(parts.size()), 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const Part& part = parts[size_t(i)];
      const Value& v = flat[part.tensor];
      dispatch(Floats{}, v.dtype(), [&]<class T>(Type<T>) {
        const int64_t n = part.end - part.begin;
        const T* x = elements<T>(v, part.begin);
        if constexpr (is_half<T>) {
          float wide[grain];
          convert_row(x, wide, n);
          sums[size_t(i)] = power_sum(wide, n, op.norm_type);
        } else {
          sums[size_t(i)] = power_sum(x, n, op.norm_type);
        }
      });
    }
  });
  double total = 0;
  for (double s : sums) total = std::isinf(op.norm_type) ? (s > total || s != s ? s : total) : total + s;
  if (!std::isinf(op.norm_type)) total = std::pow(total, 1 / op.norm_type);
  dispatch(Floats{}, out.dtype(), [&]<class T>(Type<T>) { *out.data<T>() = cast<T>(total); });
}

void clip_by_norm(const ops::ClipByNorm& op, List list) {
  double total = 0;
  dispatch(Floats{}, list[0].dtype(), [&]<class T>(Type<T>) { total = cast<double>(*elements<T>(list[0], 0)); });
  double factor = op.max_norm / (total + 1e-6);
  if (factor >= 1) return;  // nan goes on: gradients become nan, as in PyTorch
  over_groups(list.subspan(1), 1, [&]<class T>(T* const* p, int64_t count) {
    T* x = p[0];
    for (int64_t i = 0; i < count; ++i) x[i] *= T(factor);
  });
}

void clip_by_value(const ops::ClipByValue& op, List list) {
  over_groups(list, 1, [&]<class T>(T* const* p, int64_t count) {
    const T top = T(op.clip_value);
    T* x = p[0];
    for (int64_t i = 0; i < count; ++i) x[i] = x[i] > top ? top : x[i] < -top ? -top : x[i];
  });
}

const StepKernels<ops::UpdateRules> steps_;
const Kernel<norm_of_all> norm_of_all_;
const Kernel<clip_by_norm> clip_by_norm_;
const Kernel<clip_by_value> clip_by_value_;

}  // namespace
}  // namespace luth::cpu
