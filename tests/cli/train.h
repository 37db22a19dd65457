#pragma once
// Small data sets and recipes for tests of `luth train` and `luth eval`.
#include <sys/mount.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/run.h"

namespace luth::testing {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline int lines(const std::string& text) { return int(std::count(text.begin(), text.end(), '\n')); }

// An IDX file of bytes: magic 0, 0, 8 (uint8), number of dims, big-endian sizes, elements.
inline std::string idx(const std::vector<uint32_t>& sizes, const std::string& bytes) {
  std::string s{'\0', '\0', '\x08', char(sizes.size())};
  for (uint32_t n : sizes)
    for (int shift : {24, 16, 8, 0}) s += char(n >> shift & 255);
  return s + bytes;
}

// Image i of `side` x `side` points shows digit i % 10 as a bright row or column, so that a net can learn it.
inline std::string idx_images(uint32_t n, uint32_t side) {
  std::string bytes;
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t p = 0; p < side * side; ++p) {
      const uint32_t digit = i % 10, line = digit % 5, at = digit < 5 ? p / side : p % side;
      bytes += char(at == line ? 220 : (i * 31 + p * 7) % 23);
    }
  return idx({n, side, side}, bytes);
}
inline std::string idx_labels(uint32_t n) {
  std::string bytes;
  for (uint32_t i = 0; i < n; ++i) bytes += char(i % 10);
  return idx({n}, bytes);
}

// The four files of MNIST below dir/folder.
inline void write_mnist(const TempDir& dir, const std::string& folder, uint32_t n, uint32_t side) {
  for (const std::string part : {"train", "t10k"}) {
    dir.write(folder + "/" + part + "-images-idx3-ubyte", idx_images(n, side));
    dir.write(folder + "/" + part + "-labels-idx1-ubyte", idx_labels(n));
  }
}

// A recipe over 64 random points of 6 features in 3 classes; `more` is Lua that changes the table r.
inline std::string points_recipe(const std::string& more = "") {
  return R"lua(
local o = options { lr = { 0.02, 'learning rate' }, name = 'x', wide = false, hidden = 8 }
local x, y = torch.randn(64, 6), torch.randint(1, 4, { 64 })
local r = {
  data = { train = data.TensorDataset(x, y), val = data.TensorDataset(x, y) },
  model = nn.Sequential(nn.Linear(6, o.hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(o.hidden, 3)),
  loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.lr },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  batch = 16, epochs = 2, metrics = { 'accuracy' },
}
)lua" + more +
         "\nreturn recipe(r)\n";
}

// A log without what differs between two equal runs: the seconds.
inline std::string without_seconds(std::string log) {
  for (size_t at; (at = log.find("\"seconds\":")) != std::string::npos;) log.erase(at, log.find(',', at) + 1 - at);
  return log;
}

inline std::string log_of(const TempDir& dir, const std::string& run) {
  return without_seconds(read_file(dir / (run + "/log.jsonl")));
}

// luth with the folder as its working folder.
inline Result run_in(const TempDir& dir, const std::vector<std::string>& args, const Env& env = {}) {
  return run(args, {.env = env, .dir = dir.path()});
}

// A folder on a file system of its own of `size` bytes; mounted() is false where this is not allowed.
class SmallDisk {
 public:
  SmallDisk(std::string path, const char* size) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_;
};

}  // namespace luth::testing
