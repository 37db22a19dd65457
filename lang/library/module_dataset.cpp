// data.from_module: a dataset written in Lua whose samples are read on workers, each with an interpreter of its own.
#include <memory>
#include <mutex>

#include "core/autograd/autograd.h"
#include "core/dispatch/generator.h"
#include "core/io/json.h"
#include "core/math/philox.h"
#include "lang/collector/pressure.h"
#include "lang/data/data.h"
#include "lang/data/samples.h"
#include "lang/library/lua_tree.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

void push_decoded(lua_State* L, const std::string& text) { push_item(L, io::from_json(text)); }

// A table of another interpreter, as plain values and tensors.
class TreeValue final : public LanguageValue {
 public:
  explicit TreeValue(io::Item item) : item_(std::move(item)) {}
  void push(lua_State* L) const override { push_item(L, item_); }

 private:
  const io::Item item_;
};

bool has_call(lua_State* L, int index) {
  if (luaL_getmetafield(L, index, "__call") == LUA_TNIL) return false;
  return lua_pop(L, 1), true;
}

// What makes the dataset in each interpreter.
struct Source {
  std::string module, path, cpath;  // package.path and package.cpath
  io::List arguments;
};

// An interpreter with the dataset. It is used by one thread at a time.
class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {
    forget_pressure(interp_.state());  // other threads use it than the one that makes it
    run<open>();
  }

  int64_t size() {
    run<measure>();
    return size_;
  }
  data::Sample get(int64_t i, const data::Epoch& epoch) {
    const uint64_t seed = philox_u64(epoch.seed, epoch.number << 40, i);
    random_.seed(int64_t(seed));
    UseGenerator use(random_);
    wanted_ = i + 1, seed_ = seed;
    run<read>();
    return std::exchange(sample_, {});
  }

 private:
  // Calls F(L, reader) within the interpreter; its errors become luth's.
  template <void (*F)(lua_State*, Reader&)>
  void run() {
    lua_State* L = interp_.state();
    const RunningScope running(L);
    lua_settop(L, 0);
    lua_pushcfunction(L, guarded<(call<F>)>);
    lua_pushlightuserdata(L, this);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
    const char* text = lua_tostring(L, -1);
    throw Error(error_code(L, text ? text : ""), "{}", text ? text : "an error that is no text");
  }
  template <void (*F)(lua_State*, Reader&)>
  static int call(lua_State* L) {
    F(L, *static_cast<Reader*>(lua_touserdata(L, 1)));
    return 0;
  }

  static void open(lua_State* L, Reader& r) {
    lua_getglobal(L, "package");
    lua_pushlstring(L, r.source_.path.data(), r.source_.path.size());
    lua_setfield(L, -2, "path");
    lua_pushlstring(L, r.source_.cpath.data(), r.source_.cpath.size());
    lua_setfield(L, -2, "cpath");
    lua_getglobal(L, "require");
    lua_pushlstring(L, r.source_.module.data(), r.source_.module.size());
    lua_call(L, 1, 1);
    const bool makes = lua_isfunction(L, -1) || has_call(L, -1);
    if (!makes && !is_dataset(L, -1))
      throw Error(
          "data.from_module: the module '{}' returned {}; it must return a function or class that makes a dataset",
          r.source_.module, given_text(L, lua_gettop(L)));
    if (makes) {
      for (auto& item : r.source_.arguments) push_item(L, item);
      lua_call(L, int(r.source_.arguments.size()), 1);
    }
    if (!is_dataset(L, -1))
      throw Error("data.from_module: '{}' made {}; a dataset has a length and get(i)", r.source_.module,
                  given_text(L, lua_gettop(L)));
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &seed_key);
  }
  static void measure(lua_State* L, Reader& r) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    r.size_ = luaL_len(L, -1);
    if (r.size_ < 0) throw Error("the dataset says that its length is {}", r.size_);
  }
  static void read(lua_State* L, Reader& r) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &seed_key);
    lua_pushinteger(L, lua_Integer(r.seed_));
    lua_call(L, 1, 0);
    const int top = lua_gettop(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    lua_getfield(L, -1, "get");
    lua_insert(L, -2);
    lua_pushinteger(L, r.wanted_);
    lua_call(L, 2, LUA_MULTRET);
    const data::Sample own = sample_from_stack(L, top + 1);
    for (size_t k = 0; k < own.size(); ++k) {
      if (!dynamic_cast<const LanguageValue*>(own.other(k)))
        own.other(k) ? r.sample_.push_other(own.others[k]) : r.sample_.push_back(own[k]);
      else
        r.sample_.push_other(data::OtherRef(new TreeValue(to_item(L, top + 1 + int(k)))));
    }
  }

  static inline char key, seed_key;  // of the registry
  const Source& source_;
  Interp interp_;
  Generator random_;
  int64_t size_ = 0, wanted_ = 0;
  uint64_t seed_ = 0;
  data::Sample sample_;
};

class ModuleDataset final : public data::Dataset {
 public:
  explicit ModuleDataset(Source source) : source_(std::move(source)) {
    auto reader = std::make_unique<Reader>(source_);
    size_ = reader->size();
    idle_.push_back(std::move(reader));
  }
  std::string name() const override { return source_.module; }
  int64_t size() const override { return size_; }
  data::Sample get(int64_t i, const data::Epoch& epoch) override {
    std::unique_ptr<Reader> reader = take();
    data::Sample s = reader->get(i, epoch);  // one that failed is not used again
    std::lock_guard hold(lock_);
    idle_.push_back(std::move(reader));
    return s;
  }

 private:
  std::unique_ptr<Reader> take() {
    {
      std::lock_guard hold(lock_);
      if (!idle_.empty()) {
        auto reader = std::move(idle_.back());
        idle_.pop_back();
        return reader;
      }
    }
    return std::make_unique<Reader>(source_);
  }
  const Source source_;
  int64_t size_;
  std::mutex lock_;
  std::vector<std::unique_ptr<Reader>> idle_;
};

std::string package_field(lua_State* L, const char* name) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, name);
  const std::string text = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 2);
  return text;
}

int from_module(lua_State* L) {
  Source source{luaL_checkstring(L, 1), package_field(L, "path"), package_field(L, "cpath"), {}};
  for (int i = 2; i <= lua_gettop(L); ++i) source.arguments.push_back(to_item(L, i));
  return push_dataset(L, data::DatasetRef(new ModuleDataset(std::move(source))));
}
constexpr Row rows[] = {
    {"from_module", guarded<from_module>, "data.from_module(module, ...)",
     "A dataset of Lua that is read on workers, each of which requires the module in an interpreter of its own. The "
     "module returns a class of data.class, or a function; the further arguments, plain values and tensors, make the "
     "dataset of it. torch's and Lua's random numbers within get depend on (seed, epoch, sample) alone."},
};

void open_module_dataset(lua_State* L) {
  push_json = push_decoded;
  lua_getglobal(L, "data");
  add_functions(L, lua_gettop(L), rows);
}
const Open opener("data.from_module", Open::modules + 1, open_module_dataset);

}  // namespace
}  // namespace luth::lang
