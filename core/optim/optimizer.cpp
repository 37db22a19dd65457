#include "core/optim/optimizer.h"

#include <algorithm>
#include <set>

#include "core/autograd/autograd.h"
#include "core/base/by_name.h"
#include "core/nn/module.h"
#include "core/op/basics.h"

namespace luth::optim {
namespace {

// Reads or writes one field.
class OneField : public Fields {
 public:
  OneField(std::string_view name, const Attr* set) : name_(name), set_(set) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name) return false;
    found = true;
    if (!set_) {
      got = value;
      return false;
    }
    value = fitting(info);
    return true;
  }
  bool found = false;
  Attr got;

 private:
  // Numbers may come as integers, and one number stands for a list.
  Attr fitting(const FieldInfo& info) const {
    const Attr& v = *set_;
    if (AttrKind(v.index()) == info.kind) return v;
    if (v.index() == 0 && info.optional) return v;
    const int64_t* i = std::get_if<int64_t>(&v);
    if (info.kind == AttrKind::number && i) return double(*i);
    if (info.kind == AttrKind::scalar && i) return Scalar(*i);
    if (info.kind == AttrKind::scalar && std::get_if<double>(&v)) return Scalar(std::get<double>(v));
    if (info.kind == AttrKind::numbers && i) return std::vector<double>{double(*i)};
    if (info.kind == AttrKind::numbers && std::get_if<double>(&v)) return std::vector<double>{std::get<double>(v)};
    throw Error("{} cannot be {}", info.name, to_string(v));
  }
  std::string_view name_;
  const Attr* set_;
};

std::vector<const OptimizerClass*>& classes() {
  static std::vector<const OptimizerClass*> list;
  return list;
}

}  // namespace

Settings::~Settings() = default;

bool Settings::has(std::string_view name) {
  OneField f(name, nullptr);
  describe(f);
  return f.found;
}
Attr Settings::get(std::string_view name) {
  OneField f(name, nullptr);
  describe(f);
  if (!f.found) throw Error("no setting is named '{}'", name);
  return f.got;
}
void Settings::set(std::string_view name, const Attr& value) {
  OneField f(name, &value);
  describe(f);
  if (!f.found) throw Error("no setting is named '{}'", name);
}
double Settings::number(std::string_view name) {
  Attr a = get(name);
  if (auto* i = std::get_if<int64_t>(&a)) return double(*i);
  if (auto* s = std::get_if<Scalar>(&a)) return s->value();
  return std::get<double>(a);
}
std::vector<FieldDoc> Settings::fields() {
  FieldList list;
  describe(list);
  return std::move(list.items);
}

Tensor* ParameterState::find(std::string_view name) {
  for (auto& t : tensors)
    if (t.name == name) return &t.value;
  return nullptr;
}
double* ParameterState::find_number(std::string_view name) {
  for (auto& n : numbers)
    if (n.first == name) return &n.second;
  return nullptr;
}
Tensor& ParameterState::tensor(std::string_view name) {
  if (Tensor* t = find(name)) return *t;
  return tensors.push_back({std::string(name), Tensor()}), tensors.back().value;
}
double& ParameterState::number(std::string_view name) {
  if (double* n = find_number(name)) return *n;
  return numbers.emplace_back(name, 0).second;
}
std::vector<Tensor>& ParameterState::list(std::string_view name) {
  for (auto& l : lists)
    if (l.first == name) return l.second;
  return lists.emplace_back(name, std::vector<Tensor>()).second;
}

Optimizer::~Optimizer() = default;

Group& Optimizer::add_group(std::vector<Tensor> params, std::unique_ptr<Settings> settings) {
  if (params.empty()) throw Error("{} got no parameters", type());
  std::set<const TensorImpl*> seen;
  for (auto& g : groups_)
    for (auto& p : g.params) seen.insert(p.impl());
  for (auto& p : params) {
    if (!p) throw Error("{} got nil among its parameters", type());
    if (!p.is_leaf()) throw Error("{} cannot step {}, the result of an operator: it is no leaf", type(), describe(p));
    check_parameter(p);
    if (!seen.insert(p.impl()).second) throw Error("a parameter of {} is given twice", type());
  }
  if (!settings) settings = defaults_->copy();
  settings->check();
  groups_.push_back({std::move(params), std::move(settings), {}, {}});
  return groups_.back();
}

void Optimizer::step() {
  if (groups_.empty()) throw Error("{} has no parameters yet; give it some with add_param_group", type());
  NoGrad no_grad;
  for (auto& g : groups_) {
    g.settings->check();
    std::map<Device*, std::vector<Tensor>> by_device;
    for (auto& p : g.params)
      if (p.grad() && p.numel()) by_device[&p.device()].push_back(p);
    for (auto& [_, params] : by_device) step_group(*g.settings, params);
  }
}

void Optimizer::step(const Closure& closure) {
  {
    GradMode on(true);
    closure();
  }
  step();
}

void Optimizer::zero_grad(bool set_to_none) {
  for (auto& g : groups_)
    for (auto& p : g.params) clear_grad(p, set_to_none);
}

