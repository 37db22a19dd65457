// For tests of files: a folder that goes away, whole files as strings, comparison of trees.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/io/tree.h"

namespace luth::io::testing {

struct Folder {
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "luth-io-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path / name; }
  /// Number of entries, so that tests see what was left behind.
  int count() const {
    return int(std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
  }
  std::filesystem::path path;
};

/// Tests of every byte of a file take one in so many. Under the address sanitizer each load starts a process that takes
/// long to start; seven comes to every bit of a byte in turn.
#ifdef __SANITIZE_ADDRESS__
inline constexpr size_t one_in = 7;
#else
inline constexpr size_t one_in = 1;
#endif

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void spit(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Row-major bytes of a CPU tensor of any strides.
inline std::string bytes_of(const Tensor& t) {
  std::string out;
  size_t size = size_of(t.dtype());
  for (int64_t i = 0; i < t.numel(); ++i) {
    int64_t rest = i, at = 0;
    for (int d = t.dim() - 1; d >= 0; --d) at += rest % t.shape()[d] * t.strides()[d], rest /= t.shape()[d];
    out.append(static_cast<const char*>(t.raw()) + at * int64_t(size), size);
  }
  return out;
}

/// "" when the trees are equal, bit for bit and in the order of their keys; else where they differ.
inline std::string difference(const Item& a, const Item& b, const std::string& at = "");

inline std::string tensor_difference(const Tensor& a, const Tensor& b, const std::string& at) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return at + ": " + describe(a) + " and " + describe(b);
  if (a.requires_grad() != b.requires_grad()) return at + ": requires_grad";
  return bytes_of(a) == bytes_of(b) ? "" : at + ": other elements";
}
inline std::string key_text(const Key& k) {
  return k.index() ? "'" + std::get<std::string>(k) + "'" : std::to_string(std::get<int64_t>(k));
}
inline std::string difference(const Item& a, const Item& b, const std::string& at) {
  if (a.is_nil() && b.is_nil()) return "";
  if (a.value.index() != b.value.index())
    return fmt::format("{}: kinds {} and {}", at, a.value.index(), b.value.index());
  if (auto* t = a.as<Tensor>()) return tensor_difference(*t, *b.as<Tensor>(), at);
  if (auto* d = a.as<double>()) return std::memcmp(d, b.as<double>(), 8) ? at + ": other double" : "";
  if (auto* list = a.as<List>()) {
    if (list->size() != b.as<List>()->size()) return at + ": lists of other lengths";
    for (size_t i = 0; i < list->size(); ++i)
      if (auto d = difference((*list)[i], (*b.as<List>())[i], fmt::format("{}[{}]", at, i)); !d.empty()) return d;
    return "";
  }
  if (auto* map = a.as<Map>()) {
    auto& other = *b.as<Map>();
    if (map->size() != other.size()) return fmt::format("{}: {} and {} keys", at, map->size(), other.size());
    for (auto *x = map->begin(), *y = other.begin(); x != map->end(); ++x, ++y) {
      if (x->key != y->key) return at + ": key " + key_text(x->key) + " and " + key_text(y->key);
      if (auto d = difference(x->value, y->value, at + "." + key_text(x->key)); !d.empty()) return d;
    }
    return "";
  }
  if (auto* s = a.as<std::string>()) return *s == *b.as<std::string>() ? "" : at + ": other string";
  if (auto* i = a.as<int64_t>()) return *i == *b.as<int64_t>() ? "" : at + ": other integer";
  return *a.as<bool>() == *b.as<bool>() ? "" : at + ": other boolean";
}

inline Map map_of(std::initializer_list<Map::Entry> entries) {
  Map m;
  for (auto& e : entries) m.add(e.key, e.value);
  return m;
}

/// A tensor 0, 1, 2, … of any dtype (bool: odd).
inline Tensor counted(const Shape& shape, Dtype d = Dtype::f32) {
  Tensor t = Tensor::empty(shape, d, host());
  dispatch(AllTypes{}, d, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = cast<T>(std::is_same_v<T, bool> ? i % 2 : i);
  });
  return t;
}

/// The text and code of the luth::Error that `f` throws; code 0 when it throws none.
struct Failure {
  int code = 0;
  std::string text;
};
template <class F>
Failure failure(F&& f) {
  try {
    f();
  } catch (const Error& e) { return {int(e.code()), e.what()}; }
  return {};
}
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace luth::io::testing
