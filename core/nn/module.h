// Module: described settings with named parameters, buffers and children, and what all modules share: calling with
// hooks and error context, modes, state dicts, conversion, cloning, printing.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "core/op/op.h"

// How a module prints a setting, as PyTorch does; where none is given, always, as `name=value`. Bits beside those of
// core/tensor/describe.h.
namespace luth::as {
inline constexpr unsigned bare = 512;        // without its name
inline constexpr unsigned if_set = 1024;     // where it is not its default
inline constexpr unsigned unprinted = 2048;  // never
inline constexpr unsigned tuple = 4096;      // a list of one number as "(3,)", not "3"
}  // namespace luth::as

namespace luth::nn {

class Module;
using ModuleRef = Ref<Module>;
class Values;
/// What an Argument may be beside tensors and numbers: a list, or a value of the language.
struct Held : Counted {
  virtual ~Held();
  /// As messages name it: "a table of 2".
  virtual std::string text() const = 0;
};

/// One argument or result of a module: a tensor, a number, nothing, a list of these, or a value of the language.
class Argument : public Value {
 public:
  using Value::Value;
  Argument() = default;
  Argument(const Value& v) : Value(v) {}
  static Argument list(const Values& items);
  explicit Argument(Ref<Held> value) : more_(std::move(value)) {}
  explicit operator bool() const { return Value::operator bool() || more_; }
  /// "a tensor", "a number", "a table of 2", "nothing".
  std::string text() const;
  bool is_list() const;
  /// Throws where it is no list.
  const Values& items() const;
  /// Null unless it is a list or a value of the language.
  const Ref<Held>& more() const { return more_; }

 private:
  Ref<Held> more_;
};

/// What a module takes and gives, by position.
class Values : public Small<Argument, 4> {
 public:
  using Small::Small;
  Values(const Inputs& in) : Small(in.begin(), in.end()) {}
  /// For operators. Throws for lists and values of the language.
  operator Inputs() const;
};

/// What a module takes by name.
struct NamedArgument {
  std::string name;
  Argument value;
};
using Named = std::vector<NamedArgument>;

/// A null tensor is a parameter or buffer that exists by name only (a layer without bias, a removed one).
struct NamedTensor {
  std::string name;
  Tensor value;
};
struct NamedBuffer : NamedTensor {
  bool persistent = true;  // part of the state dict
};
struct NamedModule {
  std::string name;
  ModuleRef module;
};

/// An entry of a state dict: a tensor, or in `other` the extra state of a module that is none.
struct StateEntry {
  std::string name;
  Tensor value;
  Argument other = {};
};
/// Entries by dotted path, in order; the tensors share memory with the module.
using StateDict = std::vector<StateEntry>;
struct LoadOptions {
  bool strict = true;  // missing and unexpected names are errors; a shape that does not fit always is
  int base = 1;        // from where the names count positions: 0 takes PyTorch's files
};
struct LoadResult {
  std::vector<std::string> missing, unexpected, errors;
};

/// Runs before forward and may change its arguments.
using PreHook = std::function<void(Module&, Values& in, Named& named)>;
/// Runs after forward and may change its results.
using PostHook = std::function<void(Module&, const Values& in, const Named& named, Values& out)>;
/// A hook after backward gets the gradients of a call's arguments (null: none) and of its results, and may return other
/// ones for the arguments. A hook before it gets those of the results and may return other ones for them. An empty
/// result changes nothing.
using BackwardHook = std::function<Tensors(Module&, const Tensors& grad_inputs, const Tensors& grad_outputs)>;
/// Sees the state dict so far, before or after the entries of its module and of those below came, and may change it.
using StateHook = std::function<void(Module&, StateDict& dict, const std::string& prefix)>;
/// Runs before the names below `prefix` are compared, and may change the dict and add to the result.
using LoadHook = std::function<void(Module&, StateDict& from, const std::string& prefix, LoadResult& result)>;
/// Runs after loading and may take names out of the result, which then are no errors.
using LoadedHook = std::function<void(Module&, LoadResult& result)>;

template <class F>
struct Hook {
  int64_t id;
  F f;
  bool always = false;  // after forward: also where forward or another hook has thrown; the results are empty then
};

/// The hooks of one module, or those of all: global_hooks().
struct Hooks {
  std::vector<Hook<PreHook>> before;
  std::vector<Hook<PostHook>> after;
  std::vector<Hook<BackwardHook>> before_backward, after_backward;
  std::vector<Hook<StateHook>> before_state, after_state;  // of modules alone
  std::vector<Hook<LoadHook>> before_load;
  std::vector<Hook<LoadedHook>> after_load;

