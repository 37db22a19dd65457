#include "core/data/dataset.h"

#include <algorithm>
#include <cstring>

#include "core/autograd/autograd.h"
#include "core/base/threads.h"
#include "core/math/philox.h"
#include "core/ops/elementwise/copy.h"

namespace luth::data {
namespace {

// Stacks one value of all samples; the tensors are alike and on one device, so that it is copies.
Tensor stack_tensors(std::span<const Sample> samples, size_t k) {
  const Tensor& first = samples[0][k].tensor();
  Shape shape = first.shape();
  shape.insert(0, int64_t(samples.size()));
  Tensor out = Tensor::empty(shape, first.dtype(), first.device());
  size_t step = first.bytes();
  for (size_t i = 0; i < samples.size(); ++i) {
    const Tensor& t = samples[i][k].tensor();
    if (!t) throw Error("value {} of sample {} of the batch is a number, that of the first is a tensor", k + 1, i + 1);
    if (!(t.shape() == first.shape()) || t.dtype() != first.dtype())
      throw Error(
          "value {} of sample {} of the batch is {}, that of the first is {}; pass a collate_fn for uneven samples",
          k + 1, i + 1, describe(t), describe(first));
    Tensor plain = t.is_contiguous() ? t : dense_copy(t);
    copy_bytes(static_cast<char*>(out.raw()) + i * step, out.device(), plain.raw(), t.device(), step);
  }
  return out;
}

Tensor stack_numbers(std::span<const Sample> samples, size_t k) {
  bool floating = false, boolean = true;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i][k].is_scalar())
      throw Error("value {} of sample {} of the batch is no number, that of the first is one", k + 1, i + 1);
    floating |= samples[i][k].scalar().is_floating();
    boolean &= samples[i][k].scalar().kind() == Scalar::Kind::boolean;
  }
  Dtype d = floating ? default_dtype() : boolean ? Dtype::boolean : Dtype::i64;
  Tensor out = Tensor::empty({int64_t(samples.size())}, d, host());
  dispatch(AllTypes{}, d, [&]<class T>(Type<T>) {
    for (size_t i = 0; i < samples.size(); ++i) out.data<T>()[i] = samples[i][k].scalar().to<T>();
  });
  return out;
}

Tensor rows(const Tensor& t, std::span<const int64_t> indices) {
  Shape shape = t.shape();
  shape[0] = int64_t(indices.size());
  Tensor out = Tensor::empty(shape, t.dtype(), t.device());
  size_t step = size_t(t.numel() / std::max<int64_t>(1, t.shape()[0])) * size_of(t.dtype());
  const char* from = static_cast<const char*>(t.raw());
  char* to = static_cast<char*>(out.raw());
  for (size_t i = 0; i < indices.size(); ++i)
    if (step) std::memcpy(to + i * step, from + size_t(indices[i]) * step, step);
  return out;
}

}  // namespace

OtherValue::~OtherValue() = default;
void Sample::push_other(OtherRef other) {
  push_back({});
  others.resize(size());
  others.back() = std::move(other);
}

bool Fit::is_like(const Fit& other) const {
  const auto named = [](const ColumnFit& a, const ColumnFit& b) {
    return a.name == b.name && a.is_category == b.is_category && a.categories == b.categories;
  };
  const auto scaled = [](const ColumnFit& a, const ColumnFit& b) { return a.mean == b.mean && a.std == b.std; };
  return std::ranges::equal(features, other.features, named) && std::ranges::equal(targets, other.targets, named) &&
         (!(scales || other.scales) || std::ranges::equal(features, other.features, scaled));
}

Dataset::~Dataset() = default;
DatasetRef Dataset::test_part() const { return {}; }
DatasetRef Dataset::of_files(const std::vector<std::string>&) const { return {}; }
void Dataset::set_fit(Fit) { throw Error("{} learns nothing of its data, and takes no state", name()); }
std::vector<int64_t> Dataset::order(const Epoch& epoch) { return shuffled(size(), epoch); }

std::vector<Sample> Dataset::samples(std::span<const int64_t> indices, const Epoch& epoch) {
  std::vector<Sample> out;
  out.reserve(indices.size());
  for (int64_t i : indices) out.push_back(sample(i, epoch));
  return out;
}
Sample Dataset::sample(int64_t i, const Epoch& epoch) {
  try {
    return get(i, epoch);
  } catch (const Error& e) { throw Error(e.code(), "sample {} of {}: {}", i + base, name(), e.what()); }
}

Tensors Dataset::batch(std::span<const int64_t> indices, const Epoch& epoch) {
  std::vector<Sample> all = samples(indices, epoch);
  return collate(all);
}

Tensors collate(std::span<const Sample> samples) {
  Tensors out;
  if (samples.empty()) return out;
  for (auto& s : samples)
    if (s.size() != samples[0].size())
      throw Error("a sample has {} values, the first of its batch has {}", s.size(), samples[0].size());
  NoGrad no_grad;
  for (size_t k = 0; k < samples[0].size(); ++k) {
    if (samples[0].other(k)) throw Error("value {} of a sample is neither tensor nor number: pass a collate_fn", k + 1);
    if (!samples[0][k]) throw Error("value {} of a sample is nil", k + 1);
    out.push_back(samples[0][k].is_tensor() ? stack_tensors(samples, k) : stack_numbers(samples, k));
  }
  return out;
}

