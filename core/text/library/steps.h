// The parts of a tokenizer beside its model, each made of a value of `tokenizer.json`.
#pragma once
#include <memory>

#include "core/text/library/config.h"
#include "core/text/library/normalized.h"

namespace luth::text {

/// Changes a text before it is cut.
class Normalizer {
 public:
  virtual ~Normalizer();
  virtual void run(Normalized& text) const = 0;
};
/// Cuts pieces of a text into smaller ones, and may change them.
class PreTokenizer {
 public:
  virtual ~PreTokenizer();
  virtual void run(Normalized& text, std::vector<Piece>& pieces) const = 0;
  /// Whether it asks where in the original a piece is.
  virtual bool needs_origins() const { return false; }
};
/// Puts special tokens around the tokens of one or two texts.
class PostProcessor {
 public:
  virtual ~PostProcessor();
  /// How many tokens are added to one text, or to two.
  virtual size_t added(bool two) const = 0;
  /// `all`: one encoding or two, of these texts.
  virtual std::vector<Encoding> run(std::vector<Encoding> all, std::span<const std::string_view> texts,
                                    bool add_special_tokens) const = 0;
};
/// Makes text of tokens.
class Decoder {
 public:
  virtual ~Decoder();
  virtual std::vector<std::string> run(std::vector<std::string> tokens) const = 0;
};
/// The text of the token of a number; "" for added tokens.
using TokenText = std::function<std::string(uint32_t)>;

std::unique_ptr<Normalizer> make_normalizer(const Node& node);
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Node& node);
std::unique_ptr<PostProcessor> make_post_processor(const Node& node, const TokenText& text_of);
std::unique_ptr<Decoder> make_decoder(const Node& node);

/// The part of `Kinds` whose `type` is the node's "type".
template <class Part, class... Kinds>
std::unique_ptr<Part> make_part(const Node& node) {
  const std::string type = node.at("type").text();
  std::unique_ptr<Part> part;
  ((type == Kinds::type && (part = std::make_unique<Kinds>(node), true)) || ...);
  if (!part) node.missing(type);
  return part;
}
/// Parts that run one after the other: those in the list `name` of the node.
template <class Part, const char* const& name, std::unique_ptr<Part> (*make)(const Node&)>
class Steps : public Part {
 public:
  static constexpr std::string_view type = "Sequence";
  explicit Steps(const Node& node) {
    for (const Node& n : node.at(name).items()) parts_.push_back(make(n));
  }

 protected:
  std::vector<std::unique_ptr<Part>> parts_;
};

/// The character that stands for each byte in byte-level tokens, and back: -1 for one that stands for none.
const std::array<std::string, 256>& byte_characters();
int byte_of(char32_t c);

/// How a place is marked where words begin, and when the first word gets a mark.
enum class Prepend { always, first, never };
struct MetaspaceMark {
  explicit MetaspaceMark(const Node& node);
  std::string mark;
  Prepend prepend;
  bool split;
};

}  // namespace luth::text
