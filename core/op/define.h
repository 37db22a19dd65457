// Making operators: how a struct becomes an OpInfo (Define), a C++ function (Fn) and gets its kernels (Bind).
#pragma once
#include "core/op/op.h"

namespace luth {

template <class F>
concept HasFields = requires(F f, Fields& v) {
  f.describe(v);
};

template <class Op>
void fill_traits(OpInfo& i) {
  // clang-format off
  if constexpr (requires { Op::promote; }) i.promote = Op::promote;
  if constexpr (requires { Op::promote_from; }) i.promote_from = Op::promote_from;
  if constexpr (requires { Op::star; }) i.star = Op::star;
  if constexpr (requires { Op::answers; }) i.answers = Op::answers;
  if constexpr (requires { Op::elementwise; }) i.elementwise = i.broadcast = i.inplace = Op::elementwise;
  if constexpr (requires { Op::overwrites; }) i.overwrites = i.inplace = Op::overwrites;
  if constexpr (requires { Op::broadcast; }) i.broadcast = Op::broadcast;
  if constexpr (requires { Op::inplace; }) i.inplace = Op::inplace;
  if constexpr (requires { Op::only_inplace; }) i.inplace = i.only_inplace = Op::only_inplace;
  if constexpr (requires { Op::factory; }) i.factory = Op::factory;
  if constexpr (requires { Op::internal; }) i.internal = Op::internal;
  if constexpr (requires { Op::as_method; }) i.as_method = Op::as_method;
  if constexpr (requires { Op::as_function; }) i.as_function = Op::as_function;
  if constexpr (requires { Op::order; }) i.order = Op::order;
  if constexpr (requires { Op::aliases; }) i.aliases = Op::aliases;
  if constexpr (requires { Op::not_differentiable; }) i.not_differentiable = Op::not_differentiable;
  // clang-format on
}

template <class Op>
void fill_rules(OpInfo& i) {
  if constexpr (requires(const Op& o, const Inputs& in) { o.infer(in); })
    i.infer = [](const void* p, const Inputs& in) -> Specs {
      if constexpr (requires(const Op& o) { Specs(o.infer(in)); })
        return static_cast<const Op*>(p)->infer(in);
      else
        return Specs::of(static_cast<const Op*>(p)->infer(in));
    };
  if constexpr (requires(const Op& o, const Call& c, const Tensors& dy) { o.vjp(c, dy); })
    i.vjp = [](const Call& c, const Tensors& dy) -> Tensors { return static_cast<const Op*>(c.op)->vjp(c, dy); };
  else if constexpr (requires(const Op& o, const Call& c, const Tensor& dy) { o.vjp(c, dy); })
    i.vjp = [](const Call& c, const Tensors& dy) -> Tensors { return static_cast<const Op*>(c.op)->vjp(c, dy[0]); };
  if constexpr (requires(const Op& o, const Inputs& in) { o.decompose(in); })
    i.decompose = [](const void* p, const Inputs& in) -> Tensors {
      if constexpr (requires(const Op& o) { Tensors(o.decompose(in)); })
        return static_cast<const Op*>(p)->decompose(in);
      else
        return {static_cast<const Op*>(p)->decompose(in)};
    };
  if constexpr (requires(const Op& o, const Tensor& t) { o.view(t); })
    i.view = [](const void* p, const Tensor& t) { return static_cast<const Op*>(p)->view(t); };
  if constexpr (requires { Op::samples(); })  // erased as they come
    i.samples = [] { return Op::samples().list; };
}

/// Registers an operator: `const Define<ops::Softmax> softmax_;` in the family's .cpp.
template <class Op>
struct Define {
  Define() {
    OpInfo& i = entry(Op::doc.name);
    i.doc = Op::doc;
    i.copy = [](const void* p) -> void* { return p ? new Op(*static_cast<const Op*>(p)) : new Op(); };
    i.destroy = [](void* p) { delete static_cast<Op*>(p); };
    if constexpr (HasFields<Op>) i.describe = [](void* p, Fields& f) { static_cast<Op*>(p)->describe(f); };
    if constexpr (requires(Op o) { o.philox; }) {
      i.random = true;
      i.philox = [](void* p) { return &static_cast<Op*>(p)->philox; };
    }
    fill_traits<Op>(i);
    fill_rules<Op>(i);
    if constexpr (requires { Op::saves; })
      finish_definition(i, Op::saves);
    else
      finish_definition(i, "");
  }
};
template <class... Op>
struct DefineAll {
  DefineAll() { (Define<Op>(), ...); }
};
template <class... Op>
struct DefineAll<Types<Op...>> : DefineAll<Op...> {};

template <class Op>
const OpInfo& info() {
  static const OpInfo& i =
      find_op(Op::doc.name);  // a reference to the core's one entry: harmless when it exists per library
  return i;
}

/// The C++ face of an operator: `inline constexpr Fn<ops::Softmax> softmax;` then `softmax(x, {.dim = 1})`.
/// One result comes as a Tensor, several as Tensors: `Tensors t = max_dim(x, {.dim = 0});`.
template <class Op>
struct Fn {
  static constexpr int n = Op::doc.arity();
  using Result = std::conditional_t<Op::doc.results() == 1, Tensor, Tensors>;
  // clang-format off
  Result operator()(const Op& op = {}) const requires(n == 0) { return run(op, {}); }
  Result operator()(const Tensors& list, const Op& op = {}) const requires(n == 1 && Op::doc.inputs.ends_with("[]")) { return run(op, Inputs(list.begin(), list.end())); }
  Result operator()(const Value& a, const Op& op = {}) const requires(n == 1 && !Op::doc.inputs.ends_with("[]")) { return run(op, {a}); }
  Result operator()(const Value& a, const Value& b, const Op& op = {}) const requires(n == 2) { return run(op, {a, b}); }
  Result operator()(const Value& a, const Value& b, const Value& c, const Op& op = {}) const requires(n == 3) { return run(op, {a, b, c}); }
  Result operator()(const Value& a, const Value& b, const Value& c, const Value& d, const Op& op = {}) const requires(n == 4) { return run(op, {a, b, c, d}); }
  Result operator()(const Value& a, const Value& b, const Value& c, const Value& d, const Value& e, const Op& op = {}) const requires(n == 5) { return run(op, {a, b, c, d, e}); }
  // clang-format on
  /// In place: writes into the first input and returns it.
  Tensor into(const Value& a, const Op& op = {}) const { return apply_inplace(info<Op>(), &op, {a}); }
  Tensor into(const Value& a, const Value& b, const Op& op = {}) const {
    return apply_inplace(info<Op>(), &op, {a, b});
  }
  Tensor into(const Value& a, const Value& b, const Value& c, const Op& op = {}) const {
    return apply_inplace(info<Op>(), &op, {a, b, c});
  }

