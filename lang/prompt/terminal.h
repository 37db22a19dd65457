// The terminal at which the prompt is: its mode, its size, what it understands (by terminfo), keys and output.
#pragma once
#include <signal.h>
#include <termios.h>

#include <string>
#include <string_view>

namespace luth::lang {

/// What a piece of text is, for its colour.
enum class Style : uint8_t { plain, prompt, keyword, constant, number, string, comment, error, match, faint };

class Terminal {
 public:
  /// Whether standard input and output are one that can move its cursor.
  static bool usable();

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// While the prompt edits, keys come one by one and Ctrl-C is a key; else the terminal is as it was, but typed text
  /// stays when Ctrl-C interrupts. From begin() to end() SIGINT, SIGTERM, SIGWINCH and SIGCONT arrive in wait() only;
  /// a signal that came just before begin() does, too. end() gives the keys that wait() has not given: a Ctrl-C that
  /// comes later is a signal.
  void begin();
  std::string end();
  /// Stops the process as Ctrl-Z does, until it goes on. Gives what end() gives.
  std::string stop();

  enum class Event { input, pause, closed, interrupted, resized, continued };
  /// Waits for input and appends it to `bytes`, for at most `milliseconds` (-1: for ever). Throws where the
  /// system cannot wait.
  Event wait(std::string& bytes, int milliseconds);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  void measure();

  void write(std::string_view text) const;
  // Text that moves the cursor, or clears.
  std::string up(int n) const { return repeated(up_, n); }
  std::string right(int n) const { return repeated(right_, n); }
  const std::string& clear_below() const { return clear_below_; }
  const std::string& clear_line() const { return clear_line_; }
  const std::string& clear_all() const { return clear_all_; }
  /// The text in the colour of its style, where colours are wanted: not with NO_COLOR, CLICOLOR=0, or a terminal of
  /// less than eight.
  std::string styled(Style style, std::string_view text) const;

 private:
  static std::string repeated(const std::string& s, int n);
  void read_terminfo();

  termios usual_{};
  sigset_t signals_before_{};
  bool editing_ = false, colours_ = false;
  int columns_ = 80, rows_ = 24;
  std::string up_ = "\x1b[A", right_ = "\x1b[C", clear_below_ = "\x1b[J", clear_line_ = "\x1b[K",
              clear_all_ = "\x1b[H\x1b[2J";
};

/// Whether colours are wanted: NO_COLOR is empty, and CLICOLOR is not 0.
bool wants_colours();

}  // namespace luth::lang
