// torch.distributed: the run and its groups. The names and arguments that scripts see are Lua
// (share/luth/torch/distributed.lua).
#include "lang/dist/dist.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "core/dist/environment.h"
#include "core/dist/world.h"
#include "core/io/description.h"
#include "lang/library/lua_tree.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang::distributed {

using namespace dist;

// ---- arguments ----

const GroupRef& group_at(lua_State* L, int index) {
  if (auto* g = to_box<GroupRef>(L, index); g && *g) return *g;
  throw Error(ErrorCode::usage, "expects a process group, got {}", given_text(L, index));
}

std::optional<Milliseconds> seconds_at(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return std::nullopt;
  if (lua_type(L, index) != LUA_TNUMBER)
    throw Error(ErrorCode::usage, "timeout is in seconds, a number, got {}", given_text(L, index));
  const double s = lua_tonumber(L, index);
  if (!(s > 0 && s < 1e9)) throw Error(ErrorCode::usage, "timeout is in seconds, above 0, got {}", s);
  return Milliseconds(std::max<int64_t>(1, int64_t(s * 1000)));
}

TensorList list_at(lua_State* L, int index, const char* what) {
  TensorList list;
  if (lua_isnoneornil(L, index)) return list;
  for (const Tensor& t : check_tensors(L, index, what)) list.push_back(t);
  return list;
}

int rank_at(lua_State* L, int index) { return int(std::clamp<int64_t>(check_integer(L, index), -1, 1 << 30)); }

int tag_at(lua_State* L, int index) {
  const int64_t tag = check_integer(L, index);
  if (tag < 0 || tag > INT_MAX) throw Error(ErrorCode::usage, "tag is {}, expected 0 to {}", tag, INT_MAX);
  return int(tag);
}

Tensor tensor_at(lua_State* L, int index) { return check_tensor(L, index, "expects a tensor to send or receive:"); }
std::string bytes_at(lua_State* L, int index) {
  size_t n;
  const char* p = luaL_checklstring(L, index, &n);
  return {p, n};
}
int push_bytes(lua_State* L, const std::string& s) { return lua_pushlstring(L, s.data(), s.size()), 1; }
std::vector<std::string> keys_at(lua_State* L, int index) {
  std::vector<std::string> keys;
  if (lua_type(L, index) != LUA_TTABLE) return {bytes_at(L, index)};
  each_element(L, index, [&](int at, lua_Integer) { keys.push_back(bytes_at(L, at)); });
  return keys;
}
int index_of_method(lua_State* L) {
  if (push_method(L)) return 1;
  return lua_pushnil(L), 1;
}

