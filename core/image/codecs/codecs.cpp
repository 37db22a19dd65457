// JPEG by libjpeg-turbo, PNG by libpng, WebP by libwebp.
#include "core/image/codecs.h"

#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>

#include <csetjmp>
#include <cstring>
#include <memory>

#include "core/image/color.h"

namespace luth::data {
namespace {

void check_size(int64_t height, int64_t width) {
  if (height < 1 || width < 1 || height > most_pixels / width)
    throw Error("an image of {} x {} pixels is none that luth takes", height, width);
}

// ---- JPEG ---------------------------------------------------------------------------------------------------------

using Jpeg = std::unique_ptr<void, int (*)(tjhandle)>;

[[noreturn]] void fail(const Jpeg& jpeg) { throw Error("{}", tjGetErrorStr2(jpeg.get())); }

// Where `code` says that it went wrong. Damage that the decoder has mended is an error too: half of a picture is none.
void check(const Jpeg& jpeg, int code) {
  if (code != 0) fail(jpeg);
}

// Cyan, magenta, yellow and black, inverted as Adobe writes them.
Pixels from_cmyk(const std::vector<uint8_t>& cmyk, int64_t height, int64_t width) {
  const Pixels to = new_pixels(3, height, width);
  for (int64_t i = 0; i < height * width; ++i)
    for (int64_t c = 0; c < 3; ++c)
      to.data[3 * i + c] = uint8_t((cmyk[size_t(4 * i + c)] * cmyk[size_t(4 * i + 3)] + 127) / 255);
  return to;
}

// Each scan of a progressive file goes over the whole picture, and takes a few bytes where it changes nothing.
void check_scans(Bytes file, int64_t height, int64_t width) {
  constexpr std::string_view scan = "\xff\xda";
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  int64_t scans = 0;
  for (size_t at = 0; (at = all.find(scan, at)) != all.npos; at += scan.size()) ++scans;
  if (scans > 16 * most_pixels / (height * width))
    throw Error("an image of {} x {} pixels in {} scans is none that luth takes", height, width, scans);
}

Pixels read_jpeg(Bytes file, int channels) {
  const Jpeg jpeg(tjInitDecompress(), tjDestroy);
  if (!jpeg) throw Error("no memory for a decoder");
  int width = 0, height = 0, sampling = 0, space = 0;
  check(jpeg, tjDecompressHeader3(jpeg.get(), file.data(), file.size(), &width, &height, &sampling, &space));
  check_size(height, width);
  check_scans(file, height, width);
  if (space == TJCS_CMYK || space == TJCS_YCCK) {
    std::vector<uint8_t> cmyk(size_t(height) * size_t(width) * 4);
    check(jpeg, tjDecompress2(jpeg.get(), file.data(), file.size(), cmyk.data(), width, 0, height, TJPF_CMYK, 0));
    const Pixels to = from_cmyk(cmyk, height, width);
    return channels == 1 ? to_grey(to) : to;
  }
  if (channels == 0) channels = space == TJCS_GRAY ? 1 : 3;
  const Pixels to = new_pixels(channels, height, width);
  check(jpeg, tjDecompress2(jpeg.get(), file.data(), file.size(), to.data, width, 0, height,
                            channels == 1 ? TJPF_GRAY : TJPF_RGB, 0));
  return to;
}

std::vector<uint8_t> write_jpeg(const Pixels& image, int quality) {
  const Jpeg jpeg(tjInitCompress(), tjDestroy);
  if (!jpeg) throw Error("no memory for an encoder");
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const bool grey = image.channels == 1;
  const int code = tjCompress2(jpeg.get(), image.data, int(image.width), 0, int(image.height),
                               grey ? TJPF_GRAY : TJPF_RGB, &bytes, &size, grey ? TJSAMP_GRAY : TJSAMP_420, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(bytes, tjFree);
  check(jpeg, code);
  return {bytes, bytes + size};
}

// ---- PNG ----------------------------------------------------------------------------------------------------------

// What the callbacks of libpng see. Errors come back by longjmp, and are thrown behind the last of its frames.
struct PngState {
  Bytes file;
  size_t at = 0;
  std::vector<uint8_t>* out = nullptr;
  char message[256] = "";
};

void png_failed(png_structp png, png_const_charp text) {
  auto* state = static_cast<PngState*>(png_get_error_ptr(png));
  std::strncpy(state->message, text, sizeof state->message - 1);
  png_longjmp(png, 1);
}
void png_warned(png_structp, png_const_charp) {}
void png_take(png_structp png, png_bytep to, size_t n) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (state->file.size() - state->at < n) png_error(png, "the file is cut short");
  std::memcpy(to, state->file.data() + state->at, n);
  state->at += n;
}

// The header, and what makes 8-bit grey or RGB of the rest. False after an error.
bool begin_png(png_structp png, png_infop info, int channels) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, 1 << 20, 1 << 20);
  png_set_chunk_malloc_max(png, 64 << 20);
  png_set_chunk_cache_max(png, 64);
  png_read_info(png, info);
  const int type = png_get_color_type(png, info);
  if (png_get_bit_depth(png, info) == 16) png_set_scale_16(png);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  const bool grey = !(type & PNG_COLOR_MASK_COLOR);
  if (grey && channels == 3) png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_png_rows(png_structp png, uint8_t** rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

struct PngReader {
  explicit PngReader(PngState& state) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, png_failed, png_warned);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) throw Error("no memory for a decoder");
    png_set_read_fn(png, &state, png_take);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  png_structp png;
  png_infop info;
};

