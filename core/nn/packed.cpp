#include "core/nn/packed.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/op/basics.h"
#include "core/op/define.h"
#include "core/ops/index/index.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {

std::string shown_list(const Lengths& v) {
  std::string s;
  for (int64_t n : v) s += (s.empty() ? "[" : ", ") + std::to_string(n);
  return s + "]";
}
/// Throws unless `order` has each number from 0 once.
Lengths inverse(const Lengths& order, const char* name) {
  Lengths to(order.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto at = size_t(order[i]);
    if (at >= order.size() || to[at] >= 0)
      throw Error("{} must have each position from {} to {} once, got {}", name, shown(0),
                  shown(int64_t(to.size()) - 1), shown(order[i]));
    to[at] = int64_t(i);
  }
  return to;
}
Tensor indices(const Lengths& v, Device& device) { return converted(to_tensor(v), Dtype::i64, &device); }

/// Neighbouring steps that the same number of sequences have.
struct Run {
  int64_t first, steps, sequences;
};
std::vector<Run> runs_of(const Lengths& batch_sizes) {
  std::vector<Run> runs;
  for (size_t i = 0; i < batch_sizes.size(); ++i)
    if (!runs.empty() && runs.back().sequences == batch_sizes[i])
      ++runs.back().steps;
    else
      runs.push_back({int64_t(i), 1, batch_sizes[i]});
  return runs;
}
/// Extents before the ones that a step has, and those.
Shape with_front(const Shape& front, const Shape& like, int skip) {
  Shape s = front;
  for (int i = skip; i < like.size(); ++i) s.push_back(like[i]);
  return s;
}
/// `n` numbers added behind (or before) dim `dim`.
Tensor padded(const Tensor& t, int dim, int64_t n, double value, bool before = false) {
  if (n == 0) return t;
  Shape shape = t.shape();
  shape[dim] = n;
  const Tensor added = full(shape, value, t.dtype(), t.device());
  return cat(before ? Tensors{added, t} : Tensors{t, added}, {.dim = dim});
}
Tensor joined(const Tensors& parts) { return parts.size() == 1 ? parts[0] : cat(parts, {.dim = 0}); }
Tensor swapped(const Tensor& t, bool swap) { return swap ? transpose(t, {.dim0 = 0, .dim1 = 1}) : t; }

/// Returns the dim of the sequences.
int check_lengths(const Lengths& lengths, const Tensor& input, bool batch_first, int64_t least = 1) {
  if (input.dim() < 2)
    throw Error("input needs two dims, of steps and of sequences, but has shape {}", to_string(input.shape()));
  const int batch_dim = batch_first ? 0 : 1;
  const int64_t batch = input.shape(batch_dim), steps = input.shape(1 - batch_dim);
  if (int64_t(lengths.size()) != batch)
    throw Error("lengths has {} numbers, but input has {} sequences", lengths.size(), batch);
  for (size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < least || lengths[i] > steps)
      throw Error("length {} of sequence {} is not within {} to {}, the steps of input", lengths[i], shown(int64_t(i)),
                  least, steps);
  return batch_dim;
}

}  // namespace

Tensor to_tensor(const Lengths& v) {
  Tensor t = Tensor::empty({int64_t(v.size())}, Dtype::i64, host());
  std::copy(v.begin(), v.end(), t.data<int64_t>());
  return t;
}
Lengths to_lengths(const Tensor& t) {
  const Tensor dense = dense_copy(converted(t, Dtype::i64, &host()));
  return {dense.data<int64_t>(), dense.data<int64_t>() + dense.numel()};
}
Lengths PackedSequence::sizes() const { return to_lengths(batch_sizes); }

Tensor invert_permutation(const Tensor& permutation) {
  if (permutation.dim() != 1 || permutation.dtype() != Dtype::i64)
    throw Error("a permutation is a list of int64, got {}{}", name(permutation.dtype()),
                to_string(permutation.shape()));
  return indices(inverse(to_lengths(permutation), "a permutation"), permutation.device());
}

