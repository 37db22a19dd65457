// Runs all goldens and prints how many pass. An operator that does not exist fails.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/shape/view.h"
#include "tests/registry/cases.h"
#include "tests/registry/golden.h"

namespace luth::test {
namespace {

struct Count {
  int run = 0, passed = 0, failed = 0, allowed = 0;
  void print(const std::string& what) const {
    std::printf("%s: %d run, %d passed, %d failed, %d allowed\n", what.c_str(), run, passed, failed, allowed);
    std::fflush(stdout);
  }
  void add(const Count& c) { run += c.run, passed += c.passed, failed += c.failed, allowed += c.allowed; }
};
std::map<int, Count> tiers;

// One sample: its arguments, results and gradients.
class Sample {
 public:
  Sample(const GoldenFile& file, const Json& json) : file_(file), json_(json), op_(json["op"].get<std::string>()) {
    for (auto& pair : json["named"]) args_.push_back(argument(pair[0].get<std::string>(), pair[1]));
  }
  // "" or what differs.
  std::string check() {
    std::string s;
    try {
      if (op_ == "item") return check_item();
      if (op_ == "broadcast_shapes") return check_broadcast_shapes();
      results_ = call(args_);
      s = check_results();
      if (s.empty() && json_.contains("grads")) s = check_gradients();
    } catch (const Error& e) { s = std::string("error: ") + e.what(); }
    return s;
  }

 private:
  Tensor tensor(const Json& j) {
    if (!j.contains("id")) return file_.tensor(j);
    Tensor& t = by_id_[j["id"].get<int>()];
    if (!t) t = file_.tensor(j);
    return t;
  }
  static bool is_tensor(const Json& j) { return j.is_object() && j.contains("tensor"); }

  GoldenArg argument(const std::string& name, const Json& j) {
    GoldenArg a{name, &j, {}, {}, false};
    if (is_tensor(j)) a.tensor = tensor(j["tensor"]);
    if (j.is_array() && !j.empty() && is_tensor(j[0])) {
      a.is_tensors = true;
      for (auto& item : j) a.tensors.push_back(tensor(item["tensor"]));
    }
    return a;
  }

  // x:to(dtype), x:float() and the like are the language's names for one operator.
  Tensors call(const std::vector<GoldenArg>& args) {
    static const std::set<std::string> casts{"float", "double", "half", "bfloat16", "long",
                                             "int",   "short",  "char", "byte",     "bool"};
    if (casts.count(op_)) return {cast_to(args[0].tensor, parse_dtype(op_))};
    if (op_ == "to") return {cast_to(args[0].tensor, parse_dtype((*args[1].json)["dtype"].get<std::string>()))};
    if (op_ == "resize_" || op_ == "resize_as_") {  // methods of the language for Tensor::resize
      args[0].tensor.resize(args[1].tensor ? args[1].tensor.shape() : shape(*args[1].json));
      return {args[0].tensor};
    }
    std::vector<std::string> names = golden_names(op_);
    bool inplace = op_.back() == '_';
    if (inplace) names[0].pop_back();
    GoldenCall c = bind_golden(names, args);
    if (inplace) return {apply_inplace(*c.info, c.op.get(), c.in)};
    return apply(*c.info, c.op.get(), c.in);
  }

  static Shape shape(const Json& j) {
    if (j.is_number()) return {j.get<int64_t>()};
    Shape s;
    for (auto& n : j) s.push_back(n.get<int64_t>());
    return s;
  }
  // No operator, as it has no tensors: torch.broadcast_shapes is this function.
  std::string check_broadcast_shapes() {
    Shape got;
    for (auto& s : *args_[0].json) got = broadcast(got, shape(s));
    Shape want = shape(json_["outs"][0]);
    return got == want ? "" : fmt::format("got {}, want {}", to_string(got), to_string(want));
  }

  std::string check_item() {
    Scalar v = args_[0].tensor.item();
    const Json& want = json_["outs"][0];
    bool kind = want.is_boolean()          ? v.kind() == Scalar::Kind::boolean
                : want.is_number_integer() ? v.kind() == Scalar::Kind::integer
                                           : v.is_floating();
    if (!kind) return "another kind of number";
    double w = want.is_object() ? NAN : want.is_boolean() ? want.get<bool>() : want.get<double>();
    return v.value() == w || std::isnan(w) ? "" : fmt::format("got {}, want {}", v.value(), w);
  }

