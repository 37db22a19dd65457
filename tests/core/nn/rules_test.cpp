// What every registered module keeps to, from its description alone: no module is named here. With LUTH_LIBRARY the
// modules of that library are tested in place of luth's own.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "core/device/library.h"
#include "core/io/module.h"
#include "core/nn/module_settings.h"
#include "tests/core/nn/golden.h"

namespace luth::test {
namespace {

// The fields that `f` wants, in the values that `f` gives.
struct Set : Fields {
  explicit Set(std::function<bool(const FieldInfo&, Attr&)> f) : f(std::move(f)) {}
  bool visit(const FieldInfo& info, Attr& value) override { return f(info, value); }
  std::function<bool(const FieldInfo&, Attr&)> f;
};

Tensor some_tensor() {
  Tensor t = Tensor::empty({4}, default_dtype(), host());
  std::fill_n(t.data<float>(), 4, 0.5f);
  return t;
}

// What is required, small; tensors too, so that the buffers that come of them are there.
bool give(const FieldInfo& f, Attr& value) {
  if (f.kind == AttrKind::tensor) return value = some_tensor(), true;
  if (auto* n = std::get_if<int64_t>(&value); n && *n > 100) return *n = 8, true;  // Transformer's sizes
  if (std::string_view(f.name) == "output_size") return value = Ints{2}, true;     // or output_ratio is required
  if (!(f.as & as::required)) return false;
  switch (f.kind) {
    case AttrKind::integer: return value = int64_t(f.as & as::dim ? 0 : 4), true;
    case AttrKind::ints: return value = Ints{2}, true;
    case AttrKind::number: return value = 0.5, true;
    case AttrKind::scalar: return value = Scalar(0.5), true;
    default: throw Error("required setting '{}': say here what to give it", f.name);
  }
}

void give_modules(nn::Module& m) {
  if (auto* takes = dynamic_cast<nn::TakesModules*>(&m))
    for (auto& s : takes->module_settings())
      if (s.required) *s.value = nn::find_module_class("Identity")->make();
}

nn::ModuleRef ready(const nn::ModuleClass& c) {
  nn::ModuleRef m = c.make();
  give_modules(*m);
  Set all(give);
  m->describe(all);
  m->build();
  return m;
}

// Another value that the setting may have; of a text, one of the words in quotes in what the help says. False where
// there is none.
bool change(const FieldInfo& f, Attr& value) {
  switch (f.kind) {
    case AttrKind::boolean: return value = !(value.index() && std::get<bool>(value)), true;
    case AttrKind::integer: return value = value.index() ? std::get<int64_t>(value) + 1 : 1, true;
    case AttrKind::number: return value = value.index() ? std::get<double>(value) / 2 + 0.1 : 0.3, true;
    case AttrKind::scalar: return value = Scalar(0.3), true;
    case AttrKind::ints: return value = Ints{3}, true;
    case AttrKind::numbers: return value = std::vector<double>{0.3, 0.4}, true;
    case AttrKind::text: {
      const std::string doc = f.doc, now = std::get<std::string>(value);
      static const std::regex word("'([^']+)'");
      for (std::sregex_iterator i(doc.begin(), doc.end(), word), end; i != end; ++i)
        if ((*i)[1] != now) return value = (*i)[1].str(), true;
      return false;
    }
    default: return false;
  }
}

std::vector<FieldDoc> settings(nn::Module& m) {
  FieldList list;
  m.describe(list);
  return list.items;
}

// "" where both have the same names and values.
std::string differ(const nn::StateDict& a, const nn::StateDict& b) {
  if (a.size() != b.size()) return "another number of entries";
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name) return a[i].name + " is named " + b[i].name;
    if (a[i].value.dtype() != b[i].value.dtype()) return a[i].name + " has another dtype";
    if (a[i].value.requires_grad() != b[i].value.requires_grad()) return a[i].name + " requires_grad differs";
    if (std::string d = differs(a[i].value, b[i].value, 0, 0); !d.empty()) return a[i].name + ": " + d;
  }
  return "";
}

// The library's modules have its name and a dot in theirs.
bool of_library() {
  static const char* const library = std::getenv("LUTH_LIBRARY");
  static const bool loaded = library && (load_library(library), true);
  return loaded;
}

void for_each_class(const std::function<void(const nn::ModuleClass&)>& f) {
  const bool library = of_library();
  for (auto* c : nn::module_classes()) {
    if (library != (c->name.find('.') != c->name.npos)) continue;
    SCOPED_TRACE(std::string(c->name));
    try {
      f(*c);
    } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
  }
}

TEST(ModuleRules, NamesAreOfOneClassEach) {
  std::set<std::string> names;
  for_each_class([&](auto& c) {
    EXPECT_TRUE(names.emplace(c.name).second) << "two classes of this name";
    EXPECT_EQ(c.make()->type(), c.name);
    EXPECT_FALSE(c.brief.empty());
  });
  EXPECT_GT(names.size(), of_library() ? 0u : 20u);
}

