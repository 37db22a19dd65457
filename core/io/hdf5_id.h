// Identifiers of HDF5's C API with destructors. The only header that includes hdf5.h.
#pragma once
#define H5_USE_110_API  // the calls as HDF5 1.10 has them, in later versions too
#include <hdf5.h>

#include <utility>

namespace luth::io::h5 {

/// Owns one HDF5 identifier.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Close close) : id_(id), close_(close) {}
  Id(Id&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Id& operator=(Id&& o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Closes now; false when HDF5 reports a failure (a full disk shows only here).
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

}  // namespace luth::io::h5
