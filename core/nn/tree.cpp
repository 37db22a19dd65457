// What modules do over the tree of their children: walks, modes, conversion, cloning.
#include <algorithm>
#include <map>
#include <set>

#include "core/autograd/autograd.h"
#include "core/nn/module.h"
#include "core/ops/elementwise/copy.h"
#include "core/tensor/uninitialised.h"

namespace luth::nn {
namespace {

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : name.empty() ? prefix : prefix + "." + name;
}

void collect(const ModuleRef& m, const std::string& path, bool all, Module::Seen& seen, std::vector<NamedModule>& out) {
  const Nesting nesting;
  if (!seen.insert(m.get()).second && !all) return;
  out.push_back({path, m});
  for (auto& c : m->parts().children) collect(c.module, join(path, c.name), all, seen, out);
}

// The tensors of one kind of all modules (or of the first alone), each once, or at each place if `all`.
template <class Member>
std::vector<NamedTensor> named_tensors(std::vector<NamedModule> modules, bool recurse, bool all, Member member) {
  std::vector<NamedTensor> out;
  std::set<const TensorImpl*> seen;
  if (!recurse) modules.resize(1);
  for (auto& [path, m] : modules)
    for (auto& t : m->parts().*member)
      if (t.value && (seen.insert(t.value.impl()).second || all)) out.push_back({join(path, t.name), t.value});
  return out;
}

}  // namespace

std::vector<NamedModule> Module::named_modules(const std::string& prefix, bool all, Seen* seen) {
  std::vector<NamedModule> out;
  Seen own;
  collect(ModuleRef(this), prefix, all, seen ? *seen : own, out);
  return out;
}
std::vector<NamedTensor> Module::named_parameters(bool recurse, const std::string& prefix, bool all) {
  return named_tensors(named_modules(prefix, all), recurse, all, &Parts::parameters);
}
std::vector<NamedTensor> Module::named_buffers(bool recurse, const std::string& prefix, bool all) {
  return named_tensors(named_modules(prefix, all), recurse, all, &Parts::buffers);
}
std::vector<Tensor> Module::parameters(bool recurse) {
  std::vector<Tensor> out;
  for (auto& p : named_parameters(recurse)) out.push_back(p.value);
  return out;
}

ModuleRef Module::submodule(std::string_view path) {
  ModuleRef m(this);
  for (std::string_view rest = path; !rest.empty();) {
    size_t dot = std::min(rest.find('.'), rest.size());
    NamedModule* child = m->find_child(rest.substr(0, dot));
    if (!child) throw Error("{} has no module '{}': {} has no '{}'", type(), path, m->type(), rest.substr(0, dot));
    m = child->module;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return m;
}

void Module::train(bool on) {
  for (auto& [_, m] : named_modules()) m->parts().training = on;
}
void Module::zero_grad(bool set_to_none) {
  for (auto& p : parameters()) clear_grad(p, set_to_none);
}
void Module::requires_grad(bool on) {
  for (auto& p : parameters()) p.set_requires_grad(on);
}
void Module::apply(const std::function<void(Module&)>& f) {
  const Nesting nesting;
  const auto children = parts_->children;  // a copy: f may change the list
  for (auto& c : children) c.module->apply(f);
  f(*this);
}

void Module::to(std::optional<Dtype> dtype, Device* device) {
  if (dtype && !is_floating(*dtype))
    throw Error("a module converts to floating point types alone, not to {}", name(*dtype));
  auto convert = [&](const Tensor& t) {
    Dtype d = dtype && is_floating(t.dtype()) ? *dtype : t.dtype();
    if (t.dtype() == d && (!device || &t.device() == device)) return;
    Tensor grad = t.grad();
    if (grad) t.set_grad({});
    replace_data(t, converted(t, d, device));
    if (grad) t.set_grad(converted(grad, d, device));
  };
  for (auto& p : named_parameters()) convert(p.value);
  for (auto& b : named_buffers()) convert(b.value);
}

// ---- Cloning ------------------------------------------------------------------------------------------------------

namespace {

struct Cloner {
  std::map<const Module*, ModuleRef> modules;
  std::map<const TensorImpl*, Tensor> tensors;

  Tensor tensor(const Tensor& t) {
    if (!t) return t;
    Tensor& copy = tensors[t.impl()];
    if (!copy) {
      copy = duplicate(t);
      copy.impl()->parameter = t.impl()->parameter;
      if (t.requires_grad()) copy.set_requires_grad(true);
    }
    return copy;
  }
  ModuleRef module(const Module& m) {
    const Nesting nesting;
    if (auto it = modules.find(&m); it != modules.end()) return it->second;
    ModuleRef copy = m.fresh();
    modules[&m] = copy;
    Parts& to = copy->parts();
    const Parts& from = m.parts();
    for (auto& p : from.parameters) to.parameters.push_back({p.name, tensor(p.value)});
    for (auto& b : from.buffers) to.buffers.push_back({{b.name, tensor(b.value)}, b.persistent});
    for (auto& c : from.children) to.children.push_back({c.name, module(*c.module)});
    to.hooks = from.hooks;
    to.training = from.training;
    return copy;
  }
};

}  // namespace

ModuleRef Module::clone() const { return Cloner().module(*this); }

// ---- Tensors ------------------------------------------------------------------------------------------------------

Tensor as_parameter(const Tensor& t, bool requires_grad) {
  Tensor p = t.detach();
  p.impl()->parameter = true;
  if (requires_grad) p.set_requires_grad(true);
  return p;
}

void replace_data(const Tensor& t, const Tensor& value) {
  refuse_while_relieving();
  TensorImpl& to = *t.impl();
  const TensorImpl& from = *value.impl();
  to.dtype = from.dtype;
  to.storage = from.storage;
  to.shape = from.shape;
  to.strides = from.strides;
  to.offset = from.offset;
  to.numel = from.numel;
  to.contiguous = from.contiguous;
}

Tensor duplicate(const Tensor& t) {
  if (is_uninitialised(t)) return uninitialised(t.dtype(), t.device());
  NoGrad no_grad;
  bool dense = is_dense(t.shape(), t.strides());
  Tensor source = dense ? t : dense_copy(t);
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.device(), &source.strides());
  if (t.numel() && t.device().has_data()) copy_bytes(copy.raw(), t.device(), source.raw(), t.device(), t.bytes());
  return copy;
}

Tensor converted(const Tensor& t, Dtype dtype, Device* device) {
  if (is_uninitialised(t)) return uninitialised(dtype, device ? *device : t.device());
  NoGrad no_grad;
  Tensor value = t.dtype() == dtype ? t.detach() : cast_to(t.detach(), dtype);
  if (!device || device == &t.device()) return value;
  Tensor source = is_dense(value.shape(), value.strides()) ? value : dense_copy(value);
  Tensor copy = Tensor::empty(t.shape(), dtype, *device, &source.strides());
  if (copy.numel() && device->has_data() && t.device().has_data())
    copy_bytes(copy.raw(), *device, source.raw(), t.device(), copy.bytes());
  return copy;
}

}  // namespace luth::nn
