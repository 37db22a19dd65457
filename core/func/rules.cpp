// Batching rules: the kernels of batched devices. Each computes all samples at once, from tensors whose dim 0 is that
// of the samples. An operator without a rule is composed of others; one that has neither is an error.
#include <mutex>

#include "core/func/vmap.h"
#include "core/op/basics.h"
#include "core/op/define.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/search.h"
#include "core/ops/index/sort.h"
#include "core/ops/linalg/cross_product.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/attention.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/nn/group_norm.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/norm.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/cumulative.h"
#include "core/ops/reduce/order_statistics.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/reduce/statistics.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/conv.h"
#include "core/ops/window/pool.h"
#include "core/ops/window/resample.h"

namespace luth::func {
namespace {

// ---- The samples of a call ----------------------------------------------------------------------------------------

void copy_samples(const Tensor& to, const Tensor& from) { basic::copy_into(to, from); }

Inputs samples_of_inputs(const Call& c) {
  Inputs in;
  for (auto& v : c.in)
    in.push_back(v.is_tensor() && as_batched(v.tensor().device()) ? Value(samples_of(v.tensor())) : v);
  return in;
}
// All samples are one tensor.
bool is_shared(const Tensor& samples) { return samples.strides()[0] == 0 || samples.shape(0) == 1; }
bool is_shared(const Value& v) { return !v.is_tensor() || is_shared(v.tensor()); }
Tensor sample(const Tensor& samples, int64_t i) { return select(samples, {.dim = 0, .index = i}); }
Value sample(const Value& v, int64_t i) { return v.is_tensor() ? Value(sample(v.tensor(), i)) : v; }

// The samples of each result in the shape that the operator has inferred for one; extents of 1 may be missing.
void set_results(Call& c, const Tensors& results) {
  for (size_t i = 0; i < c.out.size(); ++i) {
    if (!c.out[i]) continue;
    const auto& device = static_cast<const BatchedDevice&>(c.out[i].device());
    Ints shape{device.size()};
    for (int64_t n : c.out[i].shape()) shape.push_back(n);
    set_samples(c.out[i], reshape(results[i], {shape}), copy_samples);
  }
}
// A result that is the same for all samples.
void set_shared(Call& c, const Tensors& results) {
  Tensors all;
  for (auto& t : results) all.push_back(t ? unsqueeze(t, {.dim = 0}) : t);
  for (size_t i = 0; i < c.out.size(); ++i) {
    if (!c.out[i]) continue;
    Ints shape{static_cast<const BatchedDevice&>(c.out[i].device()).size()};
    for (int64_t n : c.out[i].shape()) shape.push_back(n);
    set_samples(c.out[i], expand(all[i], {shape}), copy_samples);
  }
}

// ---- Rules ----------------------------------------------------------------------------------------------------------

// The operator as it is: what it does to the last dims, it does in each sample.
void same(Call& c) { set_results(c, apply(*c.info, c.op, samples_of_inputs(c))); }

// Elementwise operators: the call has broadcast the samples to one shape.
void each_element(Call& c) {
  Inputs in = samples_of_inputs(c);
  if (c.inplace)
    copy_samples(in[0].tensor(), apply(*c.info, c.op, in)[0]);
  else
    set_results(c, apply(*c.info, c.op, std::move(in)));
}

// Moves dims behind that of the samples. A reduction of all dims becomes one of all but that.
class DimsBehindSamples : public Fields {
 public:
  explicit DimsBehindSamples(int dims) : dims_(dims) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (!(info.as & as::dim)) return false;
    if (auto* dim = std::get_if<int64_t>(&value)) {
      if (*dim >= 0) ++*dim;
      return true;
    }
    Ints dims;
    if (auto* given = std::get_if<Ints>(&value))
      for (int64_t d : *given) dims.push_back(d < 0 ? d : d + 1);
    if (dims.empty())
      for (int d = 1; d <= dims_; ++d) dims.push_back(d);
    value = dims;
    return true;
  }

