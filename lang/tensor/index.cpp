// x[key] and x[key] = value: numbers and ranges give views, masks and index tensors copies; all of it in operators, so
// gradients flow. A key is one index or a table of them:
//   i            a position, from 1 or from the end            {a, b, step}  a range that includes b; {} all of the dim
//   '...'        all dims that no other index takes            torch.newaxis a new dim of extent 1
//   mask, index  a bool tensor, which without dims is a new dim of extent 1 or 0; a tensor of positions
#include <algorithm>

#include "core/base/error_context.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/tensor/tensor_class.h"

namespace luth::lang {
namespace {

/// A tensor indexed by a key: a view for the numbers and ranges, then index tensors for index and index_put.
struct Indexed {
  Tensor view;
  Inputs tensors;  // one per dim of `view`, null for a whole dim; empty where the view is all
  bool any_tensor = false;
};

// The caller holds t.
template <class Op>
Tensor view_of(const Op& op, const Tensor& t) {
  Call call;
  call.info = &info<Op>();
  call.op = &op;
  call.in.emplace_back(Borrowed{t});
  apply(call);
  return std::move(call.out[0]);
}

// `shown_dim`: which dim of the tensor that the script indexed, from 0.
Tensor select_position(const Tensor& t, int dim, int64_t i, int shown_dim) {
  if (t.dim() == 0) throw Error("a tensor without dims cannot be indexed; item() gives its number");
  int64_t n = t.shape()[dim];
  if (i == 0) throw Error("index 0: positions count from 1 (and -1 is the last)");
  if (i > n || i < -n)
    throw Error("index {} is out of range for dim {} of extent {}: positions count from 1 to {}", i, shown_dim + 1, n,
                n);
  return view_of(ops::Select{.dim = dim, .index = i > 0 ? i - 1 : i}, t);
}

class KeyReader {
 public:
  KeyReader(lua_State* L, const Tensor& t) : L_(L), tensor_(t) { out_.view = t; }

  /// What it returns lives as long as this reader.
  Indexed& read(int key) {
    if (lua_istable(L_, key)) {
      int n = int(lua_rawlen(L_, key));
      int rest = tensor_.dim();
      for (int i = 1; i <= n; ++i) each(key, i, [&](int at) { rest -= consumed(at); });
      if (rest < 0)
        throw Error("too many indices: they take {} dims, the tensor has {}", tensor_.dim() - rest, tensor_.dim());
      for (int i = 1; i <= n; ++i) each(key, i, [&](int at) { add(at, rest); });
    } else {
      int rest = tensor_.dim() - consumed(key);
      if (rest < 0 && to_tensor(L_, key))
        throw Error("a mask of shape {} does not fit a tensor of shape {}", to_string(to_tensor(L_, key)->shape()),
                    to_string(tensor_.shape()));
      add(key, rest);
    }
    return out_;
  }

 private:
  template <class F>
  void each(int table, int i, F&& f) {
    lua_rawgeti(L_, table, i);
    f(lua_gettop(L_));
    lua_pop(L_, 1);
  }

  bool is_ellipsis(int at) const {
    return lua_type(L_, at) == LUA_TSTRING && std::string_view(lua_tostring(L_, at)) == "...";
  }
  // The dims that an index takes.
  int consumed(int at) {
    if (const int type = lua_type(L_, at); type == LUA_TNUMBER || type == LUA_TTABLE) return 1;
    if (const Tensor* t = to_tensor(L_, at)) return *t && t->dtype() == Dtype::boolean ? t->dim() : 1;
    if (is_ellipsis(at)) {
      if (ellipsis_++) throw Error("'...' may stand once among the indices");
      return 0;
    }
    return lua_type(L_, at) == LUA_TUSERDATA && is_none(L_, at) ? 0 : 1;
  }

  void add(int at, int rest) {
    if (lua_isinteger(L_, at)) {
      out_.view = select_position(out_.view, dim_, lua_tointeger(L_, at), source_++);
    } else if (lua_istable(L_, at)) {
      add_range(at);
    } else if (to_tensor(L_, at)) {
      add_tensor(check_tensor(L_, at));
    } else if (is_ellipsis(at)) {
      dim_ += rest;
      source_ += rest;
    } else if (lua_type(L_, at) == LUA_TUSERDATA && is_none(L_, at)) {
      out_.view = luth::unsqueeze(out_.view, {.dim = dim_});
      ++dim_;
    } else if (int ok = 0; lua_type(L_, at) == LUA_TNUMBER && (lua_tointegerx(L_, at, &ok), ok)) {
      out_.view = select_position(out_.view, dim_, lua_tointeger(L_, at), source_++);
    } else {
      throw Error(
          "an index is an integer, a range {{a, b}}, {{}}, '...', torch.newaxis, a mask or a tensor of positions; "
          "got {}",
          given_text(L_, at));
    }
  }

