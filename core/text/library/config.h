// A `tokenizer.json` as a tree whose values know where they are.
#pragma once
#include <nlohmann/json.hpp>

#include "core/text/library/regex.h"

namespace luth::text {

using Json = nlohmann::ordered_json;

/// A value of the file. Errors begin with its place, "post_processor.single[2]: ".
class Node {
 public:
  Node(const Json& json, std::string place) : json_(&json), place_(std::move(place)) {}
  const Json& json() const { return *json_; }
  const std::string& place() const { return place_; }
  /// Whether the object has a value of that name that is not null.
  bool has(const char* name) const;
  /// Throws where there is none.
  Node at(const char* name) const;
  /// The values of a list.
  std::vector<Node> items() const;
  template <class F>
  void each_entry(F&& f) const {  // f(name, value) of an object
    if (!json_->is_object()) fail("expected an object");
    for (const auto& [name, value] : json_->items()) f(name, Node(value, place_ + "." + name));
  }
  std::string text() const;
  int64_t integer(int64_t least, int64_t most) const;
  double number() const;
  bool flag() const;
  /// The values of that name, or what stands in for one.
  std::string text(const char* name, const char* otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  /// The one character of the text of that name.
  std::string character(const char* name, const char* otherwise) const;
  /// {"String": …} or {"Regex": …}.
  PatternPtr pattern() const;
  /// Which of the names the text is.
  template <class T>
  T one_of(std::initializer_list<std::pair<const char*, T>> names) const {
    const std::string given = text();
    for (const auto& [name, value] : names)
      if (given == name) return value;
    missing(given);
  }
  [[noreturn]] void fail(const std::string& why) const;
  /// That luth has no part of this kind.
  [[noreturn]] void missing(const std::string& kind) const;

 private:
  const Json* json_;
  std::string place_;
};

/// The tree of a text. Throws for what is no JSON, and for values that are nested deeper than a tokenizer's can be.
Json parse_json(std::string_view text);
std::string json_text(const Json& json, bool pretty);

}  // namespace luth::text
