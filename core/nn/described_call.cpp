#include "core/nn/described_call.h"

namespace luth::nn {
namespace {

Attr attr_of(const Module& m, const FieldInfo& info, const Argument& v) {
  if (info.kind == AttrKind::tensor && v.is_tensor()) return v.tensor();
  if (info.kind == AttrKind::boolean && v.is_scalar() && v.scalar().kind() == Scalar::Kind::boolean)
    return v.scalar().to<bool>();
  throw Error("{}: argument '{}' expects {}, got {}", m.type(), info.name,
              info.kind == AttrKind::tensor ? "a tensor" : "true or false", v.text());
}

class ArgumentReader : public Fields {
 public:
  ArgumentReader(const Module& m, const Values& in) : m_(m), in_(in) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    const size_t i = next_++;
    if (i < in_.size() && in_[i]) return value = attr_of(m_, info, in_[i]), true;
    if (info.as & as::required) throw Error("{}: argument '{}' is required", m_.type(), info.name);
    return false;
  }
  size_t count() const { return next_; }

 private:
  const Module& m_;
  const Values& in_;
  size_t next_ = 0;
};

class ArgumentPacker : public Fields {
 public:
  bool visit(const FieldInfo&, Attr& value) override {
    out.emplace_back();
    if (auto* t = std::get_if<Tensor>(&value)) out.back() = *t;
    if (auto* b = std::get_if<bool>(&value)) out.back() = Value(*b);
    return false;
  }
  Values out;
};

}  // namespace

void read_arguments(const Module& m, const Values& in, const DescribeCall& describe) {
  ArgumentReader reader(m, in);
  describe(reader);
  if (in.size() > reader.count())
    throw Error("{} takes at most {} arguments, got {}", m.type(), reader.count(), in.size());
}

Values pack_arguments(const DescribeCall& describe) {
  ArgumentPacker packer;
  describe(packer);
  return std::move(packer.out);
}

std::vector<std::string> names_of_arguments(const DescribedCall& m) {
  FieldList fields;
  m.describe_call(fields);
  std::vector<std::string> names;
  for (auto& f : fields.items) names.emplace_back(f.name);
  return names;
}

}  // namespace luth::nn
