// Lists of classes in order of name: modules, optimizers, schedules.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace luth {

/// The class of that name, or null. Throws where two have it.
template <class Class>
const Class* find_by_name(const std::vector<const Class*>& list, std::string_view name) {
  const Class* found = nullptr;
  for (auto* c : list) {
    if (c->name != name) continue;
    if (found) throw Error("two classes are named '{}': \"{}\" and \"{}\"", name, found->brief, c->brief);
    found = c;
  }
  return found;
}
template <class Class>
void insert_by_name(std::vector<const Class*>& list, const Class* c) {
  auto by_name = [](auto* a, auto* b) { return a->name < b->name; };
  list.insert(std::upper_bound(list.begin(), list.end(), c, by_name), c);
}

}  // namespace luth
