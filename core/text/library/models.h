// Models: pieces of text to tokens.
#pragma once
#include <memory>
#include <unordered_map>

#include "core/text/library/config.h"

namespace luth::text {

/// A token and the bytes of its piece.
struct Token {
  uint32_t id;
  uint32_t begin, end;
};

/// Throws for more tokens than a good file makes of a text of so many bytes.
void check_tokens(size_t tokens, size_t bytes);

/// Texts and their numbers.
class Vocabulary {
 public:
  /// Throws for numbers that leave most places empty, and where two texts have one number. A text that is there twice
  /// has the last of its numbers where `again` is true, else it is an error.
  void add(const Node& place, std::string text, uint64_t id, bool again = false);
  std::optional<uint32_t> find(std::string_view text) const;
  /// Null for a number that names no token.
  const std::string* text_of(uint32_t id) const { return id < texts_.size() && is_there_[id] ? &texts_[id] : nullptr; }
  size_t size() const { return ids_.size(); }
  size_t end() const { return texts_.size(); }
  /// The tokens in order of their numbers.
  Json to_json() const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> texts_;
  std::vector<bool> is_there_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> ids_;
};
Vocabulary read_vocabulary(const Node& node);

class Model {
 public:
  virtual ~Model();
  virtual void run(std::string_view piece, std::vector<Token>& out) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// Adds what is not kept in the tree that it was made of.
  virtual void write(Json& json) const = 0;
  /// Whether equal pieces are worth remembering.
  virtual bool is_slow() const { return true; }
};
/// Of the value "model". Throws for what luth does not have, and where parts do not fit each other.
std::unique_ptr<Model> make_model(const Node& node);
/// Its "type"; older files have none, and are told by what they hold.
std::string type_of_model(const Node& node);

// Of one kind each: bpe.cpp, unigram.cpp.
std::unique_ptr<Model> make_bpe(const Node& node);
std::unique_ptr<Model> make_unigram(const Node& node);

/// The tokens "<0x00>" to "<0xFF>" of a vocabulary; empty where one is missing.
std::vector<uint32_t> byte_tokens(const Vocabulary& v);

}  // namespace luth::text
