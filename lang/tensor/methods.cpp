// Queries of tensors, and changes of their storage.
#include "core/autograd/autograd.h"
#include "core/tensor/print.h"
#include "core/tensor/storage.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/tensor/tensor_class.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

// The dim that `method` was given, from Lua's counting.
int dim_of(lua_State* L, const char* method, const Tensor& t) {
  static constexpr FieldInfo info{"dim", "", AttrKind::integer, false, as::dim};
  try {
    return wrap_dim(std::get<int64_t>(read_attr(L, 2, info)), t.dim());
  } catch (const Error& e) { throw Error("{}: {}", method, e.what()); }
}

int size(lua_State* L) {
  const Tensor& t = shaped_self(L, "size");
  if (lua_isnoneornil(L, 2)) return push_size(L, t.shape()), 1;
  return lua_pushinteger(L, t.shape()[dim_of(L, "size", t)]), 1;
}
int stride(lua_State* L) {
  const Tensor& t = shaped_self(L, "stride");
  if (lua_isnoneornil(L, 2)) return push_attr(L, Attr(Ints(t.strides()))), 1;
  return lua_pushinteger(L, t.strides()[dim_of(L, "stride", t)]), 1;
}
int dim(lua_State* L) { return lua_pushinteger(L, shaped_self(L, "dim").dim()), 1; }
int numel(lua_State* L) { return lua_pushinteger(L, shaped_self(L, "numel").numel()), 1; }
int storage_offset(lua_State* L) { return lua_pushinteger(L, shaped_self(L, "storage_offset").offset()), 1; }
int element_size(lua_State* L) { return lua_pushinteger(L, lua_Integer(size_of(self(L).dtype()))), 1; }
int nbytes(lua_State* L) { return lua_pushinteger(L, lua_Integer(shaped_self(L, "nbytes").bytes())), 1; }
int data_ptr(lua_State* L) {
  return lua_pushinteger(L, lua_Integer(reinterpret_cast<intptr_t>(shaped_self(L, "data_ptr").raw()))), 1;
}
int is_view(lua_State* L) { return lua_pushboolean(L, self(L).impl()->view != nullptr), 1; }
int made_in_inference(lua_State* L) { return lua_pushboolean(L, is_inference(*self(L).storage())), 1; }
int version(lua_State* L) {
  const Tensor& t = self(L);
  if (is_inference(*t.storage())) throw Error("an inference tensor does not count how often it is written");
  return lua_pushinteger(L, t.version()), 1;
}
int item(lua_State* L) { return push_scalar(L, shaped_self(L, "item").item()), 1; }
int floating(lua_State* L) { return lua_pushboolean(L, is_floating(self(L).dtype())), 1; }
int is_signed(lua_State* L) {
  Dtype d = self(L).dtype();
  return lua_pushboolean(L, d != Dtype::boolean && d != Dtype::u8), 1;
}
int no_complex(lua_State* L) { return self(L), lua_pushboolean(L, false), 1; }
int itself(lua_State* L) {
  self(L);
  if (lua_gettop(L) > 1) throw Error("too many arguments, got {}: the result is the tensor itself", lua_gettop(L));
  return 1;
}
int adjoint(lua_State* L) {
  const Tensor& t = self(L);
  if (t.dim() < 2) throw Error("adjoint: expects a matrix or a stack of them, got shape {}", to_string(t.shape()));
  return push_tensor(L, Invoke("mT")({t})[0]), 1;
}
int is_set_to(lua_State* L) {
  const Tensor &a = self(L), &b = check_tensor(L, 2, "is_set_to expects");
  return lua_pushboolean(L, a.storage() == b.storage() && a.offset() == b.offset() && a.shape() == b.shape() &&
                                a.strides() == b.strides()),
         1;
}
int is_same_size(lua_State* L) {
  return lua_pushboolean(L, self(L).shape() == check_tensor(L, 2, "is_same_size expects").shape()), 1;
}
int is_nonzero(lua_State* L) { return lua_pushboolean(L, shaped_self(L, "is_nonzero").item().value() != 0), 1; }

// is_contiguous(), is_contiguous(torch.channels_last), is_contiguous{memory_format = ...}
int is_contiguous(lua_State* L) {
  const Tensor& t = shaped_self(L, "is_contiguous");
  MemoryFormat f = MemoryFormat::contiguous;
  if (is_named(L, 2)) {
    NamedArguments o(L, 2, "is_contiguous");
    if (int i = o.get("memory_format")) f = check_format(L, i);
    o.done();
  } else if (!lua_isnoneornil(L, 2)) {
    f = check_format(L, 2);
  }
  lua_pushboolean(L, f == MemoryFormat::channels_last ? t.is_channels_last() : t.is_contiguous());
  return 1;
}

