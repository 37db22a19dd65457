// The block that is edited, on the screen: rows of text of which only those that changed are written.
#pragma once
#include <string>
#include <vector>

#include "lang/prompt/terminal.h"

namespace luth::lang {

/// A picture of the prompt.
struct Picture {
  struct Row {
    std::string text;  // with colours
    int columns = 0;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;
  size_t cursor_row = 0;
  int cursor_column = 0;
};

/// What is to be shown.
struct Shown {
  std::string_view text;
  size_t cursor = 0;
  std::string_view first_prompt, next_prompt;
  std::vector<std::string> below;  // lines below the block, faint and cut to the width
  bool done = false;               // no cursor, no matching bracket
};

/// The rows of a block on a terminal of `columns`. Lines are wrapped one column before the edge, where all terminals
/// agree on what follows.
Picture picture_of(const Shown& shown, int columns, const Terminal& terminal);

class Painter {
 public:
  explicit Painter(Terminal& terminal) : terminal_(terminal) {}

  /// Shows the picture. Where it is higher than the screen, a part of it with the cursor.
  void paint(Picture picture);
  /// Shows all of it, and leaves the cursor below.
  void finish(const Picture& picture);
  /// Goes to the next row, if something has been written into this one.
  void begin_row();
  /// Forgets what is on the screen: the cursor is at the beginning of an empty row.
  void forget() { rows_.clear(), row_ = 0; }
  /// The terminal has another width. It has wrapped the rows above the cursor anew.
  void resized();
  void clear_screen();

 private:
  void write_rows(std::string& out, const std::vector<Picture::Row>& rows);
  std::string to_row(size_t row);

  Terminal& terminal_;
  std::vector<Picture::Row> rows_;  // on the screen
  size_t row_ = 0, first_ = 0;      // the cursor's, of them; the first of the picture that is shown
  int column_ = 0;
};

}  // namespace luth::lang
