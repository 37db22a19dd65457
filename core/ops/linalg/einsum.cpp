#include "core/ops/linalg/einsum.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

// A label is its letter; the dims of an ellipsis are `dots + k`, k counted from the right, so that they line up.
using Labels = std::vector<int>;
constexpr int dots = 256;

bool has(const Labels& list, int label) { return std::find(list.begin(), list.end(), label) != list.end(); }
int64_t position_of(const Labels& list, int label) { return std::find(list.begin(), list.end(), label) - list.begin(); }

struct Term {
  Tensor t;
  Labels labels;  // of its dims
  int64_t extent(int label) const { return t.shape()[position_of(labels, label)]; }
};

// The equation as it was written: messages point into it.
class Equation {
 public:
  Equation(const std::string& text, const Inputs& in) : text_(text) {
    size_t arrow = text.find("->");
    std::vector<std::pair<size_t, size_t>> parts = split(std::min(arrow, text.size()));
    if (parts.size() != in.size())
      fail(parts.size() > in.size() ? parts[in.size()].first : parts.back().second,
           fmt::format("the equation has {} operands, and {} tensors were given", parts.size(), in.size()));
    for (size_t i = 0; i < parts.size(); ++i) terms.push_back(operand(parts[i].first, parts[i].second, in[i], i));
    arrow == std::string::npos ? implicit_output() : read_output(arrow + 2);
  }

  std::vector<Term> terms;
  Labels output;

 private:
  [[noreturn]] void fail(size_t at, const std::string& what) const {
    throw Error("{}\n  {}\n  {}^", what, text_, std::string(at, ' '));
  }
  std::vector<std::pair<size_t, size_t>> split(size_t end) const {
    std::vector<std::pair<size_t, size_t>> parts{{0, end}};
    for (size_t i = 0; i < end; ++i)
      if (text_[i] == ',') {
        parts.back().second = i;
        parts.push_back({i + 1, end});
      }
    return parts;
  }
  // Calls letter(label, position) and ellipsis(position) for what stands in [begin, end).
  template <class Letter, class Ellipsis>
  void scan(size_t begin, size_t end, Letter&& letter, Ellipsis&& ellipsis) const {
    bool seen = false;
    for (size_t i = begin; i < end; ++i) {
      char c = text_[i];
      if (c == ' ') continue;
      if (c == '.') {
        if (text_.compare(i, 3, "...") != 0 || i + 3 > end) fail(i, "a '.' is part of '...', which stands for dims");
        if (seen) fail(i, "'...' may stand once in an operand");
        seen = true;
        ellipsis(i);
        i += 2;
      } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        letter(int(c), i);
      } else {
        fail(i, fmt::format("'{}' is no label; labels are letters, a to z and A to Z", c));
      }
    }
  }

  Term operand(size_t begin, size_t end, const Tensor& t, size_t number) {
    int letters = 0;
    bool open = false;
    scan(
        begin, end, [&](int, size_t) { ++letters; }, [&](size_t) { open = true; });
    if (open ? t.dim() < letters : t.dim() != letters)
      fail(begin, fmt::format("operand {} has labels for {}{} dims, and the tensor has shape {}",
                              shown(int64_t(number)), open ? "at least " : "", letters, to_string(t.shape())));
    Term term{t, {}};
    std::vector<size_t> where;
    scan(
        begin, end,
        [&](int label, size_t at) {
          term.labels.push_back(label);
          where.push_back(at);
        },
        [&](size_t at) {
          int n = t.dim() - letters;
          ellipsis_dims_ = std::max(ellipsis_dims_, n);
          for (int k = n; k-- > 0;) {
            term.labels.push_back(dots + k);
            where.push_back(at);
          }
        });
    for (size_t i = 0; i < where.size(); ++i) note(term.labels[i], t.shape()[int64_t(i)], where[i]);
    return term;
  }
  // Extents of one label are equal, or 1, which broadcasts.
  void note(int label, int64_t extent, size_t at) {
    count_[label] += 1;
    int64_t& known = extents_.try_emplace(label, 1).first->second;
    if (known != 1 && extent != 1 && known != extent)
      fail(at, fmt::format("{} is {} here and {} before",
                           label < dots ? fmt::format("label '{}'", char(label)) : std::string("a dim of '...'"),
                           extent, known));
    if (extent != 1) known = extent;
  }

  void implicit_output() {
    for (int k = ellipsis_dims_; k-- > 0;) output.push_back(dots + k);
    for (auto& [label, n] : count_)
      if (label < dots && n == 1) output.push_back(label);
  }
  void read_output(size_t begin) {
    scan(
        begin, text_.size(),
        [&](int label, size_t at) {
          if (has(output, label)) fail(at, fmt::format("label '{}' stands twice in the output", char(label)));
          if (!count_.count(label)) fail(at, fmt::format("label '{}' is in the output and in no operand", char(label)));
          output.push_back(label);
        },
        [&](size_t) {
          for (int k = ellipsis_dims_; k-- > 0;) output.push_back(dots + k);
        });
  }

  const std::string& text_;
  std::map<int, int> count_;
  std::map<int, int64_t> extents_;
  int ellipsis_dims_ = 0;
};

