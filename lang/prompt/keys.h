// Keys: what the bytes of a terminal mean.
#pragma once
#include <string>
#include <string_view>

namespace luth::lang {

/// A key that was pressed. Keys have the names of Emacs: "C-a", "M-f", "C-left", "enter", "tab", "backspace", "C-x
/// C-e".
struct Key {
  enum class Kind { text, paste, command };
  Kind kind = Kind::command;
  std::string value;  // the text, or the name
};

/// Splits bytes into keys. An escape sequence that is not known gives the name "unknown", never text.
class KeyDecoder {
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// Takes the next key. False where more bytes are needed; after a pause (`pause`: no byte came for a while) an
  /// escape that nothing follows is a key, and a paste without an end has ended.
  bool next(Key& key, bool pause = false);
  /// Bytes that no key has taken yet.
  const std::string& waiting() const { return bytes_; }
  /// Takes away each Ctrl-C that waits outside of a paste; the text around it stays. False where there is none.
  bool take_interrupt();

 private:
  bool decode(Key& key, bool pause);
  bool control(Key& key, unsigned char c, bool pause);
  bool escape(Key& key, bool pause);
  bool sequence(Key& key);
  bool paste(Key& key, bool pause);
  bool answer(Key& key, bool pause);
  void take(size_t n) { bytes_.erase(0, n); }

  std::string bytes_;
};

}  // namespace luth::lang
