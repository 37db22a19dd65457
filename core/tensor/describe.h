// Settings described once: `describe(field)` serves arguments, help, printing, checkpoints and documentation, for
// operators, modules, optimizers, schedules and datasets alike.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace luth {

/// The value of one described field, erased. monostate: the optional is empty.
using Attr = std::variant<std::monostate, bool, int64_t, double, Scalar, std::string, Ints, std::vector<double>, Dtype,
                          Device*, MemoryFormat, Tensor>;

/// What a field takes; the order is that of Attr's alternatives.
enum class AttrKind : uint8_t {
  none,
  boolean,
  integer,
  number,
  scalar,
  text,
  ints,
  numbers,
  dtype,
  device,
  format,
  tensor
};

/// How the language reads a field; flags.
namespace as {
inline constexpr unsigned plain = 0;
inline constexpr unsigned dim = 1;       // counts from 1 in Lua: one dim or a list of dims
inline constexpr unsigned index = 2;     // a position: counts from 1 in Lua
inline constexpr unsigned sizes = 4;     // a list that may be given as separate arguments: reshape(2, 3)
inline constexpr unsigned required = 8;  // has no default
inline constexpr unsigned base =
    16;  // an int that says from where indices in tensors count; hidden, set by the language
inline constexpr unsigned hidden = 32;   // never shown or set by users
inline constexpr unsigned insert = 64;   // with dim: a place for a new dim, 1 … n+1 (unsqueeze, stack)
inline constexpr unsigned word = 256;    // a list that may be a word instead: padding = 'same'
inline constexpr unsigned holes = 8192;  // a list whose elements may be torch.none, which is -1
inline constexpr unsigned named = 128;   // only by name, never by position (PyTorch's keyword-only arguments)
}  // namespace as

struct FieldInfo {
  const char* name;
  const char* doc;
  AttrKind kind;
  bool optional;  // may be nil
  unsigned as;
  // of the member, while it is visited: for a test that finds members without a description
  const void* at = nullptr;
  size_t size = 0;
};

template <class T>
struct AttrTraits {
  static_assert(sizeof(T) == 0,
                "a described member is a bool, int, int64_t, double, Scalar, std::string, Ints, "
                "std::vector<double>, Dtype, Device*, MemoryFormat or Tensor, or a std::optional of one");
};
// clang-format off
template <AttrKind K, class S> struct AttrTraitsOf { static constexpr AttrKind kind = K; using Stored = S; static constexpr bool optional = false; };
template <> struct AttrTraits<bool> : AttrTraitsOf<AttrKind::boolean, bool> {};
template <> struct AttrTraits<int> : AttrTraitsOf<AttrKind::integer, int64_t> {};
template <> struct AttrTraits<int64_t> : AttrTraitsOf<AttrKind::integer, int64_t> {};
template <> struct AttrTraits<double> : AttrTraitsOf<AttrKind::number, double> {};
template <> struct AttrTraits<Scalar> : AttrTraitsOf<AttrKind::scalar, Scalar> {};
template <> struct AttrTraits<std::string> : AttrTraitsOf<AttrKind::text, std::string> {};
template <> struct AttrTraits<Ints> : AttrTraitsOf<AttrKind::ints, Ints> {};
template <> struct AttrTraits<std::vector<double>> : AttrTraitsOf<AttrKind::numbers, std::vector<double>> {};
template <> struct AttrTraits<Dtype> : AttrTraitsOf<AttrKind::dtype, Dtype> {};
template <> struct AttrTraits<Device*> : AttrTraitsOf<AttrKind::device, Device*> {};
template <> struct AttrTraits<MemoryFormat> : AttrTraitsOf<AttrKind::format, MemoryFormat> {};
template <> struct AttrTraits<Tensor> : AttrTraitsOf<AttrKind::tensor, Tensor> { static constexpr bool optional = true; };
template <class T> struct AttrTraits<std::optional<T>> : AttrTraits<T> { static constexpr bool optional = true; };
// clang-format on
template <>
struct AttrTraits<std::pair<double, double>> : AttrTraitsOf<AttrKind::numbers, std::vector<double>> {};  // betas

