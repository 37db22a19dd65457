// The meta device infers what the CPU computes: shapes, dtypes, strides.
#include "tests/registry/cases.h"

namespace luth::test {

class Meta : public OperatorTest {};
INSTANTIATE_TEST_SUITE_P(Registry, Meta, testing::ValuesIn(operator_names()), readable);

namespace {

// Sets an operator's `device`, where it has one.
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

}  // namespace

TEST_P(Meta, InfersTheSame) {
  Device& meta = device("meta");
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    Tensors want = c.run();
    TestCase there = c;
    OnDevice place(meta);
    if (op().describe) op().describe(there.op.get(), place);
    there.in = each_tensor(c.in, [&](auto& t) { return Tensor::empty(t.shape(), t.dtype(), meta); });
    Tensors got;
    try {
      got = there.run();
    } catch (const Error& e) {  // shapes that depend on values
      EXPECT_NE(std::string(e.what()).find("meta"), std::string::npos) << e.what();
      continue;
    }
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      if (!want[i]) continue;
      EXPECT_EQ(&got[i].device(), &meta);
      EXPECT_EQ(name(got[i].dtype()), name(want[i].dtype()));
      EXPECT_EQ(to_string(got[i].shape()), to_string(want[i].shape()));
      EXPECT_EQ(to_string(got[i].strides()), to_string(want[i].strides()));
    }
  }
}

}  // namespace luth::test
