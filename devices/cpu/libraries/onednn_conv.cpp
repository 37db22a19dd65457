// Convolutions by oneDNN, for its versions 2 and 3.
#include <algorithm>

#include "devices/cpu/libraries/onednn.h"

namespace luth::cpu {
namespace {

// ---- What differs between the versions -------------------------------------------------------------------------

using Forward = dnnl::convolution_forward;
using GradInput = dnnl::convolution_backward_data;
using GradWeight = dnnl::convolution_backward_weights;
constexpr auto direct = dnnl::algorithm::convolution_direct;

struct ConvDescs {
  Desc x, w, bias, y;  // bias empty: none
  Desc w_forward;      // w as it is forward: gradients of bfloat16 filters are float
  Dims stride, dilation, before, after;
};

#if DNNL_VERSION_MAJOR >= 3
Forward::primitive_desc forward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {engine(),    dnnl::prop_kind::forward_training,
          direct,      d.x,
          d.w_forward, d.bias,
          d.y,         d.stride,
          d.dilation,  d.before,
          d.after,     attr};
}
template <class Backward>
typename Backward::primitive_desc backward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {engine(), direct, d.x, d.w, d.y, d.stride, d.dilation, d.before, d.after, forward_desc(d, attr), attr};
}
#else
Forward::primitive_desc forward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  using Prop = dnnl::prop_kind;
  if (d.bias.data.ndims)
    return {Forward::desc(Prop::forward_training, direct, d.x, d.w_forward, d.bias, d.y, d.stride, d.dilation, d.before,
                          d.after),
            attr, engine()};
  return {Forward::desc(Prop::forward_training, direct, d.x, d.w_forward, d.y, d.stride, d.dilation, d.before, d.after),
          attr, engine()};
}
template <class Backward>
typename Backward::primitive_desc backward_desc(const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {typename Backward::desc(direct, d.x, d.w, d.y, d.stride, d.dilation, d.before, d.after), attr, engine(),
          forward_desc(d, attr)};
}
#endif

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
  const auto type = s.bf16 ? bf16 : f32, of_filters = s.kind == ConvShape::Kind::grad_weight ? f32 : type;
  return {Desc(spatial({s.n, s.ic}, s.in), type, act),
          Desc(w, of_filters, any ? Tag::any : filter),
          s.bias ? Desc({s.oc}, type, Tag::a) : Desc(),
          Desc(spatial({s.n, s.oc}, s.out), type, act),
          Desc(w, type, any ? Tag::any : filter),
          spatial({}, s.stride),
          gaps,
          spatial({}, s.lo),
          spatial({}, s.hi)};
}

// oneDNN's kernels for float matrix products point the stack register into the heap (its issue 4845, mended in 3.11):
// a signal handler would then write there. Its other kernels, such as those of bfloat16 products, do not.
bool is_safe(const char* implementation) {
  return !std::strstr(implementation, "gemm:") && !std::strstr(implementation, "ref");
}

// 2.6.3's kernels of bfloat16 give something else for the filters' gradient of a dilated window, and for the input's of
// a window of 1 over channels-last memory with an odd number of output channels.
bool is_right(const ConvShape& s, Layout inner, const char* implementation) {
  if (!std::strstr(implementation, "jit_bf16")) return true;
  if (s.kind == ConvShape::Kind::grad_weight)
    return std::all_of(s.dilation, s.dilation + 3, [](auto d) { return d <= 1; });
  const bool odd = inner == Layout::channels_last && s.oc / s.groups % 2;
  return s.kind == ConvShape::Kind::forward || !odd || !std::strstr(implementation, "1x1");
}

bool usable(const dnnl::primitive_desc_base& pd, const ConvShape& s, Layout inner) {
  const char* implementation = pd.impl_info_str();
  return is_safe(implementation) && is_right(s, inner, implementation);
}

// Null where oneDNN's implementation is not usable.
std::shared_ptr<const Primitive> make_conv(const ConvShape& s, Layout inner) {
  const ConvDescs user = conv_descs(s, Layout::user), any = conv_descs(s, inner);
  const auto attr = attributes();
  if (s.kind == ConvShape::Kind::forward) {
    auto pd = forward_desc(any, attr);
    if (!usable(pd, s, inner)) return nullptr;
    return make_primitive<Forward>(pd,
                                   {{DNNL_ARG_SRC, user.x, pd.src_desc()},
                                    {DNNL_ARG_WEIGHTS, user.w, pd.weights_desc()},
                                    {DNNL_ARG_BIAS, user.bias, pd.bias_desc()}},
                                   {DNNL_ARG_DST, user.y, pd.dst_desc()});
  }
  if (s.kind == ConvShape::Kind::grad_input) {
    auto pd = backward_desc<GradInput>(any, attr);
    if (!usable(pd, s, inner)) return nullptr;
    return make_primitive<GradInput>(
        pd, {{DNNL_ARG_DIFF_DST, user.y, pd.diff_dst_desc()}, {DNNL_ARG_WEIGHTS, user.w, pd.weights_desc()}},
        {DNNL_ARG_DIFF_SRC, user.x, pd.diff_src_desc()});
  }
  auto pd = backward_desc<GradWeight>(any, attr);
  if (!usable(pd, s, inner)) return nullptr;
  auto p = make_primitive<GradWeight>(
      pd, {{DNNL_ARG_DIFF_DST, user.y, pd.diff_dst_desc()}, {DNNL_ARG_SRC, user.x, pd.src_desc()}},
      {DNNL_ARG_DIFF_WEIGHTS, user.w, pd.diff_weights_desc()});
  // 2.6.3's jit_1x1 with a stride writes whole vectors of channels where there are fewer: 8 with AVX2, 16 with AVX-512
  p->scratch += size_t(16 * s.out_area()) * sizeof(float);
  return p;
}
std::shared_ptr<const Primitive> make_conv(const ConvShape& s) {
  std::shared_ptr<const Primitive> p;
  for (Layout inner : {inner_layout(s), Layout::channels_last})
    if (!p) p = if_implemented([&] { return make_conv(s, inner); });
  return p;
}

std::shared_ptr<const Primitive> conv_primitive(const ConvShape& s) {
  one_thread();
  static auto& cache = *new Cache<ConvShape>;
  return cache.get(s, [&] { return make_conv(s); });
}
}  // namespace

std::shared_ptr<const ConvFilters> dnn_conv_filters(const ConvShape& s, const void* w) {
  std::shared_ptr<ConvFilters> filters;
  translated("convolution", [&] {
    const auto p = conv_primitive(s);
    if (!p || !p->in[1].reorder) return;
    const Operand& o = p->in[1];
    filters = std::make_shared<ConvFilters>(ConvFilters{o.wanted, Scratch(int64_t(o.wanted.get_size()))});
    reorder_once(o, w, filters->data.get());
  });
  return filters;
}

bool dnn_conv(const ConvShape& s, const void* a, const void* b, const void* bias, void* out,
              const ConvFilters* filters) {
  bool done = false;
  translated("convolution", [&] {
    const auto p = conv_primitive(s);
    if (!p) return;
    done = true;
    if (s.bias)
      execute(p, {a, b, bias}, out, filters);
    else
      execute(p, {a, b}, out, filters);
  });
  return done;
}

}  // namespace luth::cpu
