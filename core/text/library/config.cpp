#include "core/text/library/config.h"

#include <unordered_set>

#include "core/base/visible.h"

namespace luth::text {
namespace {

constexpr size_t deepest = 32;

// Refuses what the tree would not show. The parser's own way to ask while it makes a tree takes quadratic time.
class Check final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool start_array(size_t) override { return enter(); }
  bool end_object() override { return keys_.pop_back(), true; }
  bool end_array() override { return keys_.pop_back(), true; }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) throw Error("its JSON has the key '{}' twice in one object", foreign(name));
    return true;
  }
  bool parse_error(size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool enter() {
    if (keys_.size() == deepest) throw Error("its JSON is nested deeper than {} levels", deepest);
    return keys_.emplace_back(), true;
  }
  std::vector<std::unordered_set<std::string>> keys_;  // of the objects and lists that are open
};

}  // namespace

void Node::fail(const std::string& why) const {
  throw Error("{}{}{}", foreign(place_), place_.empty() ? "" : ": ", why);
}
void Node::missing(const std::string& kind) const { fail("luth has no '" + foreign(kind) + "'"); }

bool Node::has(const char* name) const {
  if (!json_->is_object()) fail("expected an object, got " + std::string(json_->type_name()));
  const auto it = json_->find(name);
  return it != json_->end() && !it->is_null();
}
Node Node::at(const char* name) const {
  if (!has(name)) fail("there is no '" + std::string(name) + "'");
  return {*json_->find(name), place_.empty() ? name : place_ + "." + name};
}
std::vector<Node> Node::items() const {
  if (!json_->is_array()) fail("expected a list, got " + std::string(json_->type_name()));
  std::vector<Node> all;
  for (size_t i = 0; i < json_->size(); ++i) all.emplace_back((*json_)[i], place_ + "[" + std::to_string(i) + "]");
  return all;
}
std::string Node::text() const {
  if (!json_->is_string()) fail("expected a text, got " + std::string(json_->type_name()));
  return json_->get<std::string>();
}
int64_t Node::integer(int64_t least, int64_t most) const {
  const bool is_one =
      json_->is_number_integer() && !(json_->is_number_unsigned() && json_->get<uint64_t>() > uint64_t(most));
  if (!is_one || json_->get<int64_t>() < least || json_->get<int64_t>() > most)
    fail(fmt::format("expected a whole number from {} to {}, got {}", least, most,
                     foreign(json_text(*json_, false), 40)));
  return json_->get<int64_t>();
}
double Node::number() const {
  if (!json_->is_number()) fail("expected a number, got " + std::string(json_->type_name()));
  return json_->get<double>();
}
bool Node::flag() const {
  if (!json_->is_boolean()) fail("expected true or false, got " + std::string(json_->type_name()));
  return json_->get<bool>();
}
std::string Node::text(const char* name, const char* otherwise) const {
  return has(name) ? at(name).text() : otherwise;
}
bool Node::flag(const char* name, bool otherwise) const { return has(name) ? at(name).flag() : otherwise; }
std::string Node::character(const char* name, const char* otherwise) const {
  const std::string c = text(name, otherwise);
  if (count_chars(c) != 1) fail("'" + std::string(name) + "' is one character, not '" + foreign(c) + "'");
  return c;
}
PatternPtr Node::pattern() const {
  if (has("String")) return literal_pattern(at("String").text());
  const Node regex = at("Regex");
  try {
    return regex_pattern(regex.text());
  } catch (const Error& e) { regex.fail(e.what()); }
}

Json parse_json(std::string_view text) {
  Check check;
  Json::sax_parse(text, &check);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    const std::string why = e.what();
    throw Error("it is no JSON: {}", foreign(why.substr(std::min(why.size(), why.find("] ") + 2)), 200));
  }
}
std::string json_text(const Json& json, bool pretty) {
  return json.dump(pretty ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace luth::text
