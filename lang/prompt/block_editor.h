// The editor of blocks at a terminal.
#pragma once
#include <string>
#include <vector>

#include "lang/prompt/buffer.h"
#include "lang/prompt/history.h"
#include "lang/prompt/keys.h"
#include "lang/prompt/line_reader.h"
#include "lang/prompt/painter.h"
#include "lang/prompt/terminal.h"

namespace luth::lang {

class BlockEditor : public LineReader {
 public:
  explicit BlockEditor(Asks asks);

  Got read(std::string& block) override;
  void remember(const std::string& block) override { history_.add(block); }
  bool take_interrupt() override { return keys_.take_interrupt(); }

 private:
  enum class Step { edit, enter, cancel, leave };
  using Command = Step (BlockEditor::*)();
  static Command command_of(const std::string& key);

  Got loop();
  Step handle(const Key& key);
  Step handle_in_search(const Key& key);
  bool take_literally(const Key& key);
  void paint();
  void finish(const std::string& text);
  Got stopped();

  Step enter();
  Step newline();
  Step complete();
  Step delete_or_leave();
  Step cancel() { return Step::cancel; }
  Step suspend();
  Step clear_screen();
  Step literally();
  Step up();
  Step down();
  Step older();
  Step newer();
  Step oldest();
  Step newest();
  Step search();
  template <bool (Buffer::*f)()>
  Step edit();
  template <Buffer::Case to>
  Step change_case();

  void walk_to(size_t block);
  void outdent_line();
  void start_walk();
  void search_from(size_t from, bool older);
  void list(const Completion& found);

  Asks asks_;
  Terminal terminal_;
  Painter painter_;
  KeyDecoder keys_;
  History history_;
  Buffer buffer_;
  std::vector<std::string> below_;  // what Tab found
  bool literal_ = false;            // the next key is text

  // A walk through the history: where it is, and what it started from.
  bool walks_ = false, walked_ = false;  // the command before this one did; this one does
  size_t place_ = 0;
  std::string present_, prefix_;

  struct Search {
    bool on = false, failed = false;
    std::string text, before;  // what is looked for; the block that was there
    size_t place = 0;
  } search_;
};

}  // namespace luth::lang
