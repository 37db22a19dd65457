// Cases to test the operators of index.h with.
#include "core/ops/index/index.h"

namespace luth::ops {
namespace {

Tensor values(const Shape& s) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 7 + 3) % 11) / 4 - 1;
  return t;
}
Tensor positions(const Shape& s, std::initializer_list<int64_t> v) { return Tensor::from(s, v.begin()); }
Tensor mask(std::initializer_list<bool> v) { return Tensor::from<bool>({int64_t(v.size())}, v.begin()); }

template <class Op>
Cases<Op> with_source() {
  return {{{{.dim = 0}},
           {},
           0,
           0,
           [] {
             return Inputs{values({4, 2}), positions({3}, {2, 0, 3}), values({3, 2})};
           }},
          {{{.dim = 1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({2, 3}), positions({2}, {2, 1}), values({2, 2})};
           }},
          {{{.dim = -1, .base = 1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({3}), positions({1}, {3}), values({1})};
           }},
          {{{.dim = 0}}, {}, 0, 0, [] {
             return Inputs{values({}), positions({1}, {0}), values({})};
           }}};
}
template <class Op>
Cases<Op> with_src() {
  return {{Op{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}), positions({2, 2}, {2, 0, 0, 1}), values({2, 2})};
           }},
          {[] {
             Op op;
             op.dim = 1;
             op.base = 1;
             return op;
           }(),
           {},
           0,
           0,
           [] {
             return Inputs{values({2, 3}), positions({2, 2}, {3, 1, 2, 3}), values({2, 2})};
           }},
          {Op{}, {}, 0, 0, [] {
             return Inputs{values({}), positions({}, {0}), values({})};
           }}};
}

}  // namespace

Cases<IndexSelect> IndexSelect::samples() {
  return {{{{.dim = 0}},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}), positions({4}, {2, 0, 2, 1})};
           }},
          {{{.dim = -1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({2, 3}), positions({2}, {2, 0})};
           }},
          {{{.dim = 1, .base = 1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({2, 3, 2}), positions({2}, {3, 3})};
           }},
          {{{.dim = 0}}, {}, 0, 0, [] {
             return Inputs{values({}), positions({1}, {0})};
           }}};
}
Cases<IndexAdd> IndexAdd::samples() {
  Cases<IndexAdd> c = with_source<IndexAdd>();
  c.push_back({{{.dim = 0}, -2}, {}, 0, 0, [] {
                 return Inputs{values({2, 2}), positions({3}, {1, 1, 0}), values({3, 2})};
               }});
  return c;
}
Cases<IndexCopy> IndexCopy::samples() { return with_source<IndexCopy>(); }
Cases<IndexFill> IndexFill::samples() {
  return {{{{.dim = 0}},
           {},
           0,
           0,
           [] {
             return Inputs{values({4, 2}), positions({2}, {2, 0}), 1.5};
           }},
          {{{.dim = 0}},
           {},
           0,
           0,
           [] {
             return Inputs{values({4, 2}), positions({2}, {-1, 0}), values({})};
           }},
          {{{.dim = 1, .base = 1}}, {}, 0, 0, [] {
             return Inputs{values({2, 3}), positions({2}, {3, 1}), values({})};
           }}};
}
Cases<Gather> Gather::samples() {
  return {{{{.dim = 1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), positions({2, 3}, {0, 3, 3, 1, 0, 2})};
           }},
          {{{.dim = 0}},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}), positions({2, 2}, {2, 0, 2, 1})};
           }},
          {{{.dim = -1, .base = 1}},
           {},
           0,
           0,
           [] {
             return Inputs{values({3}), positions({2}, {3, 1})};
           }},
          {{{.dim = 0}}, {}, 0, 0, [] {
             return Inputs{values({}), positions({}, {0})};
           }}};
}
Cases<Scatter> Scatter::samples() {
  Cases<Scatter> c = with_src<Scatter>();
  Scatter add;
  add.reduce = "add";
  c.push_back({add, {}, 0, 0, [] { return Inputs{values({3, 2}), positions({2, 2}, {2, 0, 2, 1}), values({2, 2})}; }});
  return c;
}
Cases<ScatterValue> ScatterValue::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{values({3, 2}), positions({1, 2}, {2, 0}), 1.5}; }}};
}
Cases<ScatterAdd> ScatterAdd::samples() { return with_src<ScatterAdd>(); }
Cases<Take> Take::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}), positions({2, 2}, {5, 0, -1, 2})};
           }},
          {{.base = 1}, {}, 0, 0, [] {
             return Inputs{values({3, 2}), positions({2}, {6, 1})};
           }}};
}
Cases<Put> Put::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}), positions({2}, {5, 0}), values({2})};
           }},
          {{.accumulate = true, .base = 1}, {}, 0, 0, [] {
             return Inputs{values({3, 2}), positions({3}, {6, 6, -2}), values({3})};
           }}};
}
Cases<Index> Index::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), positions({2}, {2, -1})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), Value(), positions({2, 2}, {3, 0, 0, 1})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), positions({2, 1}, {2, 0}), positions({2}, {1, 3})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{values({2, 3, 2}), positions({2}, {1, 0}), Value(), positions({}, {1})};
           }},
          {{.base = 1}, {}, 0, 0, [] {
             return Inputs{values({3, 2}), mask({true, false, true}), positions({}, {2})};
           }}};
}
Cases<IndexPut> IndexPut::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), values({2, 4}), positions({2}, {2, 0})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), 2.0, mask({true, false, true})};
           }},
          {{.accumulate = true},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 4}), values({1}), positions({3}, {2, 2, 0}), positions({3}, {1, 1, 1})};
           }},
          {{.accumulate = true, .base = 1}, {}, 0, 0, [] {
             return Inputs{values({2, 3, 2}), values({2, 3}), positions({2}, {1, 2}), Value(), positions({}, {1})};
           }}};
}

}  // namespace luth::ops
