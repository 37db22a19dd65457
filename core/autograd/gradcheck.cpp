#include "core/autograd/gradcheck.h"

#include <cmath>
#include <vector>

namespace luth {
namespace {

// The position of element k, counted row-major, as indices.
Ints indices_of(const Shape& s, int64_t k) {
  Ints at(size_t(s.size()));
  for (int i = s.size() - 1; i >= 0; --i) {
    at[i] = k % s[i];
    k /= s[i];
  }
  return at;
}
void* address(const Tensor& t, int64_t k) {
  Ints at = indices_of(t.shape(), k);
  int64_t offset = 0;
  for (int i = 0; i < t.dim(); ++i) offset += at[i] * t.strides()[i];
  return static_cast<char*>(t.raw()) + offset * int64_t(sizeof(double));
}
// One element of a float64 tensor on any device.
double get(const Tensor& t, int64_t k) {
  double v = 0;
  copy_bytes(&v, host(), address(t, k), t.device(), sizeof v);
  return v;
}
void set(const Tensor& t, int64_t k, double v) { copy_bytes(address(t, k), t.device(), &v, host(), sizeof v); }
Tensor filled(const Tensor& like) {
  Tensor t = Tensor::empty(like.shape(), like.dtype(), like.device());
  if (t.numel()) t.device().fill_zero(t.raw(), t.bytes());
  return t;
}

// A text that names one element: "result 1 at [2, 3]", or "result 1" where there are no dims.
std::string element(const char* what, size_t nr, const Tensor& t, int64_t k) {
  std::string s = fmt::format("{} {}", what, shown(int64_t(nr)));
  if (t.dim() == 0) return s;
  Ints at = indices_of(t.shape(), k);
  for (auto& i : at) i = shown(i);
  return s + " at " + to_string(at);
}

void check_input(const Tensor& t, size_t nr) {
  auto refuse = [&](const char* why) {
    throw Error("gradcheck: input {} ({}) {}", shown(int64_t(nr)), describe(t), why);
  };
  if (t.dtype() != Dtype::f64) refuse("has to be float64: differences of fewer digits prove nothing");
  if (!t.is_leaf()) refuse("is no leaf; pass x:detach():requires_grad_()");
  if (is_expanded(t.shape(), t.strides())) refuse("has several elements in one place (it was expanded)");
}

class Check {
 public:
  Check(const TensorsFn& f, const Tensors& inputs, const GradcheckOptions& options)
      : f_(f), inputs_(inputs), options_(options) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i] || !inputs[i].requires_grad()) continue;
      check_input(inputs[i], i);
      wanted_.push_back(i);
      leaves_.push_back(inputs[i]);
    }
    if (wanted_.empty()) throw Error("gradcheck: none of the inputs requires grad");
  }

  std::string run() {
    results_ = f_(inputs_);
    for (auto& leaf : leaves_) numerical_.push_back(differences(leaf));
    for (size_t o = 0; o < results_.size(); ++o) {
      if (!differentiable(results_[o])) continue;
      for (int64_t k = 0; k < results_[o].numel(); ++k)
        if (std::string s = compare(o, k); !s.empty()) return s;
    }
    return "";
  }

 private:
  // numerical_[leaf][element of leaf]: a row with all elements of all differentiable results, one after the other.
  using Row = std::vector<double>;

  static bool differentiable(const Tensor& t) { return t && t.dtype() == Dtype::f64; }

  Row evaluate() const {
    Row row;
    for (auto& y : f_(inputs_))
      if (differentiable(y))
        for (int64_t k = 0; k < y.numel(); ++k) row.push_back(get(y, k));
    return row;
  }

  std::vector<Row> differences(const Tensor& leaf) const {
    std::vector<Row> rows;
    for (int64_t k = 0; k < leaf.numel(); ++k) {
      double before = get(leaf, k);
      set(leaf, k, before + options_.eps);
      Row up = evaluate();
      set(leaf, k, before - options_.eps);
      Row down = evaluate();
      set(leaf, k, before);
      if (up.size() != down.size()) throw Error("gradcheck: the function gives results of changing shapes");
      for (size_t i = 0; i < up.size(); ++i) up[i] = (up[i] - down[i]) / (2 * options_.eps);
      rows.push_back(std::move(up));
    }
    return rows;
  }

  // The gradients of element k of result o by all leaves; null: none.
  Tensors analytic(size_t o, int64_t k) const {
    if (!results_[o].requires_grad()) return Tensors(leaves_.size());
    Tensor one = filled(results_[o]);
    set(one, k, 1);
    return grad({results_[o]}, leaves_, {one}, {.retain_graph = true, .allow_unused = true});
  }

  std::string compare(size_t o, int64_t k) const {
    size_t column = size_t(k);
    for (size_t i = 0; i < o; ++i)
      if (differentiable(results_[i])) column += size_t(results_[i].numel());
    Tensors dx = analytic(o, k);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (dx[i] && !(dx[i].shape() == leaves_[i].shape() && dx[i].dtype() == Dtype::f64))
        return fmt::format("the gradient by input {} is {}, the input {}", shown(int64_t(wanted_[i])), describe(dx[i]),
                           describe(leaves_[i]));
      for (int64_t j = 0; j < leaves_[i].numel(); ++j) {
        double a = dx[i] ? get(dx[i], j) : 0, n = numerical_[i][size_t(j)][column];
        if (std::abs(a - n) <= options_.atol + options_.rtol * std::abs(n) || a == n) continue;
        return fmt::format("{} by {}: backward says {:.9g}, finite differences say {:.9g}",
                           element("result", o, results_[o], k), element("input", wanted_[i], leaves_[i], j), a, n);
      }
    }
    return "";
  }

  const TensorsFn& f_;
  const Tensors& inputs_;
  GradcheckOptions options_;
  std::vector<size_t> wanted_;
  Tensors leaves_, results_;
  std::vector<std::vector<Row>> numerical_;
};

