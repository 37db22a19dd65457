#include "core/tensor/describe.h"

#include <charconv>

#include "core/base/text.h"

namespace luth {
namespace {

std::string number_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  return fmt::format("{}", v);  // the shortest text that reads back as the same number; 1.0 prints as 1
}
// A float keeps its point, so that reading gives its kind back.
std::string float_text(double v) {
  std::string s = number_text(v);
  return s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
}
template <class List, class F>
std::string list_text(const List& list, F&& f) {
  std::string s = "[";
  for (auto& v : list) s += (s.size() > 1 ? ", " : "") + f(v);
  return s + "]";
}

struct Writer {
  std::string operator()(std::monostate) const { return "nil"; }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return float_text(v); }
  std::string operator()(const Scalar& s) const {
    if (s.kind() == Scalar::Kind::boolean) return (*this)(s.to<bool>());
    return s.is_floating() ? float_text(s.value()) : std::to_string(s.integer());
  }
  std::string operator()(const std::string& s) const { return "'" + s + "'"; }
  std::string operator()(const Ints& v) const {
    return list_text(v, [](int64_t i) { return std::to_string(i); });
  }
  std::string operator()(const std::vector<double>& v) const { return list_text(v, float_text); }
  std::string operator()(Dtype d) const { return "torch." + std::string(name(d)); }
  std::string operator()(Device* d) const { return d ? "'" + d->name() + "'" : "nil"; }
  std::string operator()(MemoryFormat f) const {
    return f == MemoryFormat::contiguous      ? "torch.contiguous_format"
           : f == MemoryFormat::channels_last ? "torch.channels_last"
                                              : "torch.preserve_format";
  }
  std::string operator()(const Tensor& t) const { return describe(t); }
};

// What lies between two marks. Throws where they are not there.
std::string_view between(char open, std::string_view s, char close) {
  if (s.size() < 2 || s.front() != open || s.back() != close)
    throw Error("'{}' does not begin with {} and end with {}", s, open, close);
  return s.substr(1, s.size() - 2);
}
std::vector<std::string> list_items(std::string_view s) {
  std::vector<std::string> items;
  s = between('[', s, ']');
  while (!s.empty()) {
    size_t at = std::min(s.find(", "), s.size());
    items.emplace_back(s.substr(0, at));
    s.remove_prefix(std::min(at + 2, s.size()));
  }
  return items;
}
int64_t read_integer(std::string_view s) {
  int64_t v = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc() || end != s.data() + s.size()) throw Error("'{}' is no integer", s);
  return v;
}
double read_number(const std::string& s) {
  if (const auto v = to_double(s)) return *v;
  throw Error("'{}' is no number", s);
}

Attr read_attr(AttrKind kind, const std::string& s) {
  if (s == "nil") return {};
  switch (kind) {
    case AttrKind::boolean:
      if (s != "true" && s != "false") throw Error("'{}' is neither true nor false", s);
      return s == "true";
    case AttrKind::integer: return read_integer(s);
    case AttrKind::number: return read_number(s);
    case AttrKind::scalar:
      if (s == "true" || s == "false") return Scalar(s == "true");
      return s.find_first_of(".en") == std::string::npos ? Scalar(read_integer(s)) : Scalar(read_number(s));
    case AttrKind::text: return std::string(between('\'', s, '\''));
    case AttrKind::ints: {
      Ints v;
      for (auto& i : list_items(s)) v.push_back(read_integer(i));
      return v;
    }
    case AttrKind::numbers: {
      std::vector<double> v;
      for (auto& i : list_items(s)) v.push_back(read_number(i));
      return v;
    }
    case AttrKind::dtype: return parse_dtype(s);
    case AttrKind::device: return &device(std::string(between('\'', s, '\'')));
    case AttrKind::format:
      return s.ends_with("channels_last")       ? MemoryFormat::channels_last
             : s.ends_with("contiguous_format") ? MemoryFormat::contiguous
                                                : MemoryFormat::preserve;
    case AttrKind::tensor:
    case AttrKind::none: break;
  }
  throw Error("a tensor attribute cannot be read from text");
}

}  // namespace

Fields::~Fields() = default;
LUTH_FIELDS()
bool FieldList::visit(const FieldInfo& info, Attr& value) {
  items.push_back({info, value});
  return false;
}

std::string to_string(const Attr& value) { return std::visit(Writer(), value); }

std::string write_fields(const std::vector<FieldDoc>& fields) {
  std::string s;
  for (auto& f : fields) s += std::string(f.name) + "=" + to_string(f.value) + ";";
  return s;
}

bool FieldReader::visit(const FieldInfo& info, Attr& value) {
  std::string key = std::string(info.name) + "=";
  size_t at = text_.starts_with(key) ? 0 : text_.find(";" + key);
  if (at == std::string::npos) return false;
  at += key.size() + (at ? 1 : 0);
  // Text attributes are quoted and may hold anything but a quote followed by ';'.
  size_t end = text_[at] == '\'' ? text_.find("';", at + 1) + 1 : text_.find(';', at);
  std::string text = text_.substr(at, end - at);
  bool no_device = info.kind == AttrKind::device && !info.optional && text == "nil";
  const bool is_word = (info.as & as::word) && text.starts_with('\'');
  value = no_device ? Attr(static_cast<Device*>(nullptr)) : read_attr(is_word ? AttrKind::text : info.kind, text);
  if (!value.index() && !info.optional) throw Error("{} must not be nil", info.name);
  return true;
}

}  // namespace luth
