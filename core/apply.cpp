// apply(): the one function that every operator passes. See op.h for the recipe.
#include "core/autograd.h"
#include "core/random.h"

namespace luth {
namespace {

thread_local Observer* observer_ = nullptr;

std::string arguments(const Inputs& in) {
  std::string s;
  for (auto& v : in) {
    if (!s.empty()) s += ", ";
    if (v.is_scalar())
      s += to_string(Attr(v.scalar()));
    else
      s += describe(v.tensor());
  }
  return s;
}

// Runs f and puts "add(float32[2], float32[3]): " before the text of its errors.
template <class F>
auto placed(const OpInfo& info, const Inputs& in, const char* suffix, F&& f) {
  try {
    return f();
  } catch (Error& e) {
    if (!e.placed()) e.place(info.face + suffix + "(" + arguments(in) + "): ");
    throw;
  }
}

// Kernels count on the places of optional inputs that were left out.
void fill_in(const OpInfo& info, Inputs& in) {
  while (in.size() < info.inputs.size() && info.inputs[in.size()].optional) in.emplace_back();
}

/// The device of the tensors; 0-dimensional CPU tensors mix with any. Null when there is no tensor.
Device* common_device(const OpInfo& info, Inputs& in) {
  Device* dev = nullptr;
  for (auto& v : in)
    if (v.is_tensor() && (!dev || (dev->on_host() && &v.tensor().device() != dev && v.dim() > 0)))
      dev = &v.tensor().device();
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& v = in[i];
    if (!v.is_tensor() || &v.tensor().device() == dev) continue;
    if (v.dim() == 0 && v.tensor().device().on_host() && info.broadcast) continue;
    std::string where;
    for (size_t k = 0; k < in.size(); ++k)
      if (in[k].is_tensor()) {
        auto& spec = info.inputs[std::min(k, info.inputs.size() - 1)];
        where += (where.empty() ? "" : ", ") + spec.name + " on " + in[k].tensor().device().name();
      }
    throw Error("all tensors must be on one device, but {}; move them with :to('{}')", where, dev->name());
  }
  return dev;
}

void promote_inputs(const OpInfo& info, Inputs& in) {
  const Value* first = nullptr;
  bool mixed = false;
  for (size_t i = info.promote_from; i < in.size(); ++i) {
    const Value& v = in[i];
    if (v.is_tensor() && !first) first = &v;
    if (v.is_scalar() || (v.is_tensor() && v.dtype() != first->dtype())) mixed = true;
  }
  if (!first && info.promote_from == 0) throw Error("expects at least one tensor");
  if (!mixed && (info.promote != Promote::floating || is_floating(first->dtype()))) return;
  Dtype d = result_type(Inputs(in.begin() + info.promote_from, in.end()));
  if (info.promote == Promote::floating && !is_floating(d)) d = default_dtype();
  for (size_t i = info.promote_from; i < in.size(); ++i)
    if (in[i].is_tensor() && in[i].dtype() != d) in[i] = cast_to(in[i].tensor(), d);
}

void broadcast_inputs(Inputs& in) {
  const Tensor* first = nullptr;
  bool same = true;
  for (auto& v : in)
    if (v.is_tensor()) {
      if (!first) first = &v.tensor();
      same = same && v.tensor().shape() == first->shape();
    }
  if (same) return;
  Shape shape = first->shape();
  for (auto& v : in)
    if (v.is_tensor()) shape = broadcast(shape, v.tensor().shape());
  for (auto& v : in)
    if (v.is_tensor() && !(v.tensor().shape() == shape)) v = expand_to(v.tensor(), shape);
}

// A random operator draws its place in the stream of its device's generator; the copy that holds it goes into the
// record.
OpValue reserve_random(const OpInfo& info, const void* op, Device& dev, const Specs& specs) {
  OpValue value(&info, op);
  PhiloxState& state = *info.philox(value.get());
  if (!state.set) state = default_generator(dev).reserve(specs[0].shape.numel(), specs[0].dtype);
  return value;
}

// Numbers alone make a 0-dimensional tensor, as in PyTorch: add(1, 2).
void make_one_a_tensor(const OpInfo& info, Inputs& in) {
  if (info.promote == Promote::none || info.promote_from != 0 || in.empty() || !in[0].is_scalar()) return;
  for (auto& v : in)
    if (v.is_tensor()) return;
  in[0] = Tensor::scalar(in[0].scalar(), result_type(in));
}

void prepare(const OpInfo& info, Call& call, Device*& dev) {
  make_one_a_tensor(info, call.in);
  dev = common_device(info, call.in);
  if (info.promote != Promote::none) promote_inputs(info, call.in);
  if (info.broadcast) broadcast_inputs(call.in);
}

void run_kernel(const OpInfo& info, Call& call, Device& dev) {
  if (!dev.has_data()) return;
  KernelFn kernel = info.kernels[dev.slot()];
  if (!kernel) throw Error("has no kernel for the {} device", dev.kind());
  kernel(call);
}

void allocate(Call& call, const Specs& specs, Device& dev) {
  for (auto& s : specs)
    call.out.push_back(
        Tensor::empty(s.shape, s.dtype, s.device ? *s.device : dev, s.strides.empty() ? nullptr : &s.strides));
}

void run_lower(const OpInfo& info, Call& call) {
  if (!info.vjp) {  // the operators inside record themselves
    call.out = info.lower(call.op, call.in);
    return;
  }
  Recording record(call);
  {
    NoGrad no_grad;
    call.out = info.lower(call.op, call.in);
  }
  for (auto& out : call.out)
    for (auto& v : call.in)
      if (v.is_tensor() && out && v.tensor().same(out)) out = out.detach();
  record.finish(call);
}

// A composite is one call to observers.
class Unobserved {
 public:
  ~Unobserved() { observer_ = before_; }

