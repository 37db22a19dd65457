// TCPStore and FileStore: tables of strings that all processes of a run see.
#include <algorithm>

#include "core/dist/file_store.h"
#include "core/dist/world.h"
#include "lang/dist/dist.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang::distributed {
namespace {

using namespace dist;

StoreBox& self_store(lua_State* L) {
  StoreBox& s = own<StoreBox>(L);
  if (!s.store) throw Error("this store has been collected");
  return s;
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
  const int64_t port = check_integer(L, 2);
  if (port < 0 || port > 65535) throw Error(ErrorCode::usage, "port is {}, expected 0 to 65535", port);
  Address a{luaL_checkstring(L, 1), int(port)};
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

std::string text_of_store(lua_State*) { return "torch.distributed.Store"; }

constexpr luaL_Reg functions[] = {
    {"tcp_store", guarded<make_tcp_store>}, {"file_store", guarded<make_file_store>}, {nullptr, nullptr}};

}  // namespace

void open_stores(lua_State* L) {
  open_class<StoreBox, text_of_store>(L, "torch.distributed.Store", store_methods);
  luaL_setfuncs(L, functions, 0);
}

}  // namespace luth::lang::distributed
