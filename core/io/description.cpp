#include "core/io/description.h"

#include <algorithm>
#include <cstring>

namespace luth::io {
namespace {

// Before the numbers of an array, which are the kind of an empty map: one piece of memory for each array. No file can
// name it: a kind that begins with % is refused.
constexpr std::string_view array_kind = "%array";

[[noreturn]] void malformed() { throw Error(ErrorCode::checkpoint, "the description of the file is malformed"); }

// ---- bytes: the index of the value's type, then the value; numbers are 8 bytes, texts and lists begin with their size
// --

class Encoder {
 public:
  void item(const Item& i) {
    out += char(i.value.index());
    if (auto* b = i.as<bool>()) out += char(*b);
    if (auto* n = i.as<int64_t>()) number(*n);
    if (auto* x = i.as<double>()) number(*x);
    if (auto* s = i.as<std::string>()) text(*s);
    if (auto* list = i.as<List>()) {
      number(uint64_t(list->size()));
      for (const Item& e : *list) item(e);
    }
    if (auto* map = i.as<Map>()) entries(*map);
    if (i.as<Tensor>()) throw Error("a description holds no tensors");
  }
  std::string out;

 private:
  template <class T>
  void number(T v) {
    out.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void text(const std::string& s) {
    number(uint64_t(s.size()));
    out += s;
  }
  void entries(const Map& map) {
    text(map.kind);
    number(uint64_t(map.size()));
    for (const Map::Entry& e : map) {
      out += char(e.key.index());
      if (auto* n = std::get_if<int64_t>(&e.key))
        number(*n);
      else
        text(std::get<std::string>(e.key));
      item(e.value);
    }
  }
};

class Decoder {
 public:
  Decoder(std::string_view bytes, uint64_t most) : left_(bytes), memory_(most) {}
  bool done() const { return left_.empty(); }
  Item item(int depth) {
    if (depth > max_depth + 2 || memory_ < sizeof(Map::Entry)) malformed();
    memory_ -= sizeof(Map::Entry);
    switch (byte()) {
      case 0: return Item();
      case 1: return byte() != 0;
      case 2: return number<int64_t>();
      case 3: return number<double>();
      case 4: return text();
      case 6: return list(depth);
      case 7: return map(depth);
      default: malformed();
    }
  }

 private:
  std::string_view take(uint64_t n) {
    if (n > left_.size()) malformed();
    const std::string_view taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }
  unsigned char byte() { return static_cast<unsigned char>(take(1)[0]); }
  template <class T>
  T number() {
    T v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  std::string text() { return std::string(take(number<uint64_t>())); }
  // Each element takes a byte at least.
  uint64_t count() {
    const auto n = number<uint64_t>();
    if (n > left_.size()) malformed();
    return n;
  }
  List list(int depth) {
    List all;
    for (uint64_t n = count(); n > 0; --n) all.push_back(item(depth + 1));
    return all;
  }
  Map map(int depth) {
    Map all;
    all.kind = text();
    for (uint64_t n = count(); n > 0; --n) {
      Key key = byte() ? Key(text()) : Key(number<int64_t>());
      if (all.find(key)) malformed();
      all.add(std::move(key), item(depth + 1));
    }
    return all;
  }
  std::string_view left_;
  uint64_t memory_;  // bytes that the tree may still take
};

// The numbers of an array's description, before its shape. Files hold them: a new dtype has a number of its own.
static_assert(uint8_t(Dtype::boolean) == 0 && uint8_t(Dtype::i64) == 5 && uint8_t(Dtype::f64) == 9);
struct Numbers {
  int64_t id;
  uint64_t at;
  uint8_t dtype, unpacked, is_list, grad;
};
constexpr size_t number_bytes = 20;  // without the padding of the struct

}  // namespace

Item to_item(const ArrayPlace& a) {
  const Numbers n{a.id, a.at, uint8_t(a.dtype), a.unpacked, a.is_list, a.grad};
  Map map;
  map.kind.reserve(array_kind.size() + number_bytes + size_t(a.shape.size()) * sizeof(int64_t));
  map.kind = array_kind;
  map.kind.append(reinterpret_cast<const char*>(&n), number_bytes);
  map.kind.append(reinterpret_cast<const char*>(a.shape.begin()), size_t(a.shape.size()) * sizeof(int64_t));
  return map;
}

bool from_item(const Item& item, ArrayPlace& a) {
  auto* map = item.as<Map>();
  if (!map || !map->kind.starts_with(array_kind)) return false;
  const std::string_view bytes = std::string_view(map->kind).substr(array_kind.size());
  const size_t dims = (bytes.size() - number_bytes) / sizeof(int64_t);
  if (bytes.size() < number_bytes || bytes.size() % sizeof(int64_t) != number_bytes % sizeof(int64_t) ||
      dims > max_dims || !map->empty())
    malformed();
  Numbers n{};
  int64_t shape[max_dims];
  std::memcpy(&n, bytes.data(), number_bytes);
  std::memcpy(shape, bytes.data() + number_bytes, dims * sizeof(int64_t));
  if (n.dtype >= dtype_count || n.at >> 63 || std::any_of(shape, shape + dims, [](int64_t d) { return d < 0; }))
    malformed();
  a = {n.id, Dtype(n.dtype), Shape(shape, shape + dims), n.at, n.unpacked != 0, n.is_list != 0, n.grad != 0};
  if (a.is_list && a.shape.size() != 1) malformed();
  return true;
}

List plain_values(Dtype d, const void* elements, int64_t n) {
  List list;
  dispatch(AllTypes{}, d, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, bool>)  // bytes other than 0 and 1 are no bool in C++
        list.push_back(static_cast<const char*>(elements)[i] != 0);
      else if constexpr (is_float<T>)
        list.push_back(cast<double>(static_cast<const T*>(elements)[i]));
      else
        list.push_back(int64_t(static_cast<const T*>(elements)[i]));
    }
  });
  return list;
}

std::string encode(const Item& tree) {
  Encoder e;
  e.item(tree);
  return std::move(e.out);
}

Item decode(std::string_view bytes, uint64_t most) {
  Decoder d(bytes, most);
  Item tree = d.item(0);
  if (!d.done()) malformed();
  return tree;
}

Item decode_of(const std::string& path, std::string_view bytes, uint64_t most) {
  try {
    return decode(bytes, most);
  } catch (const Error& e) { throw Error(e.code(), "cannot use '{}': {}", path, e.what()); }
}

}  // namespace luth::io
