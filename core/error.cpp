#include "core/error.h"

namespace luth {

Error::~Error() = default;

Error& Error::place(const std::string& prefix) {
  if (placed_) return *this;
  placed_text_ = prefix + std::runtime_error::what();
  placed_ = true;
  return *this;
}

}  // namespace luth
