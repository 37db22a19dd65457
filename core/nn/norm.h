// Normalisation: of channels over a batch (BatchNorm) or each sample (InstanceNorm), of groups of channels, of the last
// dims.
#pragma once
#include "core/nn/linear.h"

namespace luth::nn {

/// Throws unless eps is 0 or more.
void check_eps(const std::string& module, double eps);

/// Settings of BatchNorm and InstanceNorm. Parameters weight and bias [C] (affine), buffers running_mean, running_var
/// [C] and num_batches_tracked (track_running_stats). The running variance is the unbiased one.
struct ChannelNormSpec {
  int64_t num_features = 0;
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;
  bool affine = true, bias = true, track_running_stats = true;
  Factory factory;
  void describe(auto& field) {
    describe_norm(field);
    factory.describe(field);
  }
  void describe_norm(auto& field) {
    field("num_features", num_features, "channels of the input", as::required | as::bare);
    field("eps", eps, "added to the variance");
    field("momentum", momentum, "weight of a new batch in the running statistics; torch.none: their mean over all");
    field("affine", affine, "whether to scale by a parameter");
    field("bias", bias, "whether to shift by a parameter, too", as::named);
    field("track_running_stats", track_running_stats, "whether to keep running statistics for evaluation");
  }
};
/// Ioffe and Szegedy, "Batch normalization"; by sample: Ulyanov, Vedaldi and Lempitsky, "Instance normalization", whose
/// running statistics are means over the samples. n spatial dims.
template <int n, bool of_sample>
struct NormSpec : ChannelNormSpec {
  static constexpr const char* names[] = {"BatchNorm1d",    "BatchNorm2d",    "BatchNorm3d",
                                          "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"};
  static constexpr const char* layouts[] = {"[N, C] or [N, C, L]",       "[N, C, H, W]",
                                            "[N, C, D, H, W]",           "[N, C, L] or [C, L]",
                                            "[N, C, H, W] or [C, H, W]", "[N, C, D, H, W] or [C, D, H, W]"};
  static constexpr const char* briefs[] = {"each channel of sequences normalised over the batch",
                                           "each channel of images normalised over the batch",
                                           "each channel of volumes normalised over the batch",
                                           "each channel of each sequence normalised",
                                           "each channel of each image normalised",
                                           "each channel of each volume normalised"};
  static constexpr int number = n - 1 + 3 * of_sample;
  static constexpr const char *name = names[number], *brief = briefs[number], *layout = layouts[number];
  static constexpr int ranks[2] = {of_sample || n == 1 ? n + 1 : n + 2, n + 2};
  static constexpr bool by_sample = of_sample;
  NormSpec(int64_t channels = 0) {
    num_features = channels;
    if (of_sample) affine = track_running_stats = false;
  }
  void set_lazy_defaults() { affine = track_running_stats = true; }
};
/// Of dist::SyncBatchNorm.
struct SyncBatchNormSpec : ChannelNormSpec {
  static constexpr const char* name = "SyncBatchNorm";
  static constexpr const char* brief = "each channel normalised over the batches of all processes";
  static constexpr const char* layout = "[N, C, …]";
  static constexpr int ranks[2] = {2, INT32_MAX};
  static constexpr bool by_sample = false;
  std::string process_group;
  void describe(auto& field) {
    describe_norm(field);
    field("process_group", process_group, "the group of processes, or its name; '': all of the run", as::unprinted);
    factory.describe(field);
  }
};

/// BatchNorm and InstanceNorm.
template <class S>
class ChannelNorm : public Layer<ChannelNorm<S>, S> {
 public:
  using Base = Layer<ChannelNorm<S>, S>;
  using Base::Base;
  static constexpr int64_t ChannelNormSpec::*input_size = &ChannelNormSpec::num_features;
  int64_t size_in(const Tensor& x) const;
  int64_t size_in(std::string_view name, const Tensor& saved) const;
  Tensor run(const Tensor& x);
  void build() override;
  void reset_parameters() override;

 protected:
  /// In training: normalised by the statistics of all processes; null where these are this one's. The weight of this
  /// batch in the running statistics is a number, or a tensor that lies on their device.
  virtual Tensor by_processes(const Tensor&, const Value& weight_of_batch);

