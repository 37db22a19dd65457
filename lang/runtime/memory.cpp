// The policy, chosen by measuring (tests/bench/collector.lua):
//   - Generational mode: a minor collection costs what is young, not what the program holds (0.4 us for nothing), so a
//     million tables cost nothing, and a loop of small additions reuses memory that is still in the cache.
//   - A minor collection after every 128 tensors or 8 MB handed to Lua. What it costs beyond freeing those tensors (a
//     large table that changes, for instance) may take a quarter of the time: it is put off until then, to 4 times as
//     much at most.
//   - A minor collection does not see what has grown old. So when the devices hold more than twice what survived the
//     last full collection, and more than 256 MB, a full one runs; and when many hooks of tensors wait for one.
//     collectgarbage() and this one see cycles through hooks of tensors (lang/autograd/tensor_hooks.h).
//   - An allocation that fails collects fully and is tried once more (core/tensor/storage.cpp).
#include "lang/runtime/memory.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/autograd/autograd.h"
#include "core/device/device.h"
#include "lang/autograd/function.h"
#include "lang/autograd/tensor_hooks.h"
#include "lang/nn/nn.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/source_mark.h"

namespace luth::lang {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;  // a sanitizer must see every block die
#else
constexpr bool keeps = true;
#endif

namespace {

// Tensors, modules, nodes and the ctx of Functions end when Lua frees the block of their userdata. The other way is a
// finalizer (__gc), which costs Lua more than the rest of a small operator, and keeps all that the userdata leads to
// for another collection. Their destructors never call Lua (lang/runtime/ref.h says why none has to), so they may run
// while Lua collects.
//
// Lua says what a block is for when it asks for one, and not when it frees it. So every block that has the size of such
// a userdata, whatever it is for, lies behind a word: whether it is a userdata's. If so, the tag of the box in it tells
// whether it is one of these.
struct Ending {
  const void* tag;
  size_t head, size;  // what a userdata's block has before its box, and all of it
  void (*end)(void* box);
};
template <class T>
constexpr Ending ending(int user_values) {
  const size_t head = user_values ? 40 + 16 * size_t(user_values) : 32;  // as Lua 5.4 lays them out; see check_layout
  return {&box_tag<T>, head, head + sizeof(Box<T>), [](void* box) {
            static_cast<Box<T>*>(box)->tag = nullptr;
            static_cast<Box<T>*>(box)->value.~T();
          }};
}
constexpr Ending endings[] = {ending<Tensor>(0), ending<Ref<Node>>(0), ending<nn::ModuleRef>(module_values),
                              ending<ApplicationRef>(context_values)};

// Of the sizes above, as bits of size / 8: all are multiples of 8 below 512.
constexpr uint64_t sizes_with_word = [] {
  uint64_t bits = 0;
  for (auto& e : endings) bits |= uint64_t(1) << e.size / 8;
  return bits;
}();
bool has_word(size_t size) { return size < 512 && size % 8 == 0 && sizes_with_word >> size / 8 & 1; }
uintptr_t& word_of(void* block) { return static_cast<uintptr_t*>(block)[-1]; }

void* from_system(size_t size) {
  if (!has_word(size)) return std::malloc(size);
  auto* word = static_cast<uintptr_t*>(std::malloc(sizeof(uintptr_t) + size));
  return word ? word + 1 : nullptr;
}
void to_system(void* block, size_t size) { std::free(has_word(size) ? &word_of(block) : block); }

// Notes whether the new block is a userdata's; then it has no tag yet.
void begin(void* block, size_t size, bool userdata) {
  word_of(block) = userdata;
  if (!userdata) return;
  for (auto& e : endings)
    if (e.size == size) std::memset(static_cast<char*>(block) + e.head, 0, sizeof e.tag);
}
void end(void* block, size_t size) {
  if (!word_of(block)) return;
  for (auto& e : endings) {
    void* box = static_cast<char*>(block) + e.head;
    if (e.size == size && *static_cast<const void**>(box) == e.tag) return e.end(box);
  }
}

// Throws where userdata are not laid out as `endings` say.
void check_layout(lua_State* L) {
  auto bytes = [&] { return size_t(lua_gc(L, LUA_GCCOUNT)) * 1024 + size_t(lua_gc(L, LUA_GCCOUNTB)); };
  for (int user_values : {0, int(module_values), int(context_values)}) {
    const size_t before = bytes(), expected = ending<Tensor>(user_values).size;
    lua_newuserdatauv(L, sizeof(Box<Tensor>), user_values);
    const size_t size = bytes() - before;
    lua_pop(L, 1);
    if (size != expected)
      throw Error("a userdata takes {} bytes in this Lua, not {}; build luth with Lua 5.4", size, expected);
  }
}

}  // namespace

Pool::~Pool() {
  for (size_t i = 0; i < std::size(lists_); ++i)
    while (void* block = lists_[i].first) {
      lists_[i].first = *static_cast<void**>(block);
      to_system(block, (i + 1) * unit);
    }
}

void* Pool::take(size_t size) {
  List* list = list_of(size);
  if (!list || !list->first) return from_system(size);
  --list->count;
  return std::exchange(list->first, *static_cast<void**>(list->first));
}

void Pool::give(void* block, size_t size) {
  List* list = keeps ? list_of(size) : nullptr;
  if (!list || list->count == most) return to_system(block, size);
  ++list->count;
  *static_cast<void**>(block) = std::exchange(list->first, block);
}

void* Pool::reallocate(void* pool, void* block, size_t old_size, size_t size) {
  auto* p = static_cast<Pool*>(pool);
  if (!block) {
    // Lua tells what a new block is for: 10 is the code of a function that is compiled.
    if (old_size == 10) code_generation.fetch_add(1, std::memory_order_relaxed);
    void* fresh = size ? p->take(size) : nullptr;
    if (fresh && has_word(size)) begin(fresh, size, old_size == LUA_TUSERDATA);
    return fresh;
  }
  if (!size) {
    if (has_word(old_size)) end(block, old_size);
    return p->give(block, old_size), nullptr;
  }
  if (!has_word(old_size) && !has_word(size)) return std::realloc(block, size);
  void* other = p->take(size);  // no userdata: these keep their size
  if (!other) return nullptr;
  if (has_word(size)) begin(other, size, false);
  std::memcpy(other, block, std::min(old_size, size));
  p->give(block, old_size);
  return other;
}

constinit thread_local Pacer pacer;

namespace {

// Nanoseconds that this thread has computed: a collection that other processes interrupt does not look slow.
int64_t now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

constexpr size_t tensors_between = 128, bytes_between = size_t(8) << 20;
constexpr int64_t to_free = 400;               // nanoseconds to free a tensor, generously
constexpr int64_t least = int64_t(256) << 20;  // bytes below which no full collection runs
constexpr int share = 4;                       // the collector gets at most 1/share of the time beyond that
constexpr size_t patience = 4;                 // and comes after that many times the usual amount in any case

thread_local int64_t full_at = least;
thread_local int64_t last_end = 0, last_overhead = 0, overhead = 0;  // overhead: the smaller of the last two
thread_local lua_State* of_thread = nullptr;

int64_t allocated() {
  int64_t n = 0;
  for (Device* d : open_devices()) n += d->memory().allocated;
  return n;
}

void begin_again() { pacer = {0, 0, tensors_between, bytes_between}; }

void collected_fully() {
  begin_again();
  full_at = std::max(least, 2 * allocated());
}

void relieve() {
  if (!of_thread) return;
  auto* running = Interp::of(of_thread).running();
  lua_gc(running ? running->L : of_thread, LUA_GCCOLLECT);  // may be deep in an operator: no more than that
  collected_fully();
}

// The hook outlives no state.
int closing(lua_State*) {
  of_thread = nullptr;
  return 0;
}

// collectgarbage: Lua's own is upvalue 1.
int collect_garbage(lua_State* L) {
  if (lua_isnoneornil(L, 1) || std::string_view(luaL_checkstring(L, 1)) == "collect") {
    if (!collect_all(L)) return lua_pushnil(L), 1;
    return collected_fully(), lua_pushinteger(L, 0), 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

}  // namespace

void detail::collect_young(lua_State* L) {
  int64_t begin = now();
  bool much = pacer.tensors >= patience * tensors_between || pacer.bytes >= patience * bytes_between;
  if (!much && begin - last_end < share * overhead) {
    pacer.tensors_due = pacer.tensors + tensors_between;
    pacer.bytes_due = pacer.bytes + bytes_between;
    return;
  }
  int64_t tensors = int64_t(pacer.tensors);
  bool running = lua_gc(L, LUA_GCISRUNNING);  // not after collectgarbage('stop')
  if (running && (allocated() > full_at || many_held(L)))
    collect_all(L), collected_fully();
  else if (running)
    lua_gc(L, LUA_GCSTEP, 0);
  begin_again();
  last_end = now();
  int64_t beyond = std::max<int64_t>(0, last_end - begin - tensors * to_free);
  overhead = std::min(beyond, std::exchange(last_overhead, beyond));
}

void open_memory(lua_State* L) {
  check_layout(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  of_thread = L;
  set_memory_pressure_hook(relieve);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, closing);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, "luth.memory");
  lua_getglobal(L, "collectgarbage");
  lua_pushcclosure(L, guarded<collect_garbage>, 1);
  lua_setglobal(L, "collectgarbage");
}

}  // namespace luth::lang
