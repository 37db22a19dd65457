// What every operator has to declare: samples, documentation, a gradient or a reason, attributes that can be written
// out.
#include <algorithm>
#include <map>
#include <set>

#include "tests/registry/cases.h"

namespace luth::test {

TEST(Registry, IsNotEmpty) { EXPECT_GT(operator_names().size(), 100u); }

class Rules : public OperatorTest {};
INSTANTIATE_TEST_SUITE_P(Registry, Rules, testing::ValuesIn(operator_names()), readable);

TEST_P(Rules, HasSamples) {
  ASSERT_TRUE(op().samples) << "give it `static Cases<Op> samples()`";
  EXPECT_FALSE(op().samples().empty());
}

TEST_P(Rules, IsDocumented) {
  EXPECT_FALSE(op().doc.brief.empty()) << "Doc says nothing";
  for (auto& i : op().inputs) EXPECT_FALSE(i.name.empty());
  for (auto& f : op().fields(op().make().get())) {
    EXPECT_STRNE(f.name, "");
    EXPECT_STRNE(f.doc, "") << "attribute " << f.name;
  }
}

TEST_P(Rules, CanRun) {
  bool has_kernel = op().infer && op().kernels[size_t(host().slot())];
  EXPECT_TRUE(has_kernel || op().view || op().decompose) << "no kernel (with infer), no view, no decompose";
}

TEST_P(Rules, HasGradientOrReason) {
  bool differentiable = op().vjp || (op().decompose && !op().infer);
  if (op().inputs.empty()) return;
  EXPECT_TRUE(differentiable || (op().decompose && !op().view) || !op().traits.not_differentiable.empty())
      << "give it vjp, decompose, or `not_differentiable` with the reason";
  EXPECT_FALSE(op().vjp && !op().traits.not_differentiable.empty()) << "vjp and a reason to have none";
}

namespace {

// The members that describe() names, by their place in the struct.
class Members : public Fields {
 public:
  bool visit(const FieldInfo& info, Attr&) override {
    add(info.at, info.size);
    names.insert(info.name);
    return false;
  }
  void add(const void* at, size_t size) { size_at[reinterpret_cast<uintptr_t>(at)] = size; }
  std::map<uintptr_t, size_t> size_at;
  std::set<std::string, std::less<>> names;
};
Members members_of(const OpInfo& op, void* value) {
  Members members;
  if (op.describe) op.describe(value, members);
  if (op.philox) members.add(op.philox(value), sizeof(PhiloxState));
  for (auto& i : op.inputs) members.names.insert(i.name);
  return members;
}
std::vector<std::string> words(std::string_view text, const char* separators) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const size_t at = std::min(text.find_first_of(separators), text.size());
    if (at) all.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return all;
}

// These hold a PoolWindow, of which each describes the members that it has.
bool has_part_of_window(std::string_view name) {
  for (std::string_view family : {"avg_pool", "lp_pool", "nn_functional_max_unpool"})
    if (name.starts_with(family) && name.size() == family.size() + 2) return true;  // avg_pool2d
  return false;
}

}  // namespace

// Holes of less than eight bytes are padding, and at the start eight: an empty base that a member has too.
TEST_P(Rules, EveryMemberIsDescribed) {
  OpValue value = op().make();
  const Members members = members_of(op(), value.get());
  if (members.size_at.empty() || has_part_of_window(op().name)) return;
  const auto begin = reinterpret_cast<uintptr_t>(value.get());
  uintptr_t end = begin;
  auto expect_no_hole = [&](uintptr_t at) {
    EXPECT_LT(int64_t(at - end), end == begin ? 9 : 8)
        << "describe() leaves out what lies " << end - begin << " bytes into the struct";
  };
  for (auto& [at, size] : members.size_at) {
    expect_no_hole(at);
    end = std::max(end, at + size);
  }
  expect_no_hole(begin + op().size);
}

TEST_P(Rules, TraitsNameArguments) {
  std::set<std::string, std::less<>> names;  // of all forms, which may share their order
  for (auto* form : operators())
    if (form->lua_name == op().lua_name) names.merge(members_of(*form, form->make().get()).names);
  for (auto& name : words(op().traits.order, ", *")) EXPECT_TRUE(names.count(name)) << "order: " << name;
  for (auto& pair : words(op().traits.second_names, ";")) {
    const auto both = words(pair, ": ");
    EXPECT_TRUE(std::any_of(both.begin(), both.end(), [&](auto& name) { return names.count(name); })) << pair;
  }
}

TEST_P(Rules, AttributesReadBack) {
  for (auto& c : cases(GetParam())) {
    std::string text = write_fields(op().fields(c.op.get()));
    OpValue again = op().make();
    FieldReader reader(text);
    if (op().describe) op().describe(again.get(), reader);
    EXPECT_EQ(write_fields(op().fields(again.get())), text) << c.name;
  }
}

}  // namespace luth::test
