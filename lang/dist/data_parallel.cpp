// Training on several devices and processes with the same module on each. All of it is Lua (share/luth/torch), over
// luth.dist.
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr Row parallel_rows[] = {
    {"DistributedDataParallel", nullptr,
     "nn.parallel.DistributedDataParallel(module, {device_ids, broadcast_buffers = true, process_group, bucket_cap_mb "
     "= 25, "
     "find_unused_parameters = false, gradient_as_bucket_view = false, static_graph = false})",
     "The module on all ranks of a run: it begins with rank 0's parameters, and each backward averages the gradients "
     "of the ranks while it goes on. device_ids = {0}: the module is on that GPU, and calls bring their tensors there. "
     "`ddp:no_sync(f)` keeps those of a backward on this rank, to add several before "
     "one is sent. `ddp:join({divide_by_initial_world_size = true, enable = true, throw_on_early_termination = false}, "
     "f)` lets a rank end f earlier than others. `ddp:register_comm_hook(state, hook)` averages buckets by "
     "hook(state, bucket), which returns a tensor, or a function that waits for it; "
     "torch.distributed.algorithms.ddp_comm_hooks has some. `ddp.module` is the module."},
};

constexpr Row device_rows[] = {
    {"DataParallel", nullptr, "nn.DataParallel(module, {device_ids, output_device, dim = 1})",
     "The module on several GPUs of this process: each call divides its tensors along dim, copies the parameters to "
     "all "
     "GPUs, and joins the results on output_device, by default the first of device_ids (by default all GPUs). "
     "Gradients "
     "arrive on the first, where the module is. Without a GPU it calls the module. DistributedDataParallel, with a "
     "process for each GPU, is quicker."},
};

constexpr Row optimizer_rows[] = {
    {"ZeroRedundancyOptimizer", nullptr,
     "optim.ZeroRedundancyOptimizer(params, {optimizer_class, process_group, the settings of that class})",
     "The optimizer of that class over the ranks of a run: each rank keeps the state of its share of the parameters, "
     "steps these, and sends them to the others. opt:consolidate_state_dict(to = 0) brings all states to rank `to`, "
     "for opt:state_dict() there, which is that of the class; opt:load_state_dict(dict) takes such a one on all "
     "ranks."},
};

constexpr Row state_rows[] = {
    {"consume_prefix_in_state_dict_if_present", nullptr,
     "nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, prefix)",
     "Takes the prefix off the names of a state dict: 'module.' of one that DistributedDataParallel gave, for the "
     "module alone."},
};

constexpr Row hook_rows[] = {
    {"allreduce_hook", nullptr, "allreduce_hook(process_group, bucket)",
     "A hook for register_comm_hook: the mean over the ranks, as without a hook."},
    {"fp16_compress_hook", nullptr, "fp16_compress_hook(process_group, bucket)",
     "A hook for register_comm_hook: gradients travel as float16."},
    {"bf16_compress_hook", nullptr, "bf16_compress_hook(process_group, bucket)",
     "A hook for register_comm_hook: gradients travel as bfloat16."},
    {"fp16_compress_wrapper", nullptr, "fp16_compress_wrapper(hook)",
     "The hook over buckets whose gradients are float16."},
    {"bf16_compress_wrapper", nullptr, "bf16_compress_wrapper(hook)",
     "The hook over buckets whose gradients are bfloat16."},
};
constexpr Row power_sgd_rows[] = {
    {"PowerSGDState", nullptr,
     "PowerSGDState{process_group, matrix_approximation_rank = 1, start_powerSGD_iter = 1000, min_compression_rate = "
     "2, use_error_feedback = true, warm_start = true, random_seed = 0}",
     "The state of powerSGD_hook, for one module. Backwards before start_powerSGD_iter are averaged as without a "
     "hook."},
    {"powerSGD_hook", nullptr, "powerSGD_hook(state, bucket)",
     "A hook for register_comm_hook: of a gradient that is a matrix, two thin factors travel (Vogels, Karimireddy and "
     "Jaggi, \"PowerSGD\"). What they miss is added to the next gradient."},
};

constexpr Row data_rows[] = {
    {"DistributedSampler", nullptr,
     "data.DistributedSampler(dataset, {num_replicas, rank, shuffle = true, seed = 0, drop_last = false})",
     "A sampler for data.DataLoader by which each rank of a run reads its own part of the dataset. Call "
     "sampler:set_epoch(epoch) before each epoch, for another order. Without drop_last some samples are read twice, so "
     "that "
     "all ranks read as many."},
};

// Adds the functions to a table of that name in the table on top of the stack, and leaves it there. A name space
// (lang/help/names.cpp) has no text here.
void open_table(lua_State* L, const char* name, const char* text, const char* module, std::span<const Row> rows) {
  luaL_getsubtable(L, -1, name);
  if (text) document(L, -1, text);
  add_library(L, -1, module, rows);
}

void open_hooks(lua_State* L) {
  const char* module = "luth.torch.comm_hooks";
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "distributed");
  add_library(L, -1, module, std::span(hook_rows).first(3));
  open_table(L, "algorithms", "torch.distributed.algorithms\n  ddp_comm_hooks.", module, {});
  open_table(L, "ddp_comm_hooks",
             "torch.distributed.algorithms.ddp_comm_hooks\n  For register_comm_hook of "
             "DistributedDataParallel.",
             module, {});
  open_table(L, "powerSGD_hook", nullptr, "luth.torch.power_sgd", power_sgd_rows);
  lua_pop(L, 1);
  open_table(L, "default_hooks", nullptr, module, hook_rows);
  lua_settop(L, 0);
}

void open_data_parallel(lua_State* L) {
  open_hooks(L);
  const char* module = "luth.torch.parallel";
  lua_getglobal(L, "nn");
  add_library(L, -1, "luth.torch.data_parallel", device_rows);
  open_table(L, "parallel", nullptr, module, parallel_rows);
  lua_pop(L, 1);
  luaL_getsubtable(L, -1, "modules");
  open_table(L, "utils", "nn.modules.utils\n  consume_prefix_in_state_dict_if_present.", module, state_rows);
  lua_getglobal(L, "optim");
  add_library(L, -1, "luth.torch.zero_redundancy", optimizer_rows);
  lua_getglobal(L, "data");
  add_library(L, -1, "luth.torch.distributed_sampler", data_rows);
  lua_settop(L, 0);
}
const Open opener("nn.parallel.data", Open::modules + 7, open_data_parallel);

}  // namespace
}  // namespace luth::lang
