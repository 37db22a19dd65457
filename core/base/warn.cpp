#include "core/base/warn.h"

#include <mutex>
#include <set>

#include "core/base/visible.h"

namespace luth {
namespace {
Where where_ = nullptr;
constexpr size_t most = 1000;  // places remembered, so that generated code cannot fill the memory
}  // namespace

void set_warning_place(Where where) { where_ = where; }

void warn(std::string_view text) { warn_at(where_ ? where_() : "", text); }

void warn_at(std::string_view place, std::string_view text) {
  static std::mutex lock;
  static std::set<std::string> said;
  std::string line = std::string(place) + std::string(text);
  std::lock_guard hold(lock);
  if (said.size() >= most || !said.insert(line).second) return;
  print_error("luth: warning: " + line);
}

}  // namespace luth
