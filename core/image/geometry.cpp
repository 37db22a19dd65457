#include "core/image/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace luth::data {

Interpolation interpolation_of(const std::string& name, const char* who) {
  if (name == "nearest") return Interpolation::nearest;
  if (name == "bilinear") return Interpolation::bilinear;
  if (name == "bicubic") return Interpolation::bicubic;
  throw Error("{}: interpolation is nearest, bilinear or bicubic, got '{}'", who, name);
}

// ---- parts --------------------------------------------------------------------------------------------------------

Pixels crop(const Pixels& from, const Box& box, uint8_t fill) {
  const Pixels to = new_pixels(from.channels, box.height, box.width);
  const int64_t x0 = std::max<int64_t>(0, box.left), x1 = std::min(from.width, box.left + box.width);
  for (int64_t y = 0; y < box.height; ++y) {
    const int64_t at = y + box.top;
    const bool inside = at >= 0 && at < from.height && x1 > x0;
    if (!inside || x1 - x0 < box.width) std::memset(to.row(y), fill, size_t(to.row_bytes()));
    if (inside) std::memcpy(to.at(y, x0 - box.left), from.at(at, x0), size_t((x1 - x0) * from.channels));
  }
  return to;
}

// The place within n pixels that stands for the place i outside.
static int64_t mirrored(int64_t i, int64_t n, const std::string& mode) {
  if (i >= 0 && i < n) return i;
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t around = mode == "symmetric" ? 2 * n : 2 * n - 2;
  i = ((i % around) + around) % around;
  return i < n ? i : (mode == "symmetric" ? 2 * n - 1 : 2 * n - 2) - i;
}

Pixels pad(const Pixels& from, const std::array<int64_t, 4>& sides, uint8_t fill, const std::string& mode) {
  const auto [left, top, right, bottom] = sides;
  const Box box{-top, -left, from.height + top + bottom, from.width + left + right};
  if (mode == "constant") return crop(from, box, fill);
  if (mode != "edge" && mode != "reflect" && mode != "symmetric")
    throw Error("padding_mode is constant, edge, reflect or symmetric, got '{}'", mode);
  if (mode == "reflect" && (from.height < 2 || from.width < 2))
    throw Error("an image of {} x {} pixels cannot be padded by reflection", from.height, from.width);
  const Pixels to = new_pixels(from.channels, box.height, box.width);
  for (int64_t y = 0; y < box.height; ++y)
    for (int64_t x = 0; x < box.width; ++x)
      std::memcpy(to.at(y, x), from.at(mirrored(y - top, from.height, mode), mirrored(x - left, from.width, mode)),
                  size_t(from.channels));
  return to;
}

template <int channels>
static void mirror_row(const uint8_t* from, uint8_t* to, int64_t width) {
  for (from += (width - 1) * channels; width > 0; --width, from -= channels, to += channels)
    std::memcpy(to, from, channels);
}
Pixels flip_horizontally(const Pixels& from) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  for (int64_t y = 0; y < from.height; ++y)
    (from.channels == 1 ? mirror_row<1> : mirror_row<3>)(from.row(y), to.row(y), from.width);
  return to;
}

Pixels flip_vertically(const Pixels& from) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  for (int64_t y = 0; y < from.height; ++y)
    std::memcpy(to.row(y), from.row(from.height - 1 - y), size_t(from.row_bytes()));
  return to;
}

// ---- another size -------------------------------------------------------------------------------------------------

namespace {

constexpr int bits = 22;  // of the fraction of a weight: 8 of the values and 2 of head-room are left

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }
// The cubic of Keys with a = -0.5 ("Cubic convolution interpolation for digital image processing", 1981).
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

// What each place of a line of `to` places is made of: pixels from `first` on, with weights in fixed point.
struct Weights {
  std::vector<int64_t> first, count;
  std::vector<int32_t> weight;
  int64_t most = 0;  // weights of a place
};

