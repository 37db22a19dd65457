#include "core/nn/operator_module.h"

#include <algorithm>
#include <iterator>

namespace luth::nn {
namespace {

// Whether a list of words, "kernel_size, stride", has the word.
bool lists(std::string_view words, std::string_view word) {
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(", ", at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 2;
  }
  return false;
}

// The attributes of an operator on their way to a reader of a module's settings.
class Attributes : public Fields {
 public:
  Attributes(Fields& reader, const Beside& beside, size_t inputs) : reader_(reader), beside_(beside), inputs_(inputs) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    const std::string_view name = info.name;
    if (name == "training" || name == "dtype") return false;
    FieldInfo own = info;
    own.as = (info.as & ~as::named) | (beside_.count() ? as::named : as::plain) | print(name);
    return reader_.visit(own, value);
  }

 private:
  unsigned print(std::string_view name) const {
    const Beside& b = beside_;
    if (b.prints.empty() ? inputs_ > 1 : !lists(b.prints, name)) return as::unprinted;
    return (lists(b.bare, name) ? as::bare : as::plain) | (lists(b.if_set, name) ? as::if_set : as::plain) |
           (lists(b.tuple, name) ? as::tuple : as::plain);
  }
  Fields& reader_;
  const Beside& beside_;
  size_t inputs_;
};

// One of the settings, by position.
class One : public Fields {
 public:
  One(Fields& reader, std::string_view name) : reader_(reader), name_(name) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (info.name != name_) return false;
    FieldInfo own = info;
    own.as &= ~as::named;
    return reader_.visit(own, value);
  }

 private:
  Fields& reader_;
  std::string_view name_;
};

}  // namespace

Ints integers_of(const Argument& list, const char* name) {
  if (!list.is_list()) throw Error("{} must be a list of integers, got {}", name, list.text());
  Ints numbers;
  for (auto& item : list.items()) {
    if (!item.is_scalar() || item.scalar().is_floating())
      throw Error("{} must be a list of integers, but has {} in it", name, item.text());
    numbers.push_back(item.scalar().integer());
  }
  return numbers;
}

size_t AroundOperator::required_inputs(const OpInfo& op) {
  return size_t(std::count_if(op.inputs.begin(), op.inputs.end(), [](auto& i) { return !i.optional; }));
}

void AroundOperator::describe_buffer(Fields& f, size_t i) {
  f(class_.op.inputs[class_.inputs + i].name.c_str(), tensors_[i], class_.beside.buffers[i].chars,
    as::unprinted | (i ? as::named : as::plain));
}

void AroundOperator::describe_all(Fields& f) {
  const size_t buffers = tensors_.size();
  if (buffers) describe_buffer(f, 0);
  Attributes attributes(f, class_.beside, class_.inputs);
  if (class_.op.describe) class_.op.describe(op_, attributes);
  for (size_t i = 1; i < buffers; ++i) describe_buffer(f, i);
}

void AroundOperator::describe(Fields& f) {
  const std::string_view order = class_.beside.order;
  if (order.empty()) describe_all(f);
  for (size_t at = 0; at < order.size();) {
    const size_t end = std::min(order.find(", ", at), order.size());
    One one(f, order.substr(at, end - at));
    describe_all(one);
    at = end + 2;
  }
  const Inplace mode = class_.beside.inplace;
  if (mode == Inplace::absent) return;
  const unsigned prints[] = {as::plain, as::unprinted, as::if_set, as::plain};
  f("inplace", inplace, "write into the argument", prints[int(mode)]);
}

// Buffers are saved and moved with the module, so that the settings drop their tensors.
void AroundOperator::build() {
  for (size_t i = 0; i < tensors_.size(); ++i)
    register_buffer(class_.op.inputs[class_.inputs + i].name, std::exchange(tensors_[i], Tensor()));
}

std::vector<std::string> AroundOperator::argument_names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < class_.inputs; ++i) names.push_back(class_.op.inputs[i].name);
  return names;
}

Values AroundOperator::apply_to(const Values& in, bool write) {
  check_tensors(*this, in, class_.inputs);
  Inputs all = in;
  for (size_t i = 0; i < tensors_.size(); ++i) all.push_back(buffer(i));
  if (write) return {luth::apply_inplace(class_.op, op_, std::move(all))};
  Tensors out = luth::apply(class_.op, op_, std::move(all));
  return Values(std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
}

}  // namespace luth::nn
