#include "core/data/text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/visible.h"
#include "core/data/sample_random.h"

namespace luth::data {

// ---- tokens -----------------------------------------------------------------------------------------------------

template <class T>
void TokenList::take(std::vector<T>& to, const text::NextText& next) {
  text::Ids ids;
  int64_t bytes = 0;
  while (const auto part = next()) {
    ids.clear();
    try {
      tokenizer_->append_ids(*part, ids);
    } catch (const Error& e) { throw Error(e.code(), "the text from byte {} on: {}", bytes + 1, e.what()); }
    to.insert(to.end(), ids.begin(), ids.end());
    bytes += int64_t(part->size());
  }
  to.shrink_to_fit();
}

TokenList::TokenList(text::TokenizerRef tokenizer, const text::NextText& next) : tokenizer_(std::move(tokenizer)) {
  const size_t n = tokenizer_->end();
  if (n <= 1 << 8)
    take(tokens_.emplace<std::vector<uint8_t>>(), next);
  else if (n <= 1 << 16)
    take(tokens_.emplace<std::vector<uint16_t>>(), next);
  else
    take(tokens_.emplace<std::vector<uint32_t>>(), next);
}
TokenList::TokenList(text::TokenizerRef tokenizer, Ref<text::TextFile> file)
    : tokenizer_(std::move(tokenizer)), tokens_(std::move(file)) {}

int64_t TokenList::size() const {
  if (auto* file = std::get_if<Ref<text::TextFile>>(&tokens_)) return (*file)->size();
  return std::visit(
      [](auto& list) -> int64_t {
        if constexpr (requires { list.data(); }) return int64_t(list.size());
        return 0;
      },
      tokens_);
}

void TokenList::copy(int64_t from, int64_t n, int64_t base, int64_t* to) const {
  const auto add = [&](auto* p) {
    for (int64_t i = 0; i < n; ++i) to[i] = int64_t(p[i]) + base;
  };
  if (auto* file = std::get_if<Ref<text::TextFile>>(&tokens_)) {
    const std::string bytes = (*file)->read(from, n);
    return add(reinterpret_cast<const uint8_t*>(bytes.data()));
  }
  std::visit(
      [&](auto& list) {
        if constexpr (requires { list.data(); }) add(list.data() + from);
      },
      tokens_);
}

// ---- stretches of text ------------------------------------------------------------------------------------------

TextDataset::TextDataset(Ref<TokenList> tokens, TextSpec spec, int64_t first, int64_t end)
    : tokens_(std::move(tokens)), spec_(spec), first_(first), end_(end) {
  if (spec_.context < 1) throw Error("TextDataset: context is at least 1 token, got {}", spec_.context);
  if (spec_.stride < 0) throw Error("TextDataset: stride is at least 1 token, got {}", spec_.stride);
  if (spec_.stride == 0) spec_.stride = spec_.context;
  if (end_ - first_ <= spec_.context)
    throw Error("TextDataset: there are {} tokens; a sample of {} and the one behind it need more", end_ - first_,
                spec_.context);
  size_ = (end_ - first_ - spec_.context - 1) / spec_.stride + 1;
}

Tensors TextDataset::batch(std::span<const int64_t> indices, const Epoch& epoch) {
  const int64_t n = int64_t(indices.size()), context = spec_.context;
  Tensor x = Tensor::empty({n, context}, Dtype::i64, host()), y = Tensor::empty({n, context}, Dtype::i64, host());
  std::vector<int64_t> row(static_cast<size_t>(context) + 1);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = indices[size_t(k)];
    int64_t begin = first_ + i * spec_.stride;
    if (spec_.random_start)
      begin += Random(epoch.seed, epoch.number, i).integer(0, std::min(spec_.stride, end_ - context - begin));
    tokens_->copy(begin, context + 1, base, row.data());
    std::copy_n(row.begin(), context, x.data<int64_t>() + k * context);
    std::copy_n(row.begin() + 1, context, y.data<int64_t>() + k * context);
  }
  return {x, y};
}

Sample TextDataset::get(int64_t i, const Epoch& epoch) {
  Sample sample;
  for (const Tensor& t : batch({&i, 1}, epoch))
    sample.push_back(Tensor::alias(t.storage(), {spec_.context}, {1}, t.offset(), t.dtype()));
  return sample;
}