Weights weights_of(int64_t n, int64_t to, Interpolation how, bool antialias) {
  const double scale = double(n) / double(to), wide = antialias ? std::max(1.0, scale) : 1.0;
  const double support = (how == Interpolation::bicubic ? 2.0 : 1.0) * wide;
  Weights w;
  w.most = int64_t(std::ceil(support)) * 2 + 1;
  w.weight.assign(size_t(to * w.most), 0);
  std::vector<double> line(size_t(w.most));
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (double(i) + 0.5) * scale;
    const int64_t first = std::max<int64_t>(0, int64_t(centre - support + 0.5));
    const int64_t end = std::min(n, int64_t(centre + support + 0.5));
    double sum = 0;
    for (int64_t k = first; k < end; ++k) {
      const double x = (double(k) - centre + 0.5) / wide;
      sum += line[size_t(k - first)] = how == Interpolation::bicubic ? cubic(x) : triangle(x);
    }
    for (int64_t k = 0; k < end - first; ++k) {
      const double v = sum != 0 ? line[size_t(k)] / sum : line[size_t(k)];
      w.weight[size_t(i * w.most + k)] = int32_t((v < 0 ? -0.5 : 0.5) + v * (1 << bits));
    }
    w.first.push_back(first);
    w.count.push_back(end - first);
  }
  return w;
}

uint8_t rounded(int32_t sum) { return uint8_t(std::clamp(sum >> bits, 0, 255)); }

template <int channels>
void resize_row(const uint8_t* from, uint8_t* to, int64_t width, const Weights& w) {
  for (int64_t x = 0; x < width; ++x) {
    int32_t sum[channels];
    std::fill(sum, sum + channels, 1 << (bits - 1));
    const int32_t* weight = w.weight.data() + x * w.most;
    const uint8_t* p = from + w.first[size_t(x)] * channels;
    for (int64_t k = 0; k < w.count[size_t(x)]; ++k, p += channels)
      for (int c = 0; c < channels; ++c) sum[c] += weight[k] * p[c];
    for (int c = 0; c < channels; ++c) to[x * channels + c] = rounded(sum[c]);
  }
}

Pixels resize_rows(const Pixels& from, int64_t width, const Weights& w) {
  const Pixels to = new_pixels(from.channels, from.height, width);
  for (int64_t y = 0; y < from.height; ++y)
    (from.channels == 1 ? resize_row<1> : resize_row<3>)(from.row(y), to.row(y), width, w);
  return to;
}

// sum += weight * row. Processors without products of 32 bits in vectors have those of 16 bits, so the weight is taken
// as two halves.
void add_row(const uint8_t* row, int32_t weight, int32_t* sum, int64_t n) {
  constexpr int half = 15;
  const auto low = int16_t(weight & ((1 << half) - 1)), high = int16_t(weight >> half);
  for (int64_t x = 0; x < n; ++x) {
    const auto value = int16_t(row[x]);
    sum[x] += low * value + (high * value) * (1 << half);
  }
}

Pixels resize_columns(const Pixels& from, int64_t height, const Weights& w) {
  const Pixels to = new_pixels(from.channels, height, from.width);
  const int64_t n = from.row_bytes();
  std::vector<int32_t> sum(static_cast<size_t>(n));
  for (int64_t y = 0; y < height; ++y) {
    std::fill(sum.begin(), sum.end(), 1 << (bits - 1));
    for (int64_t k = 0; k < w.count[size_t(y)]; ++k)
      add_row(from.row(w.first[size_t(y)] + k), w.weight[size_t(y * w.most + k)], sum.data(), n);
    uint8_t* out = to.row(y);
    for (int64_t x = 0; x < n; ++x) out[x] = rounded(sum[size_t(x)]);
  }
  return to;
}

