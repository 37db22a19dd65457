#include "lang/hints/hints.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "lang/hints/lua_tokens.h"

namespace luth::lang {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_name(std::string_view t) { return !t.empty() && (isalpha(static_cast<unsigned char>(t[0])) || t[0] == '_'); }
bool is_word_of_lua(std::string_view t) {
  constexpr std::string_view words[] = {"and",      "break",  "do",     "else", "elseif", "end",  "for",
                                        "function", "goto",   "if",     "in",   "local",  "nil",  "not",
                                        "or",       "repeat", "return", "then", "until",  "while"};
  return std::find(std::begin(words), std::end(words), t) != std::end(words);
}

/// A syntax error: the tokens of its line, and the token that Lua names in the message ("" for the end).
struct Fault {
  Tokens line;
  std::string_view near;

  bool has(std::string_view word) const { return std::find(line.begin(), line.end(), word) != line.end(); }
  bool begins(std::string_view word) const { return !line.empty() && line[0] == word; }
  bool ends_with_colon() const { return !line.empty() && line.back() == ":"; }
  // if (x) {
  bool opens_brace() const {
    if (has("then") || has("do")) return false;
    bool opens = false;
    for (size_t i = 1; i < line.size(); ++i) opens |= line[i] == "{" && (line[i - 1] == ")" || line[i - 1] == "else");
    return opens && (begins("if") || begins("for") || begins("while") || begins("function") || begins("}"));
  }
  // Two tokens without a blank between them.
  bool pair(std::string_view a, std::string_view b) const {
    for (size_t i = 1; i < line.size(); ++i)
      if (line[i - 1] == a && line[i] == b && line[i - 1].data() + a.size() == line[i].data()) return true;
    return false;
  }
  // A ( that begins no call, as in a tuple.
  bool has_tuple() const {
    for (size_t i = 1; i < line.size(); ++i) {
      const std::string_view t = line[i - 1];
      const bool callee = (is_name(t) && !is_word_of_lua(t)) || t == ")" || t == "]" || t[0] == '\'' || t[0] == '"';
      if (line[i] == "(" && !callee) return true;
    }
    return false;
  }
  // A range between brackets: x[0, :], x[1:, 2].
  bool has_range() const {
    for (size_t i = 1; i + 1 < line.size(); ++i)
      if (line[i] == ":" && (line[i - 1] == "[" || line[i - 1] == "," || line[i + 1] == "]" || line[i + 1] == ","))
        return true;
    return false;
  }
  // `// this is`: two names behind two slashes.
  bool has_words_after_slashes() const {
    for (size_t i = 3; i < line.size(); ++i)
      if (line[i - 3] == "/" && line[i - 2] == "/" && is_name(line[i - 1]) && is_name(line[i])) return true;
    return false;
  }
  // The token before the first one that is `word`.
  std::string_view before(std::string_view word) const {
    auto at = std::find(line.begin(), line.end(), word);
    return at == line.begin() || at == line.end() ? "" : *(at - 1);
  }
};

std::string operator_hint(const Fault& f) {
  if (f.pair("!", "=")) return "'not equal' is written ~=; for the elements of tensors x:ne(y)";
  for (auto& [op, method] : {std::pair{"+", "add_"}, {"-", "sub_"}, {"*", "mul_"}, {"/", "div_"}, {"%", "remainder_"}})
    if (f.pair(op, "="))
      return fmt::format("Lua has no {0}=: write x = x {0} 1, or x:{1}(1) for a tensor in place", op, method);
  if (f.pair("+", "+")) return "Lua has no ++: write i = i + 1";
  if (f.pair("*", "*")) return "powers are written x ^ 2";
  if (f.pair("&", "&")) return "'and' is written and; for masks x & y";
  if (f.pair("|", "|")) return "'or' is written or; for masks x | y";
  if (f.pair(":", "=")) return "Lua has no :=: write local x = 1";
  if (f.pair("/", "*")) return "comments begin with --, or stand in --[[ … ]]";
  const bool doubled = f.near == "(" && (f.has("::") || f.pair(":", ":"));
  if (doubled || f.pair("-", ">")) return "methods are called with one colon: x:sum()";
  if (f.near == "@" && !f.begins("@")) return "products of matrices are written x:matmul(y)";
  if (f.near == "[" && f.before("[") == "}")
    return "a table that is indexed where it stands takes parentheses: ({1, 2, 3})[1]; positions count from 1";
  if (f.near == "!") return "'not' is written not x; for a mask ~x";
  if (f.begins("#")) return "comments begin with --";
  if (f.begins("@")) return "Lua has no decorators: call the function, torch.no_grad(function() … end)";
  return "";
}

// The name before an = in the parentheses of a call: f(x, dim=1).
std::string_view named_argument(const Fault& f) {
  std::vector<char> open;
  for (size_t i = 0; i < f.line.size(); ++i) {
    const char c = f.line[i][0];
    if (c == '(' || c == '{' || c == '[') open.push_back(c);
    if ((c == ')' || c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c == '=' && i > 0 && !open.empty() && open.back() == '(' && is_name(f.line[i - 1]) &&
        (i + 1 == f.line.size() || f.line[i + 1] != "="))
      return f.line[i - 1];
  }
  return "";
}

std::string bracket_hint(const Fault& f) {
  if (f.near == "=")
    if (std::string name(named_argument(f)); !name.empty())
      return fmt::format("named arguments stand in a table in last place: f(x, {{{} = …}})", name);
  if (f.begins("for") || f.begins("while") || f.begins("if")) return "";
  if (f.near == "," && !f.has("[") && f.has_tuple()) return "tuples are written with braces: {2, 3}";
  if (f.has("[") && (f.near == "," ? f.has_range() : (f.near == ":" || f.near == "]") && f.has(":")))
    return "ranges are tables, and positions count from 1: x[{ {}, 1 }] is Python's x[:, 0], x[{ {1, 3} }] its x[0:3]";
  if (f.near == "," && f.has("[")) return "several indices stand in a table: x[{i, j}]";
  if (f.has("{") && f.has(":") && !f.has("(")) return "fields of a table are written {a = 1, ['two words'] = 2}";
  const std::string_view before = f.before("[");
  if (f.near == "[" && (before == "=" || before == "(" || before == "," || before == "return"))
    return "lists are written with braces: {1, 2, 3}";
  return "";
}

std::string reserved_hint(const Fault& f) {
  if (!is_word_of_lua(f.near)) return "";
  const std::string_view dot = f.before(f.near);
  if (dot != "." && dot != ":") return "";
  if (f.near == "repeat") return "repeat is a word of Lua: write x:repeatTensor(2, 1) or x['repeat'](x, 2, 1)";
  return fmt::format("{0} is a word of Lua: write x['{0}']", f.near);
}

// Words of other languages with which no statement of Lua begins.
std::string statement_hint(const Fault& f) {
  constexpr std::string_view statements[][2] = {
      {"import", "torch, nn, optim, data and F are there at start; local m = require 'm' reads a file m.lua"},
      {"from", "torch, nn, optim, data and F are there at start; local m = require 'm' reads a file m.lua"},
      {"def", "functions are written local function f(x) … end"},
      {"async", "functions are written local function f(x) … end"},
      {"class",
       "classes of modules: local Net = nn.class('Net'); function Net:init(…) … end; function Net:forward(x) … end"},
      {"elif", "it is written elseif condition then"},
      {"try", "errors are caught by local ok, message = pcall(function() … end)"},
      {"except", "errors are caught by local ok, message = pcall(function() … end)"},
      {"finally", "errors are caught by local ok, message = pcall(function() … end)"},
      {"with",
       "scopes are variables: local _ <close> = torch.no_grad(); or take a function: torch.no_grad(function() … end)"},
      {"print", "print is a function: print(x)"},
      {"del", "write x = nil, or t[key] = nil"},
      {"raise", "errors are raised by error('message')"},
      {"throw", "errors are raised by error('message')"},
      {"assert", "assert is a function: assert(condition, 'message')"},
      {"global", "names without local are global already"},
      {"nonlocal", "a local of an enclosing function is assigned as it is"},
      {"var", "variables are declared by local x = 1"},
      {"let", "variables are declared by local x = 1"},
      {"const", "constants are declared by local x <const> = 1"},
      {"pass", "an empty block needs nothing: if x then end"},
      {"continue", "Lua has no continue: goto continue, with ::continue:: at the end of the block"},
      {"yield", "coroutine.yield(x) in a function that coroutine.wrap was given"},
      {"switch", "write if … then … elseif … then … end"},
  };
  if (f.line.size() > 1 && f.line[1] == "(" && (f.begins("print") || f.begins("assert"))) return "";  // Lua's own calls
  for (auto& [word, hint] : statements)
    if (f.begins(word)) return std::string(hint);
  return "";
}

std::string block_hint(const Fault& f) {
  if (f.has("lambda")) return "functions without a name are written function(x) return x + 1 end";
  if (f.has("elif")) return "it is written elseif condition then";
  if (f.begins("for") && f.has("range")) return "numbers are counted by for i = 1, n do … end";
  if (f.opens_brace()) return "blocks are written without braces: if … then … end, function f(x) … end";
  if (f.begins("for") && f.ends_with_colon()) return "loops are written for i, v in ipairs(t) do … end";
  if (f.begins("while") && f.ends_with_colon()) return "loops are written while condition do … end";
  if (f.has_words_after_slashes()) return "comments begin with --; // divides and rounds down";
  if (f.has("is")) return "write x == nil or x ~= nil; rawequal(a, b) for the same object";
  if (f.begins("if") && f.near == "in") return "whether a table has something: t[key] ~= nil";
  if ((f.begins("if") || f.begins("elseif")) && (f.ends_with_colon() || f.near == ":"))
    return "conditions are written if … then … end";
  if (f.has("function") && f.near == ":") return "functions are written function(x) … end, without a colon";
  if (f.begins("else") && f.ends_with_colon()) return "it is written else, without a colon";
  if (f.has("if") && f.has("else") && !f.begins("if"))
    return "write x = condition and a or b (a must not be false or nil)";
  if (f.has("null")) return "it is nil";
  return "";
}

std::string fault_hint(const Fault& f) {
  for (auto* look : {operator_hint, reserved_hint, statement_hint, block_hint, bracket_hint})
    if (std::string hint = look(f); !hint.empty()) return hint;
  return "";
}

// ---- messages ----

bool is_field(std::string_view name) {
  constexpr std::string_view fields[] = {"shape", "dtype",   "device", "grad", "grad_fn", "is_leaf", "requires_grad",
                                         "data",  "is_cuda", "ndim",   "T",    "mT",      "H",       "mH"};
  return std::find(std::begin(fields), std::end(fields), name) != std::end(fields);
}

// x:shape without a call: "function arguments expected near ')'". The last name behind a colon that nothing calls.
std::string colon_hint(const Tokens& line) {
  if (std::find(line.begin(), line.end(), "lambda") != line.end()) return "";
  for (size_t i = line.size(); i-- > 1;) {
    if (line[i - 1] != ":" || !is_name(line[i])) continue;
    const std::string_view next = i + 1 < line.size() ? line[i + 1] : "";
    if (next == "]") return "";  // a range
    if (!next.empty() && std::string_view("({'\"").find(next[0]) != std::string_view::npos) continue;
    if (is_field(line[i])) return fmt::format("{0} is a field, and takes a dot: x.{0}", line[i]);
    return fmt::format("a method is called: x:{}()", line[i]);
  }
  return "";
}

std::string line_of(const std::string& text, int number) {
  size_t at = 0;
  for (int i = 1; i < number; ++i) {
    at = text.find('\n', at);
    if (at == text.npos) return "";
    ++at;
  }
  return text.substr(at, text.find('\n', at) - at);
}

// Lua reads on after `for x in y:`, `if (x) {` and `lambda x:`, at worst to the end of the text.
std::string hint_before(const std::string& text, int number, bool to_the_start) {
  for (int i = number - 1; i > 0 && (to_the_start || i >= number - 3); --i) {
    const std::string line = line_of(text, i);
    const Fault fault{split_tokens(line), ":"};
    const bool python = fault.ends_with_colon() || fault.has("lambda");
    if (!python && !fault.opens_brace()) continue;
    std::string hint = statement_hint(fault);
    if (hint.empty()) hint = block_hint(fault);
    if (!hint.empty()) return hint;
  }
  return "";
}

// "train.lua:12: 'then' expected near ':'" -> the hint on that line.
std::string syntax_hint(std::string_view message, const std::string* source) {
  const size_t near = message.find(" near ");
  if (near == message.npos) return "";
  size_t colon = message.npos, number = 0;  // the last "name:12: " before it
  for (size_t at = message.find(':'); at < near; at = message.find(':', at + 1)) {
    size_t end = at + 1;
    while (end < near && isdigit(static_cast<unsigned char>(message[end]))) ++end;
    if (end > at + 1 && message[end] == ':') colon = at, number = end;
  }
  if (colon == message.npos) return "";
  const int line_number = std::atoi(std::string(message.substr(colon + 1, number - colon - 1)).c_str());
  std::string text;
  if (!source) {
    size_t start = message.find_last_of("\n\t ", colon);
    start = start == message.npos ? 0 : start + 1;
    const std::string path(message.substr(start, colon - start));
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return "";  // a pipe has been read, and would be waited for
    std::ifstream file(path);
    text.assign(std::istreambuf_iterator<char>(file), {});
    source = &text;
  }
  std::string_view token = message.substr(near + 6);
  token = token.starts_with("<eof>") ? "" : token.substr(1, token.rfind('\'') - 1);
  const std::string line = line_of(*source, line_number);
  if (message.find("function arguments expected") != message.npos)
    for (int i = line_number; i > 0 && i > line_number - 3; --i)
      if (std::string hint = colon_hint(split_tokens(line_of(*source, i))); !hint.empty()) return hint;
  std::string hint = fault_hint({split_tokens(line), token});
  return hint.empty() ? hint_before(*source, line_number, token.empty()) : hint;
}

// The name in "... nil value (global 'range')".
std::string_view quoted_after(std::string_view message, std::string_view words) {
  const size_t at = message.find(words);
  if (at == message.npos) return "";
  const size_t start = at + words.size();
  return message.substr(start, message.find('\'', start) - start);
}

// Of errors that name no name.
std::string value_hint(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != message.npos; };
  if (has("attempt to mod a 'string'")) return "texts are formatted by string.format('%d', n)";
  if (has("attempt to mul a 'string'")) return "texts are repeated by string.rep(text, n)";
  if (has("attempt to add a 'string'") || (has("attempt to add a '") && has("with a 'string'")))
    return "texts are joined by .. : 'a' .. 1";
  if (has("attempt to call a table value (for iterator"))
    return "a table is walked by ipairs or pairs: for _, p in ipairs(m:parameters()) do";
  if (has("attempt to call a nil value (field '?')"))
    return "the table has nothing at the key in the brackets; print the key and the table";
  if (has("number expected, got torch.Tensor")) return "a tensor of one element becomes a number by x:item()";
  if (has("attempt to call a boolean value (method 'training')")) return "a module is set to training by m:train()";
  for (auto words : {"value (method '", "value (field '"}) {
    const std::string_view name = has("attempt to call a") ? quoted_after(message, words) : "";
    if (name == "shape") return "shape is a field: x.shape[1]; or x:size(1)";
    if (is_field(name)) return fmt::format("{0} is a field: x.{0}", name);
  }
  return "";
}

// A misspelt method of a module: a missing one is nil, so that a module may have any field.
std::string method_hint(std::string_view message) {
  const std::string name(quoted_after(message, "a nil value (method '"));
  const std::string near = name.empty() ? "" : nearest(name, module_methods());
  return near.empty() ? "" : fmt::format("modules have the method m:{}(…)", near);
}

// A misspelt function of Lua's own, or a table of luth's.
std::string global_hint(std::string_view message) {
  static const std::vector<std::string> names = {
      "assert",       "breakpoint",  "collectgarbage", "coroutine", "data",     "debug",  "dofile", "error",   "help",
      "ipairs",       "io",          "load",           "math",      "next",     "nn",     "optim",  "os",      "pairs",
      "pcall",        "print",       "package",        "rawequal",  "rawget",   "rawlen", "rawset", "require", "select",
      "string",       "table",       "tonumber",       "torch",     "tostring", "type",   "utf8",   "warn",    "xpcall",
      "setmetatable", "getmetatable"};
  std::string near;
  for (auto words : {"call a nil value (global '", "index a nil value (global '"})
    if (const std::string name(quoted_after(message, words)); !name.empty()) near = nearest(name, names);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

std::string name_hint(std::string_view message) {
  struct Kind {
    std::string_view words, owner;
  };
  for (auto& [words, owner] : {Kind{"a nil value (global '", "global"}, Kind{"a nil value (method '", "m"},
                               Kind{"a nil value (field '", "m"}, Kind{"module '", "global"}}) {
    if (words == "module '" && message.find("' not found:") == message.npos) continue;
    const std::string_view name = quoted_after(message, words);
    if (name.empty()) continue;
    if (words == "module '" && (name == "cudnn" || name == "cunn" || name == "cutorch" || name == "torch7"))
      return "nothing of that kind is required: torch, nn and optim are there at start, and model:cuda() moves a model";
    if (std::string hint = foreign_hint(owner, name); !hint.empty()) return hint.substr(2);
  }
  return "";
}

}  // namespace

std::vector<std::string>& module_methods() {
  static std::vector<std::string> names;
  return names;
}

std::string hint_on(std::string_view message, const std::string* source) {
  std::string hint = syntax_hint(message, source);
  if (hint.empty()) hint = name_hint(message);
  if (hint.empty()) hint = value_hint(message);
  if (hint.empty()) hint = method_hint(message);
  if (hint.empty()) hint = global_hint(message);
  return hint.empty() ? hint : "\nhint: " + hint;
}

}  // namespace luth::lang
