#include "lang/help/function_help.h"

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

std::string form_text(const Face& face, const Form& form) {
  const OpInfo& info = *form.info;
  const bool method = prefix(face) == "x:";
  std::string s = std::string(prefix(face)) + signature(face, form, method);
  if (info.outputs.size() > 1) {
    s += " -> ";
    for (size_t i = 0; i < info.outputs.size(); ++i) s += (i ? ", " : "") + info.outputs[i];
  } else if (info.several) {
    s += " -> table";
  }
  s += "\n  " + std::string(info.doc.brief) + (face.inplace ? " In place: writes into the tensor and returns it." : "");
  for (auto& p : form.params)
    if (!method || !p.input || p.at > 0) s += param_line(p);
  if (!info.not_differentiable.empty()) s += "\n  No gradient: " + info.not_differentiable + ".";
  return s;
}

std::string face_text(const Face& face) {
  std::string s;
  for (auto* form : face.forms()) s += (s.empty() ? "" : "\n\n") + form_text(face, *form);
  if (face.function && face.method)
    s += prefix(face) == "x:" ? "\n  Also as a function: torch." + face.name + "(x, ...)."
                              : "\n  Also as a method: x:" + face.name + "(...).";
  return s;
}

}  // namespace

std::string function_help(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return "";
  if (const Face* face = to_face(L, index)) return face_text(*face);
  if (const Tensor* t = to_tensor(L, index)) return *t ? "a " + describe(*t) + " tensor" : "a tensor that was freed";
  return documented_text(L, index);
}

}  // namespace luth::lang
