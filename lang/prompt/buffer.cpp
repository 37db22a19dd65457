#include "lang/prompt/buffer.h"

#include <cctype>
#include <utility>

#include "lang/prompt/glyphs.h"

namespace luth::lang {
namespace {

constexpr size_t most_kills = 32, most_undo = 200;

// Bytes of characters beyond ASCII count as letters.
bool in_word(char c) {
  const auto u = static_cast<unsigned char>(c);
  return isalnum(u) || c == '_' || u >= 0x80;
}

}  // namespace

void Buffer::set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
  undo_.clear();
  run_ = Run::none;
}

size_t Buffer::line_start() const {
  const size_t newline = cursor_ == 0 ? text_.npos : text_.rfind('\n', cursor_ - 1);
  return newline == text_.npos ? 0 : newline + 1;
}

size_t Buffer::line_end() const { return std::min(text_.find('\n', cursor_), text_.size()); }

// Keeps the text as it is before a change. A run of typing is undone at once.
void Buffer::save(Run run) {
  if (run != Run::typing || run_ != run) {
    undo_.push_back({text_, cursor_});
    if (undo_.size() > most_undo) undo_.erase(undo_.begin());
  }
  run_ = run;
}

void Buffer::insert(std::string_view text) {
  save(Run::typing);
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

void Buffer::replace_before(size_t from, std::string_view text) {
  save(Run::none);
  text_.replace(from, cursor_ - from, text);
  cursor_ = from + text.size();
}

bool Buffer::move(size_t to) {
  run_ = Run::none;
  return std::exchange(cursor_, to) != to;
}

bool Buffer::left() { return move(previous_glyph(text_, cursor_)); }
bool Buffer::right() { return move(next_glyph(text_, cursor_)); }
bool Buffer::home() { return move(line_start()); }
bool Buffer::end() { return move(line_end()); }

size_t Buffer::word_start() const {
  size_t at = cursor_;
  while (at > 0 && !in_word(text_[at - 1])) --at;
  while (at > 0 && in_word(text_[at - 1])) --at;
  return at;
}

size_t Buffer::word_end() const {
  size_t at = cursor_;
  while (at < text_.size() && !in_word(text_[at])) ++at;
  while (at < text_.size() && in_word(text_[at])) ++at;
  return at;
}

bool Buffer::word_left() { return move(word_start()); }
bool Buffer::word_right() { return move(word_end()); }

// To the line from `from` to `to`, in the column where the run of moves began.
bool Buffer::vertical(size_t from, size_t to) {
  if (run_ != Run::vertical)
    wanted_column_ = columns_of(std::string_view(text_).substr(line_start(), cursor_ - line_start()));
  run_ = Run::vertical;
  int column = 0;
  for (cursor_ = from; cursor_ < to;) {
    const Glyph g = glyph_at(text_, cursor_, column);
    if (column + g.columns > wanted_column_) break;
    column += g.columns;
    cursor_ += g.bytes;
  }
  return true;
}

bool Buffer::up() {
  const size_t start = line_start();
  if (start == 0) return false;
  const size_t newline = start < 2 ? text_.npos : text_.rfind('\n', start - 2);
  return vertical(newline == text_.npos ? 0 : newline + 1, start - 1);
}

bool Buffer::down() {
  const size_t end = line_end();
  if (end == text_.size()) return false;
  return vertical(end + 1, std::min(text_.find('\n', end + 1), text_.size()));
}

bool Buffer::erase_left() {
  if (cursor_ == 0) return false;
  const size_t from = previous_glyph(text_, cursor_);
  save(Run::none);
  text_.erase(from, cursor_ - from);
  return cursor_ = from, true;
}

bool Buffer::erase_right() {
  if (at_end()) return false;
  save(Run::none);
  text_.erase(cursor_, next_glyph(text_, cursor_) - cursor_);
  return true;
}

// Kills that follow each other are one.
bool Buffer::kill(size_t from, size_t to, bool before) {
  if (from == to) return false;
  const std::string text = text_.substr(from, to - from);
  if (run_ == Run::kill)
    kills_.back() = before ? text + kills_.back() : kills_.back() + text;
  else
    kills_.push_back(text);
  if (kills_.size() > most_kills) kills_.erase(kills_.begin());
  save(Run::kill);
  text_.erase(from, to - from);
  return cursor_ = from, true;
}

bool Buffer::kill_to_end() {
  const size_t end = line_end();
  return kill(cursor_, end == cursor_ && end < text_.size() ? end + 1 : end, false);
}
bool Buffer::kill_to_start() { return kill(line_start(), cursor_, true); }
bool Buffer::kill_word_left() { return kill(word_start(), cursor_, true); }
bool Buffer::kill_word_right() { return kill(cursor_, word_end(), false); }

bool Buffer::kill_blank_word_left() {
  size_t at = cursor_;
  while (at > 0 && isspace(static_cast<unsigned char>(text_[at - 1]))) --at;
  while (at > 0 && !isspace(static_cast<unsigned char>(text_[at - 1]))) --at;
  return kill(at, cursor_, true);
}

bool Buffer::yank() {
  if (kills_.empty()) return false;
  yanked_ = kills_.size() - 1;
  yanked_from_ = cursor_;
  insert(kills_[yanked_]);
  run_ = Run::yank;
  return true;
}

bool Buffer::yank_older() {
  if (run_ != Run::yank) return false;
  yanked_ = yanked_ ? yanked_ - 1 : kills_.size() - 1;
  replace_before(yanked_from_, kills_[yanked_]);
  run_ = Run::yank;
  return true;
}

// The glyph before the cursor moves behind the one at it; at the end of a line, the last two.
bool Buffer::swap_glyphs() {
  size_t middle = cursor_ == line_end() ? previous_glyph(text_, cursor_) : cursor_;
  if (middle <= line_start() || middle >= line_end()) return false;
  const size_t from = previous_glyph(text_, middle), to = next_glyph(text_, middle);
  save(Run::none);
  text_.replace(from, to - from, text_.substr(middle, to - middle) + text_.substr(from, middle - from));
  return cursor_ = to, true;
}

bool Buffer::change_case(Case to) {
  const size_t end = word_end();
  if (end == cursor_) return false;
  save(Run::none);
  bool first = true;
  for (; cursor_ < end; ++cursor_) {
    char& c = text_[cursor_];
    if (!in_word(c)) continue;
    const bool upper = to == Case::upper || (to == Case::capital && first);
    if (static_cast<unsigned char>(c) < 0x80) c = char(upper ? toupper(c) : tolower(c));
    first = false;
  }
  return true;
}

bool Buffer::undo() {
  if (undo_.empty()) return false;
  text_ = std::move(undo_.back().text);
  cursor_ = undo_.back().cursor;
  undo_.pop_back();
  run_ = Run::none;
  return true;
}

}  // namespace luth::lang
