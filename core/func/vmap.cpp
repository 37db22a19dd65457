#include "core/func/vmap.h"

#include <functional>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth {
namespace func {
namespace {

thread_local VmapScope* current_ = nullptr;

// A step over the border of a batch: the gradient takes the step back.
class Border final : public Node {
 public:
  using Back = std::function<Tensor(const Tensor& dy)>;
  Border(const char* name, Back back) : name_(name), back_(std::move(back)) {}
  Tensors backward(const Tensors& dys) override { return {dys[0] ? back_(dys[0]) : Tensor()}; }
  std::string name() const override { return name_; }

 private:
  const char* name_;
  Back back_;
};

Tensor recorded(const Tensor& from, const Tensor& to, const char* name, Border::Back back) {
  if (!grad_enabled() || !from.requires_grad()) return to;
  Ref<Node> node(new Border(name, std::move(back)));
  node->next.push_back(gradient_edge(from));
  node->results.push_back(grad_spec_of(to));
  set_history(to, node, 0);
  return to;
}

// `t`, which lies on the device or within it, as a tensor on `device`.
Tensor on_device(const Tensor& t, BatchedDevice& device) {
  return &t.device() == &device ? t : basic::share_samples(t, device);
}

Tensor sum_samples(const Tensor& t) {
  auto& device = static_cast<BatchedDevice&>(t.device());
  return recorded(t, sum(samples_of(t), {.dim = {0}}), "SumSamplesBackward0",
                  [&device](const Tensor& dy) { return basic::share_samples(dy, device); });
}

}  // namespace

VmapScope::VmapScope(Device& device, int64_t size, Randomness randomness)
    : device_(batched_device(current_ ? static_cast<Device&>(current_->device()) : device, size, randomness)),
      outer_(std::exchange(current_, this)) {
  current_batch() = &device_;
  define_rules();
}
VmapScope::~VmapScope() {
  current_ = outer_;
  current_batch() = outer_ ? &outer_->device_ : nullptr;
}
VmapScope* VmapScope::current() { return current_; }

Tensor add_batch_dim(const Tensor& t, int64_t dim, BatchedDevice& device) {
  if (&t.device() != &device.inner() && !as_batched(device.inner()))
    throw Error("is on {}, and the others are on {}", t.device().name(), device.inner().name());
  const Tensor here = &t.device() == &device.inner() ? t : basic::share_samples(t, device.inner());
  if (here.dim() == 0) throw Error("a tensor without dims has no dim of samples");
  dim = wrap_dim(dim, here.dim());
  if (here.shape(dim) != device.size())
    throw Error("has {} samples in dim {}, and the others have {}", here.shape(dim), shown(dim), device.size());
  const Tensor first = movedim(here.detach(), {.source = {dim}, .destination = {0}});
  return recorded(here, of_samples(first, device), "AddBatchDimBackward0",
                  [&device, dim](const Tensor& dy) { return remove_batch_dim(dy, dim, device); });
}

Tensor remove_batch_dim(const Tensor& t, int64_t dim, BatchedDevice& device) {
  const Tensor there = on_device(t, device);
  const Tensor samples = clone(samples_of(there));
  dim = wrap_dim(dim, samples.dim());
  return recorded(there, movedim(samples, {.source = {0}, .destination = {dim}}), "RemoveBatchDimBackward0",
                  [&device, dim](const Tensor& dy) { return add_batch_dim(dy, dim, device); });
}

}  // namespace func

Tensor basic::share_samples(const Tensor& t, Device& device) {
  auto* batched = as_batched(device);
  if (&t.device() != &batched->inner()) {
    auto* inner = as_batched(batched->inner());
    return share_samples(
        inner && inner->encloses(t.device()) ? share_samples(t, *inner) : to_device(t, batched->inner()), device);
  }
  const Tensor all = expand(unsqueeze(t.detach(), {.dim = 0}), {.size = [&] {
                              Ints size{batched->size()};
                              for (int64_t n : t.shape()) size.push_back(n);
                              return size;
                            }()});
  return func::recorded(t, of_samples(all, *batched), "ShareSamplesBackward0", func::sum_samples);
}

}  // namespace luth
