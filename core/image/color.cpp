#include "core/image/color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace luth::data {
namespace {

template <class F>
Pixels each_byte(const Pixels& from, F f) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  const int64_t n = from.height * from.row_bytes();
  for (int64_t i = 0; i < n; ++i) to.data[i] = f(from.data[i]);
  return to;
}

// f(byte) for each of the 256 values, once.
template <class F>
Pixels by_table(const Pixels& from, F f) {
  std::array<uint8_t, 256> table;
  for (int i = 0; i < 256; ++i) table[size_t(i)] = f(i);
  return each_byte(from, [&](uint8_t v) { return table[v]; });
}

uint8_t cut(double v) { return uint8_t(std::clamp(v, 0.0, 255.0)); }

// From `zero` over the image on: zero + factor (image - zero).
Pixels blend(const Pixels& zero, const Pixels& from, double factor) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  const int64_t n = from.height * from.row_bytes();
  const float f = float(factor);
  for (int64_t i = 0; i < n; ++i) {
    const float v = float(zero.data[i]) + f * float(int(from.data[i]) - int(zero.data[i]));
    to.data[i] = uint8_t(std::clamp(v, 0.0f, 255.0f));
  }
  return to;
}

Pixels all_equal(const Pixels& like, uint8_t value) {
  const Pixels to = new_pixels(like.channels, like.height, like.width);
  std::memset(to.data, value, size_t(to.height * to.row_bytes()));
  return to;
}

// How often each value is in each channel.
std::vector<std::array<int64_t, 256>> histograms(const Pixels& from) {
  std::vector<std::array<int64_t, 256>> counts(size_t(from.channels));
  for (auto& h : counts) h.fill(0);
  const int64_t n = from.height * from.width;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < from.channels; ++c) ++counts[size_t(c)][from.data[i * from.channels + c]];
  return counts;
}

using Table = std::array<uint8_t, 256>;
Pixels by_tables(const Pixels& from, const std::vector<Table>& tables) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  const int64_t n = from.height * from.width;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < from.channels; ++c)
      to.data[i * from.channels + c] = tables[size_t(c)][from.data[i * from.channels + c]];
  return to;
}

Table identity() {
  Table t;
  for (int i = 0; i < 256; ++i) t[size_t(i)] = uint8_t(i);
  return t;
}

}  // namespace

Pixels to_grey(const Pixels& from) {
  if (from.channels == 1) return from;
  const Pixels to = new_pixels(1, from.height, from.width);
  const int64_t n = from.height * from.width;
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t* p = from.data + 3 * i;
    to.data[i] = uint8_t((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 0x8000) >> 16);
  }
  return to;
}

Pixels repeat_grey(const Pixels& grey, int64_t channels) {
  if (channels == 1) return grey;
  const Pixels to = new_pixels(channels, grey.height, grey.width);
  const int64_t n = grey.height * grey.width;
  for (int64_t i = 0; i < n; ++i) std::memset(to.data + i * channels, grey.data[i], size_t(channels));
  return to;
}

Pixels brightness(const Pixels& from, double factor) {
  return by_table(from, [&](int v) { return cut(v * factor); });
}

Pixels contrast(const Pixels& from, double factor) {
  const Pixels grey = to_grey(from);
  const int64_t n = grey.height * grey.width;
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += grey.data[i];
  return blend(all_equal(from, uint8_t(double(sum) / double(n) + 0.5)), from, factor);
}

Pixels saturation(const Pixels& from, double factor) {
  return from.channels == 1 ? from : blend(repeat_grey(to_grey(from), from.channels), from, factor);
}

Pixels sharpness(const Pixels& from, double factor) {
  const Pixels smooth = copy_of(from);  // 3 x 3: 5 in the middle, 1 around; the edge stays
  for (int64_t y = 1; y + 1 < from.height; ++y)
    for (int64_t x = 1; x + 1 < from.width; ++x)
      for (int64_t c = 0; c < from.channels; ++c) {
        int sum = 4 * from.at(y, x)[c];
        for (int64_t v = y - 1; v <= y + 1; ++v)
          for (int64_t u = x - 1; u <= x + 1; ++u) sum += from.at(v, u)[c];
        smooth.at(y, x)[c] = uint8_t(double(sum) / 13 + 0.5);
      }
  return blend(smooth, from, factor);
}

