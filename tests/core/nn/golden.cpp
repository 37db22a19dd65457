#include "tests/core/nn/golden.h"

#include <hdf5.h>

#include <cstring>
#include <fstream>
#include <set>

namespace luth::test {
namespace {

std::vector<char> read_dataset(hid_t file, const char* name, hid_t type, size_t size) {
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return {};
  hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data);
  std::vector<char> bytes(size_t(H5Sget_simple_extent_npoints(space)) * size);
  herr_t status = H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Sclose(space);
  H5Dclose(data);
  if (status < 0) throw Error("cannot read dataset {}", name);
  return bytes;
}

// JSON to the kinds that a field may have.
Attr attr_of(const Json& j, const FieldInfo& info, const std::map<std::string, Tensor>& tensors) {
  if (j.is_null()) return {};
  if ((info.as & as::word) && j.is_string()) return j.get<std::string>();
  switch (info.kind) {
    case AttrKind::boolean: return j.get<bool>();
    case AttrKind::integer: return j.get<int64_t>();
    case AttrKind::number: return j.get<double>();
    case AttrKind::scalar: return j.is_number_float() ? Scalar(j.get<double>()) : Scalar(j.get<int64_t>());
    case AttrKind::text: return j.get<std::string>();
    case AttrKind::ints: {
      if (!j.is_array()) return Ints{j.get<int64_t>()};
      Ints v;
      for (auto& x : j) v.push_back(x.is_null() ? -1 : x.get<int64_t>());
      return v;
    }
    case AttrKind::numbers: {
      if (!j.is_array()) return std::vector<double>{j.get<double>()};
      return j.get<std::vector<double>>();
    }
    case AttrKind::tensor: return tensors.at(j.get<std::string>().substr(1));
    default: throw Error("no value of {} from JSON", info.name);
  }
}

class JsonFields : public Fields {
 public:
  JsonFields(const Json& o, const std::map<std::string, Tensor>& t) : object_(o), tensors_(t) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (!object_.contains(info.name)) return false;
    used.insert(info.name);
    value = attr_of(object_[info.name], info, tensors_);
    return true;
  }
  std::set<std::string> used;

 private:
  const Json& object_;
  const std::map<std::string, Tensor>& tensors_;
};

}  // namespace

std::string golden_path(const std::string& name) { return std::string(LUTH_SOURCE_DIR) + "/tests/golden/nn/" + name; }
Json golden_json(const std::string& name) {
  std::ifstream in(golden_path(name));
  if (!in) throw Error("cannot read {}", golden_path(name));
  return Json::parse(in);
}

NnGolden::NnGolden(const std::string& name) {
  hid_t file = H5Fopen(golden_path(name).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw Error("cannot open {}", golden_path(name));
  auto text = read_dataset(file, "json", H5T_NATIVE_UINT8, 1);
  index_ = Json::parse(text.begin(), text.end());
  flat_["float64"] = read_dataset(file, "float64", H5T_NATIVE_DOUBLE, 8);
  flat_["float32"] = read_dataset(file, "float32", H5T_NATIVE_FLOAT, 4);
  flat_["int64"] = read_dataset(file, "int64", H5T_NATIVE_INT64, 8);
  flat_["bool"] = read_dataset(file, "bool", H5T_NATIVE_UINT8, 1);
  H5Fclose(file);
}

Tensor NnGolden::tensor(const Json& j) const {
  const Json& t = j["tensor"];
  Shape shape;
  for (auto& n : t["shape"]) shape.push_back(n.get<int64_t>());
  std::string type = t["dtype"].get<std::string>();
  Tensor out = Tensor::empty(shape, parse_dtype(type), host());
  if (out.numel())
    std::memcpy(out.raw(), flat_.at(type).data() + t["at"].get<size_t>() * size_of(out.dtype()), out.bytes());
  return out;
}

double element(const Tensor& t, int64_t i) {
  int64_t at = 0;
  for (int d = t.dim() - 1; d >= 0; i /= t.shape()[d--]) at += i % t.shape()[d] * t.strides()[d];
  double v = 0;
  dispatch(AllTypes{}, t.dtype(), [&]<class T>(Type<T>) { v = cast<double>(t.data<T>()[at]); });
  return v;
}

std::string differs(const Tensor& got, const Tensor& want, double rtol, double atol) {
  if (!got) return "nothing came";
  if (!(got.shape() == want.shape()))
    return fmt::format("shape {}, expected {}", to_string(got.shape()), to_string(want.shape()));
  double top = 0;
  for (int64_t i = 0; i < want.numel(); ++i) top = std::max(top, std::abs(element(want, i)));
  for (int64_t i = 0; i < want.numel(); ++i) {
    double a = element(got, i), b = element(want, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (!(std::abs(a - b) <= rtol * (std::abs(b) + top) + atol))
      return fmt::format("element {}: {} where {} is expected", i, a, b);
  }
  return "";
}

void set_fields(const Json& object, void (*describe)(void*, Fields&), void* target,
                const std::map<std::string, Tensor>& tensors) {
  JsonFields fields(object, tensors);
  describe(target, fields);
  for (auto& [key, _] : object.items())
    if (!fields.used.count(key)) throw Error("no setting is named '{}'", key);
}

}  // namespace luth::test
