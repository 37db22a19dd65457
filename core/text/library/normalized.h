// A text that is changed step by step, and where each of its bytes comes from.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/text/library/unicode.h"
#include "core/text/tokenizer.h"

namespace luth::text {

/// Bytes of the changed text.
struct Piece {
  size_t begin = 0, end = 0;
  bool operator==(const Piece&) const = default;
};
struct Match {
  Piece at;
  bool is_match;
};

/// A text may become 32 times as long, and 1 MiB longer; Unicode's own forms need eleven times. Changes that make it
/// longer throw.
class Normalized {
 public:
  /// Of bytes that begin at `shift` in the original. `tracked`: whether origins will be asked for.
  Normalized(std::string_view text, uint32_t shift, bool tracked)
      : text_(text), most_(32 * text.size() + (1 << 20)), shift_(shift), tracked_(tracked), unchanged_(true) {}
  const std::string& text() const { return text_; }
  std::string_view view(Piece p) const { return std::string_view(text_).substr(p.begin, p.end - p.begin); }
  /// The bytes of the original that the piece comes from; whole characters. Of a text that is tracked.
  Span origin(Piece p) const;

  /// The new text, character for character. `removed`: how many of the old ones go before the first.
  void change(const std::vector<Change>& to, size_t removed = 0);
  /// All characters of which `keep` holds.
  void filter(const std::function<bool(char32_t)>& keep);
  /// What the bytes of one character become, each of one byte again: for characters below 128.
  void map_ascii(char (*f)(char));
  /// Puts the text before the first character, where there is one.
  void prepend(std::string_view what);
  void append(std::string_view what);
  void keep_only(Piece p);
  /// The piece alone.
  Normalized slice(Piece p) const;
  /// `with` in the place of each match.
  void replace(const std::vector<Match>& matches, std::string_view with);
  /// All of the pieces again, one after the other, each as `f` has changed it. Returns where they are then. `f` may cut
  /// its piece too, and returns where its parts are.
  std::vector<Piece> rewrite(const std::vector<Piece>& pieces,
                             const std::function<std::vector<Piece>(Normalized&, bool first)>& f);
  /// The same for each byte alone: `to[byte]` takes its place.
  void map_bytes(std::vector<Piece>& pieces, const std::array<std::string, 256>& to);

 private:
  void follow();  // makes origins_
  void check(size_t bytes) const;
  void become(std::string text, std::vector<Span> origins);
  std::string text_;
  std::vector<Span> origins_;  // of each byte, where unchanged_ is false and tracked_
  size_t most_;                // bytes
  uint32_t shift_;
  bool tracked_, unchanged_;
};

}  // namespace luth::text
