// Item: a tree of plain values and tensors, for torch.save, torch.load and checkpoints. Knows no file format and no
// Lua.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace luth::io {

struct Item;
/// 1 and "1" are different keys.
using Key = std::variant<int64_t, std::string>;
using List = std::vector<Item>;

/// With a secret of this process, so that no file can have names that all fall together.
uint64_t hash(const Key& key);

/// Keys with values in the order in which they were added. Finding takes constant time, whatever the keys are.
class Map {
 public:
  struct Entry;
  /// What object it describes, such as "module"; "" for a plain table. HDF5 files alone can hold objects.
  std::string kind;
  /// Replaces the value of a key that is there, else adds the key at the end.
  Item& set(Key key, Item value);
  /// Adds at the end; the key must be new.
  Item& add(Key key, Item value);
  /// Null when there is no such key.
  const Item* find(const Key& key) const;
  const Item* find(std::string_view key) const { return find(Key(std::string(key))); }
  const Item* find(const std::string& key) const { return find(Key(key)); }
  const Item* find(const char* key) const { return find(Key(std::string(key))); }
  size_t size() const;
  bool empty() const { return size() == 0; }
  const Entry* begin() const;
  const Entry* end() const;

 private:
  void index_last();
  std::vector<Entry> entries_;
  // An open hash table of the entries' numbers, counted from 1; 0 is free. Empty for few entries, else a power of two,
  // at least twice their number.
  std::vector<uint32_t> slots_;
};

/// One value. An Item without a value is nil, and so is a null Tensor. Trees have no cycles; two places may hold the
/// same tensor, and formats keep them tied.
struct Item {
  std::variant<std::monostate, bool, int64_t, double, std::string, Tensor, List, Map> value;

  // Not inline: g++ takes moves of the variant for uses of uninitialised memory when it inlines them.
  Item();
  Item(const Item&);
  Item(Item&&) noexcept;
  Item& operator=(const Item&);
  Item& operator=(Item&&) noexcept;
  ~Item();
  Item(bool v) : value(v) {}
  Item(int v) : value(int64_t(v)) {}
  Item(int64_t v) : value(v) {}
  Item(double v) : value(v) {}
  Item(const char* v) : value(std::string(v)) {}
  Item(std::string v) : value(std::move(v)) {}
  Item(Tensor v) : value(std::move(v)) {}
  Item(List v) : value(std::move(v)) {}
  Item(Map v) : value(std::move(v)) {}

  bool is_nil() const { return value.index() == 0 || (as<Tensor>() && !*as<Tensor>()); }
  /// The value, or null when it is of another kind: `if (auto* t = item.as<Tensor>())`.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
};

struct Map::Entry {
  Key key;
  Item value;
};

inline size_t Map::size() const { return entries_.size(); }
inline const Map::Entry* Map::begin() const { return entries_.data(); }
inline const Map::Entry* Map::end() const { return entries_.data() + entries_.size(); }

/// Trees deeper than this are refused by every format: a cycle, or a file that is not what it says.
inline constexpr int max_depth = 100;

}  // namespace luth::io
