#include "core/io/module.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/visible.h"
#include "core/nn/module_settings.h"
#include "core/tensor/uninitialised.h"

namespace luth::io {
namespace {

template <class Parts, class Value>
Map named(const Parts& parts, Value value) {
  Map map;
  for (auto& part : parts) map.add(part.name, value(part));
  return map;
}

// Reads settings, but for devices and tensors: those of a file are here with the parts.
class StoredSettings : public Fields {
 public:
  explicit StoredSettings(const std::string& text) : reader_(text) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (info.kind == AttrKind::device || info.kind == AttrKind::tensor) return false;
    return reader_.visit(info, value);
  }

 private:
  FieldReader reader_;
};

// Settings that no module can have are the file's error, wherever they show: when they are read, or when it is built.
template <class F>
void with_settings(std::string_view type, F f) {
  try {
    f();
  } catch (const Error& e) {
    const bool is_of_settings =
        e.code() == ErrorCode::runtime || e.code() == ErrorCode::usage || e.code() == ErrorCode::memory;
    if (!is_of_settings) throw;
    throw Error(ErrorCode::checkpoint, "the file describes a {} that cannot be: {}", foreign(type),
                foreign(e.what(), 500));
  }
}

// The tensors of a map by name; nil is an absent one.
template <class Each>
void each_tensor(const Map& map, Each each) {
  for (const Map::Entry& e : map) {
    auto* name = std::get_if<std::string>(&e.key);
    auto* t = e.value.as<Tensor>();
    if (!name || (!t && !e.value.is_nil()))
      throw Error(ErrorCode::checkpoint, "the file describes a module with a part that is no tensor");
    each(*name, t ? *t : Tensor());
  }
}

// A module of class c with the settings of a map, without parts.
nn::ModuleRef make_of(const nn::ModuleClass& c, const Map& map) {
  nn::ModuleRef m = c.make();
  if (auto* text = map.find("settings") ? map.find("settings")->as<std::string>() : nullptr)
    with_settings(c.name, [&] { read_settings_text(*text, [&](Fields& f) { m->describe(f); }); });
  return m;
}

// A module of the class and settings of a map, with parts of its own on the device meta: what `m` must have at least,
// since modules find their parts by position. Null where it cannot be built so.
nn::ModuleRef built_like(const Map& map) {
  const Item* name = map.find(map.find("base") ? "base" : "class");
  const nn::ModuleClass* c = name->as<std::string>() ? nn::find_module_class(*name->as<std::string>()) : nullptr;
  if (!c || (map.find("language") && !map.find("base"))) return {};
  nn::ModuleRef m = make_of(*c, map);
  if (dynamic_cast<nn::TakesModules*>(m.get())) return {};  // it needs modules as settings
  struct OnMeta : Fields {
    bool visit(const FieldInfo& info, Attr& value) override {
      if (info.kind == AttrKind::device) value = &device("meta");
      return info.kind == AttrKind::device;
    }
  } on_meta;
  m->describe(on_meta);
  with_settings(c->name, [&] { m->build(); });
  return m;
}

template <class Own, class Built>
void check_names(const std::string& type, const char* what, const Own& own, const Built& built) {
  for (size_t i = 0; i < built.size(); ++i)
    if (i >= own.size() || own[i].name != built[i].name)
      throw Error(ErrorCode::checkpoint, "the file describes a {} whose {} number {} is {}, not '{}'", foreign(type),
                  what, i + 1, i < own.size() ? "'" + foreign(own[i].name) + "'" : "missing", built[i].name);
}

}  // namespace

std::string settings_text(const std::vector<FieldDoc>& fields) {
  std::vector<FieldDoc> plain = fields;
  std::erase_if(plain, [](auto& f) { return f.kind == AttrKind::device || f.kind == AttrKind::tensor; });
  return write_fields(plain);
}
void read_settings_text(const std::string& text, const std::function<void(Fields&)>& describe) {
  StoredSettings settings(text);
  describe(settings);
}

Map ModuleWriter::begin(const void* object, const char* kind, bool& known) {
  auto [at, is_new] = ids_.try_emplace(object, int64_t(ids_.size()) + 1);
  known = !is_new;
  Map map;
  map.kind = known ? kinds::same : kind;
  map.add("id", at->second);
  return map;
}

Item ModuleWriter::write(const nn::Module& m) {
  const nn::Nesting nesting;
  bool known = false;
  Map map = begin(&m, kinds::module, known);
  if (known) return map;
  const nn::Parts& parts = m.parts();
  FieldList settings;
  const_cast<nn::Module&>(m).describe(settings);  // which reads only
  map.add("class", m.type());
  if (std::string text = settings_text(settings.items); !text.empty()) map.add("settings", text);
  map.add("training", parts.training);
  List transient;
  for (auto& b : parts.buffers)
    if (!b.persistent) transient.push_back(b.name);
  if (!transient.empty()) map.add("transient", transient);
  auto value = [](auto& part) { return Item(part.value); };
  if (!parts.parameters.empty()) map.add("parameters", named(parts.parameters, value));
  if (!parts.buffers.empty()) map.add("buffers", named(parts.buffers, value));
  if (!parts.children.empty())
    map.add("children", named(parts.children, [&](auto& child) { return write(*child.module); }));
  add(m, map);
  return map;
}