// The sizes that begin at stack position 2: a list, or separate numbers.
Ints sizes(lua_State* L) {
  int n = lua_gettop(L) - 1;
  if (n == 0) throw Error("expects the new sizes");
  return n == 1 ? check_ints(L, 2) : check_sizes(L, 2, n);
}
void refuse_history(const Tensor& t, const char* method) {
  if (grad_enabled() && t.requires_grad())
    throw Error("{}: a tensor that requires grad cannot change its storage; detach it first", method);
}
// Where the argument `name` of a table of named arguments at 2 lies; 0 where there is no such table.
int named_or(lua_State* L, const char* method, const char* name) {
  if (!is_named(L, 2)) return 0;
  NamedArguments o(L, 2, method);
  int at = o.get(name);
  o.done();
  if (!at) throw Error("{}: argument '{}' is missing", method, name);
  return at;
}
int resize(lua_State* L) {
  const Tensor& t = shaped_self(L, "resize_");
  refuse_history(t, "resize_");
  int at = named_or(L, "resize_", "size");
  t.resize(at ? check_ints(L, at) : sizes(L));
  return lua_settop(L, 1), 1;
}
int resize_as(lua_State* L) {
  const Tensor& t = shaped_self(L, "resize_as_");
  refuse_history(t, "resize_as_");
  int at = named_or(L, "resize_as_", "the_template");
  t.resize(check_tensor(L, at ? at : 2, "resize_as_ expects").shape());
  return lua_settop(L, 1), 1;
}
// torch.resize_as_(x, y), and by names alone
int resize_as_function(lua_State* L) {
  if (!is_named(L, 1)) return resize_as(L);
  NamedArguments o(L, 1, "resize_as_");
  int input = o.get("input"), like = o.get("the_template");
  o.done();
  if (!input || !like) throw Error("resize_as_: arguments 'input' and 'the_template' are expected");
  lua_pushvalue(L, input);
  lua_pushvalue(L, like);
  lua_rotate(L, 1, 2);
  lua_settop(L, 2);
  return resize_as(L);
}
// x:set_(source), x:set_(source, storage_offset, size, stride), x:set_()
int set(lua_State* L) {
  const Tensor& t = shaped_self(L, "set_");
  refuse_history(t, "set_");
  if (lua_isnoneornil(L, 2)) {
    t.set_storage(make<Storage>(t.device(), 0), {0}, {1}, 0);
    return lua_settop(L, 1), 1;
  }
  const Tensor& from = check_tensor(L, 2, "set_ expects");
  if (from.dtype() != t.dtype()) throw Error("set_ expects a {} tensor, got {}", name(t.dtype()), given_text(L, 2));
  if (lua_isnoneornil(L, 3)) {
    t.set_storage(from.storage(), from.shape(), from.strides(), from.offset());
  } else {
    Ints shape = check_ints(L, 4);
    t.set_storage(from.storage(), shape, lua_isnoneornil(L, 5) ? contiguous_strides(shape) : check_ints(L, 5),
                  check_integer(L, 3));
  }
  return lua_settop(L, 1), 1;
}

int free_now(lua_State* L) {
  if (!to_tensor(L, 1)) static_cast<void>(self(L));
  return free_tensor(L);
}

