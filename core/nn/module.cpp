#include "core/nn/module.h"

#include <algorithm>
#include <atomic>

#include "core/autograd/autograd.h"
#include "core/base/by_name.h"
#include "core/base/per_thread.h"

namespace luth::nn {
namespace {

template <class List>
auto find_in(List& list, std::string_view name) {
  auto it = std::find_if(list.begin(), list.end(), [&](auto& e) { return e.name == name; });
  return it == list.end() ? nullptr : &*it;
}

bool has_value(const NamedTensor& t) { return bool(t.value); }
bool has_value(const NamedModule&) { return true; }

}  // namespace

static thread_local int nesting = 0;
static void check_nesting(size_t levels) {
  if (levels >= Nesting::most) throw Error("modules are nested deeper than {} levels", Nesting::most);
}
Nesting::Nesting() {
  check_nesting(size_t(nesting));
  ++nesting;
}
Nesting::~Nesting() { --nesting; }

std::string path_to(const Module& above, const Module& m) {
  struct Step {
    const std::vector<NamedModule>* children;
    size_t next = 0;
  };
  std::vector<Step> steps{{&above.parts().children}};
  std::set<const Module*> seen;  // a module may be at many places
  while (!steps.empty()) {
    Step& last = steps.back();
    if (last.next == last.children->size()) {
      steps.pop_back();
      continue;
    }
    const Module* child = (*last.children)[last.next++].module.get();
    if (child != &m) {
      if (auto& below = child->parts().children; !below.empty() && seen.insert(child).second) steps.push_back({&below});
      check_nesting(steps.size());
      continue;
    }
    std::string path;
    for (auto& s : steps) path += (path.empty() ? "" : ".") + (*s.children)[s.next - 1].name;
    return path;
  }
  return "";
}

// Destroys a deep tree without recursion and without memory. Modules whose children go before them wait in a list: the
// next one is in the place of the child that was taken.
Module::~Module() {
  const auto children = [](const Module& m) { return m.parts_.use_count() == 1 ? &m.parts_->children : nullptr; };
  ModuleRef waiting;
  auto* own = children(*this);
  for (size_t i = 0; own && i < own->size(); ++i)
    for (ModuleRef m = std::move((*own)[i].module); m || waiting;) {
      auto* below = m && m->use_count() == 1 ? children(*m) : nullptr;
      if (below && !below->empty()) {
        ModuleRef child = std::move(below->back().module);
        below->back().module = std::move(waiting);
        waiting = std::move(m);
        m = std::move(child);
      } else {
        m = std::move(waiting);  // what was there goes
        if (!m) continue;
        waiting = std::move(children(*m)->back().module);
        children(*m)->pop_back();
      }
    }
}

// ---- Arguments ----------------------------------------------------------------------------------------------------

namespace {
struct ListOfArguments final : Held {
  std::string text() const override { return fmt::format("a table of {}", items.size()); }
  Values items;
};
}  // namespace

Held::~Held() = default;

std::string Argument::text() const {
  return more_ ? more_->text() : is_tensor() ? "a tensor" : is_scalar() ? "a number" : "nothing";
}

Argument Argument::list(const Values& items) {
  Ref<ListOfArguments> held(new ListOfArguments);
  held->items = items;
  return Argument(Ref<Held>(held));
}
bool Argument::is_list() const { return dynamic_cast<const ListOfArguments*>(more_.get()); }
const Values& Argument::items() const {
  if (auto* list = dynamic_cast<const ListOfArguments*>(more_.get())) return list->items;
  throw Error("expects a table of tensors, got {}", text());
}

Values::operator Inputs() const {
  Inputs in;
  for (const Argument& a : *this) {
    if (a.more()) throw Error("input {} is {}, no tensor or number", shown(int64_t(in.size())), a.text());
    in.push_back(a);
  }
  return in;
}

// ---- Hooks --------------------------------------------------------------------------------------------------------

int64_t Hooks::next_id() {
  static std::atomic<int64_t> next{1};
  return next++;
}
void Hooks::remove(int64_t id) {
  auto from = [id](auto&... lists) { (std::erase_if(lists, [id](auto& h) { return h.id == id; }), ...); };
  from(before, after, before_backward, after_backward, before_state, after_state, before_load, after_load);
}
Hooks& global_hooks() {
  static constinit thread_local PerThread<Hooks> hooks;  // the interpreter of another thread has its own
  return *hooks;
}

// ---- Parts --------------------------------------------------------------------------------------------------------

// Here, so that they are compiled once.
Parts::Parts() = default;
Parts::Parts(const Parts&) = default;
Parts& Parts::operator=(const Parts&) = default;
Parts::~Parts() = default;
Module::Module() : parts_(std::make_shared<Parts>()) {}

NamedTensor* Module::find_parameter(std::string_view name) { return find_in(parts_->parameters, name); }
NamedBuffer* Module::find_buffer(std::string_view name) { return find_in(parts_->buffers, name); }
NamedModule* Module::find_child(std::string_view name) { return find_in(parts_->children, name); }

ModuleRef Module::child(std::string_view name) {
  if (NamedModule* c = find_child(name)) return c->module;
  throw Error("{} has no module '{}'", type(), name);
}
const Tensor& Module::parameter_named(std::string_view name) {
  if (NamedTensor* p = find_parameter(name)) return p->value;
  throw Error("{} has no parameter '{}'", type(), name);
}

void Module::check_free(const std::string& name, const char* what, const void* except) const {
  if (name.empty() || name.find('.') != std::string::npos)
    throw Error("'{}' is no name for a {}: it must not be empty nor contain a dot", name, what);
  auto taken = [&](auto& list) {
    auto* e = find_in(list, name);
    if (e && e != except && has_value(*e))
      throw Error("{} already has a part named '{}'; assign nil to it first", type(), name);
  };
  taken(parts_->parameters);
  taken(parts_->buffers);
  taken(parts_->children);
}

void Module::register_parameter(const std::string& name, const Tensor& value) {
  NamedTensor* there = find_parameter(name);
  check_free(name, "parameter", there);
  if (value && !value.is_leaf())
    throw Error("parameter '{}' must be a leaf, not the result of {}; use detach() and nn.Parameter", name,
                value.grad_fn()->name());
  if (there)
    there->value = value;
  else
    parts_->parameters.push_back({name, value});
}

void Module::register_buffer(const std::string& name, const Tensor& value, bool persistent) {
  NamedBuffer* there = find_buffer(name);
  check_free(name, "buffer", static_cast<NamedTensor*>(there));
  if (there)
    *there = {{name, value}, persistent};
  else
    parts_->buffers.push_back({{name, value}, persistent});
}

void Module::add_module(const std::string& name, ModuleRef child) {
  if (!child) throw Error("module '{}' of {} is nothing", name, type());
  if (child.get() == this || !path_to(*child, *this).empty())
    throw Error("{} cannot contain itself as '{}'", type(), name);
  NamedModule* there = find_child(name);
  check_free(name, "module", there);
  if (there)
    there->module = std::move(child);
  else
    parts_->children.push_back({name, std::move(child)});
}

bool Module::remove(const std::string& name) {
  if (auto* p = find_parameter(name)) return p->value = Tensor(), true;
  if (auto* b = find_buffer(name)) return b->value = Tensor(), true;
  return std::erase_if(parts_->children, [&](auto& c) { return c.name == name; }) > 0;
}

void Module::adopt(Module& other) {
  if (parts_ == other.parts_) return;
  for (auto& p : parts_->parameters) other.register_parameter(p.name, p.value);
  for (auto& b : parts_->buffers) other.register_buffer(b.name, b.value, b.persistent);
  for (auto& c : parts_->children) other.add_module(c.name, c.module);
  other.parts_->training = parts_->training;
  parts_ = other.parts_;
}

// ---- Classes ------------------------------------------------------------------------------------------------------

namespace {
std::vector<const ModuleClass*>& classes() {
  static std::vector<const ModuleClass*> list;
  return list;
}
}  // namespace

const std::vector<const ModuleClass*>& module_classes() { return classes(); }
const ModuleClass* find_module_class(std::string_view name) { return find_by_name(classes(), name); }
void add_module_class(const ModuleClass* c) { insert_by_name(classes(), c); }

// ---- Printing -----------------------------------------------------------------------------------------------------

std::string Module::repr() const {
  std::string out;
  print(out, 0);
  return out;
}

// Whether nn.utils.parametrize computes some of its parameters. PyTorch makes a class of its own then.
static bool is_parametrized(const Module& m) {
  for (auto& c : m.parts().children) {
    auto& lists = c.module->parts().children;
    if (c.name == "parametrizations") return !lists.empty() && lists[0].module->type() == "ParametrizationList";
  }
  return false;
}

void Module::print(std::string& out, int indent) const {
  const Nesting nesting;
  const std::string extra = extra_repr();
  auto& children = parts_->children;
  out += (is_parametrized(*this) ? "Parametrized" : "") + type() + "(";
  if (children.empty() && extra.find('\n') == std::string::npos) {
    out += extra + ")";
    return;
  }
  const std::string line = "\n" + std::string(size_t(indent) + 2, ' ');
  if (!extra.empty()) out += line;
  for (char c : extra) c == '\n' ? out += line : out += c;
  for (auto& c : children) {
    out += line + "(" + c.name + "): ";
    c.module->print(out, indent + 2);
  }
  out += "\n" + std::string(size_t(indent), ' ') + ")";
}

std::string py(bool v) { return v ? "True" : "False"; }
std::string py(int64_t v) { return std::to_string(v); }
std::string py(double v) {
  std::string s = std::isinf(v) ? (v < 0 ? "-inf" : "inf") : std::isnan(v) ? "nan" : fmt::format("{}", v);
  return s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
}
std::string py_tuple(const Ints& v, int at_least) {
  int n = std::max(v.size(), at_least);
  std::string s;
  for (int i = 0; i < n; ++i) s += (i ? ", " : "(") + std::to_string(at_or_all(v, i));
  return s + (n == 1 ? ",)" : ")");
}
std::string py_int_or_tuple(const Ints& v) { return v.size() == 1 ? std::to_string(v[0]) : py_tuple(v); }

namespace {
struct Python {
  unsigned as;
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool v) const { return py(v); }
  std::string operator()(int64_t v) const { return py((as & (as::dim | as::index)) && v >= 0 ? shown(v) : v); }
  std::string operator()(double v) const { return py(v); }
  std::string operator()(const Scalar& v) const {
    return v.kind() == Scalar::Kind::boolean ? py(v.to<bool>()) : v.is_floating() ? py(v.value()) : py(v.integer());
  }
  std::string operator()(const Ints& v) const {
    return list(v, [&](int64_t x) { return (as & as::holes) && x == -1 ? "None" : (*this)(x); });
  }
  std::string operator()(const std::vector<double>& v) const {
    return list(v, [](double x) { return py(x); });
  }
  std::string list(const auto& v, auto text) const {
    if (std::size(v) == 1 && !(as & as::tuple)) return text(v[0]);
    std::string s;
    for (auto& x : v) s += (s.empty() ? "(" : ", ") + text(x);
    return s + (std::size(v) == 1 ? ",)" : s.empty() ? "()" : ")");
  }
  std::string operator()(const auto& v) const { return to_string(Attr(v)); }
};
}  // namespace
std::string py(const Attr& v, unsigned as) { return std::visit(Python{as}, v); }

std::string Module::extra_repr() const {
  auto settings = [](const Module& m) {
    FieldList list;
    const_cast<Module&>(m).describe(list);  // which reads only
    return std::move(list.items);
  };
  const ModuleClass* c = find_module_class(type());
  const auto own = settings(*this), defaults = c ? settings(*c->make()) : std::vector<FieldDoc>();
  std::string s;
  for (size_t i = 0; i < own.size(); ++i) {
    const FieldDoc& f = own[i];
    if (f.as & (as::hidden | as::base | as::unprinted)) continue;
    if ((f.as & as::if_set) && i < defaults.size() && to_string(f.value) == to_string(defaults[i].value)) continue;
    s += (s.empty() ? "" : ", ") + (f.as & as::bare ? "" : std::string(f.name) + "=") + py(f.value, f.as);
  }
  return s;
}

}  // namespace luth::nn