// Numbers in [-1, 1) that are the same every time and do not touch the user's generator.
Tensor drawn(const Tensor& like, uint64_t& state) {
  Tensor t = Tensor::empty(like.shape(), like.dtype(), like.device());
  for (int64_t k = 0; k < t.numel(); ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    set(t, k, double(int64_t(state) >> 11) * 0x1p-52);
  }
  return t.set_requires_grad();
}

}  // namespace

std::string gradcheck_report(const TensorsFn& f, const Tensors& inputs, const GradcheckOptions& options) {
  GradMode on(true);
  return Check(f, inputs, options).run();
}

std::string gradgradcheck_report(const TensorsFn& f, const Tensors& inputs, const Tensors& grad_outputs,
                                 const GradcheckOptions& options) {
  GradMode on(true);
  auto roots = [](const Tensors& results) {
    Tensors kept;
    for (auto& y : results)
      if (y && is_floating(y.dtype()) && y.requires_grad()) kept.push_back(y);
    return kept;
  };
  Tensors all = inputs, cotangents = grad_outputs;
  if (cotangents.empty()) {
    uint64_t state = 1;
    for (auto& y : roots(f(inputs))) cotangents.push_back(drawn(y, state));
  }
  for (auto& g : cotangents) all.push_back(g);
  size_t n = inputs.size();
  auto gradients = [&](const Tensors& args) {
    Tensors in(args.begin(), args.begin() + n), dy(args.begin() + n, args.end()), leaves;
    for (auto& t : in)
      if (t && t.requires_grad()) leaves.push_back(t);
    Tensors y = roots(f(in));
    if (y.empty()) return Tensors();
    Tensors dx = grad(y, leaves, dy, {.create_graph = true, .allow_unused = true});
    for (size_t i = 0; i < dx.size(); ++i)
      if (!dx[i]) dx[i] = filled(leaves[i]);
    return dx;
  };
  return gradcheck_report(gradients, all, options);
}

void gradcheck(const TensorsFn& f, const Tensors& inputs, const GradcheckOptions& options) {
  if (std::string s = gradcheck_report(f, inputs, options); !s.empty()) throw Error("gradcheck: {}", s);
}
void gradgradcheck(const TensorsFn& f, const Tensors& inputs, const Tensors& grad_outputs,
                   const GradcheckOptions& options) {
  if (std::string s = gradgradcheck_report(f, inputs, grad_outputs, options); !s.empty())
    throw Error("gradgradcheck: {}", s);
}

}  // namespace luth