 private:
  Observer* before_ = std::exchange(observer_, nullptr);
};

void run_view(const OpInfo& info, Call& call) {
  const Tensor& in = call.in[0].tensor();
  if (!in) throw Error("expects a tensor");
  Tensor out = info.view(call.op, in);
  if (!out.same(in)) record_view(info, call.op, in, out);
  call.out.push_back(std::move(out));
}

// Runs call.info on call.in and fills call.out. The inputs are promoted and expanded in place.
void run(Call& call) {
  const OpInfo& info = *call.info;
  if (info.view) {
    run_view(info, call);
    if (observer_) observer_->called(call);
    return;
  }
  Device* dev;
  prepare(info, call, dev);
  if (!info.infer || (info.lower && dev && !info.kernels[dev->slot()] && dev->has_data())) {
    if (!info.lower) throw Error("is not implemented on this device");
    {
      Unobserved hide;
      run_lower(info, call);
    }
    if (observer_) observer_->called(call);
    return;
  }
  Specs specs = info.infer(call.op, call.in);
  if (!dev) dev = specs.empty() || !specs[0].device ? &default_device() : specs[0].device;
  OpValue random;
  if (info.random) {
    random = reserve_random(info, call.op, *dev, specs);
    call.op = random.get();
  }
  Recording record(call);
  allocate(call, specs, *dev);
  run_kernel(info, call, *dev);
  record.finish(call);
  if (observer_) observer_->called(call);
}

/// PyTorch's rule for results that are given: float results do not go into integers, nor anything but bool into bool.
void check_castable(Dtype from, Dtype to) {
  auto rank = [](Dtype d) { return d == Dtype::boolean ? 0 : is_floating(d) ? 2 : 1; };
  if (rank(from) > rank(to)) throw Error("the result is {} and cannot be written into {}", name(from), name(to));
}

bool writes_itself_twice(const Tensor& t) {
  for (int i = 0; i < t.dim(); ++i)
    if (t.strides()[i] == 0 && t.shape()[i] > 1) return true;
  return false;
}
bool partly_overlap(const Tensor& a, const Tensor& b) {
  if (!(a.storage() == b.storage()) || a.numel() == 0 || b.numel() == 0) return false;
  if (a.offset() == b.offset() && a.strides() == b.strides() && a.shape() == b.shape() && a.dtype() == b.dtype())
    return false;
  auto last = [](const Tensor& t) {
    int64_t n = t.offset();
    for (int i = 0; i < t.dim(); ++i) n += (t.shape()[i] - 1) * t.strides()[i];
    return (n + 1) * int64_t(size_of(t.dtype()));
  };
  auto first = [](const Tensor& t) { return t.offset() * int64_t(size_of(t.dtype())); };
  if (last(a) <= first(b) || last(b) <= first(a)) return false;
  // Interleaved columns of one matrix share a range and no element; with equal strides the offset decides.
  if (a.strides() == b.strides() && a.dtype() == b.dtype() && a.dim() > 0) {
    int64_t gap = std::abs(a.offset() - b.offset()), step = 1 << 30;
    for (int i = 0; i < a.dim(); ++i)
      if (a.shape()[i] > 1) step = std::min(step, a.strides()[i]);
    if (gap % step != 0) return false;
  }
  return true;
}

void check_overlap(const Tensor& self, const Inputs& in) {
  if (writes_itself_twice(self))
    throw Error("the tensor to write has several elements in one place (it was expanded); clone() it first");
  for (auto& v : in)
    if (v.is_tensor() && partly_overlap(self, v.tensor()))
      throw Error("the tensor to write overlaps an input in part; clone() the input first");
}

Tensor write_back(const Tensor& self, const Tensor& result) {
  check_castable(result.dtype(), self.dtype());
  if (!(result.shape() == self.shape()))
    throw Error("the result has shape {} and does not fit into {}", to_string(result.shape()), to_string(self.shape()));
  static const OpInfo& copy = find_op("copy");
  return apply_inplace(copy, nullptr, {self, result});
}

// Runs an elementwise (or overwriting) kernel straight into `target`, when the dtype of the result allows it; false:
// nothing was done but the preparation of the inputs.
bool run_into(Call& call, const Tensor& target, bool inplace) {
  const OpInfo& info = *call.info;
  if (!(info.elementwise || info.overwrites) || !info.infer) return false;
  Device* dev;
  Tensor self = inplace ? call.in[0].tensor() : Tensor();
  prepare(info, call, dev);
  if ((!info.kernels[dev->slot()] && dev->has_data()) || (inplace && !call.in[0].tensor().same(self))) return false;
  Specs specs = info.infer(call.op, call.in);
  if (specs[0].dtype != target.dtype() || &target.device() != dev) return false;
  if (!(specs[0].shape == target.shape())) {
    if (!inplace) return false;
    throw Error("the result has shape {} and does not fit into {}", to_string(specs[0].shape),
                to_string(target.shape()));
  }
  check_overlap(target, call.in);
  OpValue random;
  if (info.random) {
    random = reserve_random(info, call.op, *dev, specs);
    call.op = random.get();
  }
  Recording record(call, inplace);
  call.out.push_back(target.detach());
  run_kernel(info, call, *dev);
  target.storage()->written(&info);
  if (inplace) record.finish(call, &target);
  call.out[0] = target;
  call.inplace = inplace;
  if (observer_) observer_->called(call);
  return true;
}

Tensor run_inplace(const OpInfo& info, const void* op, Inputs in) {
  Tensor self = in[0].tensor();
  if (!self) throw Error("expects a tensor to write into");
  check_inplace(self);
  Call call{&info, op, std::move(in), {}};
  if (run_into(call, self, true)) return self;
  if (grad_enabled() && self.requires_grad()) {  // what is saved of it must not be overwritten
    static const OpInfo& clone = find_op("clone");
    call.in[0] = apply(clone, nullptr, {self})[0];
  }
  run(call);
  return write_back(self, call.out[0]);
}

Tensors run_out(const OpInfo& info, const void* op, Inputs in, Tensors out) {
  for (auto& v : in)
    if (v.is_tensor() && grad_enabled() && v.tensor().requires_grad())
      throw Error("out= does not record gradients; drop it or use torch.no_grad()");
  NoGrad no_grad;
  Call call{&info, op, std::move(in), {}};
  if (out.size() == 1 && run_into(call, out[0], false)) return out;
  run(call);
  const Tensors& results = call.out;
  if (results.size() != out.size()) throw Error("out= expects {} tensors, got {}", results.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    check_castable(results[i].dtype(), out[i].dtype());
    if (!(out[i].shape() == results[i].shape())) out[i].resize(results[i].shape());
    write_back(out[i], results[i]);
  }
  return out;
}

}  // namespace

