// IDX files: MNIST as it ships, every type, and every kind of damage.
#include "core/data/idx.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/core/io/io_util.h"

namespace luth {
namespace {

using namespace io::testing;

std::string idx(unsigned char type, std::vector<uint32_t> shape, const std::string& data) {
  std::string s{'\0', '\0', char(type), char(shape.size())};
  for (uint32_t n : shape)
    for (int shift : {24, 16, 8, 0}) s += char(n >> shift);
  return s + data;
}
void write_gzip(const std::string& path, const std::string& bytes) {
  gzFile f = gzopen(path.c_str(), "wb");
  gzwrite(f, bytes.data(), unsigned(bytes.size()));
  gzclose(f);
}

TEST(Idx, Mnist) {
  std::string folder = LUTH_SOURCE_DIR "/share/data/mnist/";
  Tensor x = read_idx(folder + "t10k-images-idx3-ubyte.gz"), y = read_idx(folder + "t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(describe(x), "uint8[10000, 28, 28]");
  EXPECT_EQ(describe(y), "uint8[10000]");
  EXPECT_EQ(y.data<uint8_t>()[0], 7);
  EXPECT_EQ(y.data<uint8_t>()[9999], 6);
  int64_t sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i) sum += x.data<uint8_t>()[i];
  EXPECT_NEAR(double(sum) / double(x.numel()) / 255, 0.13251, 1e-5);  // the well-known mean of the test images
}

TEST(Idx, TypesAreBigEndian) {
  Folder dir;
  auto read = [&](const std::string& bytes) { return spit(dir / "a", bytes), read_idx(dir / "a"); };
  EXPECT_EQ(read(idx(0x08, {2}, "\xff\x01")).data<uint8_t>()[0], 255);
  EXPECT_EQ(read(idx(0x09, {2}, "\xff\x01")).data<int8_t>()[0], -1);
  EXPECT_EQ(read(idx(0x0b, {1, 2}, "\x01\x02\xff\xfe")).data<int16_t>()[1], -2);
  EXPECT_EQ(read(idx(0x0c, {1}, "\x01\x02\x03\x04")).data<int32_t>()[0], 0x01020304);
  EXPECT_EQ(read(idx(0x0d, {1}, std::string("\x3f\x80\0\0", 4))).data<float>()[0], 1.0f);
  EXPECT_EQ(read(idx(0x0e, {1}, std::string("\x3f\xf0\0\0\0\0\0\0", 8))).data<double>()[0], 1.0);
  EXPECT_EQ(read(idx(0x08, {}, "\x05")).item().integer(), 5);
  EXPECT_EQ(read(idx(0x0d, {0, 3}, "")).numel(), 0);
}

TEST(Idx, Damage) {
  Folder dir;
  auto text = [&](const std::string& bytes) {
    spit(dir / "a", bytes);
    Failure f = failure([&] { read_idx(dir / "a"); });
    EXPECT_EQ(f.code, 1);
    EXPECT_TRUE(contains(f.text, dir / "a")) << f.text;
    return f.text;
  };
  std::string good = idx(0x08, {2, 3}, "abcdef");
  for (size_t n = 0; n < good.size(); ++n) EXPECT_TRUE(contains(text(good.substr(0, n)), "cut short")) << n;
  EXPECT_TRUE(contains(text(good + "x"), "follow"));
  EXPECT_TRUE(contains(text("PNG is not it"), "no IDX file"));
  EXPECT_TRUE(contains(text(idx(0x0a, {1}, "a")), "no IDX file"));
  EXPECT_TRUE(contains(text(idx(0x08, std::vector<uint32_t>(9, 1), "a")), "no IDX file"));
  EXPECT_TRUE(contains(text(idx(0x0e, std::vector<uint32_t>(8, 0xffffffff), "a")), "do not fit"));
  EXPECT_TRUE(contains(text(idx(0x08, {0xffffffff}, "a")), "do not fit"));
  EXPECT_TRUE(contains(failure([&] { read_idx(dir / "none"); }).text, "No such file"));
  EXPECT_TRUE(contains(failure([&] { read_idx(dir.path); }).text, "not a file"));
}

TEST(Idx, DamagedGzip) {
  Folder dir;
  std::string data;
  for (int i = 0; i < 5000; ++i) data += char(i * i % 251);
  std::string raw = idx(0x08, {50, 100}, data);
  write_gzip(dir / "good.gz", raw);
  std::string good = slurp(dir / "good.gz");
  EXPECT_EQ(bytes_of(read_idx(dir / "good.gz")), data);
  auto code = [&](const std::string& bytes) {
    spit(dir / "a.gz", bytes);
    Failure f = failure([&] { read_idx(dir / "a.gz"); });
    EXPECT_TRUE(!f.code || contains(f.text, dir / "a.gz")) << f.text;
    return f.code;
  };
  for (size_t n = 0; n < good.size(); n += 13) EXPECT_EQ(code(good.substr(0, n)), 1) << n;
  for (size_t i = 10; i < good.size(); i += 11) {  // the first ten bytes hold the time and the like
    std::string bad = good;
    bad[i] = char(bad[i] ^ 0x10);
    EXPECT_EQ(code(bad), 1) << i;
  }
  write_gzip(dir / "a.gz", raw + "x");
  EXPECT_TRUE(contains(failure([&] { read_idx(dir / "a.gz"); }).text, "follow"));
}

}  // namespace
}  // namespace luth
