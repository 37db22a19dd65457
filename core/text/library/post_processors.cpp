#include <unordered_map>

#include "core/text/library/byte_level.h"
#include "core/text/library/steps.h"

namespace luth::text {
namespace {

using Texts = std::span<const std::string_view>;

class Sequence final : public PostProcessor {
 public:
  Sequence(const Node& n, const TokenText& text_of) {
    for (const Node& part : n.at("processors").items()) parts_.push_back(make_post_processor(part, text_of));
  }
  size_t added(bool two) const override {
    size_t n = 0;
    for (const auto& p : parts_) n += p->added(two);
    return n;
  }
  std::vector<Encoding> run(std::vector<Encoding> all, Texts texts, bool add_special_tokens) const override {
    for (const auto& p : parts_) all = p->run(std::move(all), texts, add_special_tokens);
    return all;
  }

 private:
  std::vector<std::unique_ptr<PostProcessor>> parts_;
};

// How many characters of the text, from its start or its end, are spaces or stand for one.
size_t spaces(std::string_view s, bool at_end) {
  size_t n = 0;
  for (size_t at = at_end ? s.size() : 0; at_end ? at > 0 : at < s.size(); ++n) {
    size_t begin = at_end ? before(s, at) : at;
    const size_t here = begin;
    const char32_t c = next_char(s, begin);
    if (byte_of(c) != ' ' && !is_space(c)) break;
    at = at_end ? here : begin;
  }
  return n;
}

// Leaves the spaces at both ends of tokens out of their offsets.
class ByteLevel final : public PostProcessor {
 public:
  ByteLevel(const Node& n, const TokenText& text_of)
      : trim_(n.flag("trim_offsets", true)), prefix_(n.flag("add_prefix_space", true)), text_of_(text_of) {}
  size_t added(bool) const override { return 0; }
  std::vector<Encoding> run(std::vector<Encoding> all, Texts texts, bool) const override {
    for (Encoding& e : all)
      for (size_t i = 0; trim_ && e.text >= 0 && i < e.size(); ++i)
        trim(text_of_(e.ids[i]), texts[size_t(e.text)], i == 0, e.offsets[i]);
    return all;
  }

 private:
  // By as many characters of the text as there are spaces in the token.
  void trim(const std::string& token, std::string_view text, bool first, Span& at) const {
    const std::string_view shown = token.empty() ? text.substr(at.begin, at.end - at.begin) : token;
    size_t head = spaces(shown, false), tail = spaces(shown, true), begin = at.begin, end = at.end;
    if ((first || begin == 0) && prefix_ && head == 1) head = 0;  // the one that the pre-tokenizer put there
    for (; head > 0 && begin < end; --head) next_char(text, begin);
    for (; tail > 0 && end > begin; --tail) end = before(text, end);
    at = {uint32_t(begin), uint32_t(end)};
  }
  bool trim_, prefix_;
  TokenText text_of_;
};

/// A part of a template: a text, or special tokens.
struct Part {
  int text = -1;  // which, from 0
  Ids ids;
  uint8_t type_id = 0;
};

class Template final : public PostProcessor {
 public:
  Template(std::vector<Part> one, std::vector<Part> two) : parts_{std::move(one), std::move(two)} {}
  explicit Template(const Node& n) {
    std::unordered_map<std::string, Ids> tokens;
    if (n.has("special_tokens"))
      n.at("special_tokens").each_entry([&](const std::string& name, const Node& token) {
        for (const Node& id : token.at("ids").items()) tokens[name].push_back(uint32_t(id.integer(0, UINT32_MAX - 1)));
      });
    const char* names[] = {"single", "pair"};
    for (size_t k : {0, 1}) {
      size_t special = 0, texts = 0;
      for (const Node& part : n.has(names[k]) ? n.at(names[k]).items() : std::vector<Node>()) {
        const Part& p = parts_[k].emplace_back(read(part, tokens));
        special += p.ids.size(), texts += p.text >= 0;
        if (special > most_special || texts > most_texts)
          part.fail(fmt::format("luth takes {} special tokens and {} texts", most_special, most_texts));
      }
    }
  }
  size_t added(bool two) const override {
    size_t n = 0;
    for (const Part& p : parts_[two]) n += p.ids.size();
    return n;
  }
  std::vector<Encoding> run(std::vector<Encoding> all, Texts texts, bool add_special_tokens) const override {
    std::vector<Encoding> out;
    for (const Part& p : parts_[texts.size() > 1]) {
      if (p.text >= int(all.size())) continue;
      if (p.text < 0 && !add_special_tokens) continue;
      out.push_back(p.text < 0 ? special(p.ids) : all[size_t(p.text)]);
      out.back().type_ids.assign(out.back().size(), p.type_id);
    }
    return out;
  }

