// Timing, and calls of OpenBLAS and oneDNN, for the programs of this folder.
#pragma once
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <regex>
#include <string>
#include <vector>

namespace limits {

using Type = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;
using Dims = dnnl::memory::dims;
using Call = std::function<void()>;

// ---- timing: the fastest of at least five samples of 4 ms or more ----

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_of(const Call& call) {
  call();
  double began = now();
  call();
  const int k = std::max(1, int(0.004 / std::max(now() - began, 1e-7)));
  double best = 1e9;
  const double stop = now() + 0.4;
  for (int samples = 0; samples < 5 || (now() < stop && samples < 100); ++samples) {
    began = now();
    for (int i = 0; i < k; ++i) call();
    best = std::min(best, (now() - began) / k);
  }
  return best;
}

// `work`: in units of 10^9. The fastest of several ways counts.
inline void report(const std::string& name, const char* unit, double work, const std::vector<Call>& ways) {
  double best = 1e9;
  for (auto& way : ways) best = std::min(best, seconds_of(way));
  printf("{\"name\": \"limit/%s\", \"unit\": \"%s\", \"best\": %.6g, \"min\": %.9g, \"threads\": %d}\n", name.c_str(),
         unit, work / best, best, omp_get_max_threads());
  fflush(stdout);
}

inline std::regex wanted_names;
inline bool wanted(const std::string& name) { return std::regex_match(name, wanted_names); }

// ---- oneDNN ----

inline dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
inline dnnl::stream stream(cpu);

// A primitive's description; oneDNN 2 has a step between.
template <class Primitive, class... Args>
auto described(const Args&... args) {
  using Description = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  return Description(cpu, args...);
#else
  return Description(typename Primitive::desc(args...), cpu);
#endif
}
template <class Primitive, class Hint, class... Args>
auto described_after(const Hint& hint, const Args&... args) {
  using Description = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  return Description(cpu, args..., hint);
#else
  return Description(typename Primitive::desc(args...), cpu, hint);
#endif
}

inline dnnl::memory zeros(const dnnl::memory::desc& layout) {
  dnnl::memory m(layout, cpu);
  std::fill_n(static_cast<char*>(m.get_data_handle()), layout.get_size(), 0);
  return m;
}

// The primitive with operands of its own: argument -> layout.
inline Call runs(const dnnl::primitive& primitive, const std::map<int, dnnl::memory::desc>& layouts) {
  std::unordered_map<int, dnnl::memory> operands;
  for (auto& [argument, layout] : layouts) operands[argument] = zeros(layout);
  return [=] {
    primitive.execute(stream, operands);
    dnnl::stream(stream).wait();
  };
}

inline Call dnnl_product(int64_t batch, int64_t m, int64_t n, int64_t k, Type type, bool transposed = false) {
  const dnnl::memory::desc a({batch, m, k}, type, transposed ? Tag::acb : Tag::abc), b({batch, k, n}, type, Tag::abc),
      c({batch, m, n}, type, Tag::abc);
  return runs(dnnl::matmul(described<dnnl::matmul>(a, b, c)),
              {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
}

// c = a b of row-major matrices; ta, tb: the operand lies transposed.
inline Call blas_product(int m, int n, int k, bool ta = false, bool tb = false, int batch = 1) {
  auto values = [](int64_t count) { return std::make_shared<std::vector<float>>(count, 0.5f); };
  auto a = values(int64_t(batch) * m * k), b = values(int64_t(batch) * k * n), c = values(int64_t(batch) * m * n);
  return [=] {
    for (int64_t i = 0; i < batch; ++i)
      cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, 1,
                  a->data() + i * m * k, ta ? m : k, b->data() + i * k * n, tb ? k : n, 0, c->data() + i * m * n, n);
  };
}

inline void report_seconds(const std::string& name, double seconds) {
  printf("{\"name\": \"limit/%s\", \"unit\": \"ms\", \"best\": %.6g, \"min\": %.9g, \"threads\": %d}\n", name.c_str(),
         seconds * 1e3, seconds, omp_get_max_threads());
  fflush(stdout);
}

/// Steps of recurrent networks and transformers.
void sequences();

}  // namespace limits
