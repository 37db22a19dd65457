// PyTorch's names. Of arguments with two: its documentation has one, its parser takes another; both do here. Of the
// operators that it has in torch.nn.functional alone, or as methods alone; luth's `torch` has them, too.
#include <algorithm>

#include "lang/binding/bind.h"

namespace luth::lang {
namespace {

struct SecondName {
  std::string_view operators;  // by the names of their structs; a * at the end stands for any end
  std::string_view name;       // as the signature shows it
  std::string_view also;
};
constexpr SecondName names[] = {
    {"special_*", "input", "x"},
    {"linalg_vector_norm", "x", "input"},
    {"linalg_cross linalg_norm linalg_norm.named", "input", ""},  // not A, as below
    {"linalg_* matrix_exp matrix_power", "A", "input"},
    {"linalg_lstsq", "B", "b"},
    {"linalg_tensorsolve", "B", "other"},
    {"cholesky_solve", "B", "input"},
    {"lu_solve", "b", "input"},
    {"cholesky_solve", "L", "input2"},
    {"cholesky_inverse", "L", "input"},
    {"ormqr orgqr", "tau", "input2"},
    {"ormqr", "other", "input3"},
    {"searchsorted", "values", "input"},
    {"broadcast_to", "shape", "size"},
    {"one_hot", "tensor", "input"},
    {"hsplit* vsplit* dsplit* tensor_split*", "indices_or_sections", "sections"},
    {"hsplit* vsplit* dsplit* tensor_split*", "indices_or_sections", "indices"},
    {"tensor_split.tensor", "indices_or_sections", "tensor_indices_or_sections"},
    {"div*", "input", "dividend"},
    {"div*", "other", "divisor"},
    {"cat", "dim", "axis"},
    {"isin", "elements", "element"},
    {"isin", "test_elements", "test_element"},
    {"transpose", "dim0", "axis0"},
    {"transpose", "dim1", "axis1"},
    {"split*", "split_size_or_sections", "split_size"},
};

constexpr std::string_view functional_alone =
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d avg_pool2d avg_pool3d "
    "binary_cross_entropy cross_entropy dropout1d dropout2d dropout3d elu elu_ gaussian_nll_loss gelu glu "
    "gumbel_softmax hardsigmoid hardswish hardtanh hardtanh_ huber_loss l1_loss leaky_relu leaky_relu_ linear "
    "local_response_norm logsigmoid lp_pool1d lp_pool2d lp_pool3d max_pool2d_with_indices max_pool3d_with_indices "
    "mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss "
    "multilabel_soft_margin_loss nll_loss normalize one_hot relu6 scaled_dot_product_attention silu smooth_l1_loss "
    "soft_margin_loss softmin softplus softshrink softsign tanhshrink";

bool names_operator(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    const std::string_view word = list.substr(0, end);
    if (word.ends_with('*') ? name.starts_with(word.substr(0, end - 1)) : name == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

std::string_view prefix(const Function& function) {
  if (names_operator(functional_alone, function.name)) return "torch.nn.functional.";
  return function.is_method && (function.inplace || !function.is_function) ? "x:" : "torch.";
}

void set_second_names(Overload& overload) {
  for (auto& p : overload.params)
    for (auto& second : names)
      if ((p.name == second.name || p.name == second.also) && names_operator(second.operators, overload.info->name)) {
        p.name = second.name;
        p.also = second.also;
        break;
      }
}

}  // namespace luth::lang
