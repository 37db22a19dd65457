#include "lang/hints/lua_tokens.h"

#include <algorithm>
#include <cctype>

namespace luth::lang {
namespace {

bool starts_name(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Splits a valid chunk into names, keywords and single characters; strings, numbers and comments come as one character.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // The next token, "" at the end. Its place is at().
  std::string_view next() {
    skip_blank();
    at_ = i_;
    if (i_ >= text_.size()) return {};
    const char c = text_[i_];
    if (starts_name(c)) {
      while (i_ < text_.size() && in_name(text_[i_])) ++i_;
    } else if (isdigit(static_cast<unsigned char>(c))) {
      while (i_ < text_.size() && (in_name(text_[i_]) || text_[i_] == '.'))
        ++i_;  // exponents' signs do not matter here
      return "0";
    } else if (c == '"' || c == '\'') {
      skip_quoted(c);
      return "\"";
    } else if (long_bracket(i_) >= 0) {
      skip_long(long_bracket(i_));
      return "\"";
    } else {
      ++i_;
    }
    return text_.substr(at_, i_ - at_);
  }
  size_t at() const { return at_; }

 private:
  char peek(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  // The level of the long bracket that opens at i, or -1.
  int long_bracket(size_t i) const {
    if (peek(i) != '[') return -1;
    int level = 0;
    while (peek(++i) == '=') ++level;
    return peek(i) == '[' ? level : -1;
  }
  void skip_long(int level) {
    const std::string close = "]" + std::string(size_t(level), '=') + "]";
    const size_t end = text_.find(close, i_);
    i_ = end == text_.npos ? text_.size() : end + close.size();
  }
  void skip_quoted(char quote) {
    for (++i_; i_ < text_.size() && text_[i_] != quote; ++i_)
      if (text_[i_] == '\\') ++i_;
    ++i_;
  }
  void skip_blank() {
    for (;;) {
      while (i_ < text_.size() && isspace(static_cast<unsigned char>(text_[i_]))) ++i_;
      if (peek(i_) != '-' || peek(i_ + 1) != '-') return;
      i_ += 2;
      if (const int level = long_bracket(i_); level >= 0)
        skip_long(level);
      else
        i_ = std::min(text_.find('\n', i_), text_.size());
    }
  }

  std::string_view text_;
  size_t i_ = 0, at_ = 0;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : tokens_(text) { names_.end = text.size(); }

  ChunkNames scan() {
    for (step(); !token_.empty();) {
      if (token_ == "local" && depth_ == 0) {
        declaration();
        continue;
      }
      if (token_ == "return" && depth_ == 0) names_.end = tokens_.at();
      if (token_ == "do" || token_ == "if" || token_ == "function" || token_ == "repeat") ++depth_;
      if (token_ == "end" || token_ == "until") --depth_;
      step();
    }
    return std::move(names_);
  }

 private:
  void step() {
    token_ = tokens_.next();
    if (!token_.empty() && starts_name(token_[0])) names_.used.emplace(token_);
  }
  void declare(std::string_view name) {
    std::erase(names_.locals, name);
    names_.locals.emplace_back(name);
  }
  // After `local`: `function name`, or `name <attribute>, ...`. Leaves the token that follows.
  void declaration() {
    step();
    if (token_ == "function") {
      ++depth_;
      step();
      declare(token_);
      return step();
    }
    for (;; step()) {
      const std::string name(token_);
      step();
      bool closes = false;
      if (token_ == "<") {
        step();
        closes = token_ == "close";
        step(), step();
      }
      if (!closes) declare(name);
      if (token_ != ",") return;
    }
  }

  Tokens tokens_;
  std::string_view token_;
  int depth_ = 0;
  ChunkNames names_;
};

}  // namespace

std::vector<std::string_view> split_tokens(std::string_view text) {
  std::vector<std::string_view> list;
  Tokens tokens(text);
  for (std::string_view t = tokens.next(); !t.empty(); t = tokens.next()) list.push_back(t);
  return list;
}

ChunkNames scan_chunk(std::string_view text) { return Scanner(text).scan(); }

}  // namespace luth::lang
