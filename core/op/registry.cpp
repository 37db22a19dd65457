// The registry of operators.
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/op/op.h"
#include "core/op/spaces.h"

namespace luth {

template class Small<Value, 4>;
template class Small<Spec, 2>;
namespace {

// Entries never move: kernels and Fn keep references to them.
struct Registry {
  std::mutex lock;
  std::deque<OpInfo> entries;
  std::unordered_map<std::string_view, OpInfo*> by_name;
  std::unordered_map<std::string_view, const Definition*> definitions;
  Registry() {
    by_name.reserve(1024);
    definitions.reserve(1024);
  }
};
Registry& registry() {
  static Registry& r = *new Registry;  // never destroyed: that would only delay the program's end
  return r;
}

constinit std::atomic<Definitions*> not_yet_read = nullptr;

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}
template <class F>
void each_part(std::string_view list, char separator, F&& f) {
  while (!list.empty()) {
    size_t at = std::min(list.find(separator), list.size());
    f(trim(list.substr(0, at)));
    list.remove_prefix(std::min(at + 1, list.size()));
  }
}

InputSpec parse_input(std::string_view s) {
  InputSpec i;
  auto take = [&](std::string_view suffix) {
    bool has = s.ends_with(suffix);
    if (has) s.remove_suffix(suffix.size());
    return has;
  };
  i.list = take("[]");
  i.optional = take("?");
  i.number = take("|number");
  i.name = s;
  return i;
}

int position(const auto& names, std::string_view name) {
  auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : int(it - names.begin());
}

// "input: other, result; other: input.meta; *: result"
void parse_saves(OpInfo& info) {
  std::vector<std::string_view> names(info.inputs.size());
  for (size_t i = 0; i < names.size(); ++i) names[i] = info.inputs[i].name;
  info.saves.assign(info.inputs.size(), {});
  auto bad = [&](std::string_view what) {
    throw Error("operator {}: saves names no input or result '{}'", info.name, what);
  };
  each_part(info.traits.saves, ';', [&](std::string_view rule) {
    size_t colon = rule.find(':');
    Needs needs;
    each_part(rule.substr(colon + 1), ',', [&](std::string_view item) {
      bool meta = item.ends_with(".meta");
      if (meta) item.remove_suffix(5);
      if (int at = position(names, item); at >= 0)
        (meta ? needs.meta : needs.in) |= 1u << at;
      else if (int out = position(info.outputs, item); out >= 0)
        needs.out |= 1u << out;
      else
        bad(item);
    });
    std::string_view who = trim(rule.substr(0, colon));
    int at = position(names, who);
    if (who != "*" && at < 0) bad(who);
    for (size_t i = 0; i < names.size(); ++i)
      if (who == "*" || int(i) == at) {
        info.saves[i].in |= needs.in;
        info.saves[i].meta |= needs.meta;
        info.saves[i].out |= needs.out;
      }
  });
}

// Tables of functions below torch: "linalg_solve" is linalg.solve.
struct Space {
  std::string_view name;
  std::string_view second_names;  // of its functions' arguments, see Traits
};
constexpr Space spaces[] = {
    {"linalg", "A: input"}, {"special", "input: x"}, {"signal.windows", ""}, {"nn.functional", ""}};

/// The space of an operator, or null.
const Space* space_of(std::string_view name) {
  auto same = [](char of_space, char of_name) { return (of_space == '.' ? '_' : of_space) == of_name; };
  for (auto& space : spaces) {
    const size_t n = space.name.size();
    if (name.size() > n && name[n] == '_' && std::equal(space.name.begin(), space.name.end(), name.begin(), same))
      return &space;
  }
  return nullptr;
}

// "max.dim" is a form of `max`; "linalg_solve" is `solve` in the table `linalg`; "mine::scale" is that of a library,
// ops.mine.scale.
std::string lua_name_of(std::string_view name) {
  name = name.substr(0, name.find('.'));
  if (const size_t colons = name.find("::"); colons != name.npos)
    return fmt::format("ops.{}.{}", name.substr(0, colons), name.substr(colons + 2));
  const Space* space = space_of(name);
  if (!space) return std::string(name);
  return std::string(space->name) + "." + std::string(name.substr(space->name.size() + 1));
}

void add_second_names(OpInfo& info, std::string_view text) {
  each_part(text, ';', [&](std::string_view pair) {
    const size_t colon = std::min(pair.find(':'), pair.size());
    const SecondName names{trim(pair.substr(0, colon)), trim(pair.substr(std::min(colon + 1, pair.size())))};
    auto shares = [&](const SecondName& n) {
      return n.shown == names.shown || n.shown == names.also || n.also == names.also;
    };
    if (std::none_of(info.second_names.begin(), info.second_names.end(), shares)) info.second_names.push_back(names);
  });
}

// What follows from other facts.
void complete(Traits& traits, bool in_space) {
  if (traits.inplace == Inplace::automatic)
    traits.inplace = traits.elementwise || traits.overwrites ? Inplace::also : Inplace::none;
  if (!in_space) return;
  traits.offered = Offered::function;
  traits.inplace = Inplace::none;
}

}  // namespace

