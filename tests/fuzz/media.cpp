// Reads mutants of images and tar shards. README.md says what each must do.
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <vector>

#include "core/data/web_dataset.h"
#include "core/image/codecs.h"
#include "core/io/npy.h"
#include "tests/core/io/io_util.h"
#include "tests/fuzz/mutations.h"

namespace luth::testing {
namespace {

using io::testing::slurp;
using io::testing::spit;
using Clock = std::chrono::steady_clock;

struct SeedFile {
  std::string name, bytes;
  std::function<void(const std::string& path)> read;
  std::vector<size_t> places;                // those that matter, where sums are repaired; empty: all
  std::function<void(std::string&)> repair;  // makes the sums of a mutant right; empty: there are none
};

void read_picture(const std::string& path) {
  for (int channels : {0, 1, 3}) data::read_image(path, channels);
}

// ---- PNG: a checksum follows each piece ----

uint32_t crc_of(const char* bytes, size_t n) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < n; ++i) {
    crc ^= uint8_t(bytes[i]);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}
void repair_png(std::string& s) {
  for (size_t at = 8; at + 12 <= s.size();) {
    uint32_t n = 0;
    for (size_t i = 0; i < 4; ++i) n = n << 8 | uint8_t(s[at + i]);
    if (n > s.size() - at - 12) return;
    const uint32_t crc = crc_of(s.data() + at + 4, n + 4);
    for (size_t i = 0; i < 4; ++i) s[at + 8 + n + i] = char(crc >> (24 - 8 * i));
    at += 12 + n;
  }
}

// ---- tar ----

constexpr size_t block = 512;

void set_checksum(char* header) {
  std::memset(header + 148, ' ', 8);
  unsigned sum = 0;
  for (size_t i = 0; i < block; ++i) sum += uint8_t(header[i]);
  const std::string text = fmt::format("{:06o}", sum);
  std::memcpy(header + 148, text.c_str(), 7);
}
std::string member(const std::string& name, const std::string& bytes, char kind = '0') {
  std::string head(block, '\0');
  std::memcpy(head.data(), name.data(), name.size());
  std::memcpy(head.data() + 124, fmt::format("{:011o}", bytes.size()).data(), 11);
  head[156] = kind;
  std::memcpy(head.data() + 257, "ustar", 6);
  std::memcpy(head.data() + 263, "00", 2);
  set_checksum(head.data());
  return head + bytes + std::string((block - bytes.size() % block) % block, '\0');
}
SeedFile shard(const std::string& picture, const std::string& array) {
  SeedFile seed{"shard.tar", "", {}, {}, {}};
  std::vector<size_t> heads;
  const auto add = [&](const std::string& bytes) {
    heads.push_back(seed.bytes.size());
    seed.bytes += bytes;
  };
  for (int i = 0; i < 3; ++i) {
    const std::string key = fmt::format("a/{:04}", i);
    add(member("././@PaxHeader", "19 path=a/000" + std::to_string(i) + ".png\n", 'x'));
    add(member(key + ".png", picture));
    add(member("././@LongLink", key + ".cls", 'L'));
    add(member(key + ".cls", std::to_string(i) + "\n"));
    add(member(key + ".json", "{\"id\": 3}"));
    add(member(key + ".npy", array));
  }
  seed.bytes += std::string(2 * block, '\0');
  for (size_t head : heads)
    for (size_t i : {0, 1, 2, 100, 124, 125, 127, 130, 134, 135, 156, 257, 345, 512, 513, 515, 520, 526})
      seed.places.push_back(head + i);
  seed.repair = [heads](std::string& s) {
    for (size_t head : heads)
      if (head + block <= s.size()) set_checksum(s.data() + head);
  };
  seed.read = [](const std::string& path) {
    data::WebDatasetSpec spec;
    spec.shards = {path};
    spec.fields = {"__key__", "png", "cls", "json", "npy"};
    spec.array = io::parse_npy;
    data::WebDataset set(spec);
    for (int64_t i = 0; i < set.size(); ++i) set.get(i, {});
  };
  return seed;
}

std::vector<SeedFile> seeds() {
  std::vector<SeedFile> all;
  const std::string pictures = LUTH_SOURCE_DIR "/tests/golden/images/";
  for (const char* name : {"rgb.jpg", "grey.jpg", "cmyk.jpg", "rgb.png", "grey16.png", "palette.png", "rgba.png",
                           "rgb.webp", "rgb.bmp", "palette.bmp", "bits.bmp"}) {
    SeedFile seed{name, slurp(pictures + name), read_picture, {}, {}};
    if (seed.bytes.empty()) throw Error("'{}' is missing", name);
    if (seed.name.ends_with(".png")) seed.repair = repair_png;
    all.push_back(std::move(seed));
  }
  all.push_back(shard(slurp(pictures + "grey.png"), slurp(LUTH_SOURCE_DIR "/tests/data/fortran.npy")));
  return all;
}

class Campaign {
 public:
  explicit Campaign(const Options& o)
      : path_(o.keep + "/luth-media-mutant-" + std::to_string(::getpid())), random_(o.seed), files_(seeds()) {
    std::erase_if(files_, [&](auto& f) { return f.name.find(o.only) == f.name.npos; });
    if (files_.empty()) throw Error("no file has '{}' in its name", o.only);
    std::cout << "seed " << o.seed << "; the mutant at work is " << path_ << std::endl;
    for (auto& seed : files_) {  // they are valid
      spit(path_, seed.bytes);
      seed.read(path_);
    }
    const auto end = Clock::now() + std::chrono::duration<double>(o.minutes * 60);
    for (; Clock::now() < end && failures_ == 0 && mutants_ < o.mutants; ++mutants_)
      one(files_[random_.below(files_.size())]);
  }
  int report() {
    for (auto& [name, n] : counts_) std::cout << name << ": " << n.first << " mutants, " << n.second << " read\n";
    std::cout << mutants_ << " mutants, " << processor_seconds() << " s of processor time; "
              << (failures_ ? "the last mutant broke a rule: " + path_ : "no rule was broken") << "\n";
    if (!failures_) std::filesystem::remove(path_);
    return failures_ ? 1 : 0;
  }

