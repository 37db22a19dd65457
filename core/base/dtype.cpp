#include "core/base/dtype.h"

#include <atomic>

namespace luth {
namespace {

constexpr std::string_view names[dtype_count] = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                                 "int64", "float16", "bfloat16", "float32", "float64"};
constexpr std::pair<std::string_view, Dtype> aliases[] = {
    {"half", Dtype::f16},  {"float", Dtype::f32}, {"double", Dtype::f64},
    {"short", Dtype::i16}, {"int", Dtype::i32},   {"long", Dtype::i64},
    {"byte", Dtype::u8},   {"char", Dtype::i8},   {"boolean", Dtype::boolean}};
std::atomic<Dtype> default_{Dtype::f32};

}  // namespace

std::string_view name(Dtype d) { return names[int(d)]; }
Dtype default_dtype() { return default_.load(std::memory_order_relaxed); }

void set_default_dtype(Dtype d) {
  if (!is_floating(d)) throw Error("set_default_dtype expects a floating point dtype, got {}", name(d));
  default_ = d;
}

Dtype parse_dtype(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (int i = 0; i < dtype_count; ++i)
    if (names[i] == text) return Dtype(i);
  for (auto& [alias, d] : aliases)
    if (alias == text) return d;
  throw Error(
      "unknown dtype '{}'; dtypes are bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64",
      text);
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == Dtype::f16 && b == Dtype::bf16) return Dtype::f32;
  if (a == Dtype::u8 && b == Dtype::i8) return Dtype::i16;  // uint8 and int8 fit in neither
  return b;
}

void throw_unsupported(Dtype d) { throw Error("not implemented for {}; convert first, e.g. with :float()", name(d)); }

}  // namespace luth
