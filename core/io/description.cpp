#include "core/io/description.h"

#include <cstring>

namespace luth::io {
namespace {

constexpr const char* array_kind = "%array";  // no file can name it: a kind that begins with % is refused

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

template <class T>
const T& entry(const Map& map, const char* name) {
  const Item* value = map.find(name);
  const T* v = value ? value->as<T>() : nullptr;
  if (!v) malformed();
  return *v;
}

}  // namespace

Item to_item(const ArrayPlace& a) {
  Map map;
  map.kind = array_kind;
  List shape;
  for (int64_t n : a.shape) shape.push_back(n);
  map.add("id", a.id);
  map.add("dtype", int64_t(a.dtype));
  map.add("shape", std::move(shape));
  map.add("at", int64_t(a.at));
  map.add("unpacked", a.unpacked);
  map.add("is_list", a.is_list);
  map.add("grad", a.grad);
  return map;
}

bool from_item(const Item& item, ArrayPlace& a) {
  auto* map = item.as<Map>();
  if (!map || map->kind != array_kind) return false;
  const int64_t dtype = entry<int64_t>(*map, "dtype"), at = entry<int64_t>(*map, "at");
  const List& shape = entry<List>(*map, "shape");
  if (dtype < 0 || dtype >= dtype_count || at < 0 || shape.size() > max_dims) malformed();
  a = {entry<int64_t>(*map, "id"),
       Dtype(dtype),
       {},
       uint64_t(at),
       entry<bool>(*map, "unpacked"),
       entry<bool>(*map, "is_list"),
       entry<bool>(*map, "grad")};
  for (const Item& n : shape) {
    if (!n.as<int64_t>() || *n.as<int64_t>() < 0) malformed();
    a.shape.push_back(*n.as<int64_t>());
  }
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

}  // namespace luth::io
