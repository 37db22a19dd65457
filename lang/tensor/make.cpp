// Tensors from Lua's numbers and tables, and back: torch.tensor, torch.Tensor(sizes…), tolist.
#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "lang/binding/bind.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/tensor/tensor_class.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

// Reads nested tables of one shape into a flat list of numbers.
class Nested {
 public:
  explicit Nested(lua_State* L) : L_(L) {}

  void read(int index) {
    find_shape(lua_absindex(L_, index));
    collect(lua_absindex(L_, index), 0);
  }
  const Shape& shape() const { return shape_; }

  /// Booleans alone make bool, integers int64, anything with a float the default dtype.
  Dtype dtype() const {
    if (numbers_.empty() || floats_) return default_dtype();
    return integers_ ? Dtype::i64 : Dtype::boolean;
  }
  Tensor tensor(Dtype dtype) const {
    check_range(dtype);
    Tensor t = Tensor::empty(shape_, dtype, host());
    dispatch(AllTypes{}, dtype, [&]<class T>(Type<T>) {
      T* p = t.data<T>();
      for (size_t i = 0; i < numbers_.size(); ++i) p[i] = numbers_[i].to<T>();
    });
    return t;
  }

 private:
  // As PyTorch has it: a number that an integer dtype cannot hold is refused.
  void check_range(Dtype dtype) const {
    if (!is_integral(dtype) || dtype == Dtype::boolean) return;
    dispatch(Integers{}, dtype, [&]<class T>(Type<T>) {
      for (size_t i = 0; i < numbers_.size(); ++i) {
        if (holds(dtype, numbers_[i])) continue;
        throw Error("torch.tensor: {} is {}, which {} cannot hold: it has {} to {}", element_text(int64_t(i)),
                    text(numbers_[i]), name(dtype), int64_t(std::numeric_limits<T>::min()),
                    int64_t(std::numeric_limits<T>::max()));
      }
    });
  }
  static std::string text(const Scalar& s) {
    return s.is_floating() ? fmt::format("{}", s.value()) : std::to_string(s.integer());
  }
  // "element [1][2]" of element i in reading order
  std::string element_text(int64_t i) const {
    if (shape_.empty()) return "the argument";
    std::string s;
    for (int d = shape_.size() - 1; d >= 0; --d) {
      s = fmt::format("[{}]", i % shape_[d] + 1) + s;
      i /= shape_[d];
    }
    return "element " + s;
  }

  bool is_list(int i) const { return lua_istable(L_, i) || to_box<Shape>(L_, i); }

  // Takes the shape from the first element of each level.
  void find_shape(int index) {
    int top = lua_gettop(L_);
    lua_pushvalue(L_, index);
    while (is_list(-1)) {
      luaL_checkstack(L_, 4, nullptr);
      lua_Integer n = luaL_len(L_, -1);
      shape_.push_back(n);
      if (n == 0) break;
      lua_geti(L_, -1, 1);
    }
    lua_settop(L_, top);
  }

  void collect(int index, int depth) {
    if (depth == shape_.size()) return add(index, depth);
    if (!is_list(index) || luaL_len(L_, index) != shape_[depth])
      throw Error(
          "torch.tensor: {} is {}, the elements before it are lists of {}: all lists of one depth need one length",
          path(depth), is_list(index) ? fmt::format("a list of {}", luaL_len(L_, index)) : given_text(L_, index),
          shape_[depth]);
    refuse_names(index, depth);
    for (int64_t i = 0; i < shape_[depth]; ++i) {
      at_[depth] = i + 1;
      lua_geti(L_, index, i + 1);
      collect(lua_gettop(L_), depth + 1);
      lua_pop(L_, 1);
    }
  }

  // A table of the right length with other keys as well is a mistake: `torch.tensor{1, 2, dtype = torch.int8}`.
  void refuse_names(int index, int depth) const {
    if (depth || !lua_istable(L_, index)) return;
    lua_pushinteger(L_, shape_[0]);
    if (shape_[0] == 0) lua_pop(L_, 1), lua_pushnil(L_);
    if (!lua_next(L_, index)) return;
    std::string key = given_text(L_, lua_gettop(L_) - 1);
    lua_pop(L_, 2);
    throw Error("torch.tensor: the list has the key {} as well; named arguments go into a table of their own", key);
  }

  void add(int index, int depth) {
    if (lua_isboolean(L_, index)) {
      numbers_.emplace_back(bool(lua_toboolean(L_, index)));
    } else if (lua_isinteger(L_, index)) {
      numbers_.emplace_back(int64_t(lua_tointeger(L_, index)));
      integers_ = true;
    } else if (lua_type(L_, index) == LUA_TNUMBER) {
      numbers_.emplace_back(double(lua_tonumber(L_, index)));
      floats_ = true;
    } else if (const Tensor* t = to_tensor(L_, index); t && *t && t->numel() == 1) {
      numbers_.push_back(t->item());
      (numbers_.back().is_floating() ? floats_ : integers_) |= numbers_.back().kind() != Scalar::Kind::boolean;
    } else {
      throw Error("torch.tensor: {} is {}, expected a number or a boolean", path(depth), given_text(L_, index));
    }
  }

