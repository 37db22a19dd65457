// Pooling of sequences, images and volumes: one operator each.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/window/fractional_pool.h"
#include "core/ops/window/pool.h"

namespace luth::nn {

/// A pooling over n spatial dims. The stride is kernel_size where none is given; `beside.tuple` stands for settings
/// with a number for each dim.
template <int n, class Op, Text class_name, Beside beside = {}>
class Pooling : public OperatorModule<Op, class_name, beside> {
 public:
  using OperatorModule<Op, class_name, beside>::OperatorModule;
  void build() override {
    ops::PoolWindow& w = this->spec.window;
    w.check(n);
    if (!w.stride || w.stride->empty()) w.stride = w.kernel_size;
    if constexpr (!beside.tuple.empty())
      for (Ints* list : {&w.kernel_size, &*w.stride, &w.padding})
        while (list->size() < n) list->push_back(list->back());
    OperatorModule<Op, class_name, beside>::build();
  }
};

inline constexpr Beside max_pooling{.order = "kernel_size, stride, padding, dilation, return_indices, ceil_mode, base",
                                    .prints = "kernel_size, stride, padding, dilation, ceil_mode"};
inline constexpr Beside avg_pooling{.prints = "kernel_size, stride, padding"};
inline constexpr Beside avg_pooling_1d{.prints = "kernel_size, stride, padding",
                                       .tuple = "kernel_size, stride, padding"};
inline constexpr Beside unpooling{.order = "kernel_size, stride, padding, base",
                                  .prints = "kernel_size, stride, padding",
                                  .tuple = "kernel_size, stride, padding"};
/// Undoes a pooling by maxima, `m(x, indices, output_size)`; output_size may be left out.
template <int n, class Op, Text class_name>
class Unpooling final : public Pooling<n, Op, class_name, unpooling> {
 public:
  using Base = Pooling<n, Op, class_name, unpooling>;
  using Base::Base;
  std::vector<std::string> argument_names() const override { return {"input", "indices", "output_size"}; }
  ModuleRef fresh() const override { return ModuleRef(new Unpooling(this->spec)); }
  Values forward(const Values& in) override {
    std::optional<Ints> size;
    if (in.size() == 3 && in[2]) size = integers_of(in[2], "output_size");
    this->spec.output_size = size;
    return Base::forward(in.size() == 3 ? Values{in[0], in[1]} : in);
  }
};

inline constexpr Beside adaptive{.prints = "output_size"};
inline constexpr Beside fractional{
    .buffers = {"the numbers that place the windows, [N, C, dims]; nil: random ones"},
    .order = "kernel_size, output_size, output_ratio, return_indices, _random_samples, base",
    .prints = "none"};

using MaxPool1d = Pooling<1, ops::MaxPoolOf<1>, "MaxPool1d", max_pooling>;
using MaxPool2d = Pooling<2, ops::MaxPoolOf<2>, "MaxPool2d", max_pooling>;
using MaxPool3d = Pooling<3, ops::MaxPoolOf<3>, "MaxPool3d", max_pooling>;
using AvgPool1d = Pooling<1, ops::AvgPoolOf<1>, "AvgPool1d", avg_pooling_1d>;
using AvgPool2d = Pooling<2, ops::AvgPoolOf<2>, "AvgPool2d", avg_pooling>;
using AvgPool3d = Pooling<3, ops::AvgPoolOf<3>, "AvgPool3d", avg_pooling>;
using MaxUnpool1d = Unpooling<1, ops::MaxUnpool<1>, "MaxUnpool1d">;
using MaxUnpool2d = Unpooling<2, ops::MaxUnpool<2>, "MaxUnpool2d">;
using MaxUnpool3d = Unpooling<3, ops::MaxUnpool<3>, "MaxUnpool3d">;
using LPPool1d = OperatorModule<ops::LpPool<1>, "LPPool1d">;
using LPPool2d = OperatorModule<ops::LpPool<2>, "LPPool2d">;
using LPPool3d = OperatorModule<ops::LpPool<3>, "LPPool3d">;
using AdaptiveMaxPool1d = OperatorModule<ops::AdaptiveMaxPool<1>, "AdaptiveMaxPool1d", adaptive>;
using AdaptiveMaxPool2d = OperatorModule<ops::AdaptiveMaxPool<2>, "AdaptiveMaxPool2d", adaptive>;
using AdaptiveMaxPool3d = OperatorModule<ops::AdaptiveMaxPool<3>, "AdaptiveMaxPool3d", adaptive>;
using AdaptiveAvgPool1d = OperatorModule<ops::AdaptiveAvgPool<1>, "AdaptiveAvgPool1d">;
using AdaptiveAvgPool2d = OperatorModule<ops::AdaptiveAvgPool<2>, "AdaptiveAvgPool2d">;
using AdaptiveAvgPool3d = OperatorModule<ops::AdaptiveAvgPool<3>, "AdaptiveAvgPool3d">;

using FractionalMaxPool2d = OperatorModule<ops::FractionalMaxPool<2>, "FractionalMaxPool2d", fractional>;
using FractionalMaxPool3d = OperatorModule<ops::FractionalMaxPool<3>, "FractionalMaxPool3d", fractional>;

using Poolings =
    Types<MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d,
          LPPool1d, LPPool2d, LPPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d,
          AdaptiveAvgPool2d, AdaptiveAvgPool3d, FractionalMaxPool2d, FractionalMaxPool3d>;

}  // namespace luth::nn
