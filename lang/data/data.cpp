// The table `data`: datasets of C++ and of Lua.
#include "lang/data/data.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/paths.h"
#include "core/data/mnist.h"
#include "core/dispatch/generator.h"
#include "core/ops/shape/view.h"
#include "lang/data/samples.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using data::DatasetRef;

// A dataset written in Lua: anything with a length and a method get. The userdata of each dataset or loader made of it
// keeps the object (lang/runtime/ref.h).
class LuaDataset final : public data::Dataset {
 public:
  LuaDataset(lua_State* L, int index) : object_(L, index) { base = 1; }
  std::string name() const override { return "the dataset"; }
  bool any_thread() const override { return false; }

  int64_t size() const override {
    lua_State* L = object_.running();
    object_.push(L);
    int64_t n = luaL_len(L, -1);
    lua_pop(L, 1);
    if (n < 0) throw Error("the dataset says that its length is {}", n);
    return n;
  }
  data::Sample get(int64_t i, const data::Epoch&) override {
    lua_State* L = object_.running();
    luaL_checkstack(L, 8, nullptr);
    int top = lua_gettop(L);
    object_.push(L);
    lua_getfield(L, -1, "get");
    lua_insert(L, -2);
    lua_pushinteger(L, i + 1);
    if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) {
      std::string text = luaL_tolstring(L, -1, nullptr);
      lua_settop(L, top);
      throw Error(error_code(L, text), "{}", text);
    }
    data::Sample s = sample_from_stack(L, top + 1);
    lua_settop(L, top);
    return s;
  }

 private:
  WeakRef object_;
};

bool has_get(lua_State* L, int index) {
  if (!lua_istable(L, index) && !lua_isuserdata(L, index)) return false;
  bool has = lua_getfield(L, index, "get") != LUA_TNIL;
  lua_pop(L, 1);
  if (has && luaL_getmetafield(L, index, "__len") != LUA_TNIL) return lua_pop(L, 1), true;
  return has && lua_istable(L, index) && lua_rawlen(L, index) > 0;
}

const DatasetRef& self(lua_State* L) {
  if (auto* d = to_box<DatasetRef>(L, 1); d && *d) return *d;
  refuse_self(L, "a dataset");
}
// ---- methods ----

int length(lua_State* L) { return lua_pushinteger(L, self(L)->size()), 1; }
int get(lua_State* L) {
  const DatasetRef& d = self(L);
  int64_t i = check_integer(L, 2);
  if (i < 1 || i > d->size())
    throw Error("get: sample {} is out of range; {} has samples 1 to {}", i, d->name(), d->size());
  return push_sample(L, d->get(i - 1, {default_generator(host()).seed(), 0}));
}
int to_text(lua_State* L) {
  const DatasetRef& d = self(L);
  lua_pushstring(L, fmt::format("{} of {} sample{}", d->name(), d->size(), d->size() == 1 ? "" : "s").c_str());
  return 1;
}

int classes(lua_State* L) {
  return push_items(L, self(L)->classes(),
                    [&](const std::string& name) { lua_pushlstring(L, name.data(), name.size()); });
}
int test_part(lua_State* L) {
  DatasetRef part = self(L)->test_part();
  if (!part) return lua_pushnil(L), 1;
  return push_dataset(L, std::move(part));
}

int of_files(lua_State* L) {
  std::vector<std::string> paths;
  luaL_checktype(L, 2, LUA_TTABLE);
  each_element(L, 2, [&](int at, lua_Integer) { paths.emplace_back(luaL_checkstring(L, at)); });
  DatasetRef files = self(L)->of_files(paths);
  if (!files) return lua_pushnil(L), 1;
  return push_dataset(L, std::move(files), 1);
}

// ---- constructors ----

int tensor_dataset(lua_State* L) {
  Tensors list;
  for (int i = 1; i <= lua_gettop(L); ++i) list.push_back(check_tensor(L, i, "TensorDataset: expects"));
  return push_dataset(L, DatasetRef(new data::TensorDataset(std::move(list))));
}

