#include "lang/values/generator.h"

#include <cstring>
#include <memory>
#include <random>

#include "core/base/text.h"
#include "core/device/device.h"
#include "core/dispatch/generator.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

/// A generator of the script's own, or a device's default one.
struct GeneratorRef {
  std::shared_ptr<Generator> own;
  Generator* generator = nullptr;
  Device* device = nullptr;
};

// A finalizer may meet one that was collected before it.
const GeneratorRef& alive(const GeneratorRef& g) {
  if (!g.generator) throw Error("this torch.Generator has been collected");
  return g;
}
const GeneratorRef& self(lua_State* L) { return alive(lang::own<GeneratorRef>(L)); }
Generator& self_generator(lua_State* L) { return *self(L).generator; }

// ---- states: 16 bytes, seed and offset ----

void push_state(lua_State* L, const Generator& g) {
  const int64_t state[2] = {g.seed(), g.offset()};
  Tensor t = Tensor::empty({16}, Dtype::u8, host());
  std::memcpy(t.raw(), state, sizeof state);
  push_tensor(L, t);
}
void take_state(lua_State* L, int index, Generator& g, const std::string& set, const std::string& get) {
  const Tensor& t = check_tensor(L, index, (set + " expects").c_str());
  if (t.dtype() != Dtype::u8 || t.numel() != 16 || !t.is_contiguous() || !t.device().on_host())
    throw Error("{} expects what {} gave, got {}", set, get, given_text(L, index));
  int64_t state[2];
  std::memcpy(state, t.raw(), sizeof state);
  g.seed(state[0]);
  g.set_offset(state[1]);
}

// ---- methods ----

int64_t seed_by_chance() {
  std::random_device device;
  return int64_t((uint64_t(device()) << 32 | device()) >> 1);
}
int manual_seed_of(lua_State* L) {
  self_generator(L).seed(check_integer(L, 2));
  return lua_settop(L, 1), 1;
}
int seed_of(lua_State* L) {
  const int64_t s = seed_by_chance();
  self_generator(L).seed(s);
  return lua_pushinteger(L, s), 1;
}
int initial_seed_of(lua_State* L) { return lua_pushinteger(L, self_generator(L).seed()), 1; }
int get_state(lua_State* L) { return push_state(L, self_generator(L)), 1; }
int set_state(lua_State* L) {
  take_state(L, 2, self_generator(L), "set_state", "get_state");
  return lua_settop(L, 1), 1;
}
constexpr Row methods[] = {
    {"manual_seed", guarded<manual_seed_of>, "g:manual_seed(seed)", "Seeds the generator and returns g."},
    {"seed", guarded<seed_of>, "g:seed()", "Seeds the generator with a random seed, which it returns."},
    {"initial_seed", guarded<initial_seed_of>, "g:initial_seed()", "The seed of the generator."},
    {"get_state", guarded<get_state>, "g:get_state()", "The state of the generator, as a tensor."},
    {"set_state", guarded<set_state>, "g:set_state(state)",
     "Restores a state that get_state has returned, and returns g."},
};

// Upvalue: the methods.
int index_of(lua_State* L) {
  const GeneratorRef& g = self(L);
  const std::string key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "device") return push_device(L, *g.device), 1;
  if (push_method(L)) return 1;
  const std::vector<std::string> names{"device", "manual_seed", "seed", "initial_seed", "get_state", "set_state"};
  throw Error("a generator has no field '{}'{}", key, did_you_mean(key, names));
}
int text_of(lua_State* L) {
  const std::string text = "torch.Generator(device='" + self(L).device->name() + "')";
  return lua_pushlstring(L, text.data(), text.size()), 1;
}

// ---- functions ----

int make(lua_State* L) {
  Device* d = &host();
  if (is_named(L, 1)) {
    NamedArguments o(L, 1, "torch.Generator");
    if (int at = o.get("device")) d = &check_device(L, at);
    o.done();
  } else if (!lua_isnoneornil(L, 1)) {
    d = &check_device(L, 1);
  }
  auto g = std::make_shared<Generator>(Generator::default_seed, d);
  Generator* raw = g.get();
  push_box(L, GeneratorRef{std::move(g), raw, d});
  return 1;
}
int seed_all(lua_State* L) {
  const int64_t s = seed_by_chance();
  manual_seed(s);
  return lua_pushinteger(L, s), 1;
}
constexpr Row rows[] = {
    {"Generator", guarded<make>, "torch.Generator(device = 'cpu')",
     "A generator of random numbers, for the argument `generator` of operators. It has manual_seed, seed, "
     "initial_seed, get_state, set_state, device."},
    {"seed", guarded<seed_all>, "torch.seed()",
     "Seeds the random numbers of all devices with a random seed, which it returns."},
};

}  // namespace

Generator& check_generator(lua_State* L, int index) {
  if (GeneratorRef* g = to_box<GeneratorRef>(L, index)) return *alive(*g).generator;
  throw Error("expects a torch.Generator, got {}", given_text(L, index));
}

void push_rng_state(lua_State* L, Device& d) { push_state(L, default_generator(d)); }
void take_rng_state(lua_State* L, int index, Device& d, const char* table) {
  take_state(L, index, default_generator(d), fmt::format("{}.set_rng_state", table),
             fmt::format("{}.get_rng_state", table));
}

void open_generator(lua_State* L, int torch) {
  open_box<GeneratorRef>(L, "torch.Generator");
  finish_class(L, methods, guarded<index_of>, {{"__gc", destroy_box<GeneratorRef>}, {"__tostring", guarded<text_of>}});
  add_functions(L, torch, rows);
}

void push_default_generator(lua_State* L) { push_box(L, GeneratorRef{nullptr, &default_generator(host()), &host()}); }

}  // namespace luth::lang
