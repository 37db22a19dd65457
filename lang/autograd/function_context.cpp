// The class of ctx, the script's view of one application of a torch.autograd.Function.
#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "lang/autograd/function.h"
#include "lang/collector/search.h"
#include "lang/runtime/allocator.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

const DestroyWithBlock<ApplicationRef> destroy(context_values);

// Keeps the tensors from argument 2 on in the ctx at 1.
template <ContextValue which>
int note_tensors(lua_State* L) {
  constexpr const char* name = which == to_save ? "save_for_backward"
                               : which == dirty ? "mark_dirty"
                                                : "mark_non_differentiable";
  const auto& app = own<ApplicationRef>(L);
  const int n = lua_gettop(L);
  lua_createtable(L, n, 0);
  for (int i = 2; i <= n; ++i) {
    const Tensor* t = to_tensor(L, i);
    if (!(t && *t) && (which != to_save || !is_none(L, i)))
      throw Error("{}: {} takes tensors, argument {} is {}; keep other values as fields of ctx", app->name, name, i - 1,
                  given_text(L, i));
    t ? lua_pushvalue(L, i) : push_none(L);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setiuservalue(L, 1, which);
  return 0;
}
int set_materialize(lua_State* L) {
  own<ApplicationRef>(L)->materialize = flag_at(L, 2, "set_materialize_grads", "value");
  return 0;
}

void check_kept(const Application& app) {
  if (app.freed)
    throw Error("{}: the saved tensors were freed by an earlier backward; pass {{retain_graph = true}} to that one",
                app.name);
}
// Pushes the saved tensors as a table, with torch.none for a nil that is followed by a tensor.
int push_saved(lua_State* L, const Application& app) {
  check_kept(app);
  if (!app.node) {  // not recorded, or still in forward
    if (lua_getiuservalue(L, 1, to_save) == LUA_TNIL) lua_newtable(L);
    return 1;
  }
  const Ref<Node> node(app.node);
  lua_createtable(L, int(app.saved.size()), 0);
  size_t n = app.saved.size();
  while (n && !app.saved[n - 1]) --n;
  for (size_t i = 0; i < n; ++i) {
    const Saved& s = app.saved[i];
    const bool result = s.is_result();
    const int nr = s.number();
    Tensor t = s ? s.unpack(*node) : Tensor();
    check_kept(app);  // a backward that unpacking ran may have freed them
    if (t && result && grad_enabled()) {
      t = t.detach();  // with create_graph it is a result of this node again
      set_history(t, node, nr);
    }
    t ? push_tensor(L, std::move(t)) : push_none(L);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  return 1;
}

// Other fields are the script's, and nil where they are not set. A name close to a known one is an error.
void check_name(lua_State* L, const Application& app) {
  static const std::vector<std::string> known{"mark_dirty",    "mark_non_differentiable", "needs_input_grad",
                                              "saved_tensors", "save_for_backward",       "set_materialize_grads"};
  const std::string key = lua_tostring(L, 2);
  if (std::string hint = did_you_mean(key, known); !hint.empty())
    throw Error("{}: ctx has no '{}'{}", app.name, key, hint);
}

// Upvalue 1: the methods.
int context_index(lua_State* L) {
  const auto& app = own<ApplicationRef>(L);
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING && std::string_view(lua_tostring(L, 2)) == "saved_tensors")
    return push_saved(L, *app);
  lua_getiuservalue(L, 1, fields);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (push_method(L)) return 1;
  if (lua_type(L, 2) == LUA_TSTRING) check_name(L, *app);
  return 0;
}
int context_newindex(lua_State* L) {
  own<ApplicationRef>(L);
  lua_getiuservalue(L, 1, fields);
  lua_insert(L, 2);
  lua_rawset(L, 2);
  return 0;
}

constexpr Row context_rows[] = {
    {"save_for_backward", guarded<note_tensors<to_save>>, "ctx:save_for_backward(...)",
     "Keeps tensors for backward, which finds them in the table ctx.saved_tensors. nil is kept too."},
    {"mark_dirty", guarded<note_tensors<dirty>>, "ctx:mark_dirty(...)",
     "Declares the arguments that forward has changed in place. forward must return them."},
    {"mark_non_differentiable", guarded<note_tensors<not_differentiable>>, "ctx:mark_non_differentiable(...)",
     "Declares the results that have no gradient."},
    {"set_materialize_grads", guarded<set_materialize>, "ctx:set_materialize_grads(value)",
     "With false, backward gets nil instead of zeros for an unused result."},
};

}  // namespace

bool holds_results(lua_State* L, int index, const Node& node) {
  auto is_result = [&] {
    const Tensor* t = to_tensor(L, -1);
    const Ref<Node> made = t && *t ? t->grad_fn() : Ref<Node>();
    return made && made->sequence >= node.sequence;
  };
  lua_getiuservalue(L, index, fields);
  return Search(L, is_result).run();
}

void open_context(lua_State* L) {
  open_box<ApplicationRef>(L, "torch.autograd.function.ctx");
  finish_class(L, context_rows, guarded<context_index>, {{"__newindex", guarded<context_newindex>}});
}

}  // namespace luth::lang