 private:
  void one(const SeedFile& seed) {
    const bool repaired = seed.repair && random_.below(4);
    std::string bytes = seed.bytes;
    for (uint64_t n = 1 + random_.below(random_.below(4) ? 2 : 12); n > 0; --n)
      random_.change(bytes, repaired && !seed.places.empty() && random_.below(4)
                                ? seed.places[random_.below(seed.places.size())]
                                : random_.below(seed.bytes.size()));
    if (repaired) seed.repair(bytes);
    spit(path_, bytes);
    auto& [mutants, read] = counts_[seed.name + (repaired ? ", sums repaired" : "")];
    ++mutants;
    const double start = processor_seconds();
    try {
      seed.read(path_);
      ++read;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::runtime && e.code() != ErrorCode::checkpoint)
        broken(std::string("an error that is not the file's: ") + e.what());
    } catch (const std::exception& e) { broken(e.what()); }
    if (processor_seconds() - start > 10) broken("it took more than 10 seconds of processor time");
  }
  void broken(const std::string& rule) {
    std::cout << rule << "\n";
    ++failures_;
  }

  std::string path_;
  Mutations random_;
  std::vector<SeedFile> files_;
  std::map<std::string, std::pair<int64_t, int64_t>> counts_;
  uint64_t mutants_ = 0;
  int failures_ = 0;
};

}  // namespace
}  // namespace luth::testing

int main(int argc, char** argv) {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit memory{uint64_t(3) << 30, uint64_t(3) << 30};  // an image has 512 MiB at most
  setrlimit(RLIMIT_AS, &memory);
#endif
  return luth::testing::Campaign(luth::testing::options(argc, argv)).report();
}
