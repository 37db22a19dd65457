#include "lang/collector/trial_deletion.h"

#include <algorithm>
#include <utility>

#include "core/autograd/autograd.h"
#include "core/autograd/call_node.h"
#include "core/dispatch/recompute.h"
#include "lang/collector/reach.h"
#include "lang/runtime/box.h"

namespace luth::lang {
namespace {

// In a function, because it is filled before main, in any order of files.
auto& held_tensors() {
  static std::vector<const void* (*)(lua_State*, int, const HeldTensors::Visit&)> list;
  return list;
}

}  // namespace

HeldTensors::HeldTensors(const void* (*each)(lua_State*, int, const Visit&)) { held_tensors().push_back(each); }

void TrialDeletion::add(const GraphRootRef& root) {
  roots_[root->owner].push_back(root);
  oldest_ = std::min(oldest_, root->oldest());
}

bool TrialDeletion::wanted(const Node* node) const { return node && node->sequence >= oldest_; }

bool TrialDeletion::has_owner(const TensorImpl* t) const {
  return (t->meta && wanted(t->meta->node.get())) || roots_.contains(t);
}
bool TrialDeletion::wanted(const TensorImpl* t) const {
  const auto with_grad = [&](const TensorImpl* one) {
    const Tensor* grad = one->meta ? &one->meta->grad : nullptr;
    return has_owner(one) || (grad && *grad && has_owner(grad->impl()));
  };
  return with_grad(t) || (t->view && with_grad(t->view->base.impl()));
}

size_t TrialDeletion::entry_of(const void* object, Kind kind) {
  auto [it, fresh] = index_.try_emplace(object, entries_.size());
  if (fresh) entries_.push_back({object, kind});
  return it->second;
}

void TrialDeletion::refer(const void* object, Kind kind) {
  const size_t to = entry_of(object, kind);
  ++entries_[to].found;
  edges_.push_back(to);
}
void TrialDeletion::refer(const Ref<Node>& node) {
  if (wanted(node.get())) refer(node.get(), Kind::node);
}
void TrialDeletion::refer(const Tensor& t) {
  if (t && wanted(t.impl())) refer(t.impl(), Kind::tensor);
}
void TrialDeletion::refer(const Ref<Packed>& packed) {
  if (packed) refer(packed.get(), Kind::packed);
}

void TrialDeletion::scan(const TensorImpl& t) {
  if (t.view) refer(t.view->base);
  if (!t.meta) return;
  refer(t.meta->node);
  refer(t.meta->grad);
  if (t.meta->retained && t.meta->retained.use_count() == 1) refer(t.meta->retained->grad);
}

void TrialDeletion::scan(const Node& node) {
  for (auto& edge : node.next) refer(edge.node);
  refer(node.leaf());
  const auto saved = [&](auto& list) {
    for (auto& s : list) refer(s.tensor()), refer(s.packed());
  };
  if (auto* call = dynamic_cast<const CallNode*>(&node)) saved(call->saved());
  if (auto* write = dynamic_cast<const ViewWrite*>(&node)) refer(write->write());
  if (auto at = roots_.find(&node); at != roots_.end())
    for (auto& root : at->second)
      if (root->saved) saved(*root->saved);
}

void TrialDeletion::scan(size_t i) {
  const Entry e = entries_[i];
  if (e.kind == Kind::holder) return;  // scanned as it was found
  const size_t begin = edges_.size();
  if (e.kind == Kind::node) scan(*static_cast<const Node*>(e.object));
  if (e.kind == Kind::tensor) scan(*static_cast<const TensorImpl*>(e.object));
  if (e.kind == Kind::packed) {
    const Packed::Refers refers = static_cast<const Packed*>(e.object)->refers();
    if (refers.work) refer(refers.work, Kind::work);
    if (refers.packed) refer(*refers.packed);
    if (refers.node) refer(*refers.node);
    if (refers.tensor) refer(*refers.tensor);
  }
  entries_[i].begin = begin;
  entries_[i].end = edges_.size();
}

// Adds the userdata on top, if it is of a tensor, a node, or an object that holds tensors.
void TrialDeletion::add_userdata(lua_State* L) {
  const auto add = [&](size_t i) {
    userdata_.push_back(i);
    lua_pushvalue(L, -1);
    lua_rawseti(L, users_, lua_Integer(userdata_.size()));
  };
  if (const Tensor* t = to_box<Tensor>(L, -1)) {
    if (!*t || !wanted(t->impl())) return;
    const size_t i = entry_of(t->impl(), Kind::tensor);
    ++entries_[i].found;
    return add(i);
  }
  if (auto* node = to_box<Ref<Node>>(L, -1)) {
    if (!wanted(node->get())) return;
    const size_t i = entry_of(node->get(), Kind::node);
    ++entries_[i].found;
    return add(i);
  }
  for (auto* each : held_tensors()) {
    const size_t begin = edges_.size();
    const void* object = each(L, lua_gettop(L), [&](const Tensor& t) { refer(t); });
    if (!object) continue;
    const size_t i = entry_of(object, Kind::holder);
    if (entries_[i].end)  // by another userdata of the object
      for (; edges_.size() > begin; edges_.pop_back()) --entries_[edges_.back()].found;
    else
      entries_[i].begin = begin, entries_[i].end = edges_.size();
    return add(i);
  }
}

void TrialDeletion::find(lua_State* L) {
  luaL_checkstack(L, 16, nullptr);
  lua_newtable(L);
  users_ = lua_gettop(L);
  Reach reach(L, [&] { add_userdata(L); });
  for (auto& [owner, list] : roots_)
    for (auto& root : list) root->value.push(L), reach.add();
  reach.run();
  lua_settop(L, users_);
  for (auto& [owner, list] : roots_) entry_of(owner, list[0]->kind);
  for (size_t i = 0; i < entries_.size(); ++i) scan(i);  // which adds others
  for (auto& [owner, list] : roots_) entries_[index_[owner]].roots = &list;
  mark_external();
  mark_useful();
}

void TrialDeletion::mark_external() {
  const auto uses = [](const Entry& e) -> uint32_t {
    switch (e.kind) {
      case Kind::node: return static_cast<const Node*>(e.object)->use_count();
      case Kind::tensor: return static_cast<const TensorImpl*>(e.object)->use_count();
      case Kind::packed: return static_cast<const Packed*>(e.object)->use_count();
      case Kind::work: return static_cast<const Recompute*>(e.object)->use_count();
      default: return 0;
    }
  };
  std::vector<size_t> todo;
  const auto mark = [&](size_t i) {
    if (!std::exchange(entries_[i].external, true)) todo.push_back(i);
  };
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].found < uses(entries_[i])) mark(i);
  while (!todo.empty()) {
    const Entry e = entries_[todo.back()];
    todo.pop_back();
    for (size_t k = e.begin; k < e.end; ++k) mark(edges_[k]);
  }
}

