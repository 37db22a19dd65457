#include "lang/prompt/block_editor.h"

#include <algorithm>
#include <cstdio>

#include "core/base/visible.h"
#include "lang/hints/lua_lexer.h"
#include "lang/prompt/glyphs.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr int escape_pause = 50, paste_pause = 1000;  // milliseconds

}  // namespace

BlockEditor::BlockEditor(Asks asks) : asks_(std::move(asks)), painter_(terminal_) {}

template <bool (Buffer::*f)()>
BlockEditor::Step BlockEditor::edit() {
  (buffer_.*f)();
  return Step::edit;
}
template <Buffer::Case to>
BlockEditor::Step BlockEditor::change_case() {
  buffer_.change_case(to);
  return Step::edit;
}

BlockEditor::Command BlockEditor::command_of(const std::string& key) {
  using E = BlockEditor;
  using B = Buffer;
  struct Binding {
    std::string_view key;
    Command run;
  };
  static constexpr Binding rows[] = {
      {"enter", &E::enter},
      {"M-enter", &E::newline},
      {"tab", &E::complete},
      {"C-c", &E::cancel},
      {"C-d", &E::delete_or_leave},
      {"C-z", &E::suspend},
      {"C-l", &E::clear_screen},
      {"C-v", &E::literally},
      {"C-q", &E::literally},
      {"C-r", &E::search},
      {"up", &E::up},
      {"C-p", &E::up},
      {"down", &E::down},
      {"C-n", &E::down},
      {"page up", &E::older},
      {"M-p", &E::older},
      {"page down", &E::newer},
      {"M-n", &E::newer},
      {"M-<", &E::oldest},
      {"M->", &E::newest},
      {"left", &E::edit<&B::left>},
      {"C-b", &E::edit<&B::left>},
      {"right", &E::edit<&B::right>},
      {"C-f", &E::edit<&B::right>},
      {"C-left", &E::edit<&B::word_left>},
      {"M-left", &E::edit<&B::word_left>},
      {"M-b", &E::edit<&B::word_left>},
      {"C-right", &E::edit<&B::word_right>},
      {"M-right", &E::edit<&B::word_right>},
      {"M-f", &E::edit<&B::word_right>},
      {"home", &E::edit<&B::home>},
      {"C-a", &E::edit<&B::home>},
      {"end", &E::edit<&B::end>},
      {"C-e", &E::edit<&B::end>},
      {"backspace", &E::edit<&B::erase_left>},
      {"delete", &E::edit<&B::erase_right>},
      {"C-k", &E::edit<&B::kill_to_end>},
      {"C-u", &E::edit<&B::kill_to_start>},
      {"C-w", &E::edit<&B::kill_blank_word_left>},
      {"M-backspace", &E::edit<&B::kill_word_left>},
      {"M-d", &E::edit<&B::kill_word_right>},
      {"C-y", &E::edit<&B::yank>},
      {"M-y", &E::edit<&B::yank_older>},
      {"C-t", &E::edit<&B::swap_glyphs>},
      {"M-u", &E::change_case<B::Case::upper>},
      {"M-l", &E::change_case<B::Case::lower>},
      {"M-c", &E::change_case<B::Case::capital>},
      {"C-_", &E::edit<&B::undo>},
      {"C-x C-u", &E::edit<&B::undo>},
  };
  for (auto& row : rows)
    if (row.key == key) return row.run;
  return nullptr;
}

LineReader::Got BlockEditor::read(std::string& block) {
  fflush(stdout);
  terminal_.begin();
  painter_.begin_row();
  buffer_.set("");
  walks_ = walked_ = literal_ = false;
  search_ = {};
  const Got got = loop();
  keys_.feed(terminal_.end());
  block = buffer_.text();
  return got;
}

LineReader::Got BlockEditor::stopped() {
  finish(buffer_.text() + "^C");
  return interrupted() == SIGTERM ? Got::terminated : Got::interrupted;
}

LineReader::Got BlockEditor::loop() {
  Key key;
  for (bool pause = false;;) {
    if (keys_.next(key, pause)) {
      switch (handle(key)) {
        case Step::edit: continue;
        case Step::enter: return finish(buffer_.text()), Got::block;
        case Step::cancel: return stopped();
        case Step::leave: return finish(""), Got::end;
      }
    }
    paint();
    std::string bytes;
    const int patience = keys_.waiting().size() > 2 ? paste_pause : escape_pause;
    const auto event = terminal_.wait(bytes, keys_.waiting().empty() ? -1 : patience);
    pause = event == Terminal::Event::pause;
    keys_.feed(bytes);
    switch (event) {
      case Terminal::Event::interrupted: return stopped();
      case Terminal::Event::closed: return finish(buffer_.text()), Got::end;
      case Terminal::Event::resized: painter_.resized(); break;
      case Terminal::Event::continued: painter_.begin_row(); break;
      default: break;
    }
  }
}

BlockEditor::Step BlockEditor::handle(const Key& key) {
  below_.clear();
  if (take_literally(key)) return Step::edit;
  if (search_.on) return handle_in_search(key);
  walked_ = std::exchange(walks_, false);
  if (key.kind != Key::Kind::command) {
    if (key.kind == Key::Kind::paste) buffer_.break_run();
    buffer_.insert(key.value);
    if (key.kind == Key::Kind::paste) buffer_.break_run();
    return Step::edit;
  }
  const Command command = command_of(key.value);
  return command ? (this->*command)() : Step::edit;
}

