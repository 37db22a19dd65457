#include "lang/binding/invoke.h"

namespace luth::lang {
namespace {

// Sets one attribute.
class AttributeSetter : public Fields {
 public:
  AttributeSetter(std::string_view name, const Attr& value) : name_(name), value_(value) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name) return false;
    value = value_;
    return found = true;
  }
  bool found = false;

 private:
  std::string_view name_;
  const Attr& value_;
};
}  // namespace

Invoke::Invoke(std::string_view op) : info_(&find_op(op)), op_(info_->make()) {}

Invoke& Invoke::set(std::string_view attribute, Attr value) {
  AttributeSetter set(attribute, value);
  if (info_->describe) info_->describe(op_.get(), set);
  if (!set.found) throw Error("operator {} has no attribute '{}'", info_->name, attribute);
  return *this;
}

}  // namespace luth::lang
