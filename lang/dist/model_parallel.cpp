// nn.parallel: modules whose parameters or layers lie on several ranks. They are Lua (share/luth/torch), over what is
// here for memory that comes and goes.
#include "core/dist/reducer.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/ref.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// views(flat, tensors): views of one flat tensor, one after the other, in the shapes of the tensors.
int views(lua_State* L) {
  dist::TensorList list;
  for (const Tensor& t : check_tensors(L, 2)) list.push_back(t);
  lua_createtable(L, int(list.size()), 0);
  lua_Integer i = 0;
  for (const Tensor& view : dist::views_of(check_tensor(L, 1), list)) push_tensor(L, view), lua_rawseti(L, -2, ++i);
  return 1;
}

// give_back(t): frees the memory of a tensor and of all its views, which nobody reads until take_back.
int give_back(lua_State* L) {
  check_tensor(L, 1).storage()->resize(0);
  return 0;
}
// take_back(t): gives it memory again. Returns a tensor of that memory whose writes do not count as writes to t: they
// bring back what was there, so that values which autograd has saved stay valid.
int take_back(lua_State* L) {
  const Tensor& t = check_tensor(L, 1);
  t.storage()->resize(t.bytes());
  const auto memory = make<Storage>(
      t.device(), t.storage()->data(), t.bytes(), [](void* p) { delete static_cast<Ref<Storage>*>(p); },
      new Ref<Storage>(t.storage()));
  return push_tensor(L, Tensor::alias(memory, t.shape(), t.strides(), 0, t.dtype())), 1;
}

// after_backward(f): calls f once, when the backward that runs has run all its nodes. Returns whether one runs.
int at_end_of_backward(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  const auto call = [f = LuaRef(L, 1)] {
    lua_State* L = f.running();
    luaL_checkstack(L, 4, nullptr);
    f.push(L);
    lua_call(L, 0, 0);
  };
  bool runs = true;
  try {
    after_backward(call);
  } catch (const Error&) { runs = false; }
  return lua_pushboolean(L, runs), 1;
}

constexpr luaL_Reg functions[] = {{"views", guarded<views>},
                                  {"give_back", guarded<give_back>},
                                  {"take_back", guarded<take_back>},
                                  {"after_backward", guarded<at_end_of_backward>},
                                  {nullptr, nullptr}};

constexpr Row tensor_rows[] = {
    {"ColumnParallelLinear", nullptr,
     "nn.parallel.ColumnParallelLinear(in_features, out_features, {bias = true, gather_output = true, process_group})",
     "A Linear of which each rank has some rows of the weight, and so some of the outputs. gather_output = false "
     "leaves "
     "these on their ranks, for a RowParallelLinear. The number of ranks divides out_features."},
    {"RowParallelLinear", nullptr,
     "nn.parallel.RowParallelLinear(in_features, out_features, {bias = true, input_is_parallel = false, "
     "process_group})",
     "A Linear of which each rank has some columns of the weight; the results are added up. input_is_parallel = true: "
     "the input is this rank's part. The number of ranks divides in_features."},
    {"VocabParallelEmbedding", nullptr,
     "nn.parallel.VocabParallelEmbedding(num_embeddings, embedding_dim, {process_group})",
     "An Embedding of which each rank has some rows. The number of ranks divides num_embeddings."},
};

constexpr Row sharded_rows[] = {
    {"FullyShardedDataParallel", nullptr,
     "nn.parallel.FullyShardedDataParallel(module, {process_group, auto_wrap_policy, mixed_precision, "
     "reshard_after_forward = true})",
     "The module on all ranks of a run, each of which keeps a part of its parameters, gradients and optimizer state. "
     "The parameters of a submodule that auto_wrap_policy (a list of classes, or a function of a module) selects, and "
     "the rest, are gathered before they are used and freed afterwards; gradients are averaged. Make the optimizer "
     "from "
     "`fsdp:parameters()`. `fsdp:state_dict()` is that of the module; `fsdp:set_state_dict_type('sharded')`, "
     "`fsdp:clip_grad_norm_(max_norm)`, `fsdp:optim_state_dict(opt)`, `fsdp:no_sync(f)`."},
};

constexpr Row pipeline_rows[] = {
    {"Pipeline", nullptr,
     "nn.parallel.Pipeline(stages, {chunks, schedule = 'gpipe', loss_fn, process_group, in_process = false})",
     "A model as a list of modules, through which the `chunks` micro-batches of a batch pass one after the other. In a "
     "run each rank gives its stage, or with schedule 'interleaved' its stages (stage s of all is rank s % ranks's); "
     "otherwise, and with in_process, the stages are those of one process, each on its device. Schedule 'gpipe' runs "
     "all forwards first; '1f1b' keeps as many micro-batches as there are stages at most. `pipe:step(input, target)` "
     "is forward and backward of a batch and returns its loss on the last stage's rank; `pipe(input)` is forward "
     "alone."},
};

void open_model_parallel(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luth.dist");
  luaL_setfuncs(L, functions, 0);
  lua_getglobal(L, "nn");
  luaL_getsubtable(L, -1, "parallel");
  add_library(L, -1, "luth.torch.tensor_parallel", tensor_rows);
  add_library(L, -1, "luth.torch.fully_sharded", sharded_rows);
  add_library(L, -1, "luth.torch.pipeline", pipeline_rows);
}
const Open opener("nn.parallel", Open::modules + 7, open_model_parallel);

}  // namespace
}  // namespace luth::lang
