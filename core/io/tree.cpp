#include "core/io/tree.h"

#include <unistd.h>
#include <xxhash.h>

#include <bit>

namespace luth::io {
namespace {

constexpr size_t few = 16;  // entries that are searched one by one

// Another one in each process.
uint64_t secret() {
  static const uint64_t seed = [] {
    uint64_t s = 0;
    return getentropy(&s, sizeof s) ? uint64_t(getpid()) : s;
  }();
  return seed;
}

}  // namespace

uint64_t hash(const Key& key) {
  if (auto* number = std::get_if<int64_t>(&key)) return XXH3_64bits_withSeed(number, sizeof *number, secret());
  const std::string& s = std::get<std::string>(key);
  return XXH3_64bits_withSeed(s.data(), s.size(), secret());
}

Item::Item() = default;
Item::Item(const Item&) = default;
Item::Item(Item&&) noexcept = default;
Item& Item::operator=(const Item&) = default;
Item& Item::operator=(Item&&) noexcept = default;
Item::~Item() = default;

Item& Map::add(Key key, Item value) {
  entries_.push_back({std::move(key), std::move(value)});
  index_last();
  return entries_.back().value;
}

Item& Map::set(Key key, Item value) {
  if (const Item* there = find(key)) return *const_cast<Item*>(there) = std::move(value);
  return add(std::move(key), std::move(value));
}

void Map::index_last() {
  if (entries_.size() <= few) return;
  size_t from = entries_.size() - 1;
  if (slots_.size() < 2 * entries_.size()) slots_.assign(4 * std::bit_ceil(entries_.size()), 0), from = 0;
  const size_t mask = slots_.size() - 1;
  for (size_t i = from; i < entries_.size(); ++i) {
    size_t slot = hash(entries_[i].key) & mask;
    while (slots_[slot]) slot = (slot + 1) & mask;
    slots_[slot] = uint32_t(i + 1);
  }
}

const Item* Map::find(const Key& key) const {
  if (slots_.empty()) {
    for (const Entry& e : entries_)
      if (e.key == key) return &e.value;
    return nullptr;
  }
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash(key) & mask; slots_[slot]; slot = (slot + 1) & mask)
    if (entries_[slots_[slot] - 1].key == key) return &entries_[slots_[slot] - 1].value;
  return nullptr;
}

}  // namespace luth::io
