// Nearest names.
#include "core/base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace luth {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("train", "trian"), 1) << "a swap is one";
  EXPECT_EQ(edit_distance("Linear", "linear"), 0);
}

TEST(Nearest, OffersWhatIsNear) {
  const std::vector<std::string> names{"train", "eval", "bench", "kernel_size", "dim", "keepdim"};
  EXPECT_EQ(nearest("trian", names), "train");
  EXPECT_EQ(nearest("evl", names), "eval");
  EXPECT_EQ(nearest("kernelsize", names), "kernel_size");
  EXPECT_EQ(nearest("keep_dim", names), "keepdim");
  EXPECT_EQ(nearest("TRAIN", names), "train");
  EXPECT_EQ(nearest("something", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("train", std::vector<std::string>{}), "");
  EXPECT_EQ(did_you_mean("trian", names), "; did you mean 'train'?");
  EXPECT_EQ(did_you_mean("zzz", names), "");
  EXPECT_EQ(nearest("kepdm", names), "");
  EXPECT_EQ(did_you_mean("kepdm", names), "; did you mean 'keepdim'?") << "letters left out";
}

// By definition: the first of those that the fewest edits make of the word, at most a third of its letters and one.
std::string hint_by_edits(std::string_view word, std::vector<std::string> names, bool sorted) {
  if (sorted) std::sort(names.begin(), names.end());
  int best = word.size() < 2 ? 0 : std::max(1, int(word.size() + 1) / 3);
  std::string found;
  for (int d = 0; d <= best && found.empty(); ++d)
    for (auto& name : names)
      if (found.empty() && name != word && edit_distance(word, name) == d) found = name;
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

TEST(Nearest, IsTheFirstOfTheFewestEdits) {
  std::mt19937 random(1);
  auto text = [&](size_t longest) {
    std::string s(1 + random() % longest, ' ');
    for (char& c : s) c = "abcABC_1"[random() % 8];
    return s;
  };
  for (size_t longest : {3, 8, 20, 63, 64, 65, 80})
    for (int round = 0; round < 40; ++round) {
      std::vector<std::string> names;
      NameIndex index;
      for (int i = 0; i < 50; ++i) index.add(names.emplace_back(text(longest)));
      std::string word = names[random() % 50];
      for (int edits = int(random() % 4); edits >= 0; --edits) word[random() % word.size()] = 'b';
      EXPECT_EQ(did_you_mean(word, names), hint_by_edits(word, names, false)) << word;
      EXPECT_EQ(index.did_you_mean(word), hint_by_edits(word, names, true)) << word;
    }
}

TEST(NameIndex, FindsOtherCaseAndUnderscores) {
  NameIndex index;
  for (auto name : {"elu_", "elu", "group_norm", "conv2d"}) index.add(name);
  EXPECT_EQ(index.alike("GroupNorm"), "group_norm");
  EXPECT_EQ(index.alike("ELU"), "elu_");
  EXPECT_EQ(index.alike("ELU", false), "elu");
  EXPECT_EQ(index.alike("Conv2"), "");
  EXPECT_EQ(index.alike("Conv2dd"), "");
  EXPECT_EQ(index.alike(""), "");
  EXPECT_EQ(index.did_you_mean("gruop_norm"), "; did you mean 'group_norm'?");
  EXPECT_EQ(NameIndex().did_you_mean("x"), "");
}

}  // namespace
}  // namespace luth
