// The keys of the block editor that walk through the history and search in it.
#include "lang/prompt/block_editor.h"

namespace luth::lang {

// A walk that begins remembers the text that is there, and looks for blocks that begin with what is before the cursor.
void BlockEditor::start_walk() {
  walks_ = true;
  if (walked_) return;
  place_ = history_.blocks().size();
  present_ = buffer_.text();
  prefix_ = present_.substr(0, buffer_.cursor());
}

void BlockEditor::walk_to(size_t block) {
  if (block == std::string::npos) return;
  place_ = block;
  buffer_.set(block < history_.blocks().size() ? history_.blocks()[block] : present_);
}

BlockEditor::Step BlockEditor::up() {
  if (!walked_ && buffer_.up()) return Step::edit;
  return older();
}

BlockEditor::Step BlockEditor::down() {
  if (!walked_ && buffer_.down()) return Step::edit;
  return newer();
}

BlockEditor::Step BlockEditor::older() {
  start_walk();
  size_t found = history_.older(place_, prefix_);
  while (found != std::string::npos && history_.blocks()[found] == buffer_.text())
    found = history_.older(found, prefix_);
  walk_to(found);
  return Step::edit;
}

BlockEditor::Step BlockEditor::newer() {
  start_walk();
  if (place_ >= history_.blocks().size()) return Step::edit;
  walk_to(std::min(history_.newer(place_, prefix_), history_.blocks().size()));
  return Step::edit;
}

BlockEditor::Step BlockEditor::oldest() {
  start_walk();
  if (!history_.blocks().empty()) walk_to(0);
  return Step::edit;
}

BlockEditor::Step BlockEditor::newest() {
  start_walk();
  walk_to(history_.blocks().size());
  return Step::edit;
}

BlockEditor::Step BlockEditor::search() {
  search_ = {};
  search_.on = true;
  search_.before = buffer_.text();
  search_.place = history_.blocks().size();
  return Step::edit;
}

// The newest block before `from` that has the text, or the oldest after it; the cursor goes to the text.
void BlockEditor::search_from(size_t from, bool older) {
  if (search_.text.empty()) return;
  const size_t found = older ? history_.find_older(from, search_.text) : history_.find_newer(from, search_.text);
  search_.failed = found == std::string::npos;
  if (search_.failed) return;
  search_.place = found;
  buffer_.set(history_.blocks()[found]);
  buffer_.set_cursor(buffer_.text().rfind(search_.text));
}

BlockEditor::Step BlockEditor::handle_in_search(const Key& key) {
  const size_t all = history_.blocks().size();
  if (key.kind != Key::Kind::command) {
    search_.text += key.value;
    search_from(std::min(search_.place + 1, all), true);
  } else if (key.value == "C-r" || key.value == "C-s") {
    search_from(search_.place, key.value == "C-r");
  } else if (key.value == "backspace") {
    while (!search_.text.empty() && (search_.text.back() & 0xc0) == 0x80) search_.text.pop_back();
    if (!search_.text.empty()) search_.text.pop_back();
    search_.failed = false;
    search_from(all, true);
  } else {
    search_.on = false;
    if (key.value == "C-g" || key.value == "escape") return buffer_.set(search_.before), Step::edit;
    return handle(key);
  }
  return Step::edit;
}

}  // namespace luth::lang
