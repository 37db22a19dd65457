#include "lang/prompt/painter.h"

#include <algorithm>

#include "lang/hints/lua_lexer.h"
#include "lang/prompt/glyphs.h"

namespace luth::lang {
namespace {

constexpr size_t most_coloured = 1 << 16;  // bytes; a longer text is no Lua that is typed

Style style_of(const LuaToken& t) {
  switch (t.kind) {
    case LuaToken::Kind::keyword: return Style::keyword;
    case LuaToken::Kind::constant: return Style::constant;
    case LuaToken::Kind::number: return Style::number;
    case LuaToken::Kind::string: return Style::string;
    case LuaToken::Kind::comment: return Style::comment;
    case LuaToken::Kind::bad: return Style::error;
    default: return Style::plain;
  }
}

// A style for each byte.
std::vector<Style> styles_of(const Shown& s) {
  std::vector<Style> styles(s.text.size(), Style::plain);
  if (s.text.size() > most_coloured) return styles;
  const bool command = !s.text.empty() && (s.text[0] == ':' || s.text[0] == '?' || s.text[0] == '!');
  const auto tokens = lua_tokens(s.text);
  for (auto& t : tokens) {
    if (command && t.kind == LuaToken::Kind::bad) continue;
    std::fill(styles.begin() + long(t.begin), styles.begin() + long(t.end), style_of(t));
  }
  size_t at = s.cursor;
  if (const size_t other = s.done ? s.text.npos : matching_bracket(s.text, tokens, at); other != s.text.npos)
    styles[other] = styles[at] = Style::match;
  return styles;
}

class Layout {
 public:
  Layout(const Shown& shown, int columns, const Terminal& terminal)
      : shown_(shown), width_(std::max(4, columns - 1)), terminal_(terminal), styles_(styles_of(shown)) {}

  Picture make() {
    prompt(shown_.first_prompt);
    for (size_t at = 0;;) {
      if (at == shown_.cursor) mark();
      const Glyph g = glyph_at(shown_.text, at, column_ - indent_);
      if (!g.bytes) break;
      if (shown_.text[at] == '\n') {
        end_row();
        prompt(shown_.next_prompt);
      } else {
        put(g, styles_[at], at == shown_.cursor);
      }
      at += g.bytes;
    }
    end_row();
    for (auto& line : shown_.below) {
      const std::string cut = cut_to(line, width_);
      picture_.rows.push_back({terminal_.styled(Style::faint, cut), columns_of(cut)});
    }
    return std::move(picture_);
  }

 private:
  void prompt(std::string_view text) {
    row_ = terminal_.styled(Style::prompt, text);
    indent_ = column_ = columns_of(text);
  }
  void mark() { picture_.cursor_row = picture_.rows.size(), picture_.cursor_column = column_; }

  void put(const Glyph& g, Style style, bool at_cursor) {
    if (column_ + g.columns > width_ && g.columns <= width_ && column_ > 0) {
      end_row();
      indent_ = 0;
      if (at_cursor) mark();
    }
    if (style != style_) flush(), style_ = style;
    run_ += g.shown;
    column_ += g.columns;
  }
  void flush() {
    row_ += terminal_.styled(style_, run_);
    run_.clear();
  }
  void end_row() {
    flush();
    picture_.rows.push_back({row_, column_});
    row_.clear();
    column_ = 0;
  }

  const Shown& shown_;
  int width_, column_ = 0, indent_ = 0;
  const Terminal& terminal_;
  std::vector<Style> styles_;
  Picture picture_;
  std::string row_, run_;
  Style style_ = Style::plain;
};

}  // namespace

Picture picture_of(const Shown& shown, int columns, const Terminal& terminal) {
  return Layout(shown, columns, terminal).make();
}

// To the first column of a row that is on the screen or directly below.
std::string Painter::to_row(size_t row) {
  std::string s = "\r";
  if (row < row_) s += terminal_.up(int(row_ - row));
  for (; row_ < row; ++row_) s += "\n";
  row_ = row;
  return s;
}

void Painter::write_rows(std::string& out, const std::vector<Picture::Row>& rows) {
  if (rows_.empty()) out += terminal_.clear_below();
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_new = i >= rows_.size();
    if (!is_new && rows_[i] == rows[i]) continue;
    out += to_row(i) + rows[i].text;
    if (!is_new && rows[i].columns < rows_[i].columns) out += terminal_.clear_line();
  }
  if (rows.size() < rows_.size()) out += to_row(rows.size()) + terminal_.clear_below();
  rows_ = rows;
}

void Painter::paint(Picture p) {
  const size_t most = size_t(terminal_.rows()) - 1;
  if (p.rows.size() > most) {
    if (p.cursor_row < first_) first_ = p.cursor_row;
    if (p.cursor_row >= first_ + most) first_ = p.cursor_row - most + 1;
    first_ = std::min(first_, p.rows.size() - most);
    p.rows.erase(p.rows.begin(), p.rows.begin() + long(first_));
    p.rows.resize(most);
    p.cursor_row -= first_;
  } else {
    first_ = 0;
  }
  std::string out;
  write_rows(out, p.rows);
  out += to_row(p.cursor_row) + terminal_.right(p.cursor_column);
  column_ = p.cursor_column;
  terminal_.write(out);
}

void Painter::finish(const Picture& p) {
  std::string out;
  if (p.rows.size() > size_t(terminal_.rows()) - 1) {  // only a part of it was on the screen
    out += to_row(0) + terminal_.clear_below();
    rows_.clear();
  }
  write_rows(out, p.rows);
  out += to_row(p.rows.size());
  forget();
  terminal_.write(out);
}

void Painter::resized() {
  const int width = terminal_.columns();
  const auto height = [width](int columns) { return columns <= width ? 1 : (columns + width - 1) / width; };
  int above = column_ / width;
  for (size_t i = 0; i < row_ && i < rows_.size(); ++i) above += height(rows_[i].columns);
  terminal_.write("\r" + terminal_.up(std::min(above, terminal_.rows() - 1)) + terminal_.clear_below());
  forget();
}

// Spaces to the edge: they wrap unless the cursor was in the first column.
void Painter::begin_row() {
  terminal_.write(std::string(size_t(terminal_.columns()), ' ') + "\r" + terminal_.clear_line());
  forget();
}

void Painter::clear_screen() {
  terminal_.write(terminal_.clear_all());
  forget();
}

}  // namespace luth::lang
