// A tokenizer as `tokenizer.json` describes it: normalizer, pre-tokenizer, model, post-processor, decoder, added
// tokens.
#pragma once
#include "core/text/library/added_tokens.h"
#include "core/text/library/word_cache.h"

namespace luth::text {

class Pipeline final : public Tokenizer {
 public:
  explicit Pipeline(Json tree);
  std::string model() const override { return type_; }
  Encoding encode(std::string_view text, const std::string_view* second, bool add_special_tokens) const override;
  void append_ids(std::string_view text, Ids& out) const override;
  std::string decode(std::span<const uint32_t> ids, bool skip_special_tokens) const override;
  std::optional<uint32_t> id_of(std::string_view token) const override;
  std::optional<std::string> token_of(uint32_t id) const override;
  size_t size() const override;
  size_t end() const override;
  size_t add(std::vector<AddedToken> tokens) override;
  const std::vector<AddedToken>& added() const override { return added_.all(); }
  std::string to_json(bool pretty) const override { return json_text(tree(true), pretty); }

  /// The tree; without the tokens of the model where `whole` is false.
  Json tree(bool whole) const;
  /// Calls f(piece) for each piece that the model would get; not for added tokens.
  void each_piece(std::string_view text, const std::function<void(std::string_view)>& f) const;

 private:
  // The pieces of a text between added tokens.
  template <class Section, class Pieces>
  void each_section(std::string_view text, bool tracked, Section&& token, Pieces&& pieces) const;
  Encoding encode_one(std::string_view text, uint8_t type_id) const;
  std::span<const Token> tokens_of(std::string_view piece, WordCache& cache) const;

  Json tree_;
  std::string type_;
  std::unique_ptr<Normalizer> normalizer_;
  std::unique_ptr<PreTokenizer> pre_tokenizer_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<PostProcessor> post_processor_;
  std::unique_ptr<Decoder> decoder_;
  AddedTokens added_;
  const uint64_t number_;  // from 1, of this process
};

}  // namespace luth::text