ParameterState* Optimizer::state_of(const Tensor& param) {
  auto it = state_.find(param.ref());
  return it == state_.end() ? nullptr : &it->second;
}

ParameterState& Optimizer::state(const Tensor& param) {
  ParameterState& s = state_[param.ref()];
  for (auto& t : s.tensors)
    if (t.value && &t.value.device() != &param.device())
      throw Error(
          "{}: the state '{}' of a parameter, {}, lies on {}, and the parameter on {}: it was moved after the "
          "first step; move the model before, or opt:load_state_dict(opt:state_dict()), which moves the state",
          type(), t.name, describe(param), t.value.device().name(), param.device().name());
  return s;
}

Tensor& Optimizer::buffer(ParameterState& s, const char* name, const Tensor& like, double value) {
  if (Tensor* t = s.find(name)) return *t;
  Tensor fresh = is_dense(like.shape(), like.strides())
                     ? Tensor::empty(like.shape(), like.dtype(), like.device(), &like.strides())
                     : Tensor::empty(like.shape(), like.dtype(), like.device());
  if (fresh.device().has_data()) fresh.device().fill_zero(fresh.raw(), fresh.bytes());
  if (value != 0) {
    NoGrad no_grad;
    basic::fill_into(fresh, value);
  }
  return s.tensor(name) = fresh;
}

OptimizerState Optimizer::state_dict() {
  OptimizerState out;
  int64_t place = 0;
  for (auto& g : groups_) {
    OptimizerState::Group group{g.settings->fields(), g.initial_lr, {}, g.own};
    for (auto& p : g.params) {
      if (auto* s = state_of(p)) out.state[place] = *s;
      group.params.push_back(place++);
    }
    out.groups.push_back(std::move(group));
  }
  return out;
}

// A copy of a tensor of the state, in the dtype and on the device of the parameter, in its layout if it has its shape.
Tensor Optimizer::loaded(const Tensor& p, const std::string& name, const Tensor& value, int64_t place) const {
  const bool same = value.shape() == p.shape();
  if (!same && shaped_like_parameters())
    throw Error("'{}' of parameter {} has shape {} in the state, the parameter has {}", name, shown(place),
                to_string(value.shape()), to_string(p.shape()));
  ParameterState room;
  Tensor mine = same ? buffer(room, name.c_str(), p)
                     : Tensor::empty(value.shape(), is_floating(value.dtype()) ? p.dtype() : value.dtype(), p.device());
  NoGrad no_grad;
  return basic::copy_into(mine, value), mine;
}

void Optimizer::load_state_dict(const OptimizerState& from) {
  if (from.groups.size() != groups_.size())
    throw Error("the state has {} parameter groups, {} has {}", from.groups.size(), type(), groups_.size());
  for (size_t i = 0; i < groups_.size(); ++i)
    if (from.groups[i].params.size() != groups_[i].params.size())
      throw Error("group {} of the state has {} parameters, that of {} has {}", shown(int64_t(i)),
                  from.groups[i].params.size(), type(), groups_[i].params.size());
  auto fresh = state_;
  fresh.clear();
  for (size_t i = 0; i < groups_.size(); ++i)
    for (size_t k = 0; k < groups_[i].params.size(); ++k) {
      const Tensor& p = groups_[i].params[k];
      auto it = from.state.find(from.groups[i].params[k]);
      if (it == from.state.end()) continue;
      ParameterState& s = fresh[p.ref()];
      s.step = it->second.step;
      s.numbers = it->second.numbers;
      for (auto& t : it->second.tensors)
        if (shaped_like_parameters() && t.value.dim() == 0 && p.dim() != 0)
          s.number(t.name) = t.value.item().value();  // PyTorch keeps numbers as tensors
        else
          s.tensor(t.name) = loaded(p, t.name, t.value, it->first);
      for (auto& [name, list] : it->second.lists)
        for (auto& t : list) s.list(name).push_back(loaded(p, name, t, it->first));
    }
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (auto& f : from.groups[i].settings)
      if (groups_[i].settings->has(f.name)) groups_[i].settings->set(f.name, f.value);
    groups_[i].initial_lr = from.groups[i].initial_lr;
    groups_[i].own = from.groups[i].own;
  }
  state_ = std::move(fresh);
}

std::string Optimizer::repr() {
  std::string s = type() + " (";
  for (size_t i = 0; i < groups_.size(); ++i) {
    s += fmt::format("\nParameter Group {}\n", shown(int64_t(i)));
    for (auto& f : groups_[i].settings->fields()) s += fmt::format("    {}: {}\n", f.name, to_string(f.value));
  }
  return s + ")";
}

const std::vector<const OptimizerClass*>& optimizer_classes() { return classes(); }
const OptimizerClass* find_optimizer_class(std::string_view name) { return find_by_name(classes(), name); }
void add_optimizer_class(const OptimizerClass* c) { insert_by_name(classes(), c); }

}  // namespace luth::optim
