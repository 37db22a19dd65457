#include "core/records/json_lines.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/visible.h"
#include "core/records/file_window.h"

namespace luth::data {
namespace {

using Json = nlohmann::json;

constexpr size_t most_levels = 16;
constexpr size_t longest_name = 1024;  // bytes of a column's name, which repeats those of all that it lies in

// Calls f(key, cell) for each plain value of a JSON text as it is parsed, in the order in which they stand there. Where
// the text is no object, it calls nothing.
template <class F>
class Values final : public nlohmann::json_sax<Json> {
 public:
  /// `at`: the place of the line, for errors. `texts` keeps the texts of the cells.
  Values(std::string at, std::deque<std::string>& texts, F& f) : at_(std::move(at)), texts_(texts), f_(f) {}
  bool is_object() const { return is_object_; }

  bool null() override { return value({}); }
  bool boolean(bool v) override { return value({Cell::Kind::number, double(v), {}}); }
  bool number_integer(int64_t v) override {
    return v < -most_exact ? digits(v) : value({Cell::Kind::number, double(v), {}});
  }
  bool number_unsigned(uint64_t v) override {
    return v > uint64_t(most_exact) ? digits(v) : value({Cell::Kind::number, double(v), {}});
  }
  // A whole number comes here where 64 bits do not hold it.
  bool number_float(double v, const std::string& text) override {
    if (text.find_first_not_of("-0123456789") == text.npos)
      throw Error("{}: a whole number has more than 64 bits and would lose digits; write it as a text", at_);
    return value({Cell::Kind::number, v, {}});
  }
  bool string(std::string& v) override { return value({Cell::Kind::text, 0, texts_.emplace_back(std::move(v))}); }
  bool binary(Json::binary_t&) override { return true; }  // JSON has none
  bool start_object(size_t) override { return enter(in_object); }
  bool start_array(size_t) override { return enter(0); }
  bool end_object() override { return levels_.pop_back(), true; }
  bool end_array() override { return levels_.pop_back(), true; }
  bool key(std::string& name) override { return extend(name), true; }
  bool parse_error(size_t, const std::string&, const Json::exception& e) override {
    if (auto* wrong = dynamic_cast<const Json::parse_error*>(&e))
      throw Error("{}, column {}: this is no JSON", at_, wrong->byte);
    throw Error("{}: a number is out of range", at_);
  }

 private:
  // `length`: of the name of an object or list; `position`: of the last element of a list.
  struct Level {
    size_t length;
    int64_t position;
  };
  static constexpr int64_t in_object = -1;

  bool digits(auto v) { return value({Cell::Kind::plain, 0, texts_.emplace_back(std::to_string(v))}); }
  bool value(const Cell& cell) {
    count();
    if (is_object_) f_(std::as_const(name_), cell);
    return true;
  }
  bool enter(int64_t position) {
    if (levels_.empty())
      is_object_ = position == in_object;
    else
      count();
    if (levels_.size() == most_levels) throw Error("{}: it is nested deeper than {} levels", at_, most_levels);
    levels_.push_back({name_.size(), position});
    return true;
  }
  // A value comes: in a list, its name is its position.
  void count() {
    if (!levels_.empty() && levels_.back().position != in_object) extend(std::to_string(++levels_.back().position));
  }
  void extend(const std::string& part) {
    name_.resize(levels_.back().length);
    if (!name_.empty()) name_ += '.';
    name_ += part;
    if (name_.size() > longest_name)
      throw Error("{}: the name '{}' of a column has more than {} bytes", at_, foreign(name_, 40), longest_name);
  }

  const std::string at_;
  std::deque<std::string>& texts_;
  F& f_;
  std::string name_;
  std::vector<Level> levels_;
  bool is_object_ = false;
};

// The objects of a file, one after the other.
class Objects {
 public:
  Objects(const std::string& path, const std::string& name) : window_(path), name_(name) { window_.begin_text(name); }
  /// f(key, cell) for each plain value of the next object; false at the end. Empty lines are left out. The texts of
  /// cells are valid until the next call.
  template <class F>
  bool next(F&& f) {
    for (;;) {
      std::string_view text;
      if (!next_line(text)) return false;
      if (text.find_first_not_of(" \t\r") == text.npos) continue;
      if (window_.zeros() && text.find('\0') != text.npos)
        throw Error("{}, line {}, column {}: there is a zero byte", name_, line_, text.find('\0') + 1);
      texts_.clear();
      Values<F> values(fmt::format("{}, line {}", name_, line_), texts_, f);
      Json::sax_parse(text.begin(), text.end(), &values);
      if (!values.is_object()) throw Error("{}, line {}: the line is no object: {{\"name\": value, …}}", name_, line_);
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
  std::deque<std::string> texts_;
};

class JsonLines final : public Records {
 public:
  explicit JsonLines(const std::string& path) : Records("'" + path + "'"), objects_(path, name_) {
    find_columns(path);
    if (columns_.empty()) throw Error("{} is empty", name_);
  }
  std::string where() const override { return "line " + std::to_string(objects_.line()); }

  bool next(std::vector<Cell>& row) override {
    row.assign(columns_.size(), {});
    return objects_.next([&](const std::string& key, const Cell& cell) {
      const auto it = place_.find(key);
      if (it != place_.end()) row[it->second.column] = cell;  // else the file has changed
    });
  }

 private:
  // Reads the whole file: a key may come for the first time in the last line.
  void find_columns(const std::string& path) {
    Objects all(path, name_);
    while (all.next([&](const std::string& key, const Cell&) {
      const auto [it, is_new] = place_.try_emplace(key, columns_.size(), all.line());
      if (!is_new && std::exchange(it->second.line, all.line()) == all.line())
        throw Error("{}, line {}: the key '{}' is there twice", name_, all.line(), foreign(key));
      if (!is_new) return;
      if (columns_.size() == most_columns)
        throw Error("{}, line {}: luth takes {} columns", name_, all.line(), most_columns);
      columns_.push_back(key);
    })) {}
  }

  struct Place {
    size_t column;
    int64_t line;  // the last one with that key
  };

  Objects objects_;
  std::map<std::string, Place, std::less<>> place_;
};

}  // namespace

std::unique_ptr<Records> read_json_lines(const std::string& path) { return std::make_unique<JsonLines>(path); }

}  // namespace luth::data