 private:
  int channel_dim(const Tensor& x) const { return S::by_sample && x.dim() == S::ranks[0] ? 0 : 1; }
  void check_channels(const Tensor& x) const;
  Tensor by_batch(const Tensor& x);
  Tensor by_sample(const Tensor& x) const;
};
template <int n>
using BatchNorm = ChannelNorm<NormSpec<n, false>>;
using BatchNorm1d = BatchNorm<1>;
using BatchNorm2d = BatchNorm<2>;
template <int n>
using InstanceNorm = ChannelNorm<NormSpec<n, true>>;

using LazyBatchNorm1d = Lazy<BatchNorm<1>, "LazyBatchNorm1d">;
using LazyBatchNorm2d = Lazy<BatchNorm<2>, "LazyBatchNorm2d">;
using LazyBatchNorm3d = Lazy<BatchNorm<3>, "LazyBatchNorm3d">;
using LazyInstanceNorm1d = Lazy<InstanceNorm<1>, "LazyInstanceNorm1d">;
using LazyInstanceNorm2d = Lazy<InstanceNorm<2>, "LazyInstanceNorm2d">;
using LazyInstanceNorm3d = Lazy<InstanceNorm<3>, "LazyInstanceNorm3d">;

/// A norm whose parameters weight and bias are optional and begin as 1 and 0.
template <class Self, class S>
class AffineNorm : public Layer<Self, S> {
 public:
  using Layer<Self, S>::Layer;
  void reset_parameters() override;

 protected:
  void register_affine(const Shape& shape, bool weight, bool bias);
};

/// Ba, Kiros and Hinton, "Layer normalization". Parameters weight and bias of normalized_shape.
struct LayerNormSpec {
  static constexpr const char* name = "LayerNorm";
  static constexpr const char* brief = "normalisation over the last dims";
  Ints normalized_shape;
  double eps = 1e-5;
  bool elementwise_affine = true, bias = true;
  Factory factory;
  void describe(auto& field) {
    field("normalized_shape", normalized_shape, "extents of the last dims", as::required | as::bare | as::tuple);
    field("eps", eps, "added to the variance");
    field("elementwise_affine", elementwise_affine, "whether to scale by a parameter");
    field("bias", bias, "whether to shift by a parameter, too");
    factory.describe(field);
  }
};
class LayerNorm final : public AffineNorm<LayerNorm, LayerNormSpec> {
 public:
  using AffineNorm::AffineNorm;
  void build() override;
  Tensor run(const Tensor& x);
};

/// Zhang and Sennrich, "Root mean square layer normalization". Parameter weight of normalized_shape.
struct RMSNormSpec {
  static constexpr const char* name = "RMSNorm";
  static constexpr const char* brief = "the last dims over the root of the mean of their squares";
  Ints normalized_shape;
  std::optional<double> eps;
  bool elementwise_affine = true;
  Factory factory;
  void describe(auto& field) {
    field("normalized_shape", normalized_shape, "extents of the last dims", as::required | as::bare | as::tuple);
    field("eps", eps, "added to the mean of squares; nil: the epsilon of the input's dtype");
    field("elementwise_affine", elementwise_affine, "whether to scale by a parameter");
    factory.describe(field);
  }
};
class RMSNorm final : public AffineNorm<RMSNorm, RMSNormSpec> {
 public:
  using AffineNorm::AffineNorm;
  void build() override;
  Tensor run(const Tensor& x);
};

/// Wu and He, "Group normalization". Parameters weight and bias [num_channels].
struct GroupNormSpec {
  static constexpr const char* name = "GroupNorm";
  static constexpr const char* brief = "normalisation of groups of channels of each sample of [N, C, …]";
  int64_t num_groups = 0, num_channels = 0;
  double eps = 1e-5;
  bool affine = true, bias = true;
  Factory factory;
  void describe(auto& field) {
    field("num_groups", num_groups, "groups of channels; a divisor of num_channels", as::required | as::bare);
    field("num_channels", num_channels, "channels of the input", as::required | as::bare);
    field("eps", eps, "added to the variance");
    field("affine", affine, "whether to scale by a parameter");
    field("bias", bias, "whether to shift by a parameter, too", as::named);
    factory.describe(field);
  }
};
class GroupNorm final : public AffineNorm<GroupNorm, GroupNormSpec> {
 public:
  using AffineNorm::AffineNorm;
  void build() override;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
