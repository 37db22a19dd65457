#include "core/dist/table.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/base/error.h"

namespace luth::dist {
namespace {

void put(std::string& to, size_t n) {
  const auto small = uint32_t(n);
  to.append(reinterpret_cast<const char*>(&small), sizeof small);
}

}  // namespace

std::string encode(const Fields& fields) {
  std::string body;
  put(body, fields.size());
  for (auto& f : fields) put(body, f.size()), body += f;
  if (body.size() > most_bytes || fields.size() > most_fields)
    throw Error(ErrorCode::usage, "a store takes {} MiB in one request, and {} keys; got {} bytes in {} parts",
                most_bytes >> 20, most_fields - 2, body.size(), fields.size());
  std::string message;
  put(message, body.size());
  return message + body;
}

uint32_t length_at(const std::string& bytes, size_t at) {
  uint32_t n;
  std::memcpy(&n, bytes.data() + at, sizeof n);
  return n;
}

std::optional<Fields> decode(const std::string& body) {
  if (body.size() < 4) return std::nullopt;
  const uint32_t n = length_at(body, 0);
  if (n == 0 || n > most_fields) return std::nullopt;
  Fields fields;
  size_t at = 4;
  for (uint32_t i = 0; i < n; ++i) {
    if (body.size() - at < 4) return std::nullopt;
    const uint32_t size = length_at(body, at);
    at += 4;
    if (size > body.size() - at) return std::nullopt;
    fields.push_back(body.substr(at, size));
    at += size;
  }
  return at == body.size() ? std::optional(fields) : std::nullopt;
}

std::optional<int64_t> to_number(const std::string& text) {
  int64_t n = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

std::optional<Fields> Table::obey(const Fields& r) {
  const std::string& op = r[0];
  const size_t n = r.size() - 1;
  if (op == "set" && n == 2) return values_[r[1]] = r[2], Fields{"ok"};
  if (op == "find" && n == 1) {
    const auto it = values_.find(r[1]);
    return it == values_.end() ? Fields{"ok"} : Fields{"ok", it->second};
  }
  if (op == "add" && n == 2) return add(r[1], r[2]);
  if (op == "compare_set" && n == 3) return compare_set(r[1], r[2], r[3]);
  if (op == "remove" && n == 1) return Fields{"ok", values_.erase(r[1]) ? "1" : "0"};
  if (op == "count" && n == 0) return Fields{"ok", std::to_string(values_.size())};
  return std::nullopt;
}

bool Table::has_all(const Fields& keys) const {
  return std::all_of(keys.begin(), keys.end(), [&](auto& k) { return values_.contains(k); });
}

Fields Table::add(const std::string& key, const std::string& amount) {
  const auto it = values_.find(key);
  const auto old = it == values_.end() ? int64_t(0) : to_number(it->second), more = to_number(amount);
  int64_t sum = 0;
  if (!old || !more || __builtin_add_overflow(*old, *more, &sum)) return {"no number"};
  values_[key] = std::to_string(sum);
  return {"ok", values_[key]};
}

Fields Table::compare_set(const std::string& key, const std::string& expected, const std::string& desired) {
  const auto it = values_.find(key);
  const bool fits = it == values_.end() ? expected.empty() : it->second == expected;
  if (!fits) return {"ok", it == values_.end() ? expected : it->second};
  values_[key] = desired;
  return {"ok", desired};
}

}  // namespace luth::dist
