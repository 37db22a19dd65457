#include "core/nn/operator_module.h"

#include <algorithm>

namespace luth::nn {
namespace {

// The attributes of an operator on their way to a reader of a module's settings.
class Attributes : public Fields {
 public:
  Attributes(Fields& reader, unsigned as) : reader_(reader), as_(as) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    const std::string_view name = info.name;
    if (name == "training" || name == "dtype") return false;
    FieldInfo own = info;
    own.as = (info.as & ~as::named) | as_;
    return reader_.visit(own, value);
  }

 private:
  Fields& reader_;
  unsigned as_;
};

}  // namespace

size_t AroundOperator::required_inputs(const OpInfo& op) {
  return size_t(std::count_if(op.inputs.begin(), op.inputs.end(), [](auto& i) { return !i.optional; }));
}

void AroundOperator::describe(Fields& f) {
  unsigned as = class_.inputs > 1 ? as::unprinted : as::plain;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    f(class_.op.inputs[class_.inputs + i].name.c_str(), tensors_[i], "input of the operator, kept as a buffer",
      as | as::unprinted | (i ? as::named : as::plain));
    as |= as::named;
  }
  Attributes attributes(f, as);
  if (class_.op.describe) class_.op.describe(op_, attributes);
  const Inplace mode = class_.beside.inplace;
  if (mode != Inplace::absent)
    f("inplace", inplace, "write into the argument", mode == Inplace::printed ? as::plain : as::if_set);
}

// Buffers are saved and move along; the settings let go of them.
void AroundOperator::build() {
  for (size_t i = 0; i < tensors_.size(); ++i)
    register_buffer(class_.op.inputs[class_.inputs + i].name, std::exchange(tensors_[i], Tensor()));
}

Values AroundOperator::apply_to(const Values& in, bool write) {
  check_tensors(*this, in, class_.inputs);
  Values all = in;
  for (size_t i = 0; i < tensors_.size(); ++i) all.push_back(buffer(i));
  if (write) return {luth::apply_inplace(class_.op, op_, std::move(all))};
  Tensors out = luth::apply(class_.op, op_, std::move(all));
  return Values(out.begin(), out.end());
}

}  // namespace luth::nn
