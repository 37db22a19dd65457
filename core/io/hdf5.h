// HDF5's C API with checked closing and errors that name file and object. The library is not safe to call from two
// threads, so a File holds its one mutex as long as it lives.
#pragma once
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "core/io/disk.h"
#include "core/io/hdf5_id.h"

namespace luth::io::h5 {

/// Holds HDF5's mutex; starts the library on first use: no handler at exit, no plugins, no error text on stderr.
class Library {
 public:
  Library();

 private:
  std::unique_lock<std::recursive_mutex> hold_;
};

/// An HDF5 file on a Disk, new or for reading. Every failure throws `code` and names the file and the object.
class File {
 public:
  /// Truncates and writes, with 512 bytes before HDF5's own for the seal.
  static File create(Disk& disk, std::string path);
  static File open(Disk& disk, std::string path, ErrorCode code);

  hid_t id() const { return file_; }
  uint64_t size() const { return disk_->size(); }
  /// Owns `id`, or throws "cannot `doing` '`object`' of 'x.h5': reason" when it is negative; an empty
  /// object is the file itself.
  Id own(hid_t id, Id::Close close, std::string_view doing, std::string_view object) const;
  /// Passes on a result that is not negative.
  template <class T>
  T check(T result, std::string_view doing, std::string_view object) const {
    if (result < 0) fail(doing, object);
    return result;
  }
  void close(Id& id, std::string_view object) const {
    if (!id.close()) fail("close", object);
  }
  /// Closes the file itself.
  void close();
  /// Where it begins in the disk's file: behind bytes of others, such as a seal.
  hsize_t begin() const { return begin_; }
  /// With what HDF5 or the system last complained about.
  [[noreturn]] void fail(std::string_view doing, std::string_view object) const;
  /// "cannot use 'x.h5': '`object`' `why`"
  [[noreturn]] void refuse(std::string_view object, const std::string& why) const;

 private:
  File(Disk& disk, std::string path, ErrorCode code) : disk_(&disk), path_(std::move(path)), code_(code) {}
  Library library_;
  Disk* disk_;
  std::string path_;
  ErrorCode code_;
  Id file_;
  hsize_t begin_ = 0;
};

/// The types in files, little-endian: h5py's boolean (an int8 enumeration FALSE = 0, TRUE = 1), IEEE half, and bfloat16
/// as a float of 16 bits with 8 in the exponent, which h5py widens to float32 when it reads.
Id file_type(Dtype d);
/// The Dtype for a type in a file, in either byte order; uint16 and uint32 widen to int32 and int64. Refuses, with the
/// reason, a type that no Dtype can hold and a type that is not safe to read.
Dtype dtype_of(const File& file, hid_t type, std::string_view object);
/// A string type of fixed length, UTF-8; at least one byte.
Id string_type(size_t bytes);
Id scalar_space();
Id null_space();
Id simple_space(const std::vector<hsize_t>& dims);

/// Has `iterate(function, data)` go over links or attributes, and calls each(name, info) for every one. What `each`
/// throws is thrown when HDF5 has returned: its frames, which hold state on the stack, cannot be left otherwise.
template <class Info, class Iterate, class Each>
herr_t visit(Iterate&& iterate, Each& each) {
  struct State {
    Each& each;
    std::exception_ptr thrown;
  } state{each, {}};
  const auto one = [](hid_t, const char* name, const Info* info, void* data) noexcept -> herr_t {
    auto& s = *static_cast<State*>(data);
    if (!name || !info) return -1;
    try {
      s.each(name, *info);
      return 0;
    } catch (const std::exception&) { s.thrown = std::current_exception(); }
    return -1;
  };
  const herr_t result = iterate(one, &state);
  if (state.thrown) std::rethrow_exception(state.thrown);
  return result;
}

}  // namespace luth::io::h5
