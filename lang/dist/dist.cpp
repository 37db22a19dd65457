// What torch.distributed is made of: groups, works and stores as objects, and the collectives as plain functions. The
// names and arguments that scripts see are Lua (share/luth/torch/distributed.lua).
#include <cstring>

#include "core/dist/collectives.h"
#include "core/dist/environment.h"
#include "core/dist/file_store.h"
#include "core/dist/reducer.h"
#include "core/dist/world.h"
#include "core/io/description.h"
#include "lang/library/lua_tree.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/ref.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using namespace dist;
using StoreRef = std::shared_ptr<Store>;
struct StoreBox {
  StoreRef store;
  std::shared_ptr<StoreServer> server;  // of the process that keeps a TCPStore
};

// ---- arguments ----

const GroupRef& group_at(lua_State* L, int index) {
  if (auto* g = to_box<GroupRef>(L, index); g && *g) return *g;
  throw Error(ErrorCode::usage, "expects a process group, got {}", given_text(L, index));
}

// Seconds as a number; nothing for nil.
std::optional<Milliseconds> seconds_at(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return std::nullopt;
  const double s = luaL_checknumber(L, index);
  if (!(s > 0 && s < 1e9)) throw Error(ErrorCode::usage, "timeout is in seconds, above 0, got {}", s);
  return Milliseconds(std::max<int64_t>(1, int64_t(s * 1000)));
}

ReduceOp op_at(lua_State* L, int index) {
  const std::string word = lua_isstring(L, index) ? lua_tostring(L, index) : given_text(L, index);
  for (int i = 0; i <= int(ReduceOp::bxor); ++i)
    if (to_text(ReduceOp(i)) == word) return ReduceOp(i);
  throw Error(ErrorCode::usage, "op is one of dist.ReduceOp: SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR; got '{}'",
              word);
}

TensorList list_at(lua_State* L, int index, const char* what) {
  TensorList list;
  if (lua_isnoneornil(L, index)) return list;
  for (const Tensor& t : check_tensors(L, index, what)) list.push_back(t);
  return list;
}

std::vector<int64_t> sizes_at(lua_State* L, int index) {
  std::vector<int64_t> sizes;
  if (lua_isnoneornil(L, index)) return sizes;
  for (int64_t n : check_ints(L, index)) sizes.push_back(n);
  return sizes;
}

int rank_at(lua_State* L, int index) { return int(std::clamp<int64_t>(check_integer(L, index), -1, 1 << 30)); }

int push_work(lua_State* L, WorkRef w) {
  push_box(L, std::move(w));
  return 1;
}
Tensor tensor_at(lua_State* L, int index) { return check_tensor(L, index, "expects a tensor to send or receive:"); }

// ---- collectives: (group, tensors, …, timeout); each gives a work ----

