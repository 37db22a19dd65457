// What the parts of torch.distributed share: arguments from the stack, and classes of objects.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dist/collectives.h"
#include "core/dist/tcp_store.h"
#include "lang/runtime/box.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"

namespace luth::lang::distributed {

struct StoreBox {
  std::shared_ptr<dist::Store> store;
  std::shared_ptr<dist::StoreServer> server;  // of the process that keeps a TCPStore
};

// Arguments; each throws ErrorCode::usage for what is none.
const dist::GroupRef& group_at(lua_State* L, int index);
/// Seconds as a number; nothing for nil.
std::optional<dist::Milliseconds> seconds_at(lua_State* L, int index);
/// Empty for nil; `what` begins the error.
dist::TensorList list_at(lua_State* L, int index, const char* what);
int rank_at(lua_State* L, int index);
int tag_at(lua_State* L, int index);
Tensor tensor_at(lua_State* L, int index);
std::string bytes_at(lua_State* L, int index);
/// A list of strings, or one.
std::vector<std::string> keys_at(lua_State* L, int index);
int push_bytes(lua_State* L, const std::string& s);

// Each makes the classes of its part, and puts its functions into the table on top of the stack, luth.dist.
void open_collectives(lua_State* L);
void open_stores(lua_State* L);
void open_reducers(lua_State* L);

int index_of_method(lua_State* L);
template <std::string (*text)(lua_State*)>
int push_text(lua_State* L) {
  return push_bytes(L, text(L));
}
/// A class of boxes of T, printed as `text`.
template <class T, std::string (*text)(lua_State*)>
void open_class(lua_State* L, const char* name, std::span<const Row> methods) {
  open_box<T>(L, name);
  finish_class(L, methods, guarded<index_of_method>,
               {{"__gc", destroy_box<T>}, {"__tostring", guarded<push_text<text>>}});
}

}  // namespace luth::lang::distributed