 private:
  int dims_;
};

// `outside` are bits of inputs that are outside of the batch.
Tensors with_moved_dims(const Call& c, Inputs in, uint32_t outside = 0) {
  for (size_t i = 0; i < in.size(); ++i)  // a sample without dims gets one of extent 1
    if (in[i].is_tensor() && in[i].dim() == 1 && !(outside >> i & 1)) in[i] = unsqueeze(in[i].tensor(), {.dim = 1});
  OpValue op(c.info, c.op);
  DimsBehindSamples fields(in[0].dim() - 1);
  c.info->describe(op.get(), fields);
  return apply(*c.info, op.get(), std::move(in));
}
// Along the operator's dims, one further.
void along_dims(Call& c) { set_results(c, with_moved_dims(c, samples_of_inputs(c))); }

// Of all elements or along one dim, which the attribute says by being empty or not.
void product_of_elements(Call& c) {
  if (static_cast<const ops::Prod*>(c.op)->dim) return along_dims(c);
  ops::Prod op = *static_cast<const ops::Prod*>(c.op);
  op.dim = 1;
  const Tensor x = samples_of_inputs(c)[0].tensor();
  set_results(c, {prod(reshape(x, {Ints{x.shape(0), c.in[0].numel()}}), op)});
}

// One sample after the other.
void one_by_one(Call& c) {
  const Inputs in = samples_of_inputs(c);
  const int64_t size = static_cast<const BatchedDevice&>(c.out[0].device()).size();
  Small<Tensors, 4> results;  // by result
  for (int64_t i = 0; i < size; ++i) {
    Inputs one;
    for (auto& v : in) one.push_back(sample(v, i));
    const Tensors out = apply(*c.info, c.op, std::move(one));
    for (size_t k = 0; k < out.size(); ++k) {
      if (results.size() == k) results.push_back({});
      results[k].push_back(out[k]);
    }
  }
  Tensors all;
  for (auto& list : results) all.push_back(list[0] ? stack(list, {.dim = 0}) : Tensor());
  set_results(c, all);
}

// Takes inputs out of the batch, by their bits; false if samples differ in one.
bool take_outside(Inputs& in, uint32_t bits) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (!(bits >> i & 1)) continue;
    if (!is_shared(in[i])) return false;
    in[i] = sample(in[i], 0);
  }
  return true;
}

// Samples that are numbers keep their one element, whatever k says.
void largest(Call& c) { c.in[0].dim() ? along_dims(c) : one_by_one(c); }

// Indices (and values of index_fill) that all samples share, outside of the batch.
template <uint32_t indices>
void along_dims_by_index(Call& c) {
  Inputs in = samples_of_inputs(c);
  if (!take_outside(in, indices)) return one_by_one(c);
  set_results(c, with_moved_dims(c, std::move(in), indices));
}
// Lists of tensors; an empty one without dims fits all.
void along_dim_of_list(Call& c) {
  for (auto& v : c.in)
    if (v.dim() != c.in[0].dim()) return one_by_one(c);
  along_dims(c);
}

// The operator as it is, for the last dims; the inputs behind the first one are shared.
constexpr uint32_t parameters = ~1u;
void same_but_parameters(Call& c) {
  Inputs in = samples_of_inputs(c);
  if (!take_outside(in, parameters)) return one_by_one(c);
  set_results(c, apply(*c.info, c.op, std::move(in)));
}
// Queries, keys, values, and a mask of as many dims.
void attend(Call& c) { c.in[3] && c.in[3].dim() != c.in[0].dim() ? one_by_one(c) : same(c); }

// The samples and the first dim of the first input become one dim; all other inputs are shared.
void folded(Call& c) {
  Inputs in = samples_of_inputs(c);
  if (!take_outside(in, parameters)) return one_by_one(c);
  in[0] = flatten(in[0].tensor(), {.start_dim = 0, .end_dim = 1});
  set_results(c, apply(*c.info, c.op, std::move(in)));
}
// An input without a dim of images gets that of the samples.
void convolve(Call& c) { c.in[0].dim() < c.in[1].dim() ? same_but_parameters(c) : folded(c); }

// In whatever order the result has in memory.
void copy_of_samples(Call& c) { set_results(c, {clone(samples_of(c.in[0].tensor()))}); }

// A value without dims, for all elements of its sample.
Tensor spread(const Value& value, int dims) {
  Tensor t = value.tensor();
  while (t.dim() <= dims) t = unsqueeze(t, {.dim = -1});
  return t;
}
void fill_samples(Call& c) {
  const Inputs in = samples_of_inputs(c);
  const Tensor to = samples_of(c.out[0]);
  in[1].is_tensor() ? copy_samples(to, spread(in[1], c.out[0].dim())) : void(basic::fill_into(to, in[1].scalar()));
}
void fill_masked(Call& c) {
  const Inputs in = samples_of_inputs(c);
  const Tensor y = where(in[1], in[2], in[0]);
  c.inplace ? copy_samples(in[0].tensor(), y) : set_results(c, {y});
}

