// Operators: the recipe (a struct), its erased view (OpInfo), the registry, and the one function that all pass,
// apply().
//
// An operator is a struct `Op` with
//   static constexpr Doc doc{"name", "inputs", "what it does", "outputs"}
//   static constexpr Traits traits{.saves = "input: result", …}: all other facts, see core/op/traits.h
//   its attributes, with defaults, and `void describe(auto& field)` for them
//   infer      `Spec infer(const Inputs&) const` or `Specs`: shape, dtype and strides of the results, and every check
//   vjp        `Tensors vjp(const Call& c, const Tensor& dy) const` (or `const Tensors& dy` for several results),
//              written in operators; one gradient per input, null where there is none. Of several inputs it computes
//              the gradients alone that c.wants(i): the others may read what was not saved
//   decompose  `Tensor decompose(const Inputs&) const` (or `Tensors`): its meaning in other operators
//   view       `Tensor view(const Tensor&) const`, in place of infer and kernels: another view of the same memory
//   samples    `static Cases<Op> samples()`: what tests run it with
// core/op/define.h makes it an operator, checks the struct, and binds its kernels.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "core/op/traits.h"
#include "core/tensor/describe.h"
#include "core/tensor/tensor.h"

namespace luth {

/// `name`: "softmax", or "max.dim" for one of several operators behind the Lua name `max`; "linalg_solve" for one in a
/// table of its own, torch.linalg.solve (also special_, signal_windows_, nn_functional_), which is a function only.
/// `inputs`: "input, other|number, bias?, tensors[]": `|number` also takes a number, `?` may be absent, `[]` is a list
/// and comes last. `outputs`: names of several results ("values, indices"), "list[]" for any number; "" for one,
/// `result`.
struct Doc {
  std::string_view name, inputs, brief;
  std::string_view outputs = "";
  constexpr int arity() const { return count(inputs); }
  constexpr int results() const { return outputs.ends_with("[]") ? -1 : outputs.empty() ? 1 : count(outputs); }
  static constexpr int count(std::string_view list) {
    int n = list.empty() ? 0 : 1;
    for (char c : list) n += c == ',';
    return n;
  }
};

/// A number of any arithmetic type.
template <class T>
requires std::is_arithmetic_v<T> Scalar scalar_of(T v) {
  if constexpr (std::is_same_v<T, bool>)
    return Scalar(v);
  else if constexpr (std::is_integral_v<T>)
    return Scalar(int64_t(v));
  else
    return Scalar(double(v));
}

/// A tensor that somebody else holds as long as the Value that is made of it exists.
struct Borrowed {
  const Tensor& tensor;
};

/// One argument of a call: a tensor, a number, or nothing (an optional input that was not given).
class Value {
 public:
  Value() = default;
  Value(const Tensor& t) : tensor_(t) {}
  Value(Tensor&& t) : tensor_(std::move(t)) {}
  /// Does not count as a reference. Whatever is copied or moved from it does.
  explicit Value(Borrowed b) : tensor_(b.tensor.uncounted()), borrowed_(true) {}
  Value(const Scalar& s) : scalar_(s), is_scalar_(true) {}
  template <class T>
  requires std::is_arithmetic_v<T> Value(T v) : Value(scalar_of(v)) {}
  Value(const Value& o) : tensor_(o.tensor_), scalar_(o.scalar_), is_scalar_(o.is_scalar_) {}
  Value(Value&& o) noexcept
      : tensor_(o.borrowed_ ? Tensor(o.tensor_) : std::move(o.tensor_)), scalar_(o.scalar_), is_scalar_(o.is_scalar_) {}
  Value& operator=(Value o) noexcept {
    std::swap(tensor_, o.tensor_);
    std::swap(scalar_, o.scalar_);
    std::swap(is_scalar_, o.is_scalar_);
    std::swap(borrowed_, o.borrowed_);
    return *this;
  }
  ~Value() {
    if (borrowed_) tensor_.forget();
  }

  bool is_tensor() const { return bool(tensor_); }
  bool is_scalar() const { return is_scalar_; }
  explicit operator bool() const { return is_scalar_ || bool(tensor_); }
  /// Null unless is_tensor().
  const Tensor& tensor() const { return tensor_; }
  operator const Tensor&() const { return tensor_; }
  const Scalar& scalar() const { return scalar_; }
  // For a number: no dims, and the dtype that it would have as a tensor.
  Shape shape() const { return tensor_ ? tensor_.shape() : Shape(); }
  Dtype dtype() const { return tensor_ ? tensor_.dtype() : scalar_.dtype(); }
  int dim() const { return tensor_ ? tensor_.dim() : 0; }
  int64_t numel() const { return tensor_ ? tensor_.numel() : 1; }

