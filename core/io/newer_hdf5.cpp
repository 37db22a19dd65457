// Later versions of HDF5 wrote two things in a new way, and raised the version numbers of the messages:
// - a datatype of version 4 or 5 differs from version 3 in classes that are refused anyway (references, complex
// numbers);
// - a layout of version 5 differs from version 4 in the indices of packed chunks: the size of a chunk takes 8 bytes
// there. libhdf5 decodes both by functions that it keeps in constant tables. Functions of luth's stand before them:
// they lower the version in a copy of the message, and widen the sizes.
#include "core/io/newer_hdf5.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/io/hdf5_id.h"

// The tables; only the beginnings of their entries are known here. Another library may not have them.
extern "C" {
[[gnu::weak]] extern const char H5O_MSG_DTYPE[], H5O_MSG_LAYOUT[], H5FA_CLS_FILT_CHUNK[], H5EA_CLS_FILT_CHUNK[],
    H5D_BT2_FILT[];
}

namespace luth::io::h5 {
namespace {

using Decode = void* (*)(void* file, void* header, unsigned flags, unsigned* changed, size_t bytes, const uint8_t* raw);
using MakeContext = void* (*)(void* of);

// A kind of message.
struct MessageClass {
  unsigned id;
  const char* name;
  size_t size;
  unsigned shared;
  Decode decode;
};
// A kind of index of chunks.
struct IndexClass {
  int id;
  const char* name;
  size_t size;
  MakeContext make_context;
};
// What the entries of an index are decoded with.
struct ArrayContext {
  size_t address_bytes, size_bytes;
};
struct TreeContext {
  uint32_t chunk;
  size_t address_bytes, size_bytes;
};

constexpr unsigned is_reference = 2;  // flag of a message: it says where the message is

Decode decode_datatype, decode_layout;
MakeContext make_fixed, make_extensible, make_tree;
bool wide_sizes = false;  // of the dataset that was opened last; only one is read at a time

void* datatype(void* file, void* header, unsigned flags, unsigned* changed, size_t bytes, const uint8_t* raw) noexcept {
  constexpr uint8_t version = 0xf0;  // bits of the first byte
  if (!bytes || flags & is_reference || (raw[0] & version) < 0x40 || (raw[0] & version) > 0x50)
    return decode_datatype(file, header, flags, changed, bytes, raw);
  try {
    std::vector<uint8_t> older(raw, raw + bytes);
    older[0] = uint8_t((older[0] & ~version) | 0x30);
    return decode_datatype(file, header, flags, changed, bytes, older.data());
  } catch (const std::exception&) { return nullptr; }
}

void* layout(void* file, void* header, unsigned flags, unsigned* changed, size_t bytes, const uint8_t* raw) noexcept {
  constexpr uint8_t chunked = 2, most_dim = 4;
  wide_sizes = bytes && raw[0] == 5;
  if (!wide_sizes) return decode_layout(file, header, flags, changed, bytes, raw);
  if (bytes < 5 || raw[1] != chunked || raw[4] > most_dim) {  // bytes of the number of elements along a dim
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_OHDR, H5E_CANTLOAD,
             "a layout that HDF5 1.10 has no form for: chunks of 4 GB or more");
    return nullptr;
  }
  try {
    std::vector<uint8_t> older(raw, raw + bytes);
    older[0] = 4;
    return decode_layout(file, header, flags, changed, bytes, older.data());
  } catch (const std::exception&) { return nullptr; }
}

template <MakeContext& make, class Context>
void* context(void* of) noexcept {
  void* made = make(of);
  if (made && wide_sizes) static_cast<Context*>(made)->size_bytes = 8;
  return made;
}

// A table's entry, where its name is the expected one.
template <class Class>
Class* entry(const char* table, std::string_view name) {
  auto* found = reinterpret_cast<Class*>(const_cast<char*>(table));
  return found && found->name == name ? found : nullptr;
}

// Writes into a constant, whose page stays writable: others may share it.
template <class Function>
bool put(Function& place, Function function) {
  const auto page = uintptr_t(::sysconf(_SC_PAGESIZE)), begin = uintptr_t(&place) & ~(page - 1);
  const size_t bytes = uintptr_t(&place + 1) - begin;
  if (::mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE)) return false;
  std::memcpy(&place, &function, sizeof function);
  return true;
}

}  // namespace

std::string version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

void read_newer_files() {
  if (H5_VERS_MAJOR != 1 || H5_VERS_MINOR != 10 || H5_VERS_RELEASE < 8) return;
  auto* types = entry<MessageClass>(H5O_MSG_DTYPE, "datatype");
  auto* layouts = entry<MessageClass>(H5O_MSG_LAYOUT, "layout");
  auto* fixed = entry<IndexClass>(H5FA_CLS_FILT_CHUNK, "Chunk w/filters");
  auto* extensible = entry<IndexClass>(H5EA_CLS_FILT_CHUNK, "Chunk w/filters");
  auto* tree = entry<IndexClass>(H5D_BT2_FILT, "H5B2_CDSET_FILT_ID");
  if (!types || !layouts || !fixed || !extensible || !tree) return;
  decode_datatype = types->decode;
  decode_layout = layouts->decode;
  make_fixed = fixed->make_context;
  make_extensible = extensible->make_context;
  make_tree = tree->make_context;
  put<Decode>(types->decode, datatype);
  // layouts last: they may be read only with their indices
  if (put<MakeContext>(fixed->make_context, context<make_fixed, ArrayContext>) &&
      put<MakeContext>(extensible->make_context, context<make_extensible, ArrayContext>) &&
      put<MakeContext>(tree->make_context, context<make_tree, TreeContext>))
    put<Decode>(layouts->decode, layout);
}

}  // namespace luth::io::h5
