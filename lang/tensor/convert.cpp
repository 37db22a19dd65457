// Conversions of dtype and device: to, float … bool, cpu, cuda, type, type_as.
#include <algorithm>
#include <cctype>

#include "core/device/device_support.h"
#include "core/dispatch/pin.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/tensor/tensor_class.h"
#include "lang/values/devices.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

// The arguments of to(). Null and empty: unchanged.
struct Target {
  std::optional<Dtype> dtype{};
  Device* device = nullptr;
  std::optional<MemoryFormat> format{};
  bool copy = false, non_blocking = false;
};

bool names_dtype(lua_State* L, int i) {
  if (to_box<Dtype>(L, i)) return true;
  if (lua_type(L, i) != LUA_TSTRING) return false;
  try {
    parse_dtype(lua_tostring(L, i));
    return true;
  } catch (const Error&) { return false; }
}

// Reads one argument of to() by position.
void take(lua_State* L, int i, Target& to) {
  if (const Tensor* other = to_tensor(L, i); other && *other) {
    to.dtype = other->dtype();
    to.device = &other->device();
  } else if (names_dtype(L, i)) {
    to.dtype = check_dtype(L, i);
  } else if (lua_type(L, i) == LUA_TSTRING || to_box<DeviceName>(L, i)) {
    to.device = &check_device(L, i);
  } else if (to_box<MemoryFormat>(L, i)) {
    to.format = check_format(L, i);
  } else if (!is_none(L, i)) {
    throw Error("to: argument {} expects a dtype, a device or a tensor, got {}", i - 1, given_text(L, i));
  }
}

Tensor convert(const Tensor& t, const Target& to) {
  Tensor out = t;
  if (to.dtype && *to.dtype != t.dtype()) out = cast_to(out, *to.dtype);
  if (to.device && to.device != &out.device())
    out = Invoke("to_device").set("device", to.device).set("non_blocking", to.non_blocking)({out})[0];
  if (to.format && *to.format != MemoryFormat::preserve)
    out = Invoke("contiguous").set("memory_format", *to.format)({out})[0];
  if (to.copy && out.same(t)) out = Invoke("clone")({out})[0];
  return out;
}

// Pushes the result; the argument itself where nothing changed.
int finish(lua_State* L, const Tensor& t, const Tensor& out) {
  if (out.same(t))
    lua_pushvalue(L, 1);
  else
    push_tensor(L, out);
  return 1;
}

int to(lua_State* L) {
  const Tensor& t = self(L);
  Target target;
  int n = lua_gettop(L);
  if (n > 1 && is_named(L, n)) {
    NamedArguments o(L, n--, "to");
    if (int i = o.get("dtype")) target.dtype = check_dtype(L, i);
    if (int i = o.get("device")) target.device = &check_device(L, i);
    if (int i = o.get("memory_format")) target.format = check_format(L, i);
    if (int i = o.get("other")) take(L, i, target);
    target.copy = o.flag("copy", false);
    target.non_blocking = o.flag("non_blocking", false);
    o.done();
  }
  for (int i = 2, flags = 0; i <= n; ++i) {
    if (!lua_isboolean(L, i))
      take(L, i, target);
    else if (flags++ == 0)
      target.non_blocking = lua_toboolean(L, i);
    else
      target.copy = lua_toboolean(L, i);
  }
  return finish(L, t, convert(t, target));
}

template <Dtype D>
int cast(lua_State* L) {
  const Tensor& t = self(L);
  return finish(L, t, convert(t, {.dtype = D}));
}
int cpu(lua_State* L) {
  const Tensor& t = self(L);
  return finish(L, t, convert(t, {.device = &host()}));
}
// x:cuda(device?, non_blocking?), both by name too.
int cuda(lua_State* L) {
  const Tensor& t = self(L);
  Target target;
  int n = lua_gettop(L), device_at = n >= 2 && !is_named(L, 2) ? 2 : 0;
  if (n >= 3 && lua_isboolean(L, 3)) target.non_blocking = lua_toboolean(L, 3);
  if (n >= 2 && is_named(L, n)) {
    NamedArguments o(L, n, "cuda");
    if (int i = o.get("device")) device_at = i;
    target.non_blocking = o.flag("non_blocking", target.non_blocking);
    o.done();
  }
  target.device = device_at ? &cuda_at(L, device_at, "cuda") : &current_device("cuda");
  return finish(L, t, convert(t, target));
}
int get_device(lua_State* L) {
  const Device& d = self(L).device();
  return lua_pushinteger(L, d.on_host() ? -1 : d.index()), 1;
}
int pin(lua_State* L) {
  const Tensor& t = self(L);
  return finish(L, t, pin_memory(t, cuda_at(L, 2, "pin_memory")));
}
int pinned(lua_State* L) {
  const Tensor& t = self(L);
  return lua_pushboolean(L, t.device().on_host() && is_pinned(t.raw())), 1;
}

