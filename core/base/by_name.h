// Lists of classes in order of name: modules, optimizers, schedules.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

namespace luth {

/// The class of that name, or null.
template <class Class>
const Class* find_by_name(const std::vector<const Class*>& list, std::string_view name) {
  for (auto* c : list)
    if (c->name == name) return c;
  return nullptr;
}
template <class Class>
void insert_by_name(std::vector<const Class*>& list, const Class* c) {
  auto by_name = [](auto* a, auto* b) { return a->name < b->name; };
  list.insert(std::upper_bound(list.begin(), list.end(), c, by_name), c);
}

}  // namespace luth
