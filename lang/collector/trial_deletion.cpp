#include "lang/collector/trial_deletion.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/autograd/call_node.h"
#include "lang/collector/search.h"
#include "lang/runtime/box.h"

namespace luth::lang {
namespace {

// Appends the value on top to the table below it; pops it.
void append(lua_State* L) { lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1); }

}  // namespace

void TrialDeletion::add(const GraphRootRef& root) {
  roots_[root->node].push_back(root);
  oldest_ = std::min(oldest_, root->sequence);
  ++remaining_;
}

bool TrialDeletion::wanted(const Node* node) const { return node && node->sequence >= oldest_; }

size_t TrialDeletion::entry_of(const Node* node, const TensorImpl* tensor) {
  auto [it, fresh] = index_.try_emplace(node ? static_cast<const void*>(node) : tensor, entries_.size());
  if (fresh) entries_.push_back({node, tensor});
  return it->second;
}

void TrialDeletion::refer(size_t from, const Node* node, const TensorImpl* tensor) {
  if (node ? !wanted(node) : !(tensor->meta && wanted(tensor->meta->node.get()))) return;
  const size_t to = entry_of(node, tensor);
  ++entries_[to].found;
  entries_[from].refers_to.push_back(to);
}

template <class List>
void TrialDeletion::refer_saved(size_t from, const List& saved) {
  for (auto& s : saved)
    if (s.tensor()) refer(from, nullptr, s.tensor().impl());
}

void TrialDeletion::scan(size_t i) {
  const Entry e = entries_[i];
  if (e.tensor) {
    refer(i, e.tensor->meta->node.get(), nullptr);
    if (e.tensor->view) refer(i, nullptr, e.tensor->view->base.impl());
    return;
  }
  for (auto& edge : e.node->next)
    if (edge.node) refer(i, edge.node.get(), nullptr);
  if (auto* call = dynamic_cast<const CallNode*>(e.node)) refer_saved(i, call->saved());
  auto values = roots_.find(e.node);
  if (values == roots_.end()) return;
  for (auto& h : values->second) {
    if (h->saved) refer_saved(i, *h->saved);
  }
}

// Adds the userdata on top, if it is of a tensor or a node. `users`: a table from userdata to the numbers of entries.
void TrialDeletion::add_userdata(lua_State* L, int users) {
  const Tensor* t = to_box<Tensor>(L, -1);
  auto* node = to_box<Ref<Node>>(L, -1);
  if (node ? !wanted(node->get()) : !(t && *t && t->impl()->meta && wanted(t->impl()->meta->node.get()))) return;
  lua_pushvalue(L, -1);
  const bool fresh = lua_rawget(L, users) == LUA_TNIL;
  lua_pop(L, 1);
  if (!fresh) return;
  const size_t i = node ? entry_of(node->get(), nullptr) : entry_of(nullptr, t->impl());
  ++entries_[i].found;
  lua_pushvalue(L, -1);
  lua_pushinteger(L, lua_Integer(i));
  lua_rawset(L, users);
}

void TrialDeletion::mark_external() {
  std::vector<size_t> todo;
  auto mark = [&](size_t i) {
    if (!std::exchange(entries_[i].external, true)) todo.push_back(i);
  };
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (e.found < (e.node ? e.node->use_count() : e.tensor->use_count())) mark(i);
  }
  while (!todo.empty()) {
    const size_t i = todo.back();
    todo.pop_back();
    for (size_t to : entries_[i].refers_to) mark(to);
  }
}

void TrialDeletion::find(lua_State* L) {
  luaL_checkstack(L, 16, nullptr);
  lua_newtable(L);
  const int users = lua_gettop(L);
  auto note = [&] { return add_userdata(L, users), false; };
  for (auto& [node, list] : roots_)
    for (auto& h : list) {
      for (auto& holder : h->holders) holder.push(L), note(), lua_pop(L, 1);
      h->value.push(L);
      Search(L, note, true).run();
    }
  for (size_t i = 0; i < entries_.size(); ++i) scan(i);  // which adds others
  mark_external();
}

// Mirrors the graph in Lua tables. Each entry has a table, which holds the values of its roots and the tables of the
// entries that it refers to.
std::vector<GraphRootRef> TrialDeletion::attach(lua_State* L, int table) {
  const int users = lua_gettop(L);
  lua_createtable(L, int(entries_.size()), 0);
  const int tables = users + 1;
  std::vector<GraphRootRef> attached;
  for (size_t i = 0; i < entries_.size(); ++i) {
    lua_newtable(L);
    auto values = entries_[i].external || !entries_[i].node ? roots_.end() : roots_.find(entries_[i].node);
    if (values != roots_.end())
      for (auto& h : values->second) h->value.push(L), append(L), attached.push_back(h);
    lua_rawseti(L, tables, lua_Integer(i));
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    lua_rawgeti(L, tables, lua_Integer(i));
    for (size_t j : entries_[i].refers_to) lua_rawgeti(L, tables, lua_Integer(j)), append(L);
    lua_pop(L, 1);
  }
  for (lua_pushnil(L); lua_next(L, users); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_rawgeti(L, tables, lua_tointeger(L, -2));
    lua_rawset(L, table);
  }
  lua_settop(L, users - 1);
  remaining_ -= attached.size();
  return attached;
}

}  // namespace luth::lang
