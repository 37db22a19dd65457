// Makes functions and overloads from the registry. Nothing here names an operator.
#include "lang/binding/bind.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "core/device/device.h"
#include "core/dispatch/generator.h"
#include "core/memory/immortal.h"
#include "core/op/spaces.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// Makes a parameter of each attribute. Sets `base` to 1, because Lua counts from 1.
class ParamReader : public Fields {
 public:
  explicit ParamReader(Overload& overload) : overload_(overload) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    int at = int(overload_.of_attribute.size());
    overload_.of_attribute.push_back(-1);
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
    overload_.params.push_back(std::move(p));
    return false;
  }

 private:
  Overload& overload_;
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

// Sorts the parameters: inputs, then attributes, or the operator's `order`. Parameters that are given by name alone
// come last: attributes that say so, and those behind a * in `order`.
void sort_params(Overload& overload) {
  auto order = words(overload.info->traits.order, ", ");
  const auto star = std::find(order.begin(), order.end(), "*");
  for (auto& p : overload.params) p.named |= std::find(star, order.end(), p.name) != order.end();
  auto rank = [&](const Param& p) {
    auto it = std::find(order.begin(), order.end(), p.name);
    return (p.named ? 1000 : 0) + (it - order.begin());
  };
  std::stable_sort(overload.params.begin(), overload.params.end(),
                   [&](const Param& a, const Param& b) { return rank(a) < rank(b); });
  for (int i = 0; i < int(overload.params.size()); ++i) {
    const Param& p = overload.params[i];
    if (!p.named) overload.positional = i + 1;
    if (!p.input) overload.of_attribute[p.at] = i;
    if (p.input && !p.named && p.at == i && overload.leading == i) ++overload.leading;
  }
}

bool has_param(const Overload& overload, std::string_view name) {
  return std::any_of(overload.params.begin(), overload.params.end(), [&](auto& p) { return p.name == name; });
}

// Names the parameters as PyTorch's documentation does where its parser has another name, which stays as `also`.
void add_second_names(Overload& overload) {
  for (auto& p : overload.params)
    for (auto& names : overload.info->second_names)
      if (p.name == names.shown || p.name == names.also) {
        p.name = names.shown;
        p.also = names.also;
        break;
      }
}

Overload make_overload(const OpInfo& info) {
  Overload overload;
  overload.info = &info;
  overload.inputs = int(info.inputs.size());
  overload.quick = true;
  for (int i = 0; i < overload.inputs; ++i) {
    const InputSpec& spec = info.inputs[i];
    Param p;
    p.name = spec.name;
    p.input = true;
    p.at = i;
    p.number = spec.number;
    p.list = spec.list;
    p.required = !spec.optional || spec.list;  // the elements of a list may be absent
    p.takes_nil = spec.optional && !spec.list;
    if (p.required) overload.least = i + 1;
    if (spec.list) overload.quick = false;
    overload.params.push_back(std::move(p));
  }
  overload.defaults = info.make();
  ParamReader reader(overload);
  if (info.describe) info.describe(overload.defaults.get(), reader);
  sort_params(overload);
  add_second_names(overload);
  for (auto& p : overload.params)
    if (!p.input && p.required) overload.quick = false;
  if (overload.inputs == 0) overload.quick = false;
  overload.makes = info.traits.factory || (has_param(overload, "dtype") && has_param(overload, "device"));
  return overload;
}

// Whether the name lies in a table below torch, as "linalg.solve". Those are functions only.
bool in_space(std::string_view name) { return name.find('.') != name.npos; }

// The overload of an operator, which its functions share. The caller holds the lock. Never destroyed: recorded calls
// point to its defaults.
const Overload* overload_of(const OpInfo* info) {
  static auto& made = *new std::map<const OpInfo*, Overload>;
  auto at = made.find(info);
  if (at == made.end()) {
    at = made.emplace(info, make_overload(*info)).first;
    set_immortal(at->second.defaults.get());
  }
  return &at->second;
}

using Functions = std::map<std::string, Function>;

// A name under which scripts call an operator.
struct Name {
  std::string text;
  const OpInfo* info;
  bool inplace;
  bool method_only = false;
};

constexpr std::string_view libraries = "ops.";
bool of_library(std::string_view name) { return name.starts_with(libraries); }

void add_names_of(std::vector<Name>& names, const OpInfo& info) {
  auto add = [&](std::string name) {
    if (info.has_inplace() && (!in_space(name) || of_library(name))) names.push_back({name + "_", &info, true});
    if (info.traits.inplace != Inplace::only) names.push_back({std::move(name), &info, false});
  };
  if (of_library(info.lua_name)) {  // methods have the library's name before them: x:mine_scale()
    std::string method = info.lua_name.substr(libraries.size());
    std::replace(method.begin(), method.end(), '.', '_');
    if (info.has_inplace()) names.push_back({method + "_", &info, true, true});
    if (info.traits.inplace != Inplace::only) names.push_back({method, &info, false, true});
  }
  add(info.lua_name);
  for (auto& alias : words(info.traits.aliases, " ,")) add(std::move(alias));
}

void add_operator(Function& function, const OpInfo& info, bool method_only) {
  const Offered offered = method_only ? Offered::method : info.traits.offered;
  const bool as_method = offered == Offered::everywhere || offered == Offered::method;
  function.is_function |= offered != Offered::method;
  function.is_method |= (as_method || function.inplace) && !info.inputs.empty() && !in_space(function.name);
  function.is_functional |=
      offered == Offered::functional_inplace || (offered == Offered::functional && !function.inplace);
  function.operators.push_back(&info);
}

