#include "core/io/many_values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/io/names.h"

namespace luth::io {
namespace {

constexpr ptrdiff_t few = 10'000;

enum class Type : uint8_t { nil, no, yes, integer, number, text, other };

Type type_of(const Item& item) {
  if (item.is_nil()) return Type::nil;
  if (auto* v = item.as<bool>()) return *v ? Type::yes : Type::no;
  if (item.as<int64_t>()) return Type::integer;
  if (item.as<double>()) return Type::number;
  return item.as<std::string>() ? Type::text : Type::other;
}
bool is_plain(const Item& item) { return type_of(item) != Type::other; }

template <class Column>
void add_column(Map& map, const char* name, Dtype dtype, const Column& values) {
  if (values.empty()) return;
  Tensor t = Tensor::empty({int64_t(values.size())}, dtype, host());
  std::memcpy(t.raw(), values.data(), t.bytes());
  map.add(name, t);
}

class Columns {
 public:
  void add(const Item& item) {
    const Type type = type_of(item);
    types_.push_back(type);
    if (type == Type::integer) integers_.push_back(*item.as<int64_t>());
    if (type == Type::number) numbers_.push_back(*item.as<double>());
    if (type == Type::other) others_.push_back(item);
    if (type != Type::text) return;
    lengths_.push_back(int64_t(item.as<std::string>()->size()));
    text_ += *item.as<std::string>();
  }
  void add_name(const Key& key) { names_ += to_name(key) + '\0'; }
  Map map() {
    Map map;
    map.kind = many_kind;
    add_column(map, "names", Dtype::u8, names_);
    add_column(map, "types", Dtype::u8, types_);
    add_column(map, "integers", Dtype::i64, integers_);
    add_column(map, "numbers", Dtype::f64, numbers_);
    add_column(map, "lengths", Dtype::i64, lengths_);
    add_column(map, "text", Dtype::u8, text_);
    if (!others_.empty()) map.add("others", std::move(others_));
    return map;
  }

 private:
  std::string names_, text_;
  std::vector<Type> types_;
  std::vector<int64_t> integers_, lengths_;
  std::vector<double> numbers_;
  List others_;
};

[[noreturn]] void damaged() {
  throw Error(ErrorCode::checkpoint, "a table of many values has columns that do not fit");
}

// Takes the values of one column in their order.
template <class T>
class Reader {
 public:
  Reader(const Map& map, const char* name, Dtype dtype) {
    const Item* item = map.find(name);
    if (!item) return;
    auto* t = item->as<Tensor>();
    if (!t || !*t || t->dtype() != dtype || t->dim() != 1) damaged();
    column_ = *t;
    left_ = column_.numel();
    at_ = static_cast<const T*>(column_.raw());
  }
  const T* take(int64_t n = 1) {
    if (n < 0 || n > left_) damaged();
    left_ -= n;
    return std::exchange(at_, at_ + n);
  }
  std::string take_name() {
    const void* end = left_ ? std::memchr(at_, 0, size_t(left_)) : nullptr;
    if (!end) damaged();
    const int64_t n = static_cast<const T*>(end) - at_;
    const T* start = take(n + 1);
    return std::string(start, start + n);
  }
  int64_t left() const { return left_; }

 private:
  Tensor column_;
  const T* at_ = nullptr;
  int64_t left_ = 0;
};

}  // namespace

bool has_many(const Item& item) {
  if (auto* list = item.as<List>()) return std::count_if(list->begin(), list->end(), is_plain) > few;
  auto* map = item.as<Map>();
  return map && map->kind.empty() &&
         std::count_if(map->begin(), map->end(), [](auto& e) { return is_plain(e.value); }) > few;
}

Map to_columns(const Item& item) {
  Columns columns;
  if (auto* list = item.as<List>())
    for (const Item& value : *list) columns.add(value);
  else
    for (const Map::Entry& e : *item.as<Map>()) columns.add_name(e.key), columns.add(e.value);
  return columns.map();
}

Item from_columns(const Map& map) {
  Reader<char> names(map, "names", Dtype::u8), text(map, "text", Dtype::u8);
  Reader<Type> types(map, "types", Dtype::u8);
  Reader<int64_t> integers(map, "integers", Dtype::i64), lengths(map, "lengths", Dtype::i64);
  Reader<double> numbers(map, "numbers", Dtype::f64);
  const Item* rest = map.find("others");
  const List none, *others = rest ? rest->as<List>() : &none;
  if (!others) damaged();
  size_t other = 0;
  auto next = [&]() -> Item {
    switch (*types.take()) {
      case Type::nil: return {};
      case Type::no: return false;
      case Type::yes: return true;
      case Type::integer: return *integers.take();
      case Type::number: return *numbers.take();
      case Type::other:
        if (other == others->size()) damaged();
        return (*others)[other++];
      case Type::text: {
        const int64_t n = *lengths.take();
        const char* s = text.take(n);
        return std::string(s, s + n);
      }
    }
    damaged();
  };
  Map table;
  List list;
  const bool named = map.find("names");
  while (types.left()) {
    if (!named) {
      list.push_back(next());
      continue;
    }
    Key key;
    if (!from_name(names.take_name(), key) || table.find(key)) damaged();
    table.add(std::move(key), next());
  }
  if (names.left() || text.left() || integers.left() || lengths.left() || numbers.left() || other != others->size())
    damaged();
  return named ? Item(std::move(table)) : Item(std::move(list));
}

}  // namespace luth::io
