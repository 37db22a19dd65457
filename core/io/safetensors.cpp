#include "core/io/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/mapped.h"
#include "core/base/visible.h"
#include "core/io/disk.h"
#include "core/io/elements.h"
#include "core/io/mapping.h"
#include "core/io/stored_array.h"

namespace luth::io {
namespace {

using Json = nlohmann::json;

constexpr uint64_t most_header = 100'000'000;  // bytes, the format's own limit
constexpr uint64_t most_metadata = 64 << 20;   // bytes of memory

struct Code {
  const char* text;
  Dtype dtype;
};
constexpr Code codes[] = {{"BOOL", Dtype::boolean}, {"U8", Dtype::u8},   {"I8", Dtype::i8},   {"I16", Dtype::i16},
                          {"I32", Dtype::i32},      {"I64", Dtype::i64}, {"F16", Dtype::f16}, {"BF16", Dtype::bf16},
                          {"F32", Dtype::f32},      {"F64", Dtype::f64}};

template <class... A>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<A...> text, A&&... args) {
  throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path,
              fmt::vformat(fmt::string_view(text), fmt::make_format_args(args...)));
}

struct Place {
  std::string name;
  Dtype dtype;
  Shape shape;
  uint64_t begin, end;
};

std::string read_header(Disk& disk, const std::string& path) {
  unsigned char length[8] = {};
  if (disk.size() < 8 || !disk.read(length, 8, 0)) refuse(path, "it is cut short: {} bytes", disk.size());
  uint64_t n = 0;
  for (int i = 7; i >= 0; --i) n = n << 8 | length[i];
  if (n > most_header) refuse(path, "its header would have {} bytes; the format allows {}", n, most_header);
  if (n > disk.size() - 8) refuse(path, "it is cut short or no .safetensors file: its header would have {} bytes", n);
  std::string text(n, ' ');
  if (!disk.read(text.data(), n, 8)) refuse(path, "{}", disk.reason());
  return text;
}

// Reads the header as the parser reports it. No tree is made, which would need memory to go. The metadata is kept for
// who asks.
class Header : public nlohmann::json_sax<Json> {
 public:
  Header(const std::string& path, uint64_t max_bytes, Map* metadata)
      : path_(path), budget_(max_bytes), metadata_(metadata) {}

  // The tensors in the order of the header.
  std::vector<Place> read(const std::string& text) {
    if (!Json::sax_parse(text, this)) refuse(path_, "its header is damaged");
    return std::move(list_);
  }