// A matrix, or the one that all samples share.
Tensor operand(const Value& v) { return is_shared(v) ? sample(v.tensor(), 0) : v.tensor(); }
Tensor product(const Value& a, const Value& b) { return matmul(operand(a), operand(b)); }

void set_product(Call& c, const Inputs& in, const Tensor& y) {
  is_shared(in[0]) && is_shared(in[1]) ? set_shared(c, {y}) : set_results(c, {y});
}
void multiply(Call& c) {
  const Inputs in = samples_of_inputs(c);
  set_product(c, in, product(in[0], in[1]));
}
void multiply_vector(Call& c) {
  Inputs in = samples_of_inputs(c);
  in[1] = unsqueeze(in[1].tensor(), {.dim = -1});
  const Tensor y = product(in[0], in[1]);
  set_product(c, in, squeeze(y, {.dim = Ints{-1}}));
}
void multiply_vectors(Call& c) {
  const Inputs in = samples_of_inputs(c);
  set_results(c, {sum(mul(in[0], in[1]), {.dim = {-1}})});
}
// Addmm and baddbmm: beta * input + alpha * mat1 @ mat2, at the level of the samples.
template <class Op>
void blend(Call& c) {
  auto& op = *static_cast<const Op*>(c.op);
  const Inputs in = samples_of_inputs(c);
  const Tensor y = mul(matmul(in[1].tensor(), in[2].tensor()), op.alpha);
  Tensor input = in[0].tensor();
  while (input.dim() < y.dim()) input = unsqueeze(input, {.dim = 1});
  set_results(c, {op.beta.template to<double>() == 0 ? y : add(y, mul(input, op.beta))});
}
void linear_rule(Call& c) {
  Inputs in = samples_of_inputs(c);
  if (c.in[1].dim() < 2) return one_by_one(c);
  if (is_shared(in[1]) && is_shared(in[2])) return set_results(c, {linear(in[0], sample(in[1], 0), sample(in[2], 0))});
  const Tensor rows = flatten(unsqueeze(in[0].tensor(), {.dim = 1}), {.start_dim = 1, .end_dim = -2});
  Tensor y = matmul(rows, transpose(in[1].tensor(), {.dim0 = -2, .dim1 = -1}));
  if (in[2]) y = add(y, unsqueeze(in[2].tensor(), {.dim = 1}));
  set_results(c, {y});
}

// A tensor made of attributes alone, the same for all samples.
class OnDevice : public Fields {
 public:
  explicit OnDevice(Device& d) : device_(&d) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (info.kind != AttrKind::device) return false;
    value = device_;
    return true;
  }

 private:
  Device* device_;
};
void make(Call& c) {
  OpValue op(c.info, c.op);
  OnDevice inner(static_cast<const BatchedDevice&>(c.out[0].device()).inner());
  c.info->describe(op.get(), inner);
  set_shared(c, apply(*c.info, op.get(), {}));
}

void refuse_size(Call&) {
  throw Error("has a result whose size depends on values, so that samples would differ in shape; torch.where keeps it");
}

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void draw(Call& c) {
  const Randomness randomness = static_cast<const BatchedDevice&>(c.out[0].device()).randomness();
  if (randomness == Randomness::error)
    throw Error("draws random numbers within vmap; say {{randomness = 'different'}} or {{randomness = 'same'}}");
  OpValue op(c.info, c.op);
  PhiloxState& state = *c.info->philox(op.get());  // a stream of its own, the same when backward draws again
  state = {int64_t(mixed(uint64_t(state.seed) + 0x9E3779B97F4A7C15u * uint64_t(state.offset + 1))), 0, true};
  Inputs in = samples_of_inputs(c);
  if (randomness == Randomness::different) return set_results(c, apply(*c.info, op.get(), std::move(in)));
  for (auto& v : in) v = sample(v, 0);
  set_shared(c, apply(*c.info, op.get(), std::move(in)));
}

// ---- Which operator has which ---------------------------------------------------------------------------------------

// Bound by define_rules(), not when the program starts.
struct RuleSet {
  void (*bind)(size_t slot);
  const RuleSet* next;
};
const RuleSet* rule_sets = nullptr;

