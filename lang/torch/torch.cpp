// Functions of `torch` that are no operators: defaults, dtypes' limits, random state, threads, memory, devices.
#include "lang/torch/torch.h"

#include <cfloat>
#include <cmath>
#include <cstring>

#include "core/autograd/autograd.h"
#include "core/base/threads.h"
#include "core/dispatch/generator.h"
#include "core/tensor/print.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/generator.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

int is_tensor(lua_State* L) { return lua_pushboolean(L, to_tensor(L, 1) != nullptr), 1; }

// ---- dtypes ----

int get_default_dtype(lua_State* L) { return push_dtype(L, default_dtype()), 1; }
int set_default(lua_State* L) { return set_default_dtype(check_dtype(L, 1)), 0; }
int promote_types(lua_State* L) { return push_dtype(L, promote(check_dtype(L, 1), check_dtype(L, 2))), 1; }

Value operand(lua_State* L, int i) {
  if (Value v = to_value(L, i)) return v;
  throw Error("torch.result_type: argument {} expects a tensor or a number, got {}", i, given_text(L, i));
}
int type_of_result(lua_State* L) { return push_dtype(L, result_type({operand(L, 1), operand(L, 2)})), 1; }
int broadcast_shapes(lua_State* L) {
  Shape s;
  for (int i = 1, n = lua_gettop(L); i <= n; ++i) s = broadcast(s, check_ints(L, i));
  return push_size(L, s), 1;
}
int can_cast(lua_State* L) {
  auto rank = [](Dtype d) { return d == Dtype::boolean ? 0 : is_floating(d) ? 2 : 1; };
  return lua_pushboolean(L, rank(check_dtype(L, 1)) <= rank(check_dtype(L, 2))), 1;
}

void set_number(lua_State* L, const char* name, double v) {
  lua_pushnumber(L, v);
  lua_setfield(L, -2, name);
}
void set_integer(lua_State* L, const char* name, int64_t v) {
  lua_pushinteger(L, v);
  lua_setfield(L, -2, name);
}
int finfo(lua_State* L) {
  Dtype d = lua_isnoneornil(L, 1) ? default_dtype() : check_dtype(L, 1);
  struct Limits {
    double eps, max, tiny;
  };
  Limits v;
  switch (d) {
    case Dtype::f64: v = {DBL_EPSILON, DBL_MAX, DBL_MIN}; break;
    case Dtype::f32: v = {FLT_EPSILON, FLT_MAX, FLT_MIN}; break;
    case Dtype::f16: v = {0x1p-10, 65504, 0x1p-14}; break;
    case Dtype::bf16: v = {0x1p-7, 0x1.fep127, 0x1p-126}; break;
    default: throw Error("torch.finfo expects a floating point dtype, got {}; torch.iinfo is for integers", name(d));
  }
  lua_newtable(L);
  set_number(L, "eps", v.eps);
  set_number(L, "max", v.max);
  set_number(L, "min", -v.max);
  set_number(L, "tiny", v.tiny);
  set_number(L, "smallest_normal", v.tiny);
  set_number(L, "resolution", d == Dtype::f64 ? 1e-15 : d == Dtype::f32 ? 1e-6 : d == Dtype::f16 ? 1e-3 : 1e-2);
  set_integer(L, "bits", int64_t(size_of(d)) * 8);
  return 1;
}
int iinfo(lua_State* L) {
  Dtype d = check_dtype(L, 1);
  if (!is_integral(d)) throw Error("torch.iinfo expects an integer dtype, got {}; torch.finfo is for floats", name(d));
  lua_newtable(L);
  dispatch(Integers{}, d, [&]<class T>(Type<T>) {
    set_integer(L, "min", std::numeric_limits<T>::min());
    set_integer(L, "max", std::numeric_limits<T>::max());
  });
  set_integer(L, "bits", int64_t(size_of(d)) * 8);
  return 1;
}

// ---- random state ----

int seed(lua_State* L) {
  int64_t s = check_integer(L, 1);
  manual_seed(s);
  return 0;
}
int initial_seed(lua_State* L) { return lua_pushinteger(L, default_generator(host()).seed()), 1; }
Device& generator_device(lua_State* L, int index) {
  return lua_isnoneornil(L, index) ? host() : check_device(L, index);
}
int get_rng_state(lua_State* L) { return push_rng_state(L, generator_device(L, 1)), 1; }
int set_rng_state(lua_State* L) { return take_rng_state(L, 1, generator_device(L, 2), "torch"), 0; }

// ---- threads, devices, memory ----

int get_threads(lua_State* L) { return lua_pushinteger(L, num_threads()), 1; }
int set_threads(lua_State* L) {
  int64_t n = check_integer(L, 1);
  if (n < 1 || n > 4096) throw Error("torch.set_num_threads expects 1 or more, and 4096 at most, got {}", n);
  return set_num_threads(int(n)), 0;
}
int get_default_device(lua_State* L) { return push_device(L, default_device()), 1; }
int set_device(lua_State* L) {
  set_default_device(lua_isnil(L, 1) ? host() : check_device(L, 1));  // nil: as at start
  return 0;
}

