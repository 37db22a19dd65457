// From the registry to faces and forms. Nothing here names an operator.
#include "lang/binding/bind.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/device/device.h"
#include "core/dispatch/generator.h"
#include "core/memory/immortal.h"
#include "lang/runtime/bridge.h"

namespace luth::lang {
namespace {

// Sees every attribute: makes its parameter, and sets what the language sets.
class Reader : public Fields {
 public:
  explicit Reader(Form& form) : form_(form) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    int at = int(form_.of_attribute.size());
    form_.of_attribute.push_back(-1);
    if (info.as & as::base) {
      value = int64_t(1);
      return true;
    }
    if (info.as & as::hidden) return false;
    Param p;
    p.name = info.name;
    p.doc = info.doc;
    p.at = at;
    p.required = info.as & as::required;
    p.named = info.as & as::named;
    p.takes_nil = info.optional;
    p.field = info;
    p.otherwise = value;
    form_.params.push_back(std::move(p));
    return false;
  }

 private:
  Form& form_;
};

std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> list;
  while (!text.empty()) {
    size_t at = std::min(text.find_first_of(separators), text.size());
    if (at) list.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return list;
}

// Inputs, then attributes, or as the operator's `order` says; last what is given by name alone: attributes that say so,
// and inputs that stand behind a * in `order`.
void sort_params(Form& form) {
  auto order = words(form.info->order, ", ");
  const auto star = std::find(order.begin(), order.end(), "*");
  for (auto& p : form.params) p.named |= std::find(star, order.end(), p.name) != order.end();
  auto rank = [&](const Param& p) {
    auto it = std::find(order.begin(), order.end(), p.name);
    return (p.named ? 1000 : 0) + (it - order.begin());
  };
  std::stable_sort(form.params.begin(), form.params.end(),
                   [&](const Param& a, const Param& b) { return rank(a) < rank(b); });
  for (int i = 0; i < int(form.params.size()); ++i) {
    const Param& p = form.params[i];
    if (!p.named) form.positional = i + 1;
    if (!p.input) form.of_attribute[p.at] = i;
    if (p.input && !p.named && p.at == i && form.leading == i) ++form.leading;
  }
}

bool has_param(const Form& form, std::string_view name) {
  return std::any_of(form.params.begin(), form.params.end(), [&](auto& p) { return p.name == name; });
}

Form make_form(const OpInfo& info) {
  Form form;
  form.info = &info;
  form.inputs = int(info.inputs.size());
  form.quick = true;
  for (int i = 0; i < form.inputs; ++i) {
    const InputSpec& spec = info.inputs[i];
    Param p;
    p.name = spec.name;
    p.input = true;
    p.at = i;
    p.number = spec.number;
    p.list = spec.list;
    p.required = !spec.optional;
    p.takes_nil = spec.optional;
    if (!spec.optional) form.least = i + 1;
    if (spec.list) form.quick = false;
    form.params.push_back(std::move(p));
  }
  form.defaults = info.make();
  Reader reader(form);
  if (info.describe) info.describe(form.defaults.get(), reader);
  sort_params(form);
  set_second_names(form);
  for (auto& p : form.params)
    if (!p.input && p.required) form.quick = false;
  if (form.inputs == 0) form.quick = false;
  form.makes = info.factory || (has_param(form, "dtype") && has_param(form, "device"));
  return form;
}

// Is it a name in a table below torch, "linalg.solve"? Those are functions only.
bool in_space(std::string_view name) { return name.find('.') != name.npos; }

// The form of an operator, which its faces share. The caller holds the lock. Never destroyed: recorded calls point to
// its defaults.
const Form* form_of(const OpInfo* info) {
  static auto& made = *new std::map<const OpInfo*, Form>;
  auto at = made.find(info);
  if (at == made.end()) {
    at = made.emplace(info, make_form(*info)).first;
    set_immortal(at->second.defaults.get());
  }
  return &at->second;
}

using Faces = std::map<std::string, Face>;
void add_faces(Faces& faces, const OpInfo& info) {
  auto add = [&](const std::string& name, bool inplace) {
    Face& face = faces[name];
    face.name = name;
    face.inplace = inplace;
    face.function |= info.as_function;
    face.method |= (info.as_method || inplace) && !info.inputs.empty() && !in_space(name);
    face.operators.push_back(&info);
  };
  auto names = words(info.aliases, " ,");
  names.insert(names.begin(), info.face);
  for (auto& name : names) {
    if (!info.only_inplace) add(name, false);
    if (info.inplace && !in_space(name)) add(name + "_", true);
  }
}

int call(lua_State* L) { return call_face(L, *static_cast<const Face*>(lua_touserdata(L, lua_upvalueindex(1)))); }

// table.a.b = the value on top of the stack, which is popped, for path "a.b"; makes the tables on the way.
void set_path(lua_State* L, int table, std::string_view path) {
  lua_pushvalue(L, table);  // value, table
  for (size_t dot; (dot = path.find('.')) != path.npos; path.remove_prefix(dot + 1)) {
    std::string part(path.substr(0, dot));
    luaL_getsubtable(L, -1, part.c_str());
    lua_remove(L, -2);
  }
  lua_insert(L, -2);
  lua_setfield(L, -2, std::string(path).c_str());
  lua_pop(L, 1);
}

std::string param_text(const Param& p) {
  if (p.required) return p.name;
  return p.name + " = " + (p.input ? "nil" : lua_text(p.otherwise, p.field.as));
}

}  // namespace

