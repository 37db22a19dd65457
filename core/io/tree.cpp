#include "core/io/tree.h"

namespace luth::io {

Item::Item() = default;
Item::Item(const Item&) = default;
Item::Item(Item&&) noexcept = default;
Item& Item::operator=(const Item&) = default;
Item& Item::operator=(Item&&) noexcept = default;
Item::~Item() = default;

Item& Map::add(Key key, Item value) {
  entries_.push_back({std::move(key), std::move(value)});
  return entries_.back().value;
}

Item& Map::set(Key key, Item value) {
  for (Entry& e : entries_)
    if (e.key == key) return e.value = std::move(value);
  return add(std::move(key), std::move(value));
}

const Item* Map::find(const Key& key) const {
  for (const Entry& e : entries_)
    if (e.key == key) return &e.value;
  return nullptr;
}

}  // namespace luth::io
