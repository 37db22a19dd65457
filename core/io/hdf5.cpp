#include "core/io/hdf5.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include "core/base/headroom.h"
#include "core/base/visible.h"
#include "core/io/driver.h"
#include "core/io/newer_hdf5.h"
#include "core/io/seal.h"

namespace luth::io::h5 {
namespace {

static_assert(std::endian::native == std::endian::little, "the 16-bit float types are built little-endian");

std::recursive_mutex mutex;

// The innermost complaint on HDF5's error stack. Within HDF5's frames nothing may throw, so its text is copied as it
// is.
std::string complaint() {
  char raw[301] = "";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* e, void* out) noexcept -> herr_t {
        auto* to = static_cast<char*>(out);
        if (!*to && e->desc) std::strncpy(to, e->desc, sizeof raw - 1);
        return 0;
      },
      raw);
  std::string text = raw;
  if (text.starts_with("bad version number"))
    text += "; if a later HDF5 has written the file, write it again with libver = 'v110'";
  return text.empty() ? "HDF5 gives no reason" : foreign(text, 300);
}

Id float16(size_t exponent_bits, size_t bias) {
  Id t(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  size_t mantissa_bits = 15 - exponent_bits;
  H5Tset_fields(t, 15, mantissa_bits, exponent_bits, 0, mantissa_bits);
  H5Tset_size(t, 2);
  H5Tset_ebias(t, bias);
  return t;
}
Id boolean() {
  Id t(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  int8_t no = 0, yes = 1;
  H5Tenum_insert(t, "FALSE", &no);
  H5Tenum_insert(t, "TRUE", &yes);
  return t;
}

bool same_float(hid_t type, Dtype d) {
  Id ours = file_type(d);
  if (H5Tequal(type, ours) > 0) return true;
  H5Tset_order(ours, H5T_ORDER_BE);
  return H5Tequal(type, ours) > 0;
}

Dtype float_dtype(const File& file, hid_t type, std::string_view object) {
  for (Dtype d : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16})
    if (same_float(type, d)) return d;
  file.refuse(object,
              fmt::format("holds floats of {} bits in a form that luth has no dtype for", H5Tget_size(type) * 8));
}

Dtype integer_dtype(const File& file, hid_t type, std::string_view object) {
  size_t size = H5Tget_size(type);
  bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (H5Tget_precision(type) == size * 8 && H5Tget_offset(type) == 0) switch (size) {
      case 1: return is_signed ? Dtype::i8 : Dtype::u8;
      case 2: return is_signed ? Dtype::i16 : Dtype::i32;
      case 4: return is_signed ? Dtype::i32 : Dtype::i64;
      case 8:
        if (is_signed) return Dtype::i64;
        file.refuse(object, "holds uint64, for which luth has no dtype; write it as int64");
    }
  file.refuse(object, fmt::format("holds integers of {} bits, for which luth has no dtype", H5Tget_precision(type)));
}

Dtype enum_dtype(const File& file, hid_t type, std::string_view object) {
  Id base(H5Tget_super(type), H5Tclose), ours = boolean();
  int8_t no = 1, yes = 0;
  if (H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1 && H5Tget_class(base) == H5T_INTEGER &&
      H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 && yes == 1)
    return Dtype::boolean;
  file.refuse(object, "is an enumeration other than h5py's boolean; write its numbers");
}

const char* class_name(H5T_class_t c) {
  switch (c) {
    case H5T_TIME: return "times";
    case H5T_BITFIELD: return "bit fields";
    case H5T_OPAQUE: return "opaque bytes";
    case H5T_COMPOUND: return "compound values (complex numbers are such)";
    case H5T_REFERENCE: return "references";
    case H5T_ARRAY: return "arrays as elements";
    default: return "values of an unknown kind";
  }
}

}  // namespace

Library::Library() : hold_(mutex) {
  static const bool started = [] {
    H5dont_atexit();
    H5open();
    H5PLset_loading_state(0);  // a file may name a plugin, which would be code
    read_newer_files();
    return true;
  }();
  (void)started;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
}

