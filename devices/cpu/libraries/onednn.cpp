// oneDNN: all calls to it, for its versions 2 and 3. Every primitive is made for one thread, with
// scratchpad_mode::user because threads share it (with its own scratchpad results are wrong then).
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "core/base/limits.h"
#include "devices/cpu/libraries/internal.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;
constexpr auto bf16 = dnnl::memory::data_type::bf16;

// Never destroyed, as the caches below: threads may outlive static objects.
const dnnl::engine& engine() {
  static const auto& e = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return e;
}
dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

using Scratch = Buffer<char>;

// ---- What differs between the versions -------------------------------------------------------------------------

using Forward = dnnl::convolution_forward;
using GradInput = dnnl::convolution_backward_data;
using GradWeight = dnnl::convolution_backward_weights;
constexpr auto direct = dnnl::algorithm::convolution_direct;

struct ConvDescs {
  Desc x, w, bias, y;  // bias empty: none
  Dims stride, dilation, before, after;
};

#if DNNL_VERSION_MAJOR >= 3
Forward::primitive_desc forward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {engine(),   dnnl::prop_kind::forward_training,
          direct,     d.x,
          d.w,        d.bias,
          d.y,        d.stride,
          d.dilation, d.before,
          d.after,    attr};
}
template <class Backward>
typename Backward::primitive_desc backward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {engine(), direct, d.x, d.w, d.y, d.stride, d.dilation, d.before, d.after, forward_desc(d, attr), attr};
}
dnnl::matmul::primitive_desc matmul_desc(const Desc& a, const Desc& b, const Desc& c,
                                         const dnnl::primitive_attr& attr) {
  return {engine(), a, b, c, attr};
}
void scale(dnnl::post_ops& steps, float factor) { steps.append_eltwise(dnnl::algorithm::eltwise_linear, factor, 0); }
#else
Forward::primitive_desc forward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  using Prop = dnnl::prop_kind;
  if (d.bias.data.ndims)
    return {
        Forward::desc(Prop::forward_training, direct, d.x, d.w, d.bias, d.y, d.stride, d.dilation, d.before, d.after),
        attr, engine()};
  return {Forward::desc(Prop::forward_training, direct, d.x, d.w, d.y, d.stride, d.dilation, d.before, d.after), attr,
          engine()};
}
template <class Backward>
typename Backward::primitive_desc backward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {typename Backward::desc(direct, d.x, d.w, d.y, d.stride, d.dilation, d.before, d.after), attr, engine(),
          forward_desc(d, attr)};
}
dnnl::matmul::primitive_desc matmul_desc(const Desc& a, const Desc& b, const Desc& c,
                                         const dnnl::primitive_attr& attr) {
  return {dnnl::matmul::desc(a, b, c), attr, engine()};
}
void scale(dnnl::post_ops& steps, float factor) { steps.append_eltwise(1, dnnl::algorithm::eltwise_linear, factor, 0); }
#endif

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// ---- Primitives, made once for each shape ------------------------------------------------------------------------

// An operand of a primitive: its layout at the caller and in the primitive, and the reorder between the two, if they
// differ.
struct Operand {
  int arg = 0;
  Desc plain, wanted;
  std::unique_ptr<dnnl::reorder> reorder;  // before the primitive for an input, after it for the output
  size_t scratch = 0;                      // of the reorder
};

}  // namespace

struct Primitive {
  dnnl::primitive run;
  std::vector<Operand> in;
  Operand out;
  size_t scratch = 0;
};