constexpr std::pair<const char*, Dtype> torch7_types[] = {
    {"Float", Dtype::f32}, {"Double", Dtype::f64},  {"Half", Dtype::f16},  {"BFloat16", Dtype::bf16},
    {"Long", Dtype::i64},  {"Int", Dtype::i32},     {"Short", Dtype::i16}, {"Char", Dtype::i8},
    {"Byte", Dtype::u8},   {"Bool", Dtype::boolean}};

// x:type() gives 'torch.FloatTensor', x:type(dtype or such a name) converts.
int type(lua_State* L) {
  const Tensor& t = self(L);
  std::string prefix = t.device().kind() == "cpu" ? "torch." : "torch." + t.device().kind() + ".";
  Target target;
  std::string_view wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (auto& [name, d] : torch7_types) {
    std::string full = prefix + name + "Tensor";
    if (lua_isnoneornil(L, 2) && d == t.dtype()) return lua_pushstring(L, full.c_str()), 1;
    if (wanted == full) target.dtype = d;
  }
  if (!target.dtype) target.dtype = check_dtype(L, 2);
  return finish(L, t, convert(t, target));
}
int type_as(lua_State* L) {
  const Tensor &t = self(L), &other = check_tensor(L, 2, "type_as expects");
  return finish(L, t, convert(t, {.dtype = other.dtype(), .device = &other.device()}));
}

constexpr Row rows[] = {
    {"to", guarded<to>,
     "x:to(dtype | device | other, {dtype, device, copy = false, non_blocking = false, memory_format})",
     "The tensor in another dtype or on another device; the same tensor if nothing changes. With non_blocking, copies "
     "from and to pinned memory do not wait."},
    {"float", guarded<cast<Dtype::f32>>, "x:float()", "The tensor as float32."},
    {"double", guarded<cast<Dtype::f64>>, "x:double()", "The tensor as float64."},
    {"half", guarded<cast<Dtype::f16>>, "x:half()", "The tensor as float16."},
    {"bfloat16", guarded<cast<Dtype::bf16>>, "x:bfloat16()", "The tensor as bfloat16."},
    {"long", guarded<cast<Dtype::i64>>, "x:long()",
     "The tensor as int64. nan becomes 0; values out of range become the largest or smallest int64."},
    {"int", guarded<cast<Dtype::i32>>, "x:int()", "The tensor as int32."},
    {"short", guarded<cast<Dtype::i16>>, "x:short()", "The tensor as int16."},
    {"char", guarded<cast<Dtype::i8>>, "x:char()", "The tensor as int8."},
    {"byte", guarded<cast<Dtype::u8>>, "x:byte()", "The tensor as uint8."},
    {"bool", guarded<cast<Dtype::boolean>>, "x:bool()", "Whether each element is not 0."},
    {"cpu", guarded<cpu>, "x:cpu()", "The tensor in the CPU's memory."},
    {"cuda", guarded<cuda>, "x:cuda(device?, {non_blocking = false})",
     "The tensor on a GPU; without an argument on the current one. If there is no GPU, the error says why."},
    {"get_device", guarded<get_device>, "x:get_device()",
     "The number of the GPU that has the tensor, from 0; -1: the CPU."},
    {"pin_memory", guarded<pin>, "x:pin_memory()",
     "A copy in pinned memory of the CPU, from which copies to a GPU need not wait. A pinned tensor is returned as it "
     "is."},
    {"is_pinned", guarded<pinned>, "x:is_pinned()", "Whether the tensor is in pinned memory."},
    {"type", guarded<type>, "x:type(dtype?)",
     "Without an argument the type's name, such as 'torch.FloatTensor'; with one, the tensor in that dtype."},
    {"type_as", guarded<type_as>, "x:type_as(other)", "The tensor in other's dtype and on its device."},
};

}  // namespace

void open_tensor_convert(lua_State* L, int, int methods) { add_functions(L, methods, rows); }

}  // namespace luth::lang
