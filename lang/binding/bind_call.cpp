// Calls of bound functions: overload resolution, conversion of the arguments, results.
//
// A call with inputs alone goes straight to apply(), and so does one whose attributes are in the call cache. Any other
// call passes three steps: gather (positions and names), match (each overload in turn, by the kinds of the arguments
// alone), read (values, with precise errors).
#include <algorithm>

#include "core/dispatch/apply_out.h"
#include "core/dispatch/generator.h"
#include "lang/binding/bind_errors.h"
#include "lang/binding/call_cache.h"
#include "lang/values/generator.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr int max_params = 32;

// The stack indices of one parameter's argument.
struct StackRange {
  int index = 0, count = 1;  // 0: not given
};

bool takes(lua_State* L, int i, const Param& p, bool loose) {
  if (!p.input) return accepts(L, i, p.field, loose);
  if (to_tensor(L, i)) return !p.list;
  int type = lua_type(L, i);
  if (p.list) return type == LUA_TTABLE;
  if (p.number && (type == LUA_TNUMBER || type == LUA_TBOOLEAN)) return true;
  return p.takes_nil && is_none(L, i);
}

class Caller {
 public:
  Caller(lua_State* L, const Function& function) : L_(L), function_(function) {}

  int run() {
    gather();
    const Overload* overload = choose();
    Inputs in = read_inputs(*overload);
    OpValue op(overload->info, overload->defaults.get());
    read_attributes(*overload, op);
    keep(*overload, op);
    if (!given_.generator || is_none(L_, given_.generator)) return finish(*overload, op.get(), std::move(in));
    UseGenerator use(given_generator());
    return finish(*overload, op.get(), std::move(in));
  }

 private:
  Generator& given_generator() const {
    try {
      return check_generator(L_, given_.generator);
    } catch (const Error& e) { throw Error("{}: argument 'generator' {}", function_.name, e.what()); }
  }

  // ---- gather ----

  void gather() {
    int n = given_.top = lua_gettop(L_);
    while (n && lua_isnil(L_, n)) --n;
    lua_settop(L_, n);
    if (n && is_named(L_, n)) {
      take_named(n);
      --n;
      while (n && lua_isnil(L_, n)) --n;
    } else if (n) {
      refuse_names_in_list(n);
    }
    given_.positions = n;
  }

  // `torch.cat{a, b, dim = 2}`: the name would be lost. lua_next gives the hash part after the last position.
  void refuse_names_in_list(int list) const {
    const lua_Integer n = lua_type(L_, list) == LUA_TTABLE ? lua_Integer(lua_rawlen(L_, list)) : 0;
    if (n == 0) return;
    if (lua_getmetatable(L_, list)) return lua_pop(L_, 1);
    lua_pushinteger(L_, n);
    if (!lua_next(L_, list)) return;
    if (lua_type(L_, -2) == LUA_TSTRING)
      throw Error("{0}: the list has the key '{1}' as well; named arguments go into a table of their own: {{{1} = …}}",
                  function_.name, lua_tostring(L_, -2));
    lua_pop(L_, 2);
  }

  void take_named(int table) {
    luaL_checkstack(L_, 80, "too many named arguments");
    int limit = lua_gettop(L_) + 60;
    lua_pushnil(L_);
    while (lua_next(L_, table)) {
      if (lua_type(L_, -2) != LUA_TSTRING)
        throw Error("{}: a table of named arguments has string keys alone, this one mixes them with positions",
                    function_.name);
      size_t n = 0;
      const char* s = lua_tolstring(L_, -2, &n);
      int index = lua_gettop(L_) - 1;
      lua_insert(L_, -2);  // value below key: the value stays, lua_next pops the key
      if (index > limit) throw Error("{}: too many named arguments", function_.name);
      given_.named.push_back({{s, n}, index});
    }
    take_special("out", given_.out);
    take_special("requires_grad", given_.requires_grad);
    take_special("generator", given_.generator);
    take_special("inplace", given_.inplace);
    check_flag("requires_grad", given_.requires_grad);
    check_flag("inplace", given_.inplace);
  }
  void check_flag(const char* name, int index) const {
    if (index && !lua_isboolean(L_, index))
      throw Error("{}: argument '{}' expects true or false, got {}", function_.name, name, given_text(L_, index));
  }