namespace {

Operand operand(int arg, const Desc& plain, const Desc& wanted, bool output) {
  Operand o{arg, plain, wanted, nullptr, 0};
  if (plain == wanted) return o;
  const Desc& from = output ? wanted : plain;
  const Desc& to = output ? plain : wanted;
  dnnl::reorder::primitive_desc pd(engine(), from, engine(), to, attributes());
  o.scratch = pd.scratchpad_desc().get_size();
  o.reorder = std::make_unique<dnnl::reorder>(pd);
  return o;
}

struct Argument {
  int arg;
  Desc plain, wanted;  // `plain` empty: the primitive goes without it
};
template <class P>
std::shared_ptr<Primitive> make_primitive(const typename P::primitive_desc& pd, std::initializer_list<Argument> in,
                                          const Argument& out) {
  auto p = std::make_shared<Primitive>();
  for (const Argument& a : in)
    if (a.plain != Desc()) p->in.push_back(operand(a.arg, a.plain, a.wanted, false));
  p->out = operand(out.arg, out.plain, out.wanted, true);
  p->scratch = pd.scratchpad_desc().get_size();
  p->run = P(pd);
  return p;
}

void run_reorder(const Operand& o, const dnnl::memory& from, const dnnl::memory& to) {
  Scratch scratch(int64_t(o.scratch));
  std::unordered_map<int, dnnl::memory> args{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  if (o.scratch)
    args[DNNL_ARG_SCRATCHPAD] =
        dnnl::memory(Desc({int64_t(o.scratch)}, dnnl::memory::data_type::u8, Tag::a), engine(), scratch.get());
  o.reorder->execute(stream(), args);
}

void execute(const Primitive& p, std::initializer_list<const void*> in, void* out) {
  std::unordered_map<int, dnnl::memory> args;
  std::vector<std::unique_ptr<Scratch>> reordered;  // inputs and output in the primitive's layouts
  auto fresh = [&](const Desc& d) {
    reordered.push_back(std::make_unique<Scratch>(int64_t(d.get_size())));
    return dnnl::memory(d, engine(), reordered.back()->get());
  };
  auto data = in.begin();
  for (const Operand& o : p.in) {
    dnnl::memory user(o.plain, engine(), const_cast<void*>(*data++));
    if (o.reorder) {
      dnnl::memory inner = fresh(o.wanted);
      run_reorder(o, user, inner);
      user = inner;
    }
    args.emplace(o.arg, user);
  }
  dnnl::memory user(p.out.plain, engine(), out), inner = p.out.reorder ? fresh(p.out.wanted) : user;
  args.emplace(p.out.arg, inner);
  Scratch scratch(int64_t(p.scratch));
  if (p.scratch)
    args.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(Desc({int64_t(p.scratch)}, dnnl::memory::data_type::u8, Tag::a),
                                                   engine(), scratch.get()));
  p.run.execute(stream(), args);
  if (p.out.reorder) run_reorder(p.out, inner, user);
  stream().wait();
}

struct Hash {
  template <class Key>
  size_t operator()(const Key& k) const {
    static_assert(sizeof(Key) % 8 == 0 && std::has_unique_object_representations_v<Key>);
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (size_t i = 0; i < sizeof(Key); i += 8) {
      std::memcpy(&word, reinterpret_cast<const char*>(&k) + i, 8);
      h = (h ^ word) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return size_t(h);
  }
};

// Primitives by shape. Shapes may vary without end (sentences), so a full cache is cleared.
template <class Key>
class Cache {
 public:
  /// Address space that making a primitive may take, in bytes: without it oneDNN dies. `get` gives null then.
  static constexpr int64_t room = int64_t(64) << 20;
  template <class Make>
  std::shared_ptr<const Primitive> get(const Key& key, Make&& make) {
    {
      std::lock_guard lock(lock_);
      auto it = map_.find(key);
      if (it != map_.end()) return it->second;
    }
    if (address_space_left().value_or(INT64_MAX) < room) return nullptr;
    auto fresh = make();
    std::lock_guard lock(lock_);
    if (map_.size() >= 1024) map_.clear();
    return map_.emplace(key, std::move(fresh)).first->second;
  }

