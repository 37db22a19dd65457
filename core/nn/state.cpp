// State dicts: what a module saves and takes back.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "core/base/visible.h"
#include "core/nn/module.h"
#include "core/op/basics.h"
#include "core/tensor/uninitialised.h"

namespace luth::nn {
namespace {

// Modules name children by position, from 1; names in a state dict count from `base`.
std::string based(const Module& m, const std::string& name, int base) {
  if (base == 1 || !m.positional() || !is_number(name) || name.size() > 18) return name;
  return std::to_string(std::stoll(name) - 1 + base);
}

// A copy: hooks may change the list.
std::vector<NamedModule> children(const Module& m) { return m.parts().children; }

constexpr const char* extra_name = "_extra_state";

// The entries of `m` and of what lies below. Without `to_save`: those to load, so no hook runs, and extra state is a
// name alone.
void collect(Module& m, const std::string& prefix, int base, bool to_save, StateDict& out) {
  const Nesting nesting;
  const Hooks hooks = to_save ? m.hooks() : Hooks();  // a copy: a hook may remove itself
  for (auto& hook : hooks.before_state) hook.f(m, out, prefix);
  for (auto& p : m.parts().parameters)
    if (p.value) out.push_back({prefix + based(m, p.name, base), p.value});
  for (auto& b : m.parts().buffers)
    if (b.value && b.persistent) out.push_back({prefix + based(m, b.name, base), b.value});
  if (m.has_extra_state()) {
    const Argument state = to_save ? m.extra_state() : Argument();
    out.push_back({prefix + extra_name, state.tensor(), state});
  }
  for (auto& c : children(m)) collect(*c.module, prefix + based(m, c.name, base) + ".", base, to_save, out);
  for (auto& hook : hooks.after_state) hook.f(m, out, prefix);
}
StateDict entries_to_load(Module& m, int base) {
  StateDict out;
  collect(m, "", base, false, out);
  return out;
}

// Calls f(module, prefix) for each module, parents first.
void each_module(const ModuleRef& m, const std::string& prefix, int base, const auto& f) {
  const Nesting nesting;
  f(m, prefix);
  for (auto& c : children(*m)) each_module(c.module, prefix + based(*m, c.name, base) + ".", base, f);
}

// A module whose parameters wait for a shape takes it from the names below its path.
void materialize(Module& m, const std::string& prefix, const StateDict& from) {
  if (!m.lazy()) return;
  StateDict own;
  for (auto& e : from)
    if (e.name.starts_with(prefix) && e.name.find('.', prefix.size()) == std::string::npos)
      own.push_back({e.name.substr(prefix.size()), e.value});
  m.materialize_like(own);
}

constexpr size_t most_listed = 10;

std::string listed(const std::vector<std::string>& texts) {
  std::string s;
  for (size_t i = 0; i < std::min(texts.size(), most_listed); ++i) s += (i ? ", " : "") + texts[i];
  return texts.size() > most_listed ? s + fmt::format(" and {} more", texts.size() - most_listed) : s;
}

std::string shape_text(const Tensor& t) { return is_uninitialised(t) ? "unknown yet" : to_string(t.shape()); }

struct Plan {
  std::vector<std::pair<Tensor, Tensor>> copies;  // to, from
  std::vector<std::pair<std::string, Argument>> extra;
  LoadResult result;
  std::vector<std::string> mismatched;
  bool fits() const { return result.missing.empty() && result.unexpected.empty() && mismatched.empty(); }
};

Plan compare(const StateDict& own, const StateDict& from) {
  Plan plan;
  std::map<std::string_view, const StateEntry*> given, known;
  for (auto& e : from) given[e.name] = &e;
  std::map<const TensorImpl*, bool> filled;  // a tied tensor may come under any of its names
  for (auto& e : own) {
    known[e.name] = &e;
    auto it = given.find(e.name);
    const bool is_extra = e.name == extra_name || e.name.ends_with(std::string(".") + extra_name);
    if (is_extra && it != given.end())
      plan.extra.emplace_back(e.name, it->second->value ? Argument(it->second->value) : it->second->other);
    if (is_extra && it == given.end()) plan.result.missing.push_back(e.name);
    if (is_extra) continue;
    bool& has = filled[e.value.impl()];
    if (it == given.end()) continue;
    has = true;
    const Tensor& value = it->second->value;
    if (!value)
      plan.mismatched.push_back(fmt::format("'{}' is no tensor", foreign(e.name)));
    else if (is_uninitialised(e.value) && value.numel() == 0)
      continue;  // both wait for a shape
    else if (shape_text(value) == shape_text(e.value))
      plan.copies.emplace_back(e.value, value);
    else
      plan.mismatched.push_back(fmt::format("'{}' has shape {}, the module's is {}", foreign(e.name), shape_text(value),
                                            shape_text(e.value)));
  }
  for (auto& e : own)
    if (e.value && known[e.name] == &e && filled.count(e.value.impl()) && !filled[e.value.impl()])
      plan.result.missing.push_back(e.name);
  for (auto& e : from)
    if (!known.count(e.name)) plan.result.unexpected.push_back(e.name);
  return plan;
}

// The names, each with the nearest of `others` where one is near.
std::string with_nearest(const std::vector<std::string>& names, const std::vector<std::string>& others,
                         const char* whose) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string near = i < most_listed ? nearest(names[i], others) : "";
    texts.push_back("'" + foreign(names[i]) + "'" +
                    (near.empty() ? "" : fmt::format(" ({} '{}')", whose, foreign(near))));
  }
  return listed(texts);
}

