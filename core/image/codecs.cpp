#include "core/image/codecs.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "core/device/device.h"
#include "core/image/color.h"
#include "core/image/file.h"

namespace luth::data {
namespace {

std::atomic<const Codecs*> opened = nullptr;

const Codecs& codecs() {
  if (const Codecs* c = opened) return *c;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!opened) {
    const std::string trouble = open_library("images");
    if (!opened)
      throw Error(
          "JPEG, PNG and WebP files cannot be used: {}; luth is built with them where libturbojpeg, libpng and "
          "libwebp are installed (Debian: libturbojpeg0-dev libpng-dev libwebp-dev)",
          trouble);
  }
  return *opened;
}

bool begins(Bytes file, std::string_view with, size_t at = 0) {
  return file.size() >= at + with.size() && std::memcmp(file.data() + at, with.data(), with.size()) == 0;
}

constexpr std::array<std::string_view, 6> suffixes{".jpg", ".jpeg", ".png", ".webp", ".bmp", ".jfif"};
constexpr uint64_t most_bytes = uint64_t(1) << 30;

Pixels decode(Bytes file, int channels) {
  if (file.empty()) throw Error("the file is empty");
  if (begins(file, "\xff\xd8\xff")) return codecs().jpeg(file, channels);
  if (begins(file, "\x89PNG\r\n\x1a\n")) return codecs().png(file, channels);
  if (begins(file, "RIFF") && begins(file, "WEBP", 8)) return codecs().webp(file, channels);
  if (begins(file, "BM")) return decode_bmp(file, channels);
  throw Error("it is no JPEG, PNG, WebP or BMP file");
}

}  // namespace

Codecs::~Codecs() = default;
void add_codecs(const Codecs* codecs) { opened = codecs; }
std::span<const std::string_view> image_suffixes() { return suffixes; }

Pixels decode_image(Bytes file, int channels, const std::string& name) {
  if (channels != 0 && channels != 1 && channels != 3) throw Error("an image has 1 or 3 channels, not {}", channels);
  try {
    return decode(file, channels);
  } catch (const Error& e) { throw Error(e.code(), "cannot read the image '{}': {}", path_text(name), e.what()); }
}

Pixels read_image(const std::string& path, int channels) {
  const File file(path);
  if (file.size() > most_bytes)
    throw Error("cannot read the image '{}': it has {} bytes, more than 2^30", path_text(path), file.size());
  std::vector<uint8_t> bytes(file.size());
  file.read(bytes.data(), bytes.size(), 0);
  return decode_image(bytes, channels, path);
}

std::vector<uint8_t> encode_image(const Pixels& image, const std::string& path, int quality) {
  if (quality < 1 || quality > 100) throw Error("quality is from 1 to 100, got {}", quality);
  std::string suffix = path.substr(std::min(path.size(), path.rfind('.')));
  for (char& c : suffix) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (suffix == ".png") return codecs().to_png(image);
  if (suffix == ".jpg" || suffix == ".jpeg") return codecs().to_jpeg(image, quality);
  throw Error("cannot write '{}': images are written as .png, .jpg or .jpeg", path);
}

// ---- BMP ----------------------------------------------------------------------------------------------------------

namespace {

// Little-endian, `n` bytes at `at`.
uint32_t number(Bytes file, size_t at, int n) {
  if (file.size() < at + size_t(n)) throw Error("the file is cut short");
  uint32_t v = 0;
  for (int i = 0; i < n; ++i) v |= uint32_t(file[at + size_t(i)]) << (8 * i);
  return v;
}

struct Bmp {
  int64_t width, height;
  bool upside_down;  // the last row comes first
  uint32_t bits, data;
  size_t palette;
  uint32_t colors;
};

Bmp header_of(Bytes file) {
  const uint32_t header = number(file, 14, 4);
  if (header < 40) throw Error("it is a BMP file of OS/2, which luth does not read");
  const auto height = int32_t(number(file, 22, 4));
  Bmp b{int32_t(number(file, 18, 4)), std::abs(int64_t(height)), height > 0,         number(file, 28, 2),
        number(file, 10, 4),          size_t(14) + header,       number(file, 46, 4)};
  const uint32_t compression = number(file, 30, 4);
  const bool plain = compression == 0 || (compression == 3 && b.bits == 32);
  if (!plain) throw Error("it is a compressed BMP file, which luth does not read");
  if (b.bits != 1 && b.bits != 4 && b.bits != 8 && b.bits != 24 && b.bits != 32)
    throw Error("it is a BMP file of {} bits a pixel, which luth does not read", b.bits);
  if (b.colors == 0 || b.colors > 256) b.colors = b.bits <= 8 ? 1u << b.bits : 0;
  return b;
}

}  // namespace

Pixels decode_bmp(Bytes file, int channels) {
  const Bmp b = header_of(file);
  if (b.width < 1 || b.height < 1 || b.width > most_pixels || b.height > most_pixels / b.width)
    throw Error("an image of {} x {} pixels is none that luth takes", b.height, b.width);
  const int64_t stride = (b.width * b.bits + 31) / 32 * 4;
  if (int64_t(file.size()) < int64_t(b.data) + stride * b.height) throw Error("the file is cut short");
  if (b.bits <= 8) number(file, b.palette + 4 * (b.colors - 1), 4);  // the palette is there
  const Pixels to = new_pixels(3, b.height, b.width);
  for (int64_t y = 0; y < b.height; ++y) {
    const uint8_t* row = file.data() + b.data + stride * (b.upside_down ? b.height - 1 - y : y);
    for (int64_t x = 0; x < b.width; ++x) {
      const uint8_t* p = row + x * b.bits / 8;
      if (b.bits <= 8) {
        const uint32_t shift = 8 - b.bits - uint32_t(x * b.bits % 8), index = (*p >> shift) & ((1u << b.bits) - 1);
        if (index >= b.colors) throw Error("a pixel has a colour that the palette does not have");
        p = file.data() + b.palette + 4 * index;
      }
      for (int c = 0; c < 3; ++c) to.at(y, x)[c] = p[2 - c];  // blue comes first
    }
  }
  return channels == 1 ? to_grey(to) : to;
}

}  // namespace luth::data
