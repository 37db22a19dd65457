// What DistributedDataParallel is made of: reducers, which average gradients while backward runs.
#include "core/dist/reducer.h"

#include <algorithm>

#include "lang/dist/dist.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/ref.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang::distributed {
namespace {

using namespace dist;

// reducer(group, parameters, names, {bucket_bytes =, find_unused_parameters =, …})

using ReducerRef = std::shared_ptr<Reducer>;
int make_reducer(lua_State* L) {
  ReducerOptions o;
  NamedArguments given(L, 4, "DistributedDataParallel");
  const double bytes = given.number("bucket_cap_mb", 25) * (1 << 20);
  if (!(bytes > 0 && bytes < 1e15)) throw Error("bucket_cap_mb is a number above 0");
  o.bucket_bytes = int64_t(bytes);
  o.first_bucket_bytes = std::min(o.first_bucket_bytes, o.bucket_bytes);
  o.find_unused_parameters = given.flag("find_unused_parameters", false);
  o.gradient_as_bucket_view = given.flag("gradient_as_bucket_view", false);
  o.static_graph = given.flag("static_graph", false);
  given.done();
  push_box(L, std::make_shared<Reducer>(group_at(L, 1), list_at(L, 2, "parameters expects"), keys_at(L, 3), o), 1);
  return 1;
}
Reducer& self_reducer(lua_State* L) {
  const ReducerRef& r = own<ReducerRef>(L);
  if (!r) throw Error("this reducer has been collected");
  return *r;
}
// (first, count) from `index`; nothing: all ranks.
std::optional<Active> active_at(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return std::nullopt;
  return Active{rank_at(L, index), rank_at(L, index + 1)};
}
int prepare_of(lua_State* L) {
  Reducer& r = self_reducer(L);
  r.prepare(lua_isnoneornil(L, 2) ? Tensors() : check_tensors(L, 2), active_at(L, 3));
  return 0;
}
int expect_of(lua_State* L) { return self_reducer(L).expect(), 0; }
int rest_of(lua_State* L) { return self_reducer(L).rest(), 0; }
int shadow_of(lua_State* L) {
  self_reducer(L).shadow(*active_at(L, 2));
  return 0;
}

// The function is a user value of the reducer. It is called with a bucket's number, and at the end of backward with
// true too.
int set_hook_of(lua_State* L) {
  Reducer& r = self_reducer(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  const WeakRef f(L, 2);
  lua_setiuservalue(L, 1, 1);
  const auto call = [f](size_t bucket, bool ends) {
    lua_State* L = f.running();
    luaL_checkstack(L, 8, nullptr);
    f.push(L);
    lua_pushinteger(L, lua_Integer(bucket + 1));
    lua_pushboolean(L, ends);
    lua_call(L, 2, 1);
    const Tensor result = ends ? check_tensor(L, -1) : Tensor();
    lua_pop(L, 1);
    return result;
  };
  r.set_hook({[call](size_t i) { call(i, false); }, [call](size_t i) { return call(i, true); }});
  return 0;
}

// The numbers of the bucket's parameters, its flat tensor, and the views of that for each parameter.
int bucket_of(lua_State* L) {
  const auto& buckets = self_reducer(L).buckets();
  const lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 1 || size_t(i) > buckets.size()) return 0;
  const Reducer::Bucket& b = buckets[size_t(i - 1)];
  lua_newtable(L);
  lua_Integer k = 0;
  for (int p : b.parameters) lua_pushinteger(L, p + 1), lua_rawseti(L, -2, ++k);
  push_tensor(L, b.flat);
  lua_newtable(L);
  k = 0;
  for (const Tensor& view : b.views) push_tensor(L, view), lua_rawseti(L, -2, ++k);
  return 3;
}
constexpr Row reducer_methods[] = {
    {"expect", guarded<expect_of>, "reducer:expect()", "Comes before each forward with gradients."},
    {"prepare", guarded<prepare_of>, "reducer:prepare(outputs?, first?, count?)",
     "The next backward is averaged over the ranks, or over count of them."},
    {"rest", guarded<rest_of>, "reducer:rest()", "The next backward is not."},
    {"shadow", guarded<shadow_of>, "reducer:shadow(first, count)",
     "Takes part in a backward of other ranks without gradients."},
    {"set_hook", guarded<set_hook_of>, "reducer:set_hook(f)",
     "f(i) sends bucket i, and f(i, true) gives its averages at the end of backward."},
    {"bucket", guarded<bucket_of>, "reducer:bucket(i)",
     "The numbers of the parameters of the i-th bucket to be sent, its flat tensor, and the parts of it for each "
     "parameter; nothing where there are fewer."},
};

std::string text_of_reducer(lua_State*) { return "torch.distributed.Reducer"; }

// broadcast_all(group, tensors, src)
int broadcast_all_of(lua_State* L) {
  broadcast_all(*group_at(L, 1), list_at(L, 2, "expects"), rank_at(L, 3));
  return 0;
}

constexpr luaL_Reg functions[] = {
    {"reducer", guarded<make_reducer>}, {"broadcast_all", guarded<broadcast_all_of>}, {nullptr, nullptr}};

}  // namespace

void open_reducers(lua_State* L) {
  open_class<ReducerRef, text_of_reducer>(L, "torch.distributed.Reducer", reducer_methods);
  luaL_setfuncs(L, functions, 0);
}

}  // namespace luth::lang::distributed
