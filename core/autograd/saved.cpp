#include "core/autograd/saved.h"

#include "core/tensor/source_mark.h"

namespace luth {
namespace {

thread_local Packer* packer_ = nullptr;

// The tensor of an input whose value is packed: what unpack() gives, with the history of the input.
class WithHistory final : public Packed {
 public:
  WithHistory(Ref<Packed> value, Edge history) : value_(std::move(value)), history_(std::move(history)) {}
  Tensor unpack() override {
    Tensor t = value_->unpack().detach();
    set_history(t, history_.node, history_.nr);
    return t;
  }
  Refers refers() const override { return {.packed = &value_, .node = &history_.node}; }

 private:
  Ref<Packed> value_;
  Edge history_;
};

Ref<Packed> pack(const Tensor& t, bool history) {
  Packer* by = std::exchange(packer_, nullptr);  // what packing does is not packed
  struct Back {
    Packer* by;
    ~Back() { packer_ = by; }
  } back{by};
  Ref<Packed> value = by->pack(t);
  if (!history) return value;
  return make<WithHistory>(std::move(value), gradient_edge(t));
}

// The value, unless its memory was given back: then a kernel would read none.
Tensor present(const Tensor& t, const Node& who) {
  if (t && t.numel() && !t.storage()->bytes())
    throw Error(
        "{}{}: a value that backward needs ({}) is not here: its memory was given back, as that of sharded parameters "
        "is "
        "between their uses",
        who.name(), at_source_mark(who.mark), describe(t));
  return t;
}

}  // namespace

Packed::~Packed() = default;
Packer::~Packer() = default;
Packer* packer() { return packer_; }
Packer* set_packer(Packer* p) { return std::exchange(packer_, p); }

Saved::Saved(const Tensor& t, int place) : place_(place) {
  if (is_inference(*t.storage()))
    throw Error(
        "an inference tensor ({}) cannot be kept for backward; clone() it, or use torch.no_grad() instead of "
        "torch.inference_mode()",
        describe(t));
  const bool leaf = packer_ && t.requires_grad() && t.is_leaf();  // lives anyway, and is to be found by its users
  if (packer_ && !leaf) {
    packed_ = pack(t, !is_result() && t.requires_grad());
  } else {
    tensor_ = t;
    storage_ = t.storage();
    version_ = t.version();
  }
}

Saved Saved::shape_of(const Tensor& t, int place) {
  Saved s;
  s.place_ = place;
  s.tensor_ = Tensor::alias(make<Storage>(t.device(), 0), t.shape(), t.strides(), 0, t.dtype());
  s.tensor_.impl()->offset = t.offset();  // alias() has none without memory
  return s;
}

Tensor Saved::unpack(const Node& who) const {
  if (const Ref<Packed> held = packed_) return present(held->unpack(), who);
  if (!storage_) return tensor_;
  if (!(tensor_.storage() == storage_))
    throw Error("{}{}: a value that backward needs was given other memory, that of {}; clone() it before", who.name(),
                at_source_mark(who.mark), describe(tensor_));
  if (tensor_.version() != version_) overwritten(who);
  return present(tensor_, who);
}

void Saved::overwritten(const Node& who) const {
  const OpInfo* writer = storage_->writer();
  throw Error("{}{}: a value that backward needs ({}) was overwritten in place{}{}; clone() it before it is written",
              who.name(), at_source_mark(who.mark), describe(tensor_), writer ? " by " + writer->lua_name + "_" : "",
              at_source_mark(writer_mark(*storage_)));
}

void Saved::forget(Tensors& into) {
  if (tensor_) into.push_back(std::move(tensor_));
  *this = {};
}

}  // namespace luth