  /// Adds a hook, as the first one if `first`: `m->hooks().add(&Hooks::before, f)`. Returns its id.
  template <class F>
  int64_t add(std::vector<Hook<F>> Hooks::*kind, std::type_identity_t<F> f, bool first = false, bool always = false) {
    auto& list = this->*kind;
    return list.insert(first ? list.begin() : list.end(), {next_id(), std::move(f), always})->id;
  }
  void remove(int64_t id);
  bool around_calls() const {
    return !before.empty() || !after.empty() || !before_backward.empty() || !after_backward.empty();
  }

 private:
  static int64_t next_id();
};
/// Run for every module, before its own.
Hooks& global_hooks();

/// The contents of a module, apart from its class and settings: in order of registration.
struct Parts {
  Parts();
  Parts(const Parts&);
  Parts& operator=(const Parts&);
  ~Parts();
  std::vector<NamedTensor> parameters;
  std::vector<NamedBuffer> buffers;
  std::vector<NamedModule> children;
  Hooks hooks;
  bool training = true;
};

class Module : public Counted {
 public:
  Module();
  virtual ~Module();

  // ---- What a class of modules defines -----------------------------------------------------------------------------
  /// The name of its class, "Conv2d".
  virtual std::string type() const = 0;
  /// Its settings.
  virtual void describe(Fields&) {}
  /// Makes parameters and buffers, once the settings are there; throws for settings that make no sense.
  virtual void build() {}
  virtual Values forward(const Values& in) = 0;
  /// The names of forward's arguments, by which a call may give them.
  virtual std::vector<std::string> argument_names() const { return {}; }
  /// forward of arguments by position and by name; puts those given by name at their places.
  virtual Values forward_named(const Values& in, const Named& named);
  /// Draws the parameters anew.
  virtual void reset_parameters() {}
  /// Another one of this class with these settings and without parts.
  virtual ModuleRef fresh() const = 0;
  /// The settings as PyTorch prints them between the parentheses, "4, eps=1e-05, affine=True"; `as` says how each is.
  virtual std::string extra_repr() const;
  /// True where children (or parameters) are named by their position.
  virtual bool positional() const { return false; }
  /// True while parameters wait for a first input to know their shape.
  virtual bool lazy() const { return false; }
  /// Gives lazy parameters the shapes that a state dict has for them.
  virtual void materialize_like(const StateDict& own) { (void)own; }
  /// State beside tensors, which the state dict has as `_extra_state`.
  virtual bool has_extra_state() const { return false; }
  virtual Argument extra_state() const { return {}; }
  virtual void set_extra_state(const Argument&) {}
  /// Appends the module as PyTorch prints it; lines after the first begin with `indent` blanks.
  virtual void print(std::string& out, int indent) const;
  /// As PyTorch prints it, over several lines where there are children.
  std::string repr() const;

  // ---- Calling -----------------------------------------------------------------------------------------------------
  /// forward between the hooks; an Error that leaves it names this module.
  Values call(const Values& in, const Named& named = {});
  Tensor operator()(const Tensor& x);
  Tensor operator()(const Tensor& x, const Tensor& y);
  Hooks& hooks() { return parts_->hooks; }
  /// Whether a call has hooks to run, its own or global ones.
  bool hooked() const { return parts_->hooks.around_calls() || global_hooks().around_calls(); }