 private:
  static Result run(const Op& op, Inputs in) {
    Tensors out = apply(info<Op>(), &op, std::move(in));
    if constexpr (Op::doc.results() == 1)
      return std::move(out[0]);
    else
      return out;
  }
};

// ---- Kernels ---------------------------------------------------------------------------------------------------
// A kernel is `void k(const Op& op, Tensor& out…, const Dense& | const Strided& | const Value& | const List& in…)`:
// non-const Tensors are the results in order, allocated as `infer` said; the rest are the inputs in order.
//   Dense    row-major memory (copied once, here, when it is not); null for an absent optional input
//   Strided  any view
//   Value    tensor, number or nothing, as it came
//   List     all inputs from this one on

/// `t` itself when it is row-major, otherwise a copy that is. Not recorded.
Tensor dense_copy(const Tensor& t);

class Dense : public Tensor {
 public:
  Dense(const Value& v) : Tensor(!v.tensor() || v.tensor().is_contiguous() ? v.tensor() : dense_copy(v.tensor())) {}
};
class Strided : public Tensor {
 public:
  Strided(const Value& v) : Tensor(v.tensor()) {}
};
using List = std::span<const Value>;

/// Registers kernel F under a device kind; operator and arity come from the function's own signature.
template <auto F>
struct Bind;
template <class Op, class... A, void (*F)(const Op&, A...)>
struct Bind<F> {
  explicit Bind(std::string_view kind) {
    entry(Op::doc.name).kernels[kind_slot(kind)] = [](Call& c) { run(c, std::index_sequence_for<A...>()); };
  }

 private:
  template <class T>
  static constexpr bool is_out = std::is_same_v<T, Tensor&>;
  static constexpr size_t outs = (size_t(is_out<A>) + ... + 0);

  template <class T>
  static decltype(auto) argument(Call& c, size_t i) {
    if constexpr (is_out<T>)
      return (c.out[i]);
    else if constexpr (std::is_same_v<T, List>)
      return List(c.in.begin() + (i - outs), c.in.end());
    else if constexpr (std::is_same_v<T, const Value&>)
      return static_cast<const Value&>(c.in[i - outs]);
    else
      return std::remove_cvref_t<T>(c.in[i - outs]);
  }
  template <size_t... I>
  static void run(Call& c, std::index_sequence<I...>) {
    F(*static_cast<const Op*>(c.op), argument<A>(c, I)...);
  }
};

template <class... Op, class F>
void for_each(Types<Op...>, F&& f) {
  (f(Type<Op>()), ...);
}

}  // namespace luth
