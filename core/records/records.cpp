#include "core/records/records.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/visible.h"

namespace luth::data {

Records::~Records() = default;

bool parse_number(std::string_view text, char decimal, double& out) {
  char changed[64];
  if (decimal != '.' && text.find(decimal) != text.npos) {
    if (text.size() >= sizeof changed || text.find('.') != text.npos) return false;
    std::memcpy(changed, text.data(), text.size());
    changed[text.find(decimal)] = '.';
    text = {changed, text.size()};
  }
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // to_double takes none
  out = to_double(text).value_or(std::nan(""));
  return std::isfinite(out);
}

bool is_beyond_exact(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.size() < 16 || text.find_first_not_of("0123456789") != text.npos) return false;
  double number = 0;
  return !parse_number(text, '.', number) || number > double(most_exact);
}

std::vector<std::string> column_names(std::vector<std::string> names, const std::string& file) {
  if (names.empty()) throw Error("{} has no columns", file);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].empty()) names[i] = std::to_string(i + 1);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error("{} has two columns of the name '{}'", file, foreign(*twice));
  return names;
}

size_t column_position(const std::vector<std::string>& names, const std::string& name, const std::string& file) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return size_t(it - names.begin());
  throw Error("{} has no column '{}'{}", file, foreign(name), did_you_mean(name, names));
}

void sort_categories(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  double number;
  if (!std::all_of(names.begin(), names.end(), [&](auto& n) { return parse_number(n, '.', number); })) return;
  std::stable_sort(names.begin(), names.end(), [](auto& a, auto& b) {
    double x = 0, y = 0;
    parse_number(a, '.', x), parse_number(b, '.', y);
    return x < y;
  });
}

}  // namespace luth::data