int call(lua_State* L) {
  const auto& function = *static_cast<const Function*>(lua_touserdata(L, lua_upvalueindex(1)));
  try {
    return call_function(L, function);
  } catch (const std::bad_alloc&) { throw Error(ErrorCode::memory, "{}: not enough memory", function.name); }
}

char functions_key;  // registry: address of a Function -> its Lua function

// Pushes the Lua function, the same each time.
void push_function(lua_State* L, const Function& function) {
  push_kept(L, &functions_key);
  if (lua_rawgetp(L, -1, &function) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, const_cast<Function*>(&function));
    lua_pushcclosure(L, guarded<call>, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, &function);
  }
  lua_remove(L, -2);
}

constexpr std::string_view functional_space = "nn.functional";

bool takes_tensors(const Function& f) { return f.is_function && !f.operators[0]->inputs.empty(); }

// Pushes table.a.b for the path "a.b", made where it is not there.
void push_space(lua_State* L, int table, std::string_view path) {
  lua_pushvalue(L, table);
  for (auto& part : words(path, ".")) {
    luaL_getsubtable(L, -1, part.c_str());
    lua_remove(L, -2);
  }
}

std::string param_text(const Param& p) {
  if (p.required) return p.name;
  return p.name + " = " + (p.input ? "nil" : lua_text(p.otherwise, p.field.as));
}

}  // namespace

// Never destroyed: that would only delay the program's end.
static Functions& all_functions() {
  static auto& functions = *new Functions;
  return functions;
}

void bind_new_operators() {
  static auto& bound = *new std::set<const OpInfo*>;
  std::vector<Name> names;
  for (const OpInfo* info : operators())  // by name, so a function tries them in that order
    if (!info->traits.internal && bound.insert(info).second) add_names_of(names, *info);
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.text < b.text; });
  Functions& functions = all_functions();
  for (auto& name : names) {  // sorted, so at first each is put at the end
    Function& function = functions.try_emplace(functions.end(), name.text)->second;
    function.name = name.text;
    function.inplace = name.inplace;
    add_operator(function, *name.info, name.method_only);
  }
}

const Functions& bound_functions() {
  static const bool once = [] {
    host();  // opens the kernels; operators of other libraries must not be missing
    bind_new_operators();
    return true;
  }();
  static_cast<void>(once);
  return all_functions();
}

const Function* find_function(const std::string& name) {
  const auto at = bound_functions().find(name);
  return at == bound_functions().end() ? nullptr : &at->second;
}

const std::vector<const Overload*>& Function::make_overloads() const {
  static std::mutex lock;
  std::lock_guard hold(lock);
  if (!made_.load(std::memory_order_relaxed)) {
    for (auto* info : operators) overloads_.push_back(overload_of(info));
    made_.store(true, std::memory_order_release);
  }
  return overloads_;
}

const Function* to_function(lua_State* L, int index) {
  if (lua_tocfunction(L, index) != guarded<call>) return nullptr;
  lua_getupvalue(L, index, 1);
  auto* function = static_cast<const Function*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return function;
}

std::string_view prefix(const Function& function) {
  if (function.is_functional) return "torch.nn.functional.";
  return function.is_method && (function.inplace || !function.is_function) ? "x:" : "torch.";
}

std::string signature(const Function& function, const Overload& overload, bool method) {
  std::string text, named;
  for (int i = 0; i < int(overload.params.size()); ++i) {
    const Param& p = overload.params[i];
    if (method && p.input && p.at == 0) continue;
    std::string& into = i < overload.positional ? text : named;
    into += (into.empty() ? "" : ", ") + param_text(p);
  }
  if (overload.makes && !has_param(overload, "requires_grad"))
    named += std::string(named.empty() ? "" : ", ") + "requires_grad = false";
  if (takes_generator(*overload.info)) named += std::string(named.empty() ? "" : ", ") + "generator = nil";
  if (!named.empty()) text += (text.empty() ? "{" : ", {") + named + "}";
  return function.name + "(" + text + ")";
}

bool OperatorNames::push(lua_State* L, std::string_view name) const {
  const Function* function = in_space(name) ? nullptr : found(name);
  if (function) push_function(L, *function);
  return function;
}

std::vector<std::string> OperatorNames::names() const {
  std::vector<std::string> list;
  for (auto& [name, function] : bound_functions())
    for (auto& prefix : prefixes_)
      if (name.starts_with(prefix) && !in_space(name.substr(prefix.size())) && wanted_(function))
        list.push_back(name.substr(prefix.size()));
  return list;
}

const Function* OperatorNames::found(std::string_view name) const {
  for (auto& prefix : prefixes_)
    if (const Function* function = find_function(prefix + std::string(name)); function && wanted_(*function))
      return function;
  return nullptr;
}

bool is_function(const Function& f) { return f.is_function; }
bool is_method(const Function& f) { return f.is_method; }

void set_space_names(lua_State* L, int torch) {
  static auto& names = *new std::map<std::string_view, OperatorNames>;
  torch = lua_absindex(L, torch);
  for (auto path : operator_spaces()) {
    if (path == functional_space) continue;
    push_space(L, torch, path);
    add_late_names(L, -1, names.try_emplace(path, std::vector{std::string(path) + "."}, is_function).first->second);
    lua_pop(L, 1);
  }
}

void set_functional_names(lua_State* L, int functional) {
  static const OperatorNames names({"", std::string(functional_space) + "."}, takes_tensors);
  add_late_names(L, functional, names);
}

}  // namespace luth::lang