namespace {

// Hue, saturation and value as bytes, each cut to a whole number, as Pillow has them; A. R. Smith, "Color gamut
// transform pairs", 1978.
std::array<uint8_t, 3> to_hsv(const uint8_t* p) {
  const int r = p[0], g = p[1], b = p[2], high = std::max({r, g, b}), low = std::min({r, g, b});
  if (high == low) return {0, 0, uint8_t(high)};
  const float range = float(high - low);
  const auto below = [&](int v) { return float(high - v) / range; };
  const float sixths = r == high   ? below(b) - below(g)
                       : g == high ? float(2.0 + below(r) - below(b))
                                   : float(4.0 + below(g) - below(r));
  const float h = float(std::fmod(sixths / 6.0 + 1, 1.0));
  return {cut(double(h) * 255), cut(double(range / float(high)) * 255), uint8_t(high)};
}

void from_hsv(const std::array<uint8_t, 3>& hsv, uint8_t* to) {
  const float h = float(hsv[0] * 6.0 / 255), s = float(hsv[1] / 255.0), f = h - std::floor(h);
  const auto darker = [&](double part) { return uint8_t(std::round(hsv[2] * (1 - part))); };
  const uint8_t v = hsv[2], p = darker(double(s)), q = darker(double(s * f)), t = darker(s * (1.0 - double(f)));
  const uint8_t rgb[6][3] = {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}};
  std::memcpy(to, rgb[int(h) % 6], 3);
}

}  // namespace

Pixels hue(const Pixels& from, double turn) {
  if (from.channels == 1) return from;
  const Pixels to = new_pixels(3, from.height, from.width);
  const int64_t n = from.height * from.width;
  for (int64_t i = 0; i < n; ++i) {
    auto hsv = to_hsv(from.data + 3 * i);
    hsv[0] = uint8_t(hsv[0] + int(turn * 255));  // of 255 around the circle; beyond, it begins anew
    from_hsv(hsv, to.data + 3 * i);
  }
  return to;
}

Pixels invert(const Pixels& from) {
  return each_byte(from, [](uint8_t v) { return uint8_t(255 - v); });
}
Pixels posterize(const Pixels& from, int bits) {
  const uint8_t mask = uint8_t(0xff00 >> bits);
  return each_byte(from, [=](uint8_t v) { return uint8_t(v & mask); });
}
Pixels solarize(const Pixels& from, double threshold) {
  return by_table(from, [=](int v) { return uint8_t(v < threshold ? v : 255 - v); });
}

Pixels autocontrast(const Pixels& from) {
  std::vector<Table> tables;
  for (auto& h : histograms(from)) {
    int low = 0, high = 255;
    while (low < 255 && h[size_t(low)] == 0) ++low;
    while (high > 0 && h[size_t(high)] == 0) --high;
    Table t = identity();
    for (int i = 0; high > low && i < 256; ++i) t[size_t(i)] = cut((i - low) * (255.0 / (high - low)));
    tables.push_back(t);
  }
  return by_tables(from, tables);
}

Pixels equalize(const Pixels& from) {
  std::vector<Table> tables;
  for (auto& h : histograms(from)) {
    int64_t total = 0, last = 0, kinds = 0;
    for (int64_t n : h)
      if (n) total += n, last = n, ++kinds;
    const int64_t step = (total - last) / 255;
    Table t = identity();
    int64_t sum = step / 2;
    for (size_t i = 0; kinds > 1 && step > 0 && i < 256; ++i) {
      t[i] = uint8_t(std::min<int64_t>(255, sum / step));
      sum += h[i];
    }
    tables.push_back(t);
  }
  return by_tables(from, tables);
}

// ---- blurring -----------------------------------------------------------------------------------------------------

namespace {

std::vector<float> gauss(int64_t size, double sigma) {
  std::vector<float> weights(static_cast<size_t>(size));
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double x = (double(i) - double(size - 1) / 2) / sigma;
    sum += weights[size_t(i)] = float(std::exp(-0.5 * x * x));
  }
  for (float& w : weights) w = float(w / sum);
  return weights;
}

int64_t reflected(int64_t i, int64_t n) {
  if (n == 1) return 0;
  const int64_t around = 2 * n - 2;
  i = ((i % around) + around) % around;
  return i < n ? i : around - i;
}

}  // namespace

Pixels gaussian_blur(const Pixels& from, int64_t width, int64_t height, double sigma) {
  const std::vector<float> across = gauss(width, sigma), down = gauss(height, sigma);
  const int64_t n = from.row_bytes();
  std::vector<float> rows(size_t(from.height * n)), line(static_cast<size_t>(n));
  for (int64_t y = 0; y < from.height; ++y)
    for (int64_t x = 0; x < from.width; ++x)
      for (int64_t c = 0; c < from.channels; ++c) {
        float sum = 0;
        for (int64_t k = 0; k < width; ++k)
          sum += across[size_t(k)] * from.at(y, reflected(x + k - width / 2, from.width))[c];
        rows[size_t(y * n + x * from.channels + c)] = sum;
      }
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  for (int64_t y = 0; y < from.height; ++y) {
    std::fill(line.begin(), line.end(), 0.5f);
    for (int64_t k = 0; k < height; ++k) {
      const float* row = rows.data() + reflected(y + k - height / 2, from.height) * n;
      for (int64_t i = 0; i < n; ++i) line[size_t(i)] += down[size_t(k)] * row[i];
    }
    for (int64_t i = 0; i < n; ++i) to.row(y)[i] = uint8_t(std::clamp(line[size_t(i)], 0.0f, 255.0f));
  }
  return to;
}

}  // namespace luth::data