 private:
  Tensor tensor_;
  Scalar scalar_;
  bool is_scalar_ = false, borrowed_ = false;
};

/// An argument of a call from C++. It owns nothing and refers to a tensor of the caller's, so that an expression of
/// calls has results alone to release.
class Operand {
 public:
  Operand() = default;
  Operand(const Tensor& t) : tensor_(&t) {}
  Operand(const Scalar& s) : scalar_(s), is_scalar_(true) {}
  Operand(const Value& v) : tensor_(&v.tensor()), scalar_(v.scalar()), is_scalar_(v.is_scalar()) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T v) : Operand(scalar_of(v)) {}
  Value value() const { return is_scalar_ ? Value(scalar_) : tensor_ ? Value(*tensor_) : Value(); }

 private:
  const Tensor* tensor_ = nullptr;
  Scalar scalar_;
  bool is_scalar_ = false;
};
using Operands = std::initializer_list<const Operand*>;

/// What a result will be. No strides: row-major. No device: that of the inputs.
struct Spec {
  Shape shape;
  Dtype dtype = Dtype::f32;
  Strides strides{};
  Device* device = nullptr;
};
using Specs = Small<Spec, 2>;
// compiled once, in the core
extern template class Small<Value, 4>;
extern template class Small<Spec, 2>;

struct OpInfo;

/// One application of an operator: what vjp, recorder and observers see.
struct Call {
  const OpInfo* info;
  const void* op;
  Inputs in;
  Tensors out;
  uint32_t wanted = ~0u;  // bit i: the gradient of input i is wanted
  bool inplace = false;   // out[0] is in[0], written into
  bool wants(int i) const { return wanted >> i & 1; }
};
using KernelFn = void (*)(Call&);

/// A random operator has a member `philox`; apply() reserves its place in the device's stream of random numbers,
/// unless it is set already (then the same numbers come again, as dropout's gradient needs).
struct PhiloxState {
  int64_t seed = 0, offset = 0;
  bool set = false;
};

/// A case to test an operator with. Tensors are drawn uniformly from [lo, hi] for `shapes`; where that does not do,
/// `make` gives the inputs themselves (float64 on the CPU for those that want a gradient).
template <class Op>
struct Case {
  Op op;
  std::vector<Shape> shapes;
  double lo = -2, hi = 2;
  Inputs (*make)() = nullptr;
};

/// An attribute struct of unknown type, owned.
class OpValue {
 public:
  OpValue() = default;
  OpValue(const OpInfo* info, const void* op);  // a copy of *op
  OpValue(OpValue&& o) noexcept : info_(o.info_), p_(std::exchange(o.p_, nullptr)) {}
  OpValue(const OpValue& o) : OpValue(o.info_, o.p_) {}
  OpValue& operator=(OpValue o) noexcept {
    std::swap(info_, o.info_);
    std::swap(p_, o.p_);
    return *this;
  }
  ~OpValue();
  void* get() const { return p_; }
  /// Sets the attribute of that name; a float64 also where it is a Scalar. Throws where there is none.
  void set(std::string_view attribute, const Attr& value);

 private:
  const OpInfo* info_ = nullptr;
  void* p_ = nullptr;
};
struct Sample {
  OpValue op;
  std::vector<Shape> shapes;
  double lo, hi;
  std::function<Inputs()> make;
};
/// The cases of one operator, erased as they come: what the compiler makes for each operator stays small.
class Samples {
 public:
  std::vector<Sample> list;

 protected:
  void add(std::string_view op_name, Sample sample, const void* op);
  static std::function<Inputs()> drawn_inputs(Tensor (*draw)(const Shape&), std::vector<Shape> shapes);
};
template <class Op>
class Cases : public Samples {
 public:
  Cases() = default;
  Cases(std::initializer_list<Case<Op>> cases) {
    for (auto& c : cases) push_back(c);
  }
  /// Cases whose tensors are draw(shape).
  static Cases drawn(Tensor (*draw)(const Shape&), std::initializer_list<Case<Op>> cases) {
    Cases all;
    for (auto& c : cases) all.add(Op::doc.name, {{}, {}, c.lo, c.hi, drawn_inputs(draw, c.shapes)}, &c.op);
    return all;
  }
  void push_back(const Case<Op>& c) { add(Op::doc.name, {{}, c.shapes, c.lo, c.hi, c.make}, &c.op); }
};

struct InputSpec {
  std::string name;
  bool number = false, optional = false, list = false;
};
/// Two names of one argument: `shown` in help, and `also`.
struct SecondName {
  std::string_view shown, also;
};
/// What the gradient of one input reads: bits of inputs, of inputs' shapes, of results.
struct Needs {
  uint32_t in = 0, meta = 0, out = 0;
};

