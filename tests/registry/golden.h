// Reads the goldens (tests/golden/README.md): PyTorch's own answers, from HDF5.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/op/op.h"

namespace luth::test {

using Json = nlohmann::json;

/// The tensors and samples of one family.
class GoldenFile {
 public:
  explicit GoldenFile(const std::string& path);
  ~GoldenFile();
  GoldenFile(const GoldenFile&) = delete;
  /// The samples of an operator, in the file's order.
  const std::vector<const Json*>& samples(const std::string& op) const;
  /// A new tensor for `{"dtype", "shape", "at", "strides"?, "offset"?, "requires_grad"?}`.
  Tensor tensor(const Json& j) const;

 private:
  std::map<std::string, std::vector<char>> flat_;
  std::unique_ptr<Json> index_;
  std::map<std::string, std::vector<const Json*>> by_op_;
};

/// The file that holds an operator's samples, read once. `op` is PyTorch's name.
const GoldenFile& golden_file(const std::string& op);
/// PyTorch's name and aliases of an operator: as they are without `torch.`, then without `nn.functional.` too.
std::vector<std::string> golden_names(const std::string& op);
/// All operators that have goldens, by PyTorch's names.
std::vector<std::string> golden_operators();
/// 1: ordinary training scripts use it, 2: numeric scripts, 3: exotic.
int golden_tier(const std::string& op);
/// Samples that may fail, by a line of tests/golden/allow.txt.
struct Allowance {
  std::string glob;   // of sample ids
  bool used = false;  // one of them did fail
  bool covers(const std::string& sample_id) const;
};
std::vector<Allowance> allowances(const std::string& op);

struct Tolerance {
  double rtol = 0, atol = 0;
};
/// For one result ("out") or gradient ("grad") of dtype `d` of a sample.
Tolerance golden_tolerance(const Json& sample, const char* what, Dtype d);

/// An argument of a sample: what its JSON says, with the tensors made.
struct GoldenArg {
  std::string name;
  const Json* json = nullptr;
  Tensor tensor;
  std::vector<Tensor> tensors;
  bool is_tensors = false;  // a list of tensors
};
/// A call that is ready for apply().
struct GoldenCall {
  const OpInfo* info;
  OpValue op;
  Inputs in;
};
/// Finds the operator among those called one of `names` whose inputs and attributes take all arguments. Throws with
/// the reason of each that does not.
GoldenCall bind_golden(const std::vector<std::string>& names, const std::vector<GoldenArg>& args);

}  // namespace luth::test