 private:
  static Encoding special(const Ids& ids) {
    Encoding e;
    const size_t n = ids.size();
    e.ids = ids;
    e.offsets.assign(n, {});
    e.words.assign(n, -1);
    e.special.assign(n, 1);
    e.attention.assign(n, 1);
    return e;
  }
  static Part read(const Node& n, const std::unordered_map<std::string, Ids>& tokens) {
    Part p;
    const bool is_text = n.has("Sequence");
    const Node inside = n.at(is_text ? "Sequence" : "SpecialToken");
    if (inside.has("type_id")) p.type_id = uint8_t(inside.at("type_id").integer(0, 255));
    if (is_text) {
      p.text = inside.at("id").one_of<int>({{"A", 0}, {"B", 1}});
      return p;
    }
    const auto it = tokens.find(inside.at("id").text());
    if (it == tokens.end()) inside.at("id").fail("it is none of the special_tokens");
    p.ids = it->second;
    return p;
  }
  static constexpr size_t most_special = 1 << 16, most_texts = 16;
  std::vector<Part> parts_[2];
};

// ["[SEP]", 102]
Ids token(const Node& n) {
  const auto both = n.items();
  if (both.size() != 2) n.fail("a special token is a text and its number");
  return {uint32_t(both[1].integer(0, UINT32_MAX - 1))};
}

// cls A sep, and behind it, with another sep between them where `twice` is true, B sep of type `second`.
std::unique_ptr<Template> around(const Node& n, bool twice, uint8_t second) {
  const Ids cls = token(n.at("cls")), sep = token(n.at("sep"));
  const std::vector<Part> one{{-1, cls, 0}, {0, {}, 0}, {-1, sep, 0}};
  std::vector<Part> two = one;
  if (twice) two.push_back(one.back());
  two.insert(two.end(), {{1, {}, second}, {-1, sep, second}});
  return std::make_unique<Template>(one, std::move(two));
}

class Roberta final : public PostProcessor {
 public:
  Roberta(const Node& n, const TokenText& text_of) : trim_(n, text_of), around_(around(n, true, 0)) {}
  size_t added(bool two) const override { return around_->added(two); }
  std::vector<Encoding> run(std::vector<Encoding> all, Texts texts, bool add_special_tokens) const override {
    return around_->run(trim_.run(std::move(all), texts, add_special_tokens), texts, add_special_tokens);
  }

 private:
  ByteLevel trim_;
  std::unique_ptr<Template> around_;
};

}  // namespace

PostProcessor::~PostProcessor() = default;

std::unique_ptr<PostProcessor> make_post_processor(const Node& node, const TokenText& text_of) {
  const std::string type = node.at("type").text();
  if (type == "Sequence") return std::make_unique<Sequence>(node, text_of);
  if (type == "ByteLevel") return std::make_unique<ByteLevel>(node, text_of);
  if (type == "TemplateProcessing") return std::make_unique<Template>(node);
  if (type == "BertProcessing") return around(node, false, 1);
  if (type == "RobertaProcessing") return std::make_unique<Roberta>(node, text_of);
  node.missing(type);
}

}  // namespace luth::text
