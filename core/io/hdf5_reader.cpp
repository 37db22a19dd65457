// Files of our own, which are sealed, and files of others. Nothing in a file is trusted: only hard links are followed,
// by address; what would be allocated is held against what the file stores.
#include "core/io/hdf5_reader.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/io/arrays.h"
#include "core/io/hdf5.h"
#include "core/io/names.h"

namespace luth::io {
namespace {

class Reader {
 public:
  Reader(h5::File& file, Disk& unpacked, uint64_t most_unpacked)
      : file_(file), arrays_(file, unpacked, most_unpacked) {}

  // `sealed`: the file's own seal has been checked.
  Item root(bool sealed, const std::string& path) {
    h5::Id top = file_.own(H5Gopen2(file_.id(), "/", H5P_DEFAULT), H5Gclose, "open", "/");
    ours_ = arrays_.has(top, own::format, "/");
    if (ours_ && !sealed)
      throw Error(ErrorCode::checkpoint, "cannot use '{}': its seal is missing or damaged; use another checkpoint",
                  path);
    if (ours_) {
      arrays_.exact_strings();
      check_version(top, path);
    }
    Item item = group(top, "", 0);
    if (!root_is_value_) return item;
    const Item* value = item.as<Map>() ? item.as<Map>()->find(value_name) : nullptr;
    if (!value) file_.refuse("/", "should hold one value and does not");
    return *value;
  }

 private:
  void check_version(hid_t top, const std::string& path) {
    Item v = arrays_.attribute(top, own::format, "/");
    auto* number = v.as<int64_t>();
    if (!number || *number < 1) file_.refuse("/", "has no readable %format");
    if (*number > format_version)
      throw Error(ErrorCode::checkpoint,
                  "cannot use '{}': its layout is version {}, this luth reads up to {}; use a newer luth", path,
                  *number, format_version);
  }

  // ---- groups ----

  struct Marks {
    bool is_list = false;
    std::vector<int64_t> order;
    std::string kind;
  };

  using Entries = std::vector<Map::Entry>;

  Item group(hid_t g, const std::string& path, int depth) {
    if (depth > max_depth) file_.refuse(path, fmt::format("lies deeper than {} levels", max_depth));
    Entries entries;
    Marks marks;
    attributes(g, path, entries, marks);
    size_t plain = entries.size();
    links(g, path, entries, depth);
    check_unique(entries, path);
    if (marks.is_list) return as_list(entries, path);
    if (!marks.order.empty()) return in_order(entries, plain, marks, path);
    Map map;
    map.kind = marks.kind;
    for (Map::Entry& e : entries) map.add(std::move(e.key), std::move(e.value));
    return map;
  }

  void attributes(hid_t g, const std::string& path, Entries& entries, Marks& marks) {
    for (const std::string& raw : attribute_names(g, path)) {
      if (!ours_ || raw[0] != '%' || raw.size() < 2 || raw[1] < 'a') {  // after a % come 0-9, A-F, or a word of ours
        Item value = arrays_.attribute(g, raw, path);
        entries.push_back({key(raw, path), std::move(value)});
      } else if (raw == own::kind) {
        Item kind = arrays_.attribute(g, raw, path);
        auto* text = kind.as<std::string>();
        if (!text) file_.refuse(path, "has a %kind that is no text");
        marks.is_list = *text == "list";
        root_is_value_ |= path.empty() && *text == "value";
        if (text->starts_with('%')) file_.refuse(path, "has a %kind that luth never writes");
        if (*text != "list" && *text != "value") marks.kind = *text;
      } else if (raw == own::order) {
        Item order = arrays_.attribute(g, raw, path);
        if (auto* list = order.as<List>())
          for (const Item& i : *list) marks.order.push_back(i.as<int64_t>() ? *i.as<int64_t>() : 0);
      }
    }
  }

  Key key(const std::string& raw, const std::string& path) {
    if (!ours_) return raw;
    Key k;
    if (!from_name(raw, k)) file_.refuse(path + "/" + raw, "has a name that luth never writes");
    return k;
  }

  void check_unique(const Entries& entries, const std::string& path) {
    std::vector<const Key*> keys;
    keys.reserve(entries.size());
    for (const Map::Entry& e : entries) keys.push_back(&e.key);
    std::sort(keys.begin(), keys.end(), [](const Key* a, const Key* b) { return *a < *b; });
    auto twice = std::adjacent_find(keys.begin(), keys.end(), [](const Key* a, const Key* b) { return *a == *b; });
    if (twice != keys.end()) file_.refuse(path + "/" + to_name(**twice), "is both an attribute and an object");
  }

  Item as_list(Entries& entries, const std::string& path) {
    List list(entries.size());
    for (Map::Entry& e : entries) {  // keys are unique: with all of them in 1 … n, each is there
      auto* i = std::get_if<int64_t>(&e.key);
      if (!i || *i < 1 || *i > int64_t(list.size())) file_.refuse(path, "is a list with a key that is no position");
      list[size_t(*i - 1)] = std::move(e.value);
    }
    return list;
  }

