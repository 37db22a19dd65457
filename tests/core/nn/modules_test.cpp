// Modules against PyTorch's answers: results, gradients, changed buffers, in float64 and float32.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/autograd/autograd.h"
#include "core/nn/container.h"
#include "core/nn/described_call.h"
#include "core/nn/module_settings.h"
#include "core/nn/packed.h"
#include "core/ops/nn/softmax.h"
#include "tests/core/nn/golden.h"

namespace luth::test {
namespace {

struct DefaultDtype {
  explicit DefaultDtype(Dtype d) : before(default_dtype()) { set_default_dtype(d); }
  ~DefaultDtype() { set_default_dtype(before); }
  Dtype before;
};

struct Tolerances {
  double rtol, atol;
};

// One case: the tensors by label, in the dtype of the test.
class OneCase {
 public:
  OneCase(const NnGolden& file, const Json& c, Dtype dtype) : c_(c) {
    for (auto& [label, t] : c["tensors"].items()) {
      Tensor v = file.tensor(t);
      if (is_floating(v.dtype())) v = nn::converted(v, dtype, nullptr);
      if (c["kinds"].contains(label) && c["kinds"][label] == "x") v.set_requires_grad(true);
      tensors_[label] = v;
    }
  }

  // The first difference, or "".
  std::string check(Tolerances tol) {
    nn::ModuleRef m = make(c_);
    m->train(c_["mode"] == "train");
    nn::StateDict state;
    for (auto& [label, t] : tensors_)
      if (label.starts_with("state.")) state.push_back({label.substr(6), t});
    if (!state.empty()) m->load_state_dict(state, {.base = 0});
    auto out = call(*m);
    if (std::string d = compare_results(out, tol); !d.empty()) return d;
    return compare_gradients(*m, out, tol);
  }

 private:
  nn::ModuleRef make(const Json& spec) {
    if (spec["module"] == "Sequential") {
      Ref<nn::Sequential> seq(new nn::Sequential);
      for (auto& child : spec["children"]) seq->append(make(child));
      return seq;
    }
    nn::ModuleRef m = nn::find_module_class(spec["module"].get<std::string>())->make();
    Json settings = spec["args"];
    if (auto* takes = dynamic_cast<nn::TakesModules*>(m.get()))
      for (auto& s : takes->module_settings())
        if (settings.contains(s.name) && settings[s.name].is_object()) {
          *s.value = make(settings[s.name]);
          settings.erase(s.name);
        }
    set_fields(
        settings, [](void* p, Fields& f) { static_cast<nn::Module*>(p)->describe(f); }, m.get(), tensors_);
    m->build();
    return m;
  }

  // Input i: a tensor, or the list of a tuple's.
  nn::Argument input(int i) const {
    const std::string label = "in." + std::to_string(i);
    if (auto it = tensors_.find(label); it != tensors_.end()) return it->second;
    nn::Values tuple;
    for (int k = 1; tensors_.count(label + "." + std::to_string(k)); ++k)
      tuple.push_back(tensors_.at(label + "." + std::to_string(k)));
    return nn::Argument::list(tuple);
  }

  nn::Values call(nn::Module& m) {
    const int n = c_["inputs"].get<int>();
    const std::string via = c_["via"].get<std::string>();
    nn::Values in, out;
    if (via == "steps" || via == "train_eval") {
      for (int i = 1; i <= n; ++i) {
        if (via == "train_eval" && i == n) m.eval();
        out = m.call({input(i)});
      }
      return out;
    }
    for (int i = 1; i <= n; ++i) in.push_back(input(i));
    if (via == "packed") return call_packed(m, in);
    if (via == "log_softmax") in[0] = log_softmax(in[0], {.dim = -1});
    return flat(m.call(in, by_name()));
  }
  // Input 1 packed by the lengths that are input 2; its output padded, the lengths, the state.
  nn::Values call_packed(nn::Module& m, const nn::Values& given) {
    const bool batch_first = c_["args"].value("batch_first", false);
    const Tensor& lengths = given[1].tensor();
    const nn::Lengths counts(lengths.data<int64_t>(), lengths.data<int64_t>() + lengths.numel());
    nn::Values in(given.begin() + 1, given.end());
    in[0] = nn::Argument(Ref<nn::Held>(nn::pack_padded_sequence(given[0].tensor(), counts, batch_first, false)));
    const nn::Values out = m.call(in);
    const auto& packed = dynamic_cast<const nn::PackedSequence&>(*out[0].more());
    const auto [padded, after] = nn::pad_packed_sequence(packed, batch_first);
    EXPECT_EQ(after, counts);
    nn::Values all{padded, lengths};
    for (size_t i = 1; i < out.size(); ++i) all.push_back(out[i]);
    return flat(all);
  }
  // Without lists.
  static nn::Values flat(const nn::Values& values) {
    nn::Values all;
    for (auto& v : values)
      for (auto& item : v.is_list() ? v.items() : nn::Values{v}) all.push_back(item);
    return all;
  }

