// BatchNorm whose statistics are those of the batches of all processes of a group.
#pragma once
#include <string>

#include "core/nn/norm.h"

namespace luth::dist {

/// In training each channel has the mean and the variance of all samples of the group's ranks, which may have
/// different numbers of them, or none. The gradients are those of the sum of the ranks' losses; weight and bias get
/// this rank's part. In evaluation, and without a run, it is a BatchNorm.
class SyncBatchNorm final : public nn::ChannelNorm<nn::SyncBatchNormSpec> {
 public:
  using ChannelNorm::ChannelNorm;
  nn::ModuleRef fresh() const override { return nn::ModuleRef(new SyncBatchNorm(spec)); }

 protected:
  Tensor by_processes(const Tensor& x, const Value& weight_of_batch) override;
};

/// `m` with a SyncBatchNorm, which has the same parameters and buffers, in the place of each BatchNorm; for a BatchNorm
/// itself a new module. `group`: the name of a group, "": all ranks.
nn::ModuleRef convert_sync_batchnorm(const nn::ModuleRef& m, const std::string& group);

}  // namespace luth::dist
