#include "core/io/pth.h"

#include <algorithm>
#include <map>

#include "core/base/visible.h"
#include "core/io/elements.h"
#include "core/io/pickle.h"
#include "core/io/zip.h"

namespace luth::io {
namespace {

using pickle::Node;
using Kind = Node::Kind;

struct Named {
  const char* name;
  Dtype dtype;
};
constexpr Named storages[] = {{"FloatStorage", Dtype::f32}, {"DoubleStorage", Dtype::f64},
                              {"HalfStorage", Dtype::f16},  {"BFloat16Storage", Dtype::bf16},
                              {"LongStorage", Dtype::i64},  {"IntStorage", Dtype::i32},
                              {"ShortStorage", Dtype::i16}, {"CharStorage", Dtype::i8},
                              {"ByteStorage", Dtype::u8},   {"BoolStorage", Dtype::boolean}};
constexpr Named dtypes[] = {
    {"float32", Dtype::f32}, {"float", Dtype::f32}, {"float64", Dtype::f64},   {"double", Dtype::f64},
    {"float16", Dtype::f16}, {"half", Dtype::f16},  {"bfloat16", Dtype::bf16}, {"int64", Dtype::i64},
    {"long", Dtype::i64},    {"int32", Dtype::i32}, {"int", Dtype::i32},       {"int16", Dtype::i16},
    {"short", Dtype::i16},   {"int8", Dtype::i8},   {"uint8", Dtype::u8},      {"bool", Dtype::boolean}};
constexpr uint64_t free_repeats = uint64_t(64) << 20;  // bytes
constexpr const char *ordered_dict = "collections.OrderedDict", *size = "torch.Size", *device_name = "torch.device",
                     *tensor_v2 = "torch._utils._rebuild_tensor_v2", *tensor_v3 = "torch._utils._rebuild_tensor_v3",
                     *parameter = "torch._utils._rebuild_parameter", *untyped = "torch.storage.UntypedStorage",
                     *counter = "collections.Counter", *encode = "_codecs.encode", *empty_bytes = "__builtin__.bytes";

template <size_t n>
const Named* find(const Named (&list)[n], std::string_view name) {
  if (!name.starts_with("torch.")) return nullptr;
  auto* found = std::find_if(list, list + n, [&](const Named& e) { return name.substr(6) == e.name; });
  return found == list + n ? nullptr : found;
}

/// The elements that several tensors may share. `dtype` is null where the file calls them bytes.
struct Elements {
  Tensor all;
  const Named* dtype;
};

/// The bytes that protocol 2 writes as a text, whose characters are those bytes.
std::string latin1(std::string_view utf8) {
  std::string bytes;
  for (size_t i = 0; i < utf8.size(); ++i) {
    auto c = static_cast<unsigned char>(utf8[i]);
    if (c >= 0x80) {
      if ((c & 0xfc) != 0xc0 || ++i == utf8.size()) throw Error("its pickle has bytes beyond 255");
      c = static_cast<unsigned char>(c << 6 | (utf8[i] & 0x3f));
    }
    bytes += char(c);
  }
  return bytes;
}

/// Arguments of a call, each of the kind that is asked for.
class Arguments {
 public:
  Arguments(std::string name, const Node& tuple) : name_(std::move(name)), tuple_(tuple) {}
  const Node& at(size_t i, Kind kind) const {
    if (i >= tuple_.items.size() || tuple_.items[i]->kind != kind) fail();
    return *tuple_.items[i];
  }
  int64_t integer(size_t i) const { return at(i, Kind::integer).integer; }
  bool flag(size_t i) const { return at(i, Kind::boolean).flag; }
  const std::string& text(size_t i) const { return at(i, Kind::text).text; }
  Shape shape(size_t i) const {
    const Node& list = at(i, Kind::tuple);
    if (list.items.size() > size_t(max_dims)) throw Error("it holds a tensor of more than {} dims", max_dims);
    Shape s;
    for (const Node* n : list.items) {
      if (n->kind != Kind::integer) fail();
      s.push_back(n->integer);
    }
    return s;
  }
  [[noreturn]] void fail() const { throw Error("its pickle gives {} other arguments than PyTorch does", name_); }

 private:
  std::string name_;
  const Node& tuple_;
};

class Reader : public pickle::Machine::Builder {
 public:
  Reader(Disk& disk, const std::string& path, const LoadOptions& options)
      : disk_(disk),
        path_(path),
        options_(options),
        entries_(zip_entries(disk, path, options.max_bytes)),
        repeats_(options.max_bytes ? options.max_bytes : free_repeats + most_packing * disk.size()) {
    for (const ZipEntry& e : entries_)
      if (!by_name_.emplace(e.name, &e).second) throw Error("it has two entries '{}'", foreign(e.name));
    root_ = root();
    if (by_name_.count(root_ + "constants.pkl"))
      throw Error("it is a TorchScript archive, which holds code; save the model's state_dict() instead");
  }

