#include "core/text/library/models.h"

#include <algorithm>
#include <functional>

#include "core/base/visible.h"

namespace luth::text {
namespace {

// Pieces are tokens, or unknown.
class WordLevel final : public Model {
 public:
  explicit WordLevel(const Node& n)
      : words_(read_vocabulary(n.at("vocab"))),
        unknown_text_(n.text("unk_token", "<unk>")),
        unknown_(words_.find(unknown_text_)) {}
  void run(std::string_view piece, std::vector<Token>& out) const override {
    const auto id = words_.find(piece);
    if (!id && !unknown_)
      throw Error("'{}' is no token, and the vocabulary has no '{}' for such", foreign(piece, 40), unknown_text_);
    out.push_back({id ? *id : *unknown_, 0, uint32_t(piece.size())});
  }
  const Vocabulary& vocabulary() const override { return words_; }
  void write(Json& json) const override { json["vocab"] = words_.to_json(); }
  bool is_slow() const override { return false; }

 private:
  Vocabulary words_;
  std::string unknown_text_;
  std::optional<uint32_t> unknown_;
};

// The longest token that a piece begins with, then the longest that goes on with the prefix, and so on.
class WordPiece final : public Model {
 public:
  explicit WordPiece(const Node& n)
      : words_(read_vocabulary(n.at("vocab"))),
        prefix_(n.text("continuing_subword_prefix", "##")),
        most_(n.has("max_input_chars_per_word") ? n.at("max_input_chars_per_word").integer(0, INT32_MAX) : 100) {
    const std::string unknown = n.text("unk_token", "[UNK]");
    const auto id = words_.find(unknown);
    if (!id) n.fail("the vocabulary has no '" + foreign(unknown) + "', which stands for unknown words");
    unknown_ = *id;
    for (uint32_t i = 0; i < words_.end(); ++i)
      if (const std::string* s = words_.text_of(i)) lengths_.push_back(s->size());
    std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  }
  void run(std::string_view piece, std::vector<Token>& out) const override {
    const size_t before = out.size();
    if (int64_t(count_chars(piece)) <= most_ && fits(piece, out)) return;
    out.resize(before);
    out.push_back({unknown_, 0, uint32_t(piece.size())});
  }
  const Vocabulary& vocabulary() const override { return words_; }
  void write(Json& json) const override { json["vocab"] = words_.to_json(); }

 private:
  bool fits(std::string_view piece, std::vector<Token>& out) const {
    std::string text;
    for (size_t begin = 0; begin < piece.size();) {
      text = begin ? prefix_ : "";
      const size_t head = text.size();
      text += piece.substr(begin, lengths_[0]);
      size_t end = begin;
      for (size_t length : lengths_) {
        if (length <= head) return false;
        if (length > text.size()) continue;
        const auto id = words_.find(std::string_view(text).substr(0, length));
        if (!id) continue;
        end = begin + length - head;
        out.push_back({*id, uint32_t(begin), uint32_t(end)});
        break;
      }
      if (end == begin) return false;
      begin = end;
    }
    return true;
  }
  Vocabulary words_;
  std::string prefix_;
  int64_t most_;
  uint32_t unknown_ = 0;
  std::vector<size_t> lengths_;  // bytes of tokens, each once, the longest first
};

template <class T>
std::unique_ptr<Model> make_one(const Node& n) {
  return std::make_unique<T>(n);
}

}  // namespace

Model::~Model() = default;

void check_tokens(size_t tokens, size_t bytes) {
  if (tokens > 64 * bytes + (1 << 16))
    throw Error("the tokenizer makes more than {} tokens of {} bytes, as no good one does", tokens - 1, bytes);
}

void Vocabulary::add(const Node& place, std::string text, uint64_t id, bool again) {
  if (id > 4 * uint64_t(ids_.size()) + (1 << 20))
    place.fail(fmt::format("the number {} of '{}' leaves most places of the vocabulary empty", id, foreign(text, 40)));
  if (id >= texts_.size()) texts_.resize(size_t(id) + 1), is_there_.resize(size_t(id) + 1);
  if (is_there_[size_t(id)])
    place.fail(fmt::format("'{}' and '{}' have the number {}", foreign(texts_[size_t(id)], 40), foreign(text, 40), id));
  const auto [it, fresh] = ids_.emplace(text, uint32_t(id));
  if (!fresh && again)
    it->second = uint32_t(id);
  else if (!fresh)
    place.fail("'" + foreign(text, 40) + "' is there twice");
  is_there_[size_t(id)] = true;
  texts_[size_t(id)] = std::move(text);
}
std::optional<uint32_t> Vocabulary::find(std::string_view text) const {
  const auto it = ids_.find(text);
  if (it == ids_.end()) return {};
  return it->second;
}
Json Vocabulary::to_json() const {
  Json all = Json::object();
  auto& entries = all.get_ref<Json::object_t&>();
  for (size_t i = 0; i < texts_.size(); ++i)
    if (is_there_[i]) entries.Container::emplace_back(texts_[i], i);  // its own emplace looks for the name
  return all;
}

Vocabulary read_vocabulary(const Node& node) {
  Vocabulary v;
  node.each_entry(
      [&](const std::string& text, const Node& id) { v.add(node, text, uint64_t(id.integer(0, UINT32_MAX - 1))); });
  return v;
}

std::vector<uint32_t> byte_tokens(const Vocabulary& v) {
  std::vector<uint32_t> ids;
  for (int b = 0; b < 256; ++b) {
    const auto id = v.find(fmt::format("<0x{:02X}>", b));
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

std::string type_of_model(const Node& node) {
  if (node.has("type")) return node.at("type").text();
  if (node.has("merges")) return "BPE";
  if (node.at("vocab").json().is_array()) return "Unigram";
  return node.has("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

std::unique_ptr<Model> make_model(const Node& node) {
  const std::string type = type_of_model(node);
  if (type == "BPE") return make_bpe(node);
  if (type == "Unigram") return make_unigram(node);
  if (type == "WordPiece") return make_one<WordPiece>(node);
  if (type == "WordLevel") return make_one<WordLevel>(node);
  node.missing(type);
}

}  // namespace luth::text
