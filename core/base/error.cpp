#include "core/base/error.h"

namespace luth {

Error::Error(ErrorCode code, fmt::string_view text, fmt::format_args args)
    : std::runtime_error(fmt::vformat(text, args)), code_(code) {}

Error::~Error() = default;

Error& Error::add_context(const std::string& prefix) {
  if (has_context_) return *this;
  text_ = prefix + what();
  has_context_ = true;
  return *this;
}

Error& Error::add_module(const std::string& suffix) {
  if (has_module_) return *this;
  text_ = what() + suffix;
  has_module_ = true;
  return *this;
}

}  // namespace luth
