// The program libexec/luth/read-hdf5: read-hdf5 PATH sealed|unsealed MEMORY UNPACKED SECONDS. It describes the HDF5
// file that is open as descriptor 3; core/io/hdf5_child.h starts it. PATH is only for messages. What comes from the
// file may take over this process, so before the first byte is parsed it gives up all but reading the file, writing its
// answer, and memory.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "core/io/child/sandbox.h"
#include "core/io/hdf5.h"
#include "core/io/hdf5_child.h"
#include "core/io/hdf5_reader.h"

namespace luth::io {
namespace {

std::string failure(std::string text) {
  Map map;
  map.kind = error_kind;
  map.add("text", std::move(text));
  return encode(map);
}

std::string read(Disk& disk, const std::string& path, bool sealed, uint64_t most_unpacked) {
  try {
    Disk unpacked(child_unpacked, 0);
    return encode(describe(disk, path, sealed, unpacked, most_unpacked));
  } catch (const std::bad_alloc&) {
    return failure(
        fmt::format("cannot use '{}': reading it takes more memory than its size allows; torch.load has "
                    "{{max_bytes = …}}",
                    path));
  } catch (const std::exception& e) { return failure(e.what()); }
}

bool answer(const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::write(child_answer, bytes.data() + sent, bytes.size() - sent);
    if (n <= 0) return false;
    sent += size_t(n);
  }
  return true;
}

int run(char** words) {
  struct stat s;
  if (fstat(child_file, &s)) return 3;
  Disk disk(child_file, uint64_t(s.st_size));
  { const h5::Library starts_it_while_there_are_rights; }
  const uint64_t memory = strtoull(words[3], nullptr, 10), unpacked = strtoull(words[4], nullptr, 10);
  if (!give_up_rights(memory, unpacked, strtoull(words[5], nullptr, 10))) return keeps_rights;
  if (!answer({child_ready})) return 3;
  return answer(read(disk, words[1], std::string_view(words[2]) == "sealed", unpacked)) ? 0 : 3;
}

}  // namespace
}  // namespace luth::io

// A description has no tensors, and this process none of their code.
template <>
void luth::Ref<luth::TensorImpl>::destroy(luth::TensorImpl*) {
  std::abort();
}

int main(int argc, char** argv) { _exit(argc == 6 ? luth::io::run(argv) : 2); }
