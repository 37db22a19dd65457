// Reads PyTorch's answers for modules, optimizers, schedules and initialisation: tests/golden/nn.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tensor/describe.h"
#include "core/tensor/tensor.h"

namespace luth::test {

using Json = nlohmann::json;

/// tests/golden/nn/<name>
std::string golden_path(const std::string& name);
Json golden_json(const std::string& name);

/// One HDF5 file: its index and its tensors.
class NnGolden {
 public:
  explicit NnGolden(const std::string& name);
  const Json& index() const { return index_; }
  /// A new tensor for `{"tensor": {"dtype", "shape", "at"}}`.
  Tensor tensor(const Json& j) const;

 private:
  Json index_;
  std::map<std::string, std::vector<char>> flat_;
};

/// "" or how the tensors differ by more than 1e-9 (|want| + max |want|) + 1e-11 (float64's tolerance of the README).
std::string differs(const Tensor& got, const Tensor& want, double rtol = 1e-9, double atol = 1e-11);
/// Element i of a (possibly strided) tensor in row-major order.
double element(const Tensor& t, int64_t i);

/// Sets described fields from a JSON object; refuses names that no field has. `get` finds tensors by their "$label".
void set_fields(const Json& object, void (*describe)(void*, Fields&), void* target,
                const std::map<std::string, Tensor>& tensors = {});

}  // namespace luth::test
