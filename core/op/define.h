// Making operators: how a struct becomes an OpInfo (Define), a C++ function (Fn) and gets its kernels (Bind). What a
// struct or a kernel may have got wrong does not compile, and the compiler says why.
#pragma once
#include "core/op/op.h"

namespace luth {

template <class F>
concept HasFields = requires(F f, Fields& v) {
  f.describe(v);
};

template <class T, class... U>
concept OneOf = (std::is_same_v<T, U> || ...);

/// The struct's traits; none where it says nothing.
template <class Op>
constexpr Traits traits_of() {
  if constexpr (requires { Op::traits; })
    return Op::traits;
  else
    return {};
}

// clang-format off
// `*&` leaves attributes out, which may have such names.
template <class Op> concept LooseFact =
    requires { *&Op::saves; } || requires { *&Op::not_differentiable; } || requires { *&Op::aliases; } ||
    requires { *&Op::order; } || requires { *&Op::inplace; } || requires { *&Op::only_inplace; } ||
    requires { *&Op::internal; } || requires { *&Op::as_method; } || requires { *&Op::as_function; } ||
    requires { *&Op::promote; } || requires { *&Op::promote_from; } || requires { *&Op::broadcast; } ||
    requires { *&Op::elementwise; } || requires { *&Op::overwrites; } || requires { *&Op::factory; } ||
    requires { *&Op::star; } || requires { *&Op::answers; } || requires { *&Op::divides; };
template <class Op> concept Infers = requires(const Op& o, const Inputs& in) { { o.infer(in) } -> OneOf<Spec, Specs>; };
template <class Op> concept TakesGradients = requires(const Op& o, const Call& c, const Tensors& dy) { { o.vjp(c, dy) } -> OneOf<Tensors>; };
template <class Op> concept TakesGradient = requires(const Op& o, const Call& c, const Tensor& dy) { { o.vjp(c, dy) } -> OneOf<Tensors>; };
template <class Op> concept Decomposes = requires(const Op& o, const Inputs& in) { { o.decompose(in) } -> OneOf<Tensor, Tensors>; };
template <class Op> concept Views = requires(const Op& o, const Tensor& t) { { o.view(t) } -> OneOf<Tensor>; };
template <class Op> concept HasSamples = requires { { Op::samples() } -> OneOf<Cases<Op>>; };
// clang-format on

template <class Op>
constexpr bool keeps_family() {
  if constexpr (requires { Op::family; }) return Op::family.with(traits_of<Op>()) == traits_of<Op>();
  return true;
}
/// Attributes, other than the place of random numbers.
template <class Op>
constexpr size_t attribute_bytes() {
  if constexpr (std::is_empty_v<Op>)
    return 0;
  else if constexpr (requires(Op o) { o.philox; })
    return sizeof(Op) - sizeof(PhiloxState);
  else
    return sizeof(Op);
}

template <class Op>
constexpr void check_struct() {
  static_assert(!LooseFact<Op>, "facts of an operator are members of its Traits: static constexpr Traits traits{…}");
  static_assert(keeps_family<Op>(), "this struct is of a family: write `traits = family.with({…})`");
  static_assert(HasFields<Op> || attribute_bytes<Op>() == 0,
                "the struct has members, and no `void describe(auto& field)` that names them");
  static_assert(
      Infers<Op> || !requires { &Op::infer; }, "write `Spec infer(const Inputs& in) const`, or Specs");
  static_assert(
      TakesGradient<Op> || TakesGradients<Op> || !requires { &Op::vjp; },
      "write `Tensors vjp(const Call& c, const Tensor& dy) const`, or `const Tensors& dy`");
  static_assert(
      Decomposes<Op> || !requires { &Op::decompose; }, "write `Tensor decompose(const Inputs& in) const`, or Tensors");
  static_assert(
      Views<Op> || !requires { &Op::view; }, "write `Tensor view(const Tensor& input) const`");
  static_assert(
      HasSamples<Op> || !requires { &Op::samples; }, "write `static Cases<Op> samples()`");
}

/// A list of what f() gives, made in its place: g++ would move a list of an inner block.
template <class List, class F>
List list_of(F&& f) {
  List list;
  list.emplace_back(Made{f});
  return list;
}
/// What f() gives, a list or the one element of a list.
template <class List, class F>
List listed(F&& f) {
  if constexpr (std::is_same_v<std::invoke_result_t<F>, List>)
    return f();
  else
    return list_of<List>(f);
}

template <class Op>
void fill_rules(OpInfo& i) {
  if constexpr (Infers<Op>)
    i.infer = [](const void* p, const Inputs& in) {
      return listed<Specs>([&] { return static_cast<const Op*>(p)->infer(in); });
    };
  if constexpr (TakesGradients<Op>)
    i.vjp = [](const Call& c, const Tensors& dy) -> Tensors { return static_cast<const Op*>(c.op)->vjp(c, dy); };
  else if constexpr (TakesGradient<Op>)
    i.vjp = [](const Call& c, const Tensors& dy) -> Tensors { return static_cast<const Op*>(c.op)->vjp(c, dy[0]); };
  if constexpr (Decomposes<Op>)
    i.decompose = [](const void* p, const Inputs& in) {
      return listed<Tensors>([&] { return static_cast<const Op*>(p)->decompose(in); });
    };
  if constexpr (Views<Op>) i.view = [](const void* p, const Tensor& t) { return static_cast<const Op*>(p)->view(t); };
  if constexpr (HasSamples<Op>)  // erased as they come
    i.samples = [] { return Op::samples().list; };
}

template <class Op>
void fill_info(OpInfo& i) {
  check_struct<Op>();
  i.traits = traits_of<Op>();
  i.size = sizeof(Op);
  if constexpr (std::is_empty_v<Op>) {  // all are the same
    static Op only;
    i.copy = [](const void*) -> void* { return &only; };
    i.destroy = [](void*) {};
  } else {
    i.copy = [](const void* p) -> void* { return p ? new Op(*static_cast<const Op*>(p)) : new Op(); };
    i.destroy = [](void* p) { delete static_cast<Op*>(p); };
  }
  if constexpr (HasFields<Op>) i.describe = [](void* p, Fields& f) { static_cast<Op*>(p)->describe(f); };
  if constexpr (requires(Op o) { o.philox; }) {
    i.random = true;
    i.philox = [](void* p) { return &static_cast<Op*>(p)->philox; };
  }
  fill_rules<Op>(i);
}

/// Registers operators: `const DefineAll<ops::Softmax, ops::LogSoftmax> define_all_;` in the family's .cpp.
template <class... Op>
struct DefineAll {
  DefineAll() {
    static constexpr Definition list[] = {{Op::doc, fill_info<Op>}...};
    static Definitions node{list};
    define(node);
  }
};
template <class... Op>
struct DefineAll<Types<Op...>> : DefineAll<Op...> {};
template <class Op>
using Define = DefineAll<Op>;

/// A reference to the core's one entry: harmless when it exists per library.
template <class Op>
[[gnu::visibility("hidden")]] inline constinit OpRef op_ref{Op::doc.name};
template <class Op>
inline const OpInfo& info() {
  return op_ref<Op>.info();
}

/// An operator as a C++ function: `inline constexpr Fn<ops::Softmax> softmax;` then `softmax(x, {.dim = 1})`.
/// One result comes as a Tensor, several as Tensors: `Tensors t = max_dim(x, {.dim = 0});`.
template <class Op>
struct Fn {
  static constexpr int n = Op::doc.arity();
  using Result = std::conditional_t<Op::doc.results() == 1, Tensor, Tensors>;
  // clang-format off
  Result operator()(const Op& op = {}) const requires(n == 0) { return run<Operands>(op, {}); }
  Result operator()(const Tensors& list, const Op& op = {}) const requires(n == 1 && Op::doc.inputs.ends_with("[]")) { return run(op, list); }
  Result operator()(const Operand& a, const Op& op = {}) const requires(n == 1 && !Op::doc.inputs.ends_with("[]")) { return run<Operands>(op, {&a}); }
  Result operator()(const Operand& a, const Operand& b, const Op& op = {}) const requires(n == 2) { return run<Operands>(op, {&a, &b}); }
  Result operator()(const Operand& a, const Operand& b, const Operand& c, const Op& op = {}) const requires(n == 3) { return run<Operands>(op, {&a, &b, &c}); }
  Result operator()(const Operand& a, const Operand& b, const Operand& c, const Operand& d, const Op& op = {}) const requires(n == 4) { return run<Operands>(op, {&a, &b, &c, &d}); }
  Result operator()(const Operand& a, const Operand& b, const Operand& c, const Operand& d, const Operand& e, const Op& op = {}) const requires(n == 5) { return run<Operands>(op, {&a, &b, &c, &d, &e}); }
  // clang-format on
  /// In place: writes into the first input and returns it.
  Tensor into(const Operand& a, const Op& op = {}) const { return call_inplace(op_ref<Op>, &op, {&a}); }
  Tensor into(const Operand& a, const Operand& b, const Op& op = {}) const {
    return call_inplace(op_ref<Op>, &op, {&a, &b});
  }
  Tensor into(const Operand& a, const Operand& b, const Operand& c, const Op& op = {}) const {
    return call_inplace(op_ref<Op>, &op, {&a, &b, &c});
  }