  // ---- Parts -------------------------------------------------------------------------------------------------------
  /// Adds or replaces. Throw for a name that is empty, has a dot, or is that of a part of another kind that has a
  /// value.
  void register_parameter(const std::string& name, const Tensor& value);
  void register_buffer(const std::string& name, const Tensor& value, bool persistent = true);
  void add_module(const std::string& name, ModuleRef child);
  /// Removes whatever has the name (a parameter or buffer keeps its place, empty); false when nothing has.
  bool remove(const std::string& name);
  NamedTensor* find_parameter(std::string_view name);
  NamedBuffer* find_buffer(std::string_view name);
  NamedModule* find_child(std::string_view name);
  /// The child, or the parameter (null: absent), of a name that the class gave it. Throws where there is none any more.
  ModuleRef child(std::string_view name);
  const Tensor& parameter_named(std::string_view name);
  /// The parameter or buffer number i, in order of registration; null where it is absent.
  const Tensor& parameter(size_t i) const { return parts_->parameters[i].value; }
  const Tensor& buffer(size_t i) const { return parts_->buffers[i].value; }
  Parts& parts() { return *parts_; }
  const Parts& parts() const { return *parts_; }
  /// Takes over the parts of `other`, which shares them from now on; what this one had is added to them.
  void adopt(Module& other);
  bool training() const { return parts_->training; }

  // ---- Over the tree -----------------------------------------------------------------------------------------------
  // The walks give each module and each tensor once, or at each place if `all`, parents first, and name it by its
  // dotted path.
  using Seen = std::set<const Module*>;
  /// Leaves out the modules in `seen` and what lies below them, and adds those that it gives.
  std::vector<NamedModule> named_modules(const std::string& prefix = "", bool all = false, Seen* seen = nullptr);
  std::vector<NamedTensor> named_parameters(bool recurse = true, const std::string& prefix = "", bool all = false);
  std::vector<NamedTensor> named_buffers(bool recurse = true, const std::string& prefix = "", bool all = false);
  std::vector<Tensor> parameters(bool recurse = true);
  /// "1.conv" from here; "" is this one. Throws for a path that leads nowhere.
  ModuleRef submodule(std::string_view path);

  void train(bool on = true);
  void eval() { train(false); }
  /// Drops the gradients of all parameters, or fills them with zeros.
  void zero_grad(bool set_to_none = true);
  void requires_grad(bool on);
  /// Children first, then this one.
  void apply(const std::function<void(Module&)>& f);
  /// Converts floating parameters and buffers to `dtype`, and all to `device`; both may be absent. The tensors stay the
  /// same objects, so that optimizers keep them.
  void to(std::optional<Dtype> dtype, Device* device = nullptr);

  /// Parameters, persistent buffers and extra state; names count positions from `base`.
  StateDict state_dict(int base = 1, const std::string& prefix = "") const;
  /// Copies what `from` has into parameters and buffers; nothing when anything does not fit.
  LoadResult load_state_dict(const StateDict& from, const LoadOptions& options = {});
  /// A deep copy: tensors that are shared within stay shared within.
  ModuleRef clone() const;

 protected:
  std::shared_ptr<Parts> parts_;

 private:
  void check_free(const std::string& name, const char* what, const void* except) const;
};

// ---- Helpers ------------------------------------------------------------------------------------------------------

/// Marks `t` as parameter of a module and lets it require grad (where its dtype can).
Tensor as_parameter(const Tensor& t, bool requires_grad = true);
/// Points `t` at the memory, dtype and shape of `value`; all holders of `t` see it (`t.data = value`).
void replace_data(const Tensor& t, const Tensor& value);
/// A copy with the same dtype, device and, where dense, memory order. Not recorded.
Tensor duplicate(const Tensor& t);
/// `t` itself, or a copy of that dtype on that device (null: its own). Not recorded.
Tensor converted(const Tensor& t, Dtype dtype, Device* device);

/// A step of a recursion over nested modules. Throws where this thread is deeper in such steps than `most`, long before
/// its stack ends.
class Nesting {
 public:
  static constexpr int most = 1000;
  Nesting();
  ~Nesting();
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
};

/// The dotted path from `above` to `m`; empty when it is not below.
std::string path_to(const Module& above, const Module& m);

/// A running call of a module. The frames of a thread tell an error the path of the module where it arose.
class Frame {
 public:
  /// `root` names the module for whoever reads the error; asked at most once per error, for the outermost frame.
  explicit Frame(const Module& m, std::string (*root)(void*) = nullptr, void* context = nullptr);
  ~Frame();
  Frame(const Frame&) = delete;
  /// "net.features.3 (Conv2d(…))": where this thread is; "" outside of all modules.
  static std::string where();

