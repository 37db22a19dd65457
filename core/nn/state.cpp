// State dicts: what a module saves and takes back.
#include <algorithm>
#include <map>

#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "core/nn/module.h"
#include "core/op/basics.h"

namespace luth::nn {
namespace {

// Modules name children by position, from 1; names in a state dict count from `base`.
std::string based(const Module& m, const std::string& name, int base) {
  if (base == 1 || !m.positional() || !is_number(name)) return name;
  return std::to_string(std::stoll(name) - 1 + base);
}

void collect(const Module& m, const std::string& prefix, int base, StateDict& out) {
  for (auto& p : m.parts().parameters)
    if (p.value) out.push_back({prefix + based(m, p.name, base), p.value});
  for (auto& b : m.parts().buffers)
    if (b.value && b.persistent) out.push_back({prefix + based(m, b.name, base), b.value});
  for (auto& c : m.parts().children) collect(*c.module, prefix + based(m, c.name, base) + ".", base, out);
}

// Modules whose parameters wait for a shape take it from the names below their own path.
void materialize(Module& m, const std::string& prefix, int base, const StateDict& from) {
  if (m.lazy()) {
    StateDict own;
    for (auto& e : from)
      if (e.name.starts_with(prefix) && e.name.find('.', prefix.size()) == std::string::npos)
        own.push_back({e.name.substr(prefix.size()), e.value});
    m.materialize_like(own);
  }
  for (auto& c : m.parts().children) materialize(*c.module, prefix + based(m, c.name, base) + ".", base, from);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t most = 10;
  std::string s;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) s += (i ? ", '" : "'") + names[i] + "'";
  return names.size() > most ? s + fmt::format(" and {} more", names.size() - most) : s;
}

struct Plan {
  std::vector<std::pair<Tensor, Tensor>> copies;  // to, from
  LoadResult result;
  std::vector<std::string> mismatched;
};

Plan compare(const StateDict& own, const StateDict& from) {
  Plan plan;
  std::map<std::string_view, const Tensor*> given, known;
  for (auto& e : from) given[e.name] = &e.value;
  std::map<const TensorImpl*, bool> filled;  // a tied tensor may come under any of its names
  for (auto& e : own) {
    known[e.name] = &e.value;
    auto it = given.find(e.name);
    bool& has = filled[e.value.impl()];
    if (it == given.end()) continue;
    has = true;
    if (it->second->shape() == e.value.shape())
      plan.copies.emplace_back(e.value, *it->second);
    else
      plan.mismatched.push_back(fmt::format("'{}' has shape {}, the module's is {}", e.name,
                                            to_string(it->second->shape()), to_string(e.value.shape())));
  }
  for (auto& e : own)
    if (!filled[e.value.impl()]) plan.result.missing.push_back(e.name);
  for (auto& e : from)
    if (!known.count(e.name)) plan.result.unexpected.push_back(e.name);
  return plan;
}

}  // namespace

StateDict Module::state_dict(int base, const std::string& prefix) const {
  StateDict out;
  collect(*this, prefix, base, out);
  return out;
}

LoadResult Module::load_state_dict(const StateDict& from, const LoadOptions& options) {
  materialize(*this, "", options.base, from);
  Plan plan = compare(state_dict(options.base), from);
  std::string wrong;
  auto add = [&](const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; };
  if (options.strict && !plan.result.missing.empty()) add("missing " + listed(plan.result.missing));
  if (options.strict && !plan.result.unexpected.empty()) add("unexpected " + listed(plan.result.unexpected));
  for (auto& m : plan.mismatched) add(m);
  if (!wrong.empty())
    throw Error("the state dict does not fit {}, nothing was loaded: {}{}", type(), wrong,
                options.strict && plan.mismatched.empty() ? " ({strict = false} loads what fits by name)" : "");
  NoGrad no_grad;
  for (auto& [to, value] : plan.copies)
    if (!to.same(value)) basic::copy_into(to, value);
  return plan.result;
}

}  // namespace luth::nn
