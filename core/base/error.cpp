#include "core/base/error.h"

namespace luth {

Error::~Error() = default;

Error& Error::place(const std::string& prefix) {
  if (placed_) return *this;
  text_ = prefix + what();
  placed_ = true;
  return *this;
}

Error& Error::locate(const std::string& suffix) {
  if (located_) return *this;
  text_ = what() + suffix;
  located_ = true;
  return *this;
}

}  // namespace luth
