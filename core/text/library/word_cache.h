// Tokens of pieces that were there before: most words of a text come back.
#pragma once
#include <array>
#include <functional>

#include "core/base/per_thread.h"
#include "core/text/library/models.h"

namespace luth::text {

class WordCache {
 public:
  /// The calling thread's cache of the tokenizer with that number. A thread keeps those of the last two.
  static WordCache& of_thread(uint64_t owner) {
    static constinit thread_local PerThread<std::array<WordCache, 2>> of_both;
    static constinit thread_local size_t last = 0;
    auto& caches = *of_both;
    if (caches[last].owner_ == owner) return caches[last];
    last = 1 - last;
    if (caches[last].owner_ != owner) caches[last].reset();
    caches[last].owner_ = owner;
    return caches[last];
  }
  /// The tokens of the piece: what `make` appends where it is new. Valid until the next call.
  template <class Make>
  std::span<const Token> find(std::string_view piece, Make&& make) {
    if (piece.size() > longest) {
      scratch_.clear();
      make(piece, scratch_);
      return scratch_;
    }
    if (slots_.empty() || keys_.size() > most || tokens_.size() > most || used_ > places / 2) reset();
    Slot* s = &slots_[0];
    for (size_t i = std::hash<std::string_view>{}(piece);; ++i) {
      s = &slots_[i & (places - 1)];
      if (s->key_size == 0 || std::string_view(keys_).substr(s->key, s->key_size) == piece) break;
    }
    if (s->key_size == 0) {
      scratch_.clear();
      make(piece, scratch_);
      *s = {uint32_t(keys_.size()), uint32_t(piece.size()), uint32_t(tokens_.size()), uint32_t(scratch_.size())};
      keys_ += piece;
      tokens_.insert(tokens_.end(), scratch_.begin(), scratch_.end());
      ++used_;
    }
    return {tokens_.data() + s->tokens, s->count};
  }

 private:
  struct Slot {
    uint32_t key, key_size, tokens, count;
  };
  static constexpr size_t places = 1 << 16, longest = 64, most = 1 << 22;
  void reset() {
    slots_.assign(places, Slot{0, 0, 0, 0});
    keys_.clear();
    tokens_.clear();
    used_ = 0;
  }
  std::vector<Slot> slots_;
  std::string keys_;
  std::vector<Token> tokens_, scratch_;
  size_t used_ = 0;
  uint64_t owner_ = 0;
};

}  // namespace luth::text