template <class T>
Attr to_attr(const T& v) {
  if constexpr (std::is_same_v<T, std::pair<double, double>>)
    return std::vector<double>{v.first, v.second};
  else
    return typename AttrTraits<T>::Stored(v);
}
template <class T>
Attr to_attr(const std::optional<T>& v) {
  return v ? to_attr(*v) : Attr();
}
template <class T>
void from_attr(const Attr& a, T& v) {
  using Stored = typename AttrTraits<T>::Stored;
  if constexpr (std::is_same_v<T, std::pair<double, double>>) {
    auto& list = std::get<Stored>(a);
    if (list.size() != 2) throw Error("expects two numbers, got {}", list.size());
    v = {list[0], list[1]};
  } else if constexpr (std::is_same_v<T, Tensor>) {
    v = a.index() ? std::get<Tensor>(a) : Tensor();
  } else {
    v = T(std::get<Stored>(a));
  }
}
template <class T>
void from_attr(const Attr& a, std::optional<T>& v) {
  if (!a.index()) return v.reset();
  from_attr(a, v.emplace());
}

/// Visits the fields of a described struct. `describe(auto& field)` calls `field("dim", dim, "what it is", as::dim)`.
class Fields {
 public:
  virtual ~Fields();
  template <class T>
  void operator()(const char* name, T& value, const char* doc, unsigned as = as::plain);
  /// Sees one field; true when it has replaced `value`, by an alternative of `info.kind` (or monostate if optional).
  virtual bool visit(const FieldInfo& info, Attr& value) = 0;
};
template <class T>
void Fields::operator()(const char* name, T& value, const char* doc, unsigned as) {
  Attr a = to_attr(value);
  if (visit({name, doc, AttrTraits<T>::kind, AttrTraits<T>::optional, as, &value, sizeof(T)}, a)) from_attr(a, value);
}
// Compiled once, in the core: nearly every operator and module has some of these.
// clang-format off
#define LUTH_FIELD(prefix, T) prefix template void Fields::operator()(const char*, T&, const char*, unsigned);
#define LUTH_FIELDS(prefix)                                                                      \
  LUTH_FIELD(prefix, bool) LUTH_FIELD(prefix, std::optional<bool>)                               \
  LUTH_FIELD(prefix, int) LUTH_FIELD(prefix, int64_t) LUTH_FIELD(prefix, std::optional<int64_t>) \
  LUTH_FIELD(prefix, double) LUTH_FIELD(prefix, std::optional<double>)                           \
  LUTH_FIELD(prefix, Scalar) LUTH_FIELD(prefix, std::optional<Scalar>)                           \
  LUTH_FIELD(prefix, std::string) LUTH_FIELD(prefix, std::optional<std::string>)                 \
  LUTH_FIELD(prefix, Ints) LUTH_FIELD(prefix, std::optional<Ints>)                               \
  LUTH_FIELD(prefix, std::vector<double>) LUTH_FIELD(prefix, std::optional<std::vector<double>>) \
  LUTH_FIELD(prefix, Dtype) LUTH_FIELD(prefix, std::optional<Dtype>)                             \
  LUTH_FIELD(prefix, Device*) LUTH_FIELD(prefix, MemoryFormat) LUTH_FIELD(prefix, Tensor)
// clang-format on
LUTH_FIELDS(extern)

/// What `describe` says, gathered: name, documentation and default of each field.
struct FieldDoc : FieldInfo {
  Attr value;
};
class FieldList : public Fields {
 public:
  bool visit(const FieldInfo& info, Attr& value) override;
  std::vector<FieldDoc> items;
};

/// Writes and reads all visible and hidden fields as one line of text, `dim=1 keepdim=true`; exact for every number.
std::string write_fields(const std::vector<FieldDoc>& fields);
class FieldReader : public Fields {
 public:
  explicit FieldReader(std::string text) : text_(std::move(text)) {}
  bool visit(const FieldInfo& info, Attr& value) override;

 private:
  std::string text_;
};
/// As users read and write it: `1e-05`, `[2, 2]`, `true`, `torch.float32`, `nil`.
std::string to_string(const Attr& value);

}  // namespace luth