  Item read() {
    if (const ZipEntry* e = entry("byteorder")) {
      const std::string order = zip_read(disk_, *e, path_);
      if (order != "little" && order != "big") throw Error("its byte order is '{}'", foreign(order));
      swapped_ = order == "big";
    }
    const ZipEntry& e = *entry("data.pkl");
    if (e.size > disk_.size()) throw Error("its pickle is packed, and larger than the file");
    const std::string bytes = zip_read(disk_, e, path_);
    left_ = 64 * bytes.size() + 4096;
    pickle::Machine machine(bytes, *this, options_.max_bytes ? options_.max_bytes / value_bytes : most_values);
    const Node& top = machine.run();
    return item(top, 0);
  }

  void check_name(const std::string& name) override {
    for (const char* known :
         {ordered_dict, size, device_name, tensor_v2, tensor_v3, parameter, untyped, counter, encode, empty_bytes})
      if (name == known) return;
    if (!find(storages, name) && !find(dtypes, name))
      throw Error(
          "it refers to '{}', and luth executes nothing; it reads tensors and plain values: save the state_dict() "
          "instead",
          foreign(name));
  }

  void call(const std::string& name, const Node& tuple, Node& result) override {
    const Arguments a(name, tuple);
    if (name == ordered_dict) {
      if (!tuple.items.empty()) a.fail();
      result.kind = Kind::dict;
    } else if (name == counter) {  // a MultiStepLR counts its milestones with it
      result.kind = Kind::dict;
      const Node& counts = a.at(0, Kind::dict);
      spend(16 * counts.entries.size());
      result.entries = counts.entries;
    } else if (name == encode) {
      if (a.text(1) != "latin1") a.fail();
      result.kind = Kind::text;
      spend(a.text(0).size());
      result.text = latin1(a.text(0));
    } else if (name == empty_bytes) {
      if (!tuple.items.empty()) a.fail();
      result.kind = Kind::text;
    } else if (name == size) {
      result.kind = Kind::tuple;
      const Node& extents = a.at(0, Kind::tuple);
      spend(extents.items.size());
      result.items = extents.items;
    } else if (name == device_name) {
      result.kind = Kind::text;
      spend(a.text(0).size());
      result.text = a.text(0) + (tuple.items.size() > 1 ? ":" + std::to_string(a.integer(1)) : "");
    } else if (name == tensor_v2 || name == tensor_v3) {
      keep(tensor(a, name == tensor_v3), result);
    } else if (name == parameter) {
      keep(require_grad(made(a.at(0, Kind::made)).detach(), a.flag(1)), result);
    } else {
      throw Error("its pickle calls '{}'", foreign(name));
    }
  }

  // ('storage', torch.FloatStorage, '0', 'cpu', 24)
  void load(const Node& id, Node& result) override {
    if (id.kind != Kind::tuple) throw Error("it refers to a value outside of the pickle that is no storage");
    const Arguments a("a storage", id);
    if (a.text(0) != "storage") throw Error("it refers to a '{}' outside of the pickle", foreign(a.text(0)));
    const std::string& kind = a.at(1, Kind::name).text;
    const Named* named = find(storages, kind);
    if (!named && kind != untyped) throw Error("it has a storage of '{}'", foreign(kind));
    result.flag = true;  // a storage, not a tensor
    result.integer = int64_t(storage(a.text(2), named, a.integer(4)));
  }

