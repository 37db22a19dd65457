// Arguments by PyTorch's names, bound to the inputs and attributes of the operators behind a name.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/registry/golden.h"

namespace luth::test {
namespace {

struct Misfit {
  std::string why;
};

double number(const Json& j) {
  if (!j.is_object()) return j.is_boolean() ? double(j.get<bool>()) : j.get<double>();
  std::string s = j["float"].get<std::string>();
  return s == "nan" ? NAN : s == "inf" ? INFINITY : -INFINITY;
}
bool is_number(const Json& j) { return j.is_number() || j.is_boolean() || (j.is_object() && j.contains("float")); }
Scalar scalar(const Json& j) {
  if (j.is_boolean()) return Scalar(j.get<bool>());
  if (j.is_number_integer()) return Scalar(j.get<int64_t>());
  return Scalar(number(j));
}

Attr attribute(const FieldInfo& info, const GoldenArg& arg) {
  const Json& j = *arg.json;
  Misfit misfit{std::string(info.name) + " does not take " + j.dump().substr(0, 60)};
  if (arg.tensor && (arg.tensor.numel() != 1 || info.kind == AttrKind::ints)) throw misfit;
  bool numeric = arg.tensor || is_number(j);
  Scalar value = arg.tensor ? arg.tensor.item() : numeric ? scalar(j) : Scalar();
  switch (info.kind) {
    case AttrKind::boolean:
      if (j.is_boolean()) return j.get<bool>();
      break;
    case AttrKind::integer:
      if (numeric && !value.is_floating()) return value.integer();
      break;
    case AttrKind::number:
      if (numeric) return value.value();
      break;
    case AttrKind::scalar:
      if (numeric) return value;
      break;
    case AttrKind::text:
      if (j.is_string()) return j.get<std::string>();
      break;
    case AttrKind::ints:
      if (j.is_number_integer()) return Ints{j.get<int64_t>()};
      // None in a list: the extent that is there, which luth calls -1
      if (j.is_array() &&
          std::all_of(j.begin(), j.end(), [](auto& i) { return i.is_number_integer() || i.is_null(); })) {
        Ints list;
        for (auto& i : j) list.push_back(i.is_null() ? -1 : i.template get<int64_t>());
        return list;
      }
      break;
    case AttrKind::numbers:
      if (info.as & as::dim) {  // a pair of lists of dims
        std::vector<double> list;
        if (!j.is_array() || j.size() != 2 || !j[0].is_array() || !j[1].is_array()) break;
        for (auto& half : j)
          for (auto& i : half) list.push_back(i.get<double>());
        return list;
      }
      if (is_number(j)) return std::vector<double>{number(j)};
      if (j.is_array() && std::all_of(j.begin(), j.end(), is_number)) {
        std::vector<double> list;
        for (auto& i : j) list.push_back(number(i));
        return list;
      }
      break;
    case AttrKind::dtype:
      if (j.is_object() && j.contains("dtype")) return parse_dtype(j["dtype"].get<std::string>());
      break;
    default: break;
  }
  throw misfit;
}

// Sets the attributes that have an argument of their name.
class Setter : public Fields {
 public:
  Setter(const std::vector<GoldenArg>& args, std::set<std::string>& used) : args_(args), used_(used) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    auto it = std::find_if(args_.begin(), args_.end(), [&](auto& a) { return a.name == info.name; });
    if (it == args_.end() || used_.count(info.name)) {
      if (info.as & as::required) throw Misfit{std::string("wants ") + info.name};
      return false;
    }
    used_.insert(info.name);
    if (it->json->is_null()) {
      if (info.as & as::required) throw Misfit{std::string("wants ") + info.name};
      if (!info.optional) return false;  // None: the default
      value = {};
      return true;
    }
    value = attribute(info, *it);
    return true;
  }

 private:
  const std::vector<GoldenArg>& args_;
  std::set<std::string>& used_;
};

Inputs inputs(const OpInfo& info, const std::vector<GoldenArg>& args, std::set<std::string>& used) {
  Inputs in;
  for (auto& spec : info.inputs) {
    auto it = std::find_if(args.begin(), args.end(), [&](auto& a) { return a.name == spec.name; });
    if (it == args.end() || (it->json->is_null() && spec.optional)) {
      if (!spec.optional) throw Misfit{"wants " + spec.name};
      if (it != args.end()) used.insert(spec.name);
      in.push_back({});
      continue;
    }
    used.insert(spec.name);
    if (spec.list && it->is_tensors)
      for (auto& t : it->tensors) in.push_back(t);
    else if (it->tensor && !spec.list)
      in.push_back(it->tensor);
    else if (spec.number && is_number(*it->json))
      in.push_back(scalar(*it->json));
    else
      throw Misfit{spec.name + " does not take " + it->json->dump().substr(0, 60)};
  }
  return in;
}

bool called(const OpInfo& info, const std::string& name) {
  if (info.lua_name == name) return true;
  std::istringstream words(std::string(info.traits.aliases));
  for (std::string w; words >> w;)
    if (w == name) return true;
  return false;
}

}  // namespace

GoldenCall bind_golden(const std::vector<std::string>& names, const std::vector<GoldenArg>& args) {
  std::string reasons;
  for (auto& name : names)
    for (const OpInfo* info : operators()) {
      if (!called(*info, name)) continue;
      std::set<std::string> used;
      try {
        GoldenCall call{info, info->make(), inputs(*info, args, used)};
        Setter set(args, used);
        if (info->describe) info->describe(call.op.get(), set);
        for (auto& a : args)
          if (!used.count(a.name)) throw Misfit{"knows no " + a.name};
        return call;
      } catch (const Misfit& m) { reasons += "; " + info->name + " " + m.why; }
    }
  throw Error("no operator {} fits{}", names[0], reasons);
}

}  // namespace luth::test