// The source pixels at `at`, `at` + step, …, in steps, as Pillow has them, which decides ties; -1 below the first.
std::vector<int64_t> places(double at, double step, int64_t count) {
  std::vector<int64_t> all;
  for (; int64_t(all.size()) < count; at += step) all.push_back(at < 0 ? -1 : int64_t(at));
  return all;
}
// Those that the middle of each of `to` pixels lies in.
std::vector<int64_t> middles(int64_t n, int64_t to) {
  const double step = double(n) / double(to);
  std::vector<int64_t> all = places(step * 0.5, step, to);
  for (int64_t& place : all) place = std::min(place, n - 1);
  return all;
}
Pixels resize_nearest(const Pixels& from, int64_t height, int64_t width) {
  const Pixels to = new_pixels(from.channels, height, width);
  const std::vector<int64_t> rows = middles(from.height, height), columns = middles(from.width, width);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      std::memcpy(to.at(y, x), from.at(rows[size_t(y)], columns[size_t(x)]), size_t(from.channels));
  return to;
}

}  // namespace

Pixels resize(const Pixels& from, int64_t height, int64_t width, Interpolation how, bool antialias) {
  if (height < 1 || width < 1) throw Error("an image cannot be resized to {} x {} pixels", height, width);
  if (how == Interpolation::nearest) return resize_nearest(from, height, width);
  const int64_t fewer_rows = from.height - height, fewer_columns = from.width - width;
  const bool columns_first = fewer_rows > 0 && fewer_rows > 2 * fewer_columns;
  Pixels now = from;
  for (bool columns : {columns_first, !columns_first})
    if (columns && height != from.height)
      now = resize_columns(now, height, weights_of(from.height, height, how, antialias));
    else if (!columns && width != from.width)
      now = resize_rows(now, width, weights_of(from.width, width, how, antialias));
  return now;
}

// ---- another place ------------------------------------------------------------------------------------------------

namespace {

// Where the point of the result's pixel (x, y) lies in the source.
std::array<double, 2> source_of(const Projection& p, int64_t x, int64_t y) {
  const double u = double(x) + 0.5, v = double(y) + 0.5, w = p[6] * u + p[7] * v + 1;
  return {(p[0] * u + p[1] * v + p[2]) / w, (p[3] * u + p[4] * v + p[5]) / w};
}

void sample_bilinear(const Pixels& from, double x, double y, uint8_t* to) {
  x -= 0.5, y -= 0.5;
  const int64_t x0 = int64_t(std::floor(x)), y0 = int64_t(std::floor(y));
  const double dx = x - double(x0), dy = y - double(y0);
  const int64_t xa = std::clamp<int64_t>(x0, 0, from.width - 1), xb = std::clamp<int64_t>(x0 + 1, 0, from.width - 1);
  const int64_t ya = std::clamp<int64_t>(y0, 0, from.height - 1), yb = std::clamp<int64_t>(y0 + 1, 0, from.height - 1);
  for (int64_t c = 0; c < from.channels; ++c) {
    const double upper = from.at(ya, xa)[c] * (1 - dx) + from.at(ya, xb)[c] * dx;
    const double lower = from.at(yb, xa)[c] * (1 - dx) + from.at(yb, xb)[c] * dx;
    to[c] = uint8_t(upper * (1 - dy) + lower * dy + 0.5);
  }
}

// Pixel (x, y) becomes that of the source at (u, v), or `fill` where there is none.
void take(const Pixels& from, int64_t u, int64_t v, const Pixels& to, int64_t x, int64_t y, uint8_t fill) {
  if (u >= 0 && u < from.width && v >= 0 && v < from.height)
    std::memcpy(to.at(y, x), from.at(v, u), size_t(to.channels));
  else
    std::memset(to.at(y, x), fill, size_t(to.channels));
}

// The nearest pixels of a projection without perspective, as Pillow has them: with 16 bits of fraction, or in steps
// where nothing turns.
void project_nearest(const Pixels& from, const Pixels& to, const Projection& p, uint8_t fill) {
  const double first[2] = {p[2] + p[0] * 0.5 + p[1] * 0.5, p[5] + p[3] * 0.5 + p[4] * 0.5};
  if (p[1] == 0 && p[3] == 0) {
    const std::vector<int64_t> columns = places(first[0], p[0], to.width), rows = places(first[1], p[4], to.height);
    for (int64_t y = 0; y < to.height; ++y)
      for (int64_t x = 0; x < to.width; ++x) take(from, columns[size_t(x)], rows[size_t(y)], to, x, y, fill);
    return;
  }
  const auto fixed = [](double v) { return int64_t(std::floor(v * 65536 + 0.5)); };
  const int64_t right[2] = {fixed(p[0]), fixed(p[3])}, down[2] = {fixed(p[1]), fixed(p[4])};
  const int64_t start[2] = {fixed(first[0]), fixed(first[1])};
  for (int64_t y = 0; y < to.height; ++y)
    for (int64_t x = 0; x < to.width; ++x)
      take(from, (start[0] + x * right[0] + y * down[0]) >> 16, (start[1] + x * right[1] + y * down[1]) >> 16, to, x, y,
           fill);
}

}  // namespace

