// Errors of calls of faces: which argument is wrong, what was expected there, what was meant.
#pragma once
#include <string>
#include <string_view>

#include "lang/binding/bind.h"

namespace luth::lang {

/// What the script gave: arguments by position 1 … positions, and named ones, whose values lie further up the stack.
struct Given {
  struct Named {
    std::string_view name;
    int index;
  };
  int positions = 0;
  int top = 0;  // with the nils at the end, which count as not given
  Small<Named, 8> named;
  int out = 0, requires_grad = 0, generator = 0, inplace = 0;
};

/// Why a form does not fit.
struct Mismatch {
  enum Why { none, too_many, unknown, twice, missing, kind } why = none;
  int param = 0;
  int index = 0;          // on the stack
  std::string_view name;  // of a named argument
};

/// The number of the parameter of that name, where `end` may be called `stop`; -1 if there is none.
int find_param(const Form& form, std::string_view name);

/// What to say about a call of `face` with what was `given`.
class CallErrors {
 public:
  CallErrors(lua_State* L, const Face& face, const Given& given) : L_(L), face_(face), given_(given) {}

  /// "argument 2 (dim)": counted as the caller counts, so a method's own tensor does not count.
  std::string place(const Param& p, int index, bool position = false) const;
  /// Throws what is wrong with the only form.
  [[noreturn]] void refuse(const Form& form, const Mismatch& m) const;
  /// Throws that no form fits.
  [[noreturn]] void refuse() const;

 private:
  int is_method() const;
  std::string explain(const Form& form, const Mismatch& m) const;
  std::string colon_hint() const;
  std::string nearest_name(std::string_view name) const;
  bool known_name(std::string_view name) const;
  std::string forms_text() const;

  lua_State* L_;
  const Face& face_;
  const Given& given_;
};

}  // namespace luth::lang