 private:
  Nesting nesting_;
  const Module& module_;
  std::string (*root_)(void*);
  void* context_;
  Frame* outer_;
};

// ---- Classes of modules -------------------------------------------------------------------------------------------

/// A class that can be made by name.
struct ModuleClass {
  std::string_view name, brief;
  ModuleRef (*make)();  // with default settings, not built
};
const std::vector<const ModuleClass*>& module_classes();  // in order of name
/// Null for an unknown name.
const ModuleClass* find_module_class(std::string_view name);
void add_module_class(const ModuleClass* c);

/// A module of class M with default settings, not built.
template <class M>
ModuleRef make_default() {
  if constexpr (std::is_default_constructible_v<M>)
    return ModuleRef(new M);
  else
    return ModuleRef(new M(typename M::Spec()));
}
/// The class by the `name` and `brief` of its settings, or its own.
template <class M>
constexpr ModuleClass class_of() {
  if constexpr (requires { M::Spec::brief; })
    return {M::Spec::name, M::Spec::brief, make_default<M>};
  else
    return {M::name, M::brief, make_default<M>};
}

/// Registers modules: `const DefineModule<Linear> linear_;`
template <class... M>
struct DefineModule {
  DefineModule() {
    static constexpr ModuleClass classes[] = {class_of<M>()...};
    for (auto& c : classes) add_module_class(&c);
  }
};
template <class... M>
struct DefineModule<Types<M...>> : DefineModule<M...> {};

/// A module of class M, ready: `auto l = nn::create<nn::Linear>({.in_features = 4, .out_features = 2});`
template <class M>
Ref<M> create(typename M::Spec spec = {}) {
  Ref<M> m(new M(std::move(spec)));
  m->build();
  return m;
}

/// Throws unless `in` is n tensors.
void check_tensors(const Module& m, const Values& in, size_t n);

/// The base of a module whose settings are the struct S, with `static constexpr const char *name, *brief` and a
/// `describe`. Self has `Tensor run(const Tensor& x)` or `Tensor run(const Tensor& x, const Tensor& y)`.
template <class Self, class S>
class Layer : public Module {
 public:
  using Spec = S;
  explicit Layer(Spec s) : spec(std::move(s)) {}
  Spec spec;

  std::string type() const override { return Spec::name; }
  void describe(Fields& f) override { spec.describe(f); }
  ModuleRef fresh() const override { return ModuleRef(new Self(spec)); }
  std::vector<std::string> argument_names() const override {
    if constexpr (requires(Self & self, const Tensor& t) { self.run(t, t); })
      return {"input", "target"};
    else
      return {"input"};
  }
  Values forward(const Values& in) override {
    Self& self = static_cast<Self&>(*this);
    if constexpr (requires(const Tensor& t) { self.run(t, t); }) {
      check_tensors(*this, in, 2);
      return {self.run(in[0].tensor(), in[1].tensor())};
    } else {
      check_tensors(*this, in, 1);
      return {self.run(in[0].tensor())};
    }
  }
};

// ---- Values as PyTorch prints them ----------------------------------------------------------------------------------

std::string py(bool v);                                 // True
std::string py(int64_t v);                              // 3
std::string py(double v);                               // 1e-05, 0.1, 1.0
std::string py_tuple(const Ints& v, int at_least = 1);  // (3, 3); one number stands for `at_least` equal ones
std::string py_int_or_tuple(const Ints& v);             // 3 or (3, 2)
/// By its kind; text in quotes, dims and indices as the language counts.
std::string py(const Attr& v, unsigned as);

}  // namespace luth::nn
