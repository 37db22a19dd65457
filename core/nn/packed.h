// Sequences of different lengths: padded, [T, B, …] or [B, T, …], and packed without the padding.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// A number for each sequence or step: any count of them, where Ints hold eight.
using Lengths = std::vector<int64_t>;
Tensor to_tensor(const Lengths& v);  // int64 on the CPU
Lengths to_lengths(const Tensor& t);

/// Sequences sorted by length, longest first; `data` has the elements of all at step 0, then those at step 1, and so
/// on.
struct PackedSequence final : Held {
  Tensor data;              // [sum of batch_sizes, …]
  Tensor batch_sizes;       // how many sequences have each step: int64 on the CPU, positive, falling
  Tensor sorted_indices;    // which of the sequences given is at each place, from 0; null: in the order given
  Tensor unsorted_indices;  // the inverse
  Lengths order;            // sorted_indices, on the host
  std::string text() const override { return "a PackedSequence"; }
  Lengths sizes() const;
};
using PackedRef = Ref<PackedSequence>;

/// A packed sequence of these parts; unsorted_indices follow from sorted_indices if they are null.
PackedRef make_packed(const Tensor& data, const Tensor& batch_sizes, const Tensor& sorted_indices = {},
                      const Tensor& unsorted_indices = {});
/// The same sequences with other data.
PackedRef with_data(const PackedSequence& p, const Tensor& data);
/// With data and indices converted; null: as they are.
PackedRef converted(const PackedSequence& p, std::optional<Dtype> dtype, Device* device);
Tensor invert_permutation(const Tensor& permutation);

/// lengths: one per sequence, positive. Sequences that are not sorted by length are refused if enforce_sorted, else
/// sorted.
PackedRef pack_padded_sequence(const Tensor& input, const Lengths& lengths, bool batch_first = false,
                               bool enforce_sorted = true);
/// The sequences in the order in which they were packed, padded to the longest or to total_length, and their lengths.
std::pair<Tensor, Lengths> pad_packed_sequence(const PackedSequence& p, bool batch_first = false,
                                               double padding_value = 0, std::optional<int64_t> total_length = {});
/// Sequences [length, …] in one tensor; padding_side: "right" or "left".
Tensor pad_sequence(const Tensors& sequences, bool batch_first = false, double padding_value = 0,
                    const std::string& padding_side = "right");
PackedRef pack_sequence(const Tensors& sequences, bool enforce_sorted = true);
/// The sequences without padding.
Tensors unpad_sequence(const Tensor& padded, const Lengths& lengths, bool batch_first = false);
Tensors unpack_sequence(const PackedSequence& p);

}  // namespace luth::nn
