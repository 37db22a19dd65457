// data.DataLoader. `for x, y in loader do` starts a pass of its own: the loop's control value, the first tensor of the
// batch before, tells to which pass a call belongs, so loops may nest and may be left early.
#include <fmt/format.h>

#include "core/base/text.h"
#include "lang/data/data.h"
#include "lang/data/samples.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

struct LuaLoader : Counted {
  LuaLoader(data::DatasetRef d, data::LoaderSpec s) : loader(std::move(d), s) {}
  data::Loader loader;
  int64_t position = 0;                                          // of the pass that was asked last
  bool collate = false, sampler = false, batch_sampler = false;  // which of them there are
};
// Its user values: the Lua values that it needs. `passes` has the passes that loops are in, by control value.
enum Needs : int { needs_dataset = 1, needs_collate, needs_sampler, needs_passes };
using LoaderRef = Ref<LuaLoader>;
using PassRef = Ref<data::Pass>;

LuaLoader& self(lua_State* L, int index = 1) {
  auto* l = to_box<LoaderRef>(L, index);
  if (!l || !*l) throw Error("expects a DataLoader, got {} (a method takes a colon)", given_text(L, index));
  return **l;
}

// Reads settings by name from the trailing table.
class ReadSettings : public Fields {
 public:
  ReadSettings(lua_State* L, NamedArguments& options) : L_(L), options_(options) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    int i = options_.get(info.name);
    if (!i) return false;
    try {
      value = read_attr(L_, i, info);
    } catch (const Error& e) { throw Error("DataLoader: argument '{}' {}", info.name, e.what()); }
    return true;
  }

 private:
  lua_State* L_;
  NamedArguments& options_;
};

// Pushes the value of that name, or nil; false for the latter.
bool take(lua_State* L, NamedArguments& options, const char* name) {
  if (options.get(name)) return true;
  return lua_pushnil(L), false;
}

