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

char methods_key;  // registry: the methods of tensors

// A second name of a method.
struct OtherName {
  const char *other, *own;
};
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

// The other names of methods.
class MethodNames final : public LateNames {
 public:
  explicit MethodNames(std::span<const OtherName> names) : names_(names) {}
  bool push(lua_State* L, std::string_view name) const override {
    for (auto& [other, own] : names_)
      if (name == other) return push_method(L, own), true;
    return false;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (auto& [other, own] : names_) list.emplace_back(other);
    return list;
  }

 private:
  static void push_method(lua_State* L, const char* own) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &methods_key);
    lua_pushstring(L, own);
    rawget_or_late(L, -2);
    lua_remove(L, -2);
  }
  std::span<const OtherName> names_;
};

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
  lua_pushvalue(L, methods);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &methods_key);
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
  OperatorNames functions_{{""}, is_function};
};

// After everything that asks whether a table has a name, since the first question makes the list of all operators.
void open_operators(lua_State* L) {
  static const TorchNames functions;
  static const OperatorNames tensor_methods({""}, is_method);
  static const MethodNames other_functions(method_functions), other_methods(torch7_names);
  lua_getglobal(L, "torch");
  lua_getfield(L, 1, "Tensor");
  set_space_names(L, 1);
  add_late_names(L, 1, functions);
  add_late_names(L, 1, other_functions);
  add_late_names(L, 2, tensor_methods);
  add_late_names(L, 2, other_methods);
}
const Open operators_opener("luth.operators", Open::extras + 40, open_operators);

}  // namespace
}  // namespace luth::lang