void ModuleWriter::add(const nn::Module& m, Map&) {
  if (!nn::find_module_class(m.type()))
    throw Error("the class {} is the language's: torch.save writes it, or save the state dict", m.type());
}

nn::ModuleRef ModuleReader::make(const Map& map) {
  const std::string& name = entry<std::string>(map, "class");
  const nn::ModuleClass* c = nn::find_module_class(name);
  if (!c || map.find("language"))
    throw Error(ErrorCode::checkpoint, "the file holds a module of class '{}', which {}", foreign(name),
                map.find("language") ? "is written in Lua: load it there, or save its state dict"
                                     : "this luth does not have; load the library that defines it");
  return make_of(*c, map);
}

void ModuleReader::fill(nn::Module& m, const Map& map) {
  nn::Parts& parts = m.parts();
  std::set<std::string_view> transient;
  if (auto* list = map.find("transient") ? map.find("transient")->as<List>() : nullptr)
    for (auto& name : *list)
      if (auto* text = name.as<std::string>()) transient.insert(*text);
  auto ready = [&](const Tensor& t) {  // a file has a lazy tensor as one of shape [0]
    return t && m.lazy() && t.shape() == Shape{0} ? uninitialised(t.dtype(), t.device()) : t;
  };
  if (map.find("parameters"))
    each_tensor(entry<Map>(map, "parameters"), [&](const std::string& name, const Tensor& t) {
      const Tensor value = ready(t);
      if (value && t.requires_grad()) value.set_requires_grad(true);
      if (value) value.impl()->parameter = true;
      parts.parameters.push_back({name, value});
    });
  if (map.find("buffers"))
    each_tensor(entry<Map>(map, "buffers"), [&](const std::string& name, const Tensor& t) {
      parts.buffers.push_back({{name, ready(t)}, !transient.contains(name)});
    });
  if (map.find("children"))
    for (const Map::Entry& e : entry<Map>(map, "children"))
      m.add_module(std::get_if<std::string>(&e.key) ? std::get<std::string>(e.key) : "", read(e.value));
  auto* training = map.find("training") ? map.find("training")->as<bool>() : nullptr;
  parts.training = !training || *training;
}

nn::ModuleRef ModuleReader::read(const Item& item) {
  auto* map = item.as<Map>();
  if (!map || (map->kind != kinds::module && map->kind != kinds::same))
    throw Error(ErrorCode::checkpoint, "the file holds something else where a module should be");
  const int64_t id = entry<int64_t>(*map, "id");
  if (map->kind == kinds::same) {
    auto found = modules_.find(id);
    if (found == modules_.end()) throw Error(ErrorCode::checkpoint, "the file names a module {} that it lacks", id);
    add_places(found->second.places);
    return found->second.module;
  }
  const int64_t before = places_;
  add_places(1);
  nn::ModuleRef m = make(*map);
  modules_[id].module = m;
  made(m);
  fill(*m, *map);
  if (nn::ModuleRef like = built_like(*map)) {
    const nn::Parts &own = m->parts(), &built = like->parts();
    check_names(m->type(), "parameter", own.parameters, built.parameters);
    check_names(m->type(), "buffer", own.buffers, built.buffers);
    check_names(m->type(), "child", own.children, built.children);
  }
  filled(m, *map);
  modules_[id].places = places_ - before;
  return m;
}

// Modules that hold each other several times, level by level, have places without end in a file of a few bytes, and
// names, texts and state dicts have each.
void ModuleReader::add_places(int64_t n) {
  constexpr int64_t most = 1'000'000;
  places_ += n;
  if (places_ > most) throw Error(ErrorCode::checkpoint, "the file describes modules at more than {} places", most);
}

Item to_item(const nn::Module& m) { return ModuleWriter().write(m); }
nn::ModuleRef to_module(const Item& item) { return ModuleReader().read(item); }

Item to_item(const nn::StateDict& dict) {
  Map map;
  for (auto& e : dict) {
    if (!e.value) throw Error("'{}' of a state dict is no tensor", e.name);
    map.add(e.name, e.value);
  }
  return map;
}
nn::StateDict to_state_dict(const Item& item) {
  auto* map = item.as<Map>();
  if (!map || !map->kind.empty())
    throw Error(ErrorCode::checkpoint, "the file holds {}, no state dict",
                map ? "a whole " + foreign(map->kind) : std::string("a single value"));
  nn::StateDict dict;
  each_tensor(*map, [&](const std::string& name, const Tensor& t) { dict.push_back({name, t}); });
  return dict;
}

}  // namespace luth::io