constexpr Row rows[] = {
    {"size", guarded<size>, "x:size(dim?)", "The shape as a torch.Size, or the extent of one dim."},
    {"stride", guarded<stride>, "x:stride(dim?)", "The strides in elements, as a table, or that of one dim."},
    {"dim", guarded<dim>, "x:dim()", "The number of dims."},
    {"ndimension", guarded<dim>, "x:ndimension()", "The number of dims."},
    {"numel", guarded<numel>, "x:numel()", "The number of elements."},
    {"nelement", guarded<numel>, "x:nelement()", "The number of elements."},
    {"storage_offset", guarded<storage_offset>, "x:storage_offset()",
     "The number of elements of the storage before x's first element."},
    {"element_size", guarded<element_size>, "x:element_size()", "Bytes per element."},
    {"nbytes", guarded<nbytes>, "x:nbytes()", "Bytes of all elements."},
    {"data_ptr", guarded<data_ptr>, "x:data_ptr()", "The address of the first element, as an integer."},
    {"_version", guarded<version>, "x:_version()", "How many times the storage was written in place."},
    {"is_inference", guarded<made_in_inference>, "x:is_inference()",
     "Whether the tensor was made in torch.inference_mode()."},
    {"is_view", guarded<is_view>, "x:is_view()", "Whether x is a view of another tensor, x._base."},
    {"_is_view", guarded<is_view>, "x:_is_view()", "Whether x is a view of another tensor, x._base."},
    {"item", guarded<item>, "x:item()", "The number in a tensor of one element: integer, float or boolean."},
    {"is_floating_point", guarded<floating>, "x:is_floating_point()", "Whether the dtype is a float."},
    {"is_signed", guarded<is_signed>, "x:is_signed()", "Whether the dtype has negative numbers."},
    {"is_complex", guarded<no_complex>, "x:is_complex()", "false: luth has no complex dtypes."},
    {"is_conj", guarded<no_complex>, "x:is_conj()", "false: luth has no complex dtypes."},
    {"is_neg", guarded<no_complex>, "x:is_neg()", "false: luth has no views that negate."},
    {"conj", guarded<itself>, "x:conj()", "x itself: luth has no complex numbers."},
    {"conj_physical", guarded<itself>, "x:conj_physical()", "x itself: luth has no complex numbers."},
    {"conj_physical_", guarded<itself>, "x:conj_physical_()", "x itself: luth has no complex numbers."},
    {"resolve_conj", guarded<itself>, "x:resolve_conj()", "x itself: luth has no complex numbers."},
    {"resolve_neg", guarded<itself>, "x:resolve_neg()", "x itself: luth has no views that negate."},
    {"adjoint", guarded<adjoint>, "x:adjoint()", "A view with the last two dims exchanged, as x.mH."},
    {"share_memory_", guarded<itself>, "x:share_memory_()",
     "x itself: threads share all memory; luth shares none between processes."},
    {"is_shared", guarded<no_complex>, "x:is_shared()", "false: luth shares no memory between processes."},
    {"is_set_to", guarded<is_set_to>, "x:is_set_to(y)", "Whether both are the same view of the same memory."},
    {"is_same_size", guarded<is_same_size>, "x:is_same_size(y)", "Whether the shapes are equal."},
    {"is_nonzero", guarded<is_nonzero>, "x:is_nonzero()", "Whether the only element is not 0."},
    {"is_contiguous", guarded<is_contiguous>, "x:is_contiguous({memory_format = torch.contiguous_format})",
     "Whether the elements are in memory in that order, without gaps."},
    {"resize_", guarded<resize>, "x:resize_(sizes...)", "Changes the shape in place; memory that is new is 0."},
    {"resize_as_", guarded<resize_as>, "x:resize_as_(the_template)",
     "Changes the shape of x in place to that of the_template."},
    {"set_", guarded<set>, "x:set_(source?, storage_offset?, size?, stride?)",
     "Makes x a view of the memory of source."},
    {"free", guarded<free_now>, "x:free()",
     "Frees the memory at once, before the garbage collector does. x cannot be used afterwards."},
};
constexpr Row functions[] = {
    {"numel", guarded<numel>, "torch.numel(x)", "The number of elements."},
    {"is_floating_point", guarded<floating>, "torch.is_floating_point(x)", "Whether the dtype is a float."},
    {"is_inference", guarded<made_in_inference>, "torch.is_inference(x)",
     "Whether the tensor was made in torch.inference_mode()."},
    {"is_signed", guarded<is_signed>, "torch.is_signed(x)", "Whether the dtype has negative numbers."},
    {"is_conj", guarded<no_complex>, "torch.is_conj(x)", "false: luth has no complex dtypes."},
    {"is_neg", guarded<no_complex>, "torch.is_neg(x)", "false: luth has no views that negate."},
    {"real", guarded<itself>, "torch.real(x)", "x itself: luth has no complex numbers."},
    {"conj", guarded<itself>, "torch.conj(x)", "x itself: luth has no complex numbers."},
    {"conj_physical", guarded<itself>, "torch.conj_physical(x)", "x itself: luth has no complex numbers."},
    {"conj_physical_", guarded<itself>, "torch.conj_physical_(x)", "x itself: luth has no complex numbers."},
    {"resolve_conj", guarded<itself>, "torch.resolve_conj(x)", "x itself: luth has no complex numbers."},
    {"resolve_neg", guarded<itself>, "torch.resolve_neg(x)", "x itself: luth has no views that negate."},
    {"adjoint", guarded<adjoint>, "torch.adjoint(x)", "A view with the last two dims exchanged, as x.mH."},
    {"is_complex", guarded<no_complex>, "torch.is_complex(x)", "false: luth has no complex dtypes."},
    {"resize_as_", guarded<resize_as_function>, "torch.resize_as_(x, the_template)",
     "Changes the shape of x in place to that of the_template."},
    {"is_same_size", guarded<is_same_size>, "torch.is_same_size(x, y)", "Whether the shapes are equal."},
    {"is_nonzero", guarded<is_nonzero>, "torch.is_nonzero(x)", "Whether the only element is not 0."},
};

constexpr Row element_functions[] = {
    {"apply_", nullptr, "x:apply_(f)",
     "Replaces each element by f(element). This calls Lua for each element, so it is slow."},
    {"map_", nullptr, "x:map_(y, f)",
     "Replaces each element by f(element, element of y). y broadcasts. This calls Lua for each element, so it is "
     "slow."},
};
constexpr Row lowrank_rows[] = {
    {"svd_lowrank", nullptr, "torch.svd_lowrank(A, q = 6, niter = 2, M = nil)",
     "U, S and V of the q largest singular values of A, or of A - M: A is about U diag(S) V^T. The method is a random "
     "basis and niter steps of power iteration."},
    {"pca_lowrank", nullptr, "torch.pca_lowrank(A, q = nil, center = true, niter = 2)",
     "U, S and V of A minus the mean of its rows. The columns of V are the principal directions. q defaults to 6, or "
     "fewer for a small A."},
};

}  // namespace

void open_tensor_methods(lua_State* L, int torch, int methods) {
  add_library(L, methods, "luth.torch.element_functions", element_functions);
  add_library(L, torch, "luth.torch.lowrank", lowrank_rows);
  add_functions(L, methods, rows);
  add_functions(L, torch, functions);
}

}  // namespace luth::lang