// Most references lead to entries that were found later, so a second round seldom finds more.
void TrialDeletion::mark_useful() {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = entries_.size(); i-- > 0;) {
      Entry& e = entries_[i];
      if (e.external || e.useful) continue;
      e.useful = e.roots;
      for (size_t k = e.begin; k < e.end && !e.useful; ++k) e.useful = entries_[edges_[k]].useful;
      more = more || e.useful;
    }
  }
  for (auto& e : entries_) {
    if (!e.useful) continue;
    e.uses = e.roots ? uint32_t(e.roots->size()) : 0;
    for (size_t k = e.begin; k < e.end; ++k) e.uses += entries_[edges_[k]].useful;
  }
}

// Pushes what stands for entry i: the value of its only root, or a table of all that it leads to. A chain of single
// references counts as one. Pushes nothing where it leads to no root.
bool TrialDeletion::push_slot(lua_State* L, int tables, size_t i) {
  if (!entries_[i].useful) return false;
  while (entries_[i].uses == 1 && !entries_[i].roots)
    i = *std::find_if(edges_.begin() + ptrdiff_t(entries_[i].begin), edges_.end(),
                      [&](size_t to) { return entries_[to].useful; });
  const Entry& e = entries_[i];
  if (e.uses == 1) return (*e.roots)[0]->value.push(L), true;
  if (lua_rawgeti(L, tables, lua_Integer(i)) == LUA_TTABLE) return true;
  lua_pop(L, 1);
  lua_createtable(L, int(e.uses), 0);
  lua_pushvalue(L, -1);
  lua_rawseti(L, tables, lua_Integer(i));
  to_fill_.push_back(i);
  return true;
}

void TrialDeletion::fill_table(lua_State* L, int tables, size_t i) {
  const Entry e = entries_[i];
  lua_Integer n = 0;
  lua_rawgeti(L, tables, lua_Integer(i));
  if (e.roots)
    for (auto& root : *e.roots) root->value.push(L), lua_rawseti(L, -2, ++n);
  for (size_t k = e.begin; k < e.end; ++k)
    if (push_slot(L, tables, edges_[k])) lua_rawseti(L, -2, ++n);
  lua_pop(L, 1);
}

// Mirrors what matters of the graph in Lua tables.
std::vector<GraphRootRef> TrialDeletion::attach(lua_State* L, int table) {
  lua_newtable(L);
  const int tables = lua_gettop(L);
  for (size_t k = 0; k < userdata_.size(); ++k) {
    lua_rawgeti(L, users_, lua_Integer(k) + 1);
    push_slot(L, tables, userdata_[k]) ? lua_rawset(L, table) : lua_pop(L, 1);
    for (; !to_fill_.empty();) {
      const size_t i = to_fill_.back();
      to_fill_.pop_back();
      fill_table(L, tables, i);
    }
  }
  lua_settop(L, users_ - 1);
  std::vector<GraphRootRef> attached;
  for (auto& e : entries_)
    if (e.roots && !e.external) attached.insert(attached.end(), e.roots->begin(), e.roots->end());
  return attached;
}

}  // namespace luth::lang
