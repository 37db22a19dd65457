// The block that is being edited: text with a cursor, a kill ring and undo. All places are bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

class Buffer {
 public:
  const std::string& text() const { return text_; }
  size_t cursor() const { return cursor_; }
  bool at_end() const { return cursor_ == text_.size(); }
  /// Replaces all. The cursor is at the end; undo forgets.
  void set(std::string text);
  void set_cursor(size_t at) { cursor_ = at; }

  size_t line_start() const;
  size_t line_end() const;
  bool on_first_line() const { return line_start() == 0; }
  bool on_last_line() const { return line_end() == text_.size(); }

  void insert(std::string_view text);
  /// Replaces the bytes from `from` to the cursor.
  void replace_before(size_t from, std::string_view text);

  // Each moves the cursor or changes the text, and returns false where nothing was to be done.
  bool left();
  bool right();
  bool word_left();
  bool word_right();
  bool up();  // within the block
  bool down();
  bool home();
  bool end();
  bool erase_left();
  bool erase_right();
  bool kill_to_end();    // of the line; at its end, the newline
  bool kill_to_start();  // of the line
  bool kill_word_left();
  bool kill_blank_word_left();  // up to a blank, as the shell's Ctrl-W
  bool kill_word_right();
  bool yank();
  bool yank_older();  // directly after a yank
  bool swap_glyphs();
  enum class Case { lower, upper, capital };
  bool change_case(Case to);  // of the word at the cursor
  bool undo();

  /// Ends a run of the same command: kills before and after it are two, a letter is undone without those before.
  void break_run() { run_ = Run::none; }

 private:
  enum class Run { none, typing, kill, yank, vertical };
  struct Undo {
    std::string text;
    size_t cursor;
  };
  void save(Run run);
  bool kill(size_t from, size_t to, bool before);
  bool move(size_t to);
  size_t word_start() const;
  size_t word_end() const;
  bool vertical(size_t from, size_t to);

  std::string text_;
  size_t cursor_ = 0;
  Run run_ = Run::none;
  int wanted_column_ = 0;  // of a run of up and down
  std::vector<std::string> kills_;
  size_t yanked_ = 0, yanked_from_ = 0;  // which kill the last yank took, and where it put it
  std::vector<Undo> undo_;
};

}  // namespace luth::lang
