// Lazy modules: those that take the size of their input from the first one.
#pragma once
#include "core/nn/operator_module.h"
#include "core/tensor/uninitialised.h"

namespace luth::nn {

/// A Base whose first setting is missing: the size of the input, `Base::input_size`. Its parameters and buffers are
/// uninitialised until a first input, or a state dict, gives the size. From then on it is a Base in every respect.
/// Base has
///   static constexpr int64_t Base::Spec::* input_size
///   int64_t size_in(const Tensor& x) const                   the size that an input has; throws for a wrong rank
///   int64_t size_in(std::string_view name, const Tensor& saved) const  that which an entry of a state dict tells, or
///   -1
template <class Base, Text class_name>
class Lazy final : public Base {
 public:
  struct Spec : Base::Spec {
    static constexpr const char* name = class_name.chars;
    static constexpr const char* brief =
        "the class of this name without Lazy, which learns the size of its first input";
    Spec(typename Base::Spec s) : Base::Spec(std::move(s)) {}
    Spec() {
      if constexpr (requires { this->set_lazy_defaults(); }) this->set_lazy_defaults();
    }
  };
  explicit Lazy(typename Base::Spec s, bool lazy = true) : Base(std::move(s)), lazy_(lazy) {}

  std::string type() const override { return lazy_ ? Spec::name : Base::type(); }
  bool lazy() const override { return lazy_; }
  ModuleRef fresh() const override { return ModuleRef(new Lazy(this->spec, lazy_)); }
  std::string extra_repr() const override { return lazy_ ? plain(this->spec)->extra_repr() : Base::extra_repr(); }
  void describe(Fields& f) override {
    if (!lazy_) return Base::describe(f);
    WithoutSize rest(f, &(this->spec.*Base::input_size));
    Base::describe(rest);
  }

  void build() override {
    Base::build();
    auto forget = [](Tensor& t) {
      if (!t || !is_floating(t.dtype())) return;
      Tensor none = uninitialised(t.dtype(), t.device());
      t = t.impl()->parameter ? as_parameter(none) : none;
    };
    for (auto& p : this->parts().parameters) forget(p.value);
    for (auto& b : this->parts().buffers) forget(b.value);
  }
  void reset_parameters() override {
    if (!lazy_) Base::reset_parameters();
  }
  void materialize_like(const StateDict& own) override {
    for (auto& e : own)
      if (int64_t size = waits(e.value) ? -1 : this->size_in(e.name, e.value); lazy_ && size >= 0) materialize(size);
  }
  Values forward(const Values& in) override {
    if (lazy_ && !in.empty() && in[0].is_tensor()) materialize(this->size_in(in[0].tensor()));
    return Base::forward(in);
  }

 private:
  // A file has an uninitialised tensor as one of shape [0].
  static bool waits(const Tensor& t) { return !t || is_uninitialised(t) || t.shape() == Shape{0}; }
  struct WithoutSize : Fields {
    WithoutSize(Fields& f, const void* size) : fields(f), size(size) {}
    bool visit(const FieldInfo& info, Attr& value) override { return info.at != size && fields.visit(info, value); }
    Fields& fields;
    const void* size;
  };

  static Ref<Base> plain(const typename Base::Spec& s) {
    Ref<Base> m(new Base(s));
    m->build();
    return m;
  }
  // The tensors stay the same objects, so that optimizers see what they become.
  void materialize(int64_t size) {
    typename Base::Spec s = this->spec;
    s.*Base::input_size = size;
    for (auto& e : this->state_dict())
      if (e.value && is_uninitialised(e.value)) s.factory = {&e.value.device(), e.value.dtype()};
    const Ref<Base> ready = plain(s);
    auto take = [](NamedTensor* to, const NamedTensor& from) {
      if (!to || !to->value || !is_uninitialised(to->value)) return;
      from.value ? replace_data(to->value, from.value) : void(to->value = {});  // settings may have changed
    };
    for (auto& p : ready->parts().parameters) take(this->find_parameter(p.name), p);
    for (auto& b : ready->parts().buffers) take(this->find_buffer(b.name), b);
    this->spec.*Base::input_size = size;
    lazy_ = false;
  }
  bool lazy_;
};

}  // namespace luth::nn