  // Arguments of the binder itself, where no overload has a parameter of that name.
  void take_special(std::string_view name, int& into) {
    for (auto* overload : function_.overloads())
      if (find_param(*overload, name) >= 0) return;
    if (name == "requires_grad" && !function_.overloads()[0]->makes) return;
    if (name == "generator" && !takes_generator(*function_.overloads()[0]->info)) return;
    if (name == "inplace" && !function_.overloads()[0]->info->has_inplace()) return;
    for (size_t i = 0; i < given_.named.size(); ++i)
      if (given_.named[i].name == name) {
        into = given_.named[i].index;
        given_.named[i] = given_.named.back();
        given_.named.pop_back();
        return;
      }
  }

  // ---- match ----

  Mismatch match(const Overload& overload, bool loose) {
    std::fill(slots_, slots_ + max_params, StackRange());
    if (Mismatch m = match_positions(overload, loose); m.why) return m;
    for (auto& [name, index] : given_.named) {
      int p = find_param(overload, name);
      if (p < 0) return {Mismatch::unknown, 0, index, name};
      if (slots_[p].index) return {Mismatch::twice, p, index, name};
      if (!takes(L_, index, overload.params[p], loose)) return {Mismatch::kind, p, index, name};
      slots_[p].index = index;
    }
    for (int p = 0; p < int(overload.params.size()); ++p)
      if (overload.params[p].required && !slots_[p].index) return {Mismatch::missing, p, 0, {}};
    return {};
  }

  Mismatch match_positions(const Overload& overload, bool loose) {
    int p = 0;
    for (int a = 1; a <= given_.positions; ++a, ++p) {
      if (p == overload.positional) return {Mismatch::too_many, 0, a, {}};
      const Param& param = overload.params[p];
      if (lua_isnil(L_, a)) {
        if (param.required) return {Mismatch::kind, p, a, {}};
        continue;
      }
      if (!takes(L_, a, param, loose) && !starts_star(overload, param, a)) return {Mismatch::kind, p, a, {}};
      slots_[p].index = a;
      if (starts_star(overload, param, a))
        for (; a < given_.positions && to_tensor(L_, a + 1); ++a) ++slots_[p].count;
      if (!param.input && param.field.as & as::sizes)
        while (lua_type(L_, slots_[p].index) == LUA_TNUMBER && a < given_.positions &&
               lua_type(L_, a + 1) == LUA_TNUMBER)
          ++a, ++slots_[p].count;
    }
    return {};
  }

  // meshgrid(a, b): tensors instead of a list of tensors.
  bool starts_star(const Overload& overload, const Param& param, int a) const {
    return overload.info->traits.star && param.list && to_tensor(L_, a);
  }

  const Overload* choose() {
    if (function_.overloads().size() == 1) {
      const Overload* overload = function_.overloads()[0];
      if (Mismatch m = match(*overload, true); m.why) errors_.refuse(*overload, m);
      return overload;
    }
    for (bool loose : {false, true})
      for (auto* overload : function_.overloads())
        if (!match(*overload, loose).why) return overload;
    errors_.refuse();
  }

  // ---- read ----

  Value read_input(const Param& p, int index) const {
    if (const Tensor* t = to_tensor(L_, index)) {
      if (!*t) throw Error("{}: {} was freed", function_.name, errors_.argument_text(p, index));
      return *t;
    }
    return to_value(L_, index);
  }

  Inputs read_inputs(const Overload& overload) {
    Inputs in(size_t(overload.inputs));  // not {}: that would be one number
    for (int i = 0; i < int(overload.params.size()); ++i) {
      const Param& p = overload.params[i];
      if (!p.input) continue;
      if (p.list && to_tensor(L_, slots_[i].index))
        read_star(p, slots_[i], in);
      else if (p.list)
        read_list(p, slots_[i].index, in);
      else if (slots_[i].index)
        in[p.at] = read_input(p, slots_[i].index);
    }
    return in;
  }

  void read_star(const Param& p, const StackRange& slot, Inputs& in) const {
    in.pop_back();
    for (int i = slot.index; i < slot.index + slot.count; ++i) in.push_back(read_input(p, i));
  }

