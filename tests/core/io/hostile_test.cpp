// Crafted HDF5 files, and the process that reads them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/io/checkpoint.h"
#include "core/io/child/sandbox.h"
#include "core/io/description.h"
#include "core/io/files.h"
#include "core/io/hdf5.h"
#include "core/io/hdf5_child.h"
#include "core/io/hdf5_reader.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

TEST(HostileHdf5, EndsInAnErrorOfTheFile) {
  int files = 0;
  for (auto& entry : std::filesystem::directory_iterator(LUTH_SOURCE_DIR "/tests/data/hostile")) {
    if (entry.path().extension() != ".h5") continue;
    ++files;
    const Failure f = failure([&] { load_file(entry.path()); });
    EXPECT_EQ(f.code, int(ErrorCode::checkpoint)) << entry.path();
    EXPECT_TRUE(contains(f.text, entry.path().filename())) << f.text;
  }
  EXPECT_EQ(files, 34);
}

// Strings whose description takes more memory than the process has, though they themselves do not.
TEST(HostileHdf5, LongStrings) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the process that reads has no bound of memory here";
#endif
  h5::Library library;
  const Folder dir;
  const std::string path = dir / "long.h5";
  {
    const hsize_t n = 100'000, chunk = 10'000;
    const size_t length = 1000;
    const h5::Id type = h5::string_type(length), space = h5::simple_space({n});
    const h5::Id packed(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(packed, 1, &chunk);
    H5Pset_deflate(packed, 9);
    const h5::Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const h5::Id set(H5Dcreate2(file, "s", type, space, H5P_DEFAULT, packed, H5P_DEFAULT), H5Dclose);
    const std::string all(n * length, 'x');
    ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), 0);
  }
  const Failure f = failure([&] { load_file(path); });
  EXPECT_EQ(f.code, int(ErrorCode::checkpoint));
  EXPECT_TRUE(contains(f.text, "takes more memory than its size allows")) << f.text;
}

// More names and values than the size of the file allows; the process that tells them waits for nobody.
TEST(HostileHdf5, LongAnswers) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the process that reads has no bound of memory here, and takes too long";
#endif
  h5::Library library;
  const Folder dir;
  const std::string path = dir / "long.h5";
  {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 1);
    for (int i = 0; i < 400; ++i) {
      const hsize_t n = 60'000;
      const hid_t space = H5Screate_simple(1, &n, nullptr);
      const hid_t set =
          H5Dcreate2(file, ("d" + std::to_string(i)).c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dclose(set);
      H5Sclose(space);
    }
    H5Tclose(type);
    H5Fclose(file);
  }
  const Failure f = failure([&] { load_file(path); });
  EXPECT_EQ(f.code, int(ErrorCode::checkpoint));
  EXPECT_TRUE(contains(f.text, "more memory than its size allows")) << f.text;
}

// A column of plain values that is a tensor of the tree as well, which goes to another device.
TEST(HostileHdf5, SharedColumn) {
  LoadOptions to_meta;
  to_meta.map_location = &device("meta");
  load_file(LUTH_SOURCE_DIR "/tests/data/shared_column.h5", to_meta);
  load_file(LUTH_SOURCE_DIR "/tests/data/shared_column.h5");
}

// What is unpacked is in no process, so that the system would end others where it takes all memory.
TEST(HostileHdf5, UnpacksToNoMoreThanThereIsMemory) {
  const uint64_t size = 1 << 30;
  EXPECT_GT(read_bounds(size, 0).unpacked, 1000 * size);
  EXPECT_EQ(read_bounds(size, 0, 12345).unpacked, 12345u);
  EXPECT_EQ(read_bounds(size, 99999, 12345).unpacked, 12345u);
  EXPECT_EQ(read_bounds(size, 9999, 12345).unpacked, 9999u);
}

