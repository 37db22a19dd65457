// The collectives of torch.distributed as plain functions, and the works that they give.
#include "core/dist/collectives.h"

#include "lang/dist/dist.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang::distributed {
namespace {

using namespace dist;

ReduceOp op_at(lua_State* L, int index) {
  const std::string word = lua_isstring(L, index) ? lua_tostring(L, index) : given_text(L, index);
  for (int i = 0; i <= int(ReduceOp::bxor); ++i)
    if (to_text(ReduceOp(i)) == word) return ReduceOp(i);
  throw Error(ErrorCode::usage, "op is one of dist.ReduceOp: SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR; got '{}'",
              word);
}

std::vector<int64_t> sizes_at(lua_State* L, int index) {
  std::vector<int64_t> sizes;
  if (lua_isnoneornil(L, index)) return sizes;
  for (int64_t n : check_ints(L, index)) sizes.push_back(n);
  return sizes;
}

int push_work(lua_State* L, WorkRef w) {
  push_box(L, std::move(w));
  return 1;
}

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
  return push_work(L, send(*group_at(L, 1), tensor_at(L, 2), rank_at(L, 3), tag_at(L, 4), seconds_at(L, 5)));
}
int recv_of(lua_State* L) {
  const int src = lua_isnil(L, 3) ? -1 : rank_at(L, 3);
  return push_work(L, receive(*group_at(L, 1), tensor_at(L, 2), src, tag_at(L, 4), seconds_at(L, 5)));
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
constexpr Row work_methods[] = {
    {"wait", guarded<wait_of>, "work:wait()", "Waits until the call has ended, and raises its error."},
    {"is_completed", guarded<is_completed_of>, "work:is_completed()", "Whether the call has ended, well or not."},
    {"is_success", guarded<is_success_of>, "work:is_success()", "Whether the call has ended without an error."},
    {"exception", guarded<exception_of>, "work:exception()", "The text of the call's error, nil where there is none."},
    {"source_rank", guarded<source_rank_of>, "work:source_rank()", "The rank whose message a recv has got."},
};

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
                                  {nullptr, nullptr}};

}  // namespace

void open_collectives(lua_State* L) {
  open_class<WorkRef, text_of_work>(L, "torch.distributed.Work", work_methods);
  luaL_setfuncs(L, functions, 0);
}

}  // namespace luth::lang::distributed