// A loader of a dataset with iter(), which is Lua's (share/luth/data/streams.lua).
int make_stream_loader(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.data.streams");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "loader");
  lua_insert(L, 1);
  lua_pop(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

int make_loader(lua_State* L) {
  if (is_stream(L, 1)) return make_stream_loader(L);
  data::DatasetRef dataset = check_dataset(L, 1, "DataLoader:");
  dataset->base = 1;
  NamedArguments options(L, 2, "DataLoader");
  data::LoaderSpec spec;
  ReadSettings read(L, options);
  spec.describe(read);
  LoaderRef l(new LuaLoader(dataset, spec));
  int first = lua_gettop(L) + 1;
  lua_pushvalue(L, 1);
  l->collate = take(L, options, "collate_fn");
  l->sampler = take(L, options, "sampler");
  l->batch_sampler = take(L, options, "batch_sampler");
  options.done();
  if (l->sampler && spec.shuffle) throw Error("DataLoader: sampler and shuffle = true exclude each other");
  if (l->batch_sampler && (l->sampler || spec.shuffle || spec.drop_last || spec.batch_size != 1))
    throw Error("DataLoader: batch_sampler decides alone; drop batch_size, shuffle, sampler and drop_last");
  lua_remove(L, l->sampler ? -1 : -2);  // one of them at most
  push_weak(L, "k");
  push_box<LoaderRef>(L, std::move(l), needs_passes);
  for (int i = needs_dataset; i <= needs_passes; ++i) {
    lua_pushvalue(L, first + i - 1);
    lua_setiuservalue(L, -2, i);
  }
  return 1;
}

// Those on top of the stack.
std::vector<int64_t> positions(lua_State* L) {
  return check_positions(L, lua_gettop(L), "DataLoader: of a sampler expects");
}
// The loader is at 1, here and below.
std::optional<data::Batches> given_batches(lua_State* L, LuaLoader& l) {
  if (!l.sampler && !l.batch_sampler) return {};
  data::Batches out;
  lua_getiuservalue(L, 1, needs_sampler);
  const bool callable = luaL_getmetafield(L, -1, "__call") != LUA_TNIL;
  if (callable) lua_pop(L, 1);
  if (callable || lua_isfunction(L, -1)) lua_call(L, 0, 1);
  if (l.sampler) {
    std::vector<int64_t> all = positions(L);
    int64_t size = l.loader.spec().batch_size;
    for (auto at = all.begin(); at != all.end();) {
      auto end = at + std::min(size, all.end() - at);
      if (end - at == size || !l.loader.spec().drop_last) out.emplace_back(at, end);
      at = end;
    }
  } else {
    each_element(L, -1, [&](int, lua_Integer) { out.push_back(positions(L)); });
  }
  lua_pop(L, 1);
  return out;
}

PassRef start(lua_State* L, LuaLoader& l, int64_t from) {
  auto given = given_batches(L, l);
  return l.loader.start(from, !l.collate, given ? &*given : nullptr);
}

// That of luth, for samples which are no mere tensors and numbers.
void push_default_collate(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.data.collate");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "default_collate");
  lua_remove(L, -2);
}

// Pushes the values of the next batch of the loader at `index`; 0 at the end.
int push_next(lua_State* L, int index, data::Pass& pass) {
  LuaLoader& l = self(L, index);
  auto batch = pass.next();
  l.position = pass.position();
  if (!batch) return 0;
  if (batch->samples.empty()) {
    luaL_checkstack(L, int(batch->tensors.size()) + 4, nullptr);
    for (auto& t : batch->tensors) push_tensor(L, t);
    return int(batch->tensors.size());
  }
  int top = lua_gettop(L);
  l.collate ? void(lua_getiuservalue(L, index, needs_collate)) : push_default_collate(L);
  push_items(L, batch->samples, [&](auto& sample) {
    lua_newtable(L);
    for (int k = push_sample(L, sample); k >= 1; --k) lua_rawseti(L, -1 - k, k);
  });
  if (lua_pcall(L, 1, LUA_MULTRET, 0) != LUA_OK) {
    std::string text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (text.empty() || interrupted()) return lua_error(L);
    throw Error(error_code(L, text), "{}: collate_fn: {}", pass.where(), text);
  }
  int n = lua_gettop(L) - top;
  if (n == 0 || lua_isnil(L, top + 1)) throw Error("{}: collate_fn returned nothing", pass.where());
  return n;
}

// loader(state, control): one step of a generic for.
int step(lua_State* L) {
  LuaLoader& l = self(L);
  lua_settop(L, 3);
  lua_getiuservalue(L, 1, needs_passes);
  PassRef pass;
  if (lua_isnil(L, 3)) {
    pass = start(L, l, 0);
  } else {
    lua_pushvalue(L, 3);
    lua_rawget(L, 4);
    auto* kept = to_box<PassRef>(L, -1);
    if (!kept || !*kept) throw Error("this loop over a DataLoader is over; start another one");
    pass = *kept;
    lua_pop(L, 1);
    lua_pushvalue(L, 3);
    lua_pushnil(L);
    lua_rawset(L, 4);
  }
  int n = push_next(L, 1, *pass);
  if (n == 0) return 0;
  if (!lua_istable(L, 5) && !lua_isuserdata(L, 5))  // two passes could not be told apart
    throw Error(
        "collate_fn: a loop needs a tensor or a table as first value, got {}; `for v in loader:batches() do` takes any",
        given_text(L, 5));
  lua_pushvalue(L, 5);
  push_box<PassRef>(L, pass);
  lua_rawset(L, 4);
  return n;
}

int next_of_pass(lua_State* L) {
  const PassRef pass = *to_box<PassRef>(L, lua_upvalueindex(1));
  return pass ? push_next(L, lua_upvalueindex(2), *pass) : 0;
}
// loader:batches(from): an iterator over one pass, from a batch counted from 0. The pass ends with the loop.
int batches(lua_State* L) {
  LuaLoader& l = self(L);
  int64_t from = lua_isnoneornil(L, 2) ? 0 : check_integer(L, 2);
  if (from < 0) throw Error("batches: expects a number of batches to leave out, got {}", from);
  push_box<PassRef>(L, start(L, l, from));
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, guarded<next_of_pass>, 2);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_getupvalue(L, -3, 1);
  return 4;
}

int length(lua_State* L) {
  LuaLoader& l = self(L);
  int64_t n = l.loader.batches();
  if (auto given = given_batches(L, l)) n = int64_t(given->size());
  return lua_pushinteger(L, n), 1;
}
int left_out(lua_State* L) {
  push_items(L, self(L).loader.skipped().reasons(), [&](auto& why) { lua_pushlstring(L, why.data(), why.size()); });
  return 1;
}
int set_epoch(lua_State* L) {
  int64_t epoch = check_integer(L, 2);
  if (epoch < 0) throw Error("set_epoch: epochs count from 0, got {}", epoch);
  return self(L).loader.set_epoch(epoch), 0;
}

constexpr Row methods[] = {
    {"batches", guarded<batches>, "loader:batches(from)",
     "An iterator over one epoch without its first `from` batches, and what `for` closes: when the loop ends, in "
     "whatever "
     "way, so does the reading ahead."},
    {"left_out", guarded<left_out>, "loader:left_out()",
     "With on_error = 'skip', why samples could not be read, 'sample 3 of D: ...', of the first 1,000 that were left "
     "out."},
    {"set_epoch", guarded<set_epoch>, "loader:set_epoch(epoch)",
     "Sets the epoch, counted from 0, of the next iteration. Order and augmentation depend on (seed, epoch)."},
};
constexpr Row functions[] = {
    {"DataLoader", guarded<make_loader>,
     "data.DataLoader(dataset, {batch_size = 1, shuffle = false, sampler, batch_sampler, num_workers = 0, collate_fn, "
     "drop_last = "
     "false, prefetch_factor = 2, pin_memory = false, on_error = 'stop', seed, num_replicas = 1, rank = 0})",
     "Batches of a dataset: for x, y in loader do ... end. num_workers threads load them in advance. on_error = 'skip' "
     "leaves out samples that cannot be read, and batches of which none can; loader.skipped counts the samples, and "
     "loader.position the batches of the pass so far, loader.on_workers whether threads load them. With num_replicas, "
     "rank r of N (from 0) gets samples r + 1, r + 1 + N, ... of each batch; a batch of fewer than 2 N is whole on "
     "all. The order depends on seed and epoch alone, not on what torch's generator has drawn since: a run that is "
     "resumed calls loader:set_epoch(epochs that are done)."},
};

// Fields dataset, batch_size, epoch, …; else methods.
int index(lua_State* L) {
  LuaLoader& l = self(L);
  if (push_method(L)) return 1;
  std::string key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "dataset") return lua_getiuservalue(L, 1, needs_dataset), 1;
  if (key == "epoch") return lua_pushinteger(L, l.loader.epoch()), 1;
  if (key == "skipped") return lua_pushinteger(L, l.loader.skipped().count()), 1;
  if (key == "position") return lua_pushinteger(L, l.position), 1;
  if (key == "on_workers") return lua_pushboolean(L, l.loader.on_workers()), 1;
  if (key == "seed") return lua_pushinteger(L, l.loader.seed()), 1;
  FieldList list;
  data::LoaderSpec spec = l.loader.spec();
  spec.describe(list);
  std::vector<std::string> names{"dataset",    "epoch",   "skipped",   "position",
                                 "on_workers", "batches", "set_epoch", "left_out"};
  for (auto& f : list.items) {
    if (key == f.name) return push_attr(L, f.value), 1;
    names.push_back(f.name);
  }
  throw Error("a DataLoader has no field '{}'{}", key, did_you_mean(key, names));
}

// "DataLoader, batches of 4: D of 10 samples"
int to_text(lua_State* L) {
  const int64_t size = self(L).loader.spec().batch_size;
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, needs_dataset);
  const std::string dataset = luaL_tolstring(L, -1, nullptr);
  lua_pushstring(L, fmt::format("DataLoader, batches of {}: {}", size, dataset).c_str());
  return 1;
}

}  // namespace

void open_loader(lua_State* L, int data) {
  add_functions(L, data, functions);
  open_box<PassRef>(L, "data.Pass");
  for (const char* event : {"__gc", "__close"}) {
    lua_pushcfunction(L, destroy_box<PassRef>);
    lua_setfield(L, -2, event);
  }
  open_box<LoaderRef>(L, "data.DataLoader");
  finish_class(L, methods, guarded<index>,
               {{"__gc", destroy_box<LoaderRef>},
                {"__len", guarded<length>},
                {"__tostring", guarded<to_text>},
                {"__call", guarded<step>}});
}

}  // namespace luth::lang