  std::string path(int depth) const {
    std::string s = depth ? "element " : "the argument";
    for (int i = 0; i < depth; ++i) s += fmt::format("[{}]", at_[i]);
    return s;
  }

  lua_State* L_;
  Shape shape_;
  int64_t at_[max_dims + 1] = {};
  std::vector<Scalar> numbers_;
  bool floats_ = false, integers_ = false;
};

Tensor move_to(const Tensor& t, Device& d) {
  return &t.device() == &d ? t : Invoke("to_device").set("device", &d)({t})[0];
}

// torch.tensor(data, {dtype, device, requires_grad}) with the data at `at`; `copy` false for as_tensor; dtype and
// device as `like` has them where they are not named.
int make(lua_State* L, const char* name, bool copy, int at = 1, const Tensor* like = nullptr) {
  NamedArguments o(L, at + 1, name);
  std::optional<Dtype> dtype;
  Device* device = nullptr;
  if (like) dtype = like->dtype(), device = &like->device();
  if (int i = o.get("dtype")) dtype = check_dtype(L, i);
  if (int i = o.get("device")) device = &check_device(L, i);
  bool requires_grad = o.flag("requires_grad", false);
  o.done();
  Tensor t;
  if (lua_type(L, at) == LUA_TSTRING || to_tensor(L, at)) {
    NoGrad no_grad;
    const Tensor* from = to_tensor(L, at);
    t = from ? check_tensor(L, at).detach() : bytes_tensor(L, at);
    if (dtype && *dtype != t.dtype()) t = cast_to(t, *dtype);
    if (device) t = move_to(t, *device);
    if (from && copy && t.storage() == from->storage()) t = Invoke("clone")({t})[0];
  } else {
    t = make_tensor(L, at, dtype, device ? *device : default_device());
  }
  if (requires_grad) t.set_requires_grad(true);
  return push_tensor(L, t), 1;
}
int tensor(lua_State* L) { return make(L, "torch.tensor", true); }
int new_tensor(lua_State* L) {
  const Tensor& t = self(L);
  return make(L, "new_tensor", true, 2, &t);
}

// A tensor stays the same one, with its history, where nothing changes.
int convert(lua_State* L, const char* name, bool with_copy) {
  if (!to_tensor(L, 1) && !with_copy) return make(L, name, false);
  const Tensor from = to_tensor(L, 1) ? check_tensor(L, 1, name) : Tensor();
  NamedArguments o(L, 2, name);
  const int dtype = o.get("dtype"), device = o.get("device");
  const int copy = with_copy ? o.get("copy") : 0;
  const bool copies = copy && lua_toboolean(L, copy), shares = copy && lua_isboolean(L, copy) && !copies;
  const bool requires_grad = o.flag("requires_grad", false);
  o.done();
  const std::optional<Dtype> wanted = dtype ? std::optional(check_dtype(L, dtype)) : std::nullopt;
  Tensor t = from ? from
             : lua_type(L, 1) == LUA_TSTRING
                 ? bytes_tensor(L, 1)
                 : make_tensor(L, 1, wanted, device ? check_device(L, device) : default_device());
  if (wanted && *wanted != t.dtype()) t = cast_to(t, *wanted);
  if (device) t = move_to(t, check_device(L, device));
  if (shares && !(from && t.storage() == from.storage()))
    throw Error("{}: copy = false, but {} cannot share memory with the result", name, given_text(L, 1));
  if (copies && from && t.storage() == from.storage()) t = Invoke("clone")({t})[0];
  if (requires_grad) t.set_requires_grad(true);
  if (from && t.same(from)) return lua_settop(L, 1), 1;
  return push_tensor(L, t), 1;
}
int as_tensor(lua_State* L) { return convert(L, "torch.as_tensor", false); }
int asarray(lua_State* L) { return convert(L, "torch.asarray", true); }

// torch.Tensor(3, 4), torch.Tensor{1, 2}, torch.Tensor(x:size()), torch.Tensor(): Torch7's. The class comes first.
int construct(lua_State* L) {
  int n = lua_gettop(L) - 1;
  if (n == 1 && lua_istable(L, 2)) return push_tensor(L, make_tensor(L, 2, default_dtype(), default_device())), 1;
  if (const Tensor* t = n == 1 ? to_tensor(L, 2) : nullptr)
    return push_tensor(L, check_tensor(L, 2).detach()), static_cast<void>(t), 1;
  Shape shape = n == 0 ? Shape{0} : n == 1 ? check_ints(L, 2) : check_sizes(L, 2, n);
  return push_tensor(L, Tensor::empty(shape, default_dtype(), default_device())), 1;
}

