#include "core/base/warn.h"

#include <mutex>
#include <set>

#include "core/base/visible.h"

namespace luth {
namespace {
Where where_ = nullptr;
constexpr size_t most = 1000;  // places remembered, so that generated code cannot fill the memory

struct Said {
  std::mutex lock;
  std::set<std::string> lines;
  std::vector<const std::string*> in_order;
};
Said& said() {
  static Said all;
  return all;
}
}  // namespace

void set_warning_place(Where where) { where_ = where; }

void warn(std::string_view text) { warn_at(where_ ? where_() : "", text); }

void warn_at(std::string_view place, std::string_view text) {
  std::string line = std::string(place) + std::string(text);
  Said& all = said();
  std::lock_guard hold(all.lock);
  if (all.lines.size() >= most) return;
  const auto [at, is_new] = all.lines.insert(std::move(line));
  if (!is_new) return;
  all.in_order.push_back(&*at);
  print_error("luth: warning: " + *at);
}

std::vector<std::string> warnings_said(size_t from) {
  Said& all = said();
  std::lock_guard hold(all.lock);
  std::vector<std::string> lines;
  for (size_t i = from; i < all.in_order.size(); ++i) lines.push_back(*all.in_order[i]);
  return lines;
}

}  // namespace luth
