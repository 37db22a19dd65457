#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/library/regex.h"

#include <pcre2.h>

#include <algorithm>

#include "core/base/interrupt.h"
#include "core/base/visible.h"

namespace luth::text {
namespace {

class Literal final : public Pattern {
 public:
  explicit Literal(std::string text) : text_(std::move(text)) {}
  std::vector<Match> find(std::string_view text) const override {
    std::vector<Match> out;
    size_t at = 0;
    for (size_t i; !text_.empty() && (i = text.find(text_, at)) != text.npos; at = i + text_.size()) {
      if (i > at) out.push_back({{at, i}, false});
      out.push_back({{i, i + text_.size()}, true});
    }
    if (at < text.size() || out.empty()) out.push_back({{at, text.size()}, false});
    return out;
  }

 private:
  std::string text_;
};

constexpr uint32_t few_steps = 1000;  // of the first attempt at a place
constexpr size_t longest = 1 << 16;

std::string message(int code) {
  PCRE2_UCHAR text[200];
  return pcre2_get_error_message(code, text, sizeof text) < 0 ? std::to_string(code) : reinterpret_cast<char*>(text);
}

// What \s and \w stand for, within brackets: Oniguruma's sets, which are not quite PCRE2's.
std::string_view set_of(char letter) {
  if (letter == 's' || letter == 'S') return R"(\x{9}-\x{d}\x{85}\p{Z})";
  if (letter == 'w' || letter == 'W')
    return R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be}\x{24b6}-\x{24e9})"
           R"(\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
  return "";
}

// The pattern with these sets in place of \s, \S, \w and \W; within brackets the negated ones stay PCRE2's.
std::string with_sets(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '[') in_class = true;
    if (pattern[i] == ']') in_class = false;
    out += pattern[i];
    if (pattern[i] != '\\' || ++i == pattern.size()) continue;
    const std::string_view set = set_of(pattern[i]);
    const bool negated = pattern[i] < 'a';
    if (set.empty() || (in_class && negated)) {
      out += pattern[i];
      continue;
    }
    out.pop_back();
    if (!in_class) out += negated ? "[^" : "[";
    out += set;
    if (!in_class) out += ']';
  }
  return out;
}

struct Free {
  void operator()(pcre2_code* c) const { pcre2_code_free(c); }
  void operator()(pcre2_match_context* c) const { pcre2_match_context_free(c); }
  void operator()(pcre2_match_data* d) const { pcre2_match_data_free(d); }
};

// Matches in a text. PCRE2 counts steps anew at each place where a match may begin, so the steps of all places have a
// bound here. Compiled code also gives up where its stack of 32 KiB ends; the interpreter, whose stack is on the heap,
// goes on.
class Search {
 public:
  Search(const pcre2_code* code, std::string_view text)
      : code_(code),
        text_(text),
        left_(100'000'000 + 100 * text.size()),
        found_(pcre2_match_data_create_from_pattern(code, nullptr)),
        limits_(pcre2_match_context_create(nullptr)) {
    if (!found_ || !limits_) throw std::bad_alloc();
    pcre2_set_heap_limit(limits_.get(), 64 << 10);  // KiB
  }
  const PCRE2_SIZE* ends() const { return pcre2_get_ovector_pointer(found_.get()); }

  // As pcre2_match returns it, of the first match from there on.
  int next(size_t from) {
    int code = match(from, few_steps, 0);
    if (code != PCRE2_ERROR_MATCHLIMIT && code != PCRE2_ERROR_JIT_STACKLIMIT) return code;
    for (;;) {
      code = match_at(from);
      if (code != PCRE2_ERROR_NOMATCH || from >= text_.size()) return code;
      next_char(text_, from);
    }
  }