namespace {

// ---- groups ----

std::string text_of_group(lua_State* L) {
  const GroupRef& g = group_at(L, 1);
  return fmt::format("ProcessGroup({}, rank {} of {})", g->backend_name(), g->rank(), g->size());
}
int rank_of(lua_State* L) { return lua_pushinteger(L, group_at(L, 1)->rank()), 1; }
int size_of_group(lua_State* L) { return lua_pushinteger(L, group_at(L, 1)->size()), 1; }
int name_of(lua_State* L) { return lua_pushstring(L, group_at(L, 1)->name().c_str()), 1; }
int ranks_of(lua_State* L) {
  lua_newtable(L);
  lua_Integer i = 0;
  for (int r : group_at(L, 1)->ranks()) lua_pushinteger(L, r), lua_rawseti(L, -2, ++i);
  return 1;
}
constexpr Row group_methods[] = {
    {"rank", guarded<rank_of>, "group:rank()", "This process's place in the group, from 0."},
    {"size", guarded<size_of_group>, "group:size()", "How many processes the group has."},
    {"name", guarded<name_of>, "group:name()", "The group's name, the same on all ranks."},
};

// ---- the run ----

// init(backend, init_method, rank, world_size, seconds, store)
int init(lua_State* L) {
  InitOptions o;
  o.backend = luaL_optstring(L, 1, "");
  o.init_method = luaL_optstring(L, 2, "");
  if (!lua_isnoneornil(L, 3)) o.rank = rank_at(L, 3);
  if (!lua_isnoneornil(L, 4)) o.world_size = rank_at(L, 4);
  o.timeout = seconds_at(L, 5);
  if (!lua_isnoneornil(L, 6)) {
    const StoreBox* s = to_box<StoreBox>(L, 6);
    if (!s) throw Error(ErrorCode::usage, "store expects a TCPStore or a FileStore, got {}", given_text(L, 6));
    o.store = s->store;
  }
  init_process_group(o);
  return 0;
}
int initialized(lua_State* L) { return lua_pushboolean(L, is_initialized()), 1; }
int destroy(lua_State* L) {
  if (lua_isnoneornil(L, 1))
    destroy_process_group();
  else
    destroy_group(group_at(L, 1));
  return 0;
}
int world_of(lua_State* L) { return push_box(L, world()), 1; }
int new_group_of(lua_State* L) {
  std::vector<int> ranks;
  for (int64_t r : check_ints(L, 1)) ranks.push_back(int(std::clamp<int64_t>(r, -1, 1 << 30)));
  const GroupRef g = new_group(ranks, luaL_optstring(L, 2, ""), seconds_at(L, 3));
  return g ? (push_box(L, g), 1) : (lua_pushnil(L), 1);
}
int trouble_of(lua_State* L) { return push_bytes(L, backend_trouble(luaL_checkstring(L, 1))); }
int backend_of(lua_State* L) { return push_bytes(L, group_at(L, 1)->backend_name()); }
// Where values that luth exchanges by itself go through the group: "cpu", where it takes tensors of the CPU.
int device_of(lua_State* L) { return push_bytes(L, group_at(L, 1)->backend().device().name()); }
int timeout_of(lua_State* L) { return lua_pushnumber(L, double(group_at(L, 1)->timeout().count()) / 1000), 1; }

// What the launcher says: rank, world size, local rank, local world size; nothing without one.
int launched(lua_State* L) {
  const auto l = launch_environment();
  if (!l) return 0;
  for (int n : {l->rank, l->world_size, l->local_rank, l->local_world_size}) lua_pushinteger(L, n);
  return 4;
}

// A table of plain values as a tensor of bytes, and back.
int to_bytes(lua_State* L) {
  const std::string bytes = io::encode(to_item(L, 1));
  Tensor t = Tensor::empty({int64_t(bytes.size())}, Dtype::u8, host());
  std::memcpy(t.raw(), bytes.data(), bytes.size());
  return push_tensor(L, t), 1;
}
int from_bytes(lua_State* L) {
  const Tensor& t = check_tensor(L, 1);
  push_item(L, io::decode({t.data<char>(), t.bytes()}));
  return 1;
}

constexpr luaL_Reg functions[] = {{"init", guarded<init>},
                                  {"initialized", guarded<initialized>},
                                  {"destroy", guarded<destroy>},
                                  {"world", guarded<world_of>},
                                  {"new_group", guarded<new_group_of>},
                                  {"ranks", guarded<ranks_of>},
                                  {"backend", guarded<backend_of>},
                                  {"device", guarded<device_of>},
                                  {"timeout", guarded<timeout_of>},
                                  {"trouble", guarded<trouble_of>},
                                  {"launched", guarded<launched>},
                                  {"to_bytes", guarded<to_bytes>},
                                  {"from_bytes", guarded<from_bytes>},
                                  {nullptr, nullptr}};

constexpr Row rows[] = {
    {"init_process_group", nullptr,
     "torch.distributed.init_process_group(backend = 'gloo', {init_method = 'env://', rank, world_size, timeout = 120, "
     "store})",
     "Joins the run that a launcher has started (`luth launch --nproc 2 script.lua`), and returns when all processes "
     "have "
     "come. init_method may be tcp://host:port or file:///path, with rank (from 0) and world_size. timeout is in "
     "seconds."},
    {"destroy_process_group", nullptr, "torch.distributed.destroy_process_group(group?)",
     "Leaves the run and ends all groups, or ends one group."},
    {"is_initialized", nullptr, "torch.distributed.is_initialized()", "Whether this process has joined a run."},
    {"is_available", nullptr, "torch.distributed.is_available()", "Whether this luth has torch.distributed: true."},
    {"is_gloo_available", nullptr, "torch.distributed.is_gloo_available()", "Whether the backend gloo can be used."},
    {"is_nccl_available", nullptr, "torch.distributed.is_nccl_available()", "Whether the backend nccl can be used."},
    {"is_mpi_available", nullptr, "torch.distributed.is_mpi_available()", "Whether the backend mpi can be used."},
    {"get_rank", nullptr, "torch.distributed.get_rank(group?)",
     "The number of this process in the run or in a group, from 0; -1 where it is not in the group."},
    {"get_world_size", nullptr, "torch.distributed.get_world_size(group?)",
     "How many processes the run or a group has."},
    {"get_backend", nullptr, "torch.distributed.get_backend(group?)", "The name of the group's backend."},
    {"get_process_group_ranks", nullptr, "torch.distributed.get_process_group_ranks(group)",
     "The ranks of the run that are in the group."},
    {"get_global_rank", nullptr, "torch.distributed.get_global_rank(group, group_rank)",
     "The rank in the run of a rank in the group."},
    {"get_group_rank", nullptr, "torch.distributed.get_group_rank(group, global_rank)",
     "The rank in the group of a rank in the run."},
    {"new_group", nullptr, "torch.distributed.new_group(ranks?, {timeout, backend})",
     "A group of some ranks. All processes of the run call it, in the same order; one that is not in the group gets "
     "torch.distributed.GroupMember.NON_GROUP_MEMBER."},
    {"new_subgroups", nullptr, "torch.distributed.new_subgroups(group_size?, {timeout, backend})",
     "Groups of group_size neighbouring ranks; returns this process's and the list of all."},
    {"all_reduce", nullptr, "torch.distributed.all_reduce(tensor, op = ReduceOp.SUM, group?, async_op = false)",
     "Puts the sum of the ranks' tensors, or another reduction, into the tensor of each rank. With async_op it returns "
     "a "
     "work at once."},
    {"broadcast", nullptr, "torch.distributed.broadcast(tensor, src, group?, async_op = false)",
     "Copies the tensor of rank src to all ranks."},
    {"reduce", nullptr, "torch.distributed.reduce(tensor, dst, op = ReduceOp.SUM, group?, async_op = false)",
     "Puts the reduction of the ranks' tensors into that of rank dst. The others keep theirs."},
    {"all_gather", nullptr, "torch.distributed.all_gather(tensor_list, tensor, group?, async_op = false)",
     "Fills the list, on each rank, with the tensors of all ranks."},
    {"all_gather_into_tensor", nullptr,
     "torch.distributed.all_gather_into_tensor(output_tensor, input_tensor, group?, async_op = false)",
     "Fills one tensor with those of all ranks, one after the other along the first dim."},
    {"gather", nullptr, "torch.distributed.gather(tensor, gather_list?, dst = 0, group?, async_op = false)",
     "Fills the list of rank dst with the tensors of all ranks."},
    {"scatter", nullptr, "torch.distributed.scatter(tensor, scatter_list?, src = 0, group?, async_op = false)",
     "Gives each rank its tensor of the list of rank src."},
    {"reduce_scatter", nullptr,
     "torch.distributed.reduce_scatter(output, input_list, op = ReduceOp.SUM, group?, async_op = false)",
     "Gives each rank the reduction of the ranks' tensors at its place in the lists."},
    {"reduce_scatter_tensor", nullptr,
     "torch.distributed.reduce_scatter_tensor(output, input, op = ReduceOp.SUM, group?, async_op = false)",
     "The same of one tensor, cut along the first dim."},
    {"all_to_all", nullptr,
     "torch.distributed.all_to_all(output_tensor_list, input_tensor_list, group?, async_op = false)",
     "Sends the i-th tensor of the input list to the i-th rank, and receives from it the i-th of the output list."},
    {"all_to_all_single", nullptr,
     "torch.distributed.all_to_all_single(output, input, output_split_sizes?, input_split_sizes?, group?, async_op = "
     "false)",
     "The same of one tensor, cut along the first dim: equally, or by the sizes."},
    {"send", nullptr, "torch.distributed.send(tensor, dst, group?, tag = 0)",
     "Sends the tensor to rank dst; returns when it may be written again."},
    {"recv", nullptr, "torch.distributed.recv(tensor, src?, group?, tag = 0)",
     "Fills the tensor with what rank src, or any rank, sends; returns the sender's rank."},
    {"isend", nullptr, "torch.distributed.isend(tensor, dst, group?, tag = 0)", "As send; returns a work at once."},
    {"irecv", nullptr, "torch.distributed.irecv(tensor, src?, group?, tag = 0)", "As recv; returns a work at once."},
    {"batch_isend_irecv", nullptr, "torch.distributed.batch_isend_irecv(p2p_op_list)",
     "Begins all messages of the list, made by torch.distributed.P2POp, and returns their works."},
    {"P2POp", nullptr, "torch.distributed.P2POp(op, tensor, peer, group?, tag = 0)",
     "A message for batch_isend_irecv; op is torch.distributed.isend or irecv."},
    {"barrier", nullptr, "torch.distributed.barrier(group?, async_op = false)", "Returns when all ranks have come."},
    {"monitored_barrier", nullptr, "torch.distributed.monitored_barrier(group?, timeout?, wait_all_ranks = false)",
     "A barrier whose error names the rank, or with wait_all_ranks all ranks, that have not come."},
    {"all_gather_object", nullptr, "torch.distributed.all_gather_object(object_list, object, group?)",
     "Fills the list with the values of all ranks: numbers, strings, booleans, tensors (which arrive on the CPU) and "
     "tables of these."},
    {"gather_object", nullptr, "torch.distributed.gather_object(object, object_gather_list?, dst = 0, group?)",
     "Fills the list of rank dst with the values of all ranks."},
    {"broadcast_object_list", nullptr, "torch.distributed.broadcast_object_list(object_list, src = 0, group?)",
     "Puts the values of rank src's list into those of all ranks."},
    {"scatter_object_list", nullptr,
     "torch.distributed.scatter_object_list(scatter_object_output_list, scatter_object_input_list?, src = 0, group?)",
     "Puts this rank's value of rank src's list into the first place of the output list."},
    {"send_object_list", nullptr, "torch.distributed.send_object_list(object_list, dst, group?)",
     "Sends the values of the list to rank dst, which calls recv_object_list."},
    {"recv_object_list", nullptr, "torch.distributed.recv_object_list(object_list, src?, group?)",
     "Puts the values that rank src, or any rank, sends into the list; returns the sender's rank."},
    {"TCPStore", nullptr, "torch.distributed.TCPStore(host, port, world_size?, is_master = false, timeout = 120)",
     "A table of strings that all processes see; the master's process keeps it."},
    {"FileStore", nullptr, "torch.distributed.FileStore(path, world_size?)",
     "The same in a file that all processes can write."},
};

// A field of the table on top of the stack that is its own name.
void set_word(lua_State* L, const std::string& word) {
  lua_pushstring(L, word.c_str());
  lua_setfield(L, -2, word.c_str());
}

void open_dist(lua_State* L) {
  open_class<GroupRef, text_of_group>(L, "torch.distributed.ProcessGroup", group_methods);
  lua_rawgeti(L, LUA_REGISTRYINDEX, box_slot<GroupRef>);
  lua_pushcfunction(L, guarded<name_of>);
  lua_setfield(L, -2, "__setting");  // modules keep a group's name

  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  open_collectives(L);
  open_stores(L);
  open_reducers(L);
  lua_setfield(L, -2, "luth.dist");
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "distributed");
  lua_newtable(L);
  for (int i = 0; i <= int(ReduceOp::bxor); ++i) set_word(L, std::string(to_text(ReduceOp(i))));
  document(L, -1, "torch.distributed.ReduceOp\n  What a reduction does: SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR.");
  lua_setfield(L, -2, "ReduceOp");
  lua_newtable(L);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "NON_GROUP_MEMBER");
  document(L, -1,
           "torch.distributed.GroupMember\n  NON_GROUP_MEMBER is what new_group gives to a process that is not in the "
           "group.");
  lua_setfield(L, -2, "GroupMember");
  add_library(L, -1, "luth.torch.distributed", rows);
}
const Open opener("torch.distributed", Open::modules + 6, open_dist);

}  // namespace
}  // namespace luth::lang::distributed