int all_reduce_of(lua_State* L) {
  return push_work(L, all_reduce(*group_at(L, 1), tensor_at(L, 2), op_at(L, 3), seconds_at(L, 4)));
}
int broadcast_of(lua_State* L) {
  return push_work(L, broadcast(*group_at(L, 1), tensor_at(L, 2), rank_at(L, 3), seconds_at(L, 4)));
}
int reduce_of(lua_State* L) {
  return push_work(L, reduce(*group_at(L, 1), tensor_at(L, 2), rank_at(L, 3), op_at(L, 4), seconds_at(L, 5)));
}
int all_gather_of(lua_State* L) {
  return push_work(
      L, all_gather(*group_at(L, 1), list_at(L, 2, "tensor_list expects"), tensor_at(L, 3), seconds_at(L, 4)));
}
int all_gather_into_tensor_of(lua_State* L) {
  return push_work(L, all_gather_into_tensor(*group_at(L, 1), tensor_at(L, 2), tensor_at(L, 3), seconds_at(L, 4)));
}
int gather_of(lua_State* L) {
  return push_work(L, gather(*group_at(L, 1), tensor_at(L, 2), list_at(L, 3, "gather_list expects"), rank_at(L, 4),
                             seconds_at(L, 5)));
}
int scatter_of(lua_State* L) {
  return push_work(L, scatter(*group_at(L, 1), tensor_at(L, 2), list_at(L, 3, "scatter_list expects"), rank_at(L, 4),
                              seconds_at(L, 5)));
}
int reduce_scatter_of(lua_State* L) {
  return push_work(L, reduce_scatter(*group_at(L, 1), tensor_at(L, 2), list_at(L, 3, "input_list expects"), op_at(L, 4),
                                     seconds_at(L, 5)));
}
int reduce_scatter_tensor_of(lua_State* L) {
  return push_work(
      L, reduce_scatter_tensor(*group_at(L, 1), tensor_at(L, 2), tensor_at(L, 3), op_at(L, 4), seconds_at(L, 5)));
}
int all_to_all_of(lua_State* L) {
  return push_work(L, all_to_all(*group_at(L, 1), list_at(L, 2, "output_tensor_list expects"),
                                 list_at(L, 3, "input_tensor_list expects"), seconds_at(L, 4)));
}
int all_to_all_single_of(lua_State* L) {
  return push_work(L, all_to_all_single(*group_at(L, 1), tensor_at(L, 2), tensor_at(L, 3), sizes_at(L, 4),
                                        sizes_at(L, 5), seconds_at(L, 6)));
}
int send_of(lua_State* L) {
  return push_work(L, send(*group_at(L, 1), tensor_at(L, 2), rank_at(L, 3), rank_at(L, 4), seconds_at(L, 5)));
}
int recv_of(lua_State* L) {
  const int src = lua_isnil(L, 3) ? -1 : rank_at(L, 3);
  return push_work(L, receive(*group_at(L, 1), tensor_at(L, 2), src, rank_at(L, 4), seconds_at(L, 5)));
}
int barrier_of(lua_State* L) { return push_work(L, barrier(*group_at(L, 1), seconds_at(L, 2))); }

// ---- works ----

const WorkRef& self_work(lua_State* L) {
  const WorkRef& w = own<WorkRef>(L);
  if (!w) throw Error("this work has been collected");
  return w;
}
int wait_of(lua_State* L) {
  self_work(L)->wait();
  return lua_pushboolean(L, true), 1;
}
int is_completed_of(lua_State* L) { return lua_pushboolean(L, self_work(L)->is_completed()), 1; }
int is_success_of(lua_State* L) {
  return lua_pushboolean(L, self_work(L)->is_completed() && !self_work(L)->exception()), 1;
}
int exception_of(lua_State* L) {
  try {
    if (const auto e = self_work(L)->exception()) std::rethrow_exception(e);
    lua_pushnil(L);
  } catch (const std::exception& e) { lua_pushstring(L, e.what()); }
  return 1;
}
int source_rank_of(lua_State* L) { return lua_pushinteger(L, self_work(L)->source_rank()), 1; }
std::string text_of_work(lua_State* L) {
  return self_work(L)->name() + (self_work(L)->is_completed() ? ", ended" : ", going on");
}
int index_of_method(lua_State* L) {
  if (push_method(L)) return 1;
  return lua_pushnil(L), 1;
}
constexpr Row work_methods[] = {
    {"wait", guarded<wait_of>, "work:wait()", "Waits until the call has ended, and raises its error."},
    {"is_completed", guarded<is_completed_of>, "work:is_completed()", "Whether the call has ended, well or not."},
    {"is_success", guarded<is_success_of>, "work:is_success()", "Whether the call has ended without an error."},
    {"exception", guarded<exception_of>, "work:exception()", "The text of the call's error, nil where there is none."},
    {"source_rank", guarded<source_rank_of>, "work:source_rank()", "The rank whose message a recv has got."},
};

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

// ---- stores ----

