// torch.func: derivatives and vmap. They are written in Lua (share/luth/torch/func.lua) over the few functions here.
#include "core/func/vmap.h"
#include "core/op/basics.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

Randomness randomness_at(lua_State* L, int index) {
  const std::string_view word = luaL_checkstring(L, index);
  if (word == "error") return Randomness::error;
  if (word == "different") return Randomness::different;
  if (word == "same") return Randomness::same;
  throw Error("randomness is 'error', 'different' or 'same', not '{}'", word);
}

// batched(like, size, randomness, f): the results of f() in the scope of a vmap of `size` samples of tensors like
// `like`.
int batched(lua_State* L) {
  const Tensor& like = check_tensor(L, 1);
  const int64_t size = luaL_checkinteger(L, 2);
  const Randomness randomness = randomness_at(L, 3);
  luaL_checkany(L, 4);
  lua_settop(L, 4);
  func::VmapScope scope(like.device(), size, randomness);
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - 3;
}

BatchedDevice& current_device() {
  auto* scope = func::VmapScope::current();
  if (!scope) throw Error("there is no vmap here");
  return scope->device();
}
// split(x, dim), join(x, dim): a tensor of samples, and back; dim counts from 1, negative ones from the end.
int64_t dim_at(lua_State* L, int index) {
  const int64_t dim = luaL_checkinteger(L, index);
  if (dim == 0) throw Error("dims count from 1");
  return dim > 0 ? dim - 1 : dim;
}
int split(lua_State* L) {
  return push_tensor(L, func::add_batch_dim(check_tensor(L, 1), dim_at(L, 2), current_device())), 1;
}
int join(lua_State* L) {
  return push_tensor(L, func::remove_batch_dim(check_tensor(L, 1), dim_at(L, 2), current_device())), 1;
}

// here(x): x, or within vmap a tensor whose samples are all x, so that it can have a gradient for each sample.
int here(lua_State* L) {
  const Tensor& t = check_tensor(L, 1);
  auto* scope = func::VmapScope::current();
  if (!scope || &t.device() == &scope->device()) return lua_settop(L, 1), 1;
  return push_tensor(L, basic::share_samples(t, scope->device())), 1;
}

constexpr luaL_Reg functions[] = {{"batched", guarded<batched>},
                                  {"split", guarded<split>},
                                  {"join", guarded<join>},
                                  {"here", guarded<here>},
                                  {nullptr, nullptr}};

constexpr Row rows[] = {
    {"vmap", nullptr, "torch.func.vmap(f, in_dims = 1, out_dims = 1, {randomness = 'error', chunk_size = nil})",
     "A function that runs f, which is written for one sample, for all samples of a batch at once. in_dims says along "
     "which dim the samples of each argument lie: a number, or a table with one for each argument, torch.none for an "
     "argument that all samples share. Arguments may be tables of tensors. Also torch.vmap."},
    {"grad", nullptr, "torch.func.grad(f, argnums = 1, {has_aux = false})",
     "A function that gives the gradient of f, which gives one number, by the arguments that argnums names: a position "
     "or a table of them. Such an argument is a tensor or a table of them. With has_aux f gives a second value, which "
     "is passed on."},
    {"grad_and_value", nullptr, "torch.func.grad_and_value(f, argnums = 1, {has_aux = false})",
     "As torch.func.grad; its function gives the gradient and then the value of f."},
    {"vjp", nullptr, "torch.func.vjp(f, ...)",
     "Two values: f(...), and a function from a cotangent of that to the gradients by the arguments."},
    {"jvp", nullptr, "torch.func.jvp(f, primals, tangents)",
     "Two values: f of the primals, a table, and its derivative in the direction of the tangents."},
    {"jacrev", nullptr, "torch.func.jacrev(f, argnums = 1)",
     "A function that gives the Jacobian of f by that argument, one row of all samples of the result at once: best "
     "where the result is smaller than the argument. Its shape is that of the result, then that of the argument. For a "
     "table of tensors it gives a table of Jacobians."},
    {"jacfwd", nullptr, "torch.func.jacfwd(f, argnums = 1)",
     "As torch.func.jacrev, by columns: best where the argument is smaller than the result."},
    {"hessian", nullptr, "torch.func.hessian(f, argnums = 1)", "The Jacobian of the Jacobian."},
    {"stack_module_state", nullptr, "torch.func.stack_module_state(models)",
     "The parameters of several modules of one class, by name, each stacked into a tensor along a new first dim; and "
     "their buffers as a second value. For an ensemble: torch.func.vmap over functional_call."},
};
constexpr Row torch_rows[] = {
    {"vmap", nullptr, "torch.vmap(f, in_dims = 1, out_dims = 1, {randomness = 'error', chunk_size = nil})",
     "The same as torch.func.vmap."},
};

void open_func(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "luth.vmap");
  lua_getglobal(L, "torch");
  add_library(L, -1, "luth.torch.func", torch_rows);
  luaL_getsubtable(L, -1, "func");
  add_library(L, -1, "luth.torch.func", rows);
}
const Open opener("torch.func", Open::modules + 6, open_func);

}  // namespace
}  // namespace luth::lang
