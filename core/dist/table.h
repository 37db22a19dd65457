// The table behind stores, and the requests by which it is read and changed.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace luth::dist {

/// An operation and its arguments, or the answer to one: "ok" and results.
using Fields = std::vector<std::string>;

/// The most that a message may have.
inline constexpr uint32_t most_bytes = 64 << 20, most_fields = 1 << 16;
/// A message: the length of what follows, the number of fields, then length and bytes of each, in numbers of 32 bits,
/// little-endian. Throws ErrorCode::usage for more than a message may have.
std::string encode(const Fields& fields);
uint32_t length_at(const std::string& bytes, size_t at);
/// What follows the length; nothing where it is no message.
std::optional<Fields> decode(const std::string& body);
/// Nothing where the text is no whole number.
std::optional<int64_t> to_number(const std::string& text);

class Table {
 public:
  /// The answer; nothing for what is no request. Requests: set key value; find key; add key amount; compare_set key
  /// expected desired; remove key; count.
  std::optional<Fields> obey(const Fields& request);
  bool has_all(const Fields& keys) const;
  void set_if_absent(const std::string& key, const std::string& value) { values_.try_emplace(key, value); }

 private:
  Fields add(const std::string& key, const std::string& amount);
  Fields compare_set(const std::string& key, const std::string& expected, const std::string& desired);
  std::map<std::string, std::string> values_;
};

}  // namespace luth::dist
