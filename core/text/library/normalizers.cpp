#include "core/text/library/steps.h"

namespace luth::text {
namespace {

constexpr const char* parts_name = "normalizers";
class Sequence final : public Steps<Normalizer, parts_name, make_normalizer> {
 public:
  using Steps::Steps;
  void run(Normalized& text) const override {
    for (const auto& p : parts_) p->run(text);
  }
};

void to_form(Normalized& text, Form form) {
  if (!is_ascii(text.text())) text.change(normal_form(text.text(), form));
}
template <Form form>
class InForm final : public Normalizer {
 public:
  static constexpr std::string_view type = form == Form::nfc    ? "NFC"
                                           : form == Form::nfd  ? "NFD"
                                           : form == Form::nfkc ? "NFKC"
                                                                : "NFKD";
  explicit InForm(const Node&) {}
  void run(Normalized& text) const override { to_form(text, form); }
};

char lower_ascii(char c) { return char(c >= 'A' && c <= 'Z' ? c + 32 : c); }
void to_lower(Normalized& text) {
  if (is_ascii(text.text())) return text.map_ascii(lower_ascii);
  std::vector<Change> to;
  for (size_t at = 0; at < text.text().size();) {
    int32_t by = 0;
    for (char32_t c : lower_case(next_char(text.text(), at))) to.push_back({c, by}), by = 1;
  }
  text.change(to);
}
class Lowercase final : public Normalizer {
 public:
  static constexpr std::string_view type = "Lowercase";
  explicit Lowercase(const Node&) {}
  void run(Normalized& text) const override { to_lower(text); }
};

bool is_no_accent(char32_t c) { return !is_accent(c); }
class StripAccents final : public Normalizer {
 public:
  static constexpr std::string_view type = "StripAccents";
  explicit StripAccents(const Node&) {}
  void run(Normalized& text) const override {
    if (!is_ascii(text.text())) text.filter([](char32_t c) { return !is_mark(c); });
  }
};

bool is_control(char32_t c) { return c != '\t' && c != '\n' && c != '\r' && is_other(c); }
bool is_blank(char32_t c) { return c == '\t' || c == '\n' || c == '\r' || is_space(c); }
bool is_chinese(char32_t c) {
  return is_in(c, {{0x4e00, 0x9fff},
                   {0x3400, 0x4dbf},
                   {0x20000, 0x2a6df},
                   {0x2a700, 0x2b73f},
                   {0x2b740, 0x2b81f},
                   {0x2b920, 0x2ceaf},
                   {0xf900, 0xfaff},
                   {0x2f800, 0x2fa1f}});
}

class BertNormalizer final : public Normalizer {
 public:
  static constexpr std::string_view type = "BertNormalizer";
  explicit BertNormalizer(const Node& n)
      : clean_(n.flag("clean_text", true)),
        chinese_(n.flag("handle_chinese_chars", true)),
        lower_(n.flag("lowercase", true)),
        strip_(n.flag("strip_accents", lower_)) {}
  void run(Normalized& text) const override {
    if (clean_) clean(text);
    if (chinese_ && !is_ascii(text.text())) apart(text);
    if (strip_ && !is_ascii(text.text())) {
      to_form(text, Form::nfd);
      text.filter(is_no_accent);
    }
    if (lower_) to_lower(text);
  }

 private:
  static void clean(Normalized& text) {
    bool any = false;
    for (size_t at = 0; at < text.text().size() && !any;) {
      const char32_t c = next_char(text.text(), at);
      any = c == 0 || c == 0xfffd || is_control(c);
    }
    if (any) text.filter([](char32_t c) { return c != 0 && c != 0xfffd && !is_control(c); });
    if (is_ascii(text.text())) return text.map_ascii([](char c) { return is_blank(char32_t(c)) ? ' ' : c; });
    std::vector<Change> to;
    for (size_t at = 0; at < text.text().size();) {
      const char32_t c = next_char(text.text(), at);
      to.push_back({is_blank(c) ? U' ' : c, 0});
    }
    text.change(to);
  }
  // Spaces around characters that are words.
  static void apart(Normalized& text) {
    std::vector<Change> to;
    for (size_t at = 0; at < text.text().size();) {
      const char32_t c = next_char(text.text(), at);
      if (is_chinese(c))
        to.insert(to.end(), {{' ', 0}, {c, 1}, {' ', 1}});
      else
        to.push_back({c, 0});
    }
    text.change(to);
  }
  bool clean_, chinese_, lower_, strip_;
};

class Strip final : public Normalizer {
 public:
  static constexpr std::string_view type = "Strip";
  explicit Strip(const Node& n) : left_(n.flag("strip_left", true)), right_(n.flag("strip_right", true)) {}
  void run(Normalized& text) const override {
    const std::string& s = text.text();
    Piece p{0, s.size()};
    for (size_t at = 0; left_ && p.begin < p.end && is_space(next_char(s, at));) p.begin = at;
    while (right_ && p.begin < p.end) {
      const size_t begin = before(s, p.end);
      size_t at = begin;
      if (!is_space(next_char(s, at))) break;
      p.end = begin;
    }
    text.keep_only(p);
  }

 private:
  bool left_, right_;
};

class Replace final : public Normalizer {
 public:
  static constexpr std::string_view type = "Replace";
  explicit Replace(const Node& n) : pattern_(n.at("pattern").pattern()), with_(n.at("content").text()) {}
  void run(Normalized& text) const override { text.replace(pattern_->find(text.text()), with_); }

 private:
  PatternPtr pattern_;
  std::string with_;
};

class Prepended final : public Normalizer {
 public:
  static constexpr std::string_view type = "Prepend";
  explicit Prepended(const Node& n) : what_(n.at("prepend").text()) {}
  void run(Normalized& text) const override { text.prepend(what_); }

 private:
  std::string what_;
};

class Bytes final : public Normalizer {
 public:
  static constexpr std::string_view type = "ByteLevel";
  explicit Bytes(const Node&) {}
  void run(Normalized& text) const override {
    std::vector<Piece> all{{0, text.text().size()}};
    text.map_bytes(all, byte_characters());
  }
};

// What SentencePiece's nmt_nfkc does before the normal form.
class Nmt final : public Normalizer {
 public:
  static constexpr std::string_view type = "Nmt";
  explicit Nmt(const Node&) {}
  void run(Normalized& text) const override {
    text.filter([](char32_t c) {
      return !is_in(c, {{1, 8}, {0xb, 0xb}, {0xe, 0x1f}, {0x7f, 0x7f}, {0x8f, 0x8f}, {0x9f, 0x9f}});
    });
    std::vector<Change> to;
    for (size_t at = 0; at < text.text().size();) {
      const char32_t c = next_char(text.text(), at);
      const bool blank = is_in(c, {{9, 0xa},
                                   {0xc, 0xd},
                                   {0x1680, 0x1680},
                                   {0x200b, 0x200f},
                                   {0x2028, 0x2029},
                                   {0x2581, 0x2581},
                                   {0xfeff, 0xfeff},
                                   {0xfffd, 0xfffd}});
      to.push_back({blank ? U' ' : c, 0});
    }
    text.change(to);
  }
};

}  // namespace

Normalizer::~Normalizer() = default;

std::unique_ptr<Normalizer> make_normalizer(const Node& node) {
  return make_part<Normalizer, Sequence, InForm<Form::nfc>, InForm<Form::nfd>, InForm<Form::nfkc>, InForm<Form::nfkd>,
                   Lowercase, StripAccents, BertNormalizer, Strip, Replace, Prepended, Bytes, Nmt>(node);
}

}  // namespace luth::text