std::string without_comments(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("//")) text += line + "\n";
  return text;
}

// A class that no DefineModule names would be missing in Lua, and nobody would notice.
// Of names by the number of dims, `names[] = {"Conv1d", "Conv2d", …}`, one at least.
TEST(ModuleRules, AllClassesOfTheSourcesAreRegistered) {
  static const std::regex named(R"re((?:\bname = |\bops::[\w<>]+,\s+|\bLazy<[\w<>]+,\s+)"(\w+)")re"),
      list(R"re(names\[\][^;]*;)re"), quoted(R"re("(\w+)")re");
  if (of_library()) GTEST_SKIP() << "about luth's own sources";
  const std::sregex_iterator end;
  int seen = 0;
  for (auto& file : std::filesystem::directory_iterator(LUTH_SOURCE_DIR "/core/nn")) {
    if (file.path().extension() != ".h") continue;
    SCOPED_TRACE(file.path().filename());
    const std::string text = without_comments(file.path());
    for (std::sregex_iterator m(text.begin(), text.end(), named); m != end; ++m, ++seen)
      EXPECT_TRUE(nn::find_module_class((*m)[1].str())) << (*m)[1];
    for (std::sregex_iterator m(text.begin(), text.end(), list); m != end; ++m) {
      const std::string names = m->str();
      int registered = 0;
      for (std::sregex_iterator it(names.begin(), names.end(), quoted); it != end; ++it)
        registered += nn::find_module_class((*it)[1].str()) != nullptr;
      EXPECT_GT(registered, 0) << names;
      seen += registered;
    }
  }
  EXPECT_GE(seen, int(nn::module_classes().size()));
}

TEST(ModuleRules, SettingsAreDocumented) {
  for_each_class([](auto& c) {
    std::set<std::string> names;
    bool optional_before = false;
    for (auto& f : settings(*c.make())) {
      SCOPED_TRACE(f.name);
      EXPECT_TRUE(names.insert(f.name).second) << "described twice";
      if ((f.as & (as::hidden | as::base))) continue;
      EXPECT_STRNE(f.doc, "");
      EXPECT_FALSE((f.as & as::required) && optional_before) << "required, behind one that is not";
      optional_before |= !(f.as & as::required);
      if (f.kind == AttrKind::text) {
        EXPECT_NE(std::string(f.doc).find("'"), std::string::npos) << "its help names no word to give";
      }
    }
  });
}

TEST(ModuleRules, SettingsPrint) {
  for_each_class([](auto& c) {
    for (auto& f : settings(*ready(c))) {
      if ((f.as & (as::hidden | as::base))) continue;
      SCOPED_TRACE(f.name);
      nn::ModuleRef m = ready(c);
      const std::string before = m->repr();
      EXPECT_TRUE(before.starts_with(std::string(c.name) + "(")) << before;
      bool changed = false;
      Set one([&](const FieldInfo& info, Attr& value) {
        return std::string_view(info.name) == f.name && (changed = change(info, value));
      });
      m->describe(one);
      if (f.as & as::unprinted) {
        EXPECT_EQ(m->repr(), before);
        continue;
      }
      EXPECT_TRUE(changed) << "say above what to change it to";
      EXPECT_NE(m->repr(), before);
      EXPECT_EQ(m->repr().find(std::string(f.name) + "=") == std::string::npos, bool(f.as & as::bare)) << m->repr();
    }
  });
}

TEST(ModuleRules, StateDictsRoundTrip) {
  for_each_class([](auto& c) {
    nn::ModuleRef from = ready(c), to = ready(c);
    for (int base : {0, 1}) {
      nn::LoadResult r = to->load_state_dict(from->state_dict(base), {.base = base});
      EXPECT_TRUE(r.missing.empty() && r.unexpected.empty());
      EXPECT_EQ(differ(to->state_dict(), from->state_dict()), "");
    }
    for (auto& e : from->state_dict()) {
      nn::StateDict less = from->state_dict();
      std::erase_if(less, [&](auto& other) { return other.name == e.name; });
      EXPECT_THROW(to->load_state_dict(less), Error) << "without " << e.name;
    }
  });
}

TEST(ModuleRules, FilesGiveThemBack) {
  for_each_class([](auto& c) {
    nn::ModuleRef m = ready(c);
    m->eval();
    nn::ModuleRef back = io::to_module(io::to_item(*m));
    EXPECT_EQ(back->repr(), m->repr());
    EXPECT_FALSE(back->training());
    EXPECT_EQ(write_fields(settings(*back)), write_fields(settings(*m)));
    EXPECT_EQ(differ(back->state_dict(), m->state_dict()), "");
  });
}

