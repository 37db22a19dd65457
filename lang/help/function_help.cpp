#include "lang/help/function_help.h"

#include <algorithm>

#include "core/tensor/print.h"
#include "lang/binding/bind.h"
#include "lang/runtime/functions.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

std::string param_line(const Param& p) {
  std::string what;
  if (p.input)
    what = p.list ? "list of tensors" : p.number ? "tensor or number" : "tensor";
  else
    what = p.doc.empty() ? expectation(p.field) : p.doc;
  if (p.input && !p.required) what += ", may be nil";
  return "\n  " + p.name + std::string(p.name.size() < 14 ? 14 - p.name.size() : 1, ' ') + " " + what;
}

std::string overload_text(const Function& function, const Overload& overload) {
  const OpInfo& info = *overload.info;
  const bool method = prefix(function) == "x:";
  std::string s = std::string(prefix(function)) + signature(function, overload, method);
  if (info.outputs.size() > 1) {
    s += " -> ";
    for (size_t i = 0; i < info.outputs.size(); ++i) s += (i ? ", " : "") + info.outputs[i];
  } else if (info.several) {
    s += " -> table";
  }
  s += "\n  " + std::string(info.doc.brief) +
       (function.inplace ? " In place: writes into the tensor and returns it." : "");
  for (auto& p : overload.params)
    if (!method || !p.input || p.at > 0) s += param_line(p);
  if (!info.traits.not_differentiable.empty()) s += fmt::format("\n  No gradient: {}.", info.traits.not_differentiable);
  return s;
}

// Whether every call of `a` is one of `b` too, which only takes further optional arguments.
bool is_part_of(const Overload& a, const Overload& b) {
  if (a.params.size() >= b.params.size() || a.positional > b.positional ||
      a.info->outputs.size() != b.info->outputs.size() || a.info->several != b.info->several)
    return false;
  for (size_t i = 0; i < b.params.size(); ++i) {
    const Param& p = b.params[i];
    if (i >= a.params.size() ? p.required
                             : a.params[i].name != p.name || a.params[i].required != p.required ||
                                   a.params[i].field.kind != p.field.kind)
      return false;
  }
  return true;
}

std::string function_text(const Function& function) {
  std::string s;
  const auto overloads = function.overloads();
  for (auto* overload : overloads) {
    if (std::any_of(overloads.begin(), overloads.end(), [&](auto* other) { return is_part_of(*overload, *other); }))
      continue;
    s += (s.empty() ? "" : "\n\n") + overload_text(function, *overload);
  }
  if (function.is_function && function.is_method)
    s += prefix(function) == "x:" ? "\n  Also as a function: torch." + function.name + "(x, ...)."
                                  : "\n  Also as a method: x:" + function.name + "(...).";
  return s;
}

}  // namespace

std::string function_help(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return "";
  if (const Function* function = to_function(L, index)) return function_text(*function);
  if (const Tensor* t = to_tensor(L, index)) return *t ? "a " + describe(*t) + " tensor" : "a tensor that was freed";
  return documented_text(L, index);
}

}  // namespace luth::lang