int subset(lua_State* L) {
  DatasetRef whole = check_dataset(L, 1, "Subset:");
  whole->base = 1;
  return push_dataset(L, DatasetRef(new data::Subset(whole, check_positions(L, 2, "Subset: expects"))), 1);
}
int concat(lua_State* L) {
  std::vector<DatasetRef> parts;
  if (!lua_istable(L, 1)) throw Error("ConcatDataset: expects a list of datasets, got {}", given_text(L, 1));
  lua_settop(L, 1);
  lua_newtable(L);  // a copy of the list, which the script may change
  for (lua_Integer k = 1, n = luaL_len(L, 1); k <= n; ++k) {
    lua_geti(L, 1, k);
    parts.push_back(check_dataset(L, 3, "ConcatDataset:"));
    lua_rawseti(L, 2, k);
  }
  return push_dataset(L, DatasetRef(new data::ConcatDataset(std::move(parts))), 2);
}
int split_randomly(lua_State* L) {
  DatasetRef whole = check_dataset(L, 1, "random_split:");
  if (!lua_istable(L, 2)) throw Error("random_split: expects a list of sizes, got {}", given_text(L, 2));
  std::vector<double> sizes;
  each_element(L, 2, [&](int, lua_Integer) { sizes.push_back(luaL_checknumber(L, -1)); });
  NamedArguments options(L, 3, "random_split");
  int64_t seed = options.integer("seed", default_generator(host()).seed());
  options.done();
  auto parts = data::random_split(whole, sizes, seed);
  for (auto& p : parts) push_dataset(L, p, 1);
  return int(parts.size());
}

int mnist(lua_State* L) {
  NamedArguments options(L, 1, "data.mnist");
  data::MnistSpec spec;
  if (int i = options.get("root")) {
    if (lua_type(L, i) != LUA_TSTRING) throw Error("data.mnist: root expects a folder, got {}", given_text(L, i));
    spec.root = lua_tostring(L, i);
  }
  spec.train = options.flag("train", true);
  options.done();
  spec.root = find_data(spec.root);
  return push_dataset_of_tensors(L, [&] { return data::mnist(spec); });
}

constexpr Row functions[] = {
    {"TensorDataset", guarded<tensor_dataset>, "data.TensorDataset(tensor, ...)",
     "Sample i is element i of each tensor."},
    {"Subset", guarded<subset>, "data.Subset(dataset, indices)", "Some samples of a dataset; indices count from 1."},
    {"ConcatDataset", guarded<concat>, "data.ConcatDataset{dataset, ...}", "Several datasets, one after the other."},
    {"random_split", guarded<split_randomly>, "data.random_split(dataset, sizes, {seed = nil})",
     "Splits a dataset at random into parts without common samples; returns them as several values. The sizes add up "
     "to the number of samples, or, as shares, to 1."},
};
constexpr Row methods[] = {
    {"get", guarded<get>, "dataset:get(i)", "The values of sample i, counted from 1."},
    {"of_files", guarded<of_files>, "dataset:of_files{path, ...}",
     "Other files as a dataset of inputs without targets, read and transformed as those of this one; nil where samples "
     "are no files."},
    {"classes", guarded<classes>, "dataset:classes()",
     "The names of the classes in the order of their labels, a table; an empty one where a dataset knows none."},
    {"test_part", guarded<test_part>, "dataset:test_part()", "The test data of a built-in dataset; nil for others."},
};

// data.class, in Lua: a class with init, len and get.
constexpr char class_source[] = R"lua(
return function(name)
  local class = {}
  class.__index = class
  class.__name = name
  class.__len = function(self)
    if not class.len then error('a dataset of the class ' .. name .. ' has no len(): function ' .. name .. ':len() return n end', 2) end
    return self:len()
  end
  class.__tostring = function(self)
    local ok, n = pcall(function() return self:len() end)
    return ok and math.type(n) == 'integer' and ('%s of %d sample%s'):format(name, n, n == 1 and '' or 's') or name .. (class.len and '' or ', a stream')
  end
  return setmetatable(class, {
    __tostring = function() return 'class ' .. name end,
    __call = function(_, ...)
      local self = setmetatable({}, class)
      if class.init then class.init(self, ...) end
      return self
    end,
    __name = 'data.class',
  })
end
)lua";

class ClassName final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    if (name != "class") return false;
    if (luaL_loadbuffer(L, class_source, sizeof class_source - 1, "=data.class") != LUA_OK) lua_error(L);
    lua_call(L, 0, 1);
    document(L, -1,
             "data.class(name)\n  A class of datasets: define init(…), len() and get(i), which returns the values of "
             "sample i: tensors, numbers, strings, tables.");
    return true;
  }
  std::vector<std::string> names() const override { return {"class"}; }
};

