// The layout of torch/_tensor_str.py (PyTorch 2): one width for all elements, found from those that will be shown.
#include "core/tensor/print.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "core/tensor/uninitialised.h"

namespace luth {
namespace {

std::mutex lock;
PrintOptions options_;

// The memory that a strided tensor spans, readable by the CPU.
class Reader {
 public:
  explicit Reader(const Tensor& t) : tensor_(t), data_(static_cast<const char*>(t.raw())) {
    if (t.device().on_host()) return;
    copy_.resize(size_t(reach(t.shape(), t.strides(), 0)) * size_of(t.dtype()));
    copy_bytes(copy_.data(), host(), data_, t.device(), copy_.size());
    data_ = copy_.data();
  }
  double number(int64_t at) const {
    double v = 0;
    dispatch(AllTypes{}, tensor_.dtype(),
             [&]<class T>(Type<T>) { v = cast<double>(reinterpret_cast<const T*>(data_)[at]); });
    return v;
  }
  int64_t integer(int64_t at) const {
    int64_t v = 0;
    dispatch(AllTypes{}, tensor_.dtype(),
             [&]<class T>(Type<T>) { v = cast<int64_t>(reinterpret_cast<const T*>(data_)[at]); });
    return v;
  }

 private:
  const Tensor& tensor_;
  const char* data_;
  std::vector<char> copy_;
};

class Printer {
 public:
  explicit Printer(const Tensor& t)
      : o_(print_options()),
        tensor_(t),
        read_(t),
        summary_(t.numel() > o_.threshold),
        floating_(is_floating(t.dtype())) {
    measure();
  }
  std::string text(int indent) const { return part(0, 0, indent); }

 private:
  // Calls f(i) for the positions of dim `d` that are shown, and gap() where some are left out.
  template <class F, class G>
  void shown_positions(int d, F&& f, G&& gap) const {
    int64_t n = tensor_.shape()[d], edge = o_.edgeitems;
    if (!summary_ || n <= 2 * edge) {
      for (int64_t i = 0; i < n; ++i) f(i);
      return;
    }
    for (int64_t i = 0; i < edge; ++i) f(i);
    gap();
    for (int64_t i = n - edge; i < n; ++i) f(i);
  }
  template <class F>
  void each_shown(int d, int64_t at, F&& f) const {
    if (d == tensor_.dim()) return f(at);
    shown_positions(
        d, [&](int64_t i) { each_shown(d + 1, at + i * tensor_.strides()[d], f); }, [] {});
  }

  void measure() {
    if (!floating_) {
      each_shown(0, 0, [&](int64_t at) { width_ = std::max(width_, element(at, false).size()); });
      return;
    }
    double low = INFINITY, high = 0;
    each_shown(0, 0, [&](int64_t at) {
      double v = read_.number(at);
      if (!std::isfinite(v) || v == 0) return;
      low = std::min(low, std::fabs(v));
      high = std::max(high, std::fabs(v));
      if (v != std::ceil(v)) whole_ = false;
    });
    if (high == 0) return;  // no number that would ask for anything
    sci_ = o_.sci_mode.value_or(high / low > 1000 || high > 1e8 || low < 1e-4);
    each_shown(0, 0, [&](int64_t at) {
      double v = read_.number(at);
      if (std::isfinite(v) && v != 0) width_ = std::max(width_, element(at, false).size());
    });
  }

  std::string element(int64_t at, bool pad = true) const {
    std::string s = floating_ ? float_text(read_.number(at)) : integer_text(at);
    return pad && s.size() < width_ ? std::string(width_ - s.size(), ' ') + s : s;
  }
  std::string integer_text(int64_t at) const {
    int64_t v = read_.integer(at);
    if (tensor_.dtype() == Dtype::boolean) return v ? "True" : "False";
    return std::to_string(v);
  }
  std::string float_text(double v) const {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    if (sci_) return fmt::format("{:.{}e}", v, o_.precision);
    if (whole_) return fmt::format("{:.0f}.", v);
    return fmt::format("{:.{}f}", v, o_.precision);
  }