  Item in_order(Entries& entries, size_t plain, const Marks& marks, const std::string& path) {
    const std::vector<int64_t>& places = marks.order;
    std::vector<Map::Entry*> slots(entries.size());
    bool good = places.size() == plain;
    for (size_t i = 0; good && i < plain; ++i) {
      good = places[i] >= 1 && places[i] <= int64_t(slots.size()) && !slots[size_t(places[i] - 1)];
      if (good) slots[size_t(places[i] - 1)] = &entries[i];
    }
    if (!good) file_.refuse(path, "has a %order that does not fit");
    Map::Entry* next = entries.data() + plain;
    Map sorted;
    sorted.kind = marks.kind;
    for (Map::Entry* e : slots) {
      if (!e) e = next++;
      sorted.add(std::move(e->key), std::move(e->value));
    }
    return sorted;
  }

  std::vector<std::string> attribute_names(hid_t g, const std::string& path) {
    h5::Id how = file_.own(H5Gget_create_plist(g), H5Pclose, "read", path);
    unsigned tracked = 0;
    H5Pget_attr_creation_order(how, &tracked);
    std::vector<std::string> names;
    hsize_t at = 0;
    auto index = tracked & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    auto all = [&](auto add, void* to) { return H5Aiterate2(g, index, H5_ITER_INC, &at, add, to); };
    auto add = [&](const char* name, const H5A_info_t&) { names.emplace_back(name); };
    file_.check(h5::visit<H5A_info_t>(all, add), "read", path);
    return names;
  }

  struct Link {
    std::string name;
    H5L_type_t type;
    haddr_t address;
  };

  std::vector<Link> link_list(hid_t g, const std::string& path) {
    H5G_info_t info{};
    file_.check(H5Gget_info(g, &info), "read", path);
    h5::Id how = file_.own(H5Gget_create_plist(g), H5Pclose, "read", path);
    unsigned tracked = 0;
    H5Pget_link_creation_order(how, &tracked);
    std::vector<Link> found;
    hsize_t at = 0;
    auto index = tracked & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    // a stored index of that order is in order: HDF5 need not sort a table of its own
    const bool sorted = tracked & H5P_CRT_ORDER_INDEXED && info.storage_type == H5G_STORAGE_TYPE_DENSE;
    auto order = sorted ? H5_ITER_NATIVE : H5_ITER_INC;
    auto all = [&](auto add, void* to) { return H5Literate(g, index, order, &at, add, to); };
    auto add = [&](const char* name, const H5L_info_t& link) { found.push_back({name, link.type, link.u.address}); };
    file_.check(h5::visit<H5L_info_t>(all, add), "read", path);
    if (found.size() != info.nlinks) file_.refuse(path, "has an index that does not fit the number of its entries");
    return found;
  }

  void links(hid_t g, const std::string& above, Entries& entries, int depth) {
    const std::vector<Link> all = link_list(g, above);
    entries.reserve(entries.size() + all.size());
    for (const Link& link : all) {
      std::string path = above + "/" + link.name;
      if (link.type != H5L_TYPE_HARD)
        file_.refuse(path, fmt::format("is {} link, which luth does not follow",
                                       link.type == H5L_TYPE_SOFT ? "a symbolic" : "an external"));
      entries.push_back({key(link.name, above), object(g, link.address, path, depth)});
    }
  }

  // By address, because looking up a name that holds a '/' would follow other links.
  Item object(hid_t g, haddr_t address, const std::string& path, int depth) {
    if (auto known = by_address_.find(address); known != by_address_.end()) return known->second;
    h5::Id o = file_.own(H5Oopen_by_addr(g, address), H5Oclose, "open", path);
    switch (H5Iget_type(o)) {
      case H5I_GROUP: {
        if (!groups_.insert(address).second) file_.refuse(path, "is a group that has two places");
        return group(o, path, depth + 1);
      }
      case H5I_DATASET: return dataset(o, address, path);
      default: file_.refuse(path, "is neither a group nor a dataset");
    }
  }

  Item dataset(hid_t d, haddr_t address, const std::string& path) {
    if (ours_ && arrays_.has(d, own::tied, path)) return tied(d, path);
    Item item = arrays_.dataset(d, path);
    ArrayPlace array;
    if (!from_item(item, array)) return item;
    array.is_list = ours_ && arrays_.has(d, own::kind, path);
    if (array.is_list && array.shape.size() != 1) file_.refuse(path, "is a list and has not one dim");
    array.grad = ours_ && !array.is_list && is_floating(array.dtype) && arrays_.has(d, own::grad, path);
    item = to_item(array);
    if (array.is_list) return item;
    if (ours_)
      by_path_.emplace(path, item);  // a second place has a mark of its own there
    else
      by_address_.emplace(address, item);
    return item;
  }

  Item tied(hid_t d, const std::string& path) {
    Item first = arrays_.attribute(d, own::tied, path);
    auto* name = first.as<std::string>();
    auto found = name ? by_path_.find(*name) : by_path_.end();
    if (found == by_path_.end()) file_.refuse(path, "is tied to a tensor that does not come before it");
    return found->second;
  }

  h5::File& file_;
  Arrays arrays_;
  bool ours_ = false, root_is_value_ = false;
  std::unordered_map<haddr_t, Item> by_address_;  // of arrays
  std::unordered_map<std::string, Item> by_path_;
  std::set<haddr_t> groups_;
};

}  // namespace

Item describe(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, uint64_t most_unpacked) {
  h5::File file = h5::File::open(disk, path, ErrorCode::checkpoint);
  Item tree = Reader(file, unpacked, most_unpacked).root(sealed, path);
  file.close();
  return tree;
}

}  // namespace luth::io
