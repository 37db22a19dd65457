#include "core/io/values.h"

#include <algorithm>
#include <cstring>

namespace luth::io {
namespace {

template <class T>
void append(std::string& bytes, T v) {
  bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
}

template <class T>
h5::Id type_of() {
  return h5::file_type(luth::dtype_of<T>);
}

bool all_of_kind(const List& list) {
  return std::all_of(list.begin(), list.end(), [&](const Item& i) { return i.value.index() == list[0].value.index(); });
}

template <class T>
Packed pack_numbers(const List& list) {
  Packed p{type_of<T>(), h5::simple_space({list.size()}), "", true};
  for (const Item& i : list) append(p.bytes, *i.as<T>());
  return p;
}

// Strings side by side, filled up with zeros to the longest. Not for strings that end in a zero, and not where the
// filling would be most of it.
std::optional<Packed> pack_strings(const List& list) {
  size_t longest = 1, total = 0;
  for (const Item& i : list) {
    const std::string& s = *i.as<std::string>();
    if (!s.empty() && s.back() == '\0') return {};
    longest = std::max(longest, s.size());
    total += s.size();
  }
  if (longest * list.size() > 4 * total + 1024) return {};
  Packed p{h5::string_type(longest), h5::simple_space({list.size()}), "", true};
  for (const Item& i : list) {
    p.bytes += *i.as<std::string>();
    p.bytes.resize((p.bytes.size() + longest - 1) / longest * longest, '\0');
    if (i.as<std::string>()->empty()) p.bytes.append(longest, '\0');
  }
  return p;
}

std::optional<Packed> pack_list(const List& list) {
  if (list.empty()) return Packed{type_of<int64_t>(), h5::simple_space({0}), "", true};
  if (!all_of_kind(list)) return {};
  if (list[0].as<bool>()) return pack_numbers<bool>(list);
  if (list[0].as<int64_t>()) return pack_numbers<int64_t>(list);
  if (list[0].as<double>()) return pack_numbers<double>(list);
  if (list[0].as<std::string>()) return pack_strings(list);
  return {};
}

template <class T>
Packed pack_number(T v) {
  Packed p{type_of<T>(), h5::scalar_space(), "", false};
  append(p.bytes, v);
  return p;
}

}  // namespace

std::optional<Packed> pack(const Item& item) {
  if (item.is_nil()) return Packed{type_of<int8_t>(), h5::null_space(), "", false};
  if (auto* v = item.as<bool>()) return pack_number(*v);
  if (auto* v = item.as<int64_t>()) return pack_number(*v);
  if (auto* v = item.as<double>()) return pack_number(*v);
  if (auto* v = item.as<std::string>())
    return Packed{h5::string_type(v->size()), v->empty() ? h5::null_space() : h5::scalar_space(), *v, false};
  if (auto* v = item.as<List>()) return pack_list(*v);
  return {};
}

}  // namespace luth::io
