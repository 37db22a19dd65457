// A call of a face: which of its forms the arguments fit, what they mean, and the results.
//
// The ordinary call, inputs alone, goes straight to apply(), and so does one whose attributes came before (repeated.h).
// Any other passes three steps: gather (positions and names), match (each form in turn, by the kinds of the arguments
// alone), read (values, with precise errors).
#include <algorithm>

#include "core/dispatch/generator.h"
#include "lang/binding/bind_errors.h"
#include "lang/binding/call_cache.h"
#include "lang/values/generator.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr int max_params = 32;

struct Slot {
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
  Caller(lua_State* L, const Face& face) : L_(L), face_(face) {}

  int run() {
    gather();
    const Form* form = choose();
    Inputs in = read_inputs(*form);
    OpValue op(form->info, form->defaults.get());
    read_attributes(*form, op);
    keep(*form, op);
    if (!given_.generator || is_none(L_, given_.generator)) return finish(*form, op.get(), std::move(in));
    UseGenerator use(given_generator());
    return finish(*form, op.get(), std::move(in));
  }

 private:
  Generator& given_generator() const {
    try {
      return check_generator(L_, given_.generator);
    } catch (const Error& e) { throw Error("{}: argument 'generator' {}", face_.name, e.what()); }
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

  // `torch.cat{a, b, dim = 2}`: the name would be lost. What a list's hash holds comes after its last position.
  void refuse_names_in_list(int list) const {
    const lua_Integer n = lua_type(L_, list) == LUA_TTABLE ? lua_Integer(lua_rawlen(L_, list)) : 0;
    if (n == 0) return;
    if (lua_getmetatable(L_, list)) return lua_pop(L_, 1);
    lua_pushinteger(L_, n);
    if (!lua_next(L_, list)) return;
    if (lua_type(L_, -2) == LUA_TSTRING)
      throw Error("{0}: the list has the key '{1}' as well; named arguments go into a table of their own: {{{1} = …}}",
                  face_.name, lua_tostring(L_, -2));
    lua_pop(L_, 2);
  }

  void take_named(int table) {
    luaL_checkstack(L_, 80, "too many named arguments");
    int limit = lua_gettop(L_) + 60;
    lua_pushnil(L_);
    while (lua_next(L_, table)) {
      if (lua_type(L_, -2) != LUA_TSTRING)
        throw Error("{}: a table of named arguments has string keys alone, this one mixes them with positions",
                    face_.name);
      size_t n = 0;
      const char* s = lua_tolstring(L_, -2, &n);
      int index = lua_gettop(L_) - 1;
      lua_insert(L_, -2);  // value below key: the value stays, lua_next pops the key
      if (index > limit) throw Error("{}: too many named arguments", face_.name);
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
      throw Error("{}: argument '{}' expects true or false, got {}", face_.name, name, given_text(L_, index));
  }

  // Arguments that the binder serves itself, for operators that have none of that name.
  void take_special(std::string_view name, int& into) {
    for (auto* form : face_.forms())
      if (find_param(*form, name) >= 0) return;
    if (name == "requires_grad" && !face_.forms()[0]->makes) return;
    if (name == "generator" && !takes_generator(*face_.forms()[0]->info)) return;
    if (name == "inplace" && !face_.forms()[0]->info->inplace) return;
    for (size_t i = 0; i < given_.named.size(); ++i)
      if (given_.named[i].name == name) {
        into = given_.named[i].index;
        given_.named[i] = given_.named.back();
        given_.named.pop_back();
        return;
      }
  }

  // ---- match ----

  Mismatch match(const Form& form, bool loose) {
    std::fill(slots_, slots_ + max_params, Slot());
    if (Mismatch m = match_positions(form, loose); m.why) return m;
    for (auto& [name, index] : given_.named) {
      int p = find_param(form, name);
      if (p < 0) return {Mismatch::unknown, 0, index, name};
      if (slots_[p].index) return {Mismatch::twice, p, index, name};
      if (!takes(L_, index, form.params[p], loose)) return {Mismatch::kind, p, index, name};
      slots_[p].index = index;
    }
    for (int p = 0; p < int(form.params.size()); ++p)
      if (form.params[p].required && !slots_[p].index) return {Mismatch::missing, p, 0, {}};
    return {};
  }

  Mismatch match_positions(const Form& form, bool loose) {
    int p = 0;
    for (int a = 1; a <= given_.positions; ++a, ++p) {
      if (p == form.positional) return {Mismatch::too_many, 0, a, {}};
      const Param& param = form.params[p];
      if (lua_isnil(L_, a)) {
        if (param.required) return {Mismatch::kind, p, a, {}};
        continue;
      }
      if (!takes(L_, a, param, loose) && !starts_star(form, param, a)) return {Mismatch::kind, p, a, {}};
      slots_[p].index = a;
      if (starts_star(form, param, a))
        for (; a < given_.positions && to_tensor(L_, a + 1); ++a) ++slots_[p].count;
      if (!param.input && param.field.as & as::sizes)
        while (lua_type(L_, slots_[p].index) == LUA_TNUMBER && a < given_.positions &&
               lua_type(L_, a + 1) == LUA_TNUMBER)
          ++a, ++slots_[p].count;
    }
    return {};
  }

  // meshgrid(a, b): tensors in the place of a list of them.
  bool starts_star(const Form& form, const Param& param, int a) const {
    return form.info->star && param.list && to_tensor(L_, a);
  }

  const Form* choose() {
    if (face_.forms().size() == 1) {
      const Form* form = face_.forms()[0];
      if (Mismatch m = match(*form, true); m.why) errors_.refuse(*form, m);
      return form;
    }
    for (bool loose : {false, true})
      for (auto* form : face_.forms())
        if (!match(*form, loose).why) return form;
    errors_.refuse();
  }

  // ---- read ----

  Value read_input(const Param& p, int index) const {
    if (const Tensor* t = to_tensor(L_, index)) {
      if (!*t) throw Error("{}: {} was freed", face_.name, errors_.place(p, index));
      return *t;
    }
    return to_value(L_, index);
  }

  Inputs read_inputs(const Form& form) {
    Inputs in(size_t(form.inputs));  // not {}: that would be one number
    for (int i = 0; i < int(form.params.size()); ++i) {
      const Param& p = form.params[i];
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

  void read_star(const Param& p, const Slot& slot, Inputs& in) const {
    in.pop_back();
    for (int i = slot.index; i < slot.index + slot.count; ++i) in.push_back(read_input(p, i));
  }

  // The elements take the place of the list, which is the last input. torch.none stands for an absent one.
  void read_list(const Param& p, int table, Inputs& in) {
    in.pop_back();
    for (lua_Integer k = 1, n = table ? luaL_len(L_, table) : 0; k <= n; ++k) {
      lua_geti(L_, table, k);
      int top = lua_gettop(L_);
      const Tensor* t = to_tensor(L_, top);
      if (!(t && *t) && (t || !is_none(L_, top)))
        throw Error("{}: element {} of {} is {}, expected a tensor", face_.name, k, errors_.place(p, table),
                    given_text(L_, top));
      in.push_back(t ? Value(*t) : Value());
      lua_pop(L_, 1);
    }
  }

  class Setter : public Fields {
   public:
    Setter(Caller& caller, const Form& form) : caller_(caller), form_(form) {}
    bool visit(const FieldInfo& info, Attr& value) override {
      int p = form_.of_attribute[size_t(number_++)];
      if (p < 0 || !caller_.slots_[p].index) return false;
      const Slot& slot = caller_.slots_[p];
      try {
        value = read_attr(caller_.L_, slot.index, info, slot.count);
      } catch (const Error& e) {
        throw Error("{}: {} {}", caller_.face_.name, caller_.errors_.place(form_.params[p], slot.index), e.what());
      }
      return true;
    }

   private:
    Caller& caller_;
    const Form& form_;
    int number_ = 0;
  };

  void read_attributes(const Form& form, OpValue& op) {
    if (!form.info->describe) return;
    Setter set(*this, form);
    form.info->describe(op.get(), set);
  }

  // For the next call like this one, whose inputs are the tensors that come first.
  void keep(const Form& form, const OpValue& op) const {
    CallKey key;
    if (given_.top != given_.positions || !read_key(L_, face_, given_.positions, key)) return;
    if (form.inputs < key.tensors) return;
    for (int i = 0; i < int(form.params.size()); ++i) {
      const Param& p = form.params[i];
      if (p.input && (p.list || slots_[i].index != (p.at < key.tensors ? p.at + 1 : 0))) return;
    }
    keep_repeated(key, form, op);
  }

  // ---- results ----

  int finish(const Form& form, const void* op, Inputs in) {
    if (face_.inplace || (given_.inplace && lua_toboolean(L_, given_.inplace))) {  // F.relu(x, {inplace = true})
      apply_inplace(*form.info, op, std::move(in));
      for (int p = 0; p < int(form.params.size()); ++p)
        if (form.params[p].input && form.params[p].at == 0) lua_pushvalue(L_, slots_[p].index);
      return 1;
    }
    if (given_.out) return write_out(form, op, std::move(in));
    Tensors results = apply(*form.info, op, std::move(in));
    if (given_.requires_grad && lua_toboolean(L_, given_.requires_grad))
      for (auto& t : results) t.set_requires_grad(true);
    return push_results(L_, form, std::move(results));
  }

  int write_out(const Form& form, const void* op, Inputs in) {
    if (form.info->view || form.info->several)
      throw Error("{}: has no out=; its results are {}", face_.name, form.info->view ? "views" : "a table");
    Tensors out = check_tensors(L_, given_.out, "out= expects");
    if (out.size() != form.info->outputs.size())
      throw Error("{}: out= expects {} tensors, got {}", face_.name, form.info->outputs.size(), out.size());
    bool single = to_tensor(L_, given_.out);
    int n = int(out.size());
    apply_out(*form.info, op, std::move(in), std::move(out));
    if (single) return lua_pushvalue(L_, given_.out), 1;
    for (int i = 1; i <= n; ++i) lua_geti(L_, given_.out, i);
    return n;
  }

 public:
  static int push_results(lua_State* L, const Form& form, Tensors results) {
    if (form.info->several && !form.info->star) return push_list(L, results), 1;
    if (form.info->answers) {
      if (!results[0].device().has_data())
        throw Error("{}: there is no answer on the {} device, whose tensors have no data", form.info->face,
                    results[0].device().kind());
      return push_scalar(L, results[0].item()), 1;
    }
    luaL_checkstack(L, int(results.size()) + 4, nullptr);
    for (auto& t : results) push_tensor(L, std::move(t));
    return int(results.size());
  }

 private:
  lua_State* L_;
  const Face& face_;
  Given given_;
  CallErrors errors_{L_, face_, given_};
  Slot slots_[max_params];
};

// The inputs alone, tensors or numbers: no names, no attributes, no allocation.
bool read_quick(lua_State* L, const Form& form, int n, Inputs& in) {
  if (!form.quick || n < form.least || n > form.leading) return false;
  for (int i = 0; i < n; ++i) {
    if (const Tensor* t = to_tensor(L, i + 1)) {
      if (!*t) return false;
      in.emplace_back(*t);
    } else if (form.info->inputs[size_t(i)].number && lua_type(L, i + 1) == LUA_TNUMBER) {
      if (lua_isinteger(L, i + 1))
        in.emplace_back(Scalar(int64_t(lua_tointeger(L, i + 1))));
      else
        in.emplace_back(Scalar(double(lua_tonumber(L, i + 1))));
    } else {
      return false;
    }
  }
  for (int i = n; i < form.inputs; ++i) in.emplace_back();
  return true;
}

int run(lua_State* L, const Face& face, const Form& form, Call& call) {
  if (face.inplace) {
    apply_inplace(*call.info, call.op, std::move(call.in));
    return lua_settop(L, 1), 1;
  }
  apply(call);
  if (call.out.size() == 1 && !call.info->several && !call.info->answers)
    return push_tensor(L, std::move(call.out[0])), 1;
  return Caller::push_results(L, form, std::move(call.out));
}

int run_repeated(lua_State* L, Repeated& r) {
  struct Use {
    int& running;
    explicit Use(int& count) : running(++count) {}
    ~Use() { --running; }
  } use(r.running);
  Call call{r.form->info, r.op.get(), Inputs(size_t(r.form->inputs)), {}};
  for (int i = 0; i < r.key.tensors; ++i) call.in[size_t(i)] = *to_tensor(L, i + 1);
  return run(L, *r.key.face, *r.form, call);
}

}  // namespace

int call_face(lua_State* L, const Face& face) {
  const int n = lua_gettop(L);
  for (auto* form : face.forms()) {
    Call call{form->info, form->defaults.get(), {}, {}};
    if (read_quick(L, *form, n, call.in)) return run(L, face, *form, call);
  }
  CallKey key;
  if (read_key(L, face, n, key))
    if (Repeated* r = find_repeated(key)) return run_repeated(L, *r);
  return Caller(L, face).run();
}

}  // namespace luth::lang
