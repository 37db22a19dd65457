// Tokenizers: text to the numbers of tokens, and back. The pipeline of a `tokenizer.json` is in a library of its own,
// which is opened on first use (core/text/library), since it needs Unicode's tables and regular expressions.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/ref_count.h"

namespace luth::text {

/// Numbers of tokens, from 0.
using Ids = std::vector<uint32_t>;

/// Bytes of a text, from 0, without `end`.
struct Span {
  uint32_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

/// A text as tokens. All lists are of one length.
struct Encoding {
  Ids ids;
  std::vector<Span> offsets;       // bytes of the text; 0 to 0 for tokens that stand for none of it
  std::vector<int32_t> words;      // number of the word, from 0; -1 for tokens that are of none
  std::vector<uint8_t> type_ids;   // 1 for tokens of the second text, where the tokenizer tells them apart
  std::vector<uint8_t> special;    // 1 for tokens that the tokenizer added, and padding
  std::vector<uint8_t> attention;  // 0 for padding
  int32_t text = -1;               // while two are encoded: which of them it is of, from 0; -1 none
  size_t size() const { return ids.size(); }
};

/// What becomes of texts that are too long; max_length 0: nothing.
struct Truncation {
  int64_t max_length = 0;
  std::string strategy = "longest_first";  // or only_first, only_second: which of two texts is cut
  std::string direction = "right";         // where it is cut; or left
};
/// Tokens that make texts as long as others.
struct Padding {
  bool on = false;
  int64_t length = 0;  // 0: that of the longest of the batch
  int64_t multiple = 0;
  uint32_t id = 0;
  uint8_t type_id = 0;
  std::string token = "[PAD]";
  std::string direction = "right";
};

/// A token that is found in the text before all others.
struct AddedToken {
  uint32_t id = 0;
  std::string content;
  bool single_word = false, lstrip = false, rstrip = false, normalized = true, special = false;
};

/// Calls of const functions may come from several threads at once.
class Tokenizer : public Counted {
 public:
  virtual ~Tokenizer();
  /// "BPE", "WordPiece", "Unigram", "WordLevel".
  virtual std::string model() const = 0;
  /// Throws for a text that is no UTF-8, and names the byte. `second`: a text that is encoded behind the first.
  virtual Encoding encode(std::string_view text, const std::string_view* second, bool add_special_tokens) const = 0;
  /// The tokens of the text alone, appended to `out`: no special tokens, no truncation, no padding, no offsets.
  virtual void append_ids(std::string_view text, Ids& out) const = 0;
  /// Numbers that name no token are left out.
  virtual std::string decode(std::span<const uint32_t> ids, bool skip_special_tokens) const = 0;
  virtual std::optional<uint32_t> id_of(std::string_view token) const = 0;
  virtual std::optional<std::string> token_of(uint32_t id) const = 0;
  /// How many tokens there are, added ones included.
  virtual size_t size() const = 0;
  /// The largest number of a token, plus one: what an embedding needs.
  virtual size_t end() const = 0;
  /// Returns how many of them were new. Their numbers are the next ones.
  virtual size_t add(std::vector<AddedToken> tokens) = 0;
  virtual const std::vector<AddedToken>& added() const = 0;
  /// A `tokenizer.json`.
  virtual std::string to_json(bool pretty) const = 0;

  Truncation truncation;
  Padding padding;
};
using TokenizerRef = Ref<Tokenizer>;

/// How a model is trained; the names are PyPI's. BPE reads all of them, WordLevel those of the first line and `sorted`.
struct Training {
  int64_t vocab_size = 30000, min_frequency = 0;
  std::vector<std::string> special_tokens;
  bool sorted = false;           // words in the order of their bytes, else of how often they are there
  int64_t limit_alphabet = 0;    // 0: all characters of the texts are tokens
  int64_t max_token_length = 0;  // characters; 0: any
  std::vector<std::string> initial_alphabet;
  std::string continuing_subword_prefix, end_of_word_suffix;
};

/// Special tokens of these texts.
std::vector<AddedToken> special_tokens(std::span<const std::string> texts);

/// Gives a part of the texts, or nothing at the end.
using NextText = std::function<std::optional<std::string_view>()>;

class TextLibrary {
 public:
  virtual ~TextLibrary();
  virtual TokenizerRef from_json(std::string_view json, const std::string& name) const = 0;
  /// The tokenizer with its model made anew of the texts, which its normalizer and pre-tokenizer cut.
  virtual TokenizerRef trained(const Tokenizer& like, const Training& how, const NextText& next) const = 0;
};
/// Called by the library when it is opened.
void add_text_library(const TextLibrary* library);
/// Opens the library. Throws where luth was built without it.
const TextLibrary& text_library();

/// The tokenizer of a `tokenizer.json`. `name`: of the file, for messages. Throws for what is no such file, and for
/// parts that luth does not have, which the text names.
TokenizerRef tokenizer_from_json(std::string_view json, const std::string& name);
/// The same of a file. Throws for one of more than 1 GiB.
TokenizerRef read_tokenizer(const std::string& path);

/// The texts of a file, in parts of whole lines; `replaced`: what is no UTF-8 becomes U+FFFD, which else is an error
/// that names the place. Keep it as long as it is used.
NextText parts_of_file(const std::string& path, bool replaced);
/// A tokenizer of the kind "characters", "bytes", "words" or "bpe" (byte-level), whose tokens are those of the texts;
/// "bytes" looks at none. Tokens of characters are in the order of code points, words the commonest first, behind
/// "[UNK]".
TokenizerRef make_tokenizer(const std::string& kind, Training how, const NextText& next);

/// The encodings of the texts, all as long as each other where there is padding; on several threads.
std::vector<Encoding> encode_batch(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                   bool add_special_tokens);
/// Makes all as long as the longest, or as the padding says.
void pad(std::span<Encoding> all, const Padding& how);

/// How many bytes at the start of the text are UTF-8.
size_t valid_utf8(std::string_view text);
/// Throws for a text that is no UTF-8: "byte 17 is no UTF-8".
void check_utf8(std::string_view text);
/// The bytes at the start of `s`, which is no UTF-8 there, that one U+FFFD stands for (Unicode, chapter 3.9).
size_t broken_length(std::string_view s);
/// The text with U+FFFD for what is no UTF-8.
std::string replaced_utf8(std::string_view text);

}  // namespace luth::text