  bool null() override { misplaced(); }
  bool boolean(bool) override { misplaced(); }
  bool number_integer(int64_t) override { misplaced(); }
  bool number_float(double, const std::string&) override { misplaced(); }
  bool binary(Json::binary_t&) override { misplaced(); }
  bool number_unsigned(uint64_t n) override {
    if (level_ != 3) misplaced();
    if (field_ == Field::shape) {
      if (place_.shape.size() == max_dims) refuse(path_, "'{}' has more than {} dims", foreign(place_.name), max_dims);
      place_.shape.push_back(int64_t(n));
    } else {
      if (offsets_ == 2) misplaced();
      (offsets_++ ? place_.end : place_.begin) = n;
    }
    return true;
  }
  bool string(std::string& text) override {
    if (in_metadata_ && level_ == 2) return keep(std::move(text));
    if (level_ != 2 || field_ != Field::dtype) misplaced();
    auto* code = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return text == c.text; });
    if (code == std::end(codes))
      refuse(path_, "'{}' has elements of type {}, for which luth has no dtype", foreign(place_.name), foreign(text));
    place_.dtype = code->dtype;
    return true;
  }
  bool key(std::string& name) override {
    return level_ == 1 ? begin(std::move(name)) : in_metadata_ ? note(std::move(name)) : take(name);
  }
  bool start_object(size_t) override {
    if (level_ > 1 && !in_metadata_) refuse(path_, "its header nests objects at '{}'", foreign(place_.name));
    if (level_ > 1) misplaced();
    return ++level_, true;
  }
  bool end_object() override {
    if (--level_ == 1) in_metadata_ ? end_metadata() : end_tensor();
    return true;
  }
  bool start_array(size_t) override {
    if (level_ == 3) refuse(path_, "its header nests arrays at '{}'", foreign(place_.name));
    if (level_ != 2 || in_metadata_ || field_ == Field::dtype) misplaced();
    return ++level_, true;
  }
  bool end_array() override { return --level_, true; }
  bool parse_error(size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  enum class Field { dtype, shape, data_offsets };
  static constexpr std::string_view names[] = {"dtype", "shape", "data_offsets"};

  // The name of a tensor, or the one that is none.
  bool begin(std::string name) {
    in_metadata_ = name == "__metadata__";
    place_ = {std::move(name), {}, {}, 0, 0};
    seen_ = offsets_ = 0;
    if (in_metadata_ && std::exchange(had_metadata_, true)) twice();
    return true;
  }
  // Of the keys of the metadata their hashes are kept.
  bool note(std::string key) {
    key_ = std::move(key);
    return hashes_.push_back(hash(key_)), true;
  }
  bool keep(std::string text) {
    if (!metadata_) return true;
    const std::string& key = std::get<std::string>(key_);
    kept_ += sizeof(Map::Entry) + key.size() + text.size();
    if (kept_ > most_metadata) refuse(path_, "its '__metadata__' takes more than {} bytes of memory", most_metadata);
    return metadata_->add(key_, std::move(text)), true;
  }
  bool take(const std::string& key) {
    const auto at = std::find(std::begin(names), std::end(names), key) - std::begin(names);
    if (at == std::ssize(names)) misplaced();
    field_ = Field(at);
    if (std::exchange(seen_, seen_ | 1 << at) & 1 << at) twice();
    return true;
  }
  void end_tensor() {
    if (seen_ != 7 || offsets_ != 2) misplaced();
    budget_.spend(place_.end - place_.begin, place_.name, path_);
    list_.push_back(std::move(place_));
  }
  void end_metadata() {
    std::sort(hashes_.begin(), hashes_.end());
    if (std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end()) twice();
    hashes_ = {};
    in_metadata_ = false;
  }

  // A value where the format has none, or another one.
  [[noreturn]] void misplaced() const {
    if (level_ == 0) refuse(path_, "its header is damaged");
    if (in_metadata_) refuse(path_, "its header has a value in '__metadata__' that is no text");
    refuse(path_, "its header is damaged at '{}'", foreign(place_.name));
  }
  [[noreturn]] void twice() const { refuse(path_, "its header has a key twice at '{}'", foreign(place_.name)); }

  const std::string& path_;
  TensorBudget budget_;
  std::vector<Place> list_;
  Map* metadata_;  // null: nobody asks for it
  uint64_t kept_ = 0;
  std::vector<uint64_t> hashes_;
  Key key_;        // of the metadata's text that follows
  Place place_{};  // of the tensor that is read
  Field field_ = Field::dtype;
  int level_ = 0;               // 1: names, 2: fields of one, 3: the numbers of a field
  int seen_ = 0, offsets_ = 0;  // fields, as bits; numbers of data_offsets
  bool in_metadata_ = false, had_metadata_ = false;
};

// In the order of the file; every byte belongs to exactly one tensor, and every name to one.
std::vector<Place> places(const std::string& header, uint64_t bytes, const std::string& path, uint64_t max_bytes,
                          Map* metadata = nullptr) {
  std::vector<Place> list = Header(path, max_bytes, metadata).read(header);
  std::stable_sort(list.begin(), list.end(),
                   [](const Place& a, const Place& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  uint64_t at = 0;
  std::set<std::string_view> names;  // no hashes: whoever wrote the file may know the function
  for (const Place& p : list) {
    if (p.begin != at || p.end < at || p.end > bytes || array_bytes(p.shape, p.dtype) != p.end - at)
      refuse(path, "the place of '{}' does not fit: bytes {} to {} of {}", foreign(p.name), p.begin, p.end, bytes);
    if (!names.insert(p.name).second) refuse(path, "its header has a key twice: '{}'", foreign(p.name));
    at = p.end;
  }
  if (at != bytes) refuse(path, "{} bytes follow the last tensor", bytes - at);
  return list;
}

const Tensor& tensor_of(const Map::Entry& e, const std::string& path) {
  auto* name = std::get_if<std::string>(&e.key);
  auto* t = e.value.as<Tensor>();
  if (!name || !t || !*t || *name == "__metadata__")
    throw Error(
        "cannot save '{}': a .safetensors file holds one table of tensors under string keys; use .h5 for other trees",
        path);
  if (!t->device().has_data()) throw Error("cannot save '{}': '{}' is a tensor without data", path, *name);
  return *t;
}

std::string quoted(const std::string& text, const std::string& path) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) { throw Error("cannot save '{}': a key is not UTF-8; use .h5", path); }
}

