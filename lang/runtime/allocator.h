// Lua's allocator: free lists in front of malloc, and destructors of userdata that run when their block is freed.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <lua5.4/lua.hpp>

#include "lang/runtime/box.h"

namespace luth::lang {

/// A lua_Alloc with a free list per small size. A program of tensors makes and drops one userdata per operator, and
/// malloc is slow where a collection frees hundreds of them.
class Allocator {
 public:
  Allocator();
  ~Allocator();
  Allocator(const Allocator&) = delete;
  /// A lua_Alloc; `allocator` is an Allocator.
  static void* reallocate(void* allocator, void* block, size_t old_size, size_t size);

 private:
  static constexpr size_t unit = 8, largest = 128, most = 4096;  // sizes that are kept, and how many of each
  struct FreeList {
    void* first = nullptr;
    size_t count = 0;
  };
  FreeList* list_of(size_t size) {
    return size && size <= largest && size % unit == 0 ? &lists_[size / unit - 1] : nullptr;
  }
  void* take(size_t size);
  void give(void* block, size_t size);
  void* take_first(size_t size);
  bool is_first(const void* block) const { return block >= first_blocks_ && block < end_; }
  /// The blocks of a start lie in one piece of memory, so that neither a start nor an end calls malloc for each.
  char *first_blocks_, *next_, *end_;
  FreeList lists_[largest / unit];
};

/// Counts the functions that were compiled. An address of Lua code that was noted at another count may be stale.
extern std::atomic<uint32_t> code_generation;

/// A type whose userdata need no finalizer: its destructor runs when Lua frees the block of the userdata.
struct BlockDestructor {
  const void* tag;
  int user_values;
  size_t head, size;  // bytes of a userdata's block before its box; bytes of the whole block
  void (*destroy)(void* box);
};
void add_block_destructor(const BlockDestructor& d);

/// Registers T before main: `const DestroyWithBlock<Tensor> destroy(0);`. Its userdata have `user_values` user values.
/// T's destructor must not call Lua, because it runs while Lua collects (lang/runtime/ref.h says why it need not).
template <class T>
struct DestroyWithBlock {
  explicit DestroyWithBlock(int user_values) {
    const size_t head = user_values ? 40 + 16 * size_t(user_values) : 32;  // Lua 5.4's layout; check_userdata_layout
    add_block_destructor({&box_tag<T>, user_values, head, head + sizeof(Box<T>), [](void* box) {
                            static_cast<Box<T>*>(box)->tag = nullptr;
                            static_cast<Box<T>*>(box)->value.~T();
                          }});
  }
};

/// Throws where this Lua lays userdata out in another way than DestroyWithBlock expects.
void check_userdata_layout(lua_State* L);

}  // namespace luth::lang