StoreBox& self_store(lua_State* L) {
  StoreBox& s = own<StoreBox>(L);
  if (!s.store) throw Error("this store has been collected");
  return s;
}
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
int store_set(lua_State* L) { return self_store(L).store->set(bytes_at(L, 2), bytes_at(L, 3)), 0; }
int store_get(lua_State* L) { return push_bytes(L, self_store(L).store->get(bytes_at(L, 2))); }
int store_add(lua_State* L) {
  return lua_pushinteger(L, self_store(L).store->add(bytes_at(L, 2), check_integer(L, 3))), 1;
}
int store_compare_set(lua_State* L) {
  return push_bytes(L, self_store(L).store->compare_set(bytes_at(L, 2), bytes_at(L, 3), bytes_at(L, 4)));
}
int store_wait(lua_State* L) {
  Store& s = *self_store(L).store;
  const Milliseconds before = s.timeout();
  struct Restore {
    Store& s;
    Milliseconds t;
    ~Restore() { s.set_timeout(t); }
  } const restore{s, before};
  s.set_timeout(seconds_at(L, 3).value_or(before));
  s.wait(keys_at(L, 2));
  return 0;
}
int store_check(lua_State* L) {
  for (auto& k : keys_at(L, 2))
    if (!self_store(L).store->find(k)) return lua_pushboolean(L, false), 1;
  return lua_pushboolean(L, true), 1;
}
int store_delete_key(lua_State* L) { return lua_pushboolean(L, self_store(L).store->remove(bytes_at(L, 2))), 1; }
int store_num_keys(lua_State* L) { return lua_pushinteger(L, self_store(L).store->count()), 1; }
int store_set_timeout(lua_State* L) {
  self_store(L).store->set_timeout(seconds_at(L, 2).value_or(default_timeout));
  return 0;
}
int store_port(lua_State* L) {
  auto* tcp = dynamic_cast<TcpStore*>(self_store(L).store.get());
  return tcp ? lua_pushinteger(L, tcp->server().port) : lua_pushnil(L), 1;
}
constexpr Row store_methods[] = {
    {"set", guarded<store_set>, "store:set(key, value)", "Sets the key to a string, for all processes."},
    {"get", guarded<store_get>, "store:get(key)", "The key's value, for which it waits."},
    {"add", guarded<store_add>, "store:add(key, amount)",
     "Adds to the number that the key is, from 0; returns the sum."},
    {"compare_set", guarded<store_compare_set>, "store:compare_set(key, expected, desired)",
     "Sets the key to desired if its value is expected, or if it has none and expected is ''. Returns the value then."},
    {"wait", guarded<store_wait>, "store:wait(keys, timeout?)", "Waits until all keys are there, timeout in seconds."},
    {"check", guarded<store_check>, "store:check(keys)", "Whether all keys are there."},
    {"delete_key", guarded<store_delete_key>, "store:delete_key(key)",
     "Removes the key; returns whether it was there."},
    {"num_keys", guarded<store_num_keys>, "store:num_keys()", "How many keys there are."},
    {"set_timeout", guarded<store_set_timeout>, "store:set_timeout(seconds)", "How long get and wait wait."},
    {"port", guarded<store_port>, "store:port()", "The port of a TCPStore."},
};

// tcp_store(host, port, is_master, seconds)
int make_tcp_store(lua_State* L) {
  Address a{luaL_checkstring(L, 1), int(std::clamp<int64_t>(check_integer(L, 2), 0, 65535))};
  StoreBox box;
  if (lua_toboolean(L, 3)) {
    box.server = std::make_shared<StoreServer>(a.port);
    a.port = box.server->port();
  }
  box.store = std::make_shared<TcpStore>(a, seconds_at(L, 4).value_or(default_timeout));
  push_box(L, std::move(box));
  return 1;
}
int make_file_store(lua_State* L) {
  StoreBox box;
  box.store = std::make_shared<FileStore>(luaL_checkstring(L, 1), seconds_at(L, 2).value_or(default_timeout));
  push_box(L, std::move(box));
  return 1;
}

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

// ---- DistributedDataParallel: reducer(group, parameters, names, {bucket_bytes =, find_unused_parameters =, …}) ----

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

// broadcast_all(group, tensors, src)
int broadcast_all_of(lua_State* L) {
  broadcast_all(*group_at(L, 1), list_at(L, 2, "expects"), rank_at(L, 3));
  return 0;
}

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