 private:
  /// "archive/": what all names begin with.
  std::string root() const {
    for (auto& [name, _] : by_name_)
      if (name.ends_with("/data.pkl") && std::count(name.begin(), name.end(), '/') == 1)
        return name.substr(0, name.size() - 8);
    throw Error("it is a zip archive, but not one that torch.save has written: it has no data.pkl");
  }
  const ZipEntry* entry(const std::string& name) const {
    auto found = by_name_.find(root_ + name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  size_t storage(const std::string& key, const Named* dtype, int64_t count) {
    if (auto known = by_key_.find(key); known != by_key_.end()) {
      if (elements_[known->second].dtype != dtype) throw Error("storage '{}' has two dtypes", foreign(key));
      return known->second;
    }
    const ZipEntry* e = entry("data/" + key);
    if (!e) throw Error("it lacks the elements 'data/{}'", foreign(key));
    const Dtype d = dtype ? dtype->dtype : Dtype::u8;
    if (count < 0 || e->size / size_of(d) != uint64_t(count) || e->size % size_of(d))
      throw Error("storage '{}' should have {} elements of {} bytes, but has {} bytes", foreign(key), count, size_of(d),
                  e->size);
    if (e->size > disk_.size()) throw Error("storage '{}' is larger than the file", foreign(key));
    Tensor t = Tensor::empty({count}, d, host());
    zip_read_stored(disk_, *e, path_, t.raw());
    if (swapped_ && dtype) swap_bytes(t.raw(), count, size_of(d));
    if (swapped_ && !dtype) throw Error("storage '{}' is big-endian and of no dtype", foreign(key));
    settle_booleans(t);
    elements_.push_back({on_device(t, options_.map_location), dtype});
    by_key_.emplace(key, elements_.size() - 1);
    return elements_.size() - 1;
  }

  // storage, offset, size, stride, requires_grad, backward_hooks, and the dtype of version 3.
  Tensor tensor(const Arguments& a, bool with_dtype) {
    const Node& from = a.at(0, Kind::made);
    if (!from.flag) a.fail();
    const Elements& e = elements_[size_t(from.integer)];
    const int64_t offset = a.integer(1);
    const Shape shape = a.shape(2), strides = a.shape(3);
    Dtype dtype = e.dtype ? e.dtype->dtype : Dtype::u8;
    if (with_dtype) {
      const Named* named = find(dtypes, a.at(6, Kind::name).text);
      if (!named) a.fail();
      dtype = named->dtype;
    }
    if (shape.size() != strides.size())
      throw Error("it holds a tensor of {} dims and {} strides", shape.size(), strides.size());
    check_extents(shape);
    const int64_t room = int64_t(e.all.bytes() / size_of(dtype));
    if (offset < 0 || reach(shape, strides, offset) > room)
      throw Error("a tensor of shape {} reaches beyond its {} elements", to_string(shape), room);
    count_repeats(*array_bytes(shape, dtype), e.all.bytes());
    return require_grad(Tensor::alias(e.all.storage(), shape, strides, offset, dtype), a.flag(4));
  }
  static void check_extents(const Shape& shape) {
    int64_t n = 16;
    for (const int64_t extent : shape)
      if (extent < 0 || __builtin_mul_overflow(n, std::max<int64_t>(extent, 1), &n))
        throw Error("no tensor can have the shape {}", to_string(shape));
  }
  // Strides of 0 make a tensor larger than what the file has of it: it takes no memory, but what is computed of it
  // does.
  void count_repeats(uint64_t bytes, uint64_t stored) {
    const uint64_t more = bytes > stored ? bytes - stored : 0;
    if (more > repeats_) throw Error("its tensors repeat elements to more than its size, or {{max_bytes = …}}, allows");
    repeats_ -= more;
  }
  static Tensor require_grad(const Tensor& t, bool wanted) {
    if (wanted && !is_floating(t.dtype())) throw Error("a tensor of {} cannot require a gradient", name(t.dtype()));
    if (wanted) t.set_requires_grad(true);
    return t;
  }
  void keep(Tensor t, Node& result) {
    result.integer = int64_t(tensors_.size());
    tensors_.push_back(std::move(t));
  }

  const Tensor& made(const Node& n) const {
    if (n.flag) throw Error("it holds a storage without a tensor; save the tensor");
    return tensors_[size_t(n.integer)];
  }

  // ---- Trees ----

  static constexpr uint64_t most_values = uint64_t(-1);  // no bound but the pickle's own bytes
  static constexpr uint64_t value_bytes = 512;           // a node, and the tensor or item that it becomes

  // Of 64 that each byte of the pickle may cost; an item without text is a byte at least.
  static constexpr uint64_t item_cost = 16;

  // Pickle bytes take up to some 120 bytes of memory each. What they repeat takes at most as many again.
  void spend(uint64_t cost) {
    if (cost > left_) throw Error("it repeats its parts so often that it would unfold to many times its size");
    left_ -= cost;
  }

  Item item(const Node& n, int depth) {
    if (depth > max_depth) throw Error("it is nested deeper than {} levels, or holds itself", max_depth);
    spend(item_cost + n.text.size());
    switch (n.kind) {
      case Kind::none: return {};
      case Kind::boolean: return n.flag;
      case Kind::integer: return n.integer;
      case Kind::number: return n.number;
      case Kind::text: return n.text;
      case Kind::name: return n.text;  // a dtype: "torch.float32"
      case Kind::made: return made(n);
      case Kind::dict: return map(n, depth);
      default: {
        List list;
        for (const Node* i : n.items) list.push_back(item(*i, depth + 1));
        return list;
      }
    }
  }
  Item map(const Node& n, int depth) {
    auto key = [](const Node& k) -> Key {
      if (k.kind == Kind::integer) return k.integer;
      if (k.kind == Kind::text) return k.text;
      throw Error("it has a dict with a key that is neither a string nor an integer");
    };
    Map map;
    for (auto& [k, v] : n.entries) {
      spend(item_cost + k->text.size());
      if (map.find(key(*k))) throw Error("its pickle sets a key of a dict twice");
      map.add(key(*k), item(*v, depth + 1));
    }
    return map;
  }

  Disk& disk_;
  const std::string& path_;
  const LoadOptions& options_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, const ZipEntry*> by_name_;
  std::string root_;
  bool swapped_ = false;
  std::vector<Elements> elements_;
  std::map<std::string, size_t> by_key_;
  std::vector<Tensor> tensors_;
  uint64_t left_ = 0;  // how much more what the pickle repeats may cost
  uint64_t repeats_;   // bytes that tensors may still have beyond those of their storages
};

}  // namespace

Item load_pth(const std::string& path, const LoadOptions& options) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  try {
    return Reader(disk, path, options).read();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::checkpoint || e.code() == ErrorCode::memory) throw;
    throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path, e.what());
  }
}

}  // namespace luth::io