  std::string part(int d, int64_t at, int indent) const {
    if (d == tensor_.dim()) return element(at);
    if (d == tensor_.dim() - 1) return row(at, indent);
    std::string separator =
        "," + std::string(size_t(tensor_.dim() - d - 1), '\n') + std::string(size_t(indent + 1), ' ');
    std::string s;
    auto add = [&](const std::string& piece) { s += (s.empty() ? "" : separator) + piece; };
    shown_positions(
        d, [&](int64_t i) { add(part(d + 1, at + i * tensor_.strides()[d], indent + 1)); }, [&] { add("..."); });
    return "[" + s + "]";
  }

  std::string row(int64_t at, int indent) const {
    std::vector<std::string> items;
    int d = tensor_.dim() - 1;
    if (summary_ && !o_.edgeitems)
      items.push_back("...");
    else
      shown_positions(
          d, [&](int64_t i) { items.push_back(element(at + i * tensor_.strides()[d])); },
          [&] { items.push_back(" ..."); });
    size_t per_line = size_t(std::max<int64_t>(1, (o_.linewidth - indent) / int64_t(width_ + 2)));
    std::string s = "[";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i) s += i % per_line ? ", " : ",\n" + std::string(size_t(indent + 1), ' ');
      s += items[i];
    }
    return s + "]";
  }

  const PrintOptions o_;
  const Tensor& tensor_;
  Reader read_;
  bool summary_, floating_, whole_ = true, sci_ = false;
  size_t width_ = 1;
};

std::string tuple(const Shape& s) {
  std::string t = to_string(s);
  return "(" + t.substr(1, t.size() - 2) + (s.size() == 1 ? ",)" : ")");
}

void add_suffixes(std::string& text, const std::vector<std::string>& suffixes, int indent) {
  size_t linewidth = size_t(print_options().linewidth);
  size_t line_break = text.rfind('\n');
  size_t last_line = text.size() - (line_break == std::string::npos ? size_t(-1) : line_break) + 1;
  for (auto& s : suffixes) {
    if (last_line + s.size() + 2 > linewidth) {
      text += ",\n" + std::string(size_t(indent), ' ') + s;
      last_line = size_t(indent) + s.size();
    } else {
      text += ", " + s;
      last_line += s.size() + 2;
    }
  }
}

}  // namespace

PrintOptions print_options() {
  std::lock_guard hold(lock);
  return options_;
}
void set_print_options(const PrintOptions& options) {
  std::lock_guard hold(lock);
  options_ = options;
}

std::string size_string(const Shape& s) { return "torch.Size(" + to_string(s) + ")"; }

std::string to_string(const Tensor& t) {
  if (!t) return "nil";
  if (is_uninitialised(t)) return t.impl()->parameter ? "<UninitializedParameter>" : "<UninitializedBuffer>";
  constexpr int indent = 7;  // of "tensor("
  std::vector<std::string> suffixes;
  Dtype d = t.dtype();
  bool data = t.device().has_data(), empty = t.numel() == 0;
  if (t.device().kind() != "cpu") suffixes.push_back("device='" + t.device().name() + "'");
  if (!data || (empty && t.dim() != 1)) suffixes.push_back("size=" + tuple(t.shape()));
  bool ordinary = d == default_dtype() || (!empty && (d == Dtype::i64 || d == Dtype::boolean));
  if (!ordinary) suffixes.push_back("dtype=torch." + std::string(name(d)));
  if (std::string node = t.grad_fn_name(); !node.empty())
    suffixes.push_back("grad_fn=<" + node + ">");
  else if (t.requires_grad())
    suffixes.push_back("requires_grad=True");
  std::string text = t.impl()->parameter ? "Parameter containing:\n" : "";
  text += "tensor(" + (!data ? "..." : empty ? "[]" : Printer(t).text(indent));
  add_suffixes(text, suffixes, indent);
  return text + ")";
}

}  // namespace luth
