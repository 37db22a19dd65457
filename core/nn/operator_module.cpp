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

void AroundOperator::describe_buffer(Fields& f, size_t i) {
  f(class_.op.inputs[class_.inputs + i].name.c_str(), tensors_[i], class_.beside.buffers[i].chars,
    as::unprinted | (i ? as::named : as::plain));
}

void AroundOperator::describe(Fields& f) {
  const size_t buffers = tensors_.size();
  if (buffers) describe_buffer(f, 0);
  Attributes attributes(f, (class_.inputs > 1 ? as::unprinted : as::plain) | (buffers ? as::named : as::plain));
  if (class_.op.describe) class_.op.describe(op_, attributes);
  for (size_t i = 1; i < buffers; ++i) describe_buffer(f, i);
  const Inplace mode = class_.beside.inplace;
  if (mode != Inplace::absent)
    f("inplace", inplace, "write into the argument", mode == Inplace::printed ? as::plain : as::if_set);
}

// Buffers are saved and moved with the module, so that the settings drop their tensors.
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
