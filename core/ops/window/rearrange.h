// Rearrangements of images: pixels into channels and back, windows into columns and back. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct PixelShuffle {
  static constexpr Doc doc{"pixel_shuffle", "input",
                           "[…, C r², H, W] as […, C, H r, W r]: channels become pixels between the others."};
  static constexpr Traits traits{.offered = Offered::function};
  int64_t upscale_factor = 1;
  void describe(auto& field) { field("upscale_factor", upscale_factor, "r", as::required); }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<PixelShuffle> samples() { return {{{2}, {{2, 8, 2, 3}}}, {{3}, {{9, 1, 2}}}}; }
};
struct PixelUnshuffle {
  static constexpr Doc doc{"pixel_unshuffle", "input", "[…, C, H r, W r] as […, C r², H, W]: undoes pixel_shuffle."};
  static constexpr Traits traits{.offered = Offered::function};
  int64_t downscale_factor = 1;
  void describe(auto& field) { field("downscale_factor", downscale_factor, "r", as::required); }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<PixelUnshuffle> samples() { return {{{2}, {{2, 2, 4, 2}}}, {{3}, {{1, 3, 6}}}}; }
};
struct ChannelShuffle {
  static constexpr Doc doc{"channel_shuffle", "input",
                           "Channels [g, C / g] in the order [C / g, g], so that groups exchange theirs."};
  static constexpr Traits traits{.aliases = "native_channel_shuffle", .offered = Offered::function};
  int64_t groups = 1;
  void describe(auto& field) { field("groups", groups, "g", as::required); }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<ChannelShuffle> samples() { return {{{2}, {{2, 6, 2}}}, {{3}, {{1, 6, 2, 2}}}}; }
};

struct UnfoldNd;  // resample.h

/// The windows of im2col over images.
struct SlidingWindow {
  Ints kernel_size, dilation{1}, padding{0}, stride{1};
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the windows", as::required);
    field("dilation", dilation, "the distance between the elements of a window");
    field("padding", padding, "zeros around the images");
    field("stride", stride, "the step of the windows");
  }
  void check() const;
  /// From images to [.., kh rows, kw columns]; throws where there are no windows.
  UnfoldNd over(const Ints& image) const;
};
/// [N, C, H, W] to [N, C kh kw, windows].
struct UnfoldImages {
  static constexpr Doc doc{"nn_functional_unfold", "input", "The windows of images as columns (im2col)."};
  SlidingWindow window;
  void describe(auto& field) { window.describe(field); }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<UnfoldImages> samples();
};
/// [N, C kh kw, windows] to [N, C, H, W].
struct FoldImages {
  static constexpr Doc doc{"nn_functional_fold", "input",
                           "Columns added up as the windows of images that they are (col2im)."};
  Ints output_size;
  SlidingWindow window;
  void describe(auto& field) {
    field("output_size", output_size, "height and width of the images", as::required);
    window.describe(field);
  }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<FoldImages> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::PixelShuffle> pixel_shuffle;
inline constexpr Fn<ops::PixelUnshuffle> pixel_unshuffle;
inline constexpr Fn<ops::UnfoldImages> unfold_images;
inline constexpr Fn<ops::FoldImages> fold_images;
}  // namespace luth