const Faces& faces() {
  static const Faces& all = []() -> const Faces& {
    host();                                 // opens the kernels; operators of other libraries must not be missing
    auto& faces = *new Faces;               // never destroyed: that would only delay the program's end
    for (const OpInfo* info : operators())  // by name, so a face tries them in that order
      if (!info->internal) add_faces(faces, *info);
    return faces;
  }();
  return all;
}

const std::vector<const Form*>& Face::make_forms() const {
  static std::mutex lock;
  std::lock_guard hold(lock);
  if (!made_.load(std::memory_order_relaxed)) {
    for (auto* info : operators) forms_.push_back(form_of(info));
    made_.store(true, std::memory_order_release);
  }
  return forms_;
}

const Face* to_face(lua_State* L, int index) {
  if (lua_tocfunction(L, index) != guarded<call>) return nullptr;
  lua_getupvalue(L, index, 1);
  auto* face = static_cast<const Face*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return face;
}

std::string signature(const Face& face, const Form& form, bool method) {
  std::string text, named;
  for (int i = 0; i < int(form.params.size()); ++i) {
    const Param& p = form.params[i];
    if (method && p.input && p.at == 0) continue;
    std::string& into = i < form.positional ? text : named;
    into += (into.empty() ? "" : ", ") + param_text(p);
  }
  if (form.makes && !has_param(form, "requires_grad"))
    named += std::string(named.empty() ? "" : ", ") + "requires_grad = false";
  if (takes_generator(*form.info)) named += std::string(named.empty() ? "" : ", ") + "generator = nil";
  if (!named.empty()) text += (text.empty() ? "{" : ", {") + named + "}";
  return face.name + "(" + text + ")";
}

void bind_operators(lua_State* L, int torch, int methods) {
  torch = lua_absindex(L, torch);
  methods = lua_absindex(L, methods);
  for (auto& [_, face] : faces()) {
    lua_pushlightuserdata(L, const_cast<Face*>(&face));
    lua_pushcclosure(L, guarded<call>, 1);
    for (auto [into, wanted] : {std::pair{torch, face.function}, {methods, face.method}})
      if (wanted) {
        lua_pushvalue(L, -1);
        set_path(L, into, face.name);
      }
    lua_pop(L, 1);
  }
}

}  // namespace luth::lang
