// Tensors from the bytes of Lua strings, and back: torch.frombuffer, x:tobytes.
#include <cstring>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/tensor/tensor_class.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

std::string_view bytes_at(lua_State* L, int index, const char* function) {
  if (lua_type(L, index) != LUA_TSTRING)
    throw Error("{}: argument 1 (buffer) expects a string of bytes, got {}", function, given_text(L, index));
  size_t n = 0;
  const char* p = lua_tolstring(L, index, &n);
  return {p, n};
}

Tensor elements(std::string_view bytes, Dtype dtype, int64_t count, int64_t offset) {
  const int64_t size = size_of(dtype), length = int64_t(bytes.size());
  if (offset < 0 || offset > length)
    throw Error("torch.frombuffer: offset {} is outside of a buffer of {} bytes", offset, length);
  if (count < 0 && (length - offset) % size)
    throw Error(
        "torch.frombuffer: {} bytes from offset {} on are no whole number of {} elements of {} bytes; name count",
        length - offset, offset, name(dtype), size);
  if (count < 0) count = (length - offset) / size;
  if (count > (length - offset) / size)
    throw Error("torch.frombuffer: {} elements of {} from offset {} on need {} bytes, the buffer has {}", count,
                name(dtype), offset, double(count) * double(size), length - offset);
  Tensor t = Tensor::empty({count}, dtype, host());
  if (count && dtype == Dtype::boolean)  // any byte but 0 is true; a bool's memory holds 0 or 1
    for (int64_t i = 0; i < count; ++i) t.data<bool>()[i] = bytes[size_t(offset + i)] != 0;
  else if (count)
    std::memcpy(t.raw(), bytes.data() + offset, size_t(count * size));
  return t;
}

int frombuffer(lua_State* L) {
  std::string_view bytes = bytes_at(L, 1, "torch.frombuffer");
  NamedArguments o(L, 2, "torch.frombuffer");
  Dtype dtype = default_dtype();
  if (int i = o.get("dtype")) dtype = check_dtype(L, i);
  int64_t count = o.integer("count", -1), offset = o.integer("offset", 0);
  bool requires_grad = o.flag("requires_grad", false);
  o.done();
  Tensor t = elements(bytes, dtype, count, offset);
  if (requires_grad) t.set_requires_grad(true);
  return push_tensor(L, t), 1;
}

int tobytes(lua_State* L) {
  Tensor t = shaped_self(L, "tobytes").detach();
  if (!t.device().has_data()) throw Error("tobytes: tensors on the {} device have no data", t.device().kind());
  NoGrad no_grad;
  t = dense_copy(t.device().on_host() ? t : Invoke("to_device").set("device", &host())({t})[0]);
  lua_pushlstring(L, t.numel() ? static_cast<const char*>(t.raw()) : "", t.bytes());
  return 1;
}

constexpr Row functions[] = {
    {"frombuffer", guarded<frombuffer>,
     "torch.frombuffer(buffer, {dtype, count = -1, offset = 0, requires_grad = false})",
     "A tensor made of a copy of a string's bytes, in this machine's byte order. offset is in bytes, count in "
     "elements; count = -1 reads to the end."},
};
constexpr Row methods_rows[] = {
    {"tobytes", guarded<tobytes>, "x:tobytes()",
     "The bytes of the elements in row-major order, as a string. torch.frombuffer reads it."},
};

}  // namespace

Tensor bytes_tensor(lua_State* L, int index) { return elements(bytes_at(L, index, "torch.tensor"), Dtype::u8, -1, 0); }

void open_tensor_bytes(lua_State* L, int torch, int methods) {
  add_functions(L, torch, functions);
  add_functions(L, methods, methods_rows);
}

}  // namespace luth::lang