Pixels project(const Pixels& from, int64_t height, int64_t width, const Projection& p, Interpolation how,
               uint8_t fill) {
  const Pixels to = new_pixels(from.channels, height, width);
  if (how == Interpolation::nearest && p[6] == 0 && p[7] == 0) return project_nearest(from, to, p, fill), to;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const auto [u, v] = source_of(p, x, y);
      if (!(u >= 0 && u < double(from.width) && v >= 0 && v < double(from.height)))
        std::memset(to.at(y, x), fill, size_t(to.channels));
      else if (how == Interpolation::nearest)
        std::memcpy(to.at(y, x), from.at(int64_t(v), int64_t(u)), size_t(to.channels));
      else
        sample_bilinear(from, u, v, to.at(y, x));
    }
  return to;
}

Projection affine(const Pixels& of, double degrees, double move_x, double move_y, double scale, double shear_x,
                  double shear_y) {
  constexpr double radian = 3.14159265358979323846 / 180;
  const double turn = degrees * radian, sx = shear_x * radian, sy = shear_y * radian;
  const double cx = double(of.width) / 2, cy = double(of.height) / 2;
  // the forward matrix is turn · shear_y · shear_x · scale; this is its inverse, around the centre
  const double a = std::cos(turn - sy) / std::cos(sy);
  const double b = -std::cos(turn - sy) * std::tan(sx) / std::cos(sy) - std::sin(turn);
  const double c = std::sin(turn - sy) / std::cos(sy);
  const double d = -std::sin(turn - sy) * std::tan(sx) / std::cos(sy) + std::cos(turn);
  const double m[4] = {d / scale, -b / scale, -c / scale, a / scale};
  const double x = -cx - move_x, y = -cy - move_y;
  return {m[0], m[1], m[0] * x + m[1] * y + cx, m[2], m[3], m[2] * x + m[3] * y + cy, 0, 0};
}

Projection perspective(const Corners& from, const Corners& to) {
  double m[8][9];
  for (size_t i = 0; i < 4; ++i) {
    const auto [x, y] = to[i];
    const auto [u, v] = from[i];
    const double first[9] = {x, y, 1, 0, 0, 0, -u * x, -u * y, u};
    const double second[9] = {0, 0, 0, x, y, 1, -v * x, -v * y, v};
    std::copy(first, first + 9, m[2 * i]);
    std::copy(second, second + 9, m[2 * i + 1]);
  }
  for (size_t k = 0; k < 8; ++k) {  // Gauss and Jordan, with the largest pivot of each column
    size_t pivot = k;
    for (size_t i = k + 1; i < 8; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (std::abs(m[pivot][k]) < 1e-12) throw Error("these corners have no perspective");
    std::swap_ranges(m[k], m[k] + 9, m[pivot]);
    for (size_t i = 0; i < 8; ++i)
      for (size_t j = 9; i != k && j-- > k;) m[i][j] -= m[i][k] / m[k][k] * m[k][j];
  }
  Projection p;
  for (size_t k = 0; k < 8; ++k) p[k] = m[k][8] / m[k][k];
  return p;
}

}  // namespace luth::data