PackedRef make_packed(const Tensor& data, const Tensor& batch_sizes, const Tensor& sorted_indices,
                      const Tensor& unsorted_indices) {
  if (batch_sizes.dtype() != Dtype::i64 || batch_sizes.dim() != 1 || !batch_sizes.numel() ||
      !batch_sizes.device().on_host())
    throw Error("batch_sizes must be a list of int64 on the CPU, got {}{} on {}", name(batch_sizes.dtype()),
                to_string(batch_sizes.shape()), batch_sizes.device().name());
  const Lengths sizes = to_lengths(batch_sizes);
  if (!std::is_sorted(sizes.begin(), sizes.end(), std::greater()) || sizes.back() < 1)
    throw Error("batch_sizes must be positive and fall, got {}", shown_list(sizes));
  const int64_t rows = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  if (data.dim() < 1 || data.shape(0) != rows)
    throw Error("data has shape {}, but batch_sizes add up to {} rows", to_string(data.shape()), rows);
  PackedRef p(new PackedSequence);
  p->data = data;
  p->batch_sizes = batch_sizes;
  p->sorted_indices = sorted_indices;
  p->unsorted_indices = unsorted_indices;
  if (!sorted_indices && !unsorted_indices) return p;
  if (!sorted_indices) p->sorted_indices = invert_permutation(unsorted_indices);
  if (!unsorted_indices) p->unsorted_indices = invert_permutation(sorted_indices);
  p->order = to_lengths(p->sorted_indices);
  if (int64_t(p->order.size()) != sizes[0] || inverse(p->order, "sorted_indices") != to_lengths(p->unsorted_indices))
    throw Error(
        "sorted_indices and unsorted_indices must be permutations of {} sequences, each the inverse of the other",
        sizes[0]);
  return p;
}

PackedRef with_data(const PackedSequence& p, const Tensor& data) {
  PackedRef to(new PackedSequence);
  to->data = data;
  to->batch_sizes = p.batch_sizes;
  to->sorted_indices = p.sorted_indices;
  to->unsorted_indices = p.unsorted_indices;
  to->order = p.order;
  return to;
}
PackedRef converted(const PackedSequence& p, std::optional<Dtype> dtype, Device* device) {
  auto moved = [&](const Tensor& t) { return t && device ? basic::to_device(t, *device) : t; };
  PackedRef to = with_data(p, moved(dtype ? cast_to(p.data, *dtype) : p.data));
  to->sorted_indices = moved(p.sorted_indices);
  to->unsorted_indices = moved(p.unsorted_indices);
  return to;
}

PackedRef pack_padded_sequence(const Tensor& input, const Lengths& lengths, bool batch_first, bool enforce_sorted) {
  const int batch_dim = check_lengths(lengths, input, batch_first);
  if (lengths.empty()) throw Error("there is no sequence to pack: input has shape {}", to_string(input.shape()));
  Lengths order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return lengths[size_t(a)] > lengths[size_t(b)]; });
  if (enforce_sorted && !std::is_sorted(lengths.begin(), lengths.end(), std::greater()))
    throw Error("lengths must fall, got {}; enforce_sorted = false sorts the sequences", shown_list(lengths));
  PackedRef p(new PackedSequence);
  Tensor x = input;
  if (!enforce_sorted) {
    p->sorted_indices = indices(order, input.device());
    p->unsorted_indices = indices(inverse(order, "order"), input.device());
    p->order = order;
    x = index_select(x, p->sorted_indices, {.dim = batch_dim});
  }
  x = swapped(x, batch_first);
  Lengths sizes;
  sizes.resize(size_t(lengths[size_t(order[0])]), 0);
  for (int64_t n : lengths)
    for (int64_t t = 0; t < n; ++t) ++sizes[size_t(t)];
  Tensors parts;
  for (const Run& r : runs_of(sizes)) {
    const Tensor part = narrow(narrow(x, {.dim = 0, .start = r.first, .length = r.steps}),
                               {.dim = 1, .start = 0, .length = r.sequences});
    parts.push_back(reshape(part, {.shape = with_front({r.steps * r.sequences}, x.shape(), 2)}));
  }
  p->data = joined(parts);
  p->batch_sizes = to_tensor(sizes);
  return p;
}

