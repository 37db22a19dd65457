#pragma once
// What a terminal shows of luth: a small emulator behind tests/cli/run.h's Terminal. It knows what the prompt writes:
// text in UTF-8 with wide and combining characters, the cursor's moves, clearing, scrolling. As terminals of today do,
// it wraps long rows anew when it is resized.
//
//   Screen s;  s.type("1 + 1\r");  EXPECT_TRUE(s.shows("\n2\n")) << s.text();
#include <wchar.h>

#include <algorithm>
#include <clocale>

#include "tests/cli/run.h"

namespace luth::testing {

class Screen {
 public:
  explicit Screen(const std::vector<std::string>& args = {}, const Env& env = {}, int columns = 100, int rows = 40)
      : terminal(args, env), columns_(columns), rows_(rows) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    grid_.resize(1);
    terminal.resize(columns, rows);
  }

  Terminal terminal;

  void type(const std::string& keys) const { terminal.send(keys); }

  // Reads until the screen has the text, which may begin and end with newlines: for whole rows.
  bool shows(const std::string& text, double seconds = 20) {
    for (double end = detail::now() + seconds; !has(text);) {
      if (detail::now() > end) return false;
      terminal.read_more(0.05);
    }
    return true;
  }
  // Reads until nothing comes for a while and the program waits: on a busy machine its answer may take long. A program
  // that computes for ever is waited for so many seconds.
  void settle(double seconds = 20) {
    const double end = detail::now() + seconds;
    while ((terminal.read_more(0.12) || terminal.busy()) && detail::now() < end) {}
    update();
  }
  bool has(const std::string& text) {
    update();
    return ("\n" + text_of() + "\n").find(text) != std::string::npos;
  }
  // The rows, without blanks at their ends and empty rows below.
  std::string text() {
    update();
    return text_of();
  }
  // What is before the cursor in its row, and whether a paste comes in brackets.
  std::string before_cursor() {
    update();
    std::string s;
    for (int i = 0; i < column_; ++i) s += cell(row_, i);
    return s;
  }
  bool brackets_pastes() const { return brackets_; }

  void resize(int columns, int rows) {
    settle();
    std::vector<Row> wrapped;
    const size_t row = row_;
    const int column = column_;
    for (size_t i = 0; i < grid_.size(); ++i) {
      Row r = grid_[i];
      while (!r.empty() && (r.back() == " " || r.back().empty())) r.pop_back();
      if (i == row) row_ = wrapped.size() + size_t(column / columns), column_ = column % columns;
      do {
        const size_t n = std::min(r.size(), size_t(columns));
        wrapped.emplace_back(r.begin(), r.begin() + long(n));
        r.erase(r.begin(), r.begin() + long(n));
      } while (!r.empty());
    }
    grid_ = std::move(wrapped);
    if (row_ >= grid_.size()) grid_.resize(row_ + 1);
    columns_ = columns, rows_ = rows;
    terminal.resize(columns, rows);
  }

 private:
  using Row = std::vector<std::string>;  // a cell each; that behind a wide character is ""

  // The rows that are on the screen begin here; those above have scrolled away.
  size_t top() const { return grid_.size() > size_t(rows_) ? grid_.size() - size_t(rows_) : 0; }

  std::string cell(size_t row, int column) const {
    return size_t(column) < grid_[row].size() ? grid_[row][size_t(column)] : " ";
  }
  std::string text_of() const {
    std::string all;
    for (size_t i = top(); i < grid_.size(); ++i) {
      std::string line;
      for (auto& c : grid_[i]) line += c;
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + "\n";
    }
    all.erase(all.find_last_not_of('\n') + 1);
    return all;
  }

  void update() {
    const std::string& all = terminal.seen();
    while (read_ < all.size()) {
      const size_t n = all[read_] == '\x1b' ? sequence(all) : character(all);
      if (!n) return;
      read_ += n;
    }
  }

  // ESC [ parameters letter; 0 where its end has not come.
  size_t sequence(const std::string& all) {
    size_t end = read_ + 2;
    while (end < all.size() && all[end] < 0x40) ++end;
    if (end >= all.size()) return 0;
    if (all[read_ + 1] != '[') return 2;
    const std::string parameters = all.substr(read_ + 2, end - read_ - 2);
    const int n = std::max(1, atoi(parameters.c_str()));
    Row& row = grid_[row_];
    switch (all[end]) {
      case 'A': row_ = std::max(top(), row_ - std::min(row_, size_t(n))); break;
      case 'C': column_ = std::min(columns_ - 1, column_ + n); break;
      case 'H': row_ = top(), column_ = 0; break;
      case 'K': row.resize(std::min(row.size(), size_t(column_))); break;
      case 'J':
        row.resize(std::min(row.size(), size_t(column_)));
        for (size_t i = row_ + 1; i < grid_.size(); ++i) grid_[i].clear();
        if (parameters == "2") std::fill(grid_.begin() + long(top()), grid_.end(), Row());
        break;
      case 'h':
      case 'l':
        if (parameters == "?2004") brackets_ = all[end] == 'h';
        break;
      case 'm': break;
      default: ADD_FAILURE() << "the emulator does not know ESC [ " << parameters << all[end];
    }
    return end + 1 - read_;
  }

  size_t character(const std::string& all) {
    const auto lead = static_cast<unsigned char>(all[read_]);
    if (lead == '\r') return column_ = 0, 1;
    if (lead == '\n') return line_feed(), 1;
    if (lead == '\b') return column_ = std::max(0, column_ - 1), 1;
    if (lead == '\t') return column_ = std::min(columns_ - 1, column_ / 8 * 8 + 8), 1;
    if (lead < ' ') return 1;
    const size_t n = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (read_ + n > all.size()) return 0;
    wchar_t c = L'?';
    mbstate_t state{};
    if (std::mbrtowc(&c, all.data() + read_, n, &state) > n) ADD_FAILURE() << "a byte that is no UTF-8";
    put(all.substr(read_, n), wcwidth(c));
    return n;
  }

  void put(const std::string& text, int width) {
    if (width == 0 && column_ > 0) {
      int last = column_ - 1;
      while (last > 0 && grid_[row_][size_t(last)].empty()) --last;
      grid_[row_][size_t(last)] += text;
      return;
    }
    if (column_ + width > columns_) column_ = 0, line_feed();
    Row& row = grid_[row_];
    if (row.size() < size_t(column_ + width)) row.resize(size_t(column_ + width), " ");
    row[size_t(column_)] = text;
    if (width == 2) row[size_t(column_) + 1] = "";
    column_ += width;
  }

  void line_feed() {
    if (++row_ == grid_.size()) grid_.emplace_back();
  }

  int columns_, rows_, column_ = 0;
  size_t row_ = 0, read_ = 0;
  std::vector<Row> grid_;  // all rows since the start
  bool brackets_ = false;
};

}  // namespace luth::testing
