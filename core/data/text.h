// Datasets of text: stretches of tokens for language models, and lines.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/data/dataset.h"
#include "core/text/text_file.h"
#include "core/text/tokenizer.h"

namespace luth::data {

/// The tokens of a text, one after the other. Numbers take one, two or four bytes; those of bytes stay in the file.
class TokenList final : public Counted {
 public:
  /// Of a text that comes in parts. Throws where a part cannot be encoded, and says which.
  TokenList(text::TokenizerRef tokenizer, const text::NextText& next);
  /// The bytes of a file, which is read when they are needed.
  TokenList(text::TokenizerRef tokenizer, Ref<text::TextFile> file);
  int64_t size() const;
  /// Tokens from `from` on, each plus `base`.
  void copy(int64_t from, int64_t n, int64_t base, int64_t* to) const;
  const text::TokenizerRef& tokenizer() const { return tokenizer_; }

 private:
  template <class T>
  void take(std::vector<T>& to, const text::NextText& next);
  text::TokenizerRef tokenizer_;
  std::variant<Ref<text::TextFile>, std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>> tokens_;
};

/// int64[n] of the numbers, each plus `base`.
template <class T>
Tensor tensor_of(const std::vector<T>& list, int64_t base) {
  Tensor t = Tensor::empty({int64_t(list.size())}, Dtype::i64, host());
  for (size_t i = 0; i < list.size(); ++i) t.data<int64_t>()[i] = int64_t(list[i]) + base;
  return t;
}

struct TextSpec {
  int64_t context = 128;      // tokens of a sample
  int64_t stride = 0;         // from one sample to the next; 0: context
  bool random_start = false;  // each sample begins up to `stride` - 1 tokens later, elsewhere in each epoch
};

/// A sample is `context` tokens, and the tokens that follow each of them: two int64[context].
class TextDataset final : public Dataset {
 public:
  /// Of tokens `first` to `end` - 1. Throws where these are too few for a sample.
  TextDataset(Ref<TokenList> tokens, TextSpec spec, int64_t first, int64_t end);
  std::string name() const override { return "TextDataset"; }
  int64_t size() const override { return size_; }
  Sample get(int64_t i, const Epoch& epoch) override;
  Tensors batch(std::span<const int64_t> indices, const Epoch& epoch) override;
  bool makes_batches() const override { return true; }
  int random_levels() const override { return spec_.random_start ? 1 : 0; }
  /// The samples of a part of the tokens, from one share of them to another: 0 and 0.9.
  DatasetRef part(double from, double to, bool random_start) const;
  const TextSpec& spec() const { return spec_; }
  int64_t tokens() const { return end_ - first_; }
  const text::TokenizerRef& tokenizer() const { return tokens_->tokenizer(); }

 private:
  Ref<TokenList> tokens_;
  TextSpec spec_;
  int64_t first_, end_, size_;
};

struct TextLinesSpec {
  std::string label;             // "": none, or "first" or "last" of the fields of a line
  std::string separator = "\t";  // between the label and the text
  bool add_special_tokens = true;
  bool replaced = false;             // what is no UTF-8 becomes U+FFFD
  std::vector<std::string> classes;  // empty: the labels of the file, sorted
};

/// A sample is the tokens of a line, int64[n], and the number of its class where lines have labels. Empty lines are
/// none.
class TextLines final : public Dataset {
 public:
  /// Throws for a file without lines, and for a line without a label, or with one that is no class; the text has its
  /// number.
  TextLines(const std::string& path, text::TokenizerRef tokenizer, TextLinesSpec spec);
  std::string name() const override { return "TextLines"; }
  int64_t size() const override { return int64_t(lines_.size()); }
  Sample get(int64_t i, const Epoch& epoch) override;
  std::string text(int64_t i) const;
  std::vector<std::string> classes() const override { return spec_.classes; }
  const Fit* fit() const override { return spec_.label.empty() ? nullptr : &fit_; }
  void set_fit(Fit fit) override;
  const text::TokenizerRef& tokenizer() const { return tokenizer_; }

 private:
  struct Line {
    int64_t begin;  // of its text, in the file
    uint32_t bytes;
    int32_t label;
    int64_t number;  // from 1
  };
  void add_line(std::string_view line, int64_t begin, int64_t number, std::vector<std::string>& labels);
  // `labels`: of each line. Where it throws, nothing has changed.
  void number_labels(const std::vector<std::string>& labels, std::vector<std::string> classes);
  text::TokenizerRef tokenizer_;
  Ref<text::TextFile> file_;
  TextLinesSpec spec_;
  std::vector<Line> lines_;
  Fit fit_;  // its one target has the classes
};

}  // namespace luth::data