void open_data(lua_State* L) {
  lua_newtable(L);
  int table = lua_gettop(L);
  add_functions(L, table, functions);
  lua_pushcfunction(L, guarded<mnist>);
  document(L, -1,
           "data.mnist{root = 'data/mnist', train = true}\n  The MNIST dataset: images as float32[1, 28, 28] in [0, "
           "1], labels 1 to 10. root is searched in the current folder, then in the installation, then where `luth "
           "data get` "
           "puts data.");
  lua_setfield(L, table, "mnist");

  open_box<DatasetRef>(L, "data.Dataset");
  int meta = lua_gettop(L);
  lua_newtable(L);
  add_functions(L, lua_gettop(L), methods);
  add_image_methods(L, lua_gettop(L));
  add_table_methods(L, lua_gettop(L));
  add_text_methods(L, lua_gettop(L));
  lua_setfield(L, meta, "__index");
  lua_pushcfunction(L, guarded<length>);
  lua_setfield(L, meta, "__len");
  lua_pushcfunction(L, guarded<to_text>);
  lua_setfield(L, meta, "__tostring");
  lua_pushcfunction(L, destroy_box<DatasetRef>);
  lua_setfield(L, meta, "__gc");

  open_loader(L, table);
  open_images(L, table);
  open_tables(L, table);
  open_shards(L, table);
  open_arrays(L, table);
  open_text(L, table);
  open_tokenizers(L, table);
  static const ClassName class_name;
  add_late_names(L, table, class_name);
  lua_getglobal(L, "torch");
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, table);
  lua_setfield(L, -2, "data");
  lua_setfield(L, -2, "utils");
  lua_pushvalue(L, table);
  lua_setglobal(L, "data");
}
const Open opener("data", Open::modules, open_data);

}  // namespace

int push_dataset(lua_State* L, DatasetRef d, int source) {
  d->base = 1;
  push_box<DatasetRef>(L, std::move(d), source ? 1 : 0);
  if (source) lua_pushvalue(L, source), lua_setiuservalue(L, -2, 1);
  return 1;
}

int push_dataset_of_file(lua_State* L, DatasetRef d, int source) {
  push_dataset(L, std::move(d), source);
  note_object(L);
  return 1;
}

int push_dataset_of_tensors(lua_State* L, const std::function<DatasetRef()>& make, int source) {
  const int64_t before = host().memory().allocated;
  push_dataset(L, make(), source);
  note_object(L, size_t(std::max<int64_t>(0, host().memory().allocated - before)));
  return 1;
}

std::string data_home() {
  const char *given = std::getenv("XDG_DATA_HOME"), *home = std::getenv("HOME");
  if (given && *given == '/') return std::string(given) + "/luth";
  return home && *home ? std::string(home) + "/.local/share/luth" : "";
}

std::string find_data(const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute() || fs::exists(path)) return path;
  for (const fs::path& folder : {fs::path(share_dir()), fs::path(data_home())})
    if (!folder.empty() && fs::exists(folder / path)) return (folder / path).string();
  return path;
}

bool is_stream(lua_State* L, int index) {
  if (!lua_istable(L, index)) return false;
  const bool is = lua_getfield(L, index, "iter") == LUA_TFUNCTION;
  return lua_pop(L, 1), is;
}

bool is_dataset(lua_State* L, int index) { return to_box<DatasetRef>(L, index) || has_get(L, lua_absindex(L, index)); }

// A position counted from 0. The two least numbers become one, which is refused as all below 1 are.
static int64_t from_zero(int64_t position) { return std::max(position, INT64_MIN + 1) - 1; }

std::vector<int64_t> check_positions(lua_State* L, int index, const char* what) {
  std::vector<int64_t> out;
  if (const Tensor* t = to_tensor(L, index); t && *t) {
    for (int64_t i = 0; i < t->numel(); ++i)
      out.push_back(from_zero(select(reshape(*t, {Shape{t->numel()}}), {0, i}).item().integer()));
    return out;
  }
  if (!lua_istable(L, index)) throw Error("{} a list of positions, got {}", what, given_text(L, index));
  each_element(L, index, [&](int at, lua_Integer) { out.push_back(from_zero(check_integer(L, at))); });
  return out;
}

data::DatasetRef check_dataset(lua_State* L, int index, const char* what) {
  if (auto* d = to_box<DatasetRef>(L, index); d && *d) return *d;
  if (!has_get(L, index))
    throw Error("{} expects a dataset (with a length and get(i)), got {}", what, given_text(L, index));
  return DatasetRef(new LuaDataset(L, index));
}

}  // namespace luth::lang
