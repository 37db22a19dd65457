#include "lang/collector/cycle_collector.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/autograd/call_node.h"
#include "lang/autograd/function.h"
#include "lang/runtime/search.h"

namespace luth::lang {
namespace {

// Appends the value on top to the table below it; pops it.
void append(lua_State* L) { lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1); }

}  // namespace

void HeldGraph::add(const HeldRef& h) {
  values_[h->node].push_back(h);
  oldest_ = std::min(oldest_, h->sequence);
  ++left_;
}

bool HeldGraph::wanted(const Node* node) const { return node && node->sequence >= oldest_; }

size_t HeldGraph::entry_of(const Node* node, const TensorImpl* tensor) {
  auto [it, fresh] = places_.try_emplace(node ? static_cast<const void*>(node) : tensor, entries_.size());
  if (fresh) entries_.push_back({node, tensor});
  return it->second;
}

void HeldGraph::refer(size_t from, const Node* node, const TensorImpl* tensor) {
  if (node ? !wanted(node) : !(tensor->meta && wanted(tensor->meta->node.get()))) return;
  const size_t to = entry_of(node, tensor);
  ++entries_[to].seen;
  entries_[from].holds.push_back(to);
}

template <class List>
void HeldGraph::refer_saved(size_t from, const List& saved) {
  for (auto& s : saved)
    if (s.tensor()) refer(from, nullptr, s.tensor().impl());
}

void HeldGraph::look_into(lua_State* L, size_t i) {
  const Entry e = entries_[i];
  if (e.tensor) {
    refer(i, e.tensor->meta->node.get(), nullptr);
    if (e.tensor->view) refer(i, nullptr, e.tensor->view->base.impl());
    return;
  }
  for (auto& edge : e.node->next)
    if (edge.node) refer(i, edge.node.get(), nullptr);
  if (auto* call = dynamic_cast<const CallNode*>(e.node)) refer_saved(i, call->saved());
  auto values = values_.find(e.node);
  if (values == values_.end()) return;
  for (auto& h : values->second) {
    h->value.push(L);
    if (auto* app = to_box<ApplicationRef>(L, -1); app && (*app)->node == e.node) refer_saved(i, (*app)->saved);
    lua_pop(L, 1);
  }
}

// The userdata on top, of a tensor or a node, is one; `users`: a table of all, with the numbers of their entries.
void HeldGraph::add_userdata(lua_State* L, int users) {
  const Tensor* t = to_tensor(L, -1);
  auto* node = to_box<Ref<Node>>(L, -1);
  if (node ? !wanted(node->get()) : !(t && *t && t->impl()->meta && wanted(t->impl()->meta->node.get()))) return;
  lua_pushvalue(L, -1);
  const bool fresh = lua_rawget(L, users) == LUA_TNIL;
  lua_pop(L, 1);
  if (!fresh) return;
  const size_t i = node ? entry_of(node->get(), nullptr) : entry_of(nullptr, t->impl());
  ++entries_[i].seen;
  lua_pushvalue(L, -1);
  lua_pushinteger(L, lua_Integer(i));
  lua_rawset(L, users);
}

void HeldGraph::mark_outside() {
  std::vector<size_t> todo;
  auto mark = [&](size_t i) {
    if (!std::exchange(entries_[i].outside, true)) todo.push_back(i);
  };
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (e.seen < (e.node ? e.node->use_count() : e.tensor->use_count())) mark(i);
  }
  while (!todo.empty()) {
    const size_t i = todo.back();
    todo.pop_back();
    for (size_t held : entries_[i].holds) mark(held);
  }
}

void HeldGraph::find(lua_State* L) {
  luaL_checkstack(L, 16, nullptr);
  lua_newtable(L);
  const int users = lua_gettop(L);
  auto note = [&] { return add_userdata(L, users), false; };
  for (auto& [node, list] : values_)
    for (auto& h : list) {
      for (auto& holder : h->holders) holder.push(L), note(), lua_pop(L, 1);
      h->value.push(L);
      Search(L, note, true).run();
    }
  for (size_t i = 0; i < entries_.size(); ++i) look_into(L, i);  // which adds others
  mark_outside();
}

// A table for each entry: the values that it needs, and the tables of what it holds.
std::vector<HeldRef> HeldGraph::hold(lua_State* L, int table) {
  const int users = lua_gettop(L);
  lua_createtable(L, int(entries_.size()), 0);
  const int tables = users + 1;
  std::vector<HeldRef> held;
  for (size_t i = 0; i < entries_.size(); ++i) {
    lua_newtable(L);
    auto values = entries_[i].outside || !entries_[i].node ? values_.end() : values_.find(entries_[i].node);
    if (values != values_.end())
      for (auto& h : values->second) h->value.push(L), append(L), held.push_back(h);
    lua_rawseti(L, tables, lua_Integer(i));
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    lua_rawgeti(L, tables, lua_Integer(i));
    for (size_t j : entries_[i].holds) lua_rawgeti(L, tables, lua_Integer(j)), append(L);
    lua_pop(L, 1);
  }
  for (lua_pushnil(L); lua_next(L, users); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_rawgeti(L, tables, lua_tointeger(L, -2));
    lua_rawset(L, table);
  }
  lua_settop(L, users - 1);
  left_ -= held.size();
  return held;
}

}  // namespace luth::lang