// Where a label is repeated, the diagonal of its dims.
void take_diagonals(Term& x) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = i + 1; j < x.labels.size();) {
      if (x.labels[j] != x.labels[i]) {
        ++j;
        continue;
      }
      int64_t n = x.t.shape()[int64_t(i)], m = x.t.shape()[int64_t(j)];
      if (n != m) throw Error("label '{}' is {} and {} in one operand", char(x.labels[i]), n, m);
      Tensor last = movedim(x.t, {Ints{int64_t(i), int64_t(j)}, Ints{-2, -1}});
      Shape flat(last.shape().begin(), last.shape().end() - 2);
      flat.push_back(n * n);
      x.t = movedim(slice(reshape(last, {flat}), {.dim = -1, .step = n + 1}), {Ints{-1}, Ints{int64_t(i)}});
      x.labels.erase(x.labels.begin() + std::ptrdiff_t(j));
    }
}

// Integers keep their dtype within a product, as PyTorch's do.
void sum_out(Term& x, const Labels& gone, bool keep_dtype) {
  Ints dims;
  for (int label : gone) dims.push_back(position_of(x.labels, label));
  if (dims.empty()) return;
  Sum over{.dim = dims};
  if (keep_dtype && is_integral(x.t.dtype())) over.dtype = x.t.dtype();
  x.t = sum(x.t, over);
  std::erase_if(x.labels, [&](int label) { return has(gone, label); });
}

// `x` with the dims of `groups` in order, each group made one dim, and extents as `extent` says.
template <class Extent>
Tensor grouped(const Term& x, std::initializer_list<Labels> groups, Extent&& extent) {
  Ints order;
  Shape whole, joined;
  for (auto& group : groups) {
    int64_t n = 1;
    for (int label : group) {
      order.push_back(position_of(x.labels, label));
      whole.push_back(extent(label));
      n *= extent(label);
    }
    joined.push_back(n);
  }
  Tensor t = permute(x.t, {order});
  return reshape(t.shape() == whole ? t : expand_to(t, whole), {joined});
}
// A view with the dims of `labels`, extents of 1 for those that x lacks.
Tensor aligned(const Term& x, const Labels& labels) {
  Ints order;
  for (int label : labels)
    if (has(x.labels, label)) order.push_back(position_of(x.labels, label));
  Tensor t = permute(x.t, {order});
  for (size_t i = 0; i < labels.size(); ++i)
    if (!has(x.labels, labels[i])) t = unsqueeze(t, {int64_t(i)});
  return t;
}

// The product of two terms, summed over the labels that `kept` lacks.
Term contract(Term a, Term b, const Labels& kept) {
  Labels gone_a, gone_b, both, summed, only_a, only_b;
  for (int label : a.labels) {
    const bool shared = has(b.labels, label);
    if (has(kept, label))
      (shared ? both : only_a).push_back(label);
    else if (shared && a.extent(label) == b.extent(label))
      summed.push_back(label);
    else {
      gone_a.push_back(label);
      if (shared) gone_b.push_back(label);
    }
  }
  for (int label : b.labels)
    if (!has(a.labels, label)) (has(kept, label) ? only_b : gone_b).push_back(label);
  sum_out(a, gone_a, true);
  sum_out(b, gone_b, true);
  Labels all = both;
  all.insert(all.end(), only_a.begin(), only_a.end());
  all.insert(all.end(), only_b.begin(), only_b.end());
  if (summed.empty()) return {mul(aligned(a, all), aligned(b, all)), all};
  auto extent = [&](int label) {
    int64_t n = has(a.labels, label) ? a.extent(label) : 1, m = has(b.labels, label) ? b.extent(label) : 1;
    return n == 1 ? m : n;
  };
  Tensor y = bmm(grouped(a, {both, only_a, summed}, extent), grouped(b, {both, summed, only_b}, extent));
  Shape shape;
  for (int label : all) shape.push_back(extent(label));
  return {reshape(y, {shape}), all};
}

}  // namespace

Tensor Einsum::decompose(const Inputs& in) const {
  if (in.empty()) throw Error("expects at least one tensor after the equation");
  Equation e(equation, in);
  for (Term& x : e.terms) take_diagonals(x);
  Term result = e.terms[0];
  for (size_t i = 1; i < e.terms.size(); ++i) {
    Labels kept = e.output;
    for (size_t k = i + 1; k < e.terms.size(); ++k)
      kept.insert(kept.end(), e.terms[k].labels.begin(), e.terms[k].labels.end());
    result = contract(result, e.terms[i], kept);
  }
  Labels gone;
  for (int label : result.labels)
    if (!has(e.output, label)) gone.push_back(label);
  sum_out(result, gone, e.terms.size() > 1);
  Ints order;
  for (int label : e.output) order.push_back(position_of(result.labels, label));
  return order.size() > 1 ? permute(result.t, {order}) : result.t;
}

Cases<Einsum> Einsum::samples() {
  return {{{"bij,bjk->bik"}, {{2, 2, 3}, {2, 3, 2}}},
          {{"ii->i"}, {{3, 3}}},
          {{"iji"}, {{2, 3, 2}}},
          {{"i,j->ij"}, {{2}, {3}}},
          {{"...ij,...jk"}, {{2, 1, 2, 3}, {3, 3, 2}}},
          {{"ij,jk,kl->il"}, {{2, 3}, {3, 2}, {2, 2}}},
          {{"i...->..."}, {{3, 2}}},
          {{"ij,ij->"}, {{2, 1}, {2, 3}}},
          {{"ba"}, {{2, 3}}},
          {{"i->"}, {{0}}}};
}

namespace {
const DefineAll<Einsum> define_all_;
}  // namespace

}  // namespace luth::ops
