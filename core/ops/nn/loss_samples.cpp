// Cases to test the operators of loss.h with.
#include "core/ops/common/sample_tensors.h"
#include "core/ops/nn/loss.h"
namespace luth::ops {
namespace {

Tensor positive(const Shape& s) {
  return sample_of(s, [](int64_t i) { return 0.1 + 0.05 * double((i * 5 + 2) % 9); });
}
/// Labels 0, 1, …, classes - 1 over and over, from `base`.
Tensor labels(const Shape& s, int64_t classes, int base = 0) {
  return sample_of(s, [&](int64_t i) { return (i * 2 + 1) % classes + base; });
}
template <class Op>
Cases<Op> of_pairs(double lo = -2, double hi = 2) {
  return {{{}, {{2, 3}, {2, 3}}, lo, hi},
          {{.reduction = "sum"}, {{3}, {3}}, lo, hi},
          {{.reduction = "none"}, {{2, 2}, {2, 2}}, lo, hi},
          {{}, {{}, {}}, lo, hi}};
}
// The same for losses that take weights, and one with them.
template <class Op>
Cases<Op> of_weighted_pairs() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), sample_values({2, 3}, -0.2), Value()};
           }},
          {{.reduction = "sum"},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3}, 0.25), sample_values({3}, -0.2), Value()};
           }},
          {{.reduction = "none"},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 2}, 0.25), sample_values({2, 2}, -0.2), positive({2, 2})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), sample_values({2, 3}, -0.2), positive({2, 3})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_values({}, 0.25), sample_values({}, -0.2), Value()};
           }}};
}
// No weights here: they have no gradient, which the generated tests would look for; the goldens have them.
template <class Op>
Cases<Op> of_labels() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), labels({3}, 4), Value()};
           }},
          {{.ignore_index = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3, 2}, 0.25), labels({2, 2}, 3), Value()};
           }},
          {{.reduction = "sum", .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), labels({3}, 4, 1), Value()};
           }},
          {{.reduction = "none"}, {}, 0, 0, [] {
             return Inputs{sample_values({4}, 0.25), labels({}, 4), Value()};
           }}};
}
template <class Op>
Cases<Op> of_smooth_labels() {
  Cases<Op> c = of_labels<Op>();
  c.push_back({{.label_smoothing = 0.2}, {}, 0, 0, [] {
                 return Inputs{sample_values({3, 4}, 0.25), labels({3}, 4), Value()};
               }});
  return c;
}

}  // namespace

Cases<CrossEntropy> CrossEntropy::samples() {
  Cases<CrossEntropy> c = of_smooth_labels<CrossEntropy>();
  c.push_back({{.label_smoothing = 0.1}, {}, 0, 0, [] {
                 return Inputs{sample_values({2, 3}, 0.25), positive({2, 3}), Value()};
               }});
  c.push_back({{.reduction = "none"}, {}, 0, 0, [] {
                 return Inputs{sample_values({2, 3, 2}, 0.25), positive({2, 3, 2}), Value()};
               }});
  return c;
}
Cases<CrossEntropyLabels> CrossEntropyLabels::samples() { return of_smooth_labels<CrossEntropyLabels>(); }
Cases<CrossEntropyBackward> CrossEntropyBackward::samples() {
  return {
      {{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({3}, 0.25), sample_values({3, 4}, 0.25), positive({3}), labels({3}, 4), Value()};
       }},
      {{.label_smoothing = 0.2}, {}, 0, 0, [] {
         return Inputs{sample_values({2, 2}, 0.25), sample_values({2, 3, 2}, 0.25), positive({2, 2}), labels({2, 2}, 3),
                       Value()};
       }}};
}
Cases<NllLoss> NllLoss::samples() { return of_labels<NllLoss>(); }
Cases<NllLossLabels> NllLossLabels::samples() { return of_labels<NllLossLabels>(); }
Cases<NllLossBackward> NllLossBackward::samples() {
  return {{{.shape = {3, 4}},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3}, 0.25), labels({3}, 4)};
           }},
          {{.shape = {2, 3, 2}, .base = 1}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 2}, 0.25), labels({2, 2}, 3, 1)};
           }}};
}
Cases<MseLoss> MseLoss::samples() { return of_weighted_pairs<MseLoss>(); }
Cases<L1Loss> L1Loss::samples() { return of_weighted_pairs<L1Loss>(); }
Cases<SmoothL1Loss> SmoothL1Loss::samples() {
  Cases<SmoothL1Loss> c = of_pairs<SmoothL1Loss>();
  c.push_back({{.beta = 0.5}, {{3, 2}, {3, 2}}});
  c.push_back({{.beta = 0}, {{3}, {3}}});
  return c;
}
Cases<HuberLoss> HuberLoss::samples() {
  Cases<HuberLoss> c = of_weighted_pairs<HuberLoss>();
  c.push_back({{.delta = 0.5}, {}, 0, 0, [] {
                 return Inputs{sample_values({3, 2}, 0.25), sample_values({3, 2}, -0.2), Value()};
               }});
  return c;
}
Cases<BinaryCrossEntropy> BinaryCrossEntropy::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{positive({2, 3}), positive({2, 3}), Value()};
           }},
          {{.reduction = "sum"},
           {},
           0,
           0,
           [] {
             return Inputs{positive({2, 3}), positive({2, 3}), sample_values({3}, 0.25)};
           }},
          {{.reduction = "none"}, {}, 0, 0, [] {
             return Inputs{positive({2}), positive({2}), Value()};
           }}};
}
Cases<BinaryCrossEntropyWithLogits> BinaryCrossEntropyWithLogits::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), positive({2, 3}), Value(), Value()};
           }},
          {{.reduction = "sum"},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), positive({2, 3}), sample_values({3}, 0.25), positive({3})};
           }},
          {{.reduction = "none"}, {}, 0, 0, [] {
             return Inputs{sample_values({2}, 0.25), positive({2}), Value(), positive({2})};
           }}};
}
Cases<KlDiv> KlDiv::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), positive({2, 3})};
           }},
          {{.reduction = "batchmean"},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), positive({2, 3})};
           }},
          {{.reduction = "sum", .log_target = true},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3}, 0.25), sample_values({3}, 0.25)};
           }},
          {{.reduction = "none"}, {}, 0, 0, [] {
             return Inputs{sample_values({3}, 0.25), positive({3})};
           }}};
}

}  // namespace luth::ops
