// Tokens that are found in the text before all others: special ones, and those of users.
#pragma once
#include <map>

#include "core/text/library/models.h"
#include "core/text/library/steps.h"

namespace luth::text {

class AddedTokens {
 public:
  /// A piece of a text, and the number of the token that it is.
  struct Section {
    Piece at;
    std::optional<uint32_t> id;
  };
  /// Adds the token, with the number that the model has for its text, or the one given, or the next one. False where it
  /// is there already, or empty.
  bool add(AddedToken token, const Vocabulary& v, std::optional<uint32_t> id = {});
  /// What is looked for; call it after the last `add`. `n`: changes tokens as it changes texts, or null.
  void prepare(const Normalizer* n);
  /// The text from start to end. `normalized`: the tokens that are looked for after normalization, else those before.
  std::vector<Section> split(std::string_view text, bool normalized) const;
  const AddedToken* find(std::string_view content) const;
  const AddedToken* find(uint32_t id) const;
  /// The token of that number as texts have it after normalization, if it is looked for there; null for one of the
  /// model.
  const std::string* text_of(uint32_t id) const;
  const std::vector<AddedToken>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

 private:
  struct Wanted {
    std::string text;
    size_t token;    // in all_
    size_t shorter;  // in the same list: the longest other one that it begins with, or none
  };
  static constexpr size_t none = size_t(-1);
  // Those that begin with a byte, in order of their texts.
  using ByByte = std::array<std::vector<Wanted>, 256>;
  static void put_in_order(std::vector<Wanted>& list);
  const Wanted* at(const ByByte& wanted, std::string_view text, size_t at) const;

  std::vector<AddedToken> all_;
  std::vector<std::string> texts_;  // of each, as it is looked for
  std::map<std::string, size_t, std::less<>> by_content_;
  std::map<uint32_t, size_t> by_id_;
  ByByte wanted_[2];
  bool any_[2] = {false, false};
};

}  // namespace luth::text
