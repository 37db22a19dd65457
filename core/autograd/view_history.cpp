#include "core/autograd/view_history.h"

#include <algorithm>

#include "core/autograd/call_node.h"
#include "core/op/basics.h"

namespace luth {

// Backward of writing into a view: the base's gradient goes on with the written part replaced by what the operator's
// node makes of it. Edges: the base's old history, then the operator's other inputs.
class WriteIntoView final : public ViewWrite {
 public:
  WriteIntoView(Edge history, Ref<Node> write, const Tensor& base, const Tensor& part)
      : write_(std::move(write)), base_(region_of(base)), part_(region_of(part)) {
    static_cast<CallNode&>(*write_).whole = this;
    next.push_back(std::move(history));
    for (size_t i = 1; i < write_->next.size(); ++i) next.push_back(write_->next[i]);
    write_->next[0] = {};
    results.push_back(grad_spec_of(base));
    mark = write_->mark;
  }
  std::string name() const override { return "CopySlices"; }
  bool release() override { return write_->release(); }
  const Ref<Node>& write() const override { return write_; }

  Tensor part_of(const Tensor& saved) override {
    Tensor base = Tensor::alias(saved.storage(), base_.shape, base_.strides, base_.offset, saved.dtype());
    set_history(base, Ref<Node>(this), 0);
    return part_of(base, 0);
  }

  Tensors backward(const Tensors& dys) override {
    Tensors dx{like_base(dys[0])};
    basic::copy_into(dx[0], dys[0]);
    Tensor part = part_of(dx[0], base_.offset - dx[0].offset());
    Tensors inner = write_->backward({basic::clone(part)});
    // Only a fill writes into an expanded view, and its gradient is 0.
    if (inner[0] && !is_expanded(part.shape(), part.strides()))
      basic::copy_into(part, inner[0]);
    else
      basic::fill_into(part, 0);
    for (size_t i = 1; i < inner.size(); ++i) dx.push_back(inner[i]);
    return dx;
  }

 private:
  struct Region {
    Shape shape;
    Strides strides;
    int64_t offset;
  };
  static Region region_of(const Tensor& t) { return {t.shape(), t.strides(), t.offset()}; }

  Tensor part_of(const Tensor& base, int64_t shift) const {
    return basic::as_strided(base, part_.shape, part_.strides, part_.offset - shift);
  }
  // Memory in which base and part lie as they do in the base's storage.
  Tensor like_base(const Tensor& dy) const {
    int64_t low = std::min(base_.offset, part_.offset);
    int64_t high =
        std::max(reach(base_.shape, base_.strides, base_.offset), reach(part_.shape, part_.strides, part_.offset));
    Tensor memory = Tensor::empty({high - low}, dy.dtype(), dy.device());
    if (memory.numel() && memory.numel() != dy.numel()) memory.device().fill_zero(memory.raw(), memory.bytes());
    return Tensor::alias(memory.storage(), base_.shape, base_.strides, base_.offset - low, dy.dtype());
  }

  Ref<Node> write_;
  Region base_, part_;
};

void refresh_view(const Tensor& t) {
  ViewOf& view = *t.impl()->view;
  if (view.version == t.version() || view.without_grad || !view.base.requires_grad()) return;
  if (!(view.base.storage() == t.storage())) return;  // set_() has parted them
  if (view.base.dtype() != t.dtype()) return;         // other bits, no gradient
  auto& meta = t.impl()->meta;
  if (meta && !meta->node && meta->requires_grad) return;  // a leaf of its own
  GradMode on(true);
  Tensor again = basic::as_strided(view.base, t.shape(), t.strides(), t.offset());
  set_history(t, again.grad_fn(), 0);
}

void record_write(const Tensor& t, Ref<Node> write) {
  const Tensor base = t.impl()->view->base;
  Edge before = base.requires_grad() ? gradient_edge(base) : Edge{};
  set_history(base, make<WriteIntoView>(std::move(before), std::move(write), base, t), 0);
  refresh(t);
}

}  // namespace luth