 private:
  std::mutex lock_;
  std::unordered_map<Key, std::shared_ptr<const Primitive>, Hash> map_;
};

// ---- Convolution -------------------------------------------------------------------------------------------------

enum class Layout { user, library, channels_last };

// The layout in which a primitive works. oneDNN's own choice for gradients with few channels is slow: 4.0 ms against
// 1.4 for the filters of [128,1,28,28] -> 6, 5x5 (AVX2).
Layout inner_layout(const ConvShape& s) {
  if (s.channels_last) return Layout::channels_last;
  bool few = std::min(s.ic, s.oc) / s.groups < 16 && s.groups == 1;
  return s.kind != ConvShape::Kind::forward && few ? Layout::channels_last : Layout::library;
}

// Orders of memory by the number of spatial dims.
constexpr Tag nc_tags[] = {Tag::ncw, Tag::nchw, Tag::ncdhw}, n_c_tags[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
constexpr Tag oi_tags[] = {Tag::oiw, Tag::oihw, Tag::oidhw}, o_i_tags[] = {Tag::owi, Tag::ohwi, Tag::odhwi};
constexpr Tag goi_tags[] = {Tag::goiw, Tag::goihw, Tag::goidhw}, go_i_tags[] = {Tag::gowi, Tag::gohwi, Tag::godhwi};

ConvDescs conv_descs(const ConvShape& s, Layout layout) {
  const bool any = layout != Layout::user;
  auto spatial = [&](Dims first, const int64_t(&list)[3]) {
    first.insert(first.end(), list + 3 - s.dims, list + 3);
    return first;
  };
  const auto d = size_t(s.dims - 1);
  const Tag act = layout == Layout::library ? Tag::any : s.channels_last || any ? n_c_tags[d] : nc_tags[d];
  Dims w = spatial({s.oc, s.ic}, s.kernel), gaps = spatial({}, s.dilation);
  Tag filter = s.channels_last ? o_i_tags[d] : oi_tags[d];
  if (s.groups > 1) {
    w = spatial({s.groups, s.oc / s.groups, s.ic / s.groups}, s.kernel);
    filter = s.channels_last ? go_i_tags[d] : goi_tags[d];
  }
  for (auto& gap : gaps) --gap;
  return {Desc(spatial({s.n, s.ic}, s.in), f32, act),
          Desc(w, f32, any ? Tag::any : filter),
          s.bias ? Desc({s.oc}, f32, Tag::a) : Desc(),
          Desc(spatial({s.n, s.oc}, s.out), f32, act),
          spatial({}, s.stride),
          gaps,
          spatial({}, s.lo),
          spatial({}, s.hi)};
}

// oneDNN's kernels for float matrix products point the stack register into the heap (its issue 4845, mended in 3.11):
// a signal handler would then write there. Its other kernels, such as those of bfloat16 products, do not.
bool safe(const dnnl::primitive_desc_base& pd) {
  return !std::strstr(pd.impl_info_str(), "gemm:") && !std::strstr(pd.impl_info_str(), "ref");
}

// Null where oneDNN's implementation is not safe.
std::shared_ptr<const Primitive> make_conv(const ConvShape& s, Layout inner) {
  const ConvDescs user = conv_descs(s, Layout::user), any = conv_descs(s, inner);
  const auto attr = attributes();
  if (s.kind == ConvShape::Kind::forward) {
    auto pd = forward_desc(any, attr);
    if (!safe(pd)) return nullptr;
    return make_primitive<Forward>(pd,
                                   {{DNNL_ARG_SRC, user.x, pd.src_desc()},
                                    {DNNL_ARG_WEIGHTS, user.w, pd.weights_desc()},
                                    {DNNL_ARG_BIAS, user.bias, pd.bias_desc()}},
                                   {DNNL_ARG_DST, user.y, pd.dst_desc()});
  }
  if (s.kind == ConvShape::Kind::grad_input) {
    auto pd = backward_desc<GradInput>(any, attr);
    if (!safe(pd)) return nullptr;
    return make_primitive<GradInput>(
        pd, {{DNNL_ARG_DIFF_DST, user.y, pd.diff_dst_desc()}, {DNNL_ARG_WEIGHTS, user.w, pd.weights_desc()}},
        {DNNL_ARG_DIFF_SRC, user.x, pd.diff_src_desc()});
  }
  auto pd = backward_desc<GradWeight>(any, attr);
  if (!safe(pd)) return nullptr;
  auto p = make_primitive<GradWeight>(
      pd, {{DNNL_ARG_DIFF_DST, user.y, pd.diff_dst_desc()}, {DNNL_ARG_SRC, user.x, pd.src_desc()}},
      {DNNL_ARG_DIFF_WEIGHTS, user.w, pd.diff_weights_desc()});
  // 2.6.3's jit_1x1:avx2 with a stride writes whole vectors of channels where there are fewer
  p->scratch += size_t(8 * s.out_area()) * sizeof(float);
  return p;
}
std::shared_ptr<const Primitive> make_conv(const ConvShape& s) {
  auto p = make_conv(s, inner_layout(s));
  return p ? p : make_conv(s, Layout::channels_last);
}

// ---- Matrix products ---------------------------------------------------------------------------------------------

struct MatmulShape {
  int64_t m, n, k, alpha, beta, wide;  // alpha, beta: the bits of floats
  bool operator==(const MatmulShape&) const = default;
};

// Null where oneDNN has no kernel of blocks (brgemm) for it: those are its fast ones, and take dense operands alone.
std::shared_ptr<const Primitive> make_matmul(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps) {
  const Desc a({m, k}, bf16, Tag::ab), b({k, n}, bf16, Tag::BA16a64b2a), c({m, n}, steps.wide ? f32 : bf16, Tag::ab);
  auto attr = attributes();
  dnnl::post_ops posts;
  if (steps.alpha != 1) scale(posts, steps.alpha);
  if (steps.beta != 0) posts.append_sum(steps.beta);
  attr.set_post_ops(posts);
  auto pd = matmul_desc(a, b, c, attr);
  if (!std::strstr(pd.impl_info_str(), "brg")) return nullptr;
  return make_primitive<dnnl::matmul>(pd, {{DNNL_ARG_SRC, a, a}, {DNNL_ARG_WEIGHTS, b, b}}, {DNNL_ARG_DST, c, c});
}

// The arguments of a product, kept for the next call: to make them takes as long as a small product.
struct BoundProduct {
  std::shared_ptr<const Primitive> product;
  dnnl::memory a, b, c, scratch;
  std::unordered_map<int, dnnl::memory> args;
  explicit BoundProduct(std::shared_ptr<const Primitive> p)
      : product(std::move(p)),
        a(product->in[0].plain, engine(), nullptr),
        b(product->in[1].plain, engine(), nullptr),
        c(product->out.plain, engine(), nullptr),
        scratch(Desc({int64_t(product->scratch)}, dnnl::memory::data_type::u8, Tag::a), engine(), nullptr),
        args{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}, {DNNL_ARG_SCRATCHPAD, scratch}} {}
};

// Calls f; oneDNN's exceptions become ours.
template <class F>
void translated(const char* what, F&& f) {
  try {
    f();
  } catch (const dnnl::error& e) { throw Error("oneDNN refuses this {}: {}", what, e.what()); }
}

}  // namespace

bool dnn_conv(const ConvShape& s, const float* a, const float* b, const float* bias, float* out) {
  one_thread();
  static auto& cache = *new Cache<ConvShape>;
  bool done = false;
  translated("convolution", [&] {
    auto p = cache.get(s, [&] { return make_conv(s); });
    if (!p) return;
    done = true;
    if (s.bias)
      execute(*p, {a, b, bias}, out);
    else
      execute(*p, {a, b}, out);
  });
  return done;
}

bool dnn_has_bf16() {
  static const bool has = dnnl_get_effective_cpu_isa() >= dnnl_cpu_isa_avx512_core_bf16;
  return has;
}

std::shared_ptr<const Primitive> dnn_bf16_product(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps) {
  one_thread();
  static auto& cache = *new Cache<MatmulShape>;
  std::shared_ptr<const Primitive> p;
  const auto bits = [](float x) { return int64_t(std::bit_cast<uint32_t>(x)); };
  translated("product", [&] {
    p = cache.get({m, n, k, bits(steps.alpha), bits(steps.beta), steps.wide},
                  [&] { return make_matmul(m, n, k, steps); });
  });
  return p;
}

void dnn_multiply_bf16(const std::shared_ptr<const Primitive>& product, const bfloat16* a, const bfloat16* b, void* c) {
  one_thread();
  thread_local std::unique_ptr<BoundProduct> bound;
  translated("product", [&] {
    if (!bound || bound->product != product) bound = std::make_unique<BoundProduct>(product);
    bound->a.set_data_handle(const_cast<bfloat16*>(a));
    bound->b.set_data_handle(const_cast<bfloat16*>(b));
    bound->c.set_data_handle(c);
    Scratch scratch(int64_t(product->scratch));
    bound->scratch.set_data_handle(scratch.get());
    product->run.execute(stream(), bound->args);
    stream().wait();
  });
}

}  // namespace luth::cpu
