// The binder: functions of Lua made from the registry of operators. A function has an overload for each operator of its
// name.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/op/op.h"
#include "lang/values/values.h"

namespace luth::lang {

/// A parameter of an overload: an input or an attribute of the operator.
struct Param {
  std::string name;
  std::string also;     // a second name of PyTorch's, or ""
  std::string doc;      // of an attribute
  bool input = false;   // else an attribute
  int at = 0;           // number of the input, or of the attribute in the order of describe
  bool number = false;  // an input that may be a number
  bool list = false;    // an input that is a table of tensors
  bool required = false;
  bool named = false;      // by name only
  bool takes_nil = false;  // torch.none is a value for it
  FieldInfo field{};       // of an attribute
  Attr otherwise;          // its default
};

/// The signature of one operator.
struct Overload {
  const OpInfo* info = nullptr;
  std::vector<Param> params;  // the positional ones first, in their order
  int positional = 0;
  int inputs = 0;
  int least = 0;                  // number of required inputs
  int leading = 0;                // number of inputs that come first in params, in their order
  bool quick = false;             // can be called with inputs alone, none of them a list
  bool makes = false;             // takes requires_grad: it makes tensors from attributes
  std::vector<int> of_attribute;  // attribute number -> position in params, -1 for one that the language sets
  OpValue defaults;               // with `base` set to 1
};

/// A function that a script calls, such as `max` or `max_`.
class Function {
 public:
  std::string name;
  bool inplace = false;
  bool is_function = false, is_method = false;  // in `torch`, in the methods of tensors
  bool is_functional = false;                   // PyTorch has it in torch.nn.functional alone
  std::vector<const OpInfo*> operators;         // in the order in which they are tried

  /// One overload per operator. They are made at the first use, so that a program starts sooner.
  const std::vector<const Overload*>& overloads() const {
    return made_.load(std::memory_order_acquire) ? overloads_ : make_overloads();
  }

 private:
  const std::vector<const Overload*>& make_overloads() const;
  mutable std::vector<const Overload*> overloads_;
  mutable std::atomic<bool> made_{false};
};

/// All functions by name, made once from the registry after the CPU's kernels are there.
const std::map<std::string, Function>& bound_functions();
/// The Function behind the Lua function at `index`; null for any other value.
const Function* to_function(lua_State* L, int index);

/// "max(input, dim, {keepdim = false})"; without the input whose method it is: "max(dim, {keepdim = false})".
std::string signature(const Function& function, const Overload& overload, bool method = false);
/// The prefix of the function's name in help: "torch.", "torch.nn.functional.", or "x:" where PyTorch has a method
/// alone.
std::string_view prefix(const Function& function);
/// Calls the function with the arguments on the stack. Pushes the results and returns their number.
int call_function(lua_State* L, const Function& function);

/// Puts the functions into the table `torch`, those with dots in their names into tables below it, and the methods into
/// the table `methods`.
void bind_operators(lua_State* L, int torch, int methods);

}  // namespace luth::lang
