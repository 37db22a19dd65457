#include "core/dispatch/trace.h"

namespace luth {

Trace::Trace(const Tensors& inputs) : inputs_(inputs.size()) {
  for (auto& t : inputs) define(t);
  before_ = set_observer(this);
}
Trace::~Trace() {
  if (recording_) set_observer(before_);
}

int Trace::define(const Tensor& t) {
  int id = int(values_.size());
  values_.push_back(t);
  if (t) ids_[t.impl()] = id;
  return id;
}

Trace::Source Trace::source(const Value& v) const {
  if (!v.is_tensor()) return {-1, v};
  auto it = ids_.find(v.tensor().impl());
  return it == ids_.end() ? Source{-1, v} : Source{it->second, {}};
}

void Trace::called(const Call& call) {
  if (before_) before_->called(call);
  Step step{call.info, write_fields(call.info->fields(call.op)), {}, {}, call.inplace};
  for (auto& v : call.in) step.in.push_back(source(v));
  for (auto& t : call.out) step.out.push_back(define(t));
  steps_.push_back(std::move(step));
}

void Trace::finish(const Tensors& results) {
  if (!recording_) throw Error("this trace is finished already");
  recording_ = false;
  set_observer(before_);
  for (auto& t : results) results_.push_back(t ? source(t) : Source{});
  values_.clear();
  ids_.clear();
}

Tensors Trace::replay(const Tensors& inputs) const {
  if (recording_) throw Error("finish the trace before it is replayed");
  if (inputs.size() != inputs_) throw Error("the trace has {} inputs, got {}", inputs_, inputs.size());
  std::vector<Tensor> values(inputs.begin(), inputs.end());
  auto value = [&](const Source& s) { return s.id < 0 ? s.held : Value(values[size_t(s.id)]); };
  for (auto& step : steps_) {
    OpValue op = step.info->make();
    FieldReader reader(step.attributes);
    if (step.info->describe) step.info->describe(op.get(), reader);
    Inputs in;
    for (auto& s : step.in) in.push_back(value(s));
    Tensors out = step.inplace ? Tensors{apply_inplace(*step.info, op.get(), std::move(in))}
                               : apply(*step.info, op.get(), std::move(in));
    if (out.size() != step.out.size())
      throw Error("{} gave {} results when it was recorded and gives {} now", step.info->name, step.out.size(),
                  out.size());
    values.insert(values.end(), out.begin(), out.end());
  }
  Tensors results;
  for (auto& s : results_) results.push_back(value(s).tensor());
  return results;
}

std::string Trace::text() const {
  std::string all;
  auto join = [](auto& list, auto&& f) {
    std::string s;
    for (auto& item : list) s += (s.empty() ? "" : ", ") + f(item);
    return s;
  };
  auto name = [](int id) { return "%" + std::to_string(id); };
  for (auto& step : steps_) {
    std::string in = join(step.in, [&](const Source& s) {
      if (s.id >= 0) return name(s.id);
      return s.held.is_scalar() ? to_string(Attr(s.held.scalar())) : describe(s.held.tensor());
    });
    all += join(step.out, name) + " = " + step.info->name + (step.inplace ? "_(" : "(") + in;
    all += (step.attributes.empty() ? "" : "; " + step.attributes) + ")\n";
  }
  return all;
}

}  // namespace luth
