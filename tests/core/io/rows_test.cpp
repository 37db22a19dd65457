// Rows of a file that is cut, and grows again, while they are read: an error, and no signal.
#include "core/io/rows.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/io/files.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

class Rows : public ::testing::TestWithParam<const char*> {};

TEST_P(Rows, OfAFileThatIsCutMeanwhile) {
  const Folder dir;
  const std::string path = dir / GetParam();
  const Tensor t = counted({2000, 1000});
  if (path.ends_with(".npy"))
    save(t, path);
  else
    save(map_of({{"x", t}}), path);
  const RowsFile file(path, {});
  std::vector<int64_t> rows(2000);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = int64_t(rows.size() - 1 - i);
  EXPECT_EQ(file.batch(rows, 0)[0].data<float>()[0], 1999000);
  std::atomic<bool> ended{false};
  std::thread cutter([&] {
    const int fd = open(path.c_str(), O_RDWR);
    const off_t size = lseek(fd, 0, SEEK_END);
    while (!ended && !ftruncate(fd, 4096) && !ftruncate(fd, size)) usleep(200);
    close(fd);
  });
  int errors = 0;  // a lost page would be a signal
  for (int i = 0; i < 200; ++i) {
    const Failure f = failure([&] { file.batch(rows, 0); });
    errors += f.code != 0;
    EXPECT_TRUE(!f.code || contains(f.text, "has become shorter") || contains(f.text, "has changed while it was read"))
        << f.text;
  }
  ended = true;
  cutter.join();
  EXPECT_GT(errors, 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, Rows, ::testing::Values("a.npy", "a.npz", "a.safetensors"),
                         [](const auto& info) { return std::string(info.param + 2); });

}  // namespace
}  // namespace luth::io
