#include "core/nn/container.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace luth::nn {
namespace {

[[noreturn]] void no_forward(const Module& m) {
  throw Error("{} has no forward: call the modules in it one by one, or use nn.Sequential", m.type());
}

}  // namespace

void ListModule::append(ModuleRef m) {
  size_t name = size() + 1;
  while (find_child(std::to_string(name))) ++name;  // a child may have been given that name
  add_module(std::to_string(name), std::move(m));
}

void ListModule::insert(size_t at, ModuleRef m) {
  append(std::move(m));
  auto& list = parts_->children;
  std::rotate(list.begin() + std::min(at, size() - 1), list.end() - 1, list.end());
  renumber();
}

void ListModule::replace(size_t at, ModuleRef m) { add_module(parts_->children[at].name, std::move(m)); }

void ListModule::erase(size_t at) {
  parts_->children.erase(parts_->children.begin() + at);
  renumber();
}

// Children that were given names of their own keep them.
void ListModule::renumber() {
  auto& list = parts_->children;
  for (size_t i = 0; i < list.size(); ++i)
    if (is_number(list[i].name)) list[i].name = std::to_string(i + 1);
}

Sequential::Sequential(std::initializer_list<ModuleRef> children) {
  for (auto& m : children) append(m);
}

Values Sequential::forward_named(const Values& in, const Named& named) {
  if (!size()) return in;
  Values x = ModuleRef(at(0))->call(in, named);
  for (size_t i = 1; i < size(); ++i) x = ModuleRef(at(i))->call(x);
  return x;
}

Values ModuleList::forward(const Values&) { no_forward(*this); }
Values ModuleDict::forward(const Values&) { no_forward(*this); }
Values ParameterList::forward(const Values&) { no_forward(*this); }
Values ParameterDict::forward(const Values&) { no_forward(*this); }

void ModuleList::print(std::string& out, int indent) const {
  const Nesting nesting;
  out += "ModuleList(";
  const std::string line = "\n" + std::string(size_t(indent) + 2, ' ');
  for (size_t i = 0; i < size();) {
    const size_t start = out.size();
    at(i)->print(out, indent + 2);
    const std::string text = out.substr(start);
    size_t end = i + 1;
    for (; end < size(); ++end) {
      const size_t next = out.size();
      at(end)->print(out, indent + 2);
      const bool same = out.compare(next, out.npos, text) == 0;
      out.resize(next);
      if (!same) break;
    }
    out.insert(start, line + (end - i == 1 ? fmt::format("({}): ", i + 1)
                                           : fmt::format("({}-{}): {} x ", i + 1, end, end - i)));
    i = end;
  }
  out += size() ? "\n" + std::string(size_t(indent), ' ') + ")" : ")";
}

static Tensor own_parameter(const Tensor& t) { return t.impl()->parameter ? t : as_parameter(t); }

void ParameterList::append(const Tensor& t) {
  register_parameter(std::to_string(parts_->parameters.size() + 1), own_parameter(t));
}
void ParameterList::erase(size_t at) {
  auto& list = parts_->parameters;
  list.erase(list.begin() + at);
  for (size_t i = at; i < list.size(); ++i) list[i].name = std::to_string(i + 1);
}

void ParameterDict::set(const std::string& key, const Tensor& t) { register_parameter(key, own_parameter(t)); }

// A line for each parameter.
static std::string parameter_lines(const Parts& parts, std::string (*type)(Dtype)) {
  std::string lines;
  for (auto& p : parts.parameters)
    if (p.value)
      lines += fmt::format("{}({}): Parameter containing: [torch.{} of size {}]", lines.empty() ? "" : "\n", p.name,
                           type(p.value.dtype()), fmt::join(p.value.shape(), "x"));
  return lines;
}
std::string ParameterList::extra_repr() const {
  return parameter_lines(*parts_, [](Dtype d) { return std::string(luth::name(d)); });
}
// PyTorch prints the old names of types here.
std::string ParameterDict::extra_repr() const {
  return parameter_lines(*parts_, [](Dtype d) {
    switch (d) {
      case Dtype::f32: return std::string("FloatTensor");
      case Dtype::f64: return std::string("DoubleTensor");
      case Dtype::f16: return std::string("HalfTensor");
      case Dtype::bf16: return std::string("BFloat16Tensor");
      default: return std::string(luth::name(d));
    }
  });
}

const DefineModule<Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict> containers_;

}  // namespace luth::nn
