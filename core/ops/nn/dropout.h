// Dropout of whole channels, dropout that keeps mean and variance, and samples of categories with a gradient. See op.h
// for the recipe; written in other operators. Dropout itself is in random.h.
#pragma once
#include "core/ops/random/random.h"

namespace luth::ops {

/// A dropout that is made of `dropout`.
struct DropoutVariant {
  static constexpr Traits family{.offered = Offered::function, .inplace = Inplace::also}, traits = family;
};
void describe_dropout(auto& field, double& p, bool& training) {
  field("p", p, "the probability of being dropped");
  field("training", training, "false: the input as it is");
}
/// Channels (dim 1, or dim 0 of one sample) of sequences, images and volumes.
struct Dropout1d : DropoutVariant {
  static constexpr Doc doc{"dropout1d", "input",
                           "In training, each channel 0 with probability p, and the rest / (1 - p)."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  double p = 0.5;
  bool training = true;
  void describe(auto& field) { describe_dropout(field, p, training); }
  void check() const { Dropout{p}.check(); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Dropout1d> samples();
};
struct Dropout2d : DropoutVariant {
  static constexpr Doc doc{"dropout2d", "input",
                           "In training, each channel 0 with probability p, and the rest / (1 - p)."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  double p = 0.5;
  bool training = true;
  void describe(auto& field) { describe_dropout(field, p, training); }
  void check() const { Dropout{p}.check(); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Dropout2d> samples();
};
struct Dropout3d : DropoutVariant {
  static constexpr Doc doc{"dropout3d", "input",
                           "In training, each channel 0 with probability p, and the rest / (1 - p)."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  double p = 0.5;
  bool training = true;
  void describe(auto& field) { describe_dropout(field, p, training); }
  void check() const { Dropout{p}.check(); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Dropout3d> samples();
};
/// Klambauer, Unterthiner, Mayr and Hochreiter, "Self-Normalizing Neural Networks" (2017): what is dropped becomes
/// selu's limit, and the whole is scaled and shifted so that mean 0 and variance 1 stay.
struct AlphaDropout : DropoutVariant {
  static constexpr Doc doc{"alpha_dropout", "input", "Dropout that keeps mean 0 and variance 1 of selu's results."};
  double p = 0.5;
  bool training = false;
  void describe(auto& field) { describe_dropout(field, p, training); }
  void check() const { Dropout{p}.check(); }
  Tensor decompose(const Inputs& in) const;
  static Cases<AlphaDropout> samples();
};
struct FeatureAlphaDropout : DropoutVariant {
  static constexpr Doc doc{"feature_alpha_dropout", "input", "Alpha_dropout of whole channels (dim 1)."};
  double p = 0.5;
  bool training = false;
  void describe(auto& field) { describe_dropout(field, p, training); }
  void check() const { Dropout{p}.check(); }
  Tensor decompose(const Inputs& in) const;
  static Cases<FeatureAlphaDropout> samples();
};
/// Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2017).
struct GumbelSoftmax {
  static constexpr Doc doc{"gumbel_softmax", "logits",
                           "softmax((logits + Gumbel's noise) / tau): soft samples of categories."};
  static constexpr Traits traits{.offered = Offered::functional, .takes_generator = true};
  double tau = 1;
  bool hard = false;
  double eps = 1e-10;
  int64_t dim = -1;
  void describe(auto& field) {
    field("tau", tau, "the temperature, above 0: near 0 for samples that are near one-hot");
    field("hard", hard, "give one-hot samples, with the gradient of the soft ones");
    field("eps", eps, "not used, as in PyTorch");
    field("dim", dim, "the dim of the categories", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GumbelSoftmax> samples();
};

}  // namespace luth::ops
