// The binder: functions of Lua made from the registry of operators. A function has an overload for each operator of its
// name.
#pragma once
#include <atomic>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/op/op.h"
#include "lang/runtime/late_names.h"
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
/// Adds the functions of operators that were registered since: those of a library that was loaded.
void bind_new_operators();
/// Null for an unknown name.
const Function* find_function(const std::string& name);
/// The Function behind the Lua function at `index`; null for any other value.
const Function* to_function(lua_State* L, int index);

/// "max(input, dim, {keepdim = false})"; without the input whose method it is: "max(dim, {keepdim = false})".
std::string signature(const Function& function, const Overload& overload, bool method = false);
/// The prefix of the function's name in help: "torch.", "torch.nn.functional.", or "x:" where PyTorch has a method
/// alone.
std::string_view prefix(const Function& function);
/// Calls the function with the arguments on the stack. Pushes the results and returns their number.
int call_function(lua_State* L, const Function& function);

/// Functions as late names: those that lie behind one of the prefixes ("linalg.") and are `wanted`.
class OperatorNames final : public LateNames {
 public:
  using Wanted = bool(const Function&);
  OperatorNames(std::vector<std::string> prefixes, Wanted* wanted) : prefixes_(std::move(prefixes)), wanted_(wanted) {}
  bool push(lua_State* L, std::string_view name) const override;
  std::vector<std::string> names() const override;

 private:
  const Function* found(std::string_view name) const;
  std::vector<std::string> prefixes_;
  Wanted* wanted_;
};
bool is_function(const Function& f);
bool is_method(const Function& f);

/// Gives the tables below torch ("linalg") their functions.
void set_space_names(lua_State* L, int torch);
/// Gives the table nn.functional all functions of operators on tensors.
void set_functional_names(lua_State* L, int functional);

}  // namespace luth::lang
