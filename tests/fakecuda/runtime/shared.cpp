#include "tests/fakecuda/runtime/shared.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "cuda_runtime.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {
constexpr size_t canary_bytes = 1024;
}

// What an `extern __shared__` array is here, and room behind it to see who writes too far.
__shared__ __align__(128) unsigned char luth_shared[fake::most_shared_bytes + canary_bytes];

// glibc's, for the address of a thread-local variable by number of its module and offset
struct TlsIndex {
  unsigned long module, offset;
};
extern "C" void* __tls_get_addr(TlsIndex*);

namespace fake {

struct Module {
  struct Function {
    uintptr_t start, end;
    std::string name;  // mangled
  };
  struct Variable {
    size_t offset, size;
  };
  uintptr_t base = 0;
  size_t tls_number = 0;
  std::vector<Function> functions;  // by start
  std::vector<Variable> shared;
  unsigned char* address(const Variable& v) const {
    TlsIndex index{tls_number, v.offset};
    return static_cast<unsigned char*>(__tls_get_addr(&index));
  }
};

namespace {

constexpr int poison = 0xff, canary = 0xfe;

bool all(const unsigned char* p, size_t n, int byte) {
  return n == 0 || (*p == byte && std::memcmp(p, p + 1, n - 1) == 0);
}

// ---- symbol tables ----

void read_symbols(Module& m, const char* image, size_t size) {
  auto* header = reinterpret_cast<const ElfW(Ehdr)*>(image);
  if (size < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  auto* sections = reinterpret_cast<const ElfW(Shdr)*>(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    auto* symbols = reinterpret_cast<const ElfW(Sym)*>(image + sections[i].sh_offset);
    const char* names = image + sections[sections[i].sh_link].sh_offset;
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) {
      const auto& symbol = symbols[s];
      std::string_view name = names + symbol.st_name;
      int type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FUNC && symbol.st_size)
        m.functions.push_back({m.base + symbol.st_value, m.base + symbol.st_value + symbol.st_size, std::string(name)});
      if (type == STT_TLS && symbol.st_shndx != SHN_UNDEF && name.find("B6shared") != name.npos &&
          name.find("luth_shared") == name.npos)
        m.shared.push_back({size_t(symbol.st_value), size_t(symbol.st_size)});
    }
  }
  std::sort(m.functions.begin(), m.functions.end(), [](auto& a, auto& b) { return a.start < b.start; });
}

void read_file(Module& m, const char* path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0) return;
  if (fstat(file, &status) == 0) {
    size_t size = size_t(status.st_size);
    void* image = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (image != MAP_FAILED) {
      read_symbols(m, static_cast<const char*>(image), size);
      munmap(image, size);
    }
  }
  close(file);
}

struct Search {
  uintptr_t address;
  std::unique_ptr<Module> found;
  std::string path;
};
int look_at(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.address < start || search.address >= start + part.p_memsz) continue;
    search.found = std::make_unique<Module>();
    search.found->base = info->dlpi_addr;
    search.found->tls_number = info->dlpi_tls_modid;
    search.path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    return 1;
  }
  return 0;
}

const Module& module_at(const void* address) {
  static std::map<uintptr_t, std::unique_ptr<Module>>& known = *new std::map<uintptr_t, std::unique_ptr<Module>>;
  Search search{uintptr_t(address), nullptr, {}};
  dl_iterate_phdr(look_at, &search);
  if (!search.found) search.found = std::make_unique<Module>();
  auto& module = known[search.found->base];
  if (!module) {
    read_file(*search.found, search.path.c_str());
    module = std::move(search.found);
  }
  return *module;
}

// "void softmax<float>(float const*, int)" is softmax<float>.
std::string shortened(std::string name) {
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(anonymous)) != name.npos;) name.erase(at, anonymous.size());
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth > 0) continue;
    if (name[i] == ' ') start = i + 1;
    if (name[i] == '(') return name.substr(start, i - start);
  }
  return name;
}

std::string name_of(const Module& m, uintptr_t address) {
  auto after = std::upper_bound(m.functions.begin(), m.functions.end(), address,
                                [](uintptr_t a, const Module::Function& f) { return a < f.start; });
  if (after == m.functions.begin() || address >= std::prev(after)->end) return fmt::format("{:#x}", address);
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::prev(after)->name.c_str(), nullptr, nullptr, &status), free);
  return text ? shortened(text.get()) : std::prev(after)->name;
}

}  // namespace

Kernel& kernel_at(const void* function) {
  static std::mutex& mutex = *new std::mutex;
  static std::map<const void*, std::unique_ptr<Kernel>>& kernels = *new std::map<const void*, std::unique_ptr<Kernel>>;
  std::lock_guard lock(mutex);
  auto& kernel = kernels[function];
  if (!kernel) {
    kernel = std::make_unique<Kernel>();
    kernel->module = &module_at(function);
    kernel->name = name_of(*kernel->module, uintptr_t(function));
  }
  return *kernel;
}

// ---- the memory of a block ----

void SharedMemory::begin_block(Kernel& kernel, size_t dynamic_bytes) {
  const Module& m = *kernel.module;
  if (!m.shared.empty()) {
    unsigned number = kernel.blocks++;
    learning_ = number < 4 || number % 64 == 0;
    if (learning_) {
      for (const auto& v : m.shared) std::memset(m.address(v), poison, v.size);
    } else {
      std::lock_guard lock(kernel.mutex);
      for (int i : kernel.used) std::memset(m.address(m.shared[i]), poison, m.shared[i].size);
    }
  }
  dynamic_bytes_ = dynamic_bytes;
  std::memset(luth_shared, poison, dynamic_bytes);
  if (canary_from_ != dynamic_bytes) std::memset(luth_shared + dynamic_bytes, canary, canary_bytes);
  canary_from_ = dynamic_bytes;
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(luth_shared + dynamic_bytes, sizeof luth_shared - dynamic_bytes);
#endif
}

std::string SharedMemory::end_block(Kernel& kernel) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(luth_shared, sizeof luth_shared);
#endif
  const Module& m = *kernel.module;
  if (learning_ && !m.shared.empty()) {
    std::lock_guard lock(kernel.mutex);
    for (size_t i = 0; i < m.shared.size(); ++i) {
      bool changed = !all(m.address(m.shared[i]), m.shared[i].size, poison);
      if (changed && std::find(kernel.used.begin(), kernel.used.end(), int(i)) == kernel.used.end())
        kernel.used.push_back(int(i));
    }
  }
  const unsigned char* behind = luth_shared + dynamic_bytes_;
  if (all(behind, canary_bytes, canary)) return "";
  size_t at = 0;
  while (behind[at] == canary) ++at;
  canary_from_ = ~size_t(0);
  return fmt::format(": wrote {} bytes behind the end of its {} bytes of dynamic shared memory", at, dynamic_bytes_);
}

}  // namespace fake