int memory_stats(lua_State* L) {
  MemoryStats s = (lua_isnoneornil(L, 1) ? default_device() : check_device(L, 1)).memory();
  lua_newtable(L);
  set_integer(L, "allocated", s.allocated);
  set_integer(L, "peak", s.peak);
  set_integer(L, "reserved", s.reserved);
  set_integer(L, "allocations", s.allocations);
  return 1;
}
int reset_peak(lua_State* L) { return (lua_isnoneornil(L, 1) ? default_device() : check_device(L, 1)).reset_peak(), 0; }
int empty_cache(lua_State* L) {
  return (lua_isnoneornil(L, 1) ? default_device() : check_device(L, 1)).empty_cache(), 0;
}

// ---- printing and types ----

int64_t print_limit(NamedArguments& o, const char* name, int64_t now, int64_t least, int64_t most) {
  const int64_t n = o.integer(name, now);
  if (n < least || n > most) throw Error("torch.set_printoptions: {} is from {} to {}, got {}", name, least, most, n);
  return n;
}

int set_printoptions(lua_State* L) {
  NamedArguments o(L, 1, "torch.set_printoptions");
  PrintOptions p = print_options();
  if (int i = o.get("profile")) {
    std::string profile = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : "";
    if (profile == "default")
      p = {};
    else if (profile == "short")
      p = {.precision = 2, .threshold = 1000, .edgeitems = 2, .linewidth = 80};
    else if (profile == "full")
      p = {.precision = 4, .threshold = INT64_MAX, .edgeitems = 3, .linewidth = 80};
    else
      throw Error("torch.set_printoptions: profile is 'default', 'short' or 'full', got {}", given_text(L, i));
  }
  p.precision = int(print_limit(o, "precision", p.precision, 0, 100));
  p.threshold = print_limit(o, "threshold", p.threshold, 0, INT64_MAX);
  p.edgeitems = int(print_limit(o, "edgeitems", p.edgeitems, 0, INT32_MAX));
  p.linewidth = int(print_limit(o, "linewidth", p.linewidth, 1, INT32_MAX));
  if (int i = o.get("sci_mode")) {
    if (is_none(L, i))
      p.sci_mode.reset();
    else
      p.sci_mode = lua_toboolean(L, i);
  }
  o.done();
  set_print_options(p);
  return 0;
}

// 'torch.FloatTensor', 'nn.Linear', 'torch.Size'; nil for Lua's own values.
int type_name(lua_State* L) {
  if (to_tensor(L, 1)) {
    lua_settop(L, 1);
    lua_getfield(L, 1, "type");
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  if (luaL_getmetafield(L, 1, "__typeof") != LUA_TNIL) {  // of objects whose class may change
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  for (const char* field : {"__typename", "__name"})
    if (luaL_getmetafield(L, 1, field) == LUA_TSTRING) return 1;
  return lua_pushnil(L), 1;
}

// A class is torch.Tensor, nn.Parameter, torch.Size, or one for which an object's metafield __isinstance(object, class)
// is true.
int isinstance(lua_State* L) {
  luaL_checkany(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushcfunction(L, type_name);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return lua_pushboolean(L, lua_rawequal(L, -1, 2)), 1;
  }
  const char* own = to_tensor(L, 1) ? "Tensor" : to_box<Shape>(L, 1) ? "Size" : nullptr;
  if (own) {
    lua_getglobal(L, "torch");
    lua_getfield(L, -1, own);
    bool is = lua_rawequal(L, -1, 2);
    if (const Tensor* t = to_tensor(L, 1); t && t->impl()->parameter) {
      lua_getfield(L, -2, "nn");
      lua_getfield(L, -1, "Parameter");
      is |= lua_rawequal(L, -1, 2) != 0;
    }
    return lua_pushboolean(L, is), 1;
  }
  if (luaL_getmetafield(L, 1, "__isinstance") == LUA_TNIL) return lua_pushboolean(L, false), 1;
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return lua_pushboolean(L, lua_toboolean(L, -1)), 1;
}

// From share/luth/torch/testing.lua, read when it is first asked for.
template <bool suite>
int testing(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "torch.testing");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, suite ? "TestSuite" : "Tester");
  lua_call(L, 0, 1);
  return 1;
}

// The function that share/luth/torch/assert_close.lua returns gives the message, or nil where the values are close.
int assert_close(lua_State* L) {
  const int n = lua_gettop(L);
  if (n < 2) throw Error("torch.testing.assert_close expects two values, actual and expected, and named arguments");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "torch.assert_close");
  lua_call(L, 1, 1);
  lua_insert(L, 1);
  lua_call(L, n, 1);
  if (!lua_isnil(L, -1)) throw Error("{}", luaL_tolstring(L, -1, nullptr));
  return 0;
}
constexpr Row testing_rows[] = {
    {"assert_close", guarded<assert_close>,
     "torch.testing.assert_close(actual, expected, {rtol = nil, atol = nil, equal_nan = false, check_device = true, "
     "check_dtype = true, check_stride = false, msg = nil})",
     "Raises an error unless tensors, numbers or tables of them are close: |actual - expected| <= atol + rtol * "
     "|expected|. The defaults depend on the dtype: rtol 1.3e-6 and atol 1e-5 for float32, 0 for integers. msg is a "
     "text, or a function of the message."},
};