constexpr luaL_Reg functions[] = {{"all_reduce", guarded<all_reduce_of>},
                                  {"broadcast", guarded<broadcast_of>},
                                  {"reduce", guarded<reduce_of>},
                                  {"all_gather", guarded<all_gather_of>},
                                  {"all_gather_into_tensor", guarded<all_gather_into_tensor_of>},
                                  {"gather", guarded<gather_of>},
                                  {"scatter", guarded<scatter_of>},
                                  {"reduce_scatter", guarded<reduce_scatter_of>},
                                  {"reduce_scatter_tensor", guarded<reduce_scatter_tensor_of>},
                                  {"all_to_all", guarded<all_to_all_of>},
                                  {"all_to_all_single", guarded<all_to_all_single_of>},
                                  {"send", guarded<send_of>},
                                  {"recv", guarded<recv_of>},
                                  {"barrier", guarded<barrier_of>},
                                  {"reducer", guarded<make_reducer>},
                                  {"broadcast_all", guarded<broadcast_all_of>},
                                  {"tcp_store", guarded<make_tcp_store>},
                                  {"file_store", guarded<make_file_store>},
                                  {"init", guarded<init>},
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
     "Fills the list with the values of all ranks: numbers, strings, booleans and tables of these."},
    {"gather_object", nullptr, "torch.distributed.gather_object(object, object_gather_list?, dst = 0, group?)",
     "Fills the list of rank dst with the values of all ranks."},
    {"broadcast_object_list", nullptr, "torch.distributed.broadcast_object_list(object_list, src = 0, group?)",
     "Puts the values of rank src's list into those of all ranks."},
    {"scatter_object_list", nullptr,
     "torch.distributed.scatter_object_list(scatter_object_output_list, scatter_object_input_list?, src = 0, group?)",
     "Puts this rank's value of rank src's list into the first place of the output list."},
    {"TCPStore", nullptr, "torch.distributed.TCPStore(host, port, world_size?, is_master = false, timeout = 120)",
     "A table of strings that all processes see; the master's process keeps it."},
    {"FileStore", nullptr, "torch.distributed.FileStore(path, world_size?)",
     "The same in a file that all processes can write."},
};

template <std::string (*text)(lua_State*)>
int push_text(lua_State* L) {
  return push_bytes(L, text(L));
}
std::string text_of_store(lua_State*) { return "torch.distributed.Store"; }
std::string text_of_reducer(lua_State*) { return "torch.distributed.Reducer"; }

template <class T>
void open_class(lua_State* L, const char* name, std::span<const Row> methods, lua_CFunction text) {
  open_box<T>(L, name);
  finish_class(L, methods, guarded<index_of_method>, {{"__gc", destroy_box<T>}, {"__tostring", text}});
}

// A field of the table on top of the stack that is its own name.
void set_word(lua_State* L, const std::string& word) {
  lua_pushstring(L, word.c_str());
  lua_setfield(L, -2, word.c_str());
}

void open_dist(lua_State* L) {
  open_class<WorkRef>(L, "torch.distributed.Work", work_methods, guarded<push_text<text_of_work>>);
  open_class<GroupRef>(L, "torch.distributed.ProcessGroup", group_methods, guarded<push_text<text_of_group>>);
  lua_rawgeti(L, LUA_REGISTRYINDEX, box_slot<GroupRef>);
  lua_pushcfunction(L, guarded<name_of>);
  lua_setfield(L, -2, "__setting");  // modules keep a group's name

  open_class<StoreBox>(L, "torch.distributed.Store", store_methods, guarded<push_text<text_of_store>>);
  open_class<ReducerRef>(L, "torch.distributed.Reducer", reducer_methods, guarded<push_text<text_of_reducer>>);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "luth.dist");
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "distributed");
  document(L, -1,
           "torch.distributed\n  Processes that compute together: init_process_group, then collectives. "
           "share/doc/distributed.md describes launchers.");
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
}  // namespace luth::lang
