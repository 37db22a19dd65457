#include <algorithm>

#include "core/text/library/steps.h"

namespace luth::text {
namespace {

using Texts = std::vector<std::string>;

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& t : texts) all += t;
  return all;
}

constexpr const char* parts_name = "decoders";
class Sequence final : public Steps<Decoder, parts_name, make_decoder> {
 public:
  using Steps::Steps;
  Texts run(Texts tokens) const override {
    for (const auto& p : parts_) tokens = p->run(std::move(tokens));
    return tokens;
  }
};

// The bytes that the characters stand for; a token with another character stands for itself.
class ByteLevel final : public Decoder {
 public:
  static constexpr std::string_view type = "ByteLevel";
  explicit ByteLevel(const Node&) {}
  Texts run(Texts tokens) const override {
    std::string bytes;
    for (const std::string& t : tokens) {
      const size_t start = bytes.size();
      for (size_t at = 0; at < t.size();) {
        const int b = byte_of(next_char(t, at));
        if (b < 0) {
          bytes.resize(start);
          bytes += t;
          break;
        }
        bytes += char(b);
      }
    }
    return {replaced_utf8(bytes)};
  }
};

class Fuse final : public Decoder {
 public:
  static constexpr std::string_view type = "Fuse";
  explicit Fuse(const Node&) {}
  Texts run(Texts tokens) const override { return {joined(tokens)}; }
};

// The byte of "<0xE2>", or -1.
int byte_token(const std::string& t) {
  if (t.size() != 6 || !t.starts_with("<0x") || t[5] != '>') return -1;
  int value = 0;
  for (char c : {t[3], t[4]}) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : 256;
    value = 16 * value + digit;
  }
  return value < 256 ? value : -1;
}

// Tokens of bytes become the text of these, or one U+FFFD for each where they are none.
class ByteFallback final : public Decoder {
 public:
  static constexpr std::string_view type = "ByteFallback";
  explicit ByteFallback(const Node&) {}
  Texts run(Texts tokens) const override {
    Texts out;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (is_utf8(bytes))
        out.push_back(bytes);
      else
        out.insert(out.end(), bytes.size(), "\uFFFD");
      bytes.clear();
    };
    for (std::string& t : tokens) {
      const int b = byte_token(t);
      if (b >= 0) {
        bytes += char(b);
        continue;
      }
      flush();
      out.push_back(std::move(t));
    }
    flush();
    return out;
  }

 private:
  static bool is_utf8(const std::string& s) {
    try {
      return check_utf8(s), true;
    } catch (const Error&) { return false; }
  }
};

class MetaspaceDecoder final : public Decoder {
 public:
  static constexpr std::string_view type = "Metaspace";
  explicit MetaspaceDecoder(const Node& n) : mark_(n) {}
  Texts run(Texts tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      std::string out;
      for (size_t at = 0; at < tokens[i].size();) {
        const size_t begin = at;
        next_char(tokens[i], at);
        const std::string_view c = std::string_view(tokens[i]).substr(begin, at - begin);
        if (c != mark_.mark)
          out += c;
        else if (i > 0 || mark_.prepend == Prepend::never)
          out += ' ';
      }
      tokens[i] = out;
    }
    return tokens;
  }

 private:
  MetaspaceMark mark_;
};

void replace_all(std::string& s, std::string_view what, std::string_view with) {
  std::string out;
  size_t done = 0;
  for (size_t at; (at = s.find(what, done)) != s.npos; done = at + what.size()) out.append(s, done, at - done) += with;
  if (done) s = out.append(s, done);
}

// Without the spaces before marks and endings, as English is written.
void clean_up(std::string& s) {
  constexpr std::pair<const char*, const char*> pairs[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (auto [what, with] : pairs) replace_all(s, what, with);
}

class WordPiece final : public Decoder {
 public:
  static constexpr std::string_view type = "WordPiece";
  explicit WordPiece(const Node& n) : prefix_(n.text("prefix", "##")), clean_(n.flag("cleanup", true)) {}
  Texts run(Texts tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) tokens[i] = tokens[i].starts_with(prefix_) ? tokens[i].substr(prefix_.size()) : " " + tokens[i];
      if (clean_) clean_up(tokens[i]);
    }
    return tokens;
  }

 private:
  std::string prefix_;
  bool clean_;
};

// Words end with a suffix.
class BpeDecoder final : public Decoder {
 public:
  static constexpr std::string_view type = "BPEDecoder";
  explicit BpeDecoder(const Node& n) : suffix_(n.text("suffix", "</w>")) {
    if (suffix_.empty()) n.fail("the suffix is empty");
  }
  Texts run(Texts tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) replace_all(tokens[i], suffix_, i + 1 < tokens.size() ? " " : "");
    return tokens;
  }

 private:
  std::string suffix_;
};

class Strip final : public Decoder {
 public:
  static constexpr std::string_view type = "Strip";
  explicit Strip(const Node& n)
      : what_(n.character("content", " ")),
        start_(n.has("start") ? n.at("start").integer(0, INT32_MAX) : 0),
        stop_(n.has("stop") ? n.at("stop").integer(0, INT32_MAX) : 0) {}
  Texts run(Texts tokens) const override {
    for (std::string& t : tokens) {
      std::string_view s = t;
      for (int64_t i = 0; i < start_ && s.starts_with(what_); ++i) s.remove_prefix(what_.size());
      for (int64_t i = 0; i < stop_ && s.ends_with(what_); ++i) s.remove_suffix(what_.size());
      t = std::string(s);
    }
    return tokens;
  }

 private:
  std::string what_;
  int64_t start_, stop_;
};

class Replace final : public Decoder {
 public:
  static constexpr std::string_view type = "Replace";
  explicit Replace(const Node& n) : pattern_(n.at("pattern").pattern()), with_(n.at("content").text()) {}
  Texts run(Texts tokens) const override {
    size_t bytes = 0;
    for (std::string& t : tokens) {
      std::string out;
      for (const Match& m : pattern_->find(t)) {
        out += m.is_match ? with_ : t.substr(m.at.begin, m.at.end - m.at.begin);
        if (bytes + out.size() > most) throw Error("the tokenizer makes a text of more than {} bytes of tokens", most);
      }
      bytes += out.size();
      t = out;
    }
    return tokens;
  }

 private:
  static constexpr size_t most = size_t(1) << 28;
  PatternPtr pattern_;
  std::string with_;
};

class Ctc final : public Decoder {
 public:
  static constexpr std::string_view type = "CTC";
  explicit Ctc(const Node& n)
      : pad_(n.text("pad_token", "<pad>")),
        gap_(n.text("word_delimiter_token", "|")),
        clean_(n.flag("cleanup", true)) {}
  Texts run(Texts tokens) const override {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (std::string& t : tokens) {
      if (!pad_.empty()) replace_all(t, pad_, "");
      if (!clean_) continue;
      clean_up(t);
      if (!gap_.empty()) replace_all(t, gap_, " ");
    }
    std::erase(tokens, "");
    return tokens;
  }

 private:
  std::string pad_, gap_;
  bool clean_;
};

}  // namespace

Decoder::~Decoder() = default;

std::unique_ptr<Decoder> make_decoder(const Node& node) {
  return make_part<Decoder, Sequence, ByteLevel, ByteFallback, Fuse, MetaspaceDecoder, WordPiece, BpeDecoder, Strip,
                   Replace, Ctc>(node);
}

}  // namespace luth::text
