#include "core/io/json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/visible.h"

namespace luth::io {
namespace {

using Json = nlohmann::json;

// One value without parts.
std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void write(const Item& item, std::string& out) {
  if (auto* v = item.as<bool>()) return void(out += *v ? "true" : "false");
  if (auto* v = item.as<int64_t>()) return void(out += std::to_string(*v));
  if (auto* v = item.as<double>()) return void(out += std::isfinite(*v) ? text_of(*v) : "null");
  if (auto* v = item.as<std::string>()) return void(out += text_of(*v));
  if (item.as<Tensor>()) throw Error("a tensor has no form in JSON; use item() or tolist()");
  const char* comma = "";
  if (auto* list = item.as<List>()) {
    out += '[';
    for (const Item& i : *list) out += std::exchange(comma, ","), write(i, out);
    out += ']';
  } else if (auto* map = item.as<Map>()) {
    out += '{';
    for (const Map::Entry& e : *map) {
      out += std::exchange(comma, ",");
      out += text_of(e.key.index() ? std::get<std::string>(e.key) : std::to_string(std::get<int64_t>(e.key)));
      out += ':';
      write(e.value, out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

// A place in the text, which the parser moves on.
struct Place {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  const char** reached;
  reference operator*() const { return *at; }
  Place& operator++() { return *reached = ++at, *this; }
  bool operator==(const Place& o) const { return at == o.at; }
};

// What the parser reports, made into a tree. The innermost container that is open is the last of `open_`.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : text_(text), reached_(text.data()) {}
  Item root;
  Place begin() { return {text_.data(), &reached_}; }
  Place end() { return {text_.data() + text_.size(), &reached_}; }

  bool null() override { return put({}); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(int64_t v) override { return put(v); }
  bool number_unsigned(uint64_t v) override {
    if (v > uint64_t(INT64_MAX)) throw Error(ErrorCode::usage, "JSON holds the integer {}, beyond 63 bits", v);
    return put(int64_t(v));
  }
  bool number_float(double v, const std::string&) override { return put(v); }
  bool string(std::string& v) override { return put(std::move(v)); }
  bool binary(Json::binary_t&) override { return false; }  // no JSON has it
  bool start_object(size_t) override { return open(Map()); }
  bool start_array(size_t) override { return open(List()); }
  bool key(std::string& name) override {
    Open& in = open_.back();
    const Map& map = *in.item.as<Map>();
    for (size_t i = 0; map.find(name) && i < map.size(); ++i)
      if (map.begin()[i].key == Key(name))
        throw Error(ErrorCode::usage, "JSON has the key '{}' twice in one object, in lines {} and {}", foreign(name),
                    line_of(in.keys[i]), line_of(offset()));
    in.keys.push_back(offset());
    in.key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  struct Open {
    Item item;
    std::string key;           // of the value that comes next
    std::vector<size_t> keys;  // where they are in the text
  };

  bool put(Item value) {
    if (open_.empty()) return root = std::move(value), true;
    Open& in = open_.back();
    if (auto* list = std::get_if<List>(&in.item.value))
      list->push_back(std::move(value));
    else
      std::get<Map>(in.item.value).add(std::move(in.key), std::move(value));
    return true;
  }
  bool open(Item container) {
    if (open_.size() > size_t(max_depth))
      throw Error(ErrorCode::usage, "JSON is nested deeper than {} levels", max_depth);
    open_.push_back({std::move(container), ""});
    return true;
  }
  bool close() {
    Item done = std::move(open_.back().item);
    open_.pop_back();
    return put(std::move(done));
  }

  size_t offset() const { return size_t(reached_ - text_.data()); }
  int64_t line_of(size_t at) const { return 1 + std::count(text_.begin(), text_.begin() + ptrdiff_t(at), '\n'); }

  const std::string_view text_;
  const char* reached_;
  std::vector<Open> open_;
};

}  // namespace

std::string to_json(const Item& item) {
  std::string out;
  write(item, out);
  return out;
}

Item from_json(std::string_view text) {
  Builder builder(text);
  if (!Json::sax_parse(builder.begin(), builder.end(), &builder))
    throw Error(ErrorCode::usage, "this is no JSON: {}", foreign(text, 200));
  return std::move(builder.root);
}

}  // namespace luth::io