// "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}
std::string header_entry(const std::string& name, const Tensor& t, uint64_t at, const std::string& path) {
  auto* code = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.dtype == t.dtype(); });
  return fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", quoted(name, path), code->text,
                     fmt::join(t.shape().begin(), t.shape().end(), ","), at, at + t.bytes());
}

// "__metadata__":{"format":"pt"}, or nothing.
std::string metadata_entry(const Map& metadata, const std::string& path) {
  if (metadata.empty()) return "";
  std::string text;
  for (const Map::Entry& e : metadata) {
    auto *key = std::get_if<std::string>(&e.key), *value = e.value.as<std::string>();
    if (!key || !value) throw Error("cannot save '{}': its metadata are texts under string keys", path);
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", quoted(*key, path), quoted(*value, path));
  }
  return R"("__metadata__":{)" + text + "}";
}

// The tensor over the pages of the file, where they can be its elements as they are. It keeps the file.
Tensor mapped_tensor(const Ref<Mapping>& file, const Place& p, uint64_t at) {
  if (p.dtype == Dtype::boolean || at % size_of(p.dtype) || p.begin == p.end) return {};
  const auto release = [](void* owner) { delete static_cast<Ref<Mapping>*>(owner); };
  const auto storage = make<Storage>(host(), file->data() + at, p.end - p.begin, release, new Ref<Mapping>(file));
  return Tensor::alias(storage, p.shape, contiguous_strides(p.shape), 0, p.dtype);
}

}  // namespace

void save_safetensors(const Item& root, const std::string& path, const Map& metadata) {
  std::string text = "{" + metadata_entry(metadata, path);
  uint64_t at = 0;
  const Map none, &map = root.as<Map>() ? *root.as<Map>() : none;
  if (!root.as<Map>()) tensor_of({"", Item()}, path);  // throws
  for (const Map::Entry& e : map) {
    const Tensor& t = tensor_of(e, path);
    if (text.size() > 1) text += ',';
    text += header_entry(std::get<std::string>(e.key), t, at, path);
    at += t.bytes();
  }
  text += '}';
  if (text.size() > most_header - 8)
    throw Error("cannot save '{}': its names and metadata take more than the {} bytes that the format allows; use .h5",
                path, most_header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string start(8, '\0');
  for (int i = 0; i < 8; ++i) start[size_t(i)] = char(text.size() >> (8 * i));
  Replacement file(path);
  file.disk().write((start + text).data(), 8 + text.size(), 0);
  at = 8 + text.size();
  for (const Map::Entry& e : map) {
    const Tensor& t = *e.value.as<Tensor>();
    Tensor kept;
    file.disk().write(host_elements(t, kept), t.bytes(), at);
    at += t.bytes();
  }
  if (file.disk().error()) file.fail(file.disk().reason());
  file.commit();
}

Item load_safetensors(const std::string& path, const LoadOptions& options) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  const std::string header = read_header(disk, path);
  const uint64_t data = 8 + header.size();
  const std::vector<Place> list = places(header, disk.size() - data, path, options.max_bytes);
  Ref<Mapping> file;
  if (options.mmap) {
    explain_lost_pages();
    file = make<Mapping>(std::move(disk), path, Mapping::Access::write);
  }
  Disk& in = file ? file->disk() : disk;
  Map map;
  for (const Place& p : list) {
    Tensor t = file ? mapped_tensor(file, p, data + p.begin) : Tensor();
    if (!t) {
      t = Tensor::empty(p.shape, p.dtype, host());
      if (!in.read(t.raw(), t.bytes(), data + p.begin)) refuse(path, "{}", in.reason());
      settle_booleans(t);
    }
    map.add(p.name, on_device(t, options.map_location));
  }
  return map;
}

Map safetensors_metadata(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  const std::string header = read_header(disk, path);
  Map metadata;
  places(header, disk.size() - 8 - header.size(), path, 0, &metadata);
  return metadata;
}

std::vector<StoredArray> safetensors_arrays(Disk& disk, const std::string& path, uint64_t max_bytes) {
  const std::string header = read_header(disk, path);
  const uint64_t data = 8 + header.size();
  std::vector<StoredArray> all;
  for (const Place& p : places(header, disk.size() - data, path, max_bytes))
    all.push_back({p.name, p.dtype, p.shape, data + p.begin, false, false, {}});
  return all;
}

}  // namespace luth::io
