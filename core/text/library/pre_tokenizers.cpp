#include <algorithm>

#include "core/text/library/byte_level.h"
#include "core/text/library/steps.h"

namespace luth::text {
namespace {

constexpr const char* parts_name = "pretokenizers";
class Sequence final : public Steps<PreTokenizer, parts_name, make_pre_tokenizer> {
 public:
  using Steps::Steps;
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    for (const auto& p : parts_) p->run(text, pieces);
  }
  bool needs_origins() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](auto& p) { return p->needs_origins(); });
  }
};

// Cuts each piece: find(text of the piece) gives matches.
template <class Find>
void cut_all(const Normalized& text, std::vector<Piece>& pieces, Behavior behavior, bool invert, Find&& find) {
  std::vector<Piece> out;
  for (const Piece& p : pieces)
    for (const Piece& q : cut(find(text.view(p)), behavior, invert))
      out.push_back({p.begin + q.begin, p.begin + q.end});
  pieces = std::move(out);
}

Behavior behavior_of(const Node& n, const char* otherwise) {
  if (!n.has("behavior") && otherwise) return Behavior::isolated;
  return n.at("behavior")
      .one_of<Behavior>({{"Removed", Behavior::removed},
                         {"Isolated", Behavior::isolated},
                         {"MergedWithPrevious", Behavior::merged_with_previous},
                         {"MergedWithNext", Behavior::merged_with_next},
                         {"Contiguous", Behavior::contiguous}});
}

class ByteLevel final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "ByteLevel";
  explicit ByteLevel(const Node& n) : prefix_(n.flag("add_prefix_space", true)), words_(n.flag("use_regex", true)) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    if (prefix_ && !pieces.empty())
      pieces = text.rewrite(pieces, [](Normalized& part, bool) {
        if (!part.text().starts_with(' ')) part.prepend(" ");
        return std::vector<Piece>{{0, part.text().size()}};
      });
    if (words_) {
      std::vector<Piece> out;
      for (const Piece& p : pieces) cut_words(text.view(p), p.begin, out);
      pieces = std::move(out);
    }
    text.map_bytes(pieces, byte_characters());
  }

 private:
  bool prefix_, words_;
};

// Words and runs of other characters, without the spaces between them.
class Whitespace final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "Whitespace";
  explicit Whitespace(const Node&) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    std::vector<Piece> out;
    for (const Piece& p : pieces) {
      int last = 0;  // kind of the character before: 0 space, 1 of a word, 2 another
      for (size_t at = p.begin; at < p.end;) {
        const size_t begin = at;
        const char32_t c = next_char(text.text(), at);
        const int kind = is_word(c) ? 1 : is_space(c) ? 0 : 2;
        if (kind != 0 && kind == last)
          out.back().end = at;
        else if (kind != 0)
          out.push_back({begin, at});
        last = kind;
      }
    }
    pieces = std::move(out);
  }
};

bool is_any_punctuation(char32_t c) { return is_ascii_punctuation(c) || is_punctuation(c); }

template <IsChar f, Behavior behavior>
class CutAt : public PreTokenizer {
 public:
  explicit CutAt(const Node&) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    cut_all(text, pieces, behavior, false, [](std::string_view s) { return find_chars(s, f); });
  }
};
struct WhitespaceSplit final : CutAt<is_space, Behavior::removed> {
  static constexpr std::string_view type = "WhitespaceSplit";
  using CutAt::CutAt;
};

class BertPreTokenizer final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "BertPreTokenizer";
  explicit BertPreTokenizer(const Node& n) : spaces_(n), marks_(n) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    spaces_.run(text, pieces);
    marks_.run(text, pieces);
  }

 private:
  WhitespaceSplit spaces_;
  CutAt<is_any_punctuation, Behavior::isolated> marks_;
};

class Punctuation final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "Punctuation";
  explicit Punctuation(const Node& n) : behavior_(behavior_of(n, "Isolated")) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    cut_all(text, pieces, behavior_, false, [](std::string_view s) { return find_chars(s, is_any_punctuation); });
  }

 private:
  Behavior behavior_;
};

class Digits final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "Digits";
  explicit Digits(const Node& n) : alone_(n.flag("individual_digits", false)) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    cut_all(text, pieces, alone_ ? Behavior::isolated : Behavior::contiguous, false,
            [](std::string_view s) { return find_chars(s, is_numeric); });
  }

 private:
  bool alone_;
};

class Metaspace final : public PreTokenizer {
 public:
  static constexpr std::string_view type = "Metaspace";
  explicit Metaspace(const Node& n) : mark_(n), space_(literal_pattern(" ")), marks_(literal_pattern(mark_.mark)) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    pieces = text.rewrite(pieces, [&](Normalized& part, bool first) {
      part.replace(space_->find(part.text()), mark_.mark);
      const bool wanted = mark_.prepend == Prepend::always || (mark_.prepend == Prepend::first && first);
      if (wanted && !part.text().starts_with(mark_.mark)) part.prepend(mark_.mark);
      const Piece all{0, part.text().size()};
      return mark_.split ? cut(marks_->find(part.text()), Behavior::merged_with_next) : std::vector<Piece>{all};
    });
  }
  bool needs_origins() const override { return mark_.prepend == Prepend::first; }

 private:
  MetaspaceMark mark_;
  PatternPtr space_, marks_;
};

class Split : public PreTokenizer {
 public:
  static constexpr std::string_view type = "Split";
  Split(PatternPtr pattern, Behavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}
  explicit Split(const Node& n) : Split(n.at("pattern").pattern(), behavior_of(n, nullptr), n.flag("invert", false)) {}
  void run(Normalized& text, std::vector<Piece>& pieces) const override {
    cut_all(text, pieces, behavior_, invert_, [&](std::string_view s) { return pattern_->find(s); });
  }

 private:
  PatternPtr pattern_;
  Behavior behavior_;
  bool invert_;
};

struct CharDelimiterSplit final : Split {
  static constexpr std::string_view type = "CharDelimiterSplit";
  explicit CharDelimiterSplit(const Node& n)
      : Split(literal_pattern(n.character("delimiter", "")), Behavior::removed, false) {}
};

}  // namespace

PreTokenizer::~PreTokenizer() = default;

MetaspaceMark::MetaspaceMark(const Node& n)
    : mark(n.character("replacement", "▁")), prepend(Prepend::always), split(n.flag("split", true)) {
  if (n.has("prepend_scheme"))
    prepend = n.at("prepend_scheme")
                  .one_of<Prepend>({{"always", Prepend::always}, {"first", Prepend::first}, {"never", Prepend::never}});
  else if (!n.flag("add_prefix_space", true))
    prepend = Prepend::never;
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Node& node) {
  return make_part<PreTokenizer, Sequence, ByteLevel, Whitespace, WhitespaceSplit, BertPreTokenizer, Punctuation,
                   Digits, Metaspace, Split, CharDelimiterSplit>(node);
}

}  // namespace luth::text