  // The list is the last input; its elements replace it. torch.none stands for an absent tensor.
  void read_list(const Param& p, int table, Inputs& in) {
    in.pop_back();
    for (lua_Integer k = 1, n = table ? luaL_len(L_, table) : 0; k <= n; ++k) {
      lua_geti(L_, table, k);
      int top = lua_gettop(L_);
      const Tensor* t = to_tensor(L_, top);
      if (!(t && *t) && (t || !is_none(L_, top)))
        throw Error("{}: element {} of {} is {}, expected a tensor", function_.name, k, errors_.argument_text(p, table),
                    given_text(L_, top));
      in.push_back(t ? Value(*t) : Value());
      lua_pop(L_, 1);
    }
  }

  class AttributeReader : public Fields {
   public:
    AttributeReader(Caller& caller, const Overload& overload) : caller_(caller), overload_(overload) {}
    bool visit(const FieldInfo& info, Attr& value) override {
      int p = overload_.of_attribute[size_t(number_++)];
      if (p < 0 || !caller_.slots_[p].index) return false;
      const StackRange& slot = caller_.slots_[p];
      try {
        value = read_attr(caller_.L_, slot.index, info, slot.count);
      } catch (const Error& e) {
        throw Error("{}: {} {}", caller_.function_.name, caller_.errors_.argument_text(overload_.params[p], slot.index),
                    e.what());
      }
      return true;
    }

   private:
    Caller& caller_;
    const Overload& overload_;
    int number_ = 0;
  };

  void read_attributes(const Overload& overload, OpValue& op) {
    if (!overload.info->describe) return;
    AttributeReader set(*this, overload);
    overload.info->describe(op.get(), set);
  }

  // Puts the call into the cache if its inputs are just the tensors that come first.
  void keep(const Overload& overload, const OpValue& op) const {
    CallKey key;
    if (given_.top != given_.positions || !read_key(L_, function_, given_.positions, key)) return;
    if (overload.inputs < key.tensors) return;
    for (int i = 0; i < int(overload.params.size()); ++i) {
      const Param& p = overload.params[i];
      if (p.input && (p.list || slots_[i].index != (p.at < key.tensors ? p.at + 1 : 0))) return;
    }
    cache_call(key, overload, op);
  }

  // ---- results ----

  int finish(const Overload& overload, const void* op, Inputs in) {
    if (function_.inplace || (given_.inplace && lua_toboolean(L_, given_.inplace))) {  // F.relu(x, {inplace = true})
      apply_inplace(*overload.info, op, std::move(in));
      for (int p = 0; p < int(overload.params.size()); ++p)
        if (overload.params[p].input && overload.params[p].at == 0) lua_pushvalue(L_, slots_[p].index);
      return 1;
    }
    if (given_.out) return write_out(overload, op, std::move(in));
    Tensors results = apply(*overload.info, op, std::move(in));
    if (given_.requires_grad && lua_toboolean(L_, given_.requires_grad))
      for (auto& t : results) t.set_requires_grad(true);
    return push_results(L_, overload, std::move(results));
  }

  int write_out(const Overload& overload, const void* op, Inputs in) {
    if (overload.info->view || overload.info->several)
      throw Error("{}: has no out=; its results are {}", function_.name, overload.info->view ? "views" : "a table");
    Tensors out = check_tensors(L_, given_.out, (function_.name + ": out= expects").c_str());
    if (out.size() != overload.info->outputs.size())
      throw Error("{}: out= expects {} tensors, got {}", function_.name, overload.info->outputs.size(), out.size());
    bool single = to_tensor(L_, given_.out);
    int n = int(out.size());
    apply_out(*overload.info, op, std::move(in), std::move(out));
    if (single) return lua_pushvalue(L_, given_.out), 1;
    for (int i = 1; i <= n; ++i) lua_geti(L_, given_.out, i);
    return n;
  }

 public:
  static int push_results(lua_State* L, const Overload& overload, Tensors results) {
    if (overload.info->several && !overload.info->traits.star) return push_list(L, results), 1;
    if (overload.info->traits.answers) {
      if (!results[0].device().has_data())
        throw Error("{}: there is no answer on the {} device, whose tensors have no data", overload.info->lua_name,
                    results[0].device().kind());
      return lua_pushboolean(L, results[0].item().value() != 0), 1;  // also of uint8, as 0 is true in Lua
    }
    luaL_checkstack(L, int(results.size()) + 4, nullptr);
    for (auto& t : results) push_tensor(L, std::move(t));
    return int(results.size());
  }

 private:
  lua_State* L_;
  const Function& function_;
  CallArguments given_;
  CallErrors errors_{L_, function_, given_};
  StackRange slots_[max_params];
};