template <class T>
void push_element(lua_State* L, T v) {
  if constexpr (std::is_same_v<T, bool>)
    lua_pushboolean(L, v);
  else if constexpr (is_float<T>)
    lua_pushnumber(L, luth::cast<double>(v));
  else
    lua_pushinteger(L, v);
}
template <class T>
void push_nested(lua_State* L, const Tensor& t, const T* p, int depth) {
  if (depth == t.dim()) return push_element(L, *p);
  int64_t n = t.shape()[depth];
  luaL_checkstack(L, 3, nullptr);
  lua_createtable(L, int(std::min<int64_t>(n, 1 << 20)), 0);
  for (int64_t i = 0; i < n; ++i) {
    push_nested(L, t, p + i * t.strides()[depth], depth + 1);
    lua_rawseti(L, -2, i + 1);
  }
}
int tolist(lua_State* L) {
  Tensor t = shaped_self(L, "tolist");
  if (!t.device().has_data()) throw Error("tolist: tensors on the {} device have no data", t.device().kind());
  NoGrad no_grad;
  if (!t.device().on_host()) t = move_to(t, host());
  dispatch(AllTypes{}, t.dtype(), [&]<class T>(Type<T>) { push_nested(L, t, t.data<T>(), 0); });
  return 1;
}

// A tensor or a number.
Value operand(lua_State* L, int i, const char* name) {
  if (Value v = to_value(L, i)) return v;
  throw Error("where: argument '{}' expects a tensor or a number, got {}", name, given_text(L, i));
}
// PyTorch's method has the tensor itself first, the function the condition.
int where_method(lua_State* L) {
  const Tensor& t = self(L);
  Value other;
  int condition = 2;
  if (int last = lua_gettop(L); last > 1 && is_named(L, last)) {
    NamedArguments o(L, last, "where");
    int given = o.get("condition");
    if (given) condition = given;
    if (int i = o.get("other")) other = operand(L, i, "other");
    o.done();
  } else {
    other = operand(L, 3, "other");
  }
  const Tensor& mask = check_tensor(L, condition, "where: argument 'condition' expects");
  if (!other) throw Error("where: argument 'other' is missing: it is x:where(condition, other)");
  return push_tensor(L, Invoke("where")({mask, t, other})[0]), 1;
}
// torch.where(condition) gives positions, a tensor for each dim.
int where_function(lua_State* L) {
  if (lua_gettop(L) == 1 && to_tensor(L, 1)) {
    Tensors list = Invoke("nonzero.tuple").set("as_tuple", true).set("base", int64_t(1))({check_tensor(L, 1)});
    luaL_checkstack(L, int(list.size()) + 4, nullptr);
    for (auto& t : list) push_tensor(L, t);
    return int(list.size());
  }
  static const Function& function = *find_function("where");
  return call_function(L, function);
}

constexpr Row functions[] = {
    {"where", guarded<where_function>, "torch.where(condition, input, other)  or  torch.where(condition)",
     "Takes elements of input where condition is true, else of other. With the condition alone: the positions where it "
     "is true, as several values, a tensor for each dim."},
    {"tensor", guarded<tensor>, "torch.tensor(data, {dtype, device, requires_grad = false})",
     "Makes a tensor from a number, a boolean, nested tables of these, the bytes of a string (uint8), or another "
     "tensor, which is copied."},
    {"as_tensor", guarded<as_tensor>, "torch.as_tensor(data, {dtype, device})",
     "Like torch.tensor, but a tensor of that dtype and device is not copied."},
    {"asarray", guarded<asarray>, "torch.asarray(data, {dtype, device, copy = nil, requires_grad = false})",
     "Makes a tensor from data. A tensor of that dtype and device is returned as it is. copy = true always copies; "
     "copy = false is an error if memory cannot be shared."},
};
constexpr Row methods_rows[] = {
    {"tolist", guarded<tolist>, "x:tolist()", "The elements as nested tables; a number for a tensor without dims."},
    {"new_tensor", guarded<new_tensor>, "x:new_tensor(data, {dtype, device, requires_grad = false})",
     "Like torch.tensor, in the dtype and on the device of x."},
    {"where", guarded<where_method>, "x:where(condition, other)",
     "Takes elements of x where condition is true, else of other, a tensor or a number."},
};

}  // namespace

Tensor make_tensor(lua_State* L, int index, std::optional<Dtype> dtype, Device& device) {
  if (to_tensor(L, index)) return check_tensor(L, index);
  Nested data(L);
  data.read(index);
  return move_to(data.tensor(dtype.value_or(data.dtype())), device);
}

void open_tensor_make(lua_State* L, int torch, int methods) {
  add_functions(L, torch, functions);
  add_functions(L, methods, methods_rows);
  lua_getmetatable(L, methods);
  lua_pushcfunction(L, guarded<construct>);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
}

}  // namespace luth::lang