/// The erased view of an operator struct, with its kernel per device kind.
struct OpInfo {
  std::string name;      // "max.dim"
  std::string lua_name;  // "max", "linalg.solve": its function in Lua; errors name it so
  Doc doc{};
  std::vector<InputSpec> inputs;
  std::vector<std::string> outputs;  // names; {"result"} for one
  std::vector<Needs> saves;          // per input
  std::vector<SecondName> second_names;
  bool defined = false;  // a kernel may register before its operator does
  bool random = false;   // draws numbers itself
  bool several = false;  // any number of results, returned as a table
  size_t size = 0;       // of the struct
  /// The struct's, with what follows from them: `inplace` is none, also or only.
  Traits traits;
  bool has_inplace() const { return traits.inplace != Inplace::none; }

  // functions; null where the struct lacks them
  void* (*copy)(const void*) = nullptr;  // null: a default-made one
  void (*destroy)(void*) = nullptr;
  void (*describe)(void*, Fields&) = nullptr;
  Specs (*infer)(const void*, const Inputs&) = nullptr;
  Tensors (*vjp)(const Call&, const Tensors& dy) = nullptr;
  Tensors (*decompose)(const void*, const Inputs&) = nullptr;
  Tensor (*view)(const void*, const Tensor&) = nullptr;
  std::vector<Sample> (*samples)() = nullptr;
  PhiloxState* (*philox)(void*) = nullptr;
  std::array<KernelFn, max_kinds> kernels{};

  OpValue make() const { return OpValue(this, nullptr); }
  std::vector<FieldDoc> fields(const void* op) const;
};

/// All operators, in order of name, once all libraries are open.
std::vector<const OpInfo*> operators();
/// Finds or creates: kernels may register before their operator.
OpInfo& entry(std::string_view name);
/// Throws for an unknown name, and where two operators have one name.
const OpInfo& find_op(std::string_view name);
/// An operator as a library defines it. Nothing is parsed or allocated until the operator is asked for.
struct Definition {
  const Doc& doc;
  void (*fill)(OpInfo&);  // sets traits and functions
};
/// The definitions of one static object; they stay where they are.
struct Definitions {
  std::span<const Definition> list;
  Definitions* next = nullptr;
};
/// Called while a library is loaded. An operator whose name is taken is an error of the next search.
void define(Definitions& more);

/// An input is null that is not optional. Scripts cannot do that; a vjp can, see Traits::saves.
class MissingInput : public Error {
 public:
  explicit MissingInput(std::string_view name);
};

/// The results of `op` on `in`; records for autograd. The one place every operator passes through:
/// device check, promotion, broadcast, infer, allocation, dispatch, record. Throws Error with operator and inputs
/// named.
Tensors apply(const OpInfo& info, const void* op, Inputs in);
/// The same for a call whose `info`, `op` (not null) and `in` are set; fills `out`.
void apply(Call& call);
/// Writes the (first) result into in[0] and returns it. Throws when shape or dtype do not allow it.
Tensor apply_inplace(const OpInfo& info, const void* op, Inputs in);
Tensor apply_inplace(Call& call);  // as apply(call)
/// Writes the results into `out`, resizing them; refuses to record.
Tensors apply_out(const OpInfo& info, const void* op, Inputs in, Tensors out);

/// An operator by name, found when it is first asked for.
class OpRef {
 public:
  constexpr explicit OpRef(std::string_view name) : name_(name) {}
  const OpInfo& info() {
    const OpInfo* known = info_.load(std::memory_order_acquire);
    return known ? *known : find();
  }

 private:
  const OpInfo& find();
  std::string_view name_;
  std::atomic<const OpInfo*> info_ = nullptr;
};
/// What a call from C++ compiles to: the first result, all results, or the first input after it was written into.
Tensor call_for_one(OpRef& op, const void* attributes, Operands in);
Tensor call_for_one(OpRef& op, const void* attributes, const Tensors& list);
Tensors call(OpRef& op, const void* attributes, Operands in);
Tensors call(OpRef& op, const void* attributes, const Tensors& list);
Tensor call_inplace(OpRef& op, const void* attributes, Operands in);

/// The dtype of a result of these inputs together, by PyTorch's rule: tensors with dims before 0-dimensional ones
/// before numbers, and within each the promotion table.
Dtype result_type(const Inputs& in);

/// The casts and expansions that apply() inserts are operators themselves, so that their gradients exist once; defined
/// with them in ops/.
Tensor cast_to(const Tensor& t, Dtype dtype);
Tensor expand_to(const Tensor& t, const Shape& shape);

/// Sees every call of this thread when it is done: recorder, profiler, device placement log. A composite is one call;
/// what its `decompose` calls is not seen. Null in the ordinary case.
class Observer {
 public:
  virtual ~Observer();
  virtual void called(const Call& call) = 0;
};
Observer* observer();
Observer* set_observer(Observer* o);  // returns the one before

}  // namespace luth
