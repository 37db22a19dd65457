// apply(): the one function that every operator passes. See op.h for the recipe.
#include "core/autograd/autograd.h"
#include "core/autograd/saved.h"
#include "core/autograd/view_history.h"
#include "core/base/error_context.h"
#include "core/dispatch/apply_out.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/fresh.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/half_numbers.h"
#include "core/dispatch/prepare.h"
#include "core/dispatch/target.h"
#include "core/dispatch/write_out.h"
#include "core/op/basics.h"
#include "core/tensor/batched_device.h"
#include "core/tensor/profiler.h"
#include "core/tensor/record_stream.h"
#include "core/tensor/source_mark.h"
#include "core/tensor/uninitialised.h"

namespace luth {
namespace {

thread_local Observer* observer_ = nullptr;
std::string (*script_line_hook)() = nullptr;

// Without those at the end that are absent.
std::string arguments(const Inputs& in) {
  auto n = in.size();
  while (n > 0 && !in[n - 1]) --n;
  std::string s;
  for (decltype(n) i = 0; i < n; ++i) {
    if (i > 0) s += ", ";
    s += in[i].is_scalar() ? to_string(Attr(in[i].scalar())) : describe(in[i].tensor());
  }
  return s;
}

// "add(float32[2], float32[3]): "
std::string place_of(const OpInfo& info, const Inputs& in, const char* suffix = "") {
  return info.lua_name + suffix + "(" + arguments(in) + "): ";
}

[[gnu::noinline]] void fill_list(const OpInfo& info, Inputs& in) {
  while (in.size() < info.inputs.size() && info.inputs[in.size()].optional) in.emplace_back();
  if (info.inputs.empty() || !info.inputs.back().list || info.inputs.back().optional) return;
  for (size_t first = info.inputs.size() - 1, i = first; i < in.size(); ++i)
    if (!in[i].is_tensor())
      throw Error("{}: element {} of the list is no tensor", info.lua_name, shown(int64_t(i - first)));
}
// Kernels count on the places of optional inputs that were left out, and on the tensors of lists. Nothing computes with
// a tensor without a shape.
inline void fill_in(const OpInfo& info, Inputs& in) {
  for (auto& v : in)
    if (v.is_tensor()) check_initialised(v.tensor(), info.lua_name);
  if (in.size() != info.inputs.size() || (!in.empty() && info.inputs.back().list)) fill_list(info, in);
}

// Numbers that a function of one sample draws for a tensor which is the same in all samples.
void check_randomness(Device& dev) {
  const BatchedDevice* batch = current_batch();
  if (!batch || &dev == batch || batch->randomness() == Randomness::same) return;
  if (batch->randomness() == Randomness::error)
    throw Error("draws random numbers within vmap; say {{randomness = 'different'}} or {{randomness = 'same'}}");
  throw Error(
      "draws the same random numbers for all samples of a vmap that wants different ones; torch.rand_like(x) of a "
      "sample x draws others for each");
}

// A random operator draws its place in the stream of its device's generator; the copy that holds it goes into the
// record.
OpValue reserve_random(const OpInfo& info, const void* op, Device& dev, const Specs& specs) {
  OpValue value(&info, op);
  PhiloxState& state = *info.philox(value.get());
  if (!state.set) {
    check_randomness(dev);
    state = generator_for(dev).reserve(specs[0].shape.numel(), specs[0].dtype);
  }
  return value;
}

void run_kernel(const OpInfo& info, Call& call, Device& dev) {
  if (!dev.has_data()) return;
  KernelFn kernel = info.kernels[dev.slot()];
  if (!kernel && as_batched(dev))
    throw Error("has no batching rule, so that vmap cannot take it; loop over the samples");
  if (!kernel) throw Error("has no kernel for the {} device", dev.kind());
  if (dev.current_stream()) {
    for (auto& v : call.in)
      if (v.is_tensor()) record_current_stream(v.tensor());
    for (auto& t : call.out) record_current_stream(t);
  }
  const uint32_t numbers = info.traits.elementwise ? half_numbers(call) : 0;
  if (!numbers) return kernel(call);
  Call rounded = with_half_numbers(call, numbers);
  kernel(rounded);
}

void observe(const Call& call) {
  if (observer_) observer_->called(call);
}

void allocate(Call& call, const Specs& specs, Device& dev) {
  for (auto& s : specs)
    call.out.emplace_back(Made{[&] {
      return Tensor::empty(s.shape, s.dtype, s.device ? *s.device : dev, s.strides.empty() ? nullptr : &s.strides);
    }});
}

void run_lower(const OpInfo& info, Call& call) {
  if (!info.vjp) {  // the operators inside record themselves
    call.out = info.decompose(call.op, call.in);
    return;
  }
  Recording record(call);
  {
    NoGrad no_grad;
    call.out = info.decompose(call.op, call.in);
  }
  for (auto& out : call.out)
    for (auto& v : call.in)
      if (v.is_tensor() && out && v.tensor().same(out)) out = out.detach();
  mark_parts(call);
  record.finish(call);
}

// What a kernel writes for `t`: without history.
Tensor plain(const Tensor& t) { return t.impl()->meta || t.impl()->view ? t.detach() : t; }

// A composite is one call to observers.
class Unobserved {
 public:
  ~Unobserved() { observer_ = before_; }

