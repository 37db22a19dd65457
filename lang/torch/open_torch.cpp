// Makes the table `torch` of its parts.
#include "core/tensor/print.h"
#include "lang/autograd/open_autograd.h"
#include "lang/binding/bind.h"
#include "lang/collector/graph_roots.h"
#include "lang/collector/pacer.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/ref.h"
#include "lang/tensor/tensor_class.h"
#include "lang/torch/torch.h"
#include "lang/values/generator.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

// Torch7's names of in-place methods, where PyTorch has no other function of that name.
constexpr OtherName torch7_names[] = {{"fill", "fill_"},
                                      {"zero", "zero_"},
                                      {"copy", "copy_"},
                                      {"resize", "resize_"},
                                      {"resizeAs", "resize_as_"},
                                      {"nElement", "numel"},
                                      {"nDimension", "dim"},
                                      {"repeatTensor", "repeat"},
                                      {"uniform", "uniform_"},
                                      {"normal", "normal_"},
                                      {"storageOffset", "storage_offset"},
                                      {"isContiguous", "is_contiguous"},
                                      {"isSameSizeAs", "is_same_size"}};
// Methods that PyTorch has as functions too, though they work in place.
constexpr OtherName method_functions[] = {{"zero_", "zero_"}, {"detach_", "detach_"}, {"get_device", "get_device"}};

// The other names of methods that are no operators.
void add_other_names(lua_State* L, int table, int methods, std::span<const OtherName> names) {
  for (auto& [other, own] : names) {
    lua_pushstring(L, own);
    rawget_or_late(L, methods);
    if (lua_isnil(L, -1))
      lua_pop(L, 1);
    else
      lua_setfield(L, table, other);
  }
}

void open_torch(lua_State* L) {
  set_shown_base(1);
  open_refs(L);
  open_graph_roots(L);
  open_pacer(L);
  lua_createtable(L, 0, 64);  // room for what is made at the start
  int torch = lua_gettop(L);
  lua_newtable(L);
  int methods = lua_gettop(L);
  lua_pushvalue(L, torch);
  open_values(L);
  lua_pop(L, 1);
  open_tensor_metatable(L, methods);
  open_tensor_methods(L, torch, methods);
  open_tensor_convert(L, torch, methods);
  open_tensor_make(L, torch, methods);
  open_tensor_bytes(L, torch, methods);
  open_autograd(L, torch, methods);
  open_autocast(L, torch);
  open_torch_functions(L, torch);
  open_cuda(L, torch, methods);
  open_backends(L, torch);
  open_index(L, torch);
  open_einsum(L, torch);
  add_other_names(L, methods, methods, torch7_names);
  add_other_names(L, torch, methods, method_functions);
  lua_pushvalue(L, methods);
  lua_setfield(L, torch, "Tensor");
  lua_pushvalue(L, torch);
  lua_setglobal(L, "torch");
}

const Open opener("torch", Open::tables, open_torch);

// Operators, and what needs the kernels of the CPU.
class TorchNames final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    if (name == "default_generator") return push_default_generator(L), true;
    return functions_.push(L, name);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list = functions_.names();
    list.push_back("default_generator");
    return list;
  }

 private:
  OperatorNames functions_{{""}, is_function, method_functions};
};

// After everything that asks whether a table has a name, since the first question makes the list of all operators.
void open_operators(lua_State* L) {
  static const TorchNames functions;
  static const OperatorNames tensor_methods({""}, is_method, torch7_names);
  lua_getglobal(L, "torch");
  lua_getfield(L, 1, "Tensor");
  set_space_names(L, 1);
  add_late_names(L, 1, functions);
  add_late_names(L, 2, tensor_methods);
}
const Open operators_opener("luth.operators", Open::extras + 40, open_operators);

}  // namespace
}  // namespace luth::lang
