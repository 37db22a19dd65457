#include "lang/ref.h"

#include <mutex>
#include <vector>

#include "lang/interp.h"

namespace luth::lang {

struct RefTable {
  std::mutex lock;
  lua_State* L = nullptr;  // the main thread; null once the interpreter closes
  std::vector<int> dead;   // slots to give back
};

namespace {

char key;  // registry: a userdata with the shared_ptr<RefTable>

int close(lua_State* L) {
  auto* p = static_cast<std::shared_ptr<RefTable>*>(lua_touserdata(L, 1));
  {
    std::lock_guard hold((*p)->lock);
    (*p)->L = nullptr;
  }
  p->~shared_ptr();
  return 0;
}

lua_State* main_thread(lua_State* L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State* main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main;
}

std::shared_ptr<RefTable> table_of(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  if (auto* p = static_cast<std::shared_ptr<RefTable>*>(lua_touserdata(L, -1))) {
    lua_pop(L, 1);
    return *p;
  }
  lua_pop(L, 1);
  auto* p = new (lua_newuserdatauv(L, sizeof(std::shared_ptr<RefTable>), 0))
      std::shared_ptr<RefTable>(std::make_shared<RefTable>());
  (*p)->L = main_thread(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  return *p;
}

}  // namespace

LuaRef::LuaRef(lua_State* L, int index) : table_(table_of(L)) {
  std::vector<int> dead;
  {
    std::lock_guard hold(table_->lock);
    dead.swap(table_->dead);
  }
  for (int slot : dead) luaL_unref(L, LUA_REGISTRYINDEX, slot);
  lua_pushvalue(L, index);
  int slot = luaL_ref(L, LUA_REGISTRYINDEX);
  slot_ = std::shared_ptr<int>(new int(slot), [table = table_](int* p) {
    std::lock_guard hold(table->lock);
    table->dead.push_back(*p);
    delete p;
  });
}

void LuaRef::push(lua_State* L) const { lua_rawgeti(L, LUA_REGISTRYINDEX, *slot_); }

lua_State* LuaRef::running() const {
  lua_State* L = table_->L;
  if (!L) throw Error("a Lua function was called after its interpreter had closed");
  auto* run = Interp::of(L).running();
  return run ? run->L : L;
}

}  // namespace luth::lang
