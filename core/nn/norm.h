// Batch and layer normalisation.
#pragma once
#include "core/nn/linear.h"

namespace luth::nn {

/// Ioffe and Szegedy, "Batch normalization". Parameters weight and bias [C] (affine), buffers running_mean, running_var
/// [C] and num_batches_tracked (track_running_stats). The running variance is the unbiased one.
struct BatchNormSpec {
  int64_t num_features = 0;
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;
  bool affine = true, track_running_stats = true;
  Factory factory;
  void describe(auto& field) {
    field("num_features", num_features, "channels of the input: its second dim", as::required | as::bare);
    field("eps", eps, "added to the variance");
    field("momentum", momentum, "weight of a new batch in the running statistics; torch.none: their mean over all");
    field("affine", affine, "whether to scale and shift by parameters");
    field("track_running_stats", track_running_stats, "whether to keep running statistics for evaluation");
    factory.describe(field);
  }
};
struct BatchNorm1dSpec : BatchNormSpec {
  static constexpr const char* name = "BatchNorm1d";
  static constexpr const char* brief = "batch normalisation of [N, C] or [N, C, L]";
  static constexpr int dims[2] = {2, 3};
};
struct BatchNorm2dSpec : BatchNormSpec {
  static constexpr const char* name = "BatchNorm2d";
  static constexpr const char* brief = "batch normalisation of [N, C, H, W]";
  static constexpr int dims[2] = {4, 4};
};

template <class S>
class BatchNorm final : public Layer<BatchNorm<S>, S> {
 public:
  using Layer<BatchNorm<S>, S>::Layer;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;  // PyTorch prints bias, which is no setting
  Tensor run(const Tensor& x);
};
using BatchNorm1d = BatchNorm<BatchNorm1dSpec>;
using BatchNorm2d = BatchNorm<BatchNorm2dSpec>;
extern template class BatchNorm<BatchNorm1dSpec>;
extern template class BatchNorm<BatchNorm2dSpec>;

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
class LayerNorm final : public Layer<LayerNorm, LayerNormSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
