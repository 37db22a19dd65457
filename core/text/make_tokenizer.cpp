// Tokenizers that are made of texts, as `tokenizer.json` describes them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/text.h"
#include "core/text/text_file.h"
#include "core/text/tokenizer.h"

namespace luth::text {
namespace {

constexpr const char* characters = R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "[\\s\\S]"},
  "behavior": "Isolated", "invert": false}, "decoder": {"type": "Fuse"},
  "model": {"type": "WordLevel", "vocab": {}, "unk_token": "[UNK]"}})";
constexpr const char* words = R"({"pre_tokenizer": {"type": "Whitespace"},
  "model": {"type": "WordLevel", "vocab": {}, "unk_token": "[UNK]"}})";
// Byte-level: the characters that stand for bytes are an alphabet with which every text can be written.
constexpr const char* byte_level = R"({{"pre_tokenizer": {{"type": "ByteLevel", "add_prefix_space": false,
  "trim_offsets": true, "use_regex": {}}}, "decoder": {{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true,
  "use_regex": true}}, "model": {{"type": "BPE", "vocab": {}, "merges": []}}}})";

// "!" and so on for the bytes that show as themselves, the others from U+0100 on.
std::vector<std::string> byte_alphabet() {
  std::vector<std::string> all;
  uint32_t next = 0x100;
  for (uint32_t b = 0; b < 256; ++b) {
    const bool shows = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    const uint32_t c = shows ? b : next++;
    all.push_back(c < 0x80 ? std::string(1, char(c)) : std::string{char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))});
  }
  return all;
}

std::string bytes_json() {
  std::string vocabulary;
  const auto all = byte_alphabet();
  for (size_t b = 0; b < all.size(); ++b)
    vocabulary +=
        fmt::format("{}\"{}{}\": {}", b ? ", " : "{", all[b] == "\"" || all[b] == "\\" ? "\\" : "", all[b], b);
  return fmt::format(fmt::runtime(byte_level), false, vocabulary + "}");
}

// Whole lines of about `few` bytes; a longer line is cut before a space, or where a character ends.
std::string part_of_file(const TextFile& file, int64_t at) {
  constexpr int64_t few = 1 << 20, most = 4 << 20;
  const int64_t rest = file.size() - at;
  std::string part = file.read(at, std::min(few, rest));
  if (rest <= few) return part;
  size_t end = part.rfind('\n');
  if (end != part.npos) return part.resize(end + 1), part;
  part += file.read(at + few, std::min(most, rest) - few);
  end = part.find('\n', size_t(few));
  if (end != part.npos) return part.resize(end + 1), part;
  if (rest <= most) return part;
  end = part.rfind(' ');
  if (end == part.npos || end == 0)
    for (end = part.size() - 1; end > 1 && (part[end] & 0xc0) == 0x80;) --end;
  return part.resize(end), part;
}

}  // namespace

TokenizerRef make_tokenizer(const std::string& kind, Training how, const NextText& next) {
  if (kind == "bytes") {
    TokenizerRef t = tokenizer_from_json(bytes_json(), kind);
    t->add(special_tokens(how.special_tokens));
    return t;
  }
  const bool is_characters = kind == "characters", is_words = kind == "words";
  if (!is_characters && !is_words && kind != "bpe")
    throw Error("a tokenizer is of characters, bytes, words or bpe, got '{}'{}", kind,
                did_you_mean(kind, std::array<std::string, 4>{"characters", "bytes", "words", "bpe"}));
  if (is_characters) how.sorted = true;
  if (is_words) how.special_tokens.insert(how.special_tokens.begin(), "[UNK]");
  if (kind == "bpe") how.initial_alphabet = byte_alphabet();
  const std::string json = is_characters ? characters
                           : is_words    ? words
                                         : fmt::format(fmt::runtime(byte_level), true, "{}");
  return text_library().trained(*tokenizer_from_json(json, kind), how, next);
}

NextText parts_of_file(const std::string& path, bool replaced) {
  struct State {
    explicit State(const std::string& path) : file(path) {}
    TextFile file;
    int64_t at = 0;
    std::string part;
  };
  const auto state = std::make_shared<State>(path);
  return [state, replaced]() -> std::optional<std::string_view> {
    if (state->at >= state->file.size()) return {};
    state->part = part_of_file(state->file, state->at);
    if (const size_t good = valid_utf8(state->part); good < state->part.size() && !replaced)
      throw Error("'{}', byte {}: this is no UTF-8; iconv makes that of other encodings", state->file.path(),
                  state->at + int64_t(good) + 1);
    state->at += int64_t(state->part.size());
    if (replaced) state->part = replaced_utf8(state->part);
    return state->part;
  };
}

}  // namespace luth::text