DatasetRef TextDataset::part(double from, double to, bool random_start) const {
  if (!(from >= 0 && from < to && to <= 1))
    throw Error("part: expects two shares, 0 <= from < to <= 1, got {} and {}", from, to);
  const auto at = [&](double share) { return first_ + int64_t(std::floor(share * double(tokens()) + 0.5)); };
  TextSpec spec = spec_;
  spec.random_start = random_start;
  return DatasetRef(new TextDataset(tokens_, spec, at(from), at(to)));
}

// ---- lines ------------------------------------------------------------------------------------------------------

TextLines::TextLines(const std::string& path, text::TokenizerRef tokenizer, TextLinesSpec spec)
    : tokenizer_(std::move(tokenizer)), file_(make<text::TextFile>(path)), spec_(std::move(spec)) {
  if (spec_.separator.empty()) throw Error("TextLines: the separator is empty");
  if (!spec_.label.empty() && spec_.label != "first" && spec_.label != "last")
    throw Error("TextLines: label is 'first' or 'last', got '{}'", foreign(spec_.label));
  std::vector<std::string> labels;
  int64_t number = 0;
  for (int64_t at = 0; at < file_->size();) {
    const std::string part = file_->lines(at, 1 << 20);
    for (size_t begin = 0; begin < part.size();) {
      const size_t end = std::min(part.size(), part.find('\n', begin));
      std::string_view line = std::string_view(part).substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number;
      if (!line.empty()) add_line(line, at + int64_t(begin), number, labels);
      begin = end + 1;
    }
    at += int64_t(part.size());
  }
  if (lines_.empty()) throw Error("TextLines: '{}' has no lines", path);
  if (!spec_.label.empty()) number_labels(labels, spec_.classes);
}

void TextLines::add_line(std::string_view line, int64_t begin, int64_t number, std::vector<std::string>& labels) {
  size_t from = 0, n = line.size();
  if (!spec_.label.empty()) {
    const bool first = spec_.label == "first";
    const size_t gap = first ? line.find(spec_.separator) : line.rfind(spec_.separator);
    if (gap == line.npos)
      throw Error("line {} of '{}' has no label: there is no '{}' in it", number, file_->path(),
                  foreign(spec_.separator));
    const size_t behind = gap + spec_.separator.size();
    labels.emplace_back(first ? line.substr(0, gap) : line.substr(behind));
    from = first ? behind : 0;
    n = first ? line.size() - behind : gap;
  }
  lines_.push_back({begin + int64_t(from), uint32_t(n), 0, number});
}

void TextLines::number_labels(const std::vector<std::string>& labels, std::vector<std::string> classes) {
  if (classes.empty()) {
    classes = labels;
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  }
  std::unordered_map<std::string_view, int32_t> numbers;
  for (size_t i = 0; i < classes.size(); ++i) numbers.emplace(classes[i], int32_t(i));
  std::vector<int32_t> of_lines;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto it = numbers.find(labels[i]);
    if (it == numbers.end())
      throw Error("line {} of '{}' has the label '{}', which is no class", lines_[i].number, file_->path(),
                  foreign(labels[i], 40));
    of_lines.push_back(it->second);
  }
  for (size_t i = 0; i < labels.size(); ++i) lines_[i].label = of_lines[i];
  spec_.classes = classes;
  fit_.targets = {{.name = "label", .is_category = true, .categories = std::move(classes)}};
}

void TextLines::set_fit(Fit fit) {
  if (spec_.label.empty()) return Dataset::set_fit(std::move(fit));
  if (fit.targets.size() != 1 || !fit.features.empty())
    throw Error("what was learned is of another kind of data than lines with labels");
  std::vector<std::string> labels;
  for (const Line& line : lines_) labels.push_back(spec_.classes[size_t(line.label)]);
  number_labels(labels, std::move(fit.targets[0].categories));
}

std::string TextLines::text(int64_t i) const {
  const Line& line = lines_[size_t(i)];
  std::string s = file_->read(line.begin, line.bytes);
  return spec_.replaced ? text::replaced_utf8(s) : s;
}

Sample TextLines::get(int64_t i, const Epoch&) {
  const Line& line = lines_[size_t(i)];
  text::Encoding e;
  try {
    e = tokenizer_->encode(text(i), nullptr, spec_.add_special_tokens);
  } catch (const Error& error) {
    throw Error(error.code(), "line {} of '{}': {}", line.number, file_->path(), error.what());
  }
  Sample sample;
  sample.push_back(tensor_of(e.ids, base));
  if (!spec_.label.empty()) sample.push_back(Scalar(int64_t(line.label) + base));
  return sample;
}

}  // namespace luth::data
