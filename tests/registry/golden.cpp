#include "tests/registry/golden.h"

#include <fnmatch.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/autograd/autograd.h"

namespace luth::test {
namespace {

std::string folder() { return std::string(LUTH_SOURCE_DIR) + "/tests/golden/"; }

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error("cannot read {}", path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}
Json read_json(const std::string& path) { return Json::parse(read_text(path)); }

struct Column {
  const char* name;
  hid_t type;
  size_t size;
};
std::vector<Column> columns() {
  return {{"json", H5T_NATIVE_UINT8, 1},      {"float64", H5T_NATIVE_DOUBLE, 8}, {"float32", H5T_NATIVE_FLOAT, 4},
          {"int64", H5T_NATIVE_INT64, 8},     {"int32", H5T_NATIVE_INT32, 4},    {"int16", H5T_NATIVE_INT16, 2},
          {"int8", H5T_NATIVE_INT8, 1},       {"uint8", H5T_NATIVE_UINT8, 1},    {"float16", H5T_NATIVE_UINT16, 2},
          {"bfloat16", H5T_NATIVE_UINT16, 2}, {"bool", H5T_NATIVE_UINT8, 1}};
}

std::vector<char> read_column(hid_t file, const Column& c) {
  if (H5Lexists(file, c.name, H5P_DEFAULT) <= 0) return {};
  hid_t data = H5Dopen2(file, c.name, H5P_DEFAULT), space = H5Dget_space(data);
  std::vector<char> bytes(size_t(H5Sget_simple_extent_npoints(space)) * c.size);
  herr_t status = H5Dread(data, c.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Sclose(space);
  H5Dclose(data);
  if (status < 0) throw Error("cannot read dataset {}", c.name);
  return bytes;
}

Shape shape_of(const Json& list) {
  Shape s;
  for (auto& n : list) s.push_back(n.get<int64_t>());
  return s;
}

const Json& operator_index() {
  static const Json index = read_json(folder() + "ops.json");
  return index;
}

}  // namespace

GoldenFile::GoldenFile(const std::string& path) {
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw Error("cannot open {}", path);
  for (auto& c : columns()) flat_[c.name] = read_column(file, c);
  H5Fclose(file);
  auto& text = flat_["json"];
  index_ = std::make_unique<Json>(Json::parse(text.begin(), text.end()));
  for (auto& s : (*index_)["samples"]) by_op_[s["op"].get<std::string>()].push_back(&s);
}
GoldenFile::~GoldenFile() = default;

const std::vector<const Json*>& GoldenFile::samples(const std::string& op) const {
  auto it = by_op_.find(op);
  if (it == by_op_.end()) throw Error("no samples of {}", op);
  return it->second;
}

Tensor GoldenFile::tensor(const Json& j) const {
  std::string type = j["dtype"].get<std::string>();
  Dtype d = parse_dtype(type);
  Shape shape = shape_of(j["shape"]);
  size_t size = size_of(d);
  int64_t n = shape.numel();
  const char* from = flat_.at(type).data() + (n ? j["at"].get<size_t>() * size : 0);
  Tensor t;
  if (j.contains("strides")) {
    Strides strides = shape_of(j["strides"]);
    int64_t offset = j["offset"].get<int64_t>(), last = offset;
    for (int i = 0; n && i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
    Tensor memory = Tensor::empty({last + 1}, d, host());
    std::memset(memory.raw(), 0, memory.bytes());
    t = Tensor::alias(memory.storage(), shape, strides, offset, d);
  } else {
    t = Tensor::empty(shape, d, host());
  }
  for (int64_t k = 0; k < n; ++k) {
    int64_t offset = 0, rest = k;
    for (int i = shape.size() - 1; i >= 0; rest /= shape[i--]) offset += rest % shape[i] * t.strides()[i];
    std::memcpy(static_cast<char*>(t.raw()) + offset * int64_t(size), from + size_t(k) * size, size);
  }
  if (j.value("requires_grad", false)) t.set_requires_grad();
  return t;
}

const GoldenFile& golden_file(const std::string& op) {
  static std::map<std::string, std::unique_ptr<GoldenFile>> files;
  if (!operator_index().contains(op)) throw Error("{} has no goldens", op);
  auto& f = files[operator_index()[op]["file"].get<std::string>()];
  if (!f) f = std::make_unique<GoldenFile>(folder() + operator_index()[op]["file"].get<std::string>());
  return *f;
}

std::vector<std::string> golden_names(const std::string& op) {
  std::vector<std::string> names{op};
  for (auto& alias : operator_index()[op]["aliases"]) names.push_back(alias.get<std::string>());
  auto strip = [](std::string n, std::string_view prefix) {
    return n.starts_with(prefix) ? n.substr(prefix.size()) : n;
  };
  for (auto& n : names) n = strip(n, "torch.");
  // What PyTorch has in nn.functional alone is in torch too, but for a few.
  for (size_t i = 0, n = names.size(); i < n; ++i) names.push_back(strip(names[i], "nn.functional."));
  return names;
}

std::vector<std::string> golden_operators() {
  std::vector<std::string> names;
  for (auto& [name, about] : operator_index().items()) names.push_back(name);
  return names;
}

int golden_tier(const std::string& op) { return operator_index()[op]["tier"].get<int>(); }

std::vector<Allowance> allowances(const std::string& op) {
  std::vector<Allowance> all;
  std::istringstream in(read_text(folder() + "allow.txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || !line.starts_with(op + "/")) continue;
    size_t space = line.find(' ');
    if (space == std::string::npos) throw Error("tests/golden/allow.txt: no reason in '{}'", line);
    all.push_back({line.substr(0, space)});
  }
  return all;
}
bool Allowance::covers(const std::string& sample_id) const { return fnmatch(glob.c_str(), sample_id.c_str(), 0) == 0; }

namespace {

// The floating dtypes that rounded on the way: the sample's, the result's, and for mixed inputs all of theirs.
std::vector<std::string> rounding_dtypes(const Json& sample, Dtype d) {
  std::vector<std::string> all{std::string(name(d))};
  if (sample["dtype"].is_string()) all.push_back(sample["dtype"].get<std::string>());
  if (sample.contains("mixed") || (sample.contains("torch_error") && sample["torch_error"].contains("mixed")))
    for (auto& arg : sample["named"])
      if (arg[1].is_object() && arg[1].contains("tensor")) all.push_back(arg[1]["tensor"]["dtype"].get<std::string>());
  return all;
}

}  // namespace

Tolerance golden_tolerance(const Json& sample, const char* what, Dtype d) {
  static const Json table = read_json(folder() + "tolerances.json");
  if (!is_floating(d)) return {};
  Tolerance t;
  std::string op = sample["op"].get<std::string>();
  auto widen = [&](const Json& pair) {
    t.rtol = std::max(t.rtol, pair[0].get<double>());
    t.atol = std::max(t.atol, pair[1].get<double>());
  };
  for (auto& type : rounding_dtypes(sample, d)) {
    if (table["default"].contains(type)) widen(table["default"][type]);
    if (table["override"].contains(op) && table["override"][op].contains(type) &&
        table["override"][op][type].contains(what))
      widen(table["override"][op][type][what]);
  }
  return t;
}

}  // namespace luth::test