TensorDataset::TensorDataset(Tensors tensors) : tensors_(std::move(tensors)) {
  if (tensors_.empty()) throw Error("TensorDataset expects at least one tensor");
  for (auto& t : tensors_) {
    if (!t.dim()) throw Error("TensorDataset: a tensor without dimensions holds no samples");
    if (t.shape()[0] != tensors_[0].shape()[0])
      throw Error("TensorDataset: the tensors hold {} and {} samples; the first dims must be equal",
                  tensors_[0].shape()[0], t.shape()[0]);
    t = t.detach();
    if (!t.is_contiguous()) t = dense_copy(t);
  }
}
// Element i along the first dim.
static Tensor element(const Tensor& t, int64_t i) {
  Shape shape = t.shape();
  Strides strides = t.strides();
  const int64_t offset = t.offset() + i * strides[0];
  shape.erase(0);
  strides.erase(0);
  return Tensor::alias(t.storage(), shape, strides, offset, t.dtype());
}
Sample only_sample(const Tensors& batch) {
  Sample s;
  for (auto& t : batch) s.push_back(element(t, 0));
  return s;
}
Sample TensorDataset::get(int64_t i, const Epoch&) {
  Sample s;
  for (auto& t : tensors_) s.push_back(element(t, i));
  return s;
}
Tensors TensorDataset::batch(std::span<const int64_t> indices, const Epoch& epoch) {
  Tensors out;
  for (auto& t : tensors_) {
    if (!t.device().on_host()) return Dataset::batch(indices, epoch);
    out.push_back(rows(t, indices));
  }
  return out;
}

Subset::Subset(DatasetRef whole, std::vector<int64_t> indices)
    : whole_(std::move(whole)), indices_(std::move(indices)) {
  base = whole_->base;
  for (int64_t i : indices_)
    if (i < 0 || i >= whole_->size())
      throw Error("Subset: index {} is out of range for {} samples (counted from {})", i + base, whole_->size(), base);
}
Tensors Subset::batch(std::span<const int64_t> indices, const Epoch& epoch) {
  std::vector<int64_t> inner;
  inner.reserve(indices.size());
  for (int64_t i : indices) inner.push_back(indices_[i]);
  return whole_->batch(inner, epoch);
}

ConcatDataset::ConcatDataset(std::vector<DatasetRef> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw Error("ConcatDataset expects at least one dataset");
  base = parts_[0]->base;
  int64_t n = 0;
  for (auto& p : parts_) {
    ends_.push_back(n += p->size());
    if (p->fit() && !p->fit()->is_like(*fit()))
      throw Error(
          "ConcatDataset: {} has learned other means, deviations or classes of its data than the parts before it; give "
          "it theirs: part:load_state_dict(first:state_dict())",
          p->name());
  }
}
const Fit* ConcatDataset::fit() const {
  for (auto& p : parts_)
    if (p->fit()) return p->fit();
  return nullptr;
}
void ConcatDataset::set_fit(Fit fit) {
  if (!this->fit()) return Dataset::set_fit(std::move(fit));
  for (auto& p : parts_)
    if (p->fit()) p->set_fit(fit);
}
Sample ConcatDataset::get(int64_t i, const Epoch& epoch) {
  size_t part = std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin();
  return parts_[part]->get(part ? i - ends_[part - 1] : i, epoch);
}
std::vector<std::string> ConcatDataset::classes() const {
  return parts_.empty() ? std::vector<std::string>() : parts_[0]->classes();
}
DatasetRef ConcatDataset::of_files(const std::vector<std::string>& paths) const {
  return parts_.empty() ? DatasetRef() : parts_[0]->of_files(paths);
}
int ConcatDataset::random_levels() const {
  int most = 0;
  for (auto& p : parts_) most = std::max(most, p->random_levels());
  return most;
}
bool ConcatDataset::any_thread() const {
  return std::all_of(parts_.begin(), parts_.end(), [](auto& p) { return p->any_thread(); });
}

std::vector<int64_t> shuffled(int64_t n, const Epoch& epoch) {
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  int64_t stream = epoch.number << 40;  // an epoch's own stretch of counters
  for (int64_t i = n - 1; i > 0; --i) {
    uint64_t r = philox_u64(epoch.seed, stream, i);
    // Lemire's multiplication maps 64 bits to 0 … i; its bias is below (i + 1) / 2^64.
    std::swap(order[i], order[int64_t((unsigned __int128)(r)*uint64_t(i + 1) >> 64)]);
  }
  return order;
}

std::vector<DatasetRef> random_split(DatasetRef whole, std::span<const double> sizes, int64_t seed) {
  int64_t n = whole->size(), total = 0;
  if (n > int64_t(1) << 53)
    throw Error("random_split: {} samples are more than numbers of samples can be counted in", n);
  double sum = 0;
  bool shares = false;
  for (double s : sizes) {
    if (!(s >= 0 && s <= double(n) + 1)) throw Error("random_split: a size is from 0 to {}, got {}", n, s);
    sum += s;
    shares |= s != std::floor(s);
  }
  shares = shares || (sum == 1 && n != 1);
  std::vector<int64_t> counts;
  for (double s : sizes) counts.push_back(int64_t(shares ? std::floor(s * double(n)) : s)), total += counts.back();
  if (shares && std::fabs(sum - 1) < 1e-6)
    for (size_t i = 0; total < n; i = (i + 1) % counts.size()) ++counts[i], ++total;
  if (total != n) throw Error("random_split: the sizes add up to {}, the dataset has {} samples", total, n);
  std::vector<int64_t> order = shuffled(n, {seed, 0});
  std::vector<DatasetRef> parts;
  auto at = order.begin();
  for (int64_t c : counts) {
    parts.push_back(make<Subset>(whole, std::vector<int64_t>(at, at + c)));
    at += c;
  }
  return parts;
}

}  // namespace luth::data