  // Whole dims before the next index tensor; a mask stands for all its dims.
  void skip_to_here() {
    while (int(out_.tensors.size()) < dim_ - masked_) out_.tensors.emplace_back();
  }
  // A mask without dims picks the only position of a new dim, or none.
  void add_condition(bool on) {
    out_.view = luth::unsqueeze(out_.view, {.dim = dim_});
    skip_to_here();
    out_.tensors.emplace_back(luth::full({on ? 1 : 0}, 1, Dtype::i64, out_.view.device()));
    out_.any_tensor = true;
    ++dim_;
  }

  void add_tensor(const Tensor& t) {
    if (is_floating(t.dtype()))
      throw Error("an index tensor holds integers or is a mask of booleans, this one is {}", name(t.dtype()));
    if (t.dim() == 0 && t.dtype() != Dtype::boolean) {
      out_.view = select_position(out_.view, dim_, t.item().integer(), source_++);
      return;
    }
    if (t.dim() == 0) return add_condition(t.item().to<bool>());
    skip_to_here();
    Device& to = out_.view.device();  // positions and masks of the CPU reach any device, as in PyTorch
    const bool moves = t.device().on_host() && !to.on_host() && to.has_data();
    out_.tensors.emplace_back(moves ? luth::to_device(t, {&to}) : t);
    out_.any_tensor = true;
    bool mask = t.dtype() == Dtype::boolean;
    if (mask) check_mask(t);
    dim_ += mask ? t.dim() : 1;
    source_ += mask ? t.dim() : 1;
    masked_ += mask ? t.dim() - 1 : 0;
  }
  void check_mask(const Tensor& mask) const {
    for (int i = 0; i < mask.dim(); ++i)
      if (dim_ + i >= out_.view.dim() || mask.shape()[i] != out_.view.shape()[dim_ + i])
        throw Error("a mask of shape {} does not fit the tensor of shape {} at dim {}", to_string(mask.shape()),
                    to_string(out_.view.shape()), dim_ + i + 1);
  }

  int64_t bound(int table, int i) {
    lua_rawgeti(L_, table, i);
    int ok = 0;
    int64_t v = lua_type(L_, -1) == LUA_TNUMBER ? lua_tointegerx(L_, -1, &ok) : 0;
    if (!ok) throw Error("a range is {{from, to, step}} of integers, got {}", given_text(L_, lua_gettop(L_)));
    lua_pop(L_, 1);
    return v;
  }
  // Ends beyond the dim are cut, as PyTorch's slices are; {1, 0} is empty.
  void add_range(int at) {
    int count = int(lua_rawlen(L_, at));
    if (out_.view.dim() == 0) throw Error("a tensor without dims cannot be indexed");
    if (count > 3)
      throw Error("a range is {{from, to, step}}, got {} numbers; a list of positions is torch.tensor{{...}}", count);
    if (count > 0) {
      int64_t n = out_.view.shape()[dim_], from = bound(at, 1);
      int64_t to = count > 1 ? bound(at, 2) : from, step = count > 2 ? bound(at, 3) : 1;
      if (from == 0) throw Error("a range from 0: positions count from 1");
      if (step < 1) throw Error("a range's step is at least 1, got {}; torch.flip turns a dim round", step);
      int64_t start = from > 0 ? from - 1 : std::max<int64_t>(from + n, 0);
      int64_t end = to >= 0 ? to : to + n + 1;
      start = std::min(start, n);
      end = std::clamp(end, start, n);
      if (start > 0 || end < n || step > 1)
        out_.view = view_of(ops::Slice{.dim = dim_, .start = start, .end = end, .step = step}, out_.view);
    }
    ++dim_;
    ++source_;
  }