  // The labels of the results in order, tuples flattened: "1", "2.1", "2.2".
  std::vector<std::string> results() const {
    std::vector<std::string> labels;
    for (auto& [label, _] : tensors_)
      if (label.starts_with("out.")) labels.push_back(label.substr(4));
    return labels;
  }

  // The arguments by name: tensors and plain values.
  nn::Named by_name() const {
    nn::Named all;
    for (auto& [name, j] : c_["kwargs"].items()) {
      if (j.is_string())
        all.push_back({name, tensors_.at(j.get<std::string>().substr(1))});
      else if (j.is_boolean())
        all.push_back({name, Value(j.get<bool>())});
      else
        all.push_back({name, Value(j.get<double>())});
    }
    return all;
  }

  std::string compare_results(const nn::Values& out, Tolerances tol) {
    const auto labels = results();
    if (out.size() != labels.size()) return fmt::format("{} results, expected {}", out.size(), labels.size());
    for (size_t i = 0; i < out.size(); ++i) {
      std::string d = differs(out[i].tensor(), tensors_.at("out." + labels[i]), tol.rtol, tol.atol);
      if (!d.empty()) return "result " + labels[i] + ": " + d;
    }
    return "";
  }

  std::string compare_gradients(nn::Module& m, const nn::Values& out, Tolerances tol) {
    Tensors roots, cotangents;
    const auto labels = results();
    for (size_t i = 0; i < out.size(); ++i)
      if (auto it = tensors_.find("cot." + labels[i]); it != tensors_.end() && out[i].tensor().requires_grad()) {
        roots.push_back(out[i].tensor());
        cotangents.push_back(it->second);
      }
    if (!roots.empty()) backward(roots, cotangents, {});
    auto state = m.state_dict(0);
    for (auto& [label, want] : tensors_) {
      Tensor got;
      if (label.starts_with("grad.in."))
        got = gradient_of(label.substr(5));
      else if (label.starts_with("grad.") || label.starts_with("after."))
        for (auto& e : state) {
          if (label == "grad." + e.name) got = e.value.grad();
          if (label == "after." + e.name) got = e.value;
        }
      else
        continue;
      if (std::string d = differs(got, want, tol.rtol, tol.atol); !d.empty()) return label + ": " + d;
    }
    return "";
  }

  // An input that the last forward did not see has zeros there.
  Tensor gradient_of(const std::string& label) {
    Tensor in = tensors_.at(label);
    if (Tensor g = in.grad()) return g;
    Tensor zeros = nn::duplicate(in.detach());
    std::memset(zeros.raw(), 0, zeros.bytes());
    return zeros;
  }

  const Json& c_;
  std::map<std::string, Tensor> tensors_;
};

// Whether the modules of a case are there and its settings and call are no more than values and tensors; others run in
// tests/lang/nn_golden.lua.
bool known(const Json& c) {
  if (!c.contains("module")) return false;
  for (auto& argument : c["args"])
    if (argument.is_object() && !known(argument)) return false;
  for (auto& argument : c.value("kwargs", Json::object()))
    if (argument.is_array()) return false;
  if (c["module"] != "Sequential") return nn::find_module_class(c["module"].get<std::string>());
  return std::all_of(c["children"].begin(), c["children"].end(), known);
}

class NnModules : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Golden, NnModules,
                         testing::Values("attention", "conv", "loss", "norm", "other", "pool", "rnn"),
                         [](auto& info) { return std::string(info.param); });

TEST_P(NnModules, FollowPyTorch) {
  NnGolden file("modules-" + std::string(GetParam()) + ".h5");
  int seen = 0;
  for (auto& c : file.index()["cases"]) {
    if (!known(c)) continue;
    ++seen;
    for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
      DefaultDtype scope(dtype);
      Tolerances tol = dtype == Dtype::f64 ? Tolerances{1e-9, 1e-11} : Tolerances{1e-4, 1e-5};
      if (c["module"] == "Hardsigmoid") tol.rtol = std::max(tol.rtol, 1e-7);  // PyTorch multiplies by float32's 1/6
      try {
        EXPECT_EQ(OneCase(file, c, dtype).check(tol), "") << c["id"] << " in " << name(dtype);
      } catch (const std::exception& e) { ADD_FAILURE() << c["id"] << " in " << name(dtype) << ": " << e.what(); }
    }
  }
  std::printf("%d of %zu cases of %s\n", seen, file.index()["cases"].size(), GetParam());
}

}  // namespace
}  // namespace luth::test
