// The overload of torch.einsum with a list of labels after each operand: einsum(a, {1, 2}, b, {2, 3}).
#include <algorithm>

#include "lang/binding/bind.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/tensor/tensor_class.h"

namespace luth::lang {
namespace {

constexpr int labels = 52;  // A to Z, a to z: in the order of numbers

// The letters of the list at `index`: its numbers are only names, so they may begin with 0 or 1.
std::string letters(lua_State* L, int index) {
  std::string text;
  each_element(L, index, [&](int at, lua_Integer) {
    int whole = 0;
    const lua_Integer v = lua_type(L, at) == LUA_TNUMBER ? lua_tointegerx(L, at, &whole) : 0;
    if (lua_type(L, at) == LUA_TSTRING && std::string_view(lua_tostring(L, at)) == "...")
      text += "...";
    else if (whole && v >= 0 && v < labels)
      text += char(v < 26 ? 'A' + v : 'a' + v - 26);
    else
      throw Error("einsum: labels in lists are integers from 0 to {} or '...', got {}", labels - 1, given_text(L, at));
  });
  return text;
}

// (a, {1, 2}, b, {2, 3}, {1, 3}) on the stack becomes ('BC,CD->BD', a, b).
void lists_to_equation(lua_State* L) {
  const int n = lua_gettop(L);
  std::string equation;
  for (int i = 1; i <= n; i += 2) {
    const bool operand = to_tensor(L, i), last = !operand && i == n;
    if (!(last ? lua_istable(L, i) : operand && i < n && lua_istable(L, i + 1)))
      throw Error(
          "einsum: each operand is followed by the list of its labels, einsum(a, {{1, 2}}, b, {{2, 3}}, {{1, 3}}); "
          "argument {} is {}. Or write an equation: einsum('ij,jk->ik', a, b)",
          operand && i < n ? i + 1 : i, given_text(L, operand && i < n ? i + 1 : i));
    equation += last ? "->" + letters(L, i) : (i > 1 ? "," : "") + letters(L, i + 1);
  }
  lua_pushlstring(L, equation.data(), equation.size());
  for (int i = 1; i < n; i += 2) lua_pushvalue(L, i);
  lua_rotate(L, 1, lua_gettop(L) - n);
  lua_settop(L, 1 + n / 2);
}

int einsum(lua_State* L) {
  static const Function& function = *find_function("einsum");
  if (to_tensor(L, 1)) lists_to_equation(L);
  return call_function(L, function);
}

constexpr Row rows[] = {
    {"einsum", guarded<einsum>, "torch.einsum(equation, operands...)  or  torch.einsum(a, {1, 2}, b, {2, 3}, {1, 3})",
     "The sum of products that an equation describes: torch.einsum('bij,bjk->bik', a, b). Each letter is the label of "
     "a dim. A label that the output does not have is summed over. A label that occurs twice in one operand takes its "
     "diagonal. '...' stands for all other dims, which broadcast. Without '->' the result has the labels that occur "
     "once, in order. Labels may also be lists of integers or '...' after each operand; the last list is that of the "
     "result."},
};

}  // namespace

void open_einsum(lua_State* L, int torch) { add_functions(L, torch, rows); }

}  // namespace luth::lang