  lua_State* L_;
  const Tensor& tensor_;
  Indexed out_;
  int dim_ = 0;     // of the view, where the next index applies
  int source_ = 0;  // the same dim of the tensor that is indexed
  int ellipsis_ = 0, masked_ = 0;
};

Inputs with_tensors(const Tensor& first, const Inputs& tensors) {
  Inputs in{first};
  for (auto& t : tensors) in.push_back(t);
  return in;
}

// Drops leading extents of 1, as PyTorch does. Broadcasting adds those of the target again.
Tensor without_leading_ones(Tensor value, int dims) {
  while (value.dim() > dims && value.shape()[0] == 1) value = luth::select(value, {.dim = 0, .index = 0});
  return value;
}

// The right side of an assignment.
Value read_value(lua_State* L, const Tensor& into) {
  if (Value v = to_value(L, 3)) return v;
  if (lua_istable(L, 3)) return make_tensor(L, 3, into.dtype(), into.device());
  throw Error("a number, a tensor or a table can be assigned to elements, got {}", given_text(L, 3));
}

// A mask over all elements selects them at once, without a list of their positions.
const Tensor* whole_mask(const Tensor& view, const Inputs& tensors) {
  if (tensors.size() == 0 || !tensors[0] || tensors[0].dtype() != Dtype::boolean) return nullptr;
  for (size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i]) return nullptr;
  const Tensor& mask = tensors[0].tensor();
  return mask.dim() && mask.shape() == view.shape() ? &mask : nullptr;
}

// One number for the elements of one mask needs no list of their positions, for which the host would wait.
bool fill_by_mask(const Inputs& in, const Inputs& tensors) {
  const Tensor* mask = nullptr;
  Shape shape(in[0].dim(), 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i]) continue;
    if (mask || tensors[i].dtype() != Dtype::boolean) return false;
    mask = &tensors[i].tensor();
    for (int k = 0; k < mask->dim(); ++k) shape[int(i) + k] = mask->shape()[k];
  }
  if (!mask || (in[1].is_tensor() && in[1].dim() > 0)) return false;
  Invoke("masked_fill").inplace({in[0], luth::reshape(*mask, {.shape = shape}), in[1]});
  return true;
}

void put(const Tensor& view, const Inputs& tensors, const Value& value) {
  Inputs in{view, value};
  if (value.is_tensor()) in[1] = without_leading_ones(value.tensor(), 0);
  if (value.is_tensor() && value.dtype() != view.dtype()) in[1] = cast_to(in[1].tensor(), view.dtype());
  if (fill_by_mask(in, tensors)) return;
  for (auto& t : tensors) in.push_back(t);
  Invoke("index_put").set("base", int64_t(1)).inplace(std::move(in));
}

// ipairs over tensors: positions and views along the first dim.
int next_position(lua_State* L) {
  const Tensor& t = self(L);
  lua_Integer i = lua_tointeger(L, 2) + 1;
  if (i > t.shape()[0]) return 0;
  lua_pushinteger(L, i);
  push_tensor(L, select_position(t, 0, i, 0));
  return 2;
}
int ipairs(lua_State* L) {
  if (!to_tensor(L, 1)) {  // Lua's own
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 3);
    return 3;
  }
  if (shaped_self(L, "ipairs").dim() == 0) throw Error("ipairs: a tensor without dims has no positions");
  lua_pushcfunction(L, guarded<next_position>);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

}  // namespace

int read_index(lua_State* L) {
  const Tensor& t = shaped_self(L, "x[...]");
  if (lua_isinteger(L, 2)) return push_tensor(L, select_position(t, 0, lua_tointeger(L, 2), 0)), 1;
  Tensor out = with_error_context(
      "x[...]", [&] { return "x[...] of " + describe(t) + ": "; },
      [&] {
        KeyReader reader(L, t);
        Indexed& x = reader.read(2);
        if (!x.any_tensor) return std::move(x.view);
        if (const Tensor* mask = whole_mask(x.view, x.tensors)) return Invoke("masked_select")({x.view, *mask})[0];
        return Invoke("index").set("base", int64_t(1))(with_tensors(x.view, x.tensors))[0];
      });
  return push_tensor(L, std::move(out)), 1;
}

int write_index(lua_State* L) {
  const Tensor& t = shaped_self(L, "x[...]");
  Value value;
  auto prefix = [&] {
    std::string what = value.is_tensor() ? describe(value.tensor()) : given_text(L, 3);
    return "x[...] = " + what + ", where x is " + describe(t) + ": ";
  };
  with_error_context("x[...] =", prefix, [&] {
    KeyReader reader(L, t);
    Indexed& x = reader.read(2);
    value = read_value(L, x.view);
    if (x.any_tensor) return put(x.view, x.tensors, value);
    if (value.is_tensor()) value = without_leading_ones(value.tensor(), x.view.dim());
    luth::copy.into(x.view, value);
  });
  return 0;
}

void open_index(lua_State* L, int torch) {
  push_none(L);
  lua_setfield(L, torch, "newaxis");
  lua_getglobal(L, "ipairs");
  lua_pushcclosure(L, guarded<ipairs>, 1);
  lua_setglobal(L, "ipairs");
}

}  // namespace luth::lang
