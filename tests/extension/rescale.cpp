// A module of a library: a learnt factor for each feature, and mine::affine behind it.
#include "affine.h"
#include "core/nn/linear.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"

namespace mine {

struct RescaleSpec {
  static constexpr const char* name = "mine.Rescale";
  static constexpr const char* brief = "a learnt factor for each feature, times a, plus b";
  int64_t features = 0;
  double a = 1, b = 0;
  luth::nn::Factory factory;
  void describe(auto& field) {
    field("features", features, "size of the last dim", luth::as::required);
    field("a", a, "the factor for all");
    field("b", b, "the summand for all");
    factory.describe(field);
  }
};
class Rescale final : public luth::nn::Layer<Rescale, RescaleSpec> {
 public:
  using Layer::Layer;
  void build() override {
    luth::nn::need_at_least("mine.Rescale", "features", spec.features, 1);
    register_parameter("weight",
                       luth::nn::as_parameter(luth::basic::fill_into(spec.factory.empty({spec.features}), 1)));
  }
  luth::Tensor run(const luth::Tensor& x) { return affine(luth::mul(x, parameter(0)), {.a = spec.a, .b = spec.b}); }
};
const luth::nn::DefineModule<Rescale> rescale_;

}  // namespace mine
