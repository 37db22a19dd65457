#include "lang/binding/invoke.h"

namespace luth::lang {
Invoke::Invoke(std::string_view op) : info_(&find_op(op)), op_(info_->make()) {}

Invoke& Invoke::set(std::string_view attribute, const Attr& value) {
  op_.set(attribute, value);
  return *this;
}

}  // namespace luth::lang