File File::create(Disk& disk, std::string path) {
  File f(disk, std::move(path), ErrorCode::runtime);
  Id how(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access = access_to(disk);
  // version 1.8 of the format: every reader has it, and it keeps the order of names
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_userblock(how, seal_bytes);
  H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(how, false);  // equal trees give equal files
  f.file_ = f.own(H5Fcreate(f.path_.c_str(), H5F_ACC_TRUNC, how, access), H5Fclose, "create", "");
  return f;
}

File File::open(Disk& disk, std::string path, ErrorCode code) {
  const Headroom room;  // where memory ends while it starts or opens a file, HDF5 1.10 follows null pointers
  File f(disk, std::move(path), code);
  Id access = access_to(disk);
  f.file_ = f.own(H5Fopen(f.path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open", "");
  const Id how = f.own(H5Fget_create_plist(f.file_), H5Pclose, "open", "");
  f.check(H5Pget_userblock(how, &f.begin_), "open", "");
  return f;
}

Id File::own(hid_t id, Id::Close close, std::string_view doing, std::string_view object) const {
  if (id < 0) fail(doing, object);
  return Id(id, close);
}

void File::close() {
  close(file_, "");
  if (disk_->error()) fail("close", "");
}

void File::fail(std::string_view doing, std::string_view object) const {
  std::string why = disk_->error() ? disk_->reason() : complaint();
  if (object.empty()) throw Error(code_, "cannot {} '{}': {}", doing, path_, why);
  throw Error(code_, "cannot {} '{}' of '{}': {}", doing, foreign(object), path_, why);
}

void File::refuse(std::string_view object, const std::string& why) const {
  const char* doing = code_ == ErrorCode::checkpoint ? "use" : "save";
  throw Error(code_, "cannot {} '{}': '{}' {}", doing, path_, foreign(object), why);
}

Id file_type(Dtype d) {
  auto copy = [](hid_t t) { return Id(H5Tcopy(t), H5Tclose); };
  switch (d) {
    case Dtype::boolean: return boolean();
    case Dtype::u8: return copy(H5T_STD_U8LE);
    case Dtype::i8: return copy(H5T_STD_I8LE);
    case Dtype::i16: return copy(H5T_STD_I16LE);
    case Dtype::i32: return copy(H5T_STD_I32LE);
    case Dtype::i64: return copy(H5T_STD_I64LE);
    case Dtype::f16: return float16(5, 15);
    case Dtype::bf16: return float16(8, 127);
    case Dtype::f32: return copy(H5T_IEEE_F32LE);
    case Dtype::f64: return copy(H5T_IEEE_F64LE);
  }
  throw_unsupported(d);
}

Dtype dtype_of(const File& file, hid_t type, std::string_view object) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: return integer_dtype(file, type, object);
    case H5T_FLOAT: return float_dtype(file, type, object);
    case H5T_ENUM: return enum_dtype(file, type, object);
    case H5T_VLEN: file.refuse(object, "is of variable length, which luth does not read; write it with a fixed length");
    case H5T_STRING: file.refuse(object, "holds strings where numbers were expected");
    default: file.refuse(object, fmt::format("holds {}, which luth does not read", class_name(H5Tget_class(type))));
  }
}

Id string_type(size_t bytes) {
  Id t(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(t, bytes ? bytes : 1);
  H5Tset_strpad(t, H5T_STR_NULLPAD);
  H5Tset_cset(t, H5T_CSET_UTF8);
  return t;
}

Id scalar_space() { return Id(H5Screate(H5S_SCALAR), H5Sclose); }
Id null_space() { return Id(H5Screate(H5S_NULL), H5Sclose); }
Id simple_space(const std::vector<hsize_t>& dims) {
  return Id(H5Screate_simple(int(dims.size()), dims.data(), nullptr), H5Sclose);
}

}  // namespace luth::io::h5
