#include "lang/runtime/ref.h"

#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "lang/runtime/state.h"
#include "lang/runtime/tables.h"

namespace luth::lang {

struct RefTable {
  std::mutex lock;
  lua_State* L = nullptr;  // the main thread; null once the interpreter closes
  std::vector<int> dead;   // numbers to give back
  // of the interpreter's thread alone
  std::vector<int> free;
  int numbers = 0;
};

struct WeakRef::Slot {
  Slot(std::shared_ptr<RefTable> t, int n) : table(std::move(t)), number(n) {}
  Slot(const Slot&) = delete;
  ~Slot() {
    std::lock_guard hold(table->lock);
    table->dead.push_back(number);
  }
  const std::shared_ptr<RefTable> table;
  const int number;
  bool rooted = false;
};

namespace {

// Registry keys: of a userdata with the shared_ptr<RefTable>, and of two lists of tables, weak and strong, in which
// each number has a slot. The tables are small, so that a minor collection need not walk all slots when one changes.
char key, weak_key, root_key;
constexpr int chunk = 256;

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

// Pushes the table of the list at `list` that has the number's slot. Makes it if necessary.
void push_chunk(lua_State* L, const char* list, int number) {
  push_kept(L, list);
  if (lua_rawgeti(L, -1, number / chunk + 1) == LUA_TNIL) {
    lua_pop(L, 1);
    list == &weak_key ? push_weak(L, "v") : lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, number / chunk + 1);
  }
  lua_remove(L, -2);
}
// Sets the slot to the value on top, which it pops.
void set_slot(lua_State* L, const char* list, int number) {
  push_chunk(L, list, number);
  lua_insert(L, -2);
  lua_rawseti(L, -2, number % chunk + 1);
  lua_pop(L, 1);
}

int take_number(lua_State* L, RefTable& table) {
  drop_dead_roots(L);
  if (table.free.empty()) return table.numbers++;
  const int number = table.free.back();
  table.free.pop_back();
  return number;
}

}  // namespace

WeakRef::WeakRef(lua_State* L, int index) {
  index = lua_absindex(L, index);
  auto table = table_of(L);
  const int number = take_number(L, *table);
  slot_ = std::make_shared<Slot>(std::move(table), number);
  lua_pushvalue(L, index);
  set_slot(L, &weak_key, number);
}

void WeakRef::push(lua_State* L) const {
  push_chunk(L, &weak_key, slot_->number);
  lua_rawgeti(L, -1, slot_->number % chunk + 1);
  lua_remove(L, -2);
}

lua_State* WeakRef::running() const {
  lua_State* L = slot_->table->L;
  if (!L) throw Error("a Lua function was called after its interpreter had closed");
  const RunningThreads* running = StateData::of(L).running;
  return running ? running->L : L;
}

LuaRef::LuaRef(lua_State* L, int index) : WeakRef(L, index) { set_rooted(L, true); }

void LuaRef::set_rooted(lua_State* L, bool on) {
  if (on == slot_->rooted) return;
  on ? push(L) : lua_pushnil(L);
  slot_->rooted = on && !lua_isnil(L, -1);
  set_slot(L, &root_key, slot_->number);
}

void open_refs(lua_State* L) { table_of(L); }

void drop_dead_roots(lua_State* L) {
  auto table = table_of(L);
  std::vector<int> dead;
  {
    std::lock_guard hold(table->lock);
    dead.swap(table->dead);
  }
  for (int number : dead) {
    for (const char* list : {&weak_key, &root_key}) lua_pushnil(L), set_slot(L, list, number);
    table->free.push_back(number);
  }
}

}  // namespace luth::lang