TEST(ModuleRules, ClonesAreTheSameAndApart) {
  for_each_class([](auto& c) {
    nn::ModuleRef m = ready(c);
    m->eval();
    nn::ModuleRef copy = m->clone();
    EXPECT_EQ(copy->repr(), m->repr());
    EXPECT_FALSE(copy->training());
    EXPECT_EQ(write_fields(settings(*copy)), write_fields(settings(*m)));
    EXPECT_EQ(differ(copy->state_dict(), m->state_dict()), "");
    for (size_t i = 0; i < m->state_dict().size(); ++i)
      EXPECT_FALSE(copy->state_dict()[i].value.storage() == m->state_dict()[i].value.storage());
    Set all(change);
    copy->describe(all);
    EXPECT_EQ(write_fields(settings(*m)), write_fields(settings(*ready(c))));
  });
}

TEST(ModuleRules, MoveToADeviceAndADtype) {
  for_each_class([](auto& c) {
    nn::ModuleRef m = ready(c), moved = m->clone();
    moved->to({}, &device("meta"));
    moved->to(Dtype::f64);
    EXPECT_EQ(moved->repr(), m->repr());
    auto before = m->state_dict(), after = moved->state_dict();
    ASSERT_EQ(after.size(), before.size());
    for (size_t i = 0; i < after.size(); ++i) {
      SCOPED_TRACE(after[i].name);
      const Tensor &a = after[i].value, &b = before[i].value;
      EXPECT_EQ(a.device().name(), "meta");
      EXPECT_EQ(a.dtype(), is_floating(b.dtype()) ? Dtype::f64 : b.dtype());
      EXPECT_EQ(a.requires_grad(), b.requires_grad());
      EXPECT_TRUE(a.shape() == b.shape());
    }
  });
}

TEST(ModuleRules, SettingsSayWhereAndOfWhatDtype) {
  for_each_class([](auto& c) {
    auto list = settings(*c.make());
    auto has = [&](const char* name) {
      return std::any_of(list.begin(), list.end(), [&](auto& f) { return std::string_view(f.name) == name; });
    };
    nn::ModuleRef full = c.make();  // with what is made only if it is asked for
    give_modules(*full);
    Set flags([](const FieldInfo& info, Attr& value) {
      if (info.kind == AttrKind::boolean && !(info.as & as::required)) return value = true, true;
      return give(info, value);
    });
    full->describe(flags);
    full->build();
    const bool trained = !full->parameters().empty();
    EXPECT_EQ(has("device"), trained);
    EXPECT_EQ(has("dtype"), trained);
    if (!trained) return;
    nn::ModuleRef m = c.make();
    give_modules(*m);
    Set all([](const FieldInfo& info, Attr& value) {
      if (info.kind == AttrKind::device) return value = &device("meta"), true;
      if (info.kind == AttrKind::dtype) return value = Dtype::f64, true;
      return give(info, value);
    });
    m->describe(all);
    m->build();
    for (auto& p : m->parameters()) {
      EXPECT_EQ(p.device().name(), "meta");
      EXPECT_EQ(p.dtype(), Dtype::f64);
    }
  });
}

// A lazy class takes its shapes from the state dict of the other one, and is that one from then on.
TEST(ModuleRules, LazyOnesBecomeTheOthers) {
  for_each_class([](auto& c) {
    nn::ModuleRef lazy = ready(c);
    EXPECT_EQ(lazy->lazy(), c.name.starts_with("Lazy"));
    if (!lazy->lazy()) return;
    const nn::ModuleClass* other = nn::find_module_class(c.name.substr(4));
    ASSERT_TRUE(other);
    nn::ModuleRef m = other->make(), copy = lazy->clone();
    auto defaults = settings(*lazy);  // which may be others than those of the plain class
    Set same([&](const FieldInfo& info, Attr& value) {
      for (auto& f : defaults)
        if (std::string_view(f.name) == info.name) return value = f.value, true;
      return give(info, value);
    });
    m->describe(same);
    m->build();
    EXPECT_TRUE(copy->lazy());
    EXPECT_EQ(copy->repr(), lazy->repr());
    lazy->load_state_dict(m->state_dict());
    EXPECT_FALSE(lazy->lazy());
    EXPECT_EQ(lazy->repr(), m->repr());
    EXPECT_EQ(differ(lazy->state_dict(), m->state_dict()), "");
    EXPECT_EQ(write_fields(settings(*lazy)), write_fields(settings(*m)));
    EXPECT_TRUE(copy->lazy());
  });
}

TEST(ModuleRules, CallsWithoutInputsAreRefusedByName) {
  for_each_class([](auto& c) {
    if (ready(c)->positional()) return;  // an empty container calls nothing
    try {
      ready(c)->call({});
      ADD_FAILURE() << "no error";
    } catch (const Error& e) { EXPECT_NE(std::string(e.what()).find(c.name), std::string::npos) << e.what(); }
  });
}

}  // namespace
}  // namespace luth::test
