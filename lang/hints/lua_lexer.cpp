#include "lang/hints/lua_lexer.h"

#include <algorithm>
#include <cctype>

namespace luth::lang {
namespace {

using Kind = LuaToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

constexpr std::string_view keywords[] = {"and",      "break",  "do",   "else",  "elseif", "end", "for",
                                         "function", "goto",   "if",   "in",    "local",  "not", "or",
                                         "repeat",   "return", "then", "until", "while"};
constexpr std::string_view constants[] = {"nil", "true", "false"};
constexpr std::string_view long_signs[] = {"...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"};

template <size_t n>
bool is_one(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<LuaToken> all() {
    std::vector<LuaToken> list;
    for (;;) {
      while (at_ < text_.size() && isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      if (at_ >= text_.size()) return list;
      LuaToken token{Kind::sign, false, at_, at_};
      read(token);
      token.end = at_;
      list.push_back(token);
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void read(LuaToken& t) {
    const char c = peek();
    if (starts_name(c)) {
      while (in_name(peek())) ++at_;
      const auto word = text_.substr(t.begin, at_ - t.begin);
      t.kind = is_one(keywords, word) ? Kind::keyword : is_one(constants, word) ? Kind::constant : Kind::name;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      t.kind = Kind::number;
      number();
    } else if (c == '-' && peek(1) == '-') {
      t.kind = Kind::comment;
      at_ += 2;
      if (const int level = long_bracket(); level >= 0)
        t.open = !skip_long(level);
      else
        at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      t.kind = Kind::string;
      t.open = !skip_quoted(c);
    } else if (const int level = long_bracket(); level >= 0) {
      t.kind = Kind::string;
      t.open = !skip_long(level);
    } else {
      sign(t);
    }
  }

  void number() {
    const bool hex = peek() == '0' && tolower(peek(1)) == 'x';
    if (hex) at_ += 2;
    for (; in_name(peek()) || (peek() == '.' && peek(1) != '.'); ++at_)
      if (tolower(peek()) == (hex ? 'p' : 'e') && (peek(1) == '+' || peek(1) == '-')) ++at_;
  }

  void sign(LuaToken& t) {
    for (auto s : long_signs)
      if (text_.substr(at_).starts_with(s)) return void(at_ += s.size());
    if (std::string_view("+-*/%^#&|~<>=(){}[];:,.").find(peek()) == std::string_view::npos) t.kind = Kind::bad;
    ++at_;
  }

  int long_bracket() const {
    if (peek() != '[') return -1;
    int level = 0;
    while (peek(size_t(level) + 1) == '=') ++level;
    return peek(size_t(level) + 1) == '[' ? level : -1;
  }
  bool skip_long(int level) {
    const std::string close = "]" + std::string(size_t(level), '=') + "]";
    const size_t end = text_.find(close, at_ + size_t(level) + 2);
    at_ = end == text_.npos ? text_.size() : end + close.size();
    return end != text_.npos;
  }
  // A newline ends a string unless a backslash is before it.
  bool skip_quoted(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (peek() == quote) return ++at_, true;
      if (peek() == '\n') return true;
      if (peek() == '\\' && at_ + 1 < text_.size()) {
        const bool blanks = peek(1) == 'z', line_end = peek(1) == '\r' && peek(2) == '\n';
        at_ += line_end ? 2 : 1;
        while (blanks && isspace(static_cast<unsigned char>(peek(1)))) ++at_;
      }
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// The last token that begins before `at`.
const LuaToken* token_before(const std::vector<LuaToken>& tokens, size_t at) {
  const auto after =
      std::partition_point(tokens.begin(), tokens.end(), [at](const LuaToken& t) { return t.begin < at; });
  return after == tokens.begin() ? nullptr : &*std::prev(after);
}

constexpr std::string_view opening = "([{", closing = ")]}";

// 1 for what opens a block, -1 for what ends one.
int depth_of(std::string_view word) {
  if (word.size() == 1)
    return opening.find(word[0]) != opening.npos ? 1 : closing.find(word[0]) != closing.npos ? -1 : 0;
  if (word == "function" || word == "then" || word == "do" || word == "repeat") return 1;
  return word == "end" || word == "until" || word == "elseif" ? -1 : 0;
}

}  // namespace

std::vector<LuaToken> lua_tokens(std::string_view text) { return Lexer(text).all(); }

bool in_literal(const std::vector<LuaToken>& tokens, size_t at) {
  const LuaToken* t = token_before(tokens, at);
  if (!t || (t->kind != Kind::string && t->kind != Kind::comment)) return false;
  return at < t->end || t->open;
}

size_t matching_bracket(std::string_view text, const std::vector<LuaToken>& tokens, size_t& at) {
  std::vector<size_t> open;
  size_t here = text.npos, other = text.npos;
  for (size_t place : {at, at - 1}) {
    if (here != text.npos || place >= text.size()) continue;
    if ((opening.find(text[place]) != opening.npos || closing.find(text[place]) != closing.npos)) here = place;
  }
  for (auto& t : tokens) {
    if (t.kind != Kind::sign || t.end - t.begin != 1) continue;
    if (opening.find(text[t.begin]) != opening.npos) open.push_back(t.begin);
    const size_t kind = closing.find(text[t.begin]);
    if (kind == closing.npos || open.empty() || text[open.back()] != opening[kind]) continue;
    if (open.back() == here) other = t.begin;
    if (t.begin == here) other = open.back();
    open.pop_back();
  }
  if (other != text.npos) at = here;
  return other;
}

std::string next_indent(std::string_view text, const std::vector<LuaToken>& tokens, size_t at) {
  if (in_literal(tokens, at)) return "";
  const size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1), start = newline == text.npos ? 0 : newline + 1;
  size_t blank = start;
  while (blank < at && text[blank] == ' ') ++blank;
  int depth = 0;
  for (auto& t : tokens) {
    if (t.begin < start || t.end > at) continue;
    const auto word = text.substr(t.begin, t.end - t.begin);
    if (t.kind == Kind::keyword || t.kind == Kind::sign) depth += depth_of(word);
    if (t.begin == blank && depth < 0) depth = 0;  // its own line stands further left already
    if (t.begin == blank && word == "else") depth = 1;
  }
  const size_t columns = blank - start;
  return std::string(depth > 0 ? columns + 2 : depth < 0 && columns >= 2 ? columns - 2 : columns, ' ');
}

size_t outdent(std::string_view line) {
  const size_t blank = line.find_first_not_of(' ');
  if (blank == line.npos || blank < 2) return 0;
  const auto end = std::find_if_not(line.begin() + blank, line.end(), in_name) - line.begin();
  const std::string_view word = line.substr(blank, std::max<size_t>(1, size_t(end) - blank));
  return word == "else" || depth_of(word) < 0 ? 2 : 0;
}

}  // namespace luth::lang
