// Products of bfloat16 by oneDNN, for its versions 2 and 3.
#include <bit>

#include "devices/cpu/libraries/onednn.h"

namespace luth::cpu {
namespace {

#if DNNL_VERSION_MAJOR >= 3
dnnl::matmul::primitive_desc matmul_desc(const Desc& a, const Desc& b, const Desc& c,
                                         const dnnl::primitive_attr& attr) {
  return {engine(), a, b, c, attr};
}
void scale(dnnl::post_ops& steps, float factor) { steps.append_eltwise(dnnl::algorithm::eltwise_linear, factor, 0); }
#else
dnnl::matmul::primitive_desc matmul_desc(const Desc& a, const Desc& b, const Desc& c,
                                         const dnnl::primitive_attr& attr) {
  return {dnnl::matmul::desc(a, b, c), attr, engine()};
}
void scale(dnnl::post_ops& steps, float factor) { steps.append_eltwise(1, dnnl::algorithm::eltwise_linear, factor, 0); }
#endif

struct MatmulShape {
  int64_t m, n, k, alpha, beta, wide;  // alpha, beta: the bits of floats
  bool operator==(const MatmulShape&) const = default;
};

// Null where oneDNN has no kernel of blocks (brgemm) for it: those are its fast ones, and take dense operands alone.
std::shared_ptr<const Primitive> make_matmul(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps) {
  const Desc a({m, k}, bf16, Tag::ab), b({k, n}, bf16, Tag::BA16a64b2a), c({m, n}, steps.wide ? f32 : bf16, Tag::ab);
  auto attr = attributes();
  dnnl::post_ops posts;
  if (steps.alpha != 1) scale(posts, steps.alpha);
  if (steps.beta != 0) posts.append_sum(steps.beta);
  attr.set_post_ops(posts);
  auto pd = matmul_desc(a, b, c, attr);
  if (!std::strstr(pd.impl_info_str(), "brg")) return nullptr;
  return make_primitive<dnnl::matmul>(pd, {{DNNL_ARG_SRC, a, a}, {DNNL_ARG_WEIGHTS, b, b}}, {DNNL_ARG_DST, c, c});
}

}  // namespace

bool dnn_has_bf16() {
  static const bool has = dnnl_get_effective_cpu_isa() >= dnnl_cpu_isa_avx512_core_bf16;
  return has;
}

std::shared_ptr<const Primitive> dnn_bf16_product(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps) {
  one_thread();
  static auto& cache = *new Cache<MatmulShape>;
  std::shared_ptr<const Primitive> p;
  const auto bits = [](float x) { return int64_t(std::bit_cast<uint32_t>(x)); };
  translated("product", [&] {
    p = cache.get({m, n, k, bits(steps.alpha), bits(steps.beta), steps.wide},
                  [&] { return if_implemented([&] { return make_matmul(m, n, k, steps); }); });
  });
  return p;
}

void dnn_multiply_bf16(const std::shared_ptr<const Primitive>& product, const bfloat16* a, const bfloat16* b, void* c) {
  one_thread();
  translated("product", [&] { execute(product, {a, b}, c, nullptr); });
}

}  // namespace luth::cpu