BlockEditor::Step BlockEditor::literally() {
  literal_ = true;
  return Step::edit;
}

// After Ctrl-V: the byte of a control key.
bool BlockEditor::take_literally(const Key& key) {
  if (!std::exchange(literal_, false)) return false;
  const std::string& name = key.value;
  if (key.kind != Key::Kind::command)
    buffer_.insert(name);
  else if (name == "tab" || name == "enter" || name == "escape" || name == "backspace")
    buffer_.insert(name == "tab" ? "\t" : name == "enter" ? "\n" : name == "escape" ? "\x1b" : "\x7f");
  else if (name.size() == 3 && name.starts_with("C-"))
    buffer_.insert(std::string(1, char(toupper(name[2]) - '@')));
  return true;
}

void BlockEditor::paint() {
  Shown shown{buffer_.text(), buffer_.cursor(), "> ", ">> ", below_};
  std::string searched;
  if (search_.on) {
    searched = (search_.failed ? "(not found) '" : "(search) '") + visible(search_.text) + "': ";
    shown.first_prompt = searched;
  }
  painter_.paint(picture_of(shown, terminal_.columns(), terminal_));
}

void BlockEditor::finish(const std::string& text) {
  Shown shown{text, text.size(), "> ", ">> ", {}, true};
  painter_.finish(picture_of(shown, terminal_.columns(), terminal_));
}

BlockEditor::Step BlockEditor::enter() {
  const std::string& text = buffer_.text();
  std::string_view coming = keys_.waiting();
  coming = coming.substr(0, coming.find_first_of("\r\n"));
  if (asks_.is_incomplete(text)) return newline();
  outdent_line();
  if (!buffer_.at_end() || text.empty() || !asks_.continues(coming)) return Step::enter;
  buffer_.insert("\n");  // a paste without brackets
  return Step::edit;
}

// A line that ends a block, such as `end`, moves from where the line before it let it begin to the left.
void BlockEditor::outdent_line() {
  const size_t start = buffer_.line_start();
  const std::string& text = buffer_.text();
  const auto tokens = lua_tokens(text);
  if (start == 0 || in_literal(tokens, start)) return;
  const std::string line = text.substr(start, buffer_.cursor() - start);
  const size_t less = outdent(line), blanks = std::min(line.find_first_not_of(' '), line.size());
  if (less && blanks == next_indent(text, tokens, start - 1).size()) buffer_.replace_before(start, line.substr(less));
}

// The next line begins below this one, or further right where this one opens a block.
BlockEditor::Step BlockEditor::newline() {
  outdent_line();
  buffer_.insert("\n" + next_indent(buffer_.text(), lua_tokens(buffer_.text()), buffer_.cursor()));
  buffer_.break_run();
  return Step::edit;
}

BlockEditor::Step BlockEditor::delete_or_leave() {
  if (buffer_.text().empty()) return Step::leave;
  return edit<&Buffer::erase_right>();
}

BlockEditor::Step BlockEditor::suspend() {
  finish(buffer_.text());
  keys_.feed(terminal_.stop());
  painter_.begin_row();
  return Step::edit;
}

BlockEditor::Step BlockEditor::clear_screen() {
  painter_.clear_screen();
  return Step::edit;
}

// Inserts the common beginning of all completions; lists them if it adds nothing.
BlockEditor::Step BlockEditor::complete() {
  const std::string_view before = std::string_view(buffer_.text()).substr(0, buffer_.cursor());
  const auto line = before.substr(buffer_.line_start());
  if (line.find_first_not_of(" \t") == line.npos) {
    buffer_.insert("  ");
    return Step::edit;
  }
  const Completion found = asks_.complete(before);
  if (found.names.empty()) {
    below_ = found.notes;
    return Step::edit;
  }
  std::string common = found.names[0];
  for (auto& name : found.names) {
    const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common.erase(end, common.end());
  }
  if (common.size() > found.typed) {
    buffer_.insert(std::string_view(common).substr(found.typed));
    if (found.names.size() == 1) below_ = found.notes;
  } else if (found.names.size() > 1 || found.shown.size() == 1) {
    list(found);
  }
  buffer_.break_run();
  return Step::edit;
}

// In columns below the block, as far as the screen goes.
void BlockEditor::list(const Completion& found) {
  const auto& names = found.shown.empty() ? found.names : found.shown;
  below_ = found.notes;
  int longest = 0;
  for (auto& name : names) longest = std::max(longest, columns_of(name) + 2);
  const size_t columns = size_t(std::max(1, (terminal_.columns() - 1) / longest));
  const size_t rows = (names.size() + columns - 1) / columns;
  const size_t room = size_t(std::max(4, terminal_.rows() - 4)), most = std::min(rows, room);
  for (size_t row = 0; row < most; ++row) {
    std::string line;
    for (size_t i = row; i < names.size(); i += rows) {
      line += names[i];
      if (i + rows < names.size()) line.append(size_t(longest - columns_of(names[i])), ' ');
    }
    below_.push_back(line);
  }
  if (most < rows) below_.back() = "… " + std::to_string(names.size()) + " in all";
}

}  // namespace luth::lang
