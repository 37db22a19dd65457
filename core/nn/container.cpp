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

void ListModule::append(ModuleRef m) { add_module(std::to_string(size() + 1), std::move(m)); }

void ListModule::insert(size_t at, ModuleRef m) {
  append(std::move(m));
  auto& list = parts_->children;
  std::rotate(list.begin() + std::min(at, size() - 1), list.end() - 1, list.end());
  renumber();
}

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

Values Sequential::forward(const Values& in) {
  Values x = in;
  for (size_t i = 0; i < size(); ++i) x = ModuleRef(at(i))->call(x);
  return x;
}

Values ModuleList::forward(const Values&) { no_forward(*this); }
Values ModuleDict::forward(const Values&) { no_forward(*this); }
Values ParameterList::forward(const Values&) { no_forward(*this); }

std::string ModuleList::repr() const {
  if (!size()) return "ModuleList()";
  std::string lines;
  for (size_t i = 0; i < size();) {
    std::string text = at(i)->repr();
    size_t end = i + 1;
    while (end < size() && at(end)->repr() == text) ++end;
    std::string indented;
    for (char c : text) indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
    lines += end - i == 1 ? fmt::format("\n  ({}): {}", i + 1, indented)
                          : fmt::format("\n  ({}-{}): {} x {}", i + 1, end, end - i, indented);
    i = end;
  }
  return "ModuleList(" + lines + "\n)";
}

void ParameterList::append(const Tensor& t) {
  register_parameter(std::to_string(parts_->parameters.size() + 1), t.impl()->parameter ? t : as_parameter(t));
}

std::string ParameterList::extra_repr() const {
  std::string lines;
  for (auto& p : parts_->parameters)
    lines += fmt::format("{}({}): Parameter containing: [torch.{} of size {}]", lines.empty() ? "" : "\n", p.name,
                         name(p.value.dtype()), fmt::join(p.value.shape(), "x"));
  return lines;
}

}  // namespace luth::nn
