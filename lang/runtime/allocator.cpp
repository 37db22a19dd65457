// Destructors without finalizers. A finalizer (__gc) costs Lua more than the rest of a small operator. It also keeps
// every object that the userdata refers to until the next collection.
//
// Lua gives the kind of a block when it allocates the block, but not when it frees it. So a word precedes every block
// that has the size of a registered userdata, whatever its kind. The word says whether the block is a userdata. If it
// is, the tag of the box inside tells whether a destructor must run.
#include "lang/runtime/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/base/limits.h"

namespace luth::lang {

std::atomic<uint32_t> code_generation{0};

namespace {

constexpr size_t first_bytes = 64 << 10;  // about what `luth -e ''` takes in blocks of kept sizes

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;  // a sanitizer must see every block die
#else
constexpr bool keeps = true;
#endif

constexpr int most_destructors = 8;
constinit BlockDestructor destructors[most_destructors] = {};
constinit int destructor_count = 0;
// Where their boxes may begin in a block, as bits of head / 8, by size / 8: all are multiples of 8 below 512.
constinit uint64_t heads_of[64] = {};

bool has_word(size_t size) { return size < 512 && size % 8 == 0 && heads_of[size / 8]; }
uintptr_t& word_of(void* block) { return static_cast<uintptr_t*>(block)[-1]; }

void* from_system(size_t size) {
  if (!memory_for(size)) return nullptr;
  if (!has_word(size)) return std::malloc(size);
  auto* word = static_cast<uintptr_t*>(std::malloc(sizeof(uintptr_t) + size));
  return word ? word + 1 : nullptr;
}
void to_system(void* block, size_t size) { std::free(has_word(size) ? &word_of(block) : block); }

// Notes whether the new block is a userdata's; then it has no tag yet.
void begin(void* block, size_t size, bool userdata) {
  word_of(block) = userdata;
  if (!userdata) return;
  for (uint64_t heads = heads_of[size / 8]; heads; heads &= heads - 1)
    static_cast<const void**>(block)[std::countr_zero(heads)] = nullptr;
}
void end(void* block, size_t size) {
  if (!word_of(block)) return;
  for (int i = 0; i < destructor_count; ++i) {
    const BlockDestructor& d = destructors[i];
    void* box = static_cast<char*>(block) + d.head;
    if (d.size == size && *static_cast<const void**>(box) == d.tag) return d.destroy(box);
  }
}

// Lua goes on where its table of strings cannot grow. It tries again for each new string, with a full collection each
// time, which takes hours in a large heap. So after some of these the next new block is refused, which is an error.
struct {
  const void* block = nullptr;
  size_t size = 0;
  int failures = 0, refusals = 0;
} constinit thread_local growth;

void* failed_growth(const void* block, size_t size) {
  constexpr int most = 16;
  const bool again = block == growth.block && size == growth.size;
  growth.block = block, growth.size = size;
  growth.failures = again ? growth.failures + 1 : 1;
  if (growth.failures >= most) growth.failures = 0, growth.refusals = 2;  // Lua asks twice
  return nullptr;
}

void* grown(void* block, size_t old_size, size_t size) {
  if (size > old_size && !memory_for(size - old_size)) return failed_growth(block, size);
  void* other = std::realloc(block, size);
  return other ? other : failed_growth(block, size);
}

}  // namespace

void add_block_destructor(const BlockDestructor& d) {
  if (destructor_count == most_destructors || d.size >= 512 || d.size % 8 || d.head % 8)
    std::abort();  // before main: enlarge these
  destructors[destructor_count++] = d;
  heads_of[d.size / 8] |= uint64_t(1) << d.head / 8;
}

void check_userdata_layout(lua_State* L) {
  auto bytes = [&] { return size_t(lua_gc(L, LUA_GCCOUNT)) * 1024 + size_t(lua_gc(L, LUA_GCCOUNTB)); };
  for (int i = 0; i < destructor_count; ++i) {
    const BlockDestructor& d = destructors[i];
    const size_t before = bytes();
    lua_newuserdatauv(L, d.size - d.head, d.user_values);
    const size_t size = bytes() - before;
    lua_pop(L, 1);
    if (size != d.size)
      throw Error("a userdata takes {} bytes in this Lua, not {}; build luth with Lua 5.4", size, d.size);
  }
}

Allocator::Allocator()
    : first_blocks_(keeps ? static_cast<char*>(std::malloc(first_bytes)) : nullptr),
      next_(first_blocks_),
      end_(first_blocks_ ? first_blocks_ + first_bytes : nullptr) {}

Allocator::~Allocator() {
  for (size_t i = 0; i < std::size(lists_); ++i)
    while (void* block = lists_[i].first) {
      lists_[i].first = *static_cast<void**>(block);
      if (!is_first(block)) to_system(block, (i + 1) * unit);
    }
  std::free(first_blocks_);
}

// A block of a kept size, or null where there is no more room.
void* Allocator::take_first(size_t size) {
  const size_t word = has_word(size) ? sizeof(uintptr_t) : 0;
  if (size_t(end_ - next_) < word + size) return nullptr;
  return std::exchange(next_, next_ + word + size) + word;
}

void* Allocator::take(size_t size) {
  FreeList* list = list_of(size);
  if (!list) return from_system(size);
  if (!list->first) {
    void* block = take_first(size);
    return block ? block : from_system(size);
  }
  --list->count;
  return std::exchange(list->first, *static_cast<void**>(list->first));
}

void Allocator::give(void* block, size_t size) {
  FreeList* list = keeps ? list_of(size) : nullptr;
  if (!is_first(block) && (!list || list->count == most)) return to_system(block, size);
  ++list->count;
  *static_cast<void**>(block) = std::exchange(list->first, block);
}

void* Allocator::reallocate(void* allocator, void* block, size_t old_size, size_t size) {
  auto* p = static_cast<Allocator*>(allocator);
  if (!block) {
    if (size && growth.refusals && growth.refusals--) return nullptr;
    // Lua gives the kind of a new block: 10 is the code of a function that is being compiled.
    if (old_size == 10) code_generation.fetch_add(1, std::memory_order_relaxed);
    void* fresh = size ? p->take(size) : nullptr;
    if (fresh && has_word(size)) begin(fresh, size, old_size == LUA_TUSERDATA);
    return fresh;
  }
  if (!size) {
    if (has_word(old_size)) end(block, old_size);
    return p->give(block, old_size), nullptr;
  }
  if (!has_word(old_size) && !has_word(size) && !p->is_first(block)) return grown(block, old_size, size);
  void* other = p->take(size);  // no userdata: these keep their size
  if (!other) return nullptr;
  if (has_word(size)) begin(other, size, false);
  std::memcpy(other, block, std::min(old_size, size));
  p->give(block, old_size);
  return other;
}

}  // namespace luth::lang
