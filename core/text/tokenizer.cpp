#include "core/text/tokenizer.h"

#include <atomic>
#include <mutex>

#include "core/base/threads.h"
#include "core/base/visible.h"
#include "core/device/device.h"
#include "core/text/text_file.h"

namespace luth::text {
namespace {

std::atomic<const TextLibrary*> opened = nullptr;
constexpr int64_t most_bytes = int64_t(1) << 30;
constexpr size_t most_padded = size_t(1) << 28;

void check_padded(size_t texts, size_t length) {
  if (length > most_padded / std::max<size_t>(texts, 1))
    throw Error("{} texts of {} tokens are more than luth pads at once, {} tokens; encode fewer at a time", texts,
                length, most_padded);
}

}  // namespace

Tokenizer::~Tokenizer() = default;
TextLibrary::~TextLibrary() = default;
void add_text_library(const TextLibrary* library) { opened = library; }

const TextLibrary& text_library() {
  if (const TextLibrary* l = opened) return *l;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string trouble = opened ? "" : open_library("text");
  if (!opened)
    throw Error(
        "there are no tokenizers: {}; luth is built with them where utf8proc and PCRE2 are installed (Debian: "
        "libutf8proc-dev libpcre2-dev)",
        trouble);
  return *opened;
}

TokenizerRef tokenizer_from_json(std::string_view json, const std::string& name) {
  return text_library().from_json(json, name);
}

TokenizerRef read_tokenizer(const std::string& path) {
  const TextFile file(path);
  if (file.size() > most_bytes) throw Error("the tokenizer '{}' has {} bytes, more than 2^30", path, file.size());
  return tokenizer_from_json(file.read(0, file.size()), path);
}

std::vector<AddedToken> special_tokens(std::span<const std::string> texts) {
  std::vector<AddedToken> all;
  for (const std::string& t : texts) all.push_back({.content = t, .normalized = false, .special = true});
  return all;
}

void pad(std::span<Encoding> all, const Padding& how) {
  size_t length = size_t(how.length);
  if (length == 0)
    for (const Encoding& e : all) length = std::max(length, e.size());
  if (how.multiple > 0) length = (length + size_t(how.multiple) - 1) / size_t(how.multiple) * size_t(how.multiple);
  check_padded(all.size(), length);
  for (Encoding& e : all) {
    const size_t n = length > e.size() ? length - e.size() : 0;
    const auto fill = [&](auto& list, auto value) {
      list.insert(how.direction == "left" ? list.begin() : list.end(), n, value);
    };
    fill(e.ids, how.id), fill(e.offsets, Span{}), fill(e.words, -1);
    fill(e.type_ids, how.type_id), fill(e.special, uint8_t(1)), fill(e.attention, uint8_t(0));
  }
}

std::vector<Encoding> encode_batch(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                   bool add_special_tokens) {
  const Padding& how = tokenizer.padding;
  if (how.on) check_padded(texts.size(), size_t(std::max(how.length, how.multiple)));  // each is padded first alone
  std::vector<Encoding> all(texts.size());
  parallel_for(int64_t(texts.size()), 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      try {
        all[size_t(i)] = tokenizer.encode(texts[size_t(i)], nullptr, add_special_tokens);
      } catch (const Error& e) { throw Error(e.code(), "text {}: {}", i + 1, e.what()); }
    }
  });
  if (how.on) pad(all, how);
  return all;
}

size_t valid_utf8(std::string_view text) {
  size_t at = 0;
  for (size_t n = 1; n && at < text.size(); at += n) n = utf8_length(text.substr(at, 4));
  return at;
}

void check_utf8(std::string_view text) {
  if (const size_t at = valid_utf8(text); at < text.size()) throw Error("byte {} of the text is no UTF-8", at + 1);
}

std::string replaced_utf8(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const size_t n = utf8_length(rest);
    out += n ? rest.substr(0, n) : "\uFFFD";
    at += n ? n : broken_length(rest);
  }
  return out;
}

size_t broken_length(std::string_view s) {
  for (size_t n : {3, 2})  // of a sequence that is cut short; its later bytes are alike in all
    if (s.size() >= n && utf8_length(std::string(s.substr(0, n)) + "\x80\x80") > n) return n;
  return 1;
}

}  // namespace luth::text