Pixels read_png(Bytes file, int channels) {
  PngState state{file};
  PngReader reader(state);
  if (!begin_png(reader.png, reader.info, channels)) throw Error("{}", state.message);
  const int64_t height = png_get_image_height(reader.png, reader.info);
  const int64_t width = png_get_image_width(reader.png, reader.info);
  check_size(height, width);
  const Pixels to = new_pixels(png_get_channels(reader.png, reader.info), height, width);
  std::vector<uint8_t*> rows(static_cast<size_t>(height));
  for (int64_t y = 0; y < height; ++y) rows[size_t(y)] = to.row(y);
  if (!read_png_rows(reader.png, rows.data())) throw Error("{}", state.message);
  return channels == 1 ? to_grey(to) : to;
}

void png_give(png_structp png, png_bytep from, size_t n) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  state->out->insert(state->out->end(), from, from + n);
}
void png_flushed(png_structp) {}

struct PngWriter {
  explicit PngWriter(PngState& state) {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, png_failed, png_warned);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) throw Error("no memory for an encoder");
    png_set_write_fn(png, &state, png_give, png_flushed);
  }
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
  png_structp png;
  png_infop info;
};

bool write_png_rows(PngWriter& w, const Pixels& image) {
  if (setjmp(png_jmpbuf(w.png))) return false;
  png_set_IHDR(w.png, w.info, png_uint_32(image.width), png_uint_32(image.height), 8,
               image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  for (int64_t y = 0; y < image.height; ++y) png_write_row(w.png, image.row(y));
  png_write_end(w.png, nullptr);
  return true;
}

std::vector<uint8_t> write_png(const Pixels& image) {
  std::vector<uint8_t> out;
  PngState state;
  state.out = &out;
  PngWriter writer(state);
  if (!write_png_rows(writer, image)) throw Error("{}", state.message);
  return out;
}

// ---- WebP ---------------------------------------------------------------------------------------------------------

Pixels read_webp(Bytes file, int channels) {
  int width = 0, height = 0;
  if (!WebPGetInfo(file.data(), file.size(), &width, &height)) throw Error("it is no WebP file, or one cut short");
  check_size(height, width);
  const Pixels to = new_pixels(3, height, width);
  if (!WebPDecodeRGBInto(file.data(), file.size(), to.data, size_t(height * to.row_bytes()), int(to.row_bytes())))
    throw Error("its content is damaged or cut short");
  return channels == 1 ? to_grey(to) : to;
}

class AllCodecs final : public Codecs {
 public:
  Pixels jpeg(Bytes file, int channels) const override { return read_jpeg(file, channels); }
  Pixels png(Bytes file, int channels) const override { return read_png(file, channels); }
  Pixels webp(Bytes file, int channels) const override { return read_webp(file, channels); }
  std::vector<uint8_t> to_jpeg(const Pixels& image, int quality) const override { return write_jpeg(image, quality); }
  std::vector<uint8_t> to_png(const Pixels& image) const override { return write_png(image); }
};

const AllCodecs all;
[[maybe_unused]] const bool added = (add_codecs(&all), true);

}  // namespace
}  // namespace luth::data