  // Results that are unique up to signs (README.md: GAUGE).
  bool has_free_signs(size_t i) const {
    return op_ == "linalg.qr" || (op_ == "linalg.eigh" && i == 1) || ((op_ == "linalg.svd" || op_ == "svd") && i != 1);
  }
  // The matrix that such results are the factors of.
  Tensor reconstructed(const Tensors& r) const {
    if (op_ == "linalg.qr") return matmul(r[0], r[1]);
    if (op_ == "linalg.eigh") return matmul(mul(r[1], unsqueeze(r[0], {-2})), transpose(r[1], {-2, -1}));
    const int64_t k = r[1].shape(-1);
    Tensor vh = op_ == "svd" ? transpose(r[2], {-2, -1}) : r[2];
    return matmul(mul(narrow(r[0], {-1, 0, k}), unsqueeze(r[1], {-2})), narrow(vh, {-2, 0, k}));
  }
  std::string check_reconstruction() {
    NoGrad values;
    Tensors want;
    for (auto& out : json_["outs"]) want.push_back(file_.tensor(out["tensor"]));
    for (size_t i = 0; i < want.size(); ++i)
      if (!(results_[i].shape() == want[i].shape())) return fmt::format("result {}: another shape", i);
    Tolerance t = golden_tolerance(json_, "out", want[0].dtype());
    std::string s = difference(reconstructed(results_), reconstructed(want), t.rtol, 4 * t.atol);
    return s.empty() ? s : "the product of the factors: " + s;
  }

  // Is an answer of PyTorch's further than the tolerance from its float64 answer? Then sums of large terms cancel.
  bool cancels() const {
    if (!json_.contains("torch_error")) return false;
    for (const char* what : {"out", "grad"})
      if (auto error = json_["torch_error"].find(what); error != json_["torch_error"].end())
        if ((*error)["units"].get<double>() > 1) return true;
    return false;
  }
  // Where sums cancel, any other order or instruction set rounds as much as the largest element does.
  std::string compare(const Tensor& got, const Tensor& want, const char* what) const {
    Tolerance t = golden_tolerance(json_, what, want.dtype());
    std::string s = difference(got, want, t.rtol, t.atol);
    if (s.empty() || !cancels()) return s;
    double largest = 0;
    for (double v : doubles(want)) largest = std::max(largest, std::abs(v));
    return difference(got, want, t.rtol, t.atol + t.rtol * largest);
  }

  std::string check_results() {
    const Json& outs = json_["outs"];
    if (results_.size() < outs.size()) return fmt::format("{} results, want {}", results_.size(), outs.size());
    if (has_free_signs(0) || has_free_signs(1))
      if (std::string s = check_reconstruction(); !s.empty()) return s;
    for (size_t i = 0; i < outs.size(); ++i) {
      std::string s;
      if (has_free_signs(i)) continue;
      if (is_tensor(outs[i])) {
        Tensor want = file_.tensor(outs[i]["tensor"]);
        s = compare(results_[i], want, "out");
        if (!s.empty() && ((i == 1 && picks_equal(want)) || no_worse(i, want))) s = "";
      } else if (outs[i].is_boolean()) {
        if (results_[i].item().to<bool>() != outs[i].get<bool>()) s = "another answer";
      } else {
        s = "a result of a kind that is not compared: " + outs[i].dump();
      }
      if (!s.empty()) return fmt::format("result {}: {}", i, s);
    }
    return "";
  }

  // Where equal elements have no order: do these indices pick what PyTorch's pick?
  bool picks_equal(const Tensor& want) {
    static const std::set<std::string> unordered{"sort", "topk", "median", "mode", "kthvalue", "cummax", "cummin"};
    const Tensor& x = args_[0].tensor;
    const Tensor& got = results_[1];
    if (!unordered.count(op_) || x.dim() == 0 || got.dtype() != Dtype::i64 || !(got.shape() == want.shape()))
      return false;
    int64_t dim = x.dim() - 1;
    for (auto& a : args_)
      if (a.name == "stable" && a.json->is_boolean() && a.json->get<bool>())
        return false;
      else if (a.name == "dim" && a.json->is_number_integer())
        dim = wrap_dim(a.json->get<int64_t>(), x.dim());
    if (got.dim() != x.dim() && got.dim() != x.dim() - 1) return false;
    std::vector<double> values = doubles(x), mine = doubles(got), theirs = doubles(want);
    Axis in = axis_of(x.shape(), int(dim)), out{in.outer, 1, in.inner};
    if (got.dim() == x.dim()) out = axis_of(got.shape(), int(dim));
    for (size_t k = 0; k < mine.size(); ++k) {
      int64_t outer = int64_t(k) / (out.n * out.inner), inner = int64_t(k) % out.inner;
      if (mine[k] < 0 || mine[k] >= double(in.n)) return false;
      auto at = [&](double i) { return values[size_t((outer * in.n + int64_t(i)) * in.inner + inner)]; };
      if (at(mine[k]) != at(theirs[k]) && !(std::isnan(at(mine[k])) && std::isnan(at(theirs[k])))) return false;
    }
    return true;
  }

