#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <numeric>

namespace luth {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance of a's first i bytes to b's first j; `last` and `before` are the rows i - 1 and i - 2
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = int(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

namespace {

constexpr size_t most_letters = 64;  // of a word that a machine word has a bit for each of

// A bit for each letter that the text has. Different letters may have the same bit.
uint64_t letters_of(std::string_view text) {
  uint64_t letters = 0;
  for (char c : text) letters |= uint64_t(1) << (lower(c) & 63);
  return letters;
}

// A mistyped word, prepared for comparisons with many names.
class Word {
 public:
  explicit Word(std::string_view text) : text_(text), letters_(letters_of(text)) {
    if (text.size() > most_letters) return;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = lower(text[i]);
      at_[uint8_t(c)] |= uint64_t(1) << i;
      if (c >= 'a' && c <= 'z') at_[uint8_t(c - 'a' + 'A')] |= uint64_t(1) << i;
    }
  }
  std::string_view text() const { return text_; }
  // The most edits of a correction: a third of `letters`.
  int most(size_t letters) const { return text_.size() < 2 ? 0 : std::max(1, int(letters) / 3); }
  // A lower bound of the distance: an edit changes the length by 1, and brings or takes one letter, or both.
  int at_least(size_t length, uint64_t letters) const {
    return std::max({int(std::max(length, text_.size()) - std::min(length, text_.size())),
                     std::popcount(letters & ~letters_), std::popcount(letters_ & ~letters)});
  }
  int distance(std::string_view name) const {
    return text_.empty() || text_.size() > most_letters ? edit_distance(text_, name) : by_bits(name);
  }

 private:
  // Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003: column j of the table
  // of edit_distance, as bits that say where it grows (more) and falls (less) from row to row.
  int by_bits(std::string_view name) const {
    uint64_t more = ~uint64_t(0), less = 0, same = 0, matched = 0;
    const uint64_t last = uint64_t(1) << (text_.size() - 1);
    int distance = int(text_.size());
    for (char c : name) {
      const uint64_t match = at_[uint8_t(c)];
      const uint64_t swapped = ((~same & match) << 1) & matched;
      same = (((match & more) + more) ^ more) | match | less | swapped;
      const uint64_t grows = less | ~(same | more), falls = same & more;
      distance += bool(grows & last) - bool(falls & last);
      more = (falls << 1) | ~(same | ((grows << 1) | 1));
      less = ((grows << 1) | 1) & same;
      matched = match;
    }
    return distance;
  }

  std::string_view text_;
  uint64_t letters_;
  std::array<uint64_t, 256> at_{};  // of each byte, where the word has it, in either case
};

// The nearest of the names that are offered.
class Nearest {
 public:
  Nearest(std::string_view word, size_t letters) : word_(word), best_(word_.most(letters)) {}
  // first(): whether the name stands before the best one, where both are equally near.
  template <class First>
  void offer(std::string_view name, uint64_t letters, First&& first) {
    if (word_.at_least(name.size(), letters) > best_ || name == word_.text()) return;
    const int d = word_.distance(name);
    if (d < best_ || (d == best_ && (!found_ || first()))) best_ = d, name_ = name, found_ = true;
  }
  std::string_view name() const { return name_; }
  std::string hint() const { return found_ ? "; did you mean '" + std::string(name_) + "'?" : std::string(); }

 private:
  Word word_;
  int best_;
  bool found_ = false;
  std::string_view name_;
};

Nearest nearest_of(std::string_view word, std::span<const std::string> names, size_t letters) {
  Nearest search(word, letters);
  for (auto& name : names) search.offer(name, letters_of(name), [] { return false; });
  return search;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names) {
  return std::string(nearest_of(word, names, word.size()).name());
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  return nearest_of(word, names, word.size() + 1).hint();  // a letter may have been left out
}

void NameIndex::add(std::string_view name) {
  names_.push_back({letters_of(name), text_.size(), name.size()});
  text_ += name;
}

std::string NameIndex::did_you_mean(std::string_view word) const {
  Nearest search(word, word.size() + 1);
  for (size_t i = 0; i < names_.size(); ++i)
    search.offer(name(i), names_[i].letters, [&] { return name(i) < search.name(); });
  return search.hint();
}

std::string_view NameIndex::alike(std::string_view word, bool at_end) const {
  auto next = [](std::string_view& text) {
    while (text.starts_with('_')) text.remove_prefix(1);
    const char c = text.empty() ? 0 : lower(text[0]);
    if (c) text.remove_prefix(1);
    return c;
  };
  auto equal = [&](std::string_view a, std::string_view b) {
    for (;;) {
      const char x = next(a), y = next(b);
      if (x != y || !x) return x == y;
    }
  };
  const uint64_t letters = letters_of(word), underscore = letters_of("_");
  for (size_t i = 0; i < names_.size(); ++i)
    if (!((names_[i].letters ^ letters) & ~underscore) && equal(name(i), word) && (at_end || !name(i).ends_with('_')))
      return name(i);
  return "";
}

bool is_number(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<double> to_double(std::string_view text) {
  double v = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, v);
  return error == std::errc() && stop == end ? std::optional(v) : std::nullopt;
}

}  // namespace luth