Observer::~Observer() = default;
Observer* observer() { return observer_; }
Observer* set_observer(Observer* o) { return std::exchange(observer_, o); }

Dtype result_type(const Inputs& in) {
  constexpr int none = -1;
  int dimmed = none, zero_dim = none, number = none;
  auto merge = [](int& into, Dtype d) { into = into == none ? int(d) : int(promote(Dtype(into), d)); };
  for (auto& v : in) {
    if (v.is_scalar())
      merge(number, v.dtype());
    else if (v.is_tensor())
      merge(v.dim() ? dimmed : zero_dim, v.dtype());
  }
  auto category = [](int d) { return d == none ? -1 : d == int(Dtype::boolean) ? 0 : is_floating(Dtype(d)) ? 2 : 1; };
  auto combine = [&](int strong, int weak) {
    if (weak == none || category(strong) >= category(weak)) return strong == none ? weak : strong;
    return strong == none ? weak : int(promote(Dtype(strong), Dtype(weak)));
  };
  // A weaker operand counts only where its category is higher, and then brings its own dtype (a float number: the
  // default).
  int d = combine(combine(dimmed, zero_dim), number);
  return d == none ? default_dtype() : Dtype(d);
}

Tensors apply(const OpInfo& info, const void* op, Inputs in) {
  OpValue defaults;
  if (!op) {
    defaults = info.make();
    op = defaults.get();
  }
  fill_in(info, in);
  Call call{&info, op, std::move(in), {}};
  try {
    run(call);
  } catch (Error& e) {
    if (!e.placed()) e.place(info.face + "(" + arguments(call.in) + "): ");
    throw;
  }
  return std::move(call.out);
}

Tensor apply_inplace(const OpInfo& info, const void* op, Inputs in) {
  OpValue defaults;
  if (!op) {
    defaults = info.make();
    op = defaults.get();
  }
  fill_in(info, in);
  return placed(info, in, "_", [&] { return run_inplace(info, op, in); });
}

Tensors apply_out(const OpInfo& info, const void* op, Inputs in, Tensors out) {
  fill_in(info, in);
  return placed(info, in, "", [&] { return run_out(info, op, in, std::move(out)); });
}

}  // namespace luth
