#include "lang/prompt/context.h"

#include <algorithm>
#include <cstdlib>

#include "lang/hints/lua_lexer.h"

namespace luth::lang {
namespace {

using TokenKind = LuaToken::Kind;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), tokens_(lua_tokens(text)) {}

  Context read() {
    Context c;
    size_t end = tokens_.size();
    if (end > 0 && tokens_[end - 1].open) {
      const auto& last = tokens_[--end];
      if (last.kind == TokenKind::comment) return c.kind = Context::Kind::nothing, c;
      c.kind = Context::Kind::text;
      c.typed = text_.substr(last.begin + 1);
      find_call(end, c);
      Path callee;  // of a call without brackets: require 'name
      if (end > 0 && tokens_[end - 1].kind == TokenKind::name && path_before(end, callee)) {
        c.call = callee;
        c.is_method_call = method_call(end);
      }
      if (end == 0 || !is(end - 1, "[") || !path_before(end - 1, c.owner)) c.owner.clear();
      return c;
    }
    const bool touches = end > 0 && tokens_[end - 1].end == text_.size();
    if (touches && tokens_[end - 1].kind == TokenKind::comment) return c.kind = Context::Kind::nothing, c;
    if (touches && tokens_[end - 1].kind == TokenKind::number) return c.kind = Context::Kind::nothing, c;
    if (touches && is_word(end - 1)) c.typed = word(--end);
    place(end, c);
    return c;
  }

 private:
  std::string_view word(size_t i) const { return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin); }
  bool is_word(size_t i) const {
    const auto kind = tokens_[i].kind;
    return kind == TokenKind::name || kind == TokenKind::keyword || kind == TokenKind::constant;
  }
  bool is(size_t i, std::string_view sign) const { return i < tokens_.size() && word(i) == sign; }

  // What may follow the first `end` tokens.
  void place(size_t end, Context& c) {
    using Kind = Context::Kind;
    find_call(end, c);
    if (end == 0) return;
    const size_t last = end - 1;
    if (is(last, ".") || is(last, ":")) {
      c.kind = is(last, ".") ? Kind::field : Kind::method;
      if (!path_before(last, c.owner)) c.kind = Kind::nothing;
    } else if (is(last, "local") || is(last, "for") || is(last, "goto") || is(last, "::") || declares(last)) {
      c.kind = is(last, "local") && std::string_view("function").starts_with(c.typed) ? Kind::statement : Kind::nothing;
    } else if (tokens_[last].kind == TokenKind::sign && !is(last, ")") && !is(last, "]") && !is(last, "}") &&
               !is(last, ";") && !is(last, "...")) {
      c.kind = Kind::value;
      if ((is(last, "{") || is(last, ",")) && in_options_) c.kind = Kind::option;
    } else if (is(last, "return") || is(last, "and") || is(last, "or") || is(last, "not") || is(last, "in") ||
               is(last, "if") || is(last, "while") || is(last, "until") || is(last, "elseif")) {
      c.kind = Kind::value;
    }
  }

  // Whether a list of new names goes on: `local a, `, `function f(a, `, `for i, `.
  bool declares(size_t last) const {
    size_t i = last;
    while (i > 0 && is(i, ",") && tokens_[i - 1].kind == TokenKind::name) i -= 2;
    return is(i, "local") || is(i, "for") || (is(i, "(") && is_of_function(i));
  }
  // Whether the bracket at `i` opens the parameters of a function that is being defined.
  bool is_of_function(size_t i) const {
    while (i-- > 0 && (tokens_[i].kind == TokenKind::name || is(i, ".") || is(i, ":"))) {}
    return i < tokens_.size() && is(i, "function");
  }

  // The path that ends before token `end`, a dot, colon or opening bracket.
  bool path_before(size_t end, Path& path) const {
    size_t i = end;
    for (;;) {
      if (i == 0) return false;
      --i;
      if (is(i, "]") && i >= 3 && is(i - 2, "[")) {
        const auto inner = word(i - 1);
        const auto kind = tokens_[i - 1].kind;
        if (kind == TokenKind::number)
          path.insert(path.begin(), {"", atoll(std::string(inner).c_str())});
        else if (kind == TokenKind::string && inner.size() >= 2)
          path.insert(path.begin(), {std::string(inner.substr(1, inner.size() - 2)), 0});
        else
          return false;
        i -= 2;
        continue;
      }
      if (tokens_[i].kind != TokenKind::name) return false;
      path.insert(path.begin(), {std::string(word(i)), 0});
      if (i == 0 || (!is(i - 1, ".") && !is(i - 1, ":"))) return true;
      --i;
    }
  }

  // The innermost call around the first `end` tokens: f(…  f{…  f(…, {…
  void find_call(size_t end, Context& c) {
    std::vector<size_t> open;
    for (size_t i = 0; i < end; ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) open.push_back(i);
      if ((is(i, ")") || is(i, "}") || is(i, "]")) && !open.empty()) open.pop_back();
    }
    in_options_ = false;
    if (open.empty()) return;
    size_t at = open.back();
    const bool braces = is(at, "{");
    if (braces && open.size() > 1 && is(open[open.size() - 2], "(") && (is(at - 1, ",") || is(at - 1, "(")))
      at = open[open.size() - 2];
    if (is(at, "[") || !path_before(at, c.call)) return c.call.clear();
    if (is_of_function(at)) return c.call.clear();
    c.is_method_call = method_call(at);
    in_options_ = braces;
    if (braces) options(open.back(), end, c);
  }
  // Whether a colon stands before the last name of the path before `at`.
  bool method_call(size_t at) const { return at >= 2 && is(at - 2, ":"); }

  void options(size_t brace, size_t end, Context& c) const {
    int depth = 0;
    for (size_t i = brace + 1; i < end; ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) ++depth;
      if (is(i, ")") || is(i, "}") || is(i, "]")) --depth;
      if (depth > 0 || tokens_[i].kind != TokenKind::name || !is(i + 1, "=") || i + 1 >= end) continue;
      c.used.emplace_back(word(i));
      if (i + 2 == end || (i + 4 == end && is(i + 3, "."))) c.option = word(i);
    }
  }

  std::string_view text_;
  std::vector<LuaToken> tokens_;
  bool in_options_ = false;
};

}  // namespace

Context context_of(std::string_view before) { return Reader(before).read(); }

}  // namespace luth::lang
