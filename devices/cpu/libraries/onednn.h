// oneDNN for onednn_conv.cpp and onednn_product.cpp: primitives, their operands, and the cache of them. Every primitive
// is made for one thread, with scratchpad_mode::user because threads share it (with its own scratchpad results are
// wrong then).
#pragma once
#include <cstring>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "core/base/limits.h"
#include "devices/cpu/libraries/internal.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Scratch = Buffer<char>;
inline constexpr auto f32 = dnnl::memory::data_type::f32;
inline constexpr auto bf16 = dnnl::memory::data_type::bf16;

const dnnl::engine& engine();
/// The calling thread's.
dnnl::stream& stream();
dnnl::primitive_attr attributes();

/// An operand of a primitive: its layout at the caller and in the primitive, and the reorder between the two, if they
// differ.
struct Operand {
  int arg = 0;
  Desc plain, wanted;
  std::unique_ptr<dnnl::reorder> reorder;  // before the primitive for an input, after it for the output
  size_t scratch = 0;                      // of the reorder
};

struct ConvFilters {
  Desc layout;
  Scratch data;
};

struct Primitive {
  dnnl::primitive run;
  std::vector<Operand> in;
  Operand out;
  size_t scratch = 0;
};

Operand operand(int arg, const Desc& plain, const Desc& wanted, bool output);

struct Argument {
  int arg;
  Desc plain, wanted;  // `plain` empty: the primitive goes without it
};
template <class P>
std::shared_ptr<Primitive> make_primitive(const typename P::primitive_desc& pd, std::initializer_list<Argument> in,
                                          const Argument& out) {
  auto p = std::make_shared<Primitive>();
  for (const Argument& a : in)
    if (a.plain != Desc()) p->in.push_back(operand(a.arg, a.plain, a.wanted, false));
  p->out = operand(out.arg, out.plain, out.wanted, true);
  p->scratch = pd.scratchpad_desc().get_size();
  p->run = P(pd);
  return p;
}

/// Brings an input into the primitive's layout.
void reorder_once(const Operand& o, const void* from, void* to);
/// Runs p. `filters`: the operand of that name, as the primitive wants it; else null. A thread keeps the arguments for
/// its next call: to make them takes as long as a small convolution or product.
void execute(const std::shared_ptr<const Primitive>& p, std::initializer_list<const void*> in, void* out,
             const ConvFilters* filters);

struct Hash {
  template <class Key>
  size_t operator()(const Key& k) const {
    static_assert(sizeof(Key) % 8 == 0 && std::has_unique_object_representations_v<Key>);
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (size_t i = 0; i < sizeof(Key); i += 8) {
      std::memcpy(&word, reinterpret_cast<const char*>(&k) + i, 8);
      h = (h ^ word) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return size_t(h);
  }
};

// Primitives by shape. Shapes may vary without end (sentences), so a full cache is cleared.
template <class Key>
class Cache {
 public:
  /// Address space that making a primitive may take, in bytes: without it oneDNN dies. `get` gives null then.
  static constexpr int64_t room = int64_t(64) << 20;
  template <class Make>
  std::shared_ptr<const Primitive> get(const Key& key, Make&& make) {
    {
      std::lock_guard lock(lock_);
      auto it = map_.find(key);
      if (it != map_.end()) return it->second;
    }
    if (address_space_left().value_or(INT64_MAX) < room) return nullptr;
    auto fresh = make();
    std::lock_guard lock(lock_);
    if (map_.size() >= 1024) map_.clear();
    return map_.emplace(key, std::move(fresh)).first->second;
  }

 private:
  std::mutex lock_;
  std::unordered_map<Key, std::shared_ptr<const Primitive>, Hash> map_;
};

/// The primitive that make() gives; null where oneDNN has none.
template <class Make>
std::shared_ptr<const Primitive> if_implemented(Make&& make) {
  try {
    return make();
  } catch (const dnnl::error& e) {
    if (e.status != dnnl_unimplemented) throw;
    return nullptr;
  }
}

/// Calls f; oneDNN's exceptions become ours.
template <class F>
void translated(const char* what, F&& f) {
  try {
    f();
  } catch (const dnnl::error& e) { throw Error("oneDNN refuses this {}: {}", what, e.what()); }
}

}  // namespace luth::cpu