 private:
  Observer* before_ = std::exchange(observer_, nullptr);
};

void run_view(const OpInfo& info, Call& call) {
  if (!call.in[0]) check_given(info, call.in);
  const Tensor& in = call.in[0].tensor();
  Tensor out = info.view(call.op, in);
  if (!out.same(in)) record_view(info, call.op, in, out);
  call.out.emplace_back(std::move(out));
}

// One kernel, with what belongs to it: random numbers, the record, the observer. The result goes into `into` where that
// is given (in place: it is in[0] too), and into new tensors as `specs` says where it is not.
void execute(Call& call, const Specs& specs, Device& dev, const Tensor* into = nullptr) {
  const OpInfo& info = *call.info;
  OpValue random;
  if (info.random) {
    random = reserve_random(info, call.op, dev, specs);
    call.op = random.get();
  }
  Recording record(call);
  if (into)
    call.out.emplace_back(plain(*into));
  else
    allocate(call, specs, dev);
  run_kernel(info, call, dev);
  if (into) into->storage()->written(&info), note_writer(*into->storage());
  record.finish(call, call.inplace ? into : nullptr);
  if (into && !call.out[0].same(*into)) call.out[0] = *into;
  observe(call);
}

// Runs call.info on call.in and fills call.out. The inputs are promoted and expanded in place.
void run(Call& call) {
  const OpInfo& info = *call.info;
  if (info.view) {
    run_view(info, call);
    return observe(call);
  }
  Device* dev = prepare(info, call.in);
  if (!info.infer || (info.decompose && dev && !info.kernels[dev->slot()] && dev->has_data())) {
    if (!info.decompose) throw Error("is not implemented on this device");
    {
      Unobserved hide;
      run_lower(info, call);
    }
    return observe(call);
  }
  Specs specs = info.infer(call.op, call.in);
  if (!dev) dev = specs.empty() || !specs[0].device ? &default_device() : specs[0].device;
  execute(call, specs, *dev);
}

// In the scope of autocast: what the operator is made of is not looked at again.
void run_autocast(Call& call) {
  autocast_inputs(*call.info, call.in);
  NoAutocast inside;
  run(call);
}

// Runs a kernel straight into `target`, when the dtype of the result allows it: an elementwise or overwriting one,
// which take any layout, or with out= another that finds there what would be allocated. false: nothing was done but the
// preparation of the inputs.
bool run_into(Call& call, const Tensor& target, bool inplace) {
  const OpInfo& info = *call.info;
  const bool any_layout = info.traits.elementwise || info.traits.overwrites;
  if (!info.infer || (inplace && !any_layout)) return false;
  Device* dev = prepare(info, call.in);
  if (!dev || (!info.kernels[dev->slot()] && dev->has_data()) || (inplace && !call.in[0].tensor().same(target)))
    return false;
  Specs specs = info.infer(call.op, call.in);
  if (specs[0].dtype != target.dtype() || &target.device() != dev) return false;
  if (!any_layout && !stands_for_new(target, specs, call.in)) return false;
  if (!(specs[0].shape == target.shape())) {
    if (!inplace) return false;
    throw Error("the result has shape {} and does not fit into {}", to_string(specs[0].shape),
                to_string(target.shape()));
  }
  call.inplace = inplace;
  separate(call, target);
  execute(call, specs, *dev, &target);
  return true;
}

// x:t_() and the like: the tensor itself becomes the view, with its history.
Tensor become_view(Call& call, const Tensor& self) {
  run_view(*call.info, call);
  const Tensor& v = call.out[0];
  self.set_storage(v.storage(), v.shape(), v.strides(), v.offset());
  if (Ref<Node> node = v.grad_fn()) set_history(self, node, meta_of(v).nr);
  self.storage()->written(call.info), note_writer(*self.storage());
  call.out[0] = self;
  call.inplace = true;
  observe(call);
  return self;
}

Tensor run_inplace(Call& call) {
  const OpInfo& info = *call.info;
  NoAutocast given;  // where the result goes says what it is
  Tensor self = call.in[0].tensor();
  if (!self) throw Error("expects a tensor to write into");
  check_inplace(self);
  check_samples(self, call.in);
  if (info.traits.inplace == Inplace::only && copy_from_elsewhere(info, call.op, call.in)) return self;
  if (info.view) return become_view(call, self);
  if (run_into(call, self, true)) return self;
  if (info.traits.check_inplace.given) info.traits.check_inplace.run(call.op, call.in);
  if (grad_enabled() && self.requires_grad()) call.in[0] = basic::clone(self);  // what is saved must not be overwritten
  run(call);
  if (!call.out[0].same(self)) return write_back(self, call.out[0]);
  self.storage()->written(&info), note_writer(*self.storage());  // by what the operator is made of
  return self;
}

void run_out(Call& call, Tensors& out) {
  check_out(call.in, out);
  NoAutocast given;
  NoGrad no_grad;
  if (out.size() == 1 && run_into(call, out[0], false)) return;
  run(call);
  write_out(call, out);
}

// The device of the first tensor; null: none has one.
Device* device_of(const Inputs& in) {
  for (auto& v : in)
    if (v.is_tensor() && v.tensor()) return &v.tensor().device();
  return nullptr;
}

// Within an event of the profiler, which is on.
template <class F>
[[gnu::noinline, gnu::cold]] decltype(auto) profiled(const Call& call, const char* suffix, F& f) {
  Device* device = device_of(call.in);
  const ProfileRange now(ProfileEvent::Kind::op, call.info->lua_name + suffix, next_sequence(),
                         device ? device : &default_device(), next_sequence);
  if (profiling()->wishes().shapes) profiling()->set_shapes(now.number(), arguments(call.in));
  return f();
}

// Holds the defaults and lets `op` point to them, where it is null.
OpValue or_defaults(const OpInfo& info, const void*& op) {
  if (op) return {};
  OpValue defaults = info.make();
  op = defaults.get();
  return defaults;
}

}  // namespace

ErrorContext& error_context() {
  thread_local ErrorContext now;
  return now;
}
std::string script_line() { return script_line_hook ? script_line_hook() : ""; }
void set_script_line_hook(std::string (*hook)()) { script_line_hook = hook; }
Observer::~Observer() = default;
Observer* observer() { return observer_; }
Observer* set_observer(Observer* o) { return std::exchange(observer_, o); }

void apply(Call& call) {
  auto all = [&]() __attribute__((always_inline)) {
    fill_in(*call.info, call.in);
    with_error_context(
        call.info->lua_name, [&] { return place_of(*call.info, call.in); },
        [&] { autocast_acts() ? run_autocast(call) : run(call); });
  };
  if (profiling()) [[unlikely]]
    return profiled(call, "", all);
  all();
}

Tensors apply(const OpInfo& info, const void* op, Inputs in) {
  OpValue defaults = or_defaults(info, op);
  Call call{&info, op, std::move(in), {}};
  apply(call);
  return std::move(call.out);
}

Tensor apply_inplace(Call& call) {
  const OpInfo& info = *call.info;
  auto all = [&]() __attribute__((always_inline)) {
    fill_in(info, call.in);
    return with_error_context(
        info.lua_name, [&] { return place_of(info, call.in, "_"); }, [&] { return run_inplace(call); });
  };
  if (profiling()) [[unlikely]]
    return profiled(call, "_", all);
  return all();
}

Tensor apply_inplace(const OpInfo& info, const void* op, Inputs in) {
  OpValue defaults = or_defaults(info, op);
  Call call{&info, op, std::move(in), {}};
  return apply_inplace(call);
}

void apply_into_fresh(const OpInfo& info, const void* op, Inputs in, const Tensor& fresh) {
  Device& dev = fresh.device();
  if (!info.kernels[dev.slot()]) {
    NoGrad no_grad;
    apply_inplace(info, op, std::move(in));
    return;
  }
  Call call{&info, op, std::move(in), {}};
  call.out.emplace_back(fresh);
  info.infer(op, call.in);  // for its checks
  run_kernel(info, call, dev);
}

static Call call_of(OpRef& op, const void* attributes, Operands in) {
  Call c;  // not `Call c{…}`, which would clear the room of its lists
  c.info = &op.info();
  c.op = attributes;
  for (const Operand* o : in) c.in.emplace_back(Made{[o] { return o->value(); }});
  return c;
}
Tensors call(OpRef& op, const void* attributes, Operands in) {
  Call c = call_of(op, attributes, in);
  apply(c);
  return std::move(c.out);
}
Tensor call_for_one(OpRef& op, const void* attributes, Operands in) {
  Call c = call_of(op, attributes, in);
  apply(c);
  return std::move(c.out[0]);
}
Tensors call(OpRef& op, const void* attributes, const Tensors& list) {
  return apply(op.info(), attributes, Inputs(list.begin(), list.end()));
}
Tensor call_for_one(OpRef& op, const void* attributes, const Tensors& list) {
  return std::move(call(op, attributes, list)[0]);
}
Tensor call_inplace(OpRef& op, const void* attributes, Operands in) {
  Call c = call_of(op, attributes, in);
  return apply_inplace(c);
}

void apply_out(Call& call, Tensors& out) {
  const OpInfo& info = *call.info;
  auto all = [&]() __attribute__((always_inline)) {
    fill_in(info, call.in);
    with_error_context(
        info.lua_name, [&] { return place_of(info, call.in); }, [&] { run_out(call, out); });
  };
  if (profiling()) [[unlikely]]
    return profiled(call, "", all);
  all();
}

Tensors apply_out(const OpInfo& info, const void* op, Inputs in, Tensors out) {
  OpValue defaults = or_defaults(info, op);
  Call call{&info, op, std::move(in), {}};
  apply_out(call, out);
  return out;
}

}  // namespace luth
