#include "core/records/csv.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "core/base/visible.h"
#include "core/records/file_window.h"

namespace luth::data {
namespace {

std::string_view trimmed(std::string_view s, char delimiter) {
  auto blank = [&](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

bool ends_with_tsv(std::string path) {
  for (char& c : path) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  return path.ends_with(".tsv") || path.ends_with(".tab");
}

char one_byte(const std::string& text, const char* what) {
  if (text.size() == 1 && text[0] != '\n' && text[0] != '\r' && text[0] != '\0') return text[0];
  throw Error("{} is one character of ASCII, got '{}'", what, foreign(text));
}

// A value within the row: its bytes without the quotes, counted from the row's first.
struct Piece {
  size_t begin, length;
  bool quoted = false, doubled = false;  // doubled: it has quotes within, each written twice
};

class Csv final : public Records {
 public:
  Csv(const std::string& path, const CsvSpec& spec);
  bool next(std::vector<Cell>& row) override;
  std::string where() const override { return "line " + std::to_string(line_); }

 private:
  bool read_row();
  bool split_plain(const char* p, const char* end);
  bool split_quoted(const char* p, const char* end, bool whole);
  const char* quoted_piece(const char* start, const char* p, const char* end, bool whole);
  std::string_view text_of(const Piece& p);
  void add(const Piece& piece);
  void check_length() const;
  void check_zeros(const char* p, const char* end) const;
  char sniffed() const;
  void read_header(std::optional<bool> header);
  [[noreturn]] void refuse(int64_t line, size_t column, const std::string& why) const;

  FileWindow window_;
  char delimiter_ = ',', quote_ = '"', decimal_ = '.';
  std::vector<Piece> pieces_;  // of the last row
  const char* row_ = nullptr;  // its first byte
  size_t row_bytes_ = 0;       // with the newline
  int64_t row_lines_ = 0;      // that it takes
  int64_t line_ = 0, next_line_ = 1;
  bool header_waits_ = false;         // the first line is a row, and was read already
  std::deque<std::string> unquoted_;  // what values with doubled quotes are
  size_t unquoted_used_ = 0;
};

Csv::Csv(const std::string& path, const CsvSpec& spec) : Records("'" + path + "'"), window_(path) {
  quote_ = spec.quote.empty() ? '\0' : one_byte(spec.quote, "quote");
  decimal_ = one_byte(spec.decimal, "decimal");
  window_.begin_text(name_);
  delimiter_ = !spec.delimiter.empty() ? one_byte(spec.delimiter, "delimiter") : ends_with_tsv(path) ? '\t' : sniffed();
  if (delimiter_ == quote_ || delimiter_ == decimal_)
    throw Error("delimiter, quote and decimal of {} are different characters, got '{}' twice{}", name_, delimiter_,
                delimiter_ == ',' ? "; pass delimiter = ';' or what it is" : "");
  if (!read_row()) throw Error("{} is empty", name_);
  read_header(spec.header);
}

// What the first line has most of, outside of quotes.
char Csv::sniffed() const {
  size_t counts[4] = {};
  constexpr std::string_view candidates = ",;\t|";
  bool inside = false;
  for (const char* p = window_.begin(); p != window_.end() && (*p != '\n' || inside); ++p) {
    if (*p == quote_) inside = !inside;
    const size_t which = inside ? candidates.npos : candidates.find(*p);
    if (which != candidates.npos && *p != decimal_) ++counts[which];
  }
  return candidates[size_t(std::max_element(counts, counts + 4) - counts)];
}

void Csv::read_header(std::optional<bool> header) {
  std::vector<std::string> names;
  bool numbers = false;
  for (const Piece& p : pieces_) {
    double number;
    names.emplace_back(text_of(p));
    numbers |= parse_number(names.back(), decimal_, number);
  }
  header_waits_ = header ? !*header : numbers;
  if (header_waits_)
    for (std::string& name : names) name.clear();
  columns_ = column_names(std::move(names), name_);
}

// Column counts from 0.
void Csv::refuse(int64_t line, size_t column, const std::string& why) const {
  const std::string which =
      column < columns_.size() ? "'" + foreign(columns_[column]) + "'" : std::to_string(column + 1);
  throw Error("{}, line {}, column {}: {}", name_, line, which, why);
}

std::string_view Csv::text_of(const Piece& p) {
  const std::string_view raw(row_ + p.begin, p.length);
  if (!p.quoted) return trimmed(raw, delimiter_);
  if (!p.doubled) return raw;
  if (unquoted_used_ == unquoted_.size()) unquoted_.emplace_back();
  std::string& text = unquoted_[unquoted_used_++];
  text.clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    text += raw[i];
    if (raw[i] == quote_) ++i;
  }
  return text;
}

void Csv::check_zeros(const char* p, const char* end) const {
  auto* zero = static_cast<const char*>(std::memchr(p, 0, size_t(end - p)));
  if (zero) refuse(line_, size_t(std::count(p, zero, delimiter_)), "there is a zero byte; this is no text, or damaged");
}

void Csv::add(const Piece& piece) {
  if (pieces_.size() == most_columns) refuse(line_, most_columns, fmt::format("luth takes {} columns", most_columns));
  pieces_.push_back(piece);
}

// A line without quotes.
bool Csv::split_plain(const char* p, const char* end) {
  const char* start = p;
  for (;;) {
    const char* at = p;
    while (at != end && *at != delimiter_) ++at;
    add({size_t(p - start), size_t(at - p)});
    if (at == end) return true;
    p = at + 1;
  }
}

// A piece that begins with a quote, at p. Returns what follows it, or null where the bytes end within.
const char* Csv::quoted_piece(const char* start, const char* p, const char* end, bool whole) {
  Piece piece{size_t(p + 1 - start), 0, true, false};
  const int64_t opened = line_ + row_lines_ - 1;
  for (const char* at = p + 1;; ++at) {
    at = static_cast<const char*>(std::memchr(at, quote_, size_t(end - at)));
    if (!at) {
      if (whole) refuse(opened, pieces_.size(), "the quote that begins the value does not end");
      return nullptr;
    }
    if (at + 1 == end && !whole) return nullptr;
    if (at + 1 == end || at[1] != quote_) {
      piece.length = size_t(at - start) - piece.begin;
      row_lines_ += std::count(p, at, '\n');
      add(piece);
      return at + 1;
    }
    piece.doubled = true;
    ++at;
  }
}

// A row of any form; false where the bytes end within it.
bool Csv::split_quoted(const char* p, const char* end, bool whole) {
  const char* start = p;
  for (;;) {
    while (p != end && *p == ' ' && delimiter_ != ' ') ++p;
    if (p != end && *p == quote_) {
      p = quoted_piece(start, p, end, whole);
      while (p && p != end && *p == ' ' && delimiter_ != ' ') ++p;
      if (!p || (p == end && !whole)) return false;
      if (p != end && *p == '\r' && p + 1 == end && !whole) return false;
      if (p != end && *p == '\r' && (p + 1 == end || p[1] == '\n')) ++p;
      if (p != end && *p != delimiter_ && *p != '\n')
        refuse(line_ + row_lines_ - 1, pieces_.size() - 1,
               "text follows the quote that ends the value; a quote within it is written twice");
    } else {
      const char* from = p;
      while (p != end && *p != delimiter_ && *p != '\n') ++p;
      if (p == end && !whole) return false;
      const char* last = p != from && p[-1] == '\r' && (p == end || *p == '\n') ? p - 1 : p;
      add({size_t(from - start), size_t(last - from)});
    }
    if (p == end || *p == '\n') {
      row_bytes_ = size_t(p - start) + (p != end);
      return true;
    }
    ++p;
  }
}

// Splits the next row that is not empty.
bool Csv::read_row() {
  window_.drop(row_bytes_);
  next_line_ += row_lines_;
  for (bool whole = false;;) {
    const char *p = window_.begin(), *end = window_.end();
    if (p == end && (whole || !window_.more())) return row_bytes_ = 0, row_lines_ = 0, false;
    p = window_.begin(), end = window_.end();
    auto* newline = static_cast<const char*>(std::memchr(p, '\n', size_t(end - p)));
    const char* stop = newline ? newline : end;
    pieces_.clear();
    line_ = next_line_;
    row_lines_ = 1;
    row_ = p;
    if (newline || whole) {
      const char* last = stop != p && stop[-1] == '\r' ? stop - 1 : stop;
      if (last == p) {  // an empty line
        window_.drop(size_t(stop - p) + (newline != nullptr));
        ++next_line_;
        continue;
      }
      const bool quotes = quote_ && std::memchr(p, quote_, size_t(last - p));
      row_bytes_ = size_t(stop - p) + (newline != nullptr);
      if (quotes ? split_quoted(p, end, whole) : split_plain(p, last)) {
        if (window_.zeros()) check_zeros(p, p + row_bytes_);
        return true;
      }
    }
    if (size_t(end - p) > most_row)
      refuse(line_, pieces_.size(), "the row has more than 64 MiB; does a quote not end?");
    whole = !window_.more();
  }
}

void Csv::check_length() const {
  const size_t n = pieces_.size(), expected = columns_.size();
  if (n == expected) return;
  throw Error("{}, line {}: the row has {} values, the first has {}; {}", name_, line_, n, expected,
              n < expected ? fmt::format("column '{}' and what follows is missing", foreign(columns_[n]))
                           : fmt::format("there is something behind column '{}'", foreign(columns_.back())));
}

bool Csv::next(std::vector<Cell>& row) {
  if (!std::exchange(header_waits_, false) && !read_row()) return false;
  check_length();
  row.resize(pieces_.size());
  unquoted_used_ = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) row[i] = {Cell::Kind::plain, 0, {}};
  for (size_t i = 0; i < pieces_.size(); ++i) row[i].text = text_of(pieces_[i]);
  return true;
}

}  // namespace

std::unique_ptr<Records> read_csv(const std::string& path, const CsvSpec& spec) {
  return std::make_unique<Csv>(path, spec);
}

}  // namespace luth::data
