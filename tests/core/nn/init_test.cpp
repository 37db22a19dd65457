// Initial values against the laws that PyTorch documents and draws by.
#include "core/nn/init.h"

#include "core/dispatch/generator.h"
#include "core/nn/module.h"
#include "tests/core/nn/golden.h"

namespace luth::test {
namespace {

// What many draws of one parameter come to.
struct Statistics {
  double sum = 0, squares = 0, n = 0, low = INFINITY, high = -INFINITY;
  void add(const Tensor& t) {
    for (int64_t i = 0; i < t.numel(); ++i) {
      double v = element(t, i);
      sum += v, squares += v * v, ++n, low = std::min(low, v), high = std::max(high, v);
    }
  }
  double mean() const { return sum / n; }
  double std() const { return std::sqrt(std::max(0.0, squares / n - mean() * mean())); }
};

// "" or how the draws break the law: nothing outside the bounds; mean and std within 6 std / sqrt(n).
std::string breaks(const Statistics& s, const Json& law) {
  std::string kind = law[0].get<std::string>();
  auto number = [&](size_t i) { return law[i].get<double>(); };
  if (kind == "constant")
    return s.low == number(1) && s.high == number(1) ? "" : fmt::format("{} to {}", s.low, s.high);
  double mean = 0, std = 1;
  if (kind == "uniform") {
    double lo = law.size() == 2 ? -number(1) : number(1), hi = law.size() == 2 ? number(1) : number(2);
    if (s.low < lo - 1e-7 || s.high > hi + 1e-7)
      return fmt::format("{} to {} outside of {} to {}", s.low, s.high, lo, hi);
    mean = (lo + hi) / 2, std = (hi - lo) / std::sqrt(12.0);
  } else if (kind == "normal") {
    mean = law.size() == 2 ? 0 : number(1), std = law.size() == 2 ? number(1) : number(2);
  } else {
    return "law " + kind;
  }
  double slack = 6 * std / std::sqrt(s.n);
  if (std::abs(s.mean() - mean) > slack) return fmt::format("mean {}, expected {}", s.mean(), mean);
  if (std::abs(s.std() - std) > slack) return fmt::format("std {}, expected {}", s.std(), std);
  return "";
}

void describe(void* p, Fields& f) { static_cast<nn::Module*>(p)->describe(f); }

TEST(NnInit, ModulesFollowTheirLaws) {
  manual_seed(1);
  int seen = 0;
  const Json file = golden_json("init.json");
  for (auto& c : file["modules"]) {
    auto* cls = nn::find_module_class(c["module"].get<std::string>());
    if (!cls) continue;
    ++seen;
    Statistics s;
    for (int draw = 0; draw < 20; ++draw) {
      nn::ModuleRef m = cls->make();
      set_fields(c["args"], describe, m.get());
      m->build();
      if (m->lazy()) {  // LazyLinear: the weight's second extent is the input's
        Tensor x = Tensor::empty({1, c["module"] == "LazyLinear" ? 40 : 1}, Dtype::f32, host());
        nn::init::constant(x, 0);
        (*m)(x);
      }
      const std::string path = c["parameter"], owner = path.substr(0, std::max<size_t>(path.rfind('.') + 1, 1) - 1);
      s.add(m->submodule(owner)->find_parameter(path.substr(path.rfind('.') + 1))->value);
    }
    EXPECT_EQ(breaks(s, c["law"]), "") << c["module"] << " " << c["args"] << " " << c["parameter"];
  }
  EXPECT_GE(seen, 10);
}

// True when the function is one of ours.
bool fill(const std::string& f, const Tensor& t, const Json& a) {
  auto number = [&](const char* key, double otherwise) { return a.contains(key) ? a[key].get<double>() : otherwise; };
  auto text = [&](const char* key, const char* otherwise) {
    return a.contains(key) ? a[key].get<std::string>() : std::string(otherwise);
  };
  if (f == "uniform_") return nn::init::uniform(t, number("a", 0), number("b", 1)), true;
  if (f == "normal_") return nn::init::normal(t, number("mean", 0), number("std", 1)), true;
  if (f == "constant_") return nn::init::constant(t, number("val", 0)), true;
  if (f == "ones_") return nn::init::constant(t, 1), true;
  if (f == "zeros_") return nn::init::constant(t, 0), true;
  if (f == "xavier_uniform_") return nn::init::xavier_uniform(t, number("gain", 1)), true;
  if (f == "xavier_normal_") return nn::init::xavier_normal(t, number("gain", 1)), true;
  if (f == "eye_") return nn::init::eye(t), true;
  if (f == "dirac_") return nn::init::dirac(t, int64_t(number("groups", 1))), true;
  if (f == "trunc_normal_")
    return nn::init::trunc_normal(t, number("mean", 0), number("std", 1), number("a", -2), number("b", 2)), true;
  std::string mode = text("mode", "fan_in"), nonlinearity = text("nonlinearity", "leaky_relu");
  if (f == "kaiming_uniform_") return nn::init::kaiming_uniform(t, number("a", 0), mode, nonlinearity), true;
  if (f == "kaiming_normal_") return nn::init::kaiming_normal(t, number("a", 0), mode, nonlinearity), true;
  return false;
}

std::string exact(const Tensor& t, const Json& values) {
  std::vector<double> want;
  std::function<void(const Json&)> flatten = [&](const Json& j) {
    if (j.is_array())
      for (auto& x : j) flatten(x);
    else
      want.push_back(j.get<double>());
  };
  flatten(values);
  for (size_t i = 0; i < want.size(); ++i)
    if (element(t, int64_t(i)) != want[i]) return fmt::format("element {} is {}", i, element(t, int64_t(i)));
  return "";
}

TEST(NnInit, FunctionsFollowTheirLaws) {
  manual_seed(2);
  int seen = 0;
  const Json file = golden_json("init.json");
  for (auto& c : file["functions"]) {
    Shape shape;
    for (auto& n : c["shape"]) shape.push_back(n.get<int64_t>());
    Tensor t = nn::as_parameter(Tensor::empty(shape, Dtype::f32, host()));  // a leaf: init writes it all the same
    Statistics s;
    bool ours = true;
    for (int draw = 0; draw < 20 && ours; ++draw)
      if ((ours = fill(c["function"].get<std::string>(), t, c["args"]))) s.add(t);
    if (!ours) continue;
    ++seen;
    std::string law = c["law"][0].get<std::string>();
    if (law == "exact") {
      EXPECT_EQ(exact(t, c["values"]), "") << c["function"] << c["args"];
    } else if (law == "truncated") {  // PyTorch's own draws tell mean and std of the law
      EXPECT_GE(s.low, c["law"][3].get<double>());
      EXPECT_LE(s.high, c["law"][4].get<double>());
      EXPECT_NEAR(s.mean(), c["mean"].get<double>(), 0.05) << c["args"];
      EXPECT_NEAR(s.std(), c["std"].get<double>(), 0.05) << c["args"];
    } else {
      EXPECT_EQ(breaks(s, c["law"]), "") << c["function"] << c["args"];
    }
  }
  EXPECT_GE(seen, 45);
}

TEST(NnInit, Gains) {
  const Json file = golden_json("init.json");
  for (auto& g : file["gains"]) {
    std::optional<double> param;
    if (!g[1].is_null()) param = g[1].get<double>();
    EXPECT_NEAR(nn::init::calculate_gain(g[0].get<std::string>(), param), g[2].get<double>(), 1e-12) << g[0];
  }
  EXPECT_THROW(nn::init::calculate_gain("gelu"), Error);
}

}  // namespace
}  // namespace luth::test
