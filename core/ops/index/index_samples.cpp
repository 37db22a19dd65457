// Cases to test the operators of index.h with.
#include "core/ops/common/sample_tensors.h"
#include "core/ops/index/index.h"
namespace luth::ops {
namespace {

Tensor mask(std::initializer_list<bool> v) { return Tensor::from<bool>({int64_t(v.size())}, v.begin()); }

template <class Op>
Cases<Op> with_source() {
  return {{{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({4, 2}, 0.25), sample_integers({3}, {2, 0, 3}), sample_values({3, 2}, 0.25)};
           }},
          {{.dim = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), sample_integers({2}, {2, 1}), sample_values({2, 2}, 0.25)};
           }},
          {{.dim = -1, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3}, 0.25), sample_integers({1}, {3}), sample_values({1}, 0.25)};
           }},
          {{.dim = 0}, {}, 0, 0, [] {
             return Inputs{sample_values({}, 0.25), sample_integers({1}, {0}), sample_values({}, 0.25)};
           }}};
}
template <class Op>
Cases<Op> with_src() {
  return {
      {Op{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({3, 2}, 0.25), sample_integers({2, 2}, {2, 0, 0, 1}), sample_values({2, 2}, 0.25)};
       }},
      {{.dim = 1, .base = 1},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({2, 3}, 0.25), sample_integers({2, 2}, {3, 1, 2, 3}), sample_values({2, 2}, 0.25)};
       }},
      {Op{}, {}, 0, 0, [] {
         return Inputs{sample_values({}, 0.25), sample_integers({}, {0}), sample_values({}, 0.25)};
       }}};
}

}  // namespace

Cases<IndexSelect> IndexSelect::samples() {
  return {{{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({4}, {2, 0, 2, 1})};
           }},
          {{.dim = -1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}, 0.25), sample_integers({2}, {2, 0})};
           }},
          {{.dim = 1, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3, 2}, 0.25), sample_integers({2}, {3, 3})};
           }},
          {{.dim = 0}, {}, 0, 0, [] {
             return Inputs{sample_values({}, 0.25), sample_integers({1}, {0})};
           }}};
}
Cases<IndexAdd> IndexAdd::samples() {
  Cases<IndexAdd> c = with_source<IndexAdd>();
  c.push_back(
      {{.dim = 0, .alpha = -2}, {}, 0, 0, [] {
         return Inputs{sample_values({2, 2}, 0.25), sample_integers({3}, {1, 1, 0}), sample_values({3, 2}, 0.25)};
       }});
  return c;
}
Cases<IndexCopy> IndexCopy::samples() { return with_source<IndexCopy>(); }
Cases<IndexFill> IndexFill::samples() {
  return {{{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({4, 2}, 0.25), sample_integers({2}, {2, 0}), 1.5};
           }},
          {{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({4, 2}, 0.25), sample_integers({2}, {-1, 0}), sample_values({}, 0.25)};
           }},
          {{.dim = 1, .base = 1}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 3}, 0.25), sample_integers({2}, {3, 1}), sample_values({}, 0.25)};
           }}};
}
Cases<Gather> Gather::samples() {
  return {{{.dim = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), sample_integers({2, 3}, {0, 3, 3, 1, 0, 2})};
           }},
          {{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({2, 2}, {2, 0, 2, 1})};
           }},
          {{.dim = -1, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3}, 0.25), sample_integers({2}, {3, 1})};
           }},
          {{.dim = 0}, {}, 0, 0, [] {
             return Inputs{sample_values({}, 0.25), sample_integers({}, {0})};
           }}};
}
Cases<Scatter> Scatter::samples() {
  Cases<Scatter> c = with_src<Scatter>();
  c.push_back(
      {{.reduce = "add"}, {}, 0, 0, [] {
         return Inputs{sample_values({3, 2}, 0.25), sample_integers({2, 2}, {2, 0, 2, 1}), sample_values({2, 2}, 0.25)};
       }});
  return c;
}
Cases<ScatterValue> ScatterValue::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{sample_values({3, 2}, 0.25), sample_integers({1, 2}, {2, 0}), 1.5}; }}};
}
Cases<ScatterAdd> ScatterAdd::samples() { return with_src<ScatterAdd>(); }
Cases<Take> Take::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({2, 2}, {5, 0, -1, 2})};
           }},
          {{.base = 1}, {}, 0, 0, [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({2}, {6, 1})};
           }}};
}
Cases<Put> Put::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({2}, {5, 0}), sample_values({2}, 0.25)};
           }},
          {{.accumulate = true, .base = 1}, {}, 0, 0, [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({3}, {6, 6, -2}), sample_values({3}, 0.25)};
           }}};
}
Cases<Index> Index::samples() {
  return {
      {{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({3, 4}, 0.25), sample_integers({2}, {2, -1})};
       }},
      {{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({3, 4}, 0.25), Value(), sample_integers({2, 2}, {3, 0, 0, 1})};
       }},
      {{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({3, 4}, 0.25), sample_integers({2, 1}, {2, 0}), sample_integers({2}, {1, 3})};
       }},
      {{},
       {},
       0,
       0,
       [] {
         return Inputs{sample_values({2, 3, 2}, 0.25), sample_integers({2}, {1, 0}), Value(), sample_integers({}, {1})};
       }},
      {{.base = 1}, {}, 0, 0, [] {
         return Inputs{sample_values({3, 2}, 0.25), mask({true, false, true}), sample_integers({}, {2})};
       }}};
}
Cases<IndexPut> IndexPut::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), sample_values({2, 4}, 0.25), sample_integers({2}, {2, 0})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), 2.0, mask({true, false, true})};
           }},
          {{.accumulate = true},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 4}, 0.25), sample_values({1}, 0.25), sample_integers({3}, {2, 2, 0}),
                           sample_integers({3}, {1, 1, 1})};
           }},
          {{.accumulate = true, .base = 1}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 3, 2}, 0.25), sample_values({2, 3}, 0.25), sample_integers({2}, {1, 2}),
                           Value(), sample_integers({}, {1})};
           }}};
}

}  // namespace luth::ops
