// Errors of calls: they name the wrong argument, the expected type, and the name that was probably meant.
#pragma once
#include <string>
#include <string_view>

#include "lang/binding/bind.h"

namespace luth::lang {

/// The arguments of a call: by position at 1 … positions, and named ones, whose values lie above them on the stack.
struct CallArguments {
  struct Named {
    std::string_view name;
    int index;
  };
  int positions = 0;
  int top = 0;  // positions with the nils at the end, which count as not given
  Small<Named, 8> named;
  int out = 0, requires_grad = 0, generator = 0, inplace = 0;
};

/// The reason why an overload does not fit.
struct Mismatch {
  enum Why { none, too_many, unknown, twice, missing, kind } why = none;
  int param = 0;
  int index = 0;          // on the stack
  std::string_view name;  // of a named argument
};

/// The number of the parameter of that name, or of that second name; -1 if there is none. `stop` stands for `end`.
int find_param(const Overload& overload, std::string_view name);

/// The messages about a call of `function` with the arguments `given`.
class CallErrors {
 public:
  CallErrors(lua_State* L, const Function& function, const CallArguments& given)
      : L_(L), function_(function), given_(given) {}

  /// "argument 2 (dim)", "argument 'dim'". Counted as the caller counts: a method's own tensor does not count.
  std::string argument_text(const Param& p, int index, bool position = false) const;
  /// Throws the error for a function with one overload.
  [[noreturn]] void refuse(const Overload& overload, const Mismatch& m) const;
  /// Throws the error for a function none of whose overloads fits.
  [[noreturn]] void refuse() const;

 private:
  int is_method() const;
  std::string explain(const Overload& overload, const Mismatch& m) const;
  std::string colon_hint() const;
  std::string nearest_name(std::string_view name) const;
  bool known_name(std::string_view name) const;
  std::string overloads_text() const;

  lua_State* L_;
  const Function& function_;
  const CallArguments& given_;
};

}  // namespace luth::lang