  // Is every element as near as PyTorch's to the answer in float64 on the same values?
  bool no_worse(size_t i, const Tensor& want) {
    const Tensor& got = results_[i];
    if (!is_floating(want.dtype()) || want.dtype() == Dtype::f64 || got.dtype() != want.dtype() ||
        !(got.shape() == want.shape()))
      return false;
    std::vector<GoldenArg> wide = args_;
    auto widen = [](Tensor& t) {
      if (t && is_floating(t.dtype())) t = copy_of(t.detach(), Dtype::f64);
    };
    for (auto& a : wide) {
      widen(a.tensor);
      for (auto& t : a.tensors) widen(t);
    }
    std::vector<double> exact = doubles(call(wide)[i]), mine = doubles(got), theirs = doubles(want);
    for (size_t k = 0; k < exact.size(); ++k)
      if (std::abs(mine[k] - exact[k]) > std::abs(theirs[k] - exact[k])) return false;
    return true;
  }

  std::string check_gradients() {
    Tensors roots, cotangents, leaves;
    for (size_t i = 0; i < json_["outs"].size(); ++i) {
      const Json& c = json_["cotangents"][i];
      if (c.is_null()) continue;
      if (!results_[i].requires_grad()) {
        if (wants_gradients()) return fmt::format("result {} requires no grad", i);
        continue;
      }
      roots.push_back(results_[i]);
      cotangents.push_back(file_.tensor(c["tensor"]));
    }
    for (auto& g : json_["grads"]) leaves.push_back(by_id_.at(g["id"].get<int>()));
    if (roots.empty()) return "";
    Tensors got = grad(roots, leaves, cotangents, {.allow_unused = true});
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Json& g = json_["grads"][i]["tensor"];
      Tensor want = g.is_null() ? Tensor() : file_.tensor(g.contains("tensor") ? g["tensor"] : g);
      if (!got[i] && (!want || want.numel() == 0)) continue;
      if (!want) {
        for (double v : doubles(got[i]))
          if (v != 0) return fmt::format("gradient {}: not zero, and PyTorch has none", i);
        continue;
      }
      if (std::string s = compare(got[i], want, "grad"); !s.empty()) return fmt::format("gradient {}: {}", i, s);
    }
    return "";
  }
  bool wants_gradients() const {
    for (auto& g : json_["grads"])
      if (!g["tensor"].is_null()) return true;
    return false;
  }

  const GoldenFile& file_;
  const Json& json_;
  std::string op_;
  std::map<int, Tensor> by_id_;
  std::vector<GoldenArg> args_;
  Tensors results_;
};

std::string arguments(const Json& sample) {
  std::string s;
  for (auto& pair : sample["named"]) {
    std::string value = pair[1].dump();
    if (pair[1].is_object() && pair[1].contains("tensor")) {
      auto& t = pair[1]["tensor"];
      value = t["dtype"].get<std::string>() + t["shape"].dump() + (t.contains("strides") ? "*" : "");
    }
    s += (s.empty() ? "" : ", ") + pair[0].get<std::string>() + "=" + value.substr(0, 80);
  }
  return s;
}

class Totals : public testing::Environment {
 public:
  void TearDown() override {
    for (auto& [tier, count] : tiers) count.print("goldens of tier " + std::to_string(tier));
  }
};
const auto* environment = testing::AddGlobalTestEnvironment(new Totals);

}  // namespace

class Goldens : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, Goldens, testing::ValuesIn(golden_operators()), readable);

TEST_P(Goldens, Pass) {
  const GoldenFile& file = golden_file(GetParam());
  std::vector<Allowance> allowed = allowances(GetParam());
  auto may_fail = [&](const std::string& id) {
    auto it = std::find_if(allowed.begin(), allowed.end(), [&](auto& a) { return a.covers(id); });
    return it != allowed.end() && (it->used = true);
  };
  Count count;
  std::map<std::string, int> per_dtype;
  const char* limit = std::getenv("LUTH_TEST_SAMPLES");
  std::string report;
  for (const Json* s : file.samples(GetParam())) {
    if (limit && std::atoi(limit) > 0 && ++per_dtype[(*s)["dtype"].dump()] > std::atoi(limit)) continue;
    ++count.run;
    std::string id = (*s)["id"].get<std::string>(), wrong = Sample(file, *s).check();
    if (wrong.empty())
      ++count.passed;
    else if (may_fail(id))
      ++count.allowed;
    else if (++count.failed <= 12)
      report += "  " + id + " (" + arguments(*s) + "): " + wrong + "\n";
  }
  count.print("golden " + GetParam());
  tiers[golden_tier(GetParam())].add(count);
  EXPECT_EQ(count.failed, 0) << report;
  for (auto& a : allowed)
    EXPECT_TRUE(a.used || limit) << "all of " << a.glob << " pass; take it out of tests/golden/allow.txt";
}

}  // namespace luth::test
