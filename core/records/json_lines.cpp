#include "core/records/json_lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/visible.h"
#include "core/records/file_window.h"

namespace luth::data {
namespace {

using Json = nlohmann::json;

constexpr int most_levels = 16;
constexpr size_t longest_name = 1024;  // bytes of a column's name, which repeats those of all that it lies in

// Whether a whole number outside of texts has more than 64 bits, which the parser would round.
bool has_longer_integer(std::string_view s) {
  for (size_t i = 0, end; i < s.size(); i = end) {
    end = i + 1;
    if (s[i] == '"')
      while (end < s.size() && s[end] != '"') end += s[end] == '\\' ? 2 : 1;
    if (s[i] == '"') ++end;
    if (s[i] != '-' && (s[i] < '0' || s[i] > '9')) continue;
    end = std::min(s.find_first_not_of("0123456789.eE+-", end), s.size());
    const std::string_view number = s.substr(i, end - i);
    if (!is_beyond_exact(number)) continue;
    int64_t negative = 0;
    uint64_t positive = 0;
    const auto [stop, error] = s[i] == '-' ? std::from_chars(&s[i], number.data() + number.size(), negative)
                                           : std::from_chars(&s[i], number.data() + number.size(), positive);
    if (error != std::errc()) return true;
  }
  return false;
}

// The objects of a file, one after the other.
class Objects {
 public:
  Objects(const std::string& path, const std::string& name) : window_(path), name_(name) { window_.begin_text(name); }
  /// The next object; false at the end. Empty lines are left out.
  bool next(Json& object) {
    for (;;) {
      std::string_view text;
      if (!next_line(text)) return false;
      if (text.find_first_not_of(" \t\r") == text.npos) continue;
      if (window_.zeros() && text.find('\0') != text.npos)
        throw Error("{}, line {}, column {}: there is a zero byte", name_, line_, text.find('\0') + 1);
      try {
        object = Json::parse(text.begin(), text.end(), [this](int depth, Json::parse_event_t, Json&) {
          if (depth > most_levels)
            throw Error("{}, line {}: it is nested deeper than {} levels", name_, line_, most_levels);
          return true;
        });
      } catch (const Json::parse_error& e) {
        throw Error("{}, line {}, column {}: this is no JSON", name_, line_, e.byte);
      } catch (const Json::exception& e) { throw Error("{}, line {}: a number is out of range", name_, line_); }
      if (has_longer_integer(text))
        throw Error("{}, line {}: a whole number has more than 64 bits and would lose digits; write it as a text",
                    name_, line_);
      if (!object.is_object()) throw Error("{}, line {}: the line is no object: {{\"name\": value, …}}", name_, line_);
      return true;
    }
  }
  int64_t line() const { return line_; }

 private:
  bool next_line(std::string_view& text) {
    window_.drop(taken_);
    taken_ = 0;
    for (bool whole = false;;) {
      const auto n = size_t(window_.end() - window_.begin());
      auto* newline = n ? static_cast<const char*>(std::memchr(window_.begin(), '\n', n)) : nullptr;
      if (newline || whole) {
        text = {window_.begin(), newline ? size_t(newline - window_.begin()) : n};
        taken_ = text.size() + (newline != nullptr);
        ++line_;
        return taken_ > 0;
      }
      if (n > most_row) throw Error("{}, line {}: the line has more than 64 MiB", name_, line_ + 1);
      whole = !window_.more();
    }
  }

  FileWindow window_;
  const std::string& name_;
  size_t taken_ = 0;
  int64_t line_ = 0;
};

// f(key, value) for each plain value within.
template <class F>
void each_value(const Json& value, const std::string& key, F& f) {
  if (key.size() > longest_name)
    throw Error("the name '{}' of a column has more than {} bytes", foreign(key, 40), longest_name);
  const std::string start = key.empty() ? "" : key + ".";
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end(); ++it) each_value(*it, start + it.key(), f);
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) each_value(value[i], start + std::to_string(i + 1), f);
  } else {
    f(key, value);
  }
}

class JsonLines final : public Records {
 public:
  explicit JsonLines(const std::string& path) : Records("'" + path + "'"), objects_(path, name_) {
    find_columns(path);
    if (columns_.empty()) throw Error("{} is empty", name_);
  }
  std::string where() const override { return "line " + std::to_string(objects_.line()); }

  bool next(std::vector<Cell>& row) override {
    if (!objects_.next(object_)) return false;
    row.assign(columns_.size(), {});
    digits_.clear();
    const auto fill = [&](const std::string& key, const Json& value) {
      const auto it = place_.find(key);
      if (it != place_.end()) row[it->second] = cell_of(value);  // else the file has changed
    };
    each_value(object_, "", fill);
    return true;
  }

 private:
  // Reads the whole file: a key may come for the first time in the last line.
  void find_columns(const std::string& path) {
    Objects all(path, name_);
    Json object;
    const auto add = [&](const std::string& key, const Json&) {
      if (!place_.emplace(key, columns_.size()).second) return;
      if (columns_.size() == most_columns) throw Error("luth takes {} columns", most_columns);
      columns_.push_back(key);
    };
    while (all.next(object)) {
      try {
        each_value(object, "", add);
      } catch (const Error& e) { throw Error(e.code(), "{}, line {}: {}", name_, all.line(), e.what()); }
    }
  }

  Cell cell_of(const Json& value) {
    Cell cell;
    const bool is_integer = value.is_number_integer();
    if (is_integer && (value.is_number_unsigned() ? value.get<uint64_t>() > uint64_t(most_exact)
                                                  : value.get<int64_t>() < -most_exact)) {
      cell.kind = Cell::Kind::plain;
      cell.text = digits_.emplace_back(value.dump());
    } else if (value.is_string()) {
      cell.kind = Cell::Kind::text;
      cell.text = value.get_ref<const std::string&>();
    } else if (value.is_number() || value.is_boolean()) {
      cell.kind = Cell::Kind::number;
      cell.number = value.is_boolean() ? double(value.get<bool>()) : value.get<double>();
    }
    return cell;
  }

  Objects objects_;
  Json object_;                     // the last one, whose texts the cells are
  std::deque<std::string> digits_;  // of whole numbers that a double does not hold
  std::map<std::string, size_t, std::less<>> place_;
};

}  // namespace

std::unique_ptr<Records> read_json_lines(const std::string& path) { return std::make_unique<JsonLines>(path); }

}  // namespace luth::data