std::pair<Tensor, Lengths> pad_packed_sequence(const PackedSequence& p, bool batch_first, double padding_value,
                                               std::optional<int64_t> total_length) {
  const Lengths sizes = p.sizes();
  const int64_t batch = sizes[0], steps = int64_t(sizes.size());
  if (total_length && *total_length < steps)
    throw Error("total_length is {}, but the longest sequence has {} steps", *total_length, steps);
  Tensors parts;
  int64_t at = 0;
  for (const Run& r : runs_of(sizes)) {
    const Tensor rows = narrow(p.data, {.dim = 0, .start = at, .length = r.steps * r.sequences});
    parts.push_back(padded(reshape(rows, {.shape = with_front({r.steps, r.sequences}, p.data.shape(), 1)}), 1,
                           batch - r.sequences, padding_value));
    at += r.steps * r.sequences;
  }
  Tensor x = padded(joined(parts), 0, total_length.value_or(steps) - steps, padding_value);
  Lengths lengths(size_t(batch), 0);
  for (int64_t n : sizes)
    for (int64_t b = 0; b < n; ++b) ++lengths[size_t(b)];
  if (p.unsorted_indices) {
    x = index_select(x, p.unsorted_indices, {.dim = 1});
    const Lengths sorted = lengths;
    for (size_t i = 0; i < sorted.size(); ++i) lengths[size_t(p.order[i])] = sorted[i];
  }
  return {swapped(x, batch_first), lengths};
}

Tensor pad_sequence(const Tensors& sequences, bool batch_first, double padding_value, const std::string& padding_side) {
  if (sequences.empty()) throw Error("there is no sequence to pad");
  if (padding_side != "right" && padding_side != "left")
    throw Error("padding_side is 'right' or 'left', got '{}'", padding_side);
  int64_t steps = 0;
  for (const Tensor& t : sequences) {
    if (t.dim() < 1) throw Error("a sequence needs a dim of steps, but one has no dims");
    steps = std::max(steps, t.shape(0));
  }
  Tensors parts;
  for (const Tensor& t : sequences) {
    if (!(with_front({}, t.shape(), 1) == with_front({}, sequences[0].shape(), 1)))
      throw Error("sequences must have one shape but for their lengths, got {} and {}", to_string(sequences[0].shape()),
                  to_string(t.shape()));
    parts.push_back(padded(t, 0, steps - t.shape(0), padding_value, padding_side == "left"));
  }
  return stack(parts, {.dim = batch_first ? 0 : 1});
}

PackedRef pack_sequence(const Tensors& sequences, bool enforce_sorted) {
  Lengths lengths;
  for (const Tensor& t : sequences) lengths.push_back(t.dim() ? t.shape(0) : 0);
  return pack_padded_sequence(pad_sequence(sequences), lengths, false, enforce_sorted);
}

Tensors unpad_sequence(const Tensor& padded, const Lengths& lengths, bool batch_first) {
  const int batch_dim = check_lengths(lengths, padded, batch_first, 0);
  Tensors list;
  for (size_t i = 0; i < lengths.size(); ++i)
    list.push_back(
        narrow(select(padded, {.dim = batch_dim, .index = int64_t(i)}), {.dim = 0, .start = 0, .length = lengths[i]}));
  return list;
}

Tensors unpack_sequence(const PackedSequence& p) {
  const auto [x, lengths] = pad_packed_sequence(p);
  return unpad_sequence(x, lengths);
}

}  // namespace luth::nn
