// Transforms of lists of tokens. Names and settings are those of torchtext's.
#include <algorithm>

#include "core/data/transform.h"
#include "core/ops/elementwise/copy.h"

namespace luth::data {
namespace {

// `n` elements along the first dim: those of `from`, then, or before them, `value`.
Tensor with_length(const Tensor& from, int64_t n, double value, bool left, const char* who) {
  if (from.dim() < 1) throw Error("{} takes a sequence, got {}", who, describe(from));
  const Tensor dense = dense_copy(from);
  Shape shape = from.shape();
  const int64_t had = shape[0], row = had ? from.numel() / had : 1;
  shape[0] = n;
  Tensor out = Tensor::empty(shape, from.dtype(), host());
  const size_t size = size_of(from.dtype());
  dispatch(AllTypes{}, from.dtype(),
           [&]<class T>(Type<T>) { std::fill_n(out.data<T>(), out.numel(), Scalar(value).to<T>()); });
  const int64_t kept = std::min(had, n), gap = left ? n - kept : 0;
  std::copy_n(static_cast<const char*>(dense.raw()), size_t(kept * row) * size,
              static_cast<char*>(out.raw()) + size_t(gap * row) * size);
  return out;
}

struct Truncate {
  static constexpr const char *name = "Truncate", *brief = "The first elements of a sequence.";
  int64_t max_seq_len = 0;
  void describe(auto& field) { field("max_seq_len", max_seq_len, "how many stay", as::required); }
  void check() const {
    if (max_seq_len < 1) throw Error("Truncate: max_seq_len is at least 1, got {}", max_seq_len);
  }
  Tensor run(const Tensor& x, Random&) const {
    return x.dim() > 0 && x.shape()[0] <= max_seq_len ? x : with_length(x, max_seq_len, 0, false, name);
  }
};

struct RandomTruncate {
  static constexpr const char *name = "RandomTruncate", *brief = "A stretch of a sequence, at a random place.";
  int64_t max_seq_len = 0;
  void describe(auto& field) { field("max_seq_len", max_seq_len, "its length", as::required); }
  void check() const {
    if (max_seq_len < 1) throw Error("RandomTruncate: max_seq_len is at least 1, got {}", max_seq_len);
  }
  Tensor run(const Tensor& x, Random& random) const {
    if (x.dim() < 1) throw Error("RandomTruncate takes a sequence, got {}", luth::describe(x));
    if (x.shape()[0] <= max_seq_len) return x;
    Shape shape = x.shape();
    const int64_t begin = random.integer(0, shape[0] - max_seq_len + 1);
    shape[0] = max_seq_len;
    return dense_copy(Tensor::alias(x.storage(), shape, x.strides(), x.offset() + begin * x.strides()[0], x.dtype()));
  }
};

struct PadTransform {
  static constexpr const char *name = "PadTransform", *brief = "A sequence, and what makes it as long as others.";
  int64_t max_length = 0;
  double pad_value = 0;
  std::string side = "right";
  void describe(auto& field) {
    field("max_length", max_length, "length of the result; longer sequences stay as they are", as::required);
    field("pad_value", pad_value, "what is added; tokens count from 1, so 0 is none", as::required);
    field("side", side, "'right' or 'left': where it is added");
  }
  void check() const {
    if (max_length < 1) throw Error("PadTransform: max_length is at least 1, got {}", max_length);
    if (side != "right" && side != "left") throw Error("PadTransform: side is 'right' or 'left', got '{}'", side);
  }
  Tensor run(const Tensor& x, Random&) const {
    const bool enough = x.dim() > 0 && x.shape()[0] >= max_length;
    return enough ? x : with_length(x, max_length, pad_value, side == "left", name);
  }
};

}  // namespace

const std::vector<TransformClass>& text_transforms() {
  static const auto& list = *new std::vector<TransformClass>{
      transform_class<Truncate>(), transform_class<RandomTruncate>(), transform_class<PadTransform>()};
  return list;
}

}  // namespace luth::data
