// Files of images. The decoders are libraries of others, in a library of luth's own that is opened on first use
// (core/data/codecs).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image/image.h"

namespace luth::data {

/// The bytes of a file.
using Bytes = std::span<const uint8_t>;

class Codecs {
 public:
  virtual ~Codecs();
  /// The picture in 1 or 3 channels; 0: as the file has it. Transparency is dropped, 16-bit values are scaled to 8.
  /// Throws ErrorCode::runtime, with a clause such as "the file is cut short", for what is no image of the format.
  virtual Pixels jpeg(Bytes file, int channels) const = 0;
  virtual Pixels png(Bytes file, int channels) const = 0;
  virtual Pixels webp(Bytes file, int channels) const = 0;
  virtual std::vector<uint8_t> to_jpeg(const Pixels& image, int quality) const = 0;
  virtual std::vector<uint8_t> to_png(const Pixels& image) const = 0;
};
/// Called by the library when it is opened.
void add_codecs(const Codecs* codecs);

/// The suffixes of files that luth reads, in lower case, with a dot: ".jpg" …
std::span<const std::string_view> image_suffixes();
/// The picture in the bytes of a JPEG, PNG, WebP or BMP file, whichever it is; as Codecs. `name`: of the file, for
/// messages.
Pixels decode_image(Bytes file, int channels, const std::string& name);
/// The same of a file. Throws for one of more than 1 GiB.
Pixels read_image(const std::string& path, int channels);
/// By the suffix: .png, .jpg or .jpeg; `quality` from 1 to 100. Throws for another suffix.
std::vector<uint8_t> encode_image(const Pixels& image, const std::string& path, int quality);

/// BMP, of which luth has a decoder of its own: uncompressed, of 1, 4, 8, 24 and 32 bits.
Pixels decode_bmp(Bytes file, int channels);

}  // namespace luth::data