 private:
  int match(size_t from, uint32_t steps, uint32_t options) {
    pcre2_set_match_limit(limits_.get(), steps);
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), from,
                       options | PCRE2_NO_UTF_CHECK, found_.get(), limits_.get());
  }
  // A match that begins there, by the interpreter, as PCRE2_ANCHORED has it.
  int match_at(size_t place) {
    poll_interrupt();
    for (uint32_t steps = few_steps;; steps *= 10) {
      const int code = match(place, steps, PCRE2_ANCHORED);
      if (code != PCRE2_ERROR_MATCHLIMIT || left_ < steps * uint64_t(10)) return code;
      left_ -= steps * uint64_t(10);
    }
  }
  const pcre2_code* code_;
  std::string_view text_;
  uint64_t left_;  // steps beyond the first attempts
  std::unique_ptr<pcre2_match_data, Free> found_;
  std::unique_ptr<pcre2_match_context, Free> limits_;
};

class Regex final : public Pattern {
 public:
  explicit Regex(const std::string& text) : name_(foreign(text, 60)) {
    if (text.size() > longest) throw Error("a regular expression of {} bytes is longer than luth takes", text.size());
    const std::string pattern = with_sets(text);
    int code = 0;
    PCRE2_SIZE at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C, &code, &at,
                              nullptr));
    if (!code_) throw Error("'{}' is no regular expression that luth reads: {}", name_, message(code));
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);  // without it matching is slower, and the same
  }

  std::vector<Match> find(std::string_view text) const override {
    Search search(code_.get(), text);
    std::vector<Match> out;
    size_t at = 0, from = 0;  // what has been given out, and where to look on
    while (from <= text.size()) {
      const int code = search.next(from);
      if (code == PCRE2_ERROR_NOMATCH) break;
      if (code < 0) throw Error("the regular expression '{}' ends with: {}", name_, message(code));
      const PCRE2_SIZE* ends = search.ends();
      if (ends[1] <= ends[0]) {  // nothing; on with the next character
        if (ends[0] >= text.size()) break;
        from = std::max(from, ends[0]);
        next_char(text, from);
        continue;
      }
      if (ends[0] > at) out.push_back({{at, ends[0]}, false});
      out.push_back({{ends[0], ends[1]}, true});
      at = from = ends[1];
    }
    if (at < text.size() || out.empty()) out.push_back({{at, text.size()}, false});
    return out;
  }

 private:
  std::string name_;
  std::unique_ptr<pcre2_code, Free> code_;
};

// Pieces that are neighbours, and for which `joins(left, right)` holds, as one.
template <class Joins>
std::vector<Piece> joined(const std::vector<Match>& matches, Joins&& joins) {
  std::vector<Piece> out;
  for (size_t i = 0; i < matches.size(); ++i)
    if (i > 0 && joins(matches[i - 1], matches[i]))
      out.back().end = matches[i].at.end;
    else
      out.push_back(matches[i].at);
  return out;
}

}  // namespace

Pattern::~Pattern() = default;
PatternPtr literal_pattern(std::string text) { return std::make_shared<Literal>(std::move(text)); }
PatternPtr regex_pattern(const std::string& text) { return std::make_shared<Regex>(text); }

std::vector<Match> find_chars(std::string_view text, IsChar f) {
  std::vector<Match> out;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!f(next_char(text, at))) continue;
    if (here > begin) out.push_back({{begin, here}, false});
    out.push_back({{here, at}, true});
    begin = at;
  }
  if (begin < text.size()) out.push_back({{begin, text.size()}, false});
  return out;
}

std::vector<Piece> cut(std::vector<Match> matches, Behavior behavior, bool invert) {
  if (invert)
    for (Match& m : matches) m.is_match = !m.is_match;
  std::vector<Piece> out;
  if (behavior == Behavior::removed) {
    for (const Match& m : matches)
      if (!m.is_match) out.push_back(m.at);
  } else {
    out = joined(matches, [&](const Match& left, const Match& right) {
      if (behavior == Behavior::contiguous) return left.is_match == right.is_match;
      if (behavior == Behavior::merged_with_previous) return right.is_match && !left.is_match;
      return behavior == Behavior::merged_with_next && left.is_match && !right.is_match;
    });
  }
  std::erase_if(out, [](const Piece& p) { return p.begin == p.end; });
  return out;
}

}  // namespace luth::text