// What is wrong, "" for nothing.
std::string complaint(const Plan& plan, bool strict) {
  std::string wrong;
  auto add = [&](const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; };
  const auto& [missing, unexpected, errors] = plan.result;
  if (strict && !missing.empty()) add("missing " + with_nearest(missing, unexpected, "the dict has"));
  if (strict && !unexpected.empty()) add("unexpected " + with_nearest(unexpected, missing, "the module has"));
  if (!plan.mismatched.empty()) add(listed(plan.mismatched));
  for (auto& e : errors) add(e);
  return wrong;
}

[[noreturn]] void refuse(Module& m, const Plan& plan, const StateDict& from, const LoadOptions& options) {
  std::string advice;
  if (compare(entries_to_load(m, 1 - options.base), from).fits())
    advice = options.base == 1 ? " (the names count positions from 0, as PyTorch's do: load them with {base = 0})"
                               : " (the names count positions from 1: load them without {base = 0})";
  else if (options.strict && plan.mismatched.empty() && plan.result.errors.empty())
    advice = " ({strict = false} loads what fits by name)";
  throw Error("the state dict does not fit {}, nothing was loaded: {}{}", m.type(), complaint(plan, options.strict),
              advice);
}

void copy_all(const std::vector<std::pair<Tensor, Tensor>>& copies) {
  NoGrad no_grad;
  for (auto& [to, value] : copies)
    if (!to.same(value)) basic::copy_into(to, value);
}

}  // namespace

StateDict Module::state_dict(int base, const std::string& prefix) const {
  StateDict out;
  collect(const_cast<Module&>(*this), prefix, base, true, out);  // which only its hooks may change
  return out;
}

LoadResult Module::load_state_dict(const StateDict& given, const LoadOptions& options) {
  StateDict from = given;
  LoadResult by_hooks;
  std::vector<std::pair<ModuleRef, Hooks>> after;
  std::map<std::string, ModuleRef> by_prefix;
  each_module(ModuleRef(this), "", options.base, [&](const ModuleRef& m, const std::string& prefix) {
    by_prefix[prefix] = m;
    const Hooks hooks = m->hooks();
    for (auto& hook : hooks.before_load) hook.f(*m, from, prefix, by_hooks);
    if (!hooks.after_load.empty()) after.emplace_back(m, hooks);
    materialize(*m, prefix, from);
  });
  Plan plan = compare(entries_to_load(*this, options.base), from);
  auto add = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
  add(plan.result.missing, by_hooks.missing);
  add(plan.result.unexpected, by_hooks.unexpected);
  add(plan.result.errors, by_hooks.errors);
  const bool hopeless = !plan.mismatched.empty() || !plan.result.errors.empty();
  if (hopeless || (after.empty() && !complaint(plan, options.strict).empty())) refuse(*this, plan, from, options);

  std::vector<std::pair<Tensor, Tensor>> before;  // to take it back: a hook may yet take names out of the result
  const bool doubtful = !complaint(plan, options.strict).empty();
  for (auto& [to, _] : plan.copies)
    if (doubtful) before.emplace_back(to, duplicate(to));
  copy_all(plan.copies);
  for (auto it = after.rbegin(); it != after.rend(); ++it)
    for (auto& hook : it->second.after_load) hook.f(*it->first, plan.result);
  if (!complaint(plan, options.strict).empty()) {
    copy_all(before);
    refuse(*this, plan, from, options);
  }
  for (auto& [name, state] : plan.extra)
    if (auto m = by_prefix.find(name.substr(0, name.size() - strlen(extra_name))); m != by_prefix.end())
      m->second->set_extra_state(state);
  return plan.result;
}

}  // namespace luth::nn
