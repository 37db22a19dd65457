// Operators in Lua, from the registry alone: what a script calls (a Face), the operators behind it (Forms), their
// parameters.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/op/op.h"
#include "lang/values/values.h"

namespace luth::lang {

/// One argument of a form, an input or an attribute.
struct Param {
  std::string name;
  std::string also;     // a second name of PyTorch's, or ""
  std::string doc;      // of an attribute
  bool input = false;   // else an attribute
  int at = 0;           // which input, or which attribute in the order of describe
  bool number = false;  // an input that may be a number
  bool list = false;    // an input that is a table of tensors
  bool required = false;
  bool named = false;      // only by name
  bool takes_nil = false;  // torch.none is a value for it
  FieldInfo field{};       // of an attribute
  Attr otherwise;          // its default
};

/// How one operator is called.
struct Form {
  const OpInfo* info = nullptr;
  std::vector<Param> params;  // the positional ones first, in their order
  int positional = 0;
  int inputs = 0;
  int least = 0;                  // inputs that must be there
  int leading = 0;                // inputs that come first, in their order
  bool quick = false;             // may be called with its inputs alone, none of them a list
  bool makes = false;             // takes requires_grad: it makes tensors from attributes
  std::vector<int> of_attribute;  // attribute number -> position in params, -1 for one that the language sets
  OpValue defaults;               // with `base` set to 1
};

/// What a script calls: `max`, `max_`.
class Face {
 public:
  std::string name;
  bool inplace = false;
  bool function = false, method = false;
  std::vector<const OpInfo*> operators;  // in the order in which they are tried

  /// One per operator. Made when the face is first used: a program uses few of them, and starts sooner.
  const std::vector<const Form*>& forms() const {
    return made_.load(std::memory_order_acquire) ? forms_ : make_forms();
  }

 private:
  const std::vector<const Form*>& make_forms() const;
  mutable std::vector<const Form*> forms_;
  mutable std::atomic<bool> made_{false};
};

/// All faces by name, made once from the registry after the CPU's kernels are there.
const std::map<std::string, Face>& faces();
/// The face of a function, or null for any other value.
const Face* to_face(lua_State* L, int index);

/// Names the parameters as PyTorch's documentation does where its parser has another name, which stays as `also`.
void set_second_names(Form& form);
/// "max(input, dim, {keepdim = false})"; without the input whose method it is: "max(dim, {keepdim = false})".
std::string signature(const Face& face, const Form& form, bool method = false);
/// What stands before a face's name in help: "torch.", "torch.nn.functional.", or "x:" where PyTorch has a method
/// alone.
std::string_view prefix(const Face& face);
/// What a call of the face with the arguments on the stack does: pushes its results and returns their number.
int call_face(lua_State* L, const Face& face);

/// Puts the functions into the table `torch`, those with dots in their names into tables below it, and the methods into
/// the table `methods`.
void bind_operators(lua_State* L, int torch, int methods);

}  // namespace luth::lang