 private:
  template <class In>
  static Result run(const Op& op, const In& in) {
    if constexpr (Op::doc.results() == 1)
      return call_for_one(op_ref<Op>, &op, in);
    else
      return call(op_ref<Op>, &op, in);
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
  /// For a kernel's `const Dense&`, which nothing can be moved out of.
  explicit Dense(Borrowed b)
      : Tensor(!b.tensor || b.tensor.is_contiguous() ? b.tensor.uncounted() : dense_copy(b.tensor)),
        borrowed_(same(b.tensor)) {}
  Dense(const Dense&) = delete;
  ~Dense() {
    if (borrowed_) forget();
  }

 private:
  bool borrowed_ = false;
};
class Strided : public Tensor {
 public:
  explicit Strided(Borrowed b) : Tensor(b.tensor.uncounted()) {}
  Strided(const Strided&) = delete;
  ~Strided() { forget(); }
};
using List = std::span<const Value>;

/// Registers kernel F under a device kind; operator and arity come from the function's own signature.
template <auto F>
struct Bind {
  static_assert(sizeof(F) == 0,
                "a kernel is `void k(const Op& op, Tensor& result…, const Dense& input…)`: it takes the "
                "operator first, by const reference, and returns nothing");
};
template <class Op, class... A, void (*F)(const Op&, A...)>
struct Bind<F> {
  explicit Bind(std::string_view kind) {
    static_assert(
        (is_argument<A> && ...),
        "a kernel takes results as `Tensor&`, and inputs as `const Dense&`, `const Strided&`, `const Value&` or "
        "`const List&`");
    static_assert(results_first(), "a kernel takes its results before its inputs");
    static_assert(Op::doc.results() < 0 || int(outs) == Op::doc.results(),
                  "a kernel takes as many results, `Tensor&`, as the operator's Doc has outputs");
    static_assert(takes_list ? int(ins) <= Op::doc.arity() : int(ins) == Op::doc.arity(),
                  "a kernel takes as many inputs as the operator's Doc has, or a List last");
    entry(Op::doc.name).kernels[kind_slot(kind)] = [](Call& c) { run(c, std::index_sequence_for<A...>()); };
  }

 private:
  template <class T>
  static constexpr bool is_out = std::is_same_v<T, Tensor&>;
  template <class T>
  static constexpr bool is_list = std::is_same_v<std::remove_cvref_t<T>, List>;
  template <class T>
  static constexpr bool is_argument = is_out<T> || is_list<T> || OneOf<T, const Dense&, const Strided&, const Value&>;
  static constexpr size_t outs = (size_t(is_out<A>) + ... + 0), ins = sizeof...(A) - outs;
  static constexpr bool takes_list = (is_list<A> || ...);
  static constexpr bool results_first() {
    size_t k = 0;
    return ((k++ < outs ? is_out<A> : !is_out<A>)&&...);
  }

  template <class T>
  static decltype(auto) argument(Call& c, size_t i) {
    if constexpr (is_out<T>)
      return (c.out[i]);
    else if constexpr (is_list<T>)
      return List(c.in.begin() + (i - outs), c.in.end());
    else if constexpr (std::is_same_v<T, const Value&>)
      return static_cast<const Value&>(c.in[i - outs]);
    else
      return std::remove_cvref_t<T>(Borrowed{c.in[i - outs].tensor()});
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