// Whether n arguments may be inputs alone.
bool may_be_quick(const Overload& overload, int n) {
  return overload.quick && n >= overload.least && n <= overload.leading;
}

// Reads a call of inputs alone, tensors or numbers. No allocation. The stack holds the tensors.
bool read_quick(lua_State* L, const Overload& overload, int n, Inputs& in) {
  for (int i = 0; i < n; ++i) {
    if (const Tensor* t = to_tensor(L, i + 1)) {
      if (!*t) return false;
      in.emplace_back(Borrowed{*t});
    } else if (overload.info->inputs[size_t(i)].number && lua_type(L, i + 1) == LUA_TNUMBER) {
      if (lua_isinteger(L, i + 1))
        in.emplace_back(Scalar(int64_t(lua_tointeger(L, i + 1))));
      else
        in.emplace_back(Scalar(double(lua_tonumber(L, i + 1))));
    } else {
      return false;
    }
  }
  for (int i = n; i < overload.inputs; ++i) in.emplace_back();
  return true;
}

int run(lua_State* L, const Function& function, const Overload& overload, Call& call) {
  if (function.inplace) {
    apply_inplace(call);
    return lua_settop(L, 1), 1;
  }
  apply(call);
  if (call.out.size() == 1 && !call.info->several && !call.info->traits.answers)
    return push_tensor(L, std::move(call.out[0])), 1;
  return Caller::push_results(L, overload, std::move(call.out));
}

// Pushes the tensor of a last argument {out = x} that names nothing else. Pushes nothing and returns null for any other
// argument.
const Tensor* push_only_out(lua_State* L, int table) {
  if (lua_type(L, table) != LUA_TTABLE) return nullptr;
  if (lua_getmetatable(L, table)) return lua_pop(L, 1), nullptr;
  lua_pushnil(L);
  if (!lua_next(L, table)) return nullptr;
  size_t n = 0;
  const char* name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &n) : "";
  const Tensor* out = std::string_view(name, n) == "out" ? to_tensor(L, -1) : nullptr;
  lua_insert(L, -2);
  if (lua_next(L, table)) return lua_pop(L, 3), nullptr;
  return out && *out ? out : (lua_pop(L, 1), nullptr);
}

// A call of inputs alone and {out = x}: leaves the result on the stack.
bool run_quick_out(lua_State* L, const Function& function, int n) {
  const Tensor* out = n > 0 && !function.inplace ? push_only_out(L, n) : nullptr;
  if (!out) return false;
  for (auto* overload : function.overloads()) {
    if (!may_be_quick(*overload, n - 1)) continue;
    const OpInfo& info = *overload->info;
    if (info.outputs.size() != 1 || info.view || info.several) continue;
    Call call{&info, overload->defaults.get(), {}, {}};
    if (!read_quick(L, *overload, n - 1, call.in)) continue;
    Tensors into;
    into.emplace_back(*out);
    return apply_out(call, into), true;
  }
  return lua_pop(L, 1), false;
}

int run_cached(lua_State* L, CachedCall& r) {
  struct Use {
    int& users;
    explicit Use(int& count) : users(++count) {}
    ~Use() { --users; }
  } use(r.users);
  Call call{r.overload->info, r.op.get(), {}, {}};
  for (int i = 0; i < r.overload->inputs; ++i)
    i < r.key.tensors ? call.in.emplace_back(Borrowed{*to_tensor(L, i + 1)}) : call.in.emplace_back();
  return run(L, *r.key.function, *r.overload, call);
}

[[gnu::noinline]] int call_with_attributes(lua_State* L, const Function& function, int n) {
  if (run_quick_out(L, function, n)) return 1;
  CallKey key;
  if (read_key(L, function, n, key))
    if (CachedCall* r = find_cached_call(key)) return run_cached(L, *r);
  return Caller(L, function).run();
}

}  // namespace

int call_function(lua_State* L, const Function& function) {
  const int n = lua_gettop(L);
  for (auto* overload : function.overloads()) {
    if (!may_be_quick(*overload, n)) continue;
    Call call{overload->info, overload->defaults.get(), {}, {}};
    if (read_quick(L, *overload, n, call.in)) return run(L, function, *overload, call);
  }
  return call_with_attributes(L, function, n);
}

}  // namespace luth::lang
