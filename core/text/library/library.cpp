// What the library gives to the core when it is opened.
#include "core/base/visible.h"
#include "core/text/library/trainer.h"

namespace luth::text {
namespace {

class Library final : public TextLibrary {
 public:
  TokenizerRef from_json(std::string_view json, const std::string& name) const override {
    try {
      return make<Pipeline>(parse_json(json));
    } catch (const Error& e) {
      throw Error(e.code(), "cannot read the tokenizer '{}': {}", foreign(name, 200), e.what());
    }
  }
  TokenizerRef trained(const Tokenizer& like, const Training& how, const NextText& next) const override {
    const auto& pipeline = dynamic_cast<const Pipeline&>(like);
    if (how.vocab_size < 1) throw Error("train: vocab_size is at least 1, got {}", how.vocab_size);
    Json tree = pipeline.tree(false);
    const Counts counts = count_pieces(pipeline, next);
    if (pipeline.model() == "BPE")
      tree["model"] = train_bpe(tree["model"], how, counts);
    else if (pipeline.model() == "WordLevel")
      tree["model"] = train_word_level(tree["model"], how, counts);
    else
      throw Error("train: luth trains BPE and WordLevel, not {}", pipeline.model());
    TokenizerRef made = make<Pipeline>(std::move(tree));
    made->add(special_tokens(how.special_tokens));
    return made;
  }
};

const Library library;
[[maybe_unused]] const bool added = (add_text_library(&library), true);

}  // namespace
}  // namespace luth::text
