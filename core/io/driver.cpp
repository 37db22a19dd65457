// HDF5's own driver leaves the file open, and its descriptor with the disk space, when closing fails on a full disk;
// and it opens by name, which may meanwhile be another file than the one whose seal was checked. This one uses a Disk.
#include "core/io/driver.h"

#include <new>

namespace luth::io::h5 {
namespace {

struct Handle {
  H5FD_t base;  // first: HDF5 sees this
  Disk* disk;
  haddr_t end;  // of the addresses that HDF5 has given out
};

constexpr haddr_t most = haddr_t(1) << 62;

Handle& handle(H5FD_t* f) { return *reinterpret_cast<Handle*>(f); }
const Handle& handle(const H5FD_t* f) { return *reinterpret_cast<const Handle*>(f); }

H5FD_t* open(const char*, unsigned flags, hid_t access, haddr_t) {
  auto* disk = static_cast<Disk* const*>(H5Pget_driver_info(access));
  if (!disk) return nullptr;
  if ((flags & H5F_ACC_TRUNC) && !(*disk)->truncate(0)) return nullptr;
  auto* h = new (std::nothrow) Handle{};
  if (!h) return nullptr;
  h->disk = *disk;
  return &h->base;
}
herr_t close(H5FD_t* f) {
  delete &handle(f);
  return 0;
}
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}
haddr_t get_end(const H5FD_t* f, H5FD_mem_t) { return handle(f).end; }
herr_t set_end(H5FD_t* f, H5FD_mem_t, haddr_t end) {
  handle(f).end = end;
  return 0;
}
haddr_t size(const H5FD_t* f, H5FD_mem_t) { return handle(f).disk->size(); }
herr_t read(H5FD_t* f, H5FD_mem_t, hid_t, haddr_t at, size_t bytes, void* to) {
  if (at > most || bytes > most) return -1;
  return handle(f).disk->read(to, bytes, at) ? 0 : -1;
}
// Always succeeds: what failed is remembered by the Disk, and HDF5 stays able to close the file.
herr_t write(H5FD_t* f, H5FD_mem_t, hid_t, haddr_t at, size_t bytes, const void* from) {
  if (at > most || bytes > most) return -1;
  handle(f).disk->write(from, bytes, at);
  return 0;
}
herr_t truncate(H5FD_t* f, hid_t, hbool_t) {
  Handle& h = handle(f);
  if (h.end != h.disk->size()) h.disk->truncate(h.end);
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION
    c.version = H5FD_CLASS_VERSION;
#endif
    c.name = "luth";
    c.maxaddr = most;
    c.fc_degree = H5F_CLOSE_STRONG;
    c.fapl_size = sizeof(Disk*);
    c.open = open;
    c.close = close;
    c.query = query;
    c.get_eoa = get_end;
    c.set_eoa = set_end;
    c.get_eof = size;
    c.read = read;
    c.write = write;
    c.truncate = truncate;
    constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    for (int i = 0; i < H5FD_MEM_NTYPES; ++i) c.fl_map[i] = map[i];
    return H5FDregister(&c);
  }();
  return id;
}

}  // namespace

Id access_to(Disk& disk) {
  Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Disk* p = &disk;
  if (access < 0 || H5Pset_driver(access, driver(), &p) < 0) throw Error("HDF5 cannot be used: no file driver");
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

}  // namespace luth::io::h5
