// Writing trees as HDF5.
#include <xxhash.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "core/base/headroom.h"
#include "core/base/version.h"
#include "core/io/checkpoint.h"
#include "core/io/elements.h"
#include "core/io/hdf5.h"
#include "core/io/hdf5_reader.h"
#include "core/io/many_values.h"
#include "core/io/names.h"
#include "core/io/values.h"

namespace luth::io {
namespace {

// HDF5 takes at most 65,535; single numbers above 10,000 have become columns.
constexpr size_t most_attributes = 50'000;

// The version of the format that the tree needs.
int64_t version_of(const Item& item) {
  auto* map = item.as<Map>();
  int64_t version = map && !map->kind.empty() ? 2 : 1;
  if (auto* list = item.as<List>())
    for (const Item& e : *list) version = std::max(version, version_of(e));
  if (map)
    for (const Map::Entry& e : *map) version = std::max(version, version_of(e.value));
  return has_many(item) && !pack(item) ? 3 : version;
}

class Writer {
 public:
  Writer(h5::File& file, int64_t layout) : file_(file), layout_(layout) {
    group_ = h5::Id(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_link_creation_order(group_, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(group_, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(group_, false);
    dataset_ = h5::Id(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(dataset_, H5D_CONTIGUOUS);
    H5Pset_fill_time(dataset_, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(dataset_, false);
    link_ = h5::Id(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_char_encoding(link_, H5T_CSET_UTF8);
    attribute_ = h5::Id(H5Pcreate(H5P_ATTRIBUTE_CREATE), H5Pclose);
    H5Pset_char_encoding(attribute_, H5T_CSET_UTF8);
  }

  void root(const Item& tree) {
    const Item& item = has_many(tree) && tree.as<Map>() ? columns(tree) : tree;
    h5::Id top = file_.own(H5Gopen2(file_.id(), "/", H5P_DEFAULT), H5Gclose, "open", "/");
    attribute(top, own::format, layout_, "/");
    attribute(top, own::writer, std::string(version), "/");
    if (auto* map = item.as<Map>()) {
      if (!map->kind.empty()) attribute(top, own::kind, map->kind, "/");
      entries(top, *map, "", 0);
    } else {
      attribute(top, own::kind, "value", "/");
      entry(top, value_name, item, "", 0);
    }
    file_.close(top, "/");
  }

 private:
  void attribute(hid_t at, const std::string& name, const Item& item, const std::string& path) {
    attribute(at, name, *pack(item), path);
  }
  void attribute(hid_t at, const std::string& name, const Packed& p, const std::string& path) {
    std::string where = (path.empty() ? "/" : path) + "@" + name;
    h5::Id a =
        file_.own(H5Acreate2(at, name.c_str(), p.type, p.space, attribute_, H5P_DEFAULT), H5Aclose, "write", where);
    if (!p.bytes.empty()) file_.check(H5Awrite(a, p.type, p.bytes.data()), "write", where);
    file_.close(a, where);
  }

  h5::Id create(hid_t at, const std::string& name, hid_t type, hid_t space, const std::string& path) {
    return file_.own(H5Dcreate2(at, name.c_str(), type, space, link_, dataset_, H5P_DEFAULT), H5Dclose, "write", path);
  }

  // Long strings and lists.
  void long_value(hid_t at, const std::string& name, const Packed& p, const std::string& path) {
    h5::Id d = create(at, name, p.type, p.space, path);
    file_.check(H5Dwrite(d, p.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, p.bytes.data()), "write", path);
    if (p.is_list) attribute(d, own::kind, "list", path);
    file_.close(d, path);
  }

  void tensor(hid_t at, const std::string& name, const Tensor& t, const std::string& path) {
    if (!t.device().has_data())
      file_.refuse(path, fmt::format("is a tensor on the {} device, which has no data to save", t.device().kind()));
    auto [place, is_new] = places_.try_emplace(identity(t), path);
    h5::Id type = h5::file_type(t.dtype());
    h5::Id space = !is_new   ? h5::null_space()
                   : t.dim() ? h5::simple_space({t.shape().begin(), t.shape().end()})
                             : h5::scalar_space();
    h5::Id d = create(at, name, type, space, path);
    if (is_new && t.numel()) {
      Tensor kept;
      const void* from = host_elements(t, kept);
      file_.check(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from), "write", path);
    }
    if (!is_new) attribute(d, own::tied, place->second, path);
    if (is_new && t.requires_grad()) attribute(d, own::grad, true, path);
    file_.close(d, path);
  }

  // Kept to the end: another tensor in the memory of one that has gone would be taken for it.
  const Item& columns(const Item& item) { return columns_.emplace_back(to_columns(item)); }

  void group(hid_t at, const std::string& name, const Item& plain, const std::string& path, int depth) {
    const Item& item = has_many(plain) ? columns(plain) : plain;
    h5::Id g = file_.own(H5Gcreate2(at, name.c_str(), link_, group_, H5P_DEFAULT), H5Gclose, "write", path);
    if (auto* list = item.as<List>()) {
      attribute(g, own::kind, "list", path);
      for (size_t i = 0; i < list->size(); ++i)
        entry(g, to_name(int64_t(i) + 1), (*list)[i], path, depth, i < most_attributes);
    } else {
      const Map& map = *item.as<Map>();
      if (!map.kind.empty()) attribute(g, own::kind, map.kind, path);
      entries(g, map, path, depth);
    }
    file_.close(g, path);
  }

  // A reader sees attributes first; their places among all keys are written where that is another order.
  void entries(hid_t g, const Map& map, const std::string& path, int depth) {
    List order;
    int64_t i = 0;
    for (const Map::Entry& e : map)
      if (++i; entry(g, to_name(e.key), e.value, path, depth, order.size() < most_attributes)) order.push_back(i);
    bool first = order.empty() || *order.back().as<int64_t>() == int64_t(order.size());
    if (!first && order.size() * sizeof(int64_t) <= attribute_bytes) attribute(g, own::order, Item(order), path);
  }

  // True when the value has become an attribute. `room`: whether the group takes another one, for a list or text.
  bool entry(hid_t at, const std::string& name, const Item& item, const std::string& above, int depth,
             bool room = true) {
    std::string path = above + "/" + name;
    if (name.size() > 4096) file_.refuse(path.substr(0, 60) + "…", "is a key of more than 4,096 bytes");
    if (depth == max_depth) file_.refuse(path, fmt::format("lies deeper than {} levels; is there a cycle?", max_depth));
    if (std::optional<Packed> p = pack(item)) {
      const bool small = p->bytes.size() <= attribute_bytes && (room || !(p->is_list || item.as<std::string>()));
      small ? attribute(at, name, *p, above) : long_value(at, name, *p, path);
      return small;
    }
    if (auto* t = item.as<Tensor>())
      tensor(at, name, *t, path);
    else
      group(at, name, item, path, depth + 1);
    return false;
  }

  h5::File& file_;
  int64_t layout_;
  h5::Id group_, dataset_, link_, attribute_;
  std::map<std::string, std::string> places_;  // of each tensor's memory: its path
  std::deque<Item> columns_;
};

// What a reader of the HDF5 says, so that none is needed while the seal holds. All our arrays lie in the file as
// tensors have them: nothing is unpacked. Long texts are not stored twice.
void store_description(Disk& disk, const std::string& path, int64_t layout) {
  Disk nothing;
  std::string bytes = encode(describe(disk, path, true, nothing, 0));
  if (bytes.size() > (1 << 20) + disk.size() / 10) return;
  const DescriptionEnd end{uint64_t(layout), XXH3_64bits(bytes.data(), bytes.size()), bytes.size()};
  bytes.append(reinterpret_cast<const char*>(&end), sizeof end);
  disk.write(bytes.data(), bytes.size(), disk.size());
}

void save(const Item& root, const std::string& path, const std::string& previous) {
  const Headroom room;  // where memory ends within HDF5 1.10, it follows null pointers, and those to freed blocks
  Replacement replacement(path);
  Disk& disk = replacement.disk();
  const int64_t layout = version_of(root);
  try {
    h5::File file = h5::File::create(disk, path);
    Writer(file, layout).root(root);
    file.close();
    store_description(disk, path, layout);
  } catch (const Error& e) {
    if (disk.error()) replacement.fail(disk.reason());
    throw;
  }
  if (!write_seal(disk)) replacement.fail(disk.reason());
  replacement.commit(previous);
}

}  // namespace

void save_file(const Item& root, const std::string& path) { save(root, path, ""); }
void save_rotating(const Item& root, const std::string& dir) { save(root, dir + "/last.h5", "prev.h5"); }

}  // namespace luth::io
