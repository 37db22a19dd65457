#include "lang/ref.h"

#include <mutex>
#include <utility>
#include <vector>

#include "lang/interp.h"
#include "lang/tables.h"

namespace luth::lang {

struct RefTable {
  std::mutex lock;
  lua_State* L = nullptr;  // the main thread; null once the interpreter closes
  std::vector<int> dead;   // slots to give back
};

namespace {

char key;       // registry: a userdata with the shared_ptr<RefTable>
char weak_key;  // registry: a weak table, address of a WeakRef's place -> value. A stale entry keeps nothing alive, and
                // the next WeakRef at its address overwrites it.

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

void push_weak_table(lua_State* L) { push_kept(L, &weak_key, "v"); }

}  // namespace

WeakRef::WeakRef(lua_State* L, int index) : table_(table_of(L)), place_(std::make_shared<char>()) {
  index = lua_absindex(L, index);
  push_weak_table(L);
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, place_.get());
  lua_pop(L, 1);
}

void WeakRef::push(lua_State* L) const {
  push_weak_table(L);
  lua_rawgetp(L, -1, place_.get());
  lua_remove(L, -2);
}

lua_State* WeakRef::running() const {
  lua_State* L = table_->L;
  if (!L) throw Error("a Lua function was called after its interpreter had closed");
  auto* run = Interp::of(L).running();
  return run ? run->L : L;
}

LuaRef::LuaRef(lua_State* L, int index) : WeakRef(L, index) {
  drop_dead_roots(L);
  slot_ = std::shared_ptr<int>(new int(LUA_NOREF), [table = table_of(L)](int* p) {
    std::lock_guard hold(table->lock);
    if (*p != LUA_NOREF) table->dead.push_back(*p);
    delete p;
  });
  set_rooted(L, true);
}

void LuaRef::set_rooted(lua_State* L, bool on) {
  if (on == (*slot_ != LUA_NOREF)) return;
  if (!on) return luaL_unref(L, LUA_REGISTRYINDEX, std::exchange(*slot_, LUA_NOREF));
  push(L);
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  else
    *slot_ = luaL_ref(L, LUA_REGISTRYINDEX);
}

void open_refs(lua_State* L) { table_of(L); }

void drop_dead_roots(lua_State* L) {
  auto table = table_of(L);
  std::vector<int> dead;
  {
    std::lock_guard hold(table->lock);
    dead.swap(table->dead);
  }
  for (int slot : dead) luaL_unref(L, LUA_REGISTRYINDEX, slot);
}

}  // namespace luth::lang
