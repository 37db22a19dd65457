#include "core/nn/loss.h"

#include <algorithm>

namespace luth::nn {
namespace {
const DefineModule<Losses> losses_;
}

Values CTCLoss::forward(const Values& in) {
  Values all = in;
  for (size_t i = 2; i < all.size(); ++i) {
    if (!all[i].is_list()) continue;
    const Ints lengths = integers_of(all[i], i == 2 ? "input_lengths" : "target_lengths");
    Tensor t = Tensor::empty({int64_t(lengths.size())}, Dtype::i64, host());
    std::copy(lengths.begin(), lengths.end(), t.data<int64_t>());
    all[i] = t;
  }
  return Loss::forward(all);
}

}  // namespace luth::nn