template <KernelFn rule, class... Op>
struct Rules : RuleSet {
  Rules() : RuleSet{[](size_t slot) { ((entry(Op::doc.name).kernels[slot] = rule), ...); }, rule_sets} {
    rule_sets = this;
  }
};

const Rules<each_element, ops::Cast> elements_;
const Rules<same, ops::Tril, ops::Triu, ops::OneHot, ops::LapackLu, ops::LapackPermutation, ops::LapackCholesky,
            ops::LapackTriangular, ops::LapackGeqrf, ops::LapackOrgqr, ops::LapackOrmqr, ops::LapackSvd,
            ops::LapackSvdvals, ops::LapackEigh, ops::LapackEigvalsh, ops::LapackEig, ops::LapackLstsq, ops::LapackLdl,
            ops::LapackLdlSolve>
    same_;
const Rules<product_of_elements, ops::Prod> prod_;
const Rules<along_dims, ops::Sum, ops::SumOfNumbers, ops::Amax, ops::Amin, ops::MaxDim, ops::MinDim, ops::Var, ops::Std,
            ops::EuclideanNorm, ops::CrossProduct, ops::AllDims, ops::AnyDims, ops::Cumsum, ops::Cumprod, ops::Cummax,
            ops::Cummin, ops::LogCumsumExp, ops::LogSumExp, ops::Softmax, ops::LogSoftmax, ops::KthValue,
            ops::MedianDim, ops::NanMedianDim, ops::Sort, ops::Gather, ops::Scatter, ops::ScatterValue, ops::ScatterAdd>
    along_;
const Rules<largest, ops::TopK> topk_;
const Rules<along_dims_by_index<2>, ops::IndexSelect, ops::IndexAdd, ops::IndexCopy> index_;
const Rules<along_dims_by_index<6>, ops::IndexFill> index_fill_;
const Rules<along_dim_of_list, ops::CatFew> cat_;
const Rules<same_but_parameters, ops::Embedding, ops::NativeLayerNorm> parameters_;
const Rules<attend, ops::ScaledDotProductAttention> attention_;
const Rules<convolve, ops::Convolution> convolution_;
const Rules<folded, ops::AvgPool, ops::MaxPool, ops::NativeGroupNorm> folded_;
const Rules<copy_of_samples, ops::Clone> clone_;
const Rules<fill_samples, ops::Fill> fill_;
const Rules<fill_masked, ops::MaskedFill> masked_fill_;
const Rules<multiply, ops::Mm, ops::Bmm> products_;
const Rules<multiply_vector, ops::Mv> vector_;
const Rules<multiply_vectors, ops::Dot> dot_;
const Rules<blend<ops::Addmm>, ops::Addmm> addmm_;
const Rules<blend<ops::Baddbmm>, ops::Baddbmm> baddbmm_;
const Rules<linear_rule, ops::Linear> linear_;
const Rules<one_by_one, ops::AvgPoolGrad, ops::BatchNormTrain, ops::BatchNormBackward, ops::ChannelAffine,
            ops::ConvolutionGradInput, ops::ConvolutionGradWeight, ops::CrossEntropyLabels, ops::CrossEntropyBackward,
            ops::EmbeddingBackward, ops::Index, ops::IndexPut, ops::InterpolateNd, ops::MaskedReplace, ops::MaxPoolGrad,
            ops::MaxPoolPick, ops::LayerNormBackward, ops::GroupNormBackward, ops::NllLossLabels, ops::NllLossBackward,
            ops::PadNd, ops::Put, ops::RowSums, ops::SearchSame, ops::Take, ops::UnfoldNd>
    others_;
const Rules<refuse_size, ops::MaskedSelect, ops::Nonzero, ops::CountNonzero> sizes_;

}  // namespace

void define_rules() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto slot = size_t(kind_slot(BatchedDevice::kind_name));
    for (const RuleSet* set = rule_sets; set; set = set->next) set->bind(slot);
    for (const OpInfo* info : operators()) {
      KernelFn& rule = entry(info->name).kernels[slot];
      if (!rule && info->random && !info->decompose) rule = draw;
      if (!rule && info->traits.elementwise && !info->inputs.empty()) rule = each_element;
      if (!rule && info->infer && info->inputs.empty() && !info->decompose) rule = make;
    }
  });
}

}  // namespace luth::func
