#include "core/nn/pad.h"

namespace luth::nn {

template <Padding kind, int n>
void Pad<kind, n>::build() {
  Ints& p = spec.padding;
  if (p.size() == 1) p = Ints(2 * n, p[0]);
  if (p.size() != 2 * n) throw Error("padding must be one number or {}, got {}", 2 * n, to_string(p));
}

namespace {
template <Padding kind>
using Pads = DefineModule<Pad<kind, 1>, Pad<kind, 2>, Pad<kind, 3>>;
const Pads<Padding::constant> constant_;
const Pads<Padding::zero> zero_;
const Pads<Padding::reflect> reflect_;
const Pads<Padding::replicate> replicate_;
const Pads<Padding::circular> circular_;
}  // namespace

}  // namespace luth::nn