constexpr Row rows[] = {
    {"TestSuite", guarded<testing<true>>, "torch.TestSuite()", "A table of tests that keeps their order."},
    {"Tester", guarded<testing<false>>, "torch.Tester()",
     "Runs tests: tester:add(suite):run(). Checks: assert, eq, ne, lt, le, gt, ge, close, assertError, fails, …"},
    {"is_tensor", guarded<is_tensor>, "torch.is_tensor(x)", "Whether x is a tensor."},
    {"get_default_dtype", guarded<get_default_dtype>, "torch.get_default_dtype()",
     "The dtype of tensors made from float numbers."},
    {"set_default_dtype", guarded<set_default>, "torch.set_default_dtype(dtype)",
     "Sets the dtype of tensors made from float numbers."},
    {"promote_types", guarded<promote_types>, "torch.promote_types(a, b)", "The smallest dtype that holds both."},
    {"result_type", guarded<type_of_result>, "torch.result_type(a, b)", "The dtype of a + b, for tensors and numbers."},
    {"broadcast_shapes", guarded<broadcast_shapes>, "torch.broadcast_shapes(shape, ...)",
     "The torch.Size to which tensors of these shapes broadcast."},
    {"can_cast", guarded<can_cast>, "torch.can_cast(from, to)",
     "Whether promotion allows a value of dtype `from` in a tensor of dtype `to`."},
    {"finfo", guarded<finfo>, "torch.finfo(dtype?)", "Limits of a float dtype: eps, max, min, tiny, bits."},
    {"iinfo", guarded<iinfo>, "torch.iinfo(dtype)", "Limits of an integer dtype: max, min, bits."},
    {"manual_seed", guarded<seed>, "torch.manual_seed(seed)", "Seeds the random numbers of all devices."},
    {"initial_seed", guarded<initial_seed>, "torch.initial_seed()", "The seed of the CPU's random numbers."},
    {"get_rng_state", guarded<get_rng_state>, "torch.get_rng_state(device?)",
     "The state of the random numbers of a device (default: the CPU), as a tensor."},
    {"set_rng_state", guarded<set_rng_state>, "torch.set_rng_state(state, device?)",
     "Restores a state that get_rng_state has returned, on a device (default: the CPU)."},
    {"get_num_threads", guarded<get_threads>, "torch.get_num_threads()", "The number of threads that operators use."},
    {"set_num_threads", guarded<set_threads>, "torch.set_num_threads(n)",
     "Sets the number of threads that operators use."},
    {"get_default_device", guarded<get_default_device>, "torch.get_default_device()", "The device of new tensors."},
    {"set_default_device", guarded<set_device>, "torch.set_default_device(device)",
     "Sets the device of new tensors; nil means the CPU."},
    {"memory_stats", guarded<memory_stats>, "torch.memory_stats(device?)",
     "A table: allocated, peak and reserved bytes of a device's memory, and the number of allocations."},
    {"reset_peak_memory_stats", guarded<reset_peak>, "torch.reset_peak_memory_stats(device?)", "Resets the peak."},
    {"empty_cache", guarded<empty_cache>, "torch.empty_cache(device?)", "Returns cached memory to the system."},
    {"set_printoptions", guarded<set_printoptions>,
     "torch.set_printoptions{precision, threshold, edgeitems, linewidth, sci_mode, profile}",
     "Sets how tensors print."},
    {"typename", guarded<type_name>, "torch.typename(x)",
     "'torch.FloatTensor', 'nn.Linear', or nil for Lua's own values."},
    {"isinstance", guarded<isinstance>, "torch.isinstance(x, class)",
     "Whether x is an object of the class or of a class derived from it."},
};
struct Constant {
  const char *name, *help;
  double value;
};
constexpr Constant constants[] = {{"pi", "torch.pi\n  3.14159…, as math.pi.", M_PI},
                                  {"e", "torch.e\n  2.71828…, as math.exp(1).", M_E},
                                  {"inf", "torch.inf\n  Infinity, as math.huge.", INFINITY},
                                  {"nan", "torch.nan\n  Not a number, as 0 / 0; unequal to itself.", NAN}};
const NamedTexts constant_texts([](const TakeText& take) {
  for (auto& c : constants) take(c.name, c.help);
});

}  // namespace

void open_torch_functions(lua_State* L, int torch) {
  add_functions(L, torch, rows);
  lua_pushvalue(L, torch);
  for (auto& c : constants) set_number(L, c.name, c.value);
  lua_pop(L, 1);
  lua_newtable(L);
  add_functions(L, -1, testing_rows);
  lua_setfield(L, torch, "testing");
  open_generator(L, torch);
}

}  // namespace luth::lang
