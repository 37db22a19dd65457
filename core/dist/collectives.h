// torch.distributed's collectives: arguments are checked, tensors are brought to where the backend takes them, and
// results back. Tensors are changed without history. Numbers of ranks are those of the run, from 0.
#pragma once
#include <optional>

#include "core/dist/process_group.h"

namespace luth::dist {

using TensorList = std::vector<Tensor>;
using Timeout = std::optional<Milliseconds>;  // nothing: the group's

/// A Work ends when the tensors have their values. Each call throws where its own arguments cannot be
/// right: a rank out of range, lists of another length than the group, tensors of other shapes or dtypes than they
/// should have. Ranks that call with different shapes learn it from the group (process_group.h).
WorkRef all_reduce(ProcessGroup& g, const Tensor& t, ReduceOp op, Timeout timeout = {});
WorkRef broadcast(ProcessGroup& g, const Tensor& t, int src, Timeout timeout = {});
WorkRef reduce(ProcessGroup& g, const Tensor& t, int dst, ReduceOp op, Timeout timeout = {});
/// `list`: a tensor for each rank, of the shape of `t`.
WorkRef all_gather(ProcessGroup& g, const TensorList& list, const Tensor& t, Timeout timeout = {});
/// `all` has size() times the elements of `t`, and dims that it can be a stack or a concatenation along the first dim
/// of.
WorkRef all_gather_into_tensor(ProcessGroup& g, const Tensor& all, const Tensor& t, Timeout timeout = {});
/// `list` is empty except at `dst`.
WorkRef gather(ProcessGroup& g, const Tensor& t, const TensorList& list, int dst, Timeout timeout = {});
WorkRef scatter(ProcessGroup& g, const Tensor& t, const TensorList& list, int src, Timeout timeout = {});
WorkRef reduce_scatter(ProcessGroup& g, const Tensor& t, const TensorList& list, ReduceOp op, Timeout timeout = {});
WorkRef reduce_scatter_tensor(ProcessGroup& g, const Tensor& t, const Tensor& all, ReduceOp op, Timeout timeout = {});
WorkRef all_to_all(ProcessGroup& g, const TensorList& to, const TensorList& from, Timeout timeout = {});
/// Sizes along the first dim for each rank; empty: equal parts.
WorkRef all_to_all_single(ProcessGroup& g, const Tensor& to, const Tensor& from, std::vector<int64_t> to_sizes,
                          std::vector<int64_t> from_sizes, Timeout timeout = {});
WorkRef send(ProcessGroup& g, const Tensor& t, int dst, int tag, Timeout timeout = {});
/// `src` -1: from any rank, which Work::source_rank then says.
WorkRef receive(ProcessGroup& g, const Tensor& t, int src, int tag, Timeout timeout = {});
WorkRef barrier(ProcessGroup& g, Timeout timeout = {});

/// The rank's place in the group; throws, naming `call`, where it is not a member.
int place_in(const ProcessGroup& g, int rank, const char* call);

}  // namespace luth::dist
