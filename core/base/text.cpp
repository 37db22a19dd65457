#include "core/base/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

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

// At most a third of the letters of a word of that many differ.
const std::string* nearest_within(std::string_view word, std::span<const std::string> names, size_t letters) {
  int best = word.size() < 2 ? 0 : std::max(1, int(letters) / 3);
  const std::string* found = nullptr;
  for (auto& name : names) {
    const int length = int(std::max(name.size(), word.size()) - std::min(name.size(), word.size()));
    if (length > best || name == word) continue;
    if (const int d = edit_distance(word, name); d < best || (d == best && !found)) best = d, found = &name;
  }
  return found;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names) {
  const std::string* found = nearest_within(word, names, word.size());
  return found ? *found : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string* name = nearest_within(word, names, word.size());
  if (!name) name = nearest_within(word, names, word.size() + 1);  // a letter was left out
  return name ? "; did you mean '" + *name + "'?" : std::string();
}

bool is_number(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace luth