void define(Definitions& more) {
  more.next = not_yet_read.load();
  while (!not_yet_read.compare_exchange_weak(more.next, &more)) {}
}

namespace {

OpInfo& entry_of(Registry& r, std::string_view name) {
  if (const auto at = r.by_name.find(name); at != r.by_name.end()) return *at->second;
  OpInfo& info = r.entries.emplace_back();
  info.name = name;
  return *(r.by_name[info.name] = &info);
}

void read_definitions(Registry& r) {
  for (Definitions* more = not_yet_read.exchange(nullptr); more; more = more->next)
    for (const Definition& d : more->list)
      if (const auto [at, is_new] = r.definitions.try_emplace(d.doc.name, &d); !is_new)
        throw Error("two operators are named '{}': \"{}\" and \"{}\"", d.doc.name, at->second->doc.brief, d.doc.brief);
}

// Splits the lists in the doc and the traits into OpInfo's, and checks them.
void fill(OpInfo& info, const Definition& definition) {
  info.doc = definition.doc;
  info.lua_name = lua_name_of(info.name);
  definition.fill(info);
  info.inputs.reserve(size_t(info.doc.arity()));
  info.outputs.reserve(size_t(std::max(1, info.doc.results())));
  each_part(info.doc.inputs, ',', [&](std::string_view s) { info.inputs.push_back(parse_input(s)); });
  each_part(info.doc.outputs, ',', [&](std::string_view s) { info.outputs.emplace_back(s); });
  if (info.outputs.empty()) info.outputs.push_back("result");
  info.several = info.doc.results() < 0;
  parse_saves(info);
  const Space* space = space_of(info.name);
  add_second_names(info, info.traits.second_names);
  if (space) add_second_names(info, space->second_names);
  complete(info.traits, space != nullptr);
  info.defined = true;
}

const OpInfo& filled(Registry& r, const Definition& definition) {
  OpInfo& info = entry_of(r, definition.doc.name);
  if (!info.defined) fill(info, definition);
  return info;
}

}  // namespace

OpInfo& entry(std::string_view name) {
  Registry& r = registry();
  std::lock_guard hold(r.lock);
  return entry_of(r, name);
}

const OpInfo& find_op(std::string_view name) {
  Registry& r = registry();
  std::lock_guard hold(r.lock);
  read_definitions(r);
  const auto at = r.definitions.find(name);
  if (at == r.definitions.end()) throw Error("no operator named '{}'", name);
  return filled(r, *at->second);
}

MissingInput::MissingInput(std::string_view name) : Error("{} is missing", name) {}

const OpInfo& OpRef::find() {
  const OpInfo& info = find_op(name_);
  info_.store(&info, std::memory_order_release);
  return info;
}

std::vector<std::string_view> operator_spaces() {
  std::vector<std::string_view> paths;
  for (auto& space : spaces) paths.push_back(space.name);
  return paths;
}

std::vector<const OpInfo*> operators() {
  Registry& r = registry();
  std::lock_guard hold(r.lock);
  read_definitions(r);
  for (auto& [name, info] : r.by_name)
    if (!r.definitions.count(name))
      throw Error(
          "a kernel of '{}' is registered, and no operator of that name: `const luth::Define<Op> op_;` is missing",
          name);
  std::vector<const OpInfo*> all;
  for (auto& [name, definition] : r.definitions) all.push_back(&filled(r, *definition));
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; });
  return all;
}

std::vector<FieldDoc> OpInfo::fields(const void* op) const {
  FieldList list;
  OpValue value(this, op);
  if (describe) describe(value.get(), list);
  return std::move(list.items);
}

std::function<Inputs()> Samples::drawn_inputs(Tensor (*draw)(const Shape&), std::vector<Shape> shapes) {
  return [draw, shapes = std::move(shapes)] {
    Inputs in;
    for (auto& s : shapes) in.push_back(draw(s));
    return in;
  };
}
void Samples::add(std::string_view op_name, Sample sample, const void* op) {
  sample.op = OpValue(&find_op(op_name), op);
  list.push_back(std::move(sample));
}

OpValue::OpValue(const OpInfo* info, const void* op) : info_(info), p_(info ? info->copy(op) : nullptr) {}
OpValue::~OpValue() {
  if (p_) info_->destroy(p_);
}

namespace {
class AttributeSetter : public Fields {
 public:
  AttributeSetter(std::string_view name, const Attr& value) : name_(name), value_(value) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name) return false;
    const double* number = std::get_if<double>(&value_);
    value = number && info.kind == AttrKind::scalar ? Attr(Scalar(*number)) : value_;
    return found = true;
  }
  bool found = false;

 private:
  std::string_view name_;
  const Attr& value_;
};
}  // namespace

void OpValue::set(std::string_view attribute, const Attr& value) {
  AttributeSetter setter(attribute, value);
  if (info_->describe) info_->describe(p_, setter);
  if (!setter.found) throw Error("operator {} has no attribute '{}'", info_->name, attribute);
}

}  // namespace luth