TEST(HostileHdf5, MaxBytesBoundsEveryArray) {
  const Folder dir;
  save(Item(Tensor::empty({100'000}, Dtype::f32, host())), dir / "a.h5");
  LoadOptions few;
  few.max_bytes = 1000;
  EXPECT_EQ(failure([&] { load_file(dir / "a.h5", few); }).code, int(ErrorCode::checkpoint));
  few.max_bytes = 400'000;
  load_file(dir / "a.h5", few);
}

#if !defined(__SANITIZE_ADDRESS__)  // its shadow memory is larger than any bound
// Bytes of address space that this process has.
uint64_t address_space() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * uint64_t(sysconf(_SC_PAGESIZE));
}

// How a process ends that gives up its rights with `megabytes` more, 1 MB to write and some seconds, and then runs
// `body`.
int ended(const std::function<int()>& body, uint64_t megabytes = 256, uint64_t seconds = 1) {
  const pid_t pid = fork();
  if (pid == 0) _exit(give_up_rights(address_space() + (megabytes << 20), 1 << 20, seconds) ? body() : 99);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Some hundred bytes for each, beside 32 MB that HDF5 keeps of the file.
TEST(HostileHdf5, ManySmallTensorsTakeLittleMemory) {
  const Folder dir;
  List many;
  for (int i = 0; i < 20'000; ++i) many.push_back(Tensor::empty({1}, Dtype::boolean, host()));
  save(Item(std::move(many)), dir / "many.h5");
  Disk disk = Disk::open(dir / "many.h5", ErrorCode::checkpoint), unpacked = memory_file();
  { const h5::Library started; }
  const auto read = [&] {
    try {
      return describe(disk, "many.h5", true, unpacked, 0).as<List>()->size() == 20'000 ? 0 : 2;
    } catch (const std::exception&) { return 1; }
  };
  EXPECT_EQ(ended(read, 72, 60), 0);
}

TEST(Sandbox, LeavesMemoryAndDescriptors) {
  EXPECT_EQ(ended([] {
              void* p = std::malloc(100 << 20);
              std::free(p);
              return p ? 0 : 1;
            }),
            0);
}
TEST(Sandbox, HasNoFilesNetworkOrProcesses) {
  EXPECT_EQ(ended([] { return open("/etc/passwd", O_RDONLY) < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(ended([] { return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(ended([] { return fork() < 0 ? 0 : 1; }), 0);
  EXPECT_EQ(ended([] { return execl("/bin/true", "true", nullptr) < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(ended([] { return kill(getppid(), 0) < 0 ? 0 : 1; }), 0);
}
TEST(Sandbox, MakesNoCode) {
  const auto mapped = [](int protection) {
    return ended(
        [=] { return mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 1 : 0; });
  };
  EXPECT_EQ(mapped(PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(mapped(PROT_READ | PROT_EXEC), 1);
}
// The system's answer to prctl(PR_SET_SECCOMP), in this process and those that it starts, is EPERM.
bool forbid_seccomp() {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
                        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(code), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The file is not called damaged where the reader cannot do its work.
TEST(Sandbox, IsNamedWhereItCannotBe) {
  const std::string good = LUTH_SOURCE_DIR "/tests/data/version1.h5";  // luth's, without a description
  const pid_t pid = fork();
  if (pid == 0) {
    if (!forbid_seccomp()) _exit(2);
    const Failure f = failure([&] { load_file(good); });
    const bool named = contains(f.text, "cannot give up its rights") && contains(f.text, "{trusted = true}");
    LoadOptions trusted;
    trusted.trusted = true;
    load_file(good, trusted);
    _exit(named && f.code == int(ErrorCode::checkpoint) ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
TEST(Sandbox, BoundsMemoryTimeAndFiles) {
  EXPECT_EQ(ended([] { return std::malloc(400 << 20) ? 1 : 0; }), 0);
  EXPECT_EQ(ended([] {
              volatile int never = 0;
              while (!never) {}
              return 0;
            }),
            -SIGXCPU);
  const int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ended([&] { return pwrite(file, "x", 1, 2 << 20) < 0 && errno == EFBIG ? 0 : 1; }), 0);
  close(file);
}
#endif

// What a process that a file took over could answer.
TEST(Description, ComesBack) {
  Map map;
  map.kind = "module";
  map.add(int64_t(1), List{Item(), true, int64_t(-5), 2.5, "text"});
  ArrayPlace array;
  array.id = 7, array.dtype = Dtype::f16, array.shape = {2, 3}, array.at = 9, array.unpacked = true, array.grad = true;
  map.add("x", to_item(array));
  const Item back = decode(encode(map));
  EXPECT_EQ(back.as<Map>()->kind, "module");
  EXPECT_EQ(difference(*back.as<Map>()->find(Key(int64_t(1))), *map.find(Key(int64_t(1)))), "");
  ArrayPlace same;
  ASSERT_TRUE(from_item(*back.as<Map>()->find("x"), same));
  EXPECT_EQ(same.id, 7);
  EXPECT_EQ(same.dtype, Dtype::f16);
  EXPECT_EQ(to_string(same.shape), to_string(array.shape));
  EXPECT_TRUE(same.at == 9 && same.unpacked && same.grad && !same.is_list);
}
TEST(Description, OfOddBytesIsRefused) {
  Map map;
  ArrayPlace array;
  array.shape = {2};
  map.add("x", to_item(array));
  const std::string good = encode(map);
  for (size_t n = 0; n < good.size(); ++n) EXPECT_ANY_THROW(decode(good.substr(0, n))) << n;
  EXPECT_ANY_THROW(decode(good + '\0'));
  Map twice;
  twice.add("a", 1);
  twice.add("a", 2);
  EXPECT_ANY_THROW(decode(encode(twice)));
  EXPECT_ANY_THROW(decode(std::string("\x06\xff\xff\xff\xff\xff\xff\xff\x7f", 9)));  // a list of many
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += std::string("\x06\x01\0\0\0\0\0\0\0", 9);
  EXPECT_ANY_THROW(decode(deep));
  const std::string nils = encode(List(1000));  // a byte each
  EXPECT_ANY_THROW(decode(nils, 10'000));
  EXPECT_EQ(decode(nils, 1'000'000).as<List>()->size(), 1000u);
  for (size_t i = 0; i < good.size(); ++i)
    for (char c : {'\0', '\x07', '\xff'}) {
      std::string other = good;
      other[i] = c;
      try {
        ArrayPlace a;
        const Item item = decode(other);
        if (auto* m = item.as<Map>(); m && m->size()) from_item(m->begin()->value, a);
      } catch (const Error&) {}
    }
}

}  // namespace
}  // namespace luth::io
